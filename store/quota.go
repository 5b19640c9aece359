package store

import (
	"context"
	"time"

	"track/access"
)

const (
	getTokenUse = `
	SELECT CAST(coalesce(sum(token_use.records), 0) AS BIGINT) AS records, CAST(coalesce(sum(token_use.bytes), 0) AS BIGINT) AS bytes
	  FROM token JOIN token_use ON token_use.token_id = token.id
	 WHERE token.name = $1 AND token_use.day = $2`
	listTokenUse = `
	SELECT token.name, CAST(sum(token_use.records) AS BIGINT) AS records, CAST(sum(token_use.bytes) AS BIGINT) AS bytes
	  FROM token JOIN token_use ON token_use.token_id = token.id
	 WHERE token_use.day = $1
	 GROUP BY token.name`
	addTokenUse = `
	INSERT INTO token_use (token_id, day, writer, records, bytes) SELECT id, $2, $3, $4, $5 FROM token WHERE name = $1
	    ON CONFLICT (token_id, day, writer) DO UPDATE SET records = token_use.records + excluded.records, bytes = token_use.bytes + excluded.bytes`
)

type tokenUseRow struct {
	Name    string `db:"name"`
	Records int64  `db:"records"`
	Bytes   int64  `db:"bytes"`
}

// TokenUse returns how much was recorded with a token that has a quota, on the day at a time.
func (r *Reader) TokenUse(ctx context.Context, name string, at time.Time) (access.Quota, error) {
	var row tokenUseRow
	err := r.read().GetContext(ctx, &row, getTokenUse, name, access.Day(at))
	return access.Quota{Records: row.Records, Bytes: row.Bytes}, explain(err)
}

// TokenUses returns how much was recorded with each token that has a quota, by its name, on the day at a time.
func (r *Reader) TokenUses(ctx context.Context, at time.Time) (map[string]access.Quota, error) {
	var rows []tokenUseRow
	if err := r.read().SelectContext(ctx, &rows, listTokenUse, access.Day(at)); err != nil {
		return nil, explain(err)
	}
	uses := make(map[string]access.Quota, len(rows))
	for _, row := range rows {
		uses[row.Name] = access.Quota{Records: row.Records, Bytes: row.Bytes}
	}
	return uses, nil
}

// AddTokenUse counts what the transaction records with a token, on the day at a time. Writer is a name of whoever
// counts, such as one start of a server: writers with the same name wait for each other.
func (t *Tx) AddTokenUse(name, writer string, at time.Time, recorded access.Quota) error {
	_, err := t.exec(addTokenUse, name, access.Day(at), writer, recorded.Records, recorded.Bytes)
	return err
}
