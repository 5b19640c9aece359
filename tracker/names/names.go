package names

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/internal/near"
	"track/store"
)

// Policy says what becomes of a record that brings an unknown name like a known one.
type Policy uint8

// The policies.
const (
	Accept Policy = iota // every name is taken
	Warn                 // it is recorded, and the checker remembers the name
	Refuse               // it is a problem of the record, which is not stored
	Watch                // as Warn, but a seed without any metric of its spec is a problem, which is not stored
)

// maxFound bounds the names that a checker remembers.
const maxFound = 100

// Checker checks the names of the records that come through one door. A nil one accepts every name. It belongs to one
// goroutine.
type Checker struct {
	policy  Policy
	line    int             // of the record that is checked; 0 for none
	known   map[place]bool  // names that were found or accepted
	fresh   map[string]bool // scenarios that nothing was recorded of
	metrics map[string]*metricNames
	found   []answer.NearName

	reader  *store.Reader         // of the running transaction
	before  int                   // names that were found before it
	indexes map[place]*near.Index // of all names of a place, as the transaction sees them
}

// place is where a name is looked for: a kind of names, and whose they are. With a name, it is that name there.
type place struct{ kind, of, name string }

// New returns a checker with a policy.
func New(policy Policy) *Checker {
	return &Checker{policy: policy, known: map[place]bool{}, fresh: map[string]bool{}, metrics: map[string]*metricNames{}}
}

// Policy returns the policy; that of a nil checker is [Accept].
func (c *Checker) Policy() Policy {
	if c == nil {
		return Accept
	}
	return c.policy
}

// At says in which line the record stands that is checked next.
func (c *Checker) At(line int) {
	if c != nil {
		c.line = line
	}
}

// Found returns the names that were recorded although they are like known ones.
func (c *Checker) Found() []answer.NearName {
	if c == nil {
		return nil
	}
	return c.found
}

// Scenario returns what is wrong with the name of a scenario; nil for nothing.
func (c *Checker) Scenario(ctx context.Context, r *store.Reader, name string) (*track.FieldError, error) {
	return c.check(r, place{kind: "scenario", name: name}, func() (bool, error) { return r.HasScenario(ctx, name) },
		func() ([]string, error) { return r.Scenarios(ctx) })
}

// Lineage returns what is wrong with the name of a lineage; nil for nothing.
func (c *Checker) Lineage(ctx context.Context, r *store.Reader, name string) (*track.FieldError, error) {
	return c.check(r, place{kind: "lineage", name: name}, func() (bool, error) { return r.HasLineage(ctx, name) },
		func() ([]string, error) { return r.Lineages(ctx) })
}

// Version returns what is wrong with the name of a version and that of its lineage; nil for nothing. A version need not
// have a name.
func (c *Checker) Version(ctx context.Context, r *store.Reader, lineage, name string) (*track.FieldError, error) {
	at := place{kind: "version", of: lineage, name: name}
	c.enter(r)
	if c.Policy() == Accept || name != "" && c.known[at] {
		return nil, nil
	}
	if problem, err := c.Lineage(ctx, r, lineage); problem != nil || err != nil || name == "" {
		return problem, err
	}
	return c.check(r, at, func() (bool, error) { return r.HasVersion(ctx, lineage, name) },
		func() ([]string, error) { return r.VersionNames(ctx, lineage) })
}

// ExecutionVersion is [Checker.Version] of an execution. It also remembers a version that is not known in a lineage
// with a ledger, where versions come from proposals.
func (c *Checker) ExecutionVersion(ctx context.Context, r *store.Reader, lineage, name string) (*track.FieldError, error) {
	c.enter(r)
	if c.Policy() == Accept || name == "" || c.known[place{kind: "version", of: lineage, name: name}] {
		return c.Version(ctx, r, lineage, name)
	}
	isKnown, err := r.HasVersion(ctx, lineage, name)
	if err != nil {
		return nil, err
	}
	found := len(c.found)
	problem, err := c.Version(ctx, r, lineage, name)
	if problem != nil || err != nil || isKnown || len(c.found) > found {
		return problem, err
	}
	if evolving, err := r.IsEvolving(ctx, lineage); err != nil || !evolving {
		return nil, err
	}
	c.remember(answer.NearName{Kind: "version", Name: name, Of: lineage, Near: []string{}})
	return nil, nil
}

