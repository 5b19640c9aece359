package answer

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"track"
	"track/answer/param"
	"track/scoring/format"
	"track/scoring/rubric"
)

// ExecutionsQuestion asks which executions are recorded.
type ExecutionsQuestion struct {
	Of       LineageSelector // empty for all lineages
	Task     string
	Status   track.ExecutionStatus
	Grade    string
	MinScore *float64
	MaxScore *float64
	Since    Since
	Page     Page
}

func (q *ExecutionsQuestion) Params() param.List {
	return append(param.List{
		{Name: "lineage", Arg: true, Unit: "LINEAGE[@VERSION]", Help: "list only executions of this lineage", Value: lineageSelectorValue(&q.Of)},
		{Name: "task", Unit: "TASK", Help: "list only executions of this `TASK`", Value: param.Text(&q.Task)},
		{Name: "status", Help: "list only executions with this status", Enum: executionStatuses(), Value: executionStatus(&q.Status)},
		{Name: "grade", Help: "list only executions with this grade", Enum: []string{"A+", "A", "B", "C", "D", "F"}, Value: grade(&q.Grade)},
		{Name: "min-score", Unit: "X", Help: "list only executions with a score of at least `X`", Value: param.OptionalFloat(&q.MinScore)},
		{Name: "max-score", Unit: "X", Help: "list only executions with a score of at most `X`", Value: param.OptionalFloat(&q.MaxScore)},
		{Name: "since", Unit: "TIME", Help: "list only executions that started since `TIME`: 2026-01-02, 2026-01-02T15:04:05Z, or 24h for the last day", Value: &q.Since},
	}, q.Page.Params(50)...)
}

func executionStatuses() []string {
	return []string{string(track.ExecutionOK), string(track.ExecutionTimeout), string(track.ExecutionError), string(track.ExecutionInvalid)}
}

func executionStatus(to *track.ExecutionStatus) param.Value {
	return param.Parsed(to, track.ParseExecutionStatus, func(s track.ExecutionStatus) string { return string(s) })
}

func grade(to *string) param.Value {
	return param.Parsed(to, func(text string) (string, error) { return strings.ToUpper(text), nil }, func(s string) string { return s })
}

// Executions are recorded executions, the newest first.
type Executions struct {
	List[track.RecordedExecution] `json:",embed"`
}

func (Executions) Lead() []Sentence { return nil }

func (a Executions) Tables() []Table {
	t := Table{Name: "executions", Empty: "no executions match", Columns: columns(
		"id", "lineage", "version", "task", "status", "score", "grade", "rubric", "calls", "failed", "unknown", "duration", "cost", "prices", "at",
	).drop("prices", "unknown", "cost", "rubric", "duration", "at", "calls", "failed", "task", "lineage").wrap("task")}
	text := scoreFormat(a.scores())
	for _, e := range a.Items {
		t.Rows = append(t.Rows, []any{
			e.ID, e.Lineage, e.Version, Cell{Shorten(e.Task), e.Task}, string(e.Status), optionalCell(e.Score, text), e.Grade, e.Rubric,
			e.NCalls, e.NFailed, e.NUnknown, duration(e.Duration, 100*time.Millisecond), optionalCell(e.CostUSD, format.Four), e.Priced, timeCell(e.At()),
		})
	}
	if a.Next != "" {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("the newest %d; a larger limit lists more", len(a.Items))}}
	}
	return []Table{t}
}

func (a Executions) scores() iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, e := range a.Items {
			if e.Score != nil && !yield(*e.Score) {
				return
			}
		}
	}
}

// duration returns a cell with a duration, rounded for people and in seconds for data; nil if it is unknown.
func duration(d *time.Duration, round time.Duration) any {
	if d == nil {
		return nil
	}
	return Cell{d.Round(round).String(), d.Seconds()}
}

