package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
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
	births     map[string]string // ids of programs that a mutation made, by their own ids
	first      map[string]string // id of the first program of a version that is new here, by the label
	seen       map[string]bool   // labels that a program of this run has
	tasks      map[string]bool   // with a score of their own
	entropy    io.Reader
	executions *agents.Recorder
	summary    answer.ImportedPrograms
	answers    []Answer
}

func (*programsWriter) needs() (Rights, string) { return Owner, "lineage" }
func (*programsWriter) isKnown() bool           { return false }

// settle records all programs. In a dry run it does so in a transaction that is rolled back.
func (w *programsWriter) settle(ctx context.Context, d *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	if tx == nil {
		err = d.try(ctx, func(tx *store.Tx) error { return w.write(ctx, d, tx) })
	} else {
		err = w.write(ctx, d, tx)
	}
	return w.answers, err
}

func (w *programsWriter) write(ctx context.Context, d *Door, tx *store.Tx) error {
	w.summary, w.answers = newImportedPrograms(w.run, w.options), nil
	if _, err := d.names.Lineage(ctx, tx.Reader, w.options.Lineage); err != nil { // which warns
		return err
	}
	if err := w.begin(ctx, tx); err != nil {
		return err
	}
	if err := w.checkScores(); err != nil {
		return err
	}
	rejected := slices.SortedStableFunc(slices.Values(w.run.Rejected), func(a, b importer.RejectedProgram) int { return cmp.Compare(a.Iteration, b.Iteration) })
	for _, p := range w.run.Programs {
		if p.Iteration != nil { // in the order of the proposals
			var err error
			if rejected, err = w.rejectedBefore(ctx, *p.Iteration, rejected); err != nil {
				return err
			}
		}
		if len(p.Parents) > 0 {
			w.births[p.ID] = p.ID
		}
		if err := w.program(ctx, p); err != nil {
			return fmt.Errorf("program %s: %w", p.ID, err)
		}
	}
	if _, err := w.rejectedBefore(ctx, math.MaxInt, rejected); err != nil {
		return err
	}
	if err := w.follow(ctx); err != nil {
		return err
	}
	w.summary.Head, w.summary.Tasks = w.Head, len(w.tasks)
	return nil
}

// begin stores the contents, and loads the lineage or begins it with the best program.
func (w *programsWriter) begin(ctx context.Context, tx *store.Tx) (err error) {
	w.seen, w.labels, w.births, w.first, w.tasks, w.tx = map[string]bool{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]bool{}, tx
	w.Lineage, err = lineages.Load(ctx, tx.Reader, w.options.Lineage)
	if err == nil {
		if err = w.versions(); err == nil && w.isOther() {
			err = fmt.Errorf("%w: lineage %s holds another run: it has the content of no program of this one", track.ErrConflict, w.Name)
			err = track.WithHint(err, track.Hint{Text: "import the run into a lineage of its own"}.With("lineage", "NAME"))
		}
		return err
	}
	if !errors.Is(err, track.ErrNotFound) {
		return err
	}
	if w.Evolving, err = tx.Evolve(w.options.Lineage, 0, lineages.SubjectAgent); err == nil {
		err = w.versions()
	}
	if err == nil {
		w.Lineage, err = w.create(ctx)
		w.summary.Created = err == nil
	}
	return err
}

// isOther reports whether the lineage has mutations, and the content of no program of the run.
func (w *programsWriter) isOther() bool {
	return w.End.Number > 1 && !slices.ContainsFunc(w.run.Programs, func(p importer.Program) bool {
		return p.Content == "" || w.first[w.labels[p.ID]] == ""
	})
}

