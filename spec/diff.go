package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"track/scoring"
)

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
	// Old and New are the values as a file would show them, defaults filled in; empty if there is none: an absent bound, a
	// field that the type does not have, an improvement.baseline that is the scenario itself. For a metric that was added
	// or removed they describe it, and for one that moved they are its positions, from 1.
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
