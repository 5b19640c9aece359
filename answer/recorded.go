package answer

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/rubric"
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

// Add adds what became of other lines.
func (a *RecordedLines) Add(other RecordedLines) {
	a.Recorded += other.Recorded
	a.Executions += other.Executions
	a.Replaced += other.Replaced
	a.Duplicates += other.Duplicates
	a.Conflicts += other.Conflicts
	a.Rejected += other.Rejected
	a.Forgotten += other.Forgotten
	a.ErrorsOmitted += other.ErrorsOmitted
	a.Suspicions = a.Suspicions.With(other.Suspicions)
	for _, p := range other.Errors {
		a.AddProblem(p)
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

// ExecutionReceipt says what became of an execution that was recorded or scored, and its score.
type ExecutionReceipt struct {
	ID            string                `json:"id"` // empty if it was only scored
	Lineage       string                `json:"lineage"`
	Version       string                `json:"version"`
	Status        track.ExecutionStatus `json:"status"`
	Disposition   track.Disposition     `json:"disposition"`
	Rubric        string                `json:"rubric"` // of the active score; empty if there is none
	Score         *float64              `json:"score"`
	Grade         string                `json:"grade"`
	NCalls        int                   `json:"n_calls"`
	NFailed       int                   `json:"n_failed"`
	NUnknown      int                   `json:"n_unknown"`          // calls of unknown outcome
	NMasked       int                   `json:"n_masked"`           // secrets
	Forgotten     bool                  `json:"forgotten,omitzero"` // its texts are not stored, because they were forgotten earlier
	MeasuredShare float64               `json:"measured_share"`     // of the rubric's weight
	Warnings      []rubric.Warning      `json:"warnings"`
	Suspicions    `json:",embed"`
	Detail        jsontext.Value `json:"detail"` // the score under the default rubric: its components, with reasons and counts
}

func (a ExecutionReceipt) Lead() []Sentence {
	text := fmt.Sprintf("%s execution of %s", a.Disposition, lineageVersion(a.Lineage, a.Version))
	if a.ID != "" {
		text += ", id " + a.ID
	}
	score := a.scoreText() + "; " + callsText(a.NCalls, a.NFailed, a.NUnknown)
	if a.NMasked > 0 {
		score += fmt.Sprintf("; %s masked", format.Counted(a.NMasked, "secret"))
	}
	if a.Forgotten {
		score += "; its texts were forgotten earlier and are not stored"
	}
	return append([]Sentence{{Kind: Heading, Text: text}, {Kind: Note, Joined: true, Text: score}}, a.Suspicions.Warnings()...)
}

// IsGiven reports whether a score was given, by the caller or a judge, and not computed by a rubric.
func IsGiven(rubricName string) bool {
	return rubricName == track.RubricOwn || strings.HasPrefix(rubricName, "judge:")
}

// gradedScore returns a score with its grade, if it has one.
func gradedScore(score float64, grade string) string {
	text := "score " + scoreText(score)
	if grade != "" {
		text += ", grade " + grade
	}
	return text
}

func (a ExecutionReceipt) scoreText() string {
	switch {
	case a.Status != track.ExecutionOK:
		return fmt.Sprintf("status %s: no score", a.Status)
	case a.Score == nil:
		return "no score: too little could be measured"
	case a.Rubric == track.RubricOwn:
		return gradedScore(*a.Score, a.Grade) + ": your own, instead of the rubric's"
	case IsGiven(a.Rubric):
		return fmt.Sprintf("%s: by %s, instead of the rubric's", gradedScore(*a.Score, a.Grade), a.Rubric)
	}
	text := fmt.Sprintf("score %s, grade %s (%s) by %s", scoreText(*a.Score), a.Grade, rubric.Grade(a.Grade).Action(), a.Rubric)
	if a.MeasuredShare < 0.995 {
		text += fmt.Sprintf(", of which %s could be measured", format.Percent(a.MeasuredShare))
	}
	return text
}

func (a ExecutionReceipt) Tables() []Table {
	var score rubric.Score
	_ = json.Unmarshal(a.Detail, &score) // an answer that says nothing has no components
	t := componentTable(score.Components)
	t.HiddenIfEmpty = true
	if IsGiven(a.Rubric) { // people asked for no other score
		t.ForPrograms = true
		return []Table{t}
	}
	for _, w := range a.Warnings {
		t.Notes = append(t.Notes, Sentence{Kind: Warning, Text: "note: " + w.Message()})
	}
	return []Table{t}
}

// SeedReceipt says what became of a seed that was recorded, and how it was judged.
type SeedReceipt struct {
	Scenario      string                      `json:"scenario"`
	Seed          track.SeedNumber            `json:"seed"`
	Disposition   track.Disposition           `json:"disposition"`
	Outcome       track.Outcome               `json:"outcome"`
	Configuration track.RecordedConfiguration `json:"configuration"`
	SpecVersion   *int                        `json:"spec_version"` // nil if the seed was not judged
	Status        scoring.Status              `json:"status,omitempty"`
	TotalScore    *float64                    `json:"total_score"`
	NPass         int                         `json:"n_pass"`
	NWarn         int                         `json:"n_warn"`
	NFail         int                         `json:"n_fail"`
	Failed        []string                    `json:"failed"`  // metrics
	Reasons       []string                    `json:"reasons"` // why, for each of Failed; empty for a value that misses its target
	Unknown       []string                    `json:"unknown"` // values that the spec does not know: they are stored
	Artifacts     []SeedArtifact              `json:"artifacts,omitempty"`
	Suspicions    `json:",embed"`
}

func (a SeedReceipt) Lead() []Sentence {
	list := []Sentence{{Kind: Heading, Text: a.heading()}}
	add := func(text string) { list = append(list, Sentence{Kind: Note, Joined: true, Text: text}) }
	if len(a.Failed) > 0 {
		failed := make([]string, len(a.Failed))
		for i, name := range a.Failed {
			if failed[i] = name; i < len(a.Reasons) && a.Reasons[i] != "" {
				failed[i] += " " + a.Reasons[i]
			}
		}
		add("failed: " + strings.Join(failed, ", "))
	}
	if len(a.Unknown) > 0 && a.SpecVersion != nil {
		add("not in the spec, stored but not scored: " + strings.Join(a.Unknown, ", "))
	}
	if len(a.Artifacts) > 0 && a.Disposition != track.Duplicate {
		add("files: " + artifactsText(a.Artifacts))
	}
	return append(list, a.Suspicions.Warnings()...)
}

func (a SeedReceipt) heading() string {
	text := fmt.Sprintf("%s seed %s of %s", a.Disposition, a.Seed, a.Scenario)
	switch {
	case a.Disposition == track.Duplicate:
		return fmt.Sprintf("seed %s of %s is already recorded", a.Seed, a.Scenario)
	case a.Outcome != track.OutcomeOK:
		return text + fmt.Sprintf(" as failed (%s)", a.Outcome)
	case a.SpecVersion == nil:
		return text + "; it is scored when the scenario gets a spec"
	}
	score := "-"
	if a.TotalScore != nil {
		score = format.Four(*a.TotalScore)
	}
	return text + fmt.Sprintf(": %s, score %s, %d PASS %d WARN %d FAIL under spec version %d", a.Status, score, a.NPass, a.NWarn, a.NFail, *a.SpecVersion)
}

func (a SeedReceipt) Tables() []Table {
	return []Table{{
		Name: "seed", ForPrograms: true, Columns: columns("scenario", "seed", "disposition", "status", "total_score", "n_pass", "n_warn", "n_fail"),
		Rows: [][]any{{a.Scenario, a.Seed, string(a.Disposition), string(a.Status), a.TotalScore, a.NPass, a.NWarn, a.NFail}},
	}}
}
