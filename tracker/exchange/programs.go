package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/dgm"
	"track/importer/gepa"
	"track/importer/openevolve"
	"track/importer/shinka"
	"track/scoring/format"
	"track/store"
	"track/tracker/agents"
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