// check looks for names like one that is not known.
func (c *Checker) check(r *store.Reader, at place, isKnown func() (bool, error), all func() ([]string, error)) (*track.FieldError, error) {
	c.enter(r)
	if c.Policy() == Accept || c.known[at] {
		return nil, nil
	}
	known, err := isKnown()
	if err != nil {
		return nil, err
	}
	if !known {
		index, err := c.index(place{kind: at.kind, of: at.of}, all)
		if err != nil {
			return nil, err
		}
		if list := index.Near(at.name); len(list) > 0 {
			if problem := c.report(answer.NearName{Kind: at.kind, Name: at.name, Of: at.of, Near: list}); problem != nil {
				return problem, nil
			}
		}
		index.Add(at.name)
		c.fresh[at.name] = at.kind == "scenario"
	}
	c.known[at] = true
	return nil, nil
}

// enter begins a transaction: another process may have added names since the last one. If it runs again, what it
// found is forgotten.
func (c *Checker) enter(r *store.Reader) {
	if c == nil || c.reader == r {
		return
	}
	if r.Repeats(c.reader) {
		clear(c.known)
		clear(c.fresh)
		clear(c.metrics)
		c.found = c.found[:c.before]
	}
	c.reader, c.before, c.indexes = r, len(c.found), map[place]*near.Index{}
}

// index returns the names of a place.
func (c *Checker) index(at place, all func() ([]string, error)) (*near.Index, error) {
	if x := c.indexes[at]; x != nil {
		return x, nil
	}
	list, err := all()
	if err == nil {
		c.indexes[at] = near.NewIndex(list)
	}
	return c.indexes[at], err
}

// report returns the problem of some names, or remembers them.
func (c *Checker) report(list ...answer.NearName) *track.FieldError {
	if c.policy == Refuse && len(list) > 0 {
		return refusal(list)
	}
	c.remember(list...)
	return nil
}

func (c *Checker) remember(list ...answer.NearName) {
	for _, n := range list {
		if len(c.found) < maxFound {
			n.Line = c.line
			c.found = append(c.found, n)
		}
	}
}

// refusal returns the problem of a record with misspelled names.
func refusal(list []answer.NearName) *track.FieldError {
	const most = 5
	var messages []string
	for _, n := range list[:min(len(list), most)] {
		messages = append(messages, n.Message())
	}
	hint := track.Hint{Text: "record it as a new name"}.With("new", "")
	return (&track.FieldError{Message: strings.Join(messages, " "), Hint: &hint}).Shorten()
}

// Spec is what is known of the metrics of a spec.
type Spec struct {
	ID      int64 // 0 for no spec
	Metrics map[string]bool
}

// metricNames are the metrics of a scenario: those of its spec, and others that were recorded.
type metricNames struct {
	Spec
	recorded map[string]bool
	near     map[string][]string // known names like unknown ones
	index    *near.Index
	recent   int // how many seeds the recorded names were read of
}

// Seeds whose metrics are read of a scenario without a spec: first those of one, which mostly has them all.
const (
	firstRecent = 1
	mostRecent  = 100
)

// maxScenarios bounds the scenarios whose metrics a checker remembers.
const maxScenarios = 1000

// Metrics returns what is wrong with the names of the values of a seed; nil for nothing. judged says that its spec must
// know one of the values.
func (c *Checker) Metrics(ctx context.Context, r *store.Reader, spec Spec, seed track.Seed, judged bool) (*track.FieldError, error) {
	c.enter(r)
	if c.Policy() == Accept || len(seed.Values) == 0 {
		return nil, nil
	}
	m, err := c.metricsOf(ctx, r, seed.Scenario, spec)
	if err != nil {
		return nil, err
	}
	unknown := m.unknown(seed.Values)
	switch {
	case len(unknown) == 0:
		return nil, nil
	case judged && c.policy != Warn && len(spec.Metrics) > 0 && !m.matches(seed.Values):
		return m.noneOf(seed), nil
	}
	list, err := m.nearNames(ctx, r, seed, unknown)
	if err != nil {
		return nil, err
	}
	if problem := c.report(list...); problem != nil {
		return problem, nil
	}
	if spec.ID == 0 {
		m.learn(unknown)
	}
	for _, n := range list {
		m.learn([]string{n.Name})
	}
	return nil, nil
}

