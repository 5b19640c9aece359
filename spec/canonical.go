package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track/scoring"
)

// Canonical is the spec as canonical JSON (RFC 8785): keys sorted, numbers in the shortest form that reads back as the
// same float64, no white space. Fields with their default value are left out, so a field that a later version adds does
// not change the identity of the specs written before. It is itself a spec file.
//
// It panics for a spec that no file can say: one with a non-finite number, without a target, or with invalid UTF-8.
func Canonical(s scoring.Spec) []byte {
	b := append(make([]byte, 0, 160*(len(s.Metrics)+1)), '{')
	if g := normalGate(s.Gate); g != nil {
		b = append(b, `"gate":`...)
		b = appendObject(b, canonicalGate(*g))
		b = append(b, ',')
	}
	if i := normalImprovement(s); i != nil {
		b = append(b, `"improvement":`...)
		b = appendObject(b, appendImprovement(nil, *i))
		b = append(b, ',')
	}
	b = append(b, `"metrics":[`...)
	var fields []setting
	for i, m := range s.Metrics {
		if i > 0 {
			b = append(b, ',')
		}
		fields = appendMetric(fields[:0], m)
		if m.From != nil {
			fields = append(fields, setting{field: "from", value: string(appendObject(nil, appendReduction(nil, *m.From)))})
		}
		b = appendObject(b, fields)
	}
	b = append(b, "],"...)
	b = appendMember(b, textSetting("scenario", s.Scenario))
	if s.Title != "" {
		b = append(b, ',')
		b = appendMember(b, textSetting("title", s.Title))
	}
	return append(b, '}')
}

func canonicalGate(g scoring.GateRules) []setting {
	list := append(appendGate(nil, g), guardSettings(g)...)
	if g.FailOn == nil {
		return list
	}
	return append(list, setting{field: "fail_on", value: string(appendList(nil, "fail_on", verdictNames(g.FailOn)))})
}

// Hash identifies a spec: the lowercase hexadecimal SHA-256 of [Canonical].
func Hash(s scoring.Spec) string {
	sum := sha256.Sum256(Canonical(s))
	return hex.EncodeToString(sum[:])
}

var errNotCanonical = errors.New("decode canonical spec: valid, but not in canonical form")

// Decode reads what [Canonical] wrote, and nothing else: whatever it accepts has exactly these bytes as its canonical
// form, and so their SHA-256 as its hash. Its error is not an [*Error]: a user did not write the input.
func Decode(canonical []byte) (scoring.Spec, error) {
	root, problem := jsonTree(canonical)
	if problem != nil {
		return scoring.Spec{}, fmt.Errorf("decode canonical spec: %s", problem)
	}
	s, problems := new(reader).read(root)
	if len(problems) > 0 {
		return scoring.Spec{}, fmt.Errorf("decode canonical spec: %s", problems[0])
	}
	if !bytes.Equal(Canonical(s), canonical) {
		return scoring.Spec{}, errNotCanonical
	}
	return s, nil
}

// appendObject writes an object of the settings that are not default, sorted. Field names are ASCII, so the order of
// their bytes is the order of RFC 8785. It sorts indices: moving settings about took longer than all the rest of
// [Canonical].
func appendObject(b []byte, settings []setting) []byte {
	order := make([]int, 0, 16)
	for i := range settings {
		if !settings[i].isDefault {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(settings[i].field, settings[j].field) })
	b = append(b, '{')
	for k, i := range order {
		if k > 0 {
			b = append(b, ',')
		}
		b = appendMember(b, settings[i])
	}
	return append(b, '}')
}

func appendMember(b []byte, s setting) []byte {
	b = append(append(append(b, '"'), s.field...), `":`...)
	if !s.isText {
		if s.value == "NaN" || strings.HasSuffix(s.value, "Infinity") {
			panic("spec: no canonical form: " + s.field + " is " + s.value)
		}
		return append(b, s.value...)
	}
	return appendText(b, s.field, s.value)
}

// appendList writes a list of texts.
func appendList(b []byte, field string, list []string) []byte {
	b = append(b, '[')
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, field, text)
	}
	return append(b, ']')
}

func appendText(b []byte, field, text string) []byte {
	b, err := jsontext.AppendQuote(b, text)
	if err != nil {
		panic(fmt.Sprintf("spec: no canonical form: %s %q: %v", field, text, err))
	}
	return b
}

// Kind is what happened to a metric or a field between two specs.
type Kind string

// The kinds of change.
const (
	added   Kind = "added"
	removed Kind = "removed"
	changed Kind = "changed"
	moved   Kind = "moved"
)

// Change is one difference between two specs.
type Change struct {
	Kind   Kind   `json:"kind"`
	Metric string `json:"metric"` // empty for the fields of the spec itself
	// Field is the field that changed. It is empty if a whole metric was added or removed, and "position" if it moved.
	Field string `json:"field"`
	// Old and New are the values as a file would show them, defaults filled in; empty if there is none: an absent
	// bound, a field that the type does not have, an improvement.baseline that is the scenario itself. For a metric
	// that was added or removed they describe it, and for one that moved they are its positions, from 1.
	Old string `json:"old"`
	New string `json:"new"`
}

