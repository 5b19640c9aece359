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
