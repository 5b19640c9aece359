package main

import (
	"fmt"
	"strings"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/formats"
	"track/scoring/format"
	"track/tracker/exchange"
)

// importDocument is the answer of track import.
type importDocument struct {
	DryRun              bool            `json:"dry_run"`
	Files               int             `json:"files"`
	Executions          int             `json:"executions"`
	Replaced            int             `json:"replaced"`
	Duplicates          int             `json:"duplicates"`
	Conflicts           int             `json:"conflicts"`
	Early               int             `json:"before_since"`
	Subagents           int             `json:"subagents"`
	Calls               int             `json:"calls"`
	FailedCalls         int             `json:"failed_calls"`
	Masked              int             `json:"n_masked"`
	Versions            int             `json:"versions"`
	Events              int             `json:"events"`
	Tokens              track.Tokens    `json:"tokens"`
	Skipped             []importProblem `json:"skipped"`
	SkippedOmitted      int             `json:"skipped_omitted,omitzero"` // beyond answer.MaxProblems; all of them went to standard error
	SkippedFiles        []skippedFile   `json:"skipped_files"`
	SkippedFilesOmitted int             `json:"skipped_files_omitted,omitzero"`
	Refused             int             `json:"-"` // files that were named, and are not of the format
	nSkipped            int
}

type importProblem struct {
	File   string `json:"file"`
	Line   *int   `json:"line"` // null where the source has no lines
	Reason string `json:"reason"`
}

type skippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func newImportDocument(sources []formats.Source, dryRun bool) *importDocument {
	d := &importDocument{DryRun: dryRun, Skipped: []importProblem{}, SkippedFiles: []skippedFile{}}
	for _, s := range sources {
		d.Files += s.Files
	}
	return d
}

func (d *importDocument) skip(s importer.Skip) {
	if len(d.Skipped) == answer.MaxProblems {
		d.SkippedOmitted++
		return
	}
	problem := importProblem{File: s.File, Reason: s.Reason}
	if s.Field != "" {
		problem.Reason = s.Field + ": " + s.Reason
	}
	if s.Line > 0 {
		problem.Line = &s.Line
	}
	d.Skipped = append(d.Skipped, problem)
}

func (d *importDocument) pass(other formats.Passed) {
	if len(d.SkippedFiles) == answer.MaxProblems {
		d.SkippedFilesOmitted++
		return
	}
	d.SkippedFiles = append(d.SkippedFiles, skippedFile{other.Path, reasonOf(other.Path, other.Err)})
}

// someFiles names the first of the files that were left alone.
func (d *importDocument) someFiles() string {
	const named = 3
	var names []string
	for _, f := range d.SkippedFiles[:min(named, len(d.SkippedFiles))] {
		names = append(names, f.File)
	}
	if more := len(d.SkippedFiles) + d.SkippedFilesOmitted - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more (--format json names them all)", more))
	}
	return strings.Join(names, ", ")
}

func (d *importDocument) count(s exchange.ImportSummary) {
	d.Executions, d.Replaced, d.Duplicates, d.Conflicts, d.Early = s.Executions, s.Replaced, s.Duplicates, s.Conflicts, s.Early
	d.Subagents, d.Calls, d.FailedCalls, d.Masked, d.Versions, d.Events = s.Subagents, s.Calls, s.Failed, s.Masked, s.Versions, s.Events
	d.Tokens, d.nSkipped = s.Tokens, s.Skipped+d.Refused
}

func (d *importDocument) view() view {
	verb := ""
	if d.DryRun {
		verb = "dry run, nothing recorded: "
	}
	line := fmt.Sprintf("%s%s: %s, %d duplicate, %d conflicting, %d skipped", verb, format.Counted(d.Files, "file"), format.Counted(d.Executions, "execution"), d.Duplicates, d.Conflicts, d.nSkipped)
	if d.Replaced > 0 {
		line += fmt.Sprintf(", %d completed", d.Replaced)
	}
	if d.Early > 0 {
		line += fmt.Sprintf(", %d before --since", d.Early)
	}
	line += fmt.Sprintf("\n%s, %d failed", format.Counted(d.Calls, "tool call"), d.FailedCalls)
	if d.Subagents > 0 {
		line += fmt.Sprintf("; %s of subagents", format.Counted(d.Subagents, "execution"))
	}
	if d.Versions > 0 {
		line += "; " + format.Counted(d.Versions, "version")
	}
	if d.Masked > 0 {
		line += fmt.Sprintf("; %s masked", format.Counted(d.Masked, "secret"))
	}
	return view{
		document: d,
		rows: grid{
			columns: []string{"files", "executions", "replaced", "duplicates", "conflicts", "before_since", "subagents", "calls", "failed_calls", "versions", "skipped"},
			cells: [][]any{{
				d.Files, d.Executions, d.Replaced, d.Duplicates, d.Conflicts, d.Early, d.Subagents, d.Calls, d.FailedCalls, d.Versions, d.nSkipped,
			}},
		},
		page: []any{line},
	}
}

func (d *importDocument) verdict() error {
	switch {
	case d.nSkipped > 0:
		err := fmt.Errorf("import: %w: %s left out", track.ErrInvalid, format.Counted(d.nSkipped, "damaged or unreadable part"))
		return track.WithHint(err, track.Hint{Text: "everything whole is recorded; importing again adds only what is new"})
	case d.Conflicts > 0:
		err := fmt.Errorf("import: %w: %s recorded with other content before", track.ErrConflict, format.Counted(d.Conflicts, "part"))
		return track.WithHint(err, track.Hint{Text: "the log was changed since, or another --version was given; what is recorded stands"})
	}
	return nil
}
