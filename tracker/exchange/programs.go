package exchange

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer"
	"track/importer/dgm"
	"track/importer/gepa"
	"track/importer/openevolve"
	"track/importer/shinka"
	"track/scoring/format"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
	"track/tracker/names"
)

// ProgramsOptions say how a run of another evolver is recorded.
type ProgramsOptions struct {
	Lineage     string
	Source      string   // format that it was read from
	unit        bool     // scores are from 0 to 1
	Scale       *float64 // a score times this is from 0 to 100; nil for scores as they are
	Minimize    bool     // of scores as they are, less is better
	KeepSecrets bool     // keep contents as they are; else what looks like a secret is masked
	DryRun      bool
	Seed        *uint64   // of a lineage that is new; nil for one of entropy
	At          time.Time // of what the run has no time of; zero for now
}

// ProgramFormat is the format of runs of another evolver.
type ProgramFormat struct {
	Name string
	unit bool // scores are from 0 to 1
	read func(path string) (importer.Run, error)
}

// ProgramFormats returns the formats of runs of other evolvers.
func ProgramFormats() []ProgramFormat {
	return []ProgramFormat{{Name: "openevolve", read: openevolve.Read}, {Name: "shinka", read: shinka.Read}, {Name: "gepa", read: gepa.Read}, {Name: "dgm", read: dgm.Read, unit: true}}
}

// ReadPrograms reads the run at path and records it in the database that open opens. problem is called for each part
// that is left out.
func ReadPrograms(ctx context.Context, f ProgramFormat, path string, open func() (*store.Store, error), o ProgramsOptions, entropy io.Reader, problem func(importer.Skip)) (a answer.ImportedPrograms, err error) {
	o.Source, o.unit = f.Name, f.unit
	run, err := f.read(path)
	if err != nil {
		return a, fmt.Errorf("import: %w", err)
	}
	for _, skip := range run.Skips {
		problem(skip)
	}
	st, err := open()
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if a, err = importPrograms(ctx, st, run, o, entropy); err != nil {
		return a, fmt.Errorf("import: %w", err)
	}
	return a, nil
}

// ProgramsError returns an error that says what an import of a run left out; nil for nothing.
func ProgramsError(a answer.ImportedPrograms) error {
	switch {
	case a.LeftOut > 0:
		err := fmt.Errorf("import: %w: %s left out", track.ErrInvalid, format.Counted(a.LeftOut, "damaged part"))
		return track.WithHint(err, track.Hint{Text: "everything whole is recorded; importing again adds only what is new"})
	case len(a.Conflicts) > 0:
		err := fmt.Errorf("import: %w: %s recorded with other content before", track.ErrConflict, format.Counted(len(a.Conflicts), "program"))
		return track.WithHint(err, track.Hint{Text: "the run was changed since, or read with other options; what is recorded stays"})
	}
	return nil
}

// newImportedPrograms returns what is known of a run before it is recorded.
func newImportedPrograms(run importer.Run, o ProgramsOptions) answer.ImportedPrograms {
	a := answer.ImportedPrograms{
		Lineage: o.Lineage, DryRun: o.DryRun, Scale: o.Scale, Programs: len(run.Programs), Checkpoints: run.Checkpoints, Repeated: run.Repeated,
		Differing: run.Differing, LostParents: listOf(run.Lost), Ambiguous: run.Ambiguous, SecondUnknown: run.SecondUnknown,
		LeftOut: run.LeftOut, Rejected: len(run.Rejected), Conflicts: []string{}, Best: []string{}, BestFailed: []string{}, Skipped: []string{},
	}
	for _, skip := range run.Skips {
		a.Skipped = append(a.Skipped, skip.String())
	}
	return a
}