// versions stores the contents of the programs.
func (w *programsWriter) versions() error {
	for _, p := range w.run.Programs {
		if p.Content == "" {
			if err := w.nameVersion(p); err != nil {
				return err
			}
			continue
		}
		content, masked := w.content(p)
		label, added, err := w.tx.AddContent(w.ID, content)
		if err != nil {
			return fmt.Errorf("program %s: %w", p.ID, err)
		}
		w.summary.Masked += masked
		if added {
			w.first[label] = p.ID
			w.summary.Versions++
		}
		if w.seen[label] {
			w.summary.SameContent++
		}
		w.seen[label], w.labels[p.ID] = true, label
	}
	return nil
}

// nameVersion stores a version of which the source has no content: under its digest, if there is one, else its id.
func (w *programsWriter) nameVersion(p importer.Program) error {
	label := p.ID
	if p.Digest != "" {
		label = "sha256:" + p.Digest
	}
	if w.seen[label] {
		w.summary.SameContent++
	} else if w.first[label] = p.ID; w.summary.Created {
		w.summary.Versions++
	}
	w.seen[label], w.labels[p.ID] = true, label
	return w.tx.AddVersionName(w.ID, label)
}

// create begins the ledger. The best program is active; without one, nothing is.
func (w *programsWriter) create(ctx context.Context) (lineages.Lineage, error) {
	o := lineages.NewOptions{
		Name: w.options.Lineage, Subject: lineages.SubjectAgent, Settings: w.settings(), Seed: w.options.Seed, At: w.options.At, Headless: true,
		Source: w.options.Source,
	}
	if best := w.bestProgram(); best != nil {
		o.Head = w.labels[best.ID]
		if len(best.Parents) > 0 {
			o.HeadMutation = best.ID
		}
	}
	if first := w.run.Programs[0].At; !first.IsZero() {
		o.At = first
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
	label := w.labels[p.ID]
	if p.Best {
		w.best(p, label)
	}
	parents, births, err := w.parentsOf(ctx, p)
	if err != nil {
		return err
	}
	if err := w.describe(p, label, parents); err != nil {
		return err
	}
	if len(parents) > 0 {
		if err := w.step(ctx, p, label, parents, births); err != nil {
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

// parentsOf returns the versions that a program was made of, and the mutations that made them. Of a parent that the
// source has lost, only the id is known.
func (w *programsWriter) parentsOf(ctx context.Context, p importer.Program) (refs []evolution.VersionRef, births []string, err error) {
	for _, id := range p.Parents {
		label, there := w.labels[id]
		if !there {
			label = id
			if err := track.CheckName(id); err != nil {
				return nil, nil, &track.FieldError{File: p.File, Line: p.Line, Field: "parent", Message: err.Error()}
			}
			if err := w.tx.AddVersionName(w.ID, label); err != nil {
				return nil, nil, err
			}
			w.labels[id] = label
		}
		if slices.ContainsFunc(refs, func(v evolution.VersionRef) bool { return v.Label == label }) {
			continue // two parents of one content
		}
		ref, err := lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label)
		if err != nil {
			return nil, nil, err
		}
		refs, births = append(refs, ref), append(births, w.births[id])
	}
	return refs, births, nil
}

// describe stores the source's description of a version: that of the first program with this content, and whether any
// of them is the best.
func (w *programsWriter) describe(p importer.Program, label string, parents []evolution.VersionRef) error {
	v := track.Version{Lineage: w.Name, Name: label}
	if w.first[label] == p.ID {
		note, masked := w.executions.Texts().Text(p.Title)
		w.summary.Masked += masked
		v.Operator, v.Status, v.Note, v.Source, v.SourceScore, v.CreatedAt = p.Operator, p.Failed, note, w.options.Source, cmp.Or(p.Score, p.Partial), p.At
		if len(parents) > 0 && parents[0].Label != label {
			v.Parent = parents[0].Label
		}
	}
	if p.Best {
		v.Status = strings.Trim("best, "+p.Failed, ", ")
	}
	if err := v.Validate(); err != nil {
		return err
	}
	_, err := w.tx.AddVersion(v, !p.Best)
	return err
}
