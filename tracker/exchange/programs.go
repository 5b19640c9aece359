package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer"
	"track/internal/masking"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// TaskEvaluation is the task of the execution that stands for the evaluation of a program by another evolver.
const TaskEvaluation = "evaluation"

// ProgramsOptions say how a run of another evolver is recorded.
type ProgramsOptions struct {
	Lineage     string
	Source      string  // format that it was read from
	Scale       float64 // a score times this is from 0 to 100
	KeepSecrets bool    // keep contents as they are; else what looks like a secret is masked
	DryRun      bool
	Seed        *uint64   // of a lineage that is new; nil for one of entropy
	At          time.Time // of what the run has no time of; zero for now
}

// ProgramsSummary counts what became of the programs of a run.
type ProgramsSummary struct {
	Versions    int // whose content was new
	SameContent int // programs with the content of another program: they are one version, with an evaluation each
	Mutations   int // recorded; programs without a parent are none
	Executions  int // evaluations recorded
	Failed      int // of them, without a score
	Duplicates  int // programs that were recorded before
	Conflicts   []string
	Lost        int // parents that are recorded by their id alone
	Masked      int // secrets
	Best        []string
	BestFailed  []string // programs that the source calls the best, and that failed
	Head        string
	Created     bool // the lineage is new
}

// Answer returns the answer to importing a run.
func (s ProgramsSummary) Answer(run importer.Run, o ProgramsOptions) answer.ImportedPrograms {
	a := answer.ImportedPrograms{
		Lineage: o.Lineage, DryRun: o.DryRun, Created: s.Created, Head: s.Head, Programs: len(run.Programs), Checkpoints: run.Checkpoints,
		Repeated: run.Repeated, Differing: run.Differing, Versions: s.Versions, SameContent: s.SameContent, Mutations: s.Mutations,
		Executions: s.Executions, Failed: s.Failed, Duplicates: s.Duplicates, Conflicts: listOf(s.Conflicts), LostParents: listOf(run.Lost),
		Inferred: run.Inferred, Ambiguous: run.Ambiguous, SecondUnknown: run.SecondUnknown, Masked: s.Masked, Scale: o.Scale, Best: listOf(s.Best),
		BestFailed: listOf(s.BestFailed), LeftOut: run.LeftOut, Skipped: []string{},
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

// ImportPrograms records a run of another evolver in one transaction: a version for each content, a mutation for each step, and the evaluation of each
// program as an execution. Nothing is decided: what the other evolver did with a program is not known. In a dry run nothing stays.
func ImportPrograms(ctx context.Context, st *store.Store, run importer.Run, o ProgramsOptions, entropy io.Reader) (ProgramsSummary, error) {
	w := &programsWriter{
		options: o, run: run, entropy: entropy, executions: agents.NewRecorder(st, agents.Options{ContentKeys: true}, entropy),
	}
	if err := w.checkScores(); err != nil {
		return ProgramsSummary{}, err
	}
	d := NewDoor(st, BringFacts|BringLedgers, o.DryRun)
	_, err := d.Put(ctx, w)
	return w.summary, d.sync(err)
}

// programsWriter writes the programs of a run: a [Record].
type programsWriter struct {
	lineages.Lineage
	tx         *store.Tx
	options    ProgramsOptions
	run        importer.Run
	labels     map[string]string // of versions, by the id of the program
	seen       map[string]bool   // labels that a program of this run has
	entropy    io.Reader
	executions *agents.Recorder
	summary    ProgramsSummary
	answers    []Answer
}

func (w *programsWriter) checkScores() error {
	for _, p := range w.run.Programs {
		if p.Score == nil {
			continue
		}
		if score := *p.Score * w.options.Scale; !(score >= 0 && score <= 100) {
			err := fmt.Errorf("%w: %s", track.ErrInvalid, (&track.FieldError{File: p.File, Line: p.Line, Field: "score", Message: fmt.Sprintf("%v times %v is not from 0 to 100", *p.Score, w.options.Scale)}).Error())
			return track.WithHint(err, track.Hint{Text: "say with --scale by what scores are to be multiplied; nothing was recorded"})
		}
	}
	return nil
}

func (*programsWriter) needs() Rights { return BringFacts | BringLedgers }
func (*programsWriter) isKnown() bool { return false }

// settle records all programs. In a dry run it does so in a transaction that is rolled back.
func (w *programsWriter) settle(ctx context.Context, d *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	if tx == nil {
		err = d.try(ctx, func(tx *store.Tx) error { return w.write(ctx, tx) })
	} else {
		err = w.write(ctx, tx)
	}
	return w.answers, err
}

func (w *programsWriter) write(ctx context.Context, tx *store.Tx) error {
	if err := w.begin(ctx, tx); err != nil {
		return err
	}
	for _, p := range w.run.Programs {
		if err := w.program(ctx, p); err != nil {
			return fmt.Errorf("program %s: %w", p.ID, err)
		}
	}
	w.summary.Head = w.Head
	return nil
}

// begin loads the lineage, or begins it with the first program that has no parent.
func (w *programsWriter) begin(ctx context.Context, tx *store.Tx) (err error) {
	w.seen, w.labels, w.tx = map[string]bool{}, map[string]string{}, tx
	w.Lineage, err = lineages.Load(ctx, tx.Reader, w.options.Lineage)
	if errors.Is(err, track.ErrNotFound) {
		w.Lineage, err = w.create(ctx)
		w.summary.Created = err == nil
	}
	return err
}

func (w *programsWriter) create(ctx context.Context) (lineages.Lineage, error) {
	o := lineages.NewOptions{
		Name: w.options.Lineage, Subject: lineages.SubjectAgent, Settings: evolution.DefaultSettings(), KeepSecrets: true, Seed: w.options.Seed, At: w.options.At,
	}
	if i := slices.IndexFunc(w.run.Programs, func(p importer.Program) bool { return len(p.Parents) == 0 }); i >= 0 {
		content, _ := w.content(w.run.Programs[i])
		o.Root = &content
		w.summary.Versions++
		if first := w.run.Programs[i].At; !first.IsZero() {
			o.At = first
		}
	}
	return lineages.Create(ctx, w.tx, o, w.entropy)
}

func (w *programsWriter) content(p importer.Program) (content string, masked int) {
	if w.options.KeepSecrets {
		return p.Content, 0
	}
	return masking.Mask(p.Content)
}
