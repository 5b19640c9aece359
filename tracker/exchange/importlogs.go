package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/formats"
	"track/scoring/format"
	"track/store"
)

// Logs are files with executions of agents, in any format that track reads.
type Logs struct {
	sources []formats.Source
	passed  []formats.Passed // that are left alone
}

// Ended returns the logs that were last written before a time, and the others by their paths. A stream has ended.
func (l Logs) Ended(before time.Time) (ended Logs, growing []string) {
	ended.passed = l.passed
	for _, source := range l.sources {
		if info, err := os.Stat(source.Path); err == nil && !info.ModTime().Before(before) {
			growing = append(growing, source.Path)
			continue
		}
		ended.sources = append(ended.sources, source)
	}
	return ended, growing
}

// LogStream is a stream of a log.
type LogStream struct {
	Name string // for people
	In   io.Reader
}

// FindLogs finds the logs of a format, or of all formats if it is empty, in streams and paths.
func FindLogs(name string, streams []LogStream, paths []string) (l Logs, err error) {
	for _, s := range streams {
		source, err := formats.CheckStream(name, s.Name, s.In)
		if err != nil {
			return l, err
		}
		l.sources = append(l.sources, source)
	}
	found, passed, err := formats.Find(name, paths)
	if err != nil {
		return l, err
	}
	l.passed = passed
	if l.sources = append(l.sources, found...); len(l.sources) > 0 {
		return l, nil
	}
	for _, other := range passed { // nothing can be imported, and this is why
		if other.Named {
			return l, other.Err
		}
	}
	if len(passed) > 0 {
		err := fmt.Errorf("%w: %s in %s, and none is of a format that track reads", track.ErrInvalid, format.Counted(len(passed), "file"), listPaths(paths))
		return l, track.WithHint(err, track.Hint{Text: "formats: " + strings.Join(formats.Names(), ", ")})
	}
	if name == "" && len(paths) > 0 {
		err := fmt.Errorf("no file in %s: %w", listPaths(paths), track.ErrNotFound)
		return l, track.WithHint(err, track.Hint{Text: "formats: " + strings.Join(formats.Names(), ", ")})
	}
	if len(paths) > 0 {
		err := fmt.Errorf("no file of format %s in %s: %w", name, listPaths(paths), track.ErrNotFound)
		return l, track.WithHint(err, track.NewHint("import files of every format that track knows", "import auto").With("lineage", "NAME"))
	}
	return l, nil
}

// listPaths lists the first paths.
func listPaths(paths []string) string {
	const most = 3
	if len(paths) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
	}
	return strings.Join(paths, ", ")
}

// Size returns the bytes of the files.
func (l Logs) Size() (n int64) {
	for _, s := range l.sources {
		n += s.Size
	}
	return n
}

// NameLineages reports whether all executions name their lineage themselves.
func (l Logs) NameLineages() bool {
	return !slices.ContainsFunc(l.sources, func(s formats.Source) bool { return s.Format != importer.JSONL })
}

// LogObserver is called while logs are imported.
type LogObserver struct {
	Problem  func(importer.Skip)
	Read     func(bytes int)
	Progress func(executions int)
}

// ImportLogs records the executions of logs. st may be nil in a dry run. The answer counts what was recorded, also
// beside an error.
func ImportLogs(ctx context.Context, st *store.Store, l Logs, o ImportOptions, entropy io.Reader, observer LogObserver) (a answer.Imported, err error) {
	a = answer.Imported{DryRun: o.DryRun, Problems: []answer.ImportProblem{}, SkippedFiles: []answer.SkippedFile{}}
	for _, s := range l.sources {
		a.Files += s.Files
	}
	list := func(problem importer.Skip) {
		observer.Problem(problem)
		a.AddProblem(answerOfSkip(problem))
	}
	refused := 0 // files that were named, and are not of the format
	for _, other := range l.passed {
		if other.Named {
			refused++
			list(skipFile(other.Path, other.Err))
		} else {
			a.AddSkippedFile(answer.SkippedFile{File: other.Path, Reason: withoutPath(other.Path, other.Err)})
		}
	}
	a.ImportCounts, err = Import(ctx, st, l.items(observer.Read), o, entropy, ImportObserver{Skip: list, Conflict: list, Progress: observer.Progress})
	a.Skipped += refused
	if errors.Is(err, context.Canceled) {
		err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
	}
	if err != nil {
		err = fmt.Errorf("import: %w; recorded before that: %s", err, format.Counted(a.Executions+a.Replaced, "execution"))
	}
	return a, err
}

// items reads one source after the other. One that cannot be read further is skipped, and the next is read.
func (l Logs) items(count func(n int)) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		for _, source := range l.sources {
			for item, err := range source.Read(count) {
				if err != nil {
					skip := skipFile(source.Path, err)
					skip.Line, skip.Ends = item.Line, true
					item = importer.Item{File: source.Path, Line: item.Line, Skip: &skip}
				}
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// skipFile says why a whole file was left out, and what would help.
func skipFile(path string, err error) importer.Skip {
	skip := importer.Skip{File: path, Reason: withoutPath(path, err)}
	if hints := track.Hints(err); len(hints) > 0 {
		skip.Hint = &hints[0]
	}
	return skip
}

// withoutPath returns the text of an error without the name of the file.
func withoutPath(path string, err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "read "), path+": ")
}

func answerOfSkip(s importer.Skip) answer.ImportProblem {
	problem := answer.ImportProblem{File: s.File, Reason: s.Reason, Hint: s.Hint}
	if s.Field != "" {
		problem.Reason = s.Field + ": " + s.Reason
	}
	if s.Line > 0 {
		problem.Line = &s.Line
	}
	return problem
}

// ImportError returns an error that says what an import left out; nil for nothing.
func ImportError(a answer.Imported) error {
	switch {
	case a.Skipped > 0:
		err := fmt.Errorf("import: %w: %s left out", track.ErrInvalid, format.Counted(a.Skipped, "damaged or unreadable part"))
		return track.WithHint(err, track.Hint{Text: "everything whole is recorded; importing again adds only what is new"})
	case a.Conflicts > 0:
		err := fmt.Errorf("import: %w: %s recorded with other content before", track.ErrConflict, format.Counted(a.Conflicts, "part"))
		return track.WithHint(err, track.Hint{Text: "the log was changed since, or another version was named; what is recorded stays"})
	}
	return nil
}
