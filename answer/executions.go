package answer

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring/format"
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
