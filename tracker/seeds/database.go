package seeds

import (
	"context"
	"encoding/hex"

	"track/answer"
	"track/store"
)

// Query returns the rows of a reading SQL statement.
func Query(ctx context.Context, r *store.Reader, q answer.QueryQuestion) (a answer.Query, err error) {
	a.Columns, err = r.Query(ctx, q.SQL, func(columns []string, row []any) error {
		for i, cell := range row {
			if raw, isBytes := cell.([]byte); isBytes {
				row[i] = hex.EncodeToString(raw)
			}
		}
		item, err := answer.NewQueryRow(columns, row)
		a.Items = append(a.Items, item)
		return err
	})
	return a, err
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
