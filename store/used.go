package store

import (
	"context"
	"database/sql/driver"
	"slices"
)

// UsedID is what the service of a model calls an answer, a request or a tool call of an execution.
type UsedID struct {
	Kind IDKind
	ID   string
}

// IDKind says what an id names.
type IDKind string

// The kinds of ids.
const (
	MessageID IDKind = "message"
	RequestID IDKind = "request"
	CallID    IDKind = "call"
)

// usedBy are the tables and conditions by which executions have ids of a kind.
var usedBy = map[IDKind]struct{ from, where string }{
	MessageID: {"request", ` AND request.message_id IN ({list})`},
	RequestID: {"request", ` AND request.request_id IN ({list})`},
	CallID:    {"call", ` AND call.key <> '' AND call.key IN ({list})`},
}

// executionsFrom are the executions of a lineage, looked up from another table.
func executionsFrom(table string) string {
	return `SELECT DISTINCT execution.id FROM ` + table + ` ORDERED JOIN execution ON execution.id = ` + table + `.execution_id
	 WHERE NOINDEX execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)`
}

// ExecutionsUsing returns the rows of the executions of a lineage that have one of the ids, in no order.
func (r *Reader) ExecutionsUsing(ctx context.Context, lineage string, ids []UsedID) (rows []int64, err error) {
	const atOnce = 500
	byKind, found := map[IDKind][]any{}, map[int64]bool{}
	for _, id := range ids {
		byKind[id.Kind] = append(byKind[id.Kind], id.ID)
	}
	for kind, list := range byKind {
		for part := range slices.Chunk(list, atOnce) {
			var c clauses
			c.add(executionsFrom(usedBy[kind].from), lineage)
			c.addList(usedBy[kind].where, part...)
			query, args := c.statement()
			err := r.stream(ctx, query, args, func(row []driver.Value) {
				if id := asInt(row[0]); !found[id] {
					found[id] = true
					rows = append(rows, id)
				}
			})
			if err != nil {
				return nil, explain(err)
			}
		}
	}
	return rows, nil
}