// Diff lists what changed from a to b: the fields of the spec, the metrics of b in their order, the metrics that moved,
// and those that only a has. Metrics are matched by name. Of a new order it reports the fewest moves that explain it.
// Specs have no changes exactly if they have the same [Hash].
func Diff(a, b scoring.Spec) []Change {
	changes := diffSettings("", specSettings(a), specSettings(b))
	old := map[string]int{}
	for i, m := range a.Metrics {
		old[m.Name] = i
	}
	kept := map[string]bool{}
	for _, m := range b.Metrics {
		i, ok := old[m.Name]
		if !ok {
			changes = append(changes, Change{Kind: added, Metric: m.Name, New: summary(m)})
			continue
		}
		kept[m.Name] = true
		changes = append(changes, diffMetrics(a.Metrics[i], m)...)
	}
	changes = append(changes, moves(old, b.Metrics)...)
	for _, m := range a.Metrics {
		if !kept[m.Name] {
			changes = append(changes, Change{Kind: removed, Metric: m.Name, Old: summary(m)})
		}
	}
	return changes
}

// specSettings lists the fields of the spec itself, in the order in which people read them.
func specSettings(s scoring.Spec) []setting {
	improvement := scoring.Improvement{MaxDegradationBase: scoring.DefaultMeanDegradationBase}
	if normal := normalImprovement(s); normal != nil {
		improvement = *normal
	}
	list := []setting{textSetting("scenario", s.Scenario), textSetting("title", s.Title)}
	for _, i := range appendImprovement(nil, improvement) {
		i.field = "improvement." + i.field
		list = append(list, i)
	}
	return append(list, gateSettings(s)...)
}

// gateSettings lists the fields of the gate by their paths.
func gateSettings(s scoring.Spec) []setting {
	gate := scoring.GateRules{Confidence: scoring.DefaultConfidence}
	if normal := normalGate(s.Gate); normal != nil {
		gate = *normal
	}
	failOn := gate.FailOn
	if failOn == nil {
		failOn = defaultFailOn()
	}
	list := append(appendGate(nil, gate), textSetting("fail_on", "["+strings.Join(verdictNames(failOn), ", ")+"]"))
	list = append(list, guardSettings(gate)...)
	for i := range list {
		list[i].field = "gate." + list[i].field
	}
	return list
}

// diffMetrics compares two metrics of one name. A reduction that only one of them has is one field, from.
func diffMetrics(a, b scoring.Metric) []Change {
	changes := diffSettings(b.Name, appendMetric(nil, a), appendMetric(nil, b))
	switch {
	case a.From == nil && b.From != nil:
		return append(changes, Change{Kind: changed, Metric: b.Name, Field: "from", New: b.From.String()})
	case a.From != nil && b.From == nil:
		return append(changes, Change{Kind: changed, Metric: b.Name, Field: "from", Old: a.From.String()})
	case a.From != nil && b.From != nil:
		return append(changes, diffSettings(b.Name, fromSettings(*a.From), fromSettings(*b.From))...)
	}
	return changes
}

// fromSettings lists the fields of a reduction by their paths.
func fromSettings(r scoring.Reduction) []setting {
	list := appendReduction(nil, r)
	for i := range list {
		list[i].field = "from." + list[i].field
	}
	return list
}

// diffSettings compares by field: first those of b, in their order, then those only a has.
func diffSettings(metric string, a, b []setting) []Change {
	var changes []Change
	add := func(field, old, new string) {
		if old != new {
			changes = append(changes, Change{Kind: changed, Metric: metric, Field: field, Old: old, New: new})
		}
	}
	for _, s := range b {
		add(s.field, valueOf(a, s.field), s.value)
	}
	for _, s := range a {
		if !slices.ContainsFunc(b, func(other setting) bool { return other.field == s.field }) {
			add(s.field, s.value, "")
		}
	}
	return changes
}

func valueOf(list []setting, field string) string {
	for _, s := range list {
		if s.field == field {
			return s.value
		}
	}
	return ""
}

func summary(m scoring.Metric) string {
	s := fmt.Sprintf("%s %s, weight %s", m.Target.Type(), m.Target, formatNumber(m.Weight))
	if m.From != nil {
		s += ", from " + m.From.String()
	}
	return s
}

// moves reports the metrics of b that are not where the order of a would have them. The longest run of metrics that
// kept their order is taken as having stayed.
func moves(old map[string]int, b []scoring.Metric) []Change {
	var common []int // positions in b
	var before []int // their positions in a
	for i, m := range b {
		if j, ok := old[m.Name]; ok {
			common, before = append(common, i), append(before, j)
		}
	}
	stayed := longestIncreasing(before)
	var changes []Change
	for k, i := range common {
		if !stayed[k] {
			changes = append(changes, Change{
				Kind: moved, Metric: b[i].Name, Field: "position",
				Old: strconv.Itoa(before[k] + 1), New: strconv.Itoa(i + 1),
			})
		}
	}
	return changes
}

// longestIncreasing marks the members of a longest increasing subsequence of distinct numbers.
func longestIncreasing(xs []int) []bool {
	tails := []int{}                 // index of the smallest last member of a subsequence of each length
	previous := make([]int, len(xs)) // the member before each
	for i, x := range xs {
		length, _ := slices.BinarySearchFunc(tails, x, func(tail, x int) int { return xs[tail] - x })
		previous[i] = -1
		if length > 0 {
			previous[i] = tails[length-1]
		}
		if length == len(tails) {
			tails = append(tails, i)
		} else {
			tails[length] = i
		}
	}
	marks := make([]bool, len(xs))
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = previous[i] {
			marks[i] = true
		}
	}
	return marks
}
