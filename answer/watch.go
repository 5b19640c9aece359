package answer

import (
	"track"
	"track/answer/param"
)

// WatchQuestion asks which executions were recorded behind a mark.
type WatchQuestion struct {
	Of   LineageSelector // empty for all lineages
	Mark string          // [Watched.Mark] of the answer before; empty to begin
}

func (q *WatchQuestion) Params() param.List {
	return param.List{
		{Name: "lineage", Arg: true, Unit: "LINEAGE[@VERSION]", Help: "show only executions of this lineage", Value: lineageSelectorValue(&q.Of)},
		{Name: "mark", Unit: "MARK", Help: "list what was recorded behind the `MARK` of an earlier answer; without it, nothing is listed", Value: param.Text(&q.Mark)},
	}
}

// Watched are the executions that were recorded behind a mark.
type Watched struct {
	Items []track.RecordedExecution `json:"items"`
	Mark  string                    `json:"mark"`           // of the next question
	More  bool                      `json:"more,omitzero"`  // the next question has an answer now
	Known []string                  `json:"known,omitzero"` // of the first answer: ids of recorded executions that can come again
}

func (Watched) Lead() []Sentence { return nil }

func (a Watched) Tables() []Table {
	t := Executions{List: List[track.RecordedExecution]{Items: a.Items}}.Tables()[0]
	t.Empty = "no executions were recorded"
	return []Table{t}
}