// listOf returns a list that is written as one even if it is empty.
func listOf(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// importPrograms records a run of another evolver in one transaction: a version for each content, a mutation for each
// step, and the evaluation of each program as an execution. Nothing is decided: what the other evolver did with a
// program is not known. In a dry run nothing stays.
func importPrograms(ctx context.Context, st *store.Store, run importer.Run, o ProgramsOptions, entropy io.Reader) (answer.ImportedPrograms, error) {
	w := &programsWriter{
		options: o, run: run, entropy: entropy, executions: agents.NewRecorder(st, agents.Options{ContentKeys: true}, entropy), summary: newImportedPrograms(run, o),
	}
	d := NewDoor(st, Owner, names.New(names.Warn), o.DryRun)
	if s := o.Scale; s != nil && !(*s > 0 && *s <= math.MaxFloat64) {
		return w.summary, &track.FieldError{Field: "scale", Message: fmt.Sprintf("%v is not a finite number above 0", *s)}
	}
	_, err := d.Put(ctx, w)
	w.summary.NearNames = d.names.Found()
	return w.summary, d.sync(err)
}

// deepestRun is how many folders below a path a run may be.
const deepestRun = 3

// FoundRun is a run of another evolver.
type FoundRun struct {
	Format ProgramFormat
	Path   string
}

// FindPrograms finds runs of other evolvers: paths that are one, and folders below them. rest are the paths that are no
// run themselves, in which there may be other logs.
func FindPrograms(paths []string) (runs []FoundRun, rest []string) {
	for _, path := range paths {
		if f, found := programFormat(path); found {
			runs = append(runs, FoundRun{f, path})
			continue
		}
		rest = append(rest, path)
		runs = append(runs, runsBelow(path, deepestRun)...)
	}
	return runs, rest
}

func runsBelow(folder string, depth int) (runs []FoundRun) {
	entries, err := os.ReadDir(folder)
	if err != nil || depth == 0 {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if isFile := !entry.IsDir(); isFile && !slices.Contains([]string{".bin", ".pkl", ".pickle", ".json"}, filepath.Ext(path)) {
			continue // of other files, only those that are named are looked into
		}
		if f, found := programFormat(path); found {
			runs = append(runs, FoundRun{f, path})
		} else {
			runs = append(runs, runsBelow(path, depth-1)...)
		}
	}
	return runs
}

// programFormat returns the format of the run at a path; found is false if there is none.
func programFormat(path string) (f ProgramFormat, found bool) {
	name := ""
	switch has := func(pattern ...string) bool {
		matches, err := filepath.Glob(filepath.Join(append([]string{path}, pattern...)...))
		return err == nil && len(matches) > 0
	}; {
	case filepath.Base(path) == gepa.StateFile, has(gepa.StateFile):
		name = "gepa"
	case has("checkpoint_*", "programs"), has("checkpoints", "checkpoint_*", "programs"), has("programs", "*.json"):
		name = "openevolve"
	case has("programs.jsonl"):
		name = formatOfLines(filepath.Join(path, "programs.jsonl"))
	case filepath.Base(path) == "programs.jsonl":
		name = formatOfLines(path)
	case has("dgm_metadata.jsonl"), has("initial", dgm.MetadataFile), hasAgents(path):
		name = "dgm"
	default:
		name = formatOfFile(path)
	}
	formats := ProgramFormats()
	i := slices.IndexFunc(formats, func(f ProgramFormat) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return formats[i], true
}

// hasAgents reports whether a folder holds a folder for each agent of DGM, even without the first one.
func hasAgents(path string) bool {
	files, err := filepath.Glob(filepath.Join(path, "*", dgm.MetadataFile))
	return err == nil && len(files) > 0 && formatOfFile(files[0]) == "dgm"
}

// formatOfFile returns the format of a run that one file is, whatever its name: a pickle with the candidates of GEPA,
// or the metadata of an agent of DGM; empty for any other file.
func formatOfFile(path string) string {
	const enough = 64 << 10 // the candidates come first in a state; metadata is short
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	begin, err := io.ReadAll(io.LimitReader(file, enough))
	switch {
	case err != nil || len(begin) == 0:
		return ""
	case begin[0] == pickleMark && bytes.Contains(begin, []byte("program_candidates")):
		return "gepa"
	case begin[0] == '{' && bytes.Contains(begin, []byte(`"overall_performance"`)) && bytes.Contains(begin, []byte(`"accuracy_score"`)):
		return "dgm"
	}
	return ""
}

// pickleMark is the first byte of a pickle since its second version: the operation that names the version.
const pickleMark = 0x80

// formatOfLines tells programs of OpenEvolve from those of Shinka by the first line; empty for neither.
func formatOfLines(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	line, _, err := importer.ReadLine(bufio.NewReader(file))
	switch {
	case err != nil && len(line) == 0:
		return ""
	case bytes.Contains(line, []byte(`"patch_type"`)), bytes.Contains(line, []byte(`"correct"`)), bytes.Contains(line, []byte(`"parent_candidates"`)):
		return "shinka"
	case bytes.Contains(line, []byte(`"metrics"`)):
		return "openevolve"
	}
	return ""
}

// settings returns those of a lineage that is new. Unless the caller says what makes scores 0 to 100, they are taken as
// they are.
func (w *programsWriter) settings() evolution.Settings {
	s := evolution.DefaultSettings()
	if w.options.Scale == nil {
		scale := evolution.Scale{}
		if w.options.unit {
			lo, hi := 0.0, 1.0
			scale = evolution.Scale{Lo: &lo, Hi: &hi, Points: 100}
		}
		scale.Minimize = w.options.Minimize
		s = s.WithScale(scale)
	}
	return s
}

// score returns a score of the source as it is recorded.
func (w *programsWriter) score(score float64) float64 {
	if w.options.Scale != nil {
		score *= *w.options.Scale
	}
	return score
}

// checkScores returns an error that names the scores that the lineage cannot have.
func (w *programsWriter) checkScores() error {
	const named = 20
	if w.Settings.Scale != nil {
		return nil
	}
	var offenders []string
	n, scored := 0, 0
	check := func(file string, line int, what string, score *float64) {
		if score == nil {
			return
		}
		scored++
		if value := w.score(*score); value >= 0 && value <= 100 {
			return
		}
		if n++; n <= named {
			where := &track.FieldError{File: file, Line: line, Field: what, Message: fmt.Sprint(*score)}
			offenders = append(offenders, where.Error())
		}
	}
	for _, p := range w.run.Programs {
		check(p.File, p.Line, "score of "+p.ID, p.Score)
		for _, t := range p.Trials {
			check(p.File, p.Line, "score of "+p.ID+" on "+t.Task, t.Score)
		}
	}
	if n == 0 {
		return nil
	}
	if more := n - len(offenders); more > 0 {
		offenders = append(offenders, fmt.Sprintf("and %d more", more))
	}
	times := ""
	if w.options.Scale != nil {
		times = fmt.Sprintf(" times %v", *w.options.Scale)
	}
	err := fmt.Errorf("%w: %d of %s%s not from 0 to 100: %s", track.ErrInvalid, n, format.Counted(scored, "score"), times, strings.Join(offenders, "; "))
	if w.options.Scale != nil {
		return track.WithHint(err, track.Hint{Text: "take scores as they are: leave the scale out, or name the number that makes all of them 0 to 100", Args: []track.HintArg{{Name: "scale", Value: "NUMBER"}}})
	}
	return track.WithHint(err, track.NewHint("let the scores of this lineage be any numbers", "lineage set", w.Name, "scale=unbounded"))
}

// isMinimized reports whether less is better, as the lineage says if it exists.
func (w *programsWriter) isMinimized() bool {
	if w.End.Number > 0 {
		return w.Settings.Scale != nil && w.Settings.Scale.Minimize
	}
	return w.options.Minimize
}

// bestProgram returns the program that the source calls the best, or the one with the best score; nil if no program
// has a score. A program that failed is never the best. All sources take more for better, so what they call the best
// says nothing where less is better.
func (w *programsWriter) bestProgram() (best *importer.Program) {
	minimize := w.isMinimized()
	for i := range w.run.Programs {
		p := &w.run.Programs[i]
		switch {
		case p.Score == nil:
		case p.Best && !minimize:
			return p
		case best == nil, *p.Score > *best.Score != minimize && *p.Score != *best.Score:
			best = p
		}
	}
	return best
}

// follow makes the best program active if a run has a better one than when it was imported before, and nothing but
// imports ever chose the active version. Else the answer names the best program.
func (w *programsWriter) follow(ctx context.Context) error {
	best := w.bestProgram()
	if w.summary.Created || best == nil {
		return nil
	}
	label := w.labels[best.ID]
	better, err := w.isBetterThanHead(ctx, best, label)
	if err != nil || !better {
		return err
	}
	alone, err := lineages.IsLedByImports(ctx, w.tx.Reader, w.Lineage)
	if err != nil {
		return err
	}
	if !alone {
		w.summary.Better = label
		return nil
	}
	adoption := evolution.Adoption{Source: w.options.Source, Score: best.Score}
	if adoption.Version, err = lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label); err != nil {
		return err
	}
	if w.births[best.ID] != "" {
		adoption.VersionMutation = best.ID
	}
	w.summary.HeadBefore = w.Head
	return lineages.Adopt(w.tx, &w.Lineage, adoption, w.options.At)
}

// isBetterThanHead reports whether the best program of the run is better than the active version. If the run has the
// active version no longer, or not yet, the scores decide.
func (w *programsWriter) isBetterThanHead(ctx context.Context, best *importer.Program, label string) (bool, error) {
	if label == w.Head {
		return false, nil
	}
	if w.Head == "" || w.seen[w.Head] {
		return true, nil
	}
	head, err := w.tx.VersionState(ctx, w.Name, w.Head)
	if err != nil || head.SourceScore == nil {
		return false, err
	}
	return *best.Score > *head.SourceScore != w.isMinimized() && *best.Score != *head.SourceScore, nil
}