// Series returns what is wrong with the names of the series of a seed; nil for nothing. wanted are those of its spec.
func (c *Checker) Series(r *store.Reader, wanted []string, seed track.Seed) *track.FieldError {
	c.enter(r)
	if c.Policy() == Accept {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
		return slices.ContainsFunc(seed.Series, func(s track.Series) bool { return s.Name == name })
	})
	if len(missing) == 0 {
		return nil
	}
	var list []answer.NearName
	index := near.NewIndex(missing)
	for _, s := range seed.Series {
		at := place{"series", seed.Scenario, s.Name}
		if meant := index.Near(s.Name); len(meant) > 0 && !slices.Contains(wanted, s.Name) && !c.known[at] {
			c.known[at] = c.policy != Refuse
			list = append(list, answer.NearName{Kind: "series", Name: s.Name, Of: seed.Scenario, Near: meant})
		}
	}
	return c.report(list...)
}

// metricsOf returns the metrics of a scenario. Another version of its spec has others.
func (c *Checker) metricsOf(ctx context.Context, r *store.Reader, scenario string, spec Spec) (*metricNames, error) {
	m := c.metrics[scenario]
	if m != nil && m.Spec.ID == spec.ID {
		return m, nil
	}
	if len(c.metrics) >= maxScenarios {
		clear(c.metrics)
	}
	m = &metricNames{Spec: spec, recorded: map[string]bool{}, near: map[string][]string{}, recent: mostRecent}
	c.metrics[scenario] = m
	if spec.ID != 0 || c.fresh[scenario] {
		return m, nil
	}
	return m, m.read(ctx, r, scenario, firstRecent)
}

// read learns the metrics of the seeds that were recorded last.
func (m *metricNames) read(ctx context.Context, r *store.Reader, scenario string, seeds int) error {
	names, err := r.RecentMetrics(ctx, scenario, seeds)
	m.learn(names)
	m.recent = seeds
	return err
}

// learn makes names known.
func (m *metricNames) learn(names []string) {
	for _, name := range names {
		if !m.recorded[name] {
			m.recorded[name], m.index = true, nil
		}
	}
	if m.index == nil {
		clear(m.near)
	}
}

// unknown returns the names of values that are not known, sorted.
func (m *metricNames) unknown(values map[string]float64) (names []string) {
	for name := range values {
		if !m.Spec.Metrics[name] && !m.recorded[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// matches reports whether some value is of the spec.
func (m *metricNames) matches(values map[string]float64) bool {
	for name := range values {
		if m.Spec.Metrics[name] {
			return true
		}
	}
	return false
}

// nearNames returns which unknown names of a seed are like known ones that it does not carry too. What was recorded
// once is known.
func (m *metricNames) nearNames(ctx context.Context, r *store.Reader, seed track.Seed, unknown []string) (list []answer.NearName, err error) {
	if m.recent < mostRecent {
		if err := m.read(ctx, r, seed.Scenario, mostRecent); err != nil {
			return nil, err
		}
	}
	for _, name := range unknown {
		missing := slices.DeleteFunc(slices.Clone(m.nearTo(name)), func(other string) bool {
			_, carried := seed.Values[other]
			return carried
		})
		if len(missing) == 0 || m.recorded[name] {
			continue
		}
		recorded, err := r.HasMetric(ctx, seed.Scenario, name)
		if err != nil {
			return nil, err
		}
		if recorded {
			m.learn([]string{name})
			continue
		}
		list = append(list, answer.NearName{Kind: "metric", Name: name, Of: seed.Scenario, Near: missing})
	}
	return list, nil
}

// nearTo returns the known names like one.
func (m *metricNames) nearTo(name string) []string {
	list, found := m.near[name]
	if !found {
		if m.index == nil {
			m.index = near.NewIndex(slices.Concat(slices.Sorted(maps.Keys(m.Spec.Metrics)), slices.Sorted(maps.Keys(m.recorded))))
		}
		list = m.index.Near(name)
		m.near[name] = list
	}
	return list
}

// noneOf says that no value of a seed is of its spec, and which ones were probably meant.
func (m *metricNames) noneOf(seed track.Seed) *track.FieldError {
	const most = 5
	var meant []string
	for _, name := range slices.Sorted(maps.Keys(seed.Values)) {
		if list := m.nearTo(name); len(list) > 0 && len(meant) < most {
			meant = append(meant, list[0]+" for "+name)
		}
	}
	text := "did you mean " + strings.Join(meant, ", ") + "?"
	if len(meant) == 0 {
		expected := slices.Sorted(maps.Keys(m.Spec.Metrics))
		if text = "it has " + strings.Join(expected[:min(len(expected), most)], ", "); len(expected) > most {
			text += fmt.Sprintf(" and %d more", len(expected)-most)
		}
	}
	hint := track.Hint{Text: "record them all the same"}.With("new", "")
	return (&track.FieldError{Message: "the spec of " + seed.Scenario + " has none of these metrics; " + text, Hint: &hint}).Shorten()
}
