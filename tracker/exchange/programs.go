package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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
func ImportPrograms(ctx context.Context, st *store.Store, run importer.Run, o ProgramsOptions, entropy io.Reader) (s ProgramsSummary, err error) {
	w := programsWriter{options: o, run: run, labels: map[string]string{}, executions: agents.NewRecorder(st, agents.Options{ContentKeys: true}, entropy)}
	if err := w.check(); err != nil {
		return s, err
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		if err := w.begin(ctx, tx, entropy); err != nil {
			return err
		}
		for _, p := range run.Programs {
			if err := w.program(ctx, p); err != nil {
				return fmt.Errorf("program %s: %w", p.ID, err)
			}
		}
		w.summary.Head = w.Head
		if o.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return w.summary, err
}

// errDryRun rolls a transaction back.
var errDryRun = errors.New("dry run")

type programsWriter struct {
	lineages.Lineage
	tx         *store.Tx
	options    ProgramsOptions
	run        importer.Run
	labels     map[string]string // of versions, by the id of the program
	seen       map[string]bool   // labels that a program of this run has
	executions *agents.Recorder
	summary    ProgramsSummary
}

func (w *programsWriter) check() error {
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

// begin loads the lineage, or begins it with the first program that has no parent.
func (w *programsWriter) begin(ctx context.Context, tx *store.Tx, entropy io.Reader) (err error) {
	w.seen, w.tx = map[string]bool{}, tx
	w.Lineage, err = lineages.Load(ctx, tx.Reader, w.options.Lineage)
	if errors.Is(err, track.ErrNotFound) {
		w.Lineage, err = w.create(ctx, entropy)
		w.summary.Created = err == nil
	}
	return err
}

func (w *programsWriter) create(ctx context.Context, entropy io.Reader) (lineages.Lineage, error) {
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
	return lineages.Create(ctx, w.tx, o, entropy)
}

func (w *programsWriter) content(p importer.Program) (content string, masked int) {
	if w.options.KeepSecrets {
		return p.Content, 0
	}
	return masking.Mask(p.Content)
}

// program records one program.
func (w *programsWriter) program(ctx context.Context, p importer.Program) error {
	content, masked := w.content(p)
	label, added, err := w.tx.AddContent(w.ID, content)
	if err != nil {
		return err
	}
	w.summary.Masked += masked
	if added {
		w.summary.Versions++
	}
	if w.seen[label] {
		w.summary.SameContent++
	}
	w.seen[label], w.labels[p.ID] = true, label
	if p.Best {
		w.best(p, label)
	}
	parents, err := w.parentsOf(ctx, p)
	if err != nil {
		return err
	}
	if err := w.describe(p, label, parents); err != nil {
		return err
	}
	if len(parents) > 0 {
		if err := w.step(ctx, p, label, parents); err != nil {
			return err
		}
	}
	return w.evaluation(ctx, p, label)
}

func (w *programsWriter) best(p importer.Program, label string) {
	name := label + " (" + p.ID + ")"
	w.summary.Best = append(w.summary.Best, name)
	if p.Failed != "" {
		w.summary.BestFailed = append(w.summary.BestFailed, name+": "+p.Failed)
	}
}

// parentsOf are the versions that a program was made of. A parent that the source has lost is a version of which only the id is known.
func (w *programsWriter) parentsOf(ctx context.Context, p importer.Program) (refs []evolution.VersionRef, err error) {
	for _, id := range p.Parents {
		label, there := w.labels[id]
		if !there {
			label = id
			if err := track.CheckName(id); err != nil {
				return nil, &track.FieldError{File: p.File, Line: p.Line, Field: "parent", Message: err.Error()}
			}
			if err := w.tx.AddVersionName(w.ID, label); err != nil {
				return nil, err
			}
			w.labels[id] = label
			w.summary.Lost++
		}
		if slices.ContainsFunc(refs, func(v evolution.VersionRef) bool { return v.Label == label }) {
			continue // two parents of one content
		}
		ref, err := lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label)
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// describe stores what the source says of a version, where nothing is known of it yet.
func (w *programsWriter) describe(p importer.Program, label string, parents []evolution.VersionRef) error {
	status := p.Failed
	if p.Best {
		status = strings.Trim("best, "+status, ", ")
	}
	note, masked := masking.Mask(p.Title)
	w.summary.Masked += masked
	v := track.Version{
		Lineage: w.Name, Name: label, Operator: p.Operator, Status: status, Note: note, Source: w.options.Source, SourceScore: cmp.Or(p.Score, p.Partial), CreatedAt: p.At,
	}
	if len(parents) > 0 && parents[0].Label != label {
		v.Parent = parents[0].Label
	}
	if err := v.Validate(); err != nil {
		return err
	}
	_, err := w.tx.AddVersion(v, true)
	return err
}

// step records the mutation that led to a program.
func (w *programsWriter) step(ctx context.Context, p importer.Program, label string, parents []evolution.VersionRef) error {
	child, err := lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label)
	if err != nil {
		return err
	}
	proposal := evolution.Proposal{
		Mutation: p.ID, Named: true, Parents: parents, Child: child, Operator: cmp.Or(p.Operator, "unknown"), Risk: evolution.Medium, Source: w.options.Source, Inferred: p.Inferred,
	}
	known, err := lineages.FindProposed(ctx, w.tx.Reader, w.Lineage, proposal)
	switch {
	case errors.Is(err, track.ErrConflict):
		w.summary.Conflicts = append(w.summary.Conflicts, p.ID)
		return nil
	case err != nil || known != nil:
		return err
	}
	proposal.Note, _ = masking.Mask(p.Title)
	at := p.At
	if at.IsZero() {
		at = w.options.At
	}
	if _, _, err = lineages.AddMutation(ctx, w.tx, &w.Lineage, proposal, at); err == nil {
		w.summary.Mutations++
	}
	return err
}

// evaluation records what the source measured of a program as an execution.
func (w *programsWriter) evaluation(ctx context.Context, p importer.Program, label string) error {
	e := track.Execution{
		Lineage: w.Name, Version: label, Source: w.options.Source, Key: p.ID, Task: TaskEvaluation, Status: track.ExecutionOK, Message: p.Message, StartedAt: p.At, Truths: p.Metrics,
	}
	switch p.Failed {
	case "":
	case importer.FailedTimeout:
		e.Status = track.ExecutionTimeout
	case importer.FailedInvalid:
		e.Status = track.ExecutionInvalid
	default:
		e.Status = track.ExecutionError
	}
	if p.Score != nil {
		score := *p.Score * w.options.Scale
		e.Score = &score
	}
	prepared, err := w.executions.Identify(e, false)
	if err != nil {
		return err
	}
	if err := w.executions.Complete(&prepared, false); err != nil {
		return err
	}
	result, err := w.executions.Add(ctx, w.tx, prepared)
	switch {
	case err != nil:
		return err
	case result.Disposition == track.Duplicate:
		w.summary.Duplicates++
	case result.Disposition == track.Conflict:
		w.summary.Conflicts = append(w.summary.Conflicts, p.ID)
	default:
		w.summary.Executions++
		if p.Failed != "" {
			w.summary.Failed++
		}
	}
	return nil
}