// scoreFormat returns how to write scores that stand together, their means, intervals and differences: those of a
// rubric with two decimals, and with four if all are so near 0 that two would say little.
func scoreFormat(scores iter.Seq[float64]) func(float64) string {
	for x := range scores {
		if math.Abs(x) >= 10 {
			return twoDecimals
		}
	}
	return format.Four
}

// scoreText writes a score that stands alone.
func scoreText(x float64) string { return scoreFormat(slices.Values([]float64{x}))(x) }

func twoDecimals(x float64) string { return format.Fixed(x, 2) }

// ExecutionQuestion asks for one execution in full.
type ExecutionQuestion struct {
	ID     string // or a beginning that no other id shares
	Rubric string // whose components are shown; empty for the active one
	Output bool   // with the final text
	Trace  bool   // the conversation
	All    bool   // its long texts are not folded
	Grep   string // only its texts with this in them; empty for all
}

func (q *ExecutionQuestion) Check() error {
	for name, given := range map[string]bool{"all": q.All, "grep": q.Grep != ""} {
		if given && !q.Trace {
			return &param.Error{Param: name, Message: "is for a trace: ask for that too"}
		}
	}
	return nil
}

func (q *ExecutionQuestion) Params() param.List {
	return param.List{
		{Name: "id", Arg: true, Required: true, Unit: "ID", Help: "show the execution with this id, or with an id that begins so", Value: param.Text(&q.ID)},
		{Name: "rubric", Help: "show the components under this rubric", Enum: append(rubric.Names(), track.RubricOwn), Value: param.Text(&q.Rubric)},
		{Name: "output", Help: "show the final text", Value: param.Switch(&q.Output)},
		{Name: "trace", Help: "show the conversation: prompt, calls with their inputs, errors and outputs, and answer", Value: param.Switch(&q.Trace)},
		{Name: "grep", Unit: "TEXT", Help: "show only the texts of the trace that contain `TEXT`, in whatever case", Value: param.Text(&q.Grep)},
		{Name: "all", Help: "show the texts of the trace as a whole", Value: param.Switch(&q.All)},
	}
}

// Execution is an execution with its calls and its scores under every rubric.
type Execution struct {
	track.RecordedExecution `json:",embed"`
	ComponentsUnder         string `json:"components_under"` // the rubric whose components are shown
	WithOutput              bool   `json:"with_output"`      // the final text was asked for
	Trace                   *Trace `json:"trace,omitempty"`  // nil if it was not asked for; it has the texts of the calls then
}

func (a Execution) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: a.heading()}, {Kind: Note, Joined: true, Text: a.times()}}
	if a.Open {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "the source ended within it: importing the source again may complete it"})
	}
	if !a.ForgottenAt.IsZero() {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "its texts were removed " + timeText(a.ForgottenAt)})
	}
	for _, name := range slices.Sorted(maps.Keys(a.Truths)) {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("ground-truth label: %s %v", name, a.Truths[name])})
	}
	return append(lead, a.scoreSentences()...)
}

func (a Execution) heading() string {
	text := fmt.Sprintf("execution %s of %s", a.ID, lineageVersion(a.Lineage, a.Version))
	for _, part := range []struct{ name, text string }{
		{"task", a.Task}, {"type", a.TaskType}, {"complexity", string(a.Complexity)}, {"model", a.Model}, {"session", a.Session}, {"source", a.Source},
	} {
		if part.text != "" {
			text += fmt.Sprintf(", %s %s", part.name, part.text)
		}
	}
	if a.Trial > 0 {
		text += fmt.Sprintf(", trial %d", a.Trial)
	}
	return text
}

func (a Execution) times() string {
	text := "recorded " + timeText(a.RecordedAt)
	if !a.StartedAt.IsZero() {
		text += ", started " + timeText(a.StartedAt)
	}
	if a.Duration != nil {
		text += ", took " + a.Duration.String()
	}
	return text
}

