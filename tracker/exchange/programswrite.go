package exchange

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"track"
	"track/evolution"
	"track/importer"
	"track/internal/masking"
	"track/tracker/lineages"
)

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
	w.answers = append(w.answers, answerOf(KindExecution, result.Disposition, nil))
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
