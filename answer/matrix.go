package answer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
)

// The kinds of rows that a matrix of seeds has.
const (
	ByMetric        = "metrics"
	ByConfiguration = "configurations"
	ByScenario      = "scenarios"
)

// The orders of the rows and the columns of a matrix.
const (
	OrderDeclared = "declared"
	OrderScore    = "score"
	OrderFailures = "failures"
	OrderName     = "name"
	OrderNumber   = "number"
)

// MatrixQuestion asks for the status of many seeds at a glance: a row for each metric, configuration or scenario, and a
// column for each seed.
type MatrixQuestion struct {
	Of        Selector // empty for rows of scenarios
	Label     string   // of the configurations, for rows of scenarios
	By        string
	Order     string
	SeedOrder string
	Spec      int
	Seeds     []track.SeedRange
	Sweep     string // whose configurations and seeds are shown; empty for all
	Page      Page
}

func (q *MatrixQuestion) Params() param.List {
	q.By, q.Order, q.SeedOrder = ByMetric, OrderDeclared, OrderNumber
	return append(param.List{
		{Name: "scenario", Arg: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "show the seeds of this scenario", Value: selectorValue(&q.Of)},
		{Name: "by", Enum: []string{ByMetric, ByConfiguration, ByScenario}, Help: "choose what a row is", Value: param.Text(&q.By)},
		{Name: "label", Unit: "LABEL", Help: "show the newest configuration of each scenario that has this `LABEL`, if a row is a scenario", Value: param.Name(&q.Label)},
		{Name: "order", Enum: []string{OrderDeclared, OrderScore, OrderFailures, OrderName}, Help: "sort the rows: lowest score first, most failures first, by name, or as declared", Value: param.Text(&q.Order)},
		{Name: "seed-order", Enum: []string{OrderNumber, OrderFailures}, Help: "sort the seeds: by number, or most failures first", Value: param.Text(&q.SeedOrder)},
		specParam(&q.Spec, "use the results under this `VERSION` of the spec"),
		seedsParam(&q.Seeds),
		{Name: "sweep", Unit: "ID", Help: "show only the configurations and seeds that the sweep with this `ID` planned, if a row is a configuration", Value: param.Text(&q.Sweep)},
	}, q.Page.Params(0)...)
}

func (q *MatrixQuestion) Check() error {
	switch scenarios := q.By == ByScenario; {
	case scenarios && (q.Label == "" || q.Of.Scenario != ""):
		return &param.Error{Param: "label", Message: "rows of scenarios need the label of their configurations, and no scenario"}
	case !scenarios && q.Of.Scenario == "":
		return &param.Error{Param: "scenario", Message: "name the scenario"}
	case !scenarios && q.Label != "":
		return &param.Error{Param: "label", Message: "only rows of scenarios have a label; name SCENARIO@LABEL"}
	case q.Sweep != "" && q.By != ByConfiguration:
		return &param.Error{Param: "sweep", Message: "only rows of configurations can be those of a sweep: add by=" + ByConfiguration}
	case scenarios && q.Spec != 0:
		return &param.Error{Param: "spec", Message: "each scenario has its own spec"}
	}
	return nil
}

// The cells of a matrix.
const (
	CellPass      = '+'
	CellWarn      = '/'
	CellFail      = 'x'
	CellFailed    = '!' // the seed has no result: it crashed, timed out or collapsed
	CellNoValue   = '.' // the seed has a result, but no value of the metric
	CellUnjudged  = '?' // never scored under the spec
	CellNotThere  = '_' // the seed is not recorded
	CellRunning   = '>' // the seed is not recorded, and a process runs it: see [Matrix.WithRunning]
	cellCharacter = "+/x!.?_>"
)

// CellMeaning returns what a cell means, in words; empty for another byte.
func CellMeaning(cell byte) string {
	names := [len(cellCharacter)]string{"PASS", "WARN", "FAIL", "failed seed", "no value", "not scored", "not run", "running"}
	if i := strings.IndexByte(cellCharacter, cell); i >= 0 {
		return names[i]
	}
	return ""
}

