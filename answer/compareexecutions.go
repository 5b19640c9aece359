package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

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
