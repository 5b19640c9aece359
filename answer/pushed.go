package answer

import (
	"cmp"
	"fmt"

	"track"
	"track/scoring/format"
)

// Pushed says what became of lines that were sent to a server.
type Pushed struct {
	Server        string        `json:"server"`
	Files         int           `json:"files"`                   // all of whose lines are recorded
	Refused       int           `json:"files_refused"`           // with lines that the server refuses
	RefusedFolder string        `json:"refused_folder,omitzero"` // where those lines are kept; missing if there are none
	Open          int           `json:"files_open"`              // that another process may still write
	Unsent        int           `json:"files_unsent"`
	Restored      int           `json:"files_restored,omitzero"` // that the server had acknowledged and lost: they are sent again
	Watched       bool          `json:"watched,omitzero"`        // it went on until it was interrupted
	NotSent       []SentRecords `json:"not_sent,omitzero"`       // records of a database that lines do not carry, by kind
	RecordedLines `json:",embed"`
}

// SentRecords counts records of one kind.
type SentRecords struct {
	Kind   string `json:"kind"` // in the singular
	N      int    `json:"n"`
	Reason string `json:"reason,omitzero"` // why they were not sent
}

// NewPushed returns the answer for nothing sent to a server.
func NewPushed(server string) Pushed {
	return Pushed{Server: server, RecordedLines: NewRecordedLines("")}
}

// Merge adds what was sent later to the same server. Of the files that stay, the later answer counts.
func (a *Pushed) Merge(later Pushed) {
	a.Files += later.Files
	a.Restored += later.Restored
	a.Refused += later.Refused
	a.RefusedFolder = cmp.Or(later.RefusedFolder, a.RefusedFolder)
	a.Open, a.Unsent = later.Open, later.Unsent
	a.RecordedLines.Add(later.RecordedLines)
}

// Counts says what became of the lines.
func (a Pushed) Counts() string {
	return fmt.Sprintf("sent to %s: %d recorded, %d duplicate, %d conflicting, %d rejected", a.Server, a.Recorded, a.Duplicates, a.Conflicts, a.Rejected)
}

// Conclusion is about the worst line. A service that was stopped has done what it should.
func (a Pushed) Conclusion() Conclusion {
	switch {
	case a.Watched:
		return Done
	case a.Rejected > 0:
		return PartlyInvalid
	case a.Conflicts > 0:
		return Conflicting
	}
	return Done
}

// RetryHint says what to do with lines that could not be recorded: do is push or ingest.
func RetryHint(do string) track.Hint {
	again := "send"
	if do == "ingest" {
		again = "record"
	}
	hint := track.NewHint("delete the file to drop the lines, or correct them and "+again+" them again", do)
	hint.Args = append(hint.Args, track.HintArg{Name: "retry"})
	return hint
}

func refusedNote(text, do string) Sentence {
	hint := RetryHint(do)
	return Sentence{Kind: Note, Text: text, Hint: &hint}
}

func (a Pushed) Lead() []Sentence {
	if a.Files+a.Refused+a.Unsent+a.Recorded+a.Duplicates+a.Conflicts+a.Rejected == 0 {
		return []Sentence{{Kind: Heading, Text: "nothing to send to " + a.Server}}
	}
	text := a.Counts()
	if a.Unsent > 0 {
		text += "; " + format.Counted(a.Unsent, "file") + " not sent"
	}
	list := []Sentence{{Kind: Heading, Text: text}}
	for i, p := range a.Errors {
		if i == 10 {
			list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf("and %d more", len(a.Errors)+a.ErrorsOmitted-i)})
			break
		}
		list = append(list, Sentence{Kind: Warning, Text: (&track.FieldError{Line: p.Line, Field: p.Field, Message: p.Message}).Error()})
	}
	if a.RefusedFolder != "" {
		list = append(list, refusedNote("these lines are kept in "+a.RefusedFolder, "push"))
	}
	if n := a.nNotSent(); n > 0 {
		list = append(list, Sentence{Kind: Note, Text: format.Counted(n, "record") + " of the kinds below " + format.Verb(n, "was", "were") + " not sent: merge the database where that of the server can be reached"})
	}
	return append(list, a.Suspicions.Warnings()...)
}

func (a Pushed) nNotSent() (n int) {
	for _, k := range a.NotSent {
		n += k.N
	}
	return n
}

// Tables implements [Answer].
func (a Pushed) Tables() []Table {
	left := Table{Name: "not_sent", Title: "Not sent", HiddenIfEmpty: true, Columns: columns("kind", "n", "reason").wrap("reason")}
	for _, k := range a.NotSent {
		left.Rows = append(left.Rows, []any{k.Kind, k.N, k.Reason})
	}
	return append(a.RecordedLines.Tables(), left)
}
