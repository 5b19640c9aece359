package answer

import (
	"fmt"

	"track"
	"track/scoring/format"
)

// maxProblems is the largest number of problems that an answer lists.
const maxProblems = 10_000

// RecordedLines counts what became of lines that were to be recorded.
type RecordedLines struct {
	Source        string `json:"source,omitempty"` // what was read
	Recorded      int    `json:"recorded"`
	Executions    int    `json:"executions,omitzero"` // of the recorded records
	Replaced      int    `json:"replaced,omitzero"`
	Duplicates    int    `json:"duplicates"`
	Conflicts     int    `json:"conflicts"`
	Rejected      int    `json:"rejected"`
	Forgotten     int    `json:"n_forgotten,omitzero"` // executions whose texts are not stored, because they were forgotten earlier
	Suspicions    `json:",embed"`
	Errors        []LineProblem `json:"errors"`
	ErrorsOmitted int           `json:"errors_omitted,omitzero"` // beyond [maxProblems]; in an answer of a server, beyond the first 50
	Unlisted      []int         `json:"lines_omitted,omitzero"`  // numbers of the lines that they are about, at most [maxProblems]
}

// LineProblem says why a line was not recorded.
type LineProblem struct {
	Line    int    `json:"line"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// NewRecordedLines returns the counts of nothing.
func NewRecordedLines(source string) RecordedLines {
	return RecordedLines{Source: source, Errors: []LineProblem{}}
}

// AddProblem lists a problem.
func (a *RecordedLines) AddProblem(p LineProblem) {
	if len(a.Errors) == maxProblems {
		a.ErrorsOmitted++
		return
	}
	a.Errors = append(a.Errors, p)
}

// OmitProblem counts a problem of which only the number of the line is listed.
func (a *RecordedLines) OmitProblem(line int) {
	a.ErrorsOmitted++
	if len(a.Unlisted) < maxProblems {
		a.Unlisted = append(a.Unlisted, line)
	}
}

func (a RecordedLines) Lead() []Sentence {
	text := fmt.Sprintf("%s: %d recorded, %d duplicate, %d conflicting, %d rejected", a.Source, a.Recorded, a.Duplicates, a.Conflicts, a.Rejected)
	if a.Replaced > 0 {
		text += fmt.Sprintf(", %d replaced", a.Replaced)
	}
	return append([]Sentence{{Kind: Heading, Text: text}}, a.Suspicions.Warnings()...)
}

func (a RecordedLines) Tables() []Table {
	return []Table{{
		Name: "lines", ForPrograms: true, Columns: columns("recorded", "replaced", "duplicates", "conflicts", "rejected"),
		Rows: [][]any{{a.Recorded, a.Replaced, a.Duplicates, a.Conflicts, a.Rejected}},
	}}
}

// Ingested says what became of the files of a spool.
type Ingested struct {
	Files         []IngestedFile `json:"files"`
	RefusedFolder string         `json:"refused_folder,omitzero"` // where lines of these files that could not be recorded are kept; missing if there are none
	RecordedLines `json:",embed"`
}

// IngestedFile says what became of one file of a spool.
type IngestedFile struct {
	Path      string `json:"path"`
	Lines     int    `json:"lines"`
	Recorded  int    `json:"recorded"`
	Known     int    `json:"known"`
	Rejected  int    `json:"rejected"`
	Conflicts int    `json:"conflicts"`
	BytesLeft int64  `json:"bytes_left"` // of a line that does not end
	Open      bool   `json:"open"`
	Moved     bool   `json:"moved"`
	Named     bool   `json:"named,omitzero"` // it was named, and is no file of the spool
}

func (f IngestedFile) state() string {
	switch {
	case f.Moved && f.Rejected+f.Conflicts > 0:
		return "done, but for lines that are wrong"
	case f.Rejected > 0 || f.Conflicts > 0:
		return "stays: see above"
	case f.Moved:
		return "done"
	case f.BytesLeft > 0:
		return "ends within a line"
	case f.Named:
		return "read"
	}
	return "open"
}

func (a Ingested) Lead() []Sentence {
	if len(a.Files) > 0 {
		return a.Suspicions.Warnings()
	}
	return []Sentence{{Kind: Heading, Text: "nothing in the spool"}}
}

func (a Ingested) Tables() []Table {
	t := Table{Name: "files", Columns: columns("file", "lines", "recorded", "known", "rejected", "conflicts", "state").drop("known", "conflicts", "rejected").wrap("file", "state"), HiddenIfEmpty: true}
	for _, f := range a.Files {
		t.Rows = append(t.Rows, []any{f.Path, f.Lines, f.Recorded, f.Known, f.Rejected, f.Conflicts, f.state()})
	}
	return []Table{t}
}

// Spooled says where a record is kept until it is ingested.
type Spooled struct {
	Kind  string `json:"kind"`  // spooled
	Spool string `json:"spool"` // the file
	Lines int    `json:"lines"`
	What  string `json:"what"` // that is kept: "3 lines"

	Server string `json:"server,omitzero"` // that they are for; missing for a database
	Sent   bool   `json:"sent,omitzero"`   // the server has recorded them
}

// NewSpooled returns the answer for what is kept in a file.
func NewSpooled(what, path string, n int) Spooled {
	return Spooled{Kind: "spooled", Spool: path, Lines: n, What: what}
}

// NewSpooledLines returns the answer for n lines that are kept in a file.
func NewSpooledLines(path string, n int) Spooled {
	return NewSpooled(format.Counted(n, "line"), path, n)
}

func (a Spooled) Lead() []Sentence {
	hint := track.NewHint("record it", "ingest")
	if a.Sent {
		return []Sentence{{Kind: Heading, Text: fmt.Sprintf("sent %s to %s", a.What, a.Server)}}
	}
	if a.Server != "" {
		hint = track.NewHint("send it", "push")
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("kept %s in %s", a.What, a.Spool), Hint: &hint}}
}

func (a Spooled) Tables() []Table {
	return []Table{{Name: "spool", ForPrograms: true, Columns: columns("spool", "lines"), Rows: [][]any{{a.Spool, a.Lines}}}}
}
