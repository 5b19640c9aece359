package seeds

import (
	"context"
	"encoding/hex"
	"errors"

	"track/answer"
	"track/store"
)

// Query returns the rows of a reading SQL statement.
func Query(ctx context.Context, r *store.Reader, q answer.QueryQuestion) (whole answer.Query, err error) {
	err = QueryPages(ctx, r, q, func(page answer.Query) error {
		whole.Columns = page.Columns
		whole.AppendPage(page)
		whole.LimitedTo, whole.Bounded = page.LimitedTo, page.Bounded
		return nil
	})
	return whole, err
}

// errLimited ends a query that has more rows than are asked for.
var errLimited = errors.New("more rows than are asked for")

// QueryPages gives the rows of a reading SQL statement in pages, of which there is at least one. A page ends after
// 10,000 rows or 4 MiB. The last one says if there are more rows than the limit.
func QueryPages(ctx context.Context, r *store.Reader, q answer.QueryQuestion, page func(answer.Query) error) error {
	const mostRows, mostBytes = 10_000, 4 << 20
	var next answer.Query
	n, nRows, nBytes, given := 0, 0, int64(0), false
	columns, err := r.QueryViews(ctx, q.SQL, func(columns []string, row []any) error {
		if q.IsEnough(nRows, nBytes) {
			return errLimited
		}
		nRows++
		for i, cell := range row {
			if raw, isBytes := cell.([]byte); isBytes {
				row[i] = hex.EncodeToString(raw)
			}
		}
		item, err := answer.NewQueryRow(columns, row)
		if err != nil {
			return err
		}
		next.Items, n, nBytes = append(next.Items, item), n+len(item), nBytes+int64(len(item))
		if len(next.Items) < mostRows && n < mostBytes || q.IsEnough(nRows, nBytes) {
			return nil
		}
		next.Columns = columns
		err = page(next)
		next, n, given = answer.Query{}, 0, true
		return err
	})
	switch {
	case errors.Is(err, errLimited):
		next.LimitedTo, next.Bounded = nRows, nRows != q.Limit
	case err != nil || given && len(next.Items) == 0:
		return err
	}
	next.Columns = columns
	return page(next)
}

// PruneSeries deletes the numbers of old series.
func PruneSeries(ctx context.Context, st *store.Store, q answer.PruneSeriesQuestion) (answer.PrunedSeries, error) {
	pruned, err := st.PruneSeries(ctx, pruneRule(st, q.Pruning), q.DryRun)
	return prunedContents(pruned, q.DryRun), err
}

// PruneArtifacts deletes the contents of the files of old seeds.
func PruneArtifacts(ctx context.Context, st *store.Store, q answer.PruneArtifactsQuestion) (answer.PrunedArtifacts, error) {
	pruned, err := st.PruneArtifacts(ctx, pruneRule(st, q.Pruning), q.DryRun)
	return answer.PrunedArtifacts{PrunedSeries: prunedContents(pruned, q.DryRun)}, err
}

func pruneRule(st *store.Store, q answer.Pruning) store.PruneRule {
	rule := store.PruneRule{Keep: q.Keep}
	if q.OlderThan > 0 {
		rule.Before = st.Now().Add(-q.OlderThan)
	}
	return rule
}

func prunedContents(p store.Pruned, dryRun bool) answer.PrunedSeries {
	return answer.PrunedSeries{DryRun: dryRun, NSeeds: p.Seeds, NContents: p.Contents, Bytes: p.Bytes}
}
