package seeds

import (
	"context"
	"encoding/hex"

	"track/answer"
	"track/store"
)

// Query returns the rows of a reading SQL statement.
func Query(ctx context.Context, r *store.Reader, q answer.QueryQuestion) (whole answer.Query, err error) {
	err = QueryPages(ctx, r, q, func(page answer.Query) error {
		whole.Columns = page.Columns
		whole.AppendPage(page)
		return nil
	})
	return whole, err
}

// QueryPages gives the rows of a reading SQL statement in pages, of which there is at least one. A page ends after
// 10,000 rows or 4 MiB.
func QueryPages(ctx context.Context, r *store.Reader, q answer.QueryQuestion, page func(answer.Query) error) error {
	const mostRows, mostBytes = 10_000, 4 << 20
	var next answer.Query
	n, given := 0, false
	columns, err := r.Query(ctx, q.SQL, func(columns []string, row []any) error {
		for i, cell := range row {
			if raw, isBytes := cell.([]byte); isBytes {
				row[i] = hex.EncodeToString(raw)
			}
		}
		item, err := answer.NewQueryRow(columns, row)
		if err != nil {
			return err
		}
		next.Items, n = append(next.Items, item), n+len(item)
		if len(next.Items) < mostRows && n < mostBytes {
			return nil
		}
		next.Columns = columns
		err = page(next)
		next, n, given = answer.Query{}, 0, true
		return err
	})
	if err != nil || given && len(next.Items) == 0 {
		return err
	}
	next.Columns = columns
	return page(next)
}

// PruneSeries deletes the numbers of old series.
func PruneSeries(ctx context.Context, st *store.Store, q answer.PruneSeriesQuestion) (answer.PrunedSeries, error) {
	rule := store.PruneRule{Keep: q.Keep}
	if q.OlderThan > 0 {
		rule.Before = st.Now().Add(-q.OlderThan)
	}
	pruned, err := st.PruneSeries(ctx, rule, q.DryRun)
	return answer.PrunedSeries{DryRun: q.DryRun, NSeeds: pruned.Seeds, NContents: pruned.Contents, Bytes: pruned.Bytes}, err
}
