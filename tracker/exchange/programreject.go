package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"track"
	"track/evolution"
	"track/importer"
	"track/tracker/lineages"
)

// rejected records a proposal that the source rejected: a mutation to a version without content, which is withdrawn.
func (w *programsWriter) rejected(ctx context.Context, r importer.RejectedProgram) error {
	if err := w.tx.AddVersionName(w.ID, r.ID); err != nil {
		return err
	}
	parents, births, err := w.parentsOf(ctx, importer.Program{ID: r.ID, Parents: r.Parents})
	if err != nil {
		return err
	}
	batch := *cmp.Or(r.Minibatch, new(importer.Minibatch))
	proposal := evolution.Proposal{
		Mutation: r.ID, Named: true, Parents: parents, ParentMutations: births, Child: evolution.VersionRef{Label: r.ID}, Operator: cmp.Or(r.Operator, "unknown"),
		Risk: evolution.Medium, Source: w.options.Source, Note: noteOf(batch), Origin: w.origin(evolution.Origin{Iteration: &r.Iteration, Feedback: r.Feedback}),
	}
	known, err := lineages.FindProposed(ctx, w.tx.Reader, w.Lineage, proposal)
	switch {
	case errors.Is(err, track.ErrConflict):
		w.summary.Conflicts = append(w.summary.Conflicts, r.ID)
		return nil
	case err != nil:
		return err
	case known == nil:
		if _, _, err := lineages.AddMutation(ctx, w.tx, &w.Lineage, proposal, w.options.At); err != nil {
			return err
		}
		w.summary.Mutations++
		m, err := w.tx.Mutation(ctx, w.Evolving, r.ID)
		if err != nil {
			return err
		}
		if _, err := lineages.TakeBack(w.tx, &w.Lineage, m, "rejected by "+w.options.Source+" after a "+cmp.Or(noteOf(batch), "test"), w.options.At); err != nil {
			return err
		}
	}
	if r.Minibatch == nil {
		return nil
	}
	return w.minibatch(ctx, r.ID, r.ID, batch)
}

// rejectedBefore records the first of the rejected proposals, those before an iteration, and returns the others.
func (w *programsWriter) rejectedBefore(ctx context.Context, iteration int, list []importer.RejectedProgram) ([]importer.RejectedProgram, error) {
	for ; len(list) > 0 && list[0].Iteration < iteration; list = list[1:] {
		if err := w.rejected(ctx, list[0]); err != nil {
			return nil, fmt.Errorf("proposal %s: %w", list[0].ID, err)
		}
	}
	return list, nil
}

// noteOf says how a proposal did in its test; empty if it had none.
func noteOf(b importer.Minibatch) string {
	if len(b.Tasks) == 0 {
		return ""
	}
	const named = 8
	tasks := slices.Clone(b.Tasks[:min(named, len(b.Tasks))])
	if more := len(b.Tasks) - len(tasks); more > 0 {
		tasks = append(tasks, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("minibatch of %s: sum of scores %s before, %s after", strings.Join(tasks, ", "), sumText(b.Before), sumText(b.After))
}

func sumText(list []float64) string {
	if len(list) == 0 {
		return "unknown"
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return fmt.Sprintf("%.6g", sum)
}
