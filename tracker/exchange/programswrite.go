package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"track"
	"track/answer"
	"track/evolution"
	"track/importer"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

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
	summary    answer.ImportedPrograms
	answers    []Answer
}

func (w *programsWriter) checkScores() error {
	for _, p := range w.run.Programs {
		if p.Score == nil {
			continue
		}
		if score := *p.Score * w.options.Scale; !(score >= 0 && score <= 100) {
			err := fmt.Errorf("%w: %s", track.ErrInvalid, (&track.FieldError{File: p.File, Line: p.Line, Field: "score", Message: fmt.Sprintf("%v times %v is not from 0 to 100", *p.Score, w.options.Scale)}).Error())
			return track.WithHint(err, track.Hint{Text: "name the number that makes scores 0 to 100", Args: []track.HintArg{{Name: "scale", Value: "NUMBER"}}})
		}
	}
	return nil
}

func (*programsWriter) needs() Rights { return BringFacts | bringLedgers }
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
	return w.executions.Texts().Text(p.Content)
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

// parentsOf returns the versions that a program was made of. Of a parent that the source has lost, only the id is
// known.
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

// describe stores the source's description of a version, if it has none yet.
func (w *programsWriter) describe(p importer.Program, label string, parents []evolution.VersionRef) error {
	status := p.Failed
	if p.Best {
		status = strings.Trim("best, "+status, ", ")
	}
	note, masked := w.executions.Texts().Text(p.Title)
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
