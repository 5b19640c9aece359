package agents

import (
	"cmp"
	"context"

	"track"
	"track/answer"
	"track/store"
)

// Search finds names, and texts of executions that are kept. What was recorded since the last search is indexed
// first, so that recording need not wait for it.
func Search(ctx context.Context, st *store.Store, q answer.SearchQuestion) (a answer.FoundTexts, err error) {
	if err := index(ctx, st, q.Rebuild); err != nil && (q.Rebuild || store.IsDamaged(err) || ctx.Err() != nil) {
		return a, err
	} // else the database cannot be written, which the answer says
	a = answer.FoundTexts{Text: q.Text, Names: []answer.FoundName{}, Items: []answer.FoundText{}}
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
		if err != nil {
			return err
		}
		if a.Names, a.CutNames, err = findNames(ctx, r, q); err != nil {
			return err
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

// findNames finds names that hold the text of a question, and the kinds that have more of them than the limit. With a
// lineage, only names in it are found.
func findNames(ctx context.Context, r *store.Reader, q answer.SearchQuestion) (list []answer.FoundName, cut []string, err error) {
	list = []answer.FoundName{}
	part, of := q.Name()
	if part == "" {
		return list, nil, nil
	}
	found, err := r.FindNames(ctx, part, of, q.Limit)
	n := map[string]int{}
	for _, f := range found {
		if q.Of.Lineage != "" && f.Lineage != q.Of.Lineage {
			continue
		}
		if n[f.Kind]++; n[f.Kind] > q.Limit {
			cut = append(cut, f.Kind)
			continue
		}
		if f.Kind == "configuration" {
			f.Name = cmp.Or(f.Name, track.ShortHash(f.Configuration))
		}
		list = append(list, answer.FoundName(f))
	}
	return list, cut, err
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
