package answer

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer/param"
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
