package exchange

import (
	"cmp"
	"context"
	"errors"
	"track"
	"track/evolution"
	"track/importer"
	"track/tracker/lineages"
)

// step records the mutation that led to a program.
func (w *programsWriter) step(ctx context.Context, p importer.Program, label string, parents []evolution.VersionRef, births []string) error {
	child, err := lineages.VersionRef(ctx, w.tx.Reader, w.Lineage, label)
	if err != nil {
		return err
	}
	proposal := evolution.Proposal{
		Mutation: p.ID, Named: true, Parents: parents, ParentMutations: births, Child: child, Operator: cmp.Or(p.Operator, "unknown"), Risk: evolution.Medium, Source: w.options.Source, Inferred: p.Inferred,
	}
	known, err := lineages.FindProposed(ctx, w.tx.Reader, w.Lineage, proposal)
	switch {
	case errors.Is(err, track.ErrConflict):
		w.summary.Conflicts = append(w.summary.Conflicts, p.ID)
		delete(w.births, p.ID)
		return nil
	case err != nil || known != nil:
		return err
	}
	proposal.Note, _ = w.executions.Texts().Text(p.Title)
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
		Lineage: w.Name, Version: label, Source: w.options.Source, Key: p.ID, Task: taskEvaluation, Status: track.ExecutionOK, Message: p.Message, StartedAt: p.At, Truths: p.Metrics,
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
		score := w.score(*p.Score)
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
	w.answers = append(w.answers, answerOf(kindExecution, result.Disposition, nil))
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
