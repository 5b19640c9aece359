package store

import (
	"context"
	"database/sql/driver"
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

// usedBy are the queries for the executions of a lineage that have ids of a kind, without the list of the ids.
var usedBy = map[IDKind]string{
	MessageID: `
	SELECT DISTINCT execution.id FROM request ORDERED JOIN execution ON execution.id = request.execution_id
	 WHERE NOINDEX execution.lineage_id = (SELECT id FROM lineage WHERE name = ?) AND request.message_id IN (`,
	RequestID: `
	SELECT DISTINCT execution.id FROM request ORDERED JOIN execution ON execution.id = request.execution_id
	 WHERE NOINDEX execution.lineage_id = (SELECT id FROM lineage WHERE name = ?) AND request.request_id IN (`,
	CallID: `
	SELECT DISTINCT execution.id FROM call ORDERED JOIN execution ON execution.id = call.execution_id
	 WHERE NOINDEX execution.lineage_id = (SELECT id FROM lineage WHERE name = ?) AND call.key <> '' AND call.key IN (`,
}

// ExecutionsUsing returns the rows of the executions of a lineage that have one of the ids, in no order.
func (r *Reader) ExecutionsUsing(ctx context.Context, lineage string, ids []UsedID) (rows []int64, err error) {
	const atOnce = 500
	byKind, found := map[IDKind][]any{}, map[int64]bool{}
	for _, id := range ids {
		byKind[id.Kind] = append(byKind[id.Kind], id.ID)
	}
	for kind, list := range byKind {
		for len(list) > 0 {
			n := min(len(list), atOnce)
			err := r.stream(ctx, usedBy[kind]+inList(n)+")", append([]any{lineage}, list[:n]...), func(row []driver.Value) {
				if id := asInt(row[0]); !found[id] {
					found[id] = true
					rows = append(rows, id)
				}
			})
			if err != nil {
				return nil, explain(err)
			}
			list = list[n:]
		}
	}
	return rows, nil
}
