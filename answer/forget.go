package answer

import (
	"track/answer/param"
	"track/scoring/format"
)

// ForgetExecutionQuestion asks to remove the texts of executions.
type ForgetExecutionQuestion struct {
	IDs []string // or beginnings that no other ids share
}

func (q *ForgetExecutionQuestion) Params() param.List {
	return param.List{{Name: "id", Arg: true, Required: true, Unit: "ID", Help: "remove the texts of the execution with this id", Value: param.Texts(&q.IDs)}}
}

// ForgottenExecutions names the executions whose texts were removed.
type ForgottenExecutions struct {
	Forgotten []string `json:"forgotten"` // ids
}

func (a ForgottenExecutions) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: "removed the texts of " + format.Counted(len(a.Forgotten), "execution")}}
}

func (a ForgottenExecutions) Tables() []Table {
	t := Table{Name: "forgotten", ForPrograms: true, Columns: columns("id")}
	for _, id := range a.Forgotten {
		t.Rows = append(t.Rows, []any{id})
	}
	return []Table{t}
}
