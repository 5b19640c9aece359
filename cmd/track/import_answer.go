package main

import (
	"fmt"
	"strings"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/formats"
	"track/scoring/format"
)

func newImported(sources []formats.Source, dryRun bool) answer.Imported {
	a := answer.Imported{DryRun: dryRun, Problems: []answer.ImportProblem{}, SkippedFiles: []answer.SkippedFile{}}
	for _, s := range sources {
		a.Files += s.Files
	}
	return a
}

func importProblem(s importer.Skip) answer.ImportProblem {
	problem := answer.ImportProblem{File: s.File, Reason: s.Reason}
	if s.Field != "" {
		problem.Reason = s.Field + ": " + s.Reason
	}
	if s.Line > 0 {
		problem.Line = &s.Line
	}
	return problem
}

// someFiles names the first of the files that were left alone.
func someFiles(a answer.Imported) string {
	const named = 3
	var names []string
	for _, f := range a.SkippedFiles[:min(named, len(a.SkippedFiles))] {
		names = append(names, f.File)
	}
	if more := len(a.SkippedFiles) + a.SkippedFilesOmitted - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more (--format json names them all)", more))
	}
	return strings.Join(names, ", ")
}

// importError says what an import left out; nil for nothing.
func importError(a answer.Imported) error {
	switch {
	case a.Skipped > 0:
		err := fmt.Errorf("import: %w: %s left out", track.ErrInvalid, format.Counted(a.Skipped, "damaged or unreadable part"))
		return track.WithHint(err, track.Hint{Text: "everything whole is recorded; importing again adds only what is new"})
	case a.Conflicts > 0:
		err := fmt.Errorf("import: %w: %s recorded with other content before", track.ErrConflict, format.Counted(a.Conflicts, "part"))
		return track.WithHint(err, track.Hint{Text: "the log was changed since, or another --version was given; what is recorded stands"})
	}
	return nil
}