// MatrixRow is a row of a matrix. Cells has a byte for each seed.
type MatrixRow struct {
	Name          string   `json:"name"` // metric, label (with the parameters if others have it too), or scenario
	Scenario      string   `json:"scenario"`
	Configuration string   `json:"configuration"` // hash
	Score         *float64 `json:"score"`         // mean over the seeds that have one, 0..1; nil if none has
	NPass         int      `json:"n_pass"`
	NWarn         int      `json:"n_warn"`
	NFail         int      `json:"n_fail"`
	NFailed       int      `json:"n_failed"` // seeds without a result
	Cells         string   `json:"cells"`
}

// Count counts the cells of the row.
func (m *MatrixRow) Count() {
	count := func(cell string) int { return strings.Count(m.Cells, cell) }
	m.NPass, m.NWarn, m.NFail, m.NFailed = count(string(CellPass)), count(string(CellWarn)), count(string(CellFail)), count(string(CellFailed))
}

// Matrix holds the status of many seeds, a byte each.
type Matrix struct {
	By              string             `json:"by"`
	Scenario        string             `json:"scenario,omitempty"` // missing for rows of scenarios
	Label           string             `json:"label,omitempty"`
	Spec            *SpecRef           `json:"spec,omitempty"`
	Seeds           []track.SeedNumber `json:"seeds"` // the columns
	List[MatrixRow] `json:",embed"`    // the rows
}

func (a Matrix) Lead() []Sentence {
	subject := a.Scenario
	if a.By == ByScenario {
		subject = "label " + a.Label
	}
	text := fmt.Sprintf("%s: %s of %s", subject, format.Counted(len(a.Items), strings.TrimSuffix(a.By, "s")), format.Counted(len(a.Seeds), "seed"))
	return []Sentence{
		{Kind: Heading, Text: text},
		{Kind: Note, Text: "cells: + PASS, / WARN, x FAIL, ! failed seed, . no value, ? not scored, _ no seed", Joined: true},
	}
}

func (a Matrix) Tables() []Table {
	head := map[string]string{ByMetric: "metric", ByConfiguration: "label", ByScenario: "scenario"}[a.By]
	dropped := []string{"n_warn", "n_pass", "cells"}
	if a.hashReader() == ForAll {
		dropped = slices.Insert(dropped, 2, "configuration")
	}
	t := Table{Name: "matrix", Empty: "no rows", Columns: Columns{
		{Name: "name", Head: head}, {Name: "scenario", For: ForData}, {Name: "configuration", For: a.hashReader()},
		{Name: "score"}, {Name: "n_pass", Head: "PASS"}, {Name: "n_warn", Head: "WARN"}, {Name: "n_fail", Head: "FAIL"}, {Name: "n_failed", Head: "failed"}, {Name: "cells"},
	}.drop(dropped...)}
	for _, row := range a.Items {
		t.Rows = append(t.Rows, []any{row.Name, row.Scenario, hashCell(row.Configuration), row.Score, row.NPass, row.NWarn, row.NFail, row.NFailed, row.Cells})
	}
	return []Table{t}
}

// hashReader says who gets to see hashes: people only if the rows differ in them.
func (a Matrix) hashReader() Reader {
	if a.By == ByMetric {
		return ForData
	}
	return ForAll
}

// WithRunning returns the matrix with the seeds that processes run for its configurations. Recorded ones keep their
// cells.
func (a Matrix) WithRunning(configurations []ConfigurationProgress) Matrix {
	running := map[string][]track.SeedNumber{}
	for _, c := range configurations {
		running[c.Configuration] = c.Running
	}
	added := a.addSeeds(running)
	a.Items = slices.Clone(a.Items)
	for i, row := range a.Items {
		cells := []byte(row.Cells)
		for _, at := range added {
			cells = slices.Insert(cells, at, CellNotThere)
		}
		for _, number := range running[row.Configuration] {
			if at := slices.Index(a.Seeds, number); cells[at] == CellNotThere {
				cells[at] = CellRunning
			}
		}
		a.Items[i].Cells = string(cells)
	}
	return a
}

