package answer

import (
	"fmt"

	"track"
	"track/scoring/format"
)

// PushedDatabase says what became of a database whose records were sent to a server as lines.
type PushedDatabase struct {
	Server        string        `json:"server"`
	Database      string        `json:"database"`
	Sent          []SentRecords `json:"sent"`     // by kind, in the order in which they were sent
	NotSent       []SentRecords `json:"not_sent"` // what lines do not carry, by kind
	RecordedLines `json:",embed"`
}

// SentRecords counts records of one kind.
type SentRecords struct {
	Kind   string `json:"kind"` // in the singular
	N      int    `json:"n"`
	Reason string `json:"reason,omitzero"` // why they were not sent
}

func (a PushedDatabase) Conclusion() Conclusion {
	return Pushed{RecordedLines: a.RecordedLines}.Conclusion()
}

func (a PushedDatabase) Lead() []Sentence {
	list := []Sentence{{Kind: Heading, Text: Pushed{Server: a.Server, RecordedLines: a.RecordedLines}.Counts()}}
	for i, p := range a.Errors {
		if i == 10 {
			list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf("and %d more", len(a.Errors)+a.ErrorsOmitted-i)})
			break
		}
		list = append(list, Sentence{Kind: Warning, Text: (&track.FieldError{Field: p.Field, Message: p.Message}).Error()})
	}
	n := 0
	for _, k := range a.NotSent {
		n += k.N
	}
	if n > 0 {
		hint := track.NewHint("bring all of it where the database of the server can be reached", "merge", a.Database)
		list = append(list, Sentence{Kind: Note, Text: format.Counted(n, "record") + " of the kinds below " + format.Verb(n, "was", "were") + " not sent", Hint: &hint})
	}
	return append(list, a.Suspicions.Warnings()...)
}

func (a PushedDatabase) Tables() []Table {
	sent := Table{Name: "sent", Title: "Sent", Columns: columns("kind", "n"), Empty: "nothing"}
	for _, k := range a.Sent {
		sent.Rows = append(sent.Rows, []any{k.Kind, k.N})
	}
	left := Table{Name: "not_sent", Title: "Not sent", HiddenIfEmpty: true, Columns: columns("kind", "n", "reason").wrap("reason")}
	for _, k := range a.NotSent {
		left.Rows = append(left.Rows, []any{k.Kind, k.N, k.Reason})
	}
	return []Table{sent, left}
}
