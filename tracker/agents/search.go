package agents

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

// Search finds texts of executions that are kept. What was recorded since the last search is indexed first, so that
// recording need not wait for it.
func Search(ctx context.Context, st *store.Store, q answer.SearchQuestion) (a answer.FoundTexts, err error) {
	if err := index(ctx, st, q.Rebuild); err != nil && (q.Rebuild || store.IsDamaged(err) || ctx.Err() != nil) {
		return a, err
	} // else the database cannot be written, which the answer says
	a = answer.FoundTexts{Text: q.Text, Items: []answer.FoundText{}}
	phrases := q.Phrases()
	err = st.Snapshot(ctx, func(r *store.Reader) error {
		if a.NUnindexed, err = r.CountUnindexed(ctx); err != nil {
			return err
		}
		filter := store.TextFilter{Phrases: phrases, Lineage: q.Of.Lineage, Version: q.Of.Version, Model: q.Model, Kind: q.Kind, Limit: q.Limit}
		found, n, err := r.SearchTexts(ctx, filter)
		if err == nil && n == 0 && q.Of.Lineage != "" {
			err = r.CheckLineage(ctx, q.Of.Lineage, q.Of.Version)
		}
		a.N = n
		for _, f := range found {
			part, matches := snippet(f.Text, phrases)
			a.Items = append(a.Items, answer.FoundText{
				Execution: f.Execution, Lineage: f.Lineage, Version: f.Version, Task: f.Task, Model: f.Model, At: f.At, Kind: f.Kind, Call: f.Call,
				Rank: f.Rank, Snippet: part, Matches: matches,
			})
		}
		return err
	})
	return a, err
}

func index(ctx context.Context, st *store.Store, rebuild bool) error {
	report, total := track.ProgressOf(ctx), 0
	progress := func(left int) {
		total = max(total, left)
		report(total-left, total)
	}
	if rebuild {
		return st.RebuildIndex(ctx, progress)
	}
	return st.IndexTexts(ctx, progress)
}