// addSeeds adds columns for the running seeds of the rows: in their place if the columns are sorted by number, else at
// the end. It returns where they are, in the order in which they were added.
func (a *Matrix) addSeeds(running map[string][]track.SeedNumber) (added []int) {
	a.Seeds = slices.Clone(a.Seeds)
	isSorted := slices.IsSorted(a.Seeds)
	for _, row := range a.Items {
		for _, number := range running[row.Configuration] {
			at := slices.Index(a.Seeds, number)
			if at >= 0 {
				continue
			}
			if at = len(a.Seeds); isSorted {
				at, _ = slices.BinarySearch(a.Seeds, number)
			}
			a.Seeds = slices.Insert(a.Seeds, at, number)
			added = append(added, at)
		}
	}
	return added
}

// failuresTable counts the seeds that failed for the same reason, or in the same metric. A seed that failed several
// metrics counts in each. Messages that differ in numbers alone are one reason.
func failuresTable(seeds []track.FailingSeed) Table {
	type failure struct {
		reason string
		seeds  []track.SeedRange
	}
	var list []*failure
	known := map[string]*failure{}
	add := func(reason string, seed track.SeedNumber) {
		key := strings.Map(withoutDigits, reason)
		if known[key] == nil {
			known[key] = &failure{reason: reason}
			list = append(list, known[key])
		}
		known[key].seeds = append(known[key].seeds, track.SeedRange{First: seed, Last: seed})
	}
	for _, f := range seeds {
		for _, m := range f.Metrics {
			add("FAIL in "+m.Name, f.Number)
		}
		if len(f.Metrics) == 0 {
			add(strings.TrimSuffix(string(f.Outcome)+": "+f.Reason, ": "), f.Number)
		}
	}
	slices.SortStableFunc(list, func(a, b *failure) int { return len(b.seeds) - len(a.seeds) })
	t := Table{Name: "failures", Title: "why seeds failed", Shown: 20, Columns: columns("reason", "n", "seeds").wrap("reason", "seeds")}
	for _, f := range list {
		numbers := track.NewSeedRanges(f.seeds...).String()
		t.Rows = append(t.Rows, []any{Cell{Shorten(f.reason), f.reason}, len(f.seeds), Cell{Shorten(numbers), numbers}})
	}
	return t
}

// withoutDigits drops the digits of a text.
func withoutDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}

// failingTable lists seeds that did not pass, the worst first, with the values of the metrics that they failed next to
// their targets.
func failingTable(seeds []track.FailingSeed, metrics []scoring.MetricStability) Table {
	const shownMetrics = 4
	declared := make(map[string]scoring.MetricStability, len(metrics))
	for _, m := range metrics {
		declared[m.Name] = m
	}
	t := Table{Name: "failing_seeds", Title: fmt.Sprintf("failing seeds (%d), the worst first", len(seeds)), Shown: 10, Columns: Columns{
		{Name: "seed"}, {Name: "outcome"}, {Name: "reason"}, {Name: "outside", Head: "outside by"}, {Name: "metrics"},
	}.drop("outside").wrap("reason", "metrics")}
	for _, f := range seeds {
		var texts []string
		for _, m := range f.Metrics {
			texts = append(texts, missedText(m, declared[m.Name]))
		}
		all := strings.Join(texts, "; ")
		shown := all
		if len(texts) > shownMetrics {
			shown = fmt.Sprintf("%s and %d more", strings.Join(texts[:shownMetrics], "; "), len(texts)-shownMetrics)
		}
		t.Rows = append(t.Rows, []any{f.Number.String(), string(f.Outcome), Cell{Shorten(f.Reason), f.Reason}, outsideCell(f), Cell{shown, all}})
	}
	return t
}

// outsideCell returns a cell with how far the worst metric of a seed lies outside of what it accepts.
func outsideCell(f track.FailingSeed) any {
	if len(f.Metrics) == 0 {
		return nil
	}
	return optionalCell(f.Metrics[0].Outside, format.Share)
}

// missedText says what a seed measured and what the target is, such as "growth 0.02, target > 0.05".
func missedText(m track.FailingMetric, declared scoring.MetricStability) string {
	text := m.Name
	if m.Missing {
		return text + " missing"
	}
	text += " " + format.Value(m.Value, declared.Format)
	if declared.Target != "" {
		text += ", target " + declared.Target
	}
	return text
}
