package answer

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
)

// CompareVersionsQuestion asks how versions of a lineage did on each task.
type CompareVersionsQuestion struct {
	Of []VersionSelector
	By string // what a row is of
}

func (q *CompareVersionsQuestion) Params() param.List {
	q.By = "task"
	return param.List{
		{Name: "version", Arg: true, Required: true, Unit: "LINEAGE@VERSION", Help: "compare these versions, the first with every other",
			Value: param.Repeated(&q.Of, parseVersionSelector, VersionSelector.String)},
		{Name: "by", Help: "show a row for each of these", Enum: []string{"task"}, Value: param.Text(&q.By)},
	}
}

func (q *CompareVersionsQuestion) Check() error {
	if len(q.Of) < 2 {
		return &param.Error{Param: "version", Message: "name two or more LINEAGE@VERSION"}
	}
	known := map[VersionSelector]bool{}
	for _, v := range q.Of {
		if known[v] || v.Lineage != q.Of[0].Lineage {
			return &param.Error{Param: "version", Message: fmt.Sprintf("%s: name different versions of one lineage", v)}
		}
		known[v] = true
	}
	return nil
}

// VersionComparison is versions of a lineage side by side, task by task. It decides nothing.
type VersionComparison struct {
	Lineage  string                `json:"lineage"`
	Score    evolution.ScoreSource `json:"score_from"` // the kind of score that decides; empty for the active scores
	Times    float64               `json:"score_times"`
	Scale    *evolution.Scale      `json:"scale,omitempty"` // of the scores; none for 0 to 100
	Versions []ComparedVersion     `json:"versions"`
	Tasks    []ComparedTask        `json:"tasks"` // by name
	// Differences compare every further version with the first.
	Differences []VersionDifference `json:"differences"`
}

// ComparedVersion is one of the versions.
type ComparedVersion struct {
	Version  string   `json:"version"`
	N        int      `json:"n"` // trials with a score
	NFailed  int      `json:"n_failed"`
	NWithout int      `json:"n_without"`             // successful trials without a score of the kind
	Mean     *float64 `json:"mean_of_scored_trials"` // of the scores
	CostUSD  *float64 `json:"cost_usd"`              // nil if none is known
	NCost    int      `json:"n_cost"`                // executions whose cost is known
	Truths   []Truth  `json:"truths"`                // ground-truth labels of its executions
}

// Truth is the mean of a ground-truth label.
type Truth struct {
	Name string  `json:"name"`
	N    int     `json:"n"`
	Mean float64 `json:"mean_of_executions"`
}

// ComparedTask is a task, with what each version did on it.
type ComparedTask struct {
	Task    string     `json:"task"`
	Holdout bool       `json:"holdout"` // it never decides
	Cells   []TaskCell `json:"cells"`   // of each version
}

// TaskCell is what a version did on a task.
type TaskCell struct {
	N       int      `json:"n"` // trials with a score
	NFailed int      `json:"n_failed"`
	Score   *float64 `json:"score"` // their mean
}

// VersionDifference is a version against the first, on the tasks that decide.
type VersionDifference struct {
	From               string `json:"from"`
	To                 string `json:"to"`
	evolution.TaskGain `json:",embed"`
	Holdout            *evolution.TaskGain `json:"holdout,omitempty"` // on holdout tasks; nil if neither version has a trial of one
}

func (a VersionComparison) Lead() []Sentence {
	kind := "active scores"
	if a.Score != "" {
		kind = ScoreKindText(a.Score)
	}
	if a.Times != 1 {
		kind += fmt.Sprintf(", times %v", a.Times)
	}
	numbers := Numbers{a.Scale}
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: %s, %s; scores: %s", a.Lineage, format.Counted(len(a.Versions), "version"), format.Counted(len(a.Tasks), "task"), kind)}}
	for _, d := range a.Differences {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: d.text(numbers)})
	}
	if a.Scale != nil {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: numbers.Units()})
	}
	return lead
}