func (a Execution) scoreSentences() []Sentence {
	if a.Score == nil {
		list := []Sentence{{Kind: Note, Text: fmt.Sprintf("status %s: no score", a.Status)}}
		if a.Message != "" {
			list = append(list, Sentence{Kind: Note, Joined: true, Text: Shorten(a.Message)})
		}
		return list
	}
	text := gradedScore(*a.Score, a.Grade)
	if a.Grade != "" {
		text += fmt.Sprintf(" (%s)", rubric.Grade(a.Grade).Action())
	}
	text += " by " + a.Rubric
	for _, s := range a.Scores {
		if !s.Active && s.Score != nil {
			text += fmt.Sprintf("; %s under %s", scoreText(*s.Score), s.Rubric)
		}
	}
	counts := callsText(a.NCalls, a.NFailed, a.NUnknown) + ", " + format.Counted(a.Corrections, "correction")
	return []Sentence{{Kind: Note, Text: text}, {Kind: Note, Joined: true, Text: counts}}
}

func (a Execution) Tables() []Table {
	if a.Trace != nil {
		return []Table{a.traceTable()}
	}
	var tables []Table
	if t := a.components(); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	calls := a.calls()
	if a.WithOutput {
		calls.Notes = a.finalText()
	}
	return append(tables, calls)
}

// components returns the table of the components under the rubric that is shown.
func (a Execution) components() Table {
	i := slices.IndexFunc(a.Scores, func(s track.RecordedScore) bool { return s.Rubric == a.ComponentsUnder })
	if i < 0 {
		return Table{}
	}
	var score rubric.Score
	if err := json.Unmarshal(a.Scores[i].Detail, &score); err == nil && len(score.Components) > 0 {
		t := componentTable(score.Components)
		t.Title = "components under " + a.ComponentsUnder
		return t
	}
	t := Table{Name: "components", Title: "components under " + a.ComponentsUnder, Columns: columns("component", "value")}
	for _, c := range a.Scores[i].Components { // the reasons were removed with the texts
		t.Rows = append(t.Rows, []any{c.Name, c.Value})
	}
	return t
}

func (a Execution) calls() Table {
	t := Table{Name: "calls", Title: "tool calls", Main: true, HiddenIfEmpty: true, Columns: columns("call", "tool", "exit", "result", "input", "output", "duration").drop("input", "output", "duration")}
	for i, c := range a.Calls {
		var exit, output any
		if c.Exit != nil {
			exit = *c.Exit
		}
		if c.Output != nil {
			output = byteSize(c.Output.Bytes, c.Output.WholeBytes)
		}
		t.Rows = append(t.Rows, []any{i + 1, c.Tool, exit, callResult(c), byteSize(c.Input.Bytes, 0), output, duration(c.Duration, time.Nanosecond)})
	}
	return t
}

func (a Execution) finalText() []Sentence {
	switch {
	case a.Output == nil:
		return []Sentence{{Kind: Note, Text: "final text: not known"}}
	case a.Output.Text == nil:
		return []Sentence{{Kind: Note, Text: "final text: not kept"}}
	}
	return []Sentence{{Kind: Note, Text: "final text\n" + *a.Output.Text}}
}

func callResult(c track.RecordedCall) string {
	switch {
	case c.Rejected:
		return "rejected by the user"
	case c.Error != "":
		return Shorten("error: " + c.Error)
	case !c.Answered:
		return "no result"
	case c.Exit != nil && *c.Exit != 0:
		return fmt.Sprintf("exit %d", *c.Exit)
	case c.Exit == nil:
		return "answered"
	}
	return "ok"
}

// componentTable returns a table of components with their parts, which are indented for people.
func componentTable(list []rubric.Component) Table {
	t := Table{Name: "components", Columns: columns("component", "value", "weight", "reason").drop("weight").wrap("reason")}
	var add func(list []rubric.Component, indent string)
	add = func(list []rubric.Component, indent string) {
		for _, c := range list {
			t.Rows = append(t.Rows, []any{Cell{indent + c.Name, c.Name}, c.Value, c.Weight, c.Reason})
			add(c.Parts, indent+"  ")
		}
	}
	add(list, "")
	return t
}
