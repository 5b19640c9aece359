package answer

import (
	"fmt"
	"slices"
	"strings"

	"track/scoring/format"
)

// Suspicions are what is recorded and looks like a mistake.
type Suspicions struct {
	NearNames   []NearName      `json:"near_names,omitempty"`
	LikePercent []PercentMetric `json:"like_percent,omitempty"`
}

// With returns the suspicions with others. Those of a metric are counted together.
func (s Suspicions) With(others Suspicions) Suspicions {
	s.NearNames = slices.Concat(s.NearNames, others.NearNames)
	s.LikePercent = slices.Clone(s.LikePercent)
	for _, p := range others.LikePercent {
		i := slices.IndexFunc(s.LikePercent, func(q PercentMetric) bool { return q.Scenario == p.Scenario && q.Metric == p.Metric })
		if i < 0 {
			s.LikePercent = append(s.LikePercent, p)
			continue
		}
		s.LikePercent[i].NSeeds += p.NSeeds
	}
	return s
}

// NearName is a name that was not known, although names like it are, or a version that nobody proposed in a lineage
// with a ledger.
type NearName struct {
	Kind string   `json:"kind"` // scenario, metric, series, lineage or version
	Name string   `json:"name"`
	Of   string   `json:"of,omitempty"` // the scenario of a metric or series, or the lineage of a version
	Near []string `json:"near"`         // the known names, the nearest ones first; none of a version that nobody proposed
	Line int      `json:"line,omitzero"`
}

// Message says that the name is not known, and what was probably meant.
func (n NearName) Message() string {
	text := n.Kind + " " + n.Name
	if n.Of != "" {
		text += " of " + n.Of
	}
	if len(n.Near) == 0 {
		return text + " is not known: nobody proposed it, so no decision uses it"
	}
	return text + " is not known; did you mean " + eitherOf(n.Near) + "?"
}

// eitherOf lists the first of several names.
func eitherOf(names []string) string {
	const most = 3
	return strings.Join(names[:min(len(names), most)], " or ")
}

// PercentMetric is a metric whose values are a hundred times as large as its target, or as small.
type PercentMetric struct {
	Scenario string  `json:"scenario"`
	Metric   string  `json:"metric"`
	Target   string  `json:"target"`
	Value    float64 `json:"value"`    // of the first such seed
	Meant    float64 `json:"meant"`    // what it was probably meant to be
	IsShare  bool    `json:"is_share"` // it is above 1, which no share can be, whatever its target
	NSeeds   int     `json:"n_seeds"`
}

// message says what is wrong with the values.
func (p PercentMetric) message() string {
	text := fmt.Sprintf("%s %s misses the target %s of %s", p.Metric, format.Short(p.Value), p.Target, p.Scenario)
	if p.IsShare {
		text = fmt.Sprintf("%s %s of %s is above 1, which no share can be", p.Metric, format.Short(p.Value), p.Scenario)
	}
	if p.NSeeds > 1 {
		text += fmt.Sprintf(", and so in %s", format.Counted(p.NSeeds, "seed"))
	}
	if p.IsShare {
		return text + fmt.Sprintf("; is it %s in percent?", format.Short(p.Meant))
	}
	return text + fmt.Sprintf("; %s would meet it: is one of them in percent?", format.Short(p.Meant))
}

// Warnings returns a warning for each suspicion, but only for the first of many.
func (s Suspicions) Warnings() (list []Sentence) {
	const most = 20
	for i, n := range s.NearNames {
		if i == most {
			list = append(list, Sentence{Kind: Warning, Text: moreOf(len(s.NearNames)-most, "name") + " like known ones"})
			break
		}
		text := "recorded under a new name: " + n.Message()
		if n.Line > 0 {
			text = fmt.Sprintf("line %d: %s", n.Line, text)
		}
		list = append(list, Sentence{Kind: Warning, Text: text})
	}
	for i, p := range s.LikePercent {
		if i == most {
			list = append(list, Sentence{Kind: Warning, Text: moreOf(len(s.LikePercent)-most, "metric") + " like this"})
			break
		}
		list = append(list, Sentence{Kind: Warning, Text: p.message()})
	}
	return list
}

// moreOf says how many things a list leaves out.
func moreOf(n int, thing string) string {
	return fmt.Sprintf("and %d more %s", n, format.Plural(n, thing))
}