func (d VersionDifference) text(numbers Numbers) string {
	text := fmt.Sprintf("%s against %s: %s", d.To, d.From, d.gainText(d.TaskGain, numbers))
	if d.Holdout != nil {
		text += "; on holdout tasks, which never decide: " + d.gainText(*d.Holdout, numbers)
	}
	return text
}

// gainText says what a version gained on some tasks.
func (d VersionDifference) gainText(g evolution.TaskGain, numbers Numbers) string {
	text := "no common task"
	if g.Gain != nil {
		text = "gain " + numbers.gainWithUnit(g.Gain.Mean)
		if i := g.Gain.Interval; i.Defined() {
			text += fmt.Sprintf(" (95%% paired t interval %s to %s)", numbers.Gain(i.Lo), numbers.Gain(i.Hi))
		}
		text += fmt.Sprintf(", %s: %d won, %d lost, %d tied", format.Counted(g.NTasks, "task"), g.Wins, g.Losses, g.Ties)
	}
	for _, side := range []struct {
		version string
		tasks   []string
	}{{d.From, g.OnlyFirst}, {d.To, g.OnlySecond}} {
		if len(side.tasks) > 0 {
			text += fmt.Sprintf("; left out, only %s has a score: %s", side.version, someNames(side.tasks))
		}
	}
	return text
}

func (a VersionComparison) Tables() []Table {
	numbers := Numbers{a.Scale}
	tasks := Table{Name: "tasks", Main: true, Columns: columns("task", "holdout")}
	for _, v := range a.Versions {
		tasks.Columns = append(tasks.Columns, columns(v.Version, "n_"+v.Version)...)
	}
	for _, task := range a.Tasks {
		row := []any{task.Task, task.Holdout}
		for i := range a.Versions {
			var c TaskCell
			if i < len(task.Cells) {
				c = task.Cells[i]
			}
			row = append(row, optionalCell(c.Score, numbers.Score), c.N)
		}
		tasks.Rows = append(tasks.Rows, row)
	}
	versions := Table{Name: "versions", Title: "versions", Columns: columns("version", "n", "n_failed", "n_without", "mean_of_scored_trials", "cost_usd", "n_cost", "truths")}
	for _, v := range a.Versions {
		var truths []string
		for _, t := range v.Truths {
			truths = append(truths, fmt.Sprintf("%s %s (n %d)", t.Name, format.Short(t.Mean), t.N))
		}
		versions.Rows = append(versions.Rows, []any{v.Version, v.N, v.NFailed, v.NWithout, optionalCell(v.Mean, numbers.Score), v.CostUSD, v.NCost, strings.Join(truths, ", ")})
	}
	return []Table{tasks, versions}
}

// CompareExecutionsQuestion asks how two executions differ.
type CompareExecutionsQuestion struct{ IDs []string }

func (q *CompareExecutionsQuestion) Params() param.List {
	return param.List{{Name: "id", Arg: true, Required: true, Unit: "ID", Help: "compare the executions with these two ids, or with ids that begin so", Value: param.Texts(&q.IDs)}}
}

func (q *CompareExecutionsQuestion) Check() error {
	if len(q.IDs) != 2 {
		return &param.Error{Param: "id", Message: fmt.Sprintf("%d ids: name two", len(q.IDs))}
	}
	return nil
}

// ExecutionComparison is two executions side by side. It decides nothing.
type ExecutionComparison struct {
	Executions []track.RecordedExecution `json:"executions"` // both, without texts, calls and scores under other rubrics
	Components []ComparedComponent       `json:"components"` // of the active scores, by name
	Calls      []ComparedCall            `json:"calls"`      // aligned by their tools
	NSame      int                       `json:"n_same"`     // calls with the same tool and the same input
	// The place in Calls, from 0, of the first call that differs; -1 for none.
	FirstDifference int `json:"first_difference"`
}

// ComparedComponent is a component of the scores of two executions.
type ComparedComponent struct {
	Component string   `json:"component"`
	First     *float64 `json:"first"` // null if the execution has none
	Second    *float64 `json:"second"`
}

