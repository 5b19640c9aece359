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
		Mutation: p.ID, Named: true, Parents: parents, ParentMutations: births, Child: child, Operator: cmp.Or(p.Operator, "unknown"), Risk: evolution.Medium, Source: w.options.Source,
		Origin: w.origin(evolution.Origin{Generation: p.Generation, Iteration: p.Iteration, Island: p.Island, Cell: p.Cell, Feedback: p.Feedback, Digest: p.Digest}),
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
	proposal.Note, _ = w.executions.Texts().Text(cmp.Or(p.Title, noteOf(w.run.Minibatches[p.ID])))
	at := p.At
	if at.IsZero() {
		at = w.options.At
	}
	if _, _, err = lineages.AddMutation(ctx, w.tx, &w.Lineage, proposal, at); err == nil {
		w.summary.Mutations++
	}
	return err
}

// origin returns what the source says about a mutation; nil if it says nothing.
func (w *programsWriter) origin(o evolution.Origin) *evolution.Origin {
	o.Feedback, _ = w.executions.Texts().Text(o.Feedback)
	if o == (evolution.Origin{}) {
		return nil
	}
	return &o
}
