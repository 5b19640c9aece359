package answer

import (
	"fmt"

	"track/answer/param"
	"track/scoring/format"
	"track/scoring/rubric"
)

// GradeChangesQuestion asks which executions of a lineage have another grade under a rubric.
type GradeChangesQuestion struct {
	Lineage string
	Rubric  string
}

func (q *GradeChangesQuestion) Params() param.List {
	return param.List{
		namedLineage(&q.Lineage),
		{Name: "rubric", Required: true, Unit: "RUBRIC", Help: "grade the executions under this `RUBRIC`", Enum: rubric.Names(), Value: param.Text(&q.Rubric)},
	}
}

// GradeChange is an execution whose grade under a rubric is not the one of its active score.
type GradeChange struct {
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Task      string   `json:"task"`
	From      *float64 `json:"from_score"` // active; null for no score
	FromGrade string   `json:"from_grade"`
	To        *float64 `json:"to_score"` // under the rubric
	ToGrade   string   `json:"to_grade"`
}

// GradeChanges are the executions of a lineage whose grade differs under a rubric, the oldest first.
type GradeChanges struct {
	Lineage     string `json:"lineage"`
	Rubric      string `json:"rubric"`
	NExecutions int    `json:"n_executions"` // that have a score under either

	List[GradeChange] `json:",embed"`
}

func (a GradeChanges) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: of %s with a score, %d have another grade under %s",
		a.Lineage, format.Counted(a.NExecutions, "execution"), len(a.Items), a.Rubric)}}
}

func (a GradeChanges) Tables() []Table {
	t := Table{Name: "changes", HiddenIfEmpty: true, Columns: Columns{
		{Name: "id"}, {Name: "version"}, {Name: "task"}, {Name: "from_score", Head: "active score"}, {Name: "from_grade", Head: "grade"},
		{Name: "to_score", Head: a.Rubric}, {Name: "to_grade", Head: "grade under it"},
	}.drop("task", "from_grade", "to_grade")}
	for _, c := range a.Items {
		t.Rows = append(t.Rows, []any{c.ID, c.Version, c.Task, optionalCell(c.From, twoDecimals), c.FromGrade, optionalCell(c.To, twoDecimals), c.ToGrade})
	}
	return []Table{t}
}