// ComparedCall is a call of two executions, or of one.
type ComparedCall struct {
	Tool      string    `json:"tool"`
	First     *CallSide `json:"first"` // null if the execution has no such call
	Second    *CallSide `json:"second"`
	SameInput bool      `json:"same_input"` // both have it, with the same input
}

// CallSide is a call of one of the executions.
type CallSide struct {
	Call     int            `json:"call"` // number from 1
	Result   string         `json:"result"`
	Duration *time.Duration `json:"duration_s"` // in JSON, seconds
}

// Differs says how the sides of a call differ; empty if they do not.
func (c ComparedCall) Differs() string {
	switch {
	case c.First == nil:
		return "only the second"
	case c.Second == nil:
		return "only the first"
	case !c.SameInput && c.First.Result != c.Second.Result:
		return "input and result"
	case !c.SameInput:
		return "input"
	case c.First.Result != c.Second.Result:
		return "result"
	}
	return ""
}

func (a ExecutionComparison) Lead() []Sentence {
	if len(a.Executions) != 2 {
		return nil
	}
	text := "both make the same calls, with the same inputs and results"
	if i := a.FirstDifference; 0 <= i && i < len(a.Calls) {
		text = fmt.Sprintf("first difference: line %d, %s: %s", i+1, a.Calls[i].Tool, a.Calls[i].Differs())
	}
	return []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("executions %s and %s", a.Executions[0].ID, a.Executions[1].ID)},
		{Kind: Note, Joined: true, Text: text},
		{Kind: Note, Joined: true, Text: fmt.Sprintf("%s with the same tool and input", format.CountedOf(a.NSame, len(a.Calls), "line"))},
	}
}

func (a ExecutionComparison) Tables() []Table {
	summary := Table{Name: "executions", Columns: columns("id", "lineage", "version", "task", "status", "score", "grade", "rubric", "calls", "failed", "unknown", "duration", "tokens", "cost", "prices").drop("prices", "unknown", "cost", "tokens", "duration", "rubric", "lineage", "grade", "failed")}
	var scores []float64
	for _, e := range a.Executions {
		if e.Score != nil {
			scores = append(scores, *e.Score)
		}
	}
	text := scoreFormat(func(yield func(float64) bool) {
		for _, x := range scores {
			if !yield(x) {
				return
			}
		}
	})
	for _, e := range a.Executions {
		summary.Rows = append(summary.Rows, []any{
			e.ID, e.Lineage, e.Version, Cell{Shorten(e.Task), e.Task}, string(e.Status), optionalCell(e.Score, text), e.Grade, e.Rubric, e.NCalls, e.NFailed, e.NUnknown,
			duration(e.Duration, 100*time.Millisecond), allTokens(e.Tokens), optionalCell(e.CostUSD, format.Four), e.Priced,
		})
	}
	components := Table{Name: "components", Title: "components of the scores", HiddenIfEmpty: true, Columns: columns("component", "first", "second")}
	for _, c := range a.Components {
		components.Rows = append(components.Rows, []any{c.Component, c.First, c.Second})
	}
	return []Table{summary, components, a.callsTable()}
}

func (a ExecutionComparison) callsTable() Table {
	t := Table{Name: "aligned_calls", Title: "calls", Main: true, HiddenIfEmpty: true, Columns: columns("line", "tool", "first", "result", "second", "second_result", "differs")}
	t.Columns[5].Head = "result"
	for i, c := range a.Calls {
		row := []any{i + 1, c.Tool, nil, nil, nil, nil, c.Differs()}
		for k, side := range []*CallSide{c.First, c.Second} {
			if side != nil {
				row[2+2*k], row[3+2*k] = side.Call, side.Result
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// allTokens returns the tokens that were read and written; nothing if neither is known.
func allTokens(t *track.Tokens) any {
	if t == nil || t.Input == nil && t.Output == nil {
		return nil
	}
	var sum int64
	for _, n := range []*int64{t.Input, t.Output} {
		if n != nil {
			sum += *n
		}
	}
	return sum
}

// CallResult returns how a call ended, in words.
func CallResult(c track.RecordedCall) string { return callResult(c) }
