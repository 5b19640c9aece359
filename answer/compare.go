package answer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// CompareQuestion asks how several configurations look side by side.
type CompareQuestion struct {
	Of     []Selector
	Seeds  []track.SeedRange
	Values bool
	All    bool
	Totals bool // metrics are left out
}

func (q *CompareQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "compare these configurations", Value: selectors(&q.Of)},
		seedsParam(&q.Seeds),
		{Name: "values", Help: "show the mean values of the listed metrics as well", Value: param.Switch(&q.Values)},
		{Name: "all", Help: "list all metrics, not only those that differ", Value: param.Switch(&q.All)},
		{Name: "totals", Help: "compare total scores alone, which is quicker for many seeds", Value: param.Switch(&q.Totals)},
	}
}

// Check returns an error if there is nothing to compare.
func (q *CompareQuestion) Check() error {
	if len(q.Of) < 2 {
		return &param.Error{Param: "scenario", Message: "name two or more SCENARIO[@CONFIGURATION]"}
	}
	if q.Totals && (q.Values || q.All) {
		return &param.Error{Param: "totals", Message: "leaves out the metrics that values and all show: choose one"}
	}
	return nil
}

// Comparison is several configurations side by side, judged by one spec. It decides nothing.
type Comparison struct {
	Spec       ScenarioSpec                `json:"spec"`           // that of the first side's scenario
	NShared    int                         `json:"n_shared_seeds"` // seeds that all sides have
	Parameters []map[string]jsontext.Value `json:"parameters"`     // of each side, those that differ
	Sides      []ComparedSide              `json:"sides"`
	// Differences are those of the second and every further side from the first.
	Differences []SideDifference `json:"differences"`
	AsValues    bool             `json:"as_values,omitzero"` // people are shown mean values of metrics as well
	ListsAll    bool             `json:"lists_all,omitzero"` // people are shown all metrics, not only those that differ
	NMetrics    int              `json:"n_metrics"`          // of the spec
	OfTotals    bool             `json:"of_totals,omitzero"` // total scores were compared, and no metrics
}

// ComparedSide is one of several configurations side by side.
type ComparedSide struct {
	Side
	scoring.Stability
	verdict.Judgement
}

func (a Comparison) Lead() []Sentence {
	var lead []Sentence
	add := func(text string) {
		lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: len(lead) > 0})
	}
	for i, side := range a.Sides {
		c := side.Configuration
		text := fmt.Sprintf("%s  %s@%s", sideName(i), side.Scenario, track.ShortHash(c.Hash))
		if c.Label != "" {
			text += ", label " + c.Label
		}
		if c.Revision != (track.Revision{}) {
			text += ", revision " + c.Revision.String()
		}
		if len(side.Tags) > 0 {
			text += ", tags " + side.TagText()
		}
		add(text)
		for _, note := range side.noteSentences(sideName(i)) {
			add(note.Text)
		}
	}
	for _, side := range a.Sides {
		lead = append(lead, side.Newest.note(side.Side)...)
	}
	add(fmt.Sprintf("judged by %s spec version %d; %s on all sides", a.Spec.Scenario, a.Spec.Version, format.Counted(a.NShared, "seed")))
	return lead
}

// sideName returns a letter: hashes and labels would make columns too wide.
func sideName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("#%d", i+1)
}

func (a Comparison) sideNames() (names []string) {
	for i := range a.Sides {
		names = append(names, sideName(i))
	}
	return names
}

func (a Comparison) Tables() []Table {
	tables := []Table{a.scoresTable()}
	for i := range a.Differences {
		tables = append(tables, a.differenceTable(i+1))
	}
	if a.AsValues || a.ListsAll && len(a.Sides) > 2 {
		tables = append(tables, a.sidesTable())
	}
	return append(tables, a.metricsTable())
}

