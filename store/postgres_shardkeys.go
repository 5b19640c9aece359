package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

const (
	listConfigurationsOf = `SELECT id, configuration_id FROM seed WHERE id = ANY($1)`
	configurationOf      = `SELECT configuration_id FROM seed WHERE id = $1`
	lineageOf            = `SELECT lineage_id FROM execution WHERE id = $1`
	hashOfContent        = `SELECT hash FROM series_content WHERE id = $1`
	// nextID is a number as the default of seed.id. The last bits are those of the transaction: two have the same only if
	// 4,096 others began between them.
	nextID = `
	SELECT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095)`
	idStep = 4096 // a microsecond
)

// maxRows implements [engine]. Nodes of a cluster agree on each transaction, and some refuse large ones.
func (postgresSchema) maxRows() int { return 1000 }

// shardColumn returns the column that divides a table of rows of a seed, of those that [pendingRows] holds; none for
// other tables.
func shardColumn(table string) (column string, isPart bool) {
	switch table {
	case "packed_value", "assessment", "packed_result":
		return "configuration_id", true
	}
	return "", false
}

// shardKey implements [engine].
func (postgresSchema) shardKey(t *Tx, owner string, id int64) ([]any, error) {
	if key, found := t.shardKeys[ownerRow{owner, id}]; found {
		return []any{key}, nil
	}
	var query string
	switch owner {
	case "seed":
		query = configurationOf
	case "execution":
		query = lineageOf
	case "series_content":
		query = hashOfContent
	}
	var key any
	if err := t.get(&key, query, id); err != nil {
		return nil, fmt.Errorf("row %d of %s: %w", id, owner, err)
	}
	t.shardKeys.keep(owner, id, key)
	return []any{key}, nil
}

// addShardKeys appends the configuration of its seed to each row, and reads those that are not known.
func (p *pendingRows) addShardKeys(ctx context.Context, conn *pgx.Conn, keys shardKeys) error {
	column, isPart := shardColumn(p.table)
	if !isPart {
		return nil
	}
	var unknown []int64
	for _, row := range p.rows {
		seed := ownerRow{"seed", row[0].(int64)}
		if _, found := keys[seed]; !found {
			unknown = append(unknown, seed.id)
		}
	}
	if len(unknown) > 0 {
		rows, err := conn.Query(ctx, listConfigurationsOf, unknown)
		if err != nil {
			return err
		}
		var id, configuration int64
		if _, err := pgx.ForEachRow(rows, []any{&id, &configuration}, func() error {
			keys.keep("seed", id, configuration)
			return nil
		}); err != nil {
			return err
		}
	}
	p.columns = append(p.columns[:len(p.columns):len(p.columns)], column)
	for i, row := range p.rows {
		key, found := keys[ownerRow{"seed", row[0].(int64)}]
		if !found {
			return fmt.Errorf("row %d of seed does not exist", row[0])
		}
		p.rows[i] = append(row, key)
	}
	return nil
}

// newSeedIDs implements [engine].
func (postgresSchema) newSeedIDs(t *Tx, n int) ([]int64, error) {
	var next int64
	if err := t.getID(&next, nextID); err != nil {
		return nil, err
	}
	if least := t.lastSeedID + idStep; next < least {
		next = least
	}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = next + int64(i)*idStep
	}
	t.lastSeedID = ids[n-1]
	return ids, nil
}