// scoresTable shows the parameters that differ, and the scores of each side.
func (a Comparison) scoresTable() Table {
	t := Table{Name: "scores", Columns: append(Columns{{Name: "name", Head: " "}}, columns(a.sideNames()...).wrap(a.sideNames()...)...)}
	add := func(name string, cell func(side int) any) {
		row := []any{name}
		for i := range a.Sides {
			row = append(row, cell(i))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, name := range a.parameterNames() {
		add("param "+name, func(i int) any {
			if i >= len(a.Parameters) || a.Parameters[i][name] == nil {
				return nil
			}
			value := string(a.Parameters[i][name])
			return Cell{Shorten(value), value}
		})
	}
	add("seeds", func(i int) any { return fmt.Sprintf("%d, %d scored", a.Sides[i].NSeeds, a.Sides[i].NScored) })
	for k, name := range []string{"pass rate", "score", "score of seeds that ran", "sd of scores", "combined"} {
		text := format.Four
		if k == 0 {
			text = format.Share
		}
		if k == 2 && !slices.ContainsFunc(a.Sides, func(s ComparedSide) bool { return s.NScored < s.NSeeds }) {
			continue
		}
		add(name, func(i int) any {
			e := a.Sides[i].Estimates
			if name == "combined" { // the box of its factors is too wide to say anything
				e.Combined.Interval = stats.Interval{Lo: math.NaN(), Hi: math.NaN()}
			}
			return estimateText([]verdict.Estimate{e.PassRate, e.Score, e.OfRan, e.SD, e.Combined}[k], text)
		})
	}
	add("stable", func(i int) any { return fmt.Sprintf("%s, verdict %s", yesNo(a.Sides[i].Stable), a.Sides[i].Verdict) })
	return t
}

func (a Comparison) parameterNames() []string {
	all := map[string]jsontext.Value{}
	for _, side := range a.Parameters {
		maps.Copy(all, side)
	}
	return slices.Sorted(maps.Keys(all))
}

// estimateText writes a number with its interval; nil if there is none.
func estimateText(e verdict.Estimate, text func(float64) string) any {
	switch {
	case e.Value != e.Value:
		return nil
	case !e.Interval.Defined():
		return text(e.Value)
	}
	return fmt.Sprintf("%s (%s)", text(e.Value), format.Interval(e.Interval, text))
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// metricsTable shows programs the mean score, or the mean value, of each metric on each side, and the differences.
func (a Comparison) metricsTable() Table {
	t := Table{Name: "metrics", Main: true, ForPrograms: true, Notes: warningNotes(a.warnings()), Columns: slices.Concat(columns("metric"), columns(a.sideNames()...), a.differenceColumns())}
	if a.OfTotals {
		t.Rows = append(t.Rows, a.totalRow())
	}
	for k, m := range a.metrics() {
		t.Rows = append(t.Rows, slices.Concat([]any{m.Name}, a.sideCells(k), a.differenceCells(m.Name)))
	}
	return t
}

// sidesTable shows people the mean score, or the mean value, of each metric on each side.
func (a Comparison) sidesTable() Table {
	what := " scores of seeds with a value"
	if a.AsValues {
		what = " mean values"
	}
	t := Table{Name: "sides", Grouped: true, HiddenIfEmpty: true, Columns: append(columns("group", "metric", "target", "weight").drop("weight", "target").wrap("target"), columns(a.sideNames()...)...)}
	weight := WeightText(a.metrics(), func(m scoring.MetricStability) float64 { return m.Weight })
	for k, m := range a.metrics() {
		if a.lists(m.Name) {
			t.Rows = append(t.Rows, append([]any{strings.TrimSpace(m.Group + what), m.Name, m.Target, numberCell(m.Weight, weight)}, a.sideCells(k)...))
		}
	}
	return t
}

// metrics returns the metrics of the first side, in the order of the spec.
func (a Comparison) metrics() []scoring.MetricStability {
	if len(a.Sides) == 0 {
		return nil
	}
	return a.Sides[0].Metrics
}

// lists reports whether people are shown a metric.
func (a Comparison) lists(metric string) bool {
	for i := range a.Differences {
		if slices.ContainsFunc(a.listed(i+1), func(m verdict.MetricDelta) bool { return m.Name == metric }) {
			return true
		}
	}
	return a.ListsAll
}

// sideCells returns the mean score, or the mean value, of a metric on each side.
func (a Comparison) sideCells(metric int) (cells []any) {
	for _, side := range a.Sides {
		switch {
		case metric >= len(side.Metrics):
			cells = append(cells, nil)
		case a.AsValues:
			cells = append(cells, meanValueCell(side.Metrics[metric]))
		default:
			cells = append(cells, side.Metrics[metric].MeanScore)
		}
	}
	return cells
}

func (a Comparison) warnings() []verdict.Warning {
	var list []verdict.Warning
	differ := false
	for i, side := range a.Sides {
		for _, w := range side.Warnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: sideName(i) + ": " + w.Message})
		}
		differ = differ || side.NSeeds != a.NShared
	}
	if differ {
		list = append(list, verdict.Warning{Code: "different_seeds", Message: "The sides have different seeds, so a difference of means may be one of seeds. " +
			"Do not rank combined scores of different numbers of seeds."})
	}
	return list
}
