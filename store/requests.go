package store

import (
	"context"

	"track"
)

// Requests to a model are no part of the digest of an execution, but of its checksum.

const (
	insertRequest = `
	INSERT INTO request (execution_id, number, message_id, request_id, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write,
	                     tokens_reasoning{, lineage_id})
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10{, $11})`
	// The columns are those of listCheckedRequests behind the execution.
	listRequests = `
	SELECT number, message_id, request_id, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning
	  FROM request WHERE execution_id = $1 ORDER BY number`
	hasRequests    = `SELECT EXISTS (SELECT 1 FROM request WHERE execution_id = $1)`
	setCallRequest = `UPDATE call SET request = $1 WHERE execution_id = $2 AND position = $3`
)

func (t *Tx) addRequests(execution int64, requests []track.ModelRequest) error {
	for i, r := range requests {
		if err := t.addPart("execution", execution, insertRequest, append([]any{execution}, requestColumns(i+1, r)...)...); err != nil {
			return err
		}
	}
	return nil
}

// addMissingRequests stores the requests of an execution, if it has none.
func (t *Tx) addMissingRequests(execution int64, e ExecutionRecord) error {
	known := false
	if err := t.get(&known, hasRequests, execution); err != nil || known || len(e.Requests) == 0 {
		return err
	}
	if err := t.addRequests(execution, e.Requests); err != nil {
		return err
	}
	for i, c := range e.Calls {
		if c.Request == 0 {
			continue
		}
		if _, err := t.exec(setCallRequest, c.Request, execution, i); err != nil {
			return err
		}
	}
	return nil
}

// requestColumns are the columns of a request after its execution.
func requestColumns(number int, r track.ModelRequest) []any {
	var tokens track.Tokens
	if r.Tokens != nil {
		tokens = *r.Tokens
	}
	return []any{number, nullText(r.Message), nullText(r.ID), nullText(r.Model), tokens.Input, tokens.Output, tokens.CacheRead, tokens.CacheWrite, tokens.Reasoning}
}

// requests returns the requests of an execution.
func (r *Reader) requests(ctx context.Context, execution int64) (list []track.ModelRequest, err error) {
	var counts []int64 // of many requests at once: an execution can have thousands
	err = r.streamCells(ctx, listRequests, []any{execution}, func(c *cells) {
		_ = c.integer() // the number
		request := track.ModelRequest{Message: c.text(), ID: c.text(), Model: c.text()}
		var tokens track.Tokens
		for _, into := range [...]**int64{&tokens.Input, &tokens.Output, &tokens.CacheRead, &tokens.CacheWrite, &tokens.Reasoning} {
			n, known := c.count()
			if !known {
				continue
			}
			if len(counts) == cap(counts) {
				counts = make([]int64, 0, min(5*(1+len(list)), 1000))
			}
			counts = append(counts, n)
			*into = &counts[len(counts)-1]
		}
		if tokens != (track.Tokens{}) {
			request.Tokens = &tokens
		}
		list = append(list, request)
	})
	return list, err
}

// count returns a count; known is false for NULL.
func (c *cells) count() (n int64, known bool) {
	switch cell := c.cell().(type) {
	case int64:
		return cell, true
	case nil:
	default:
		c.damaged = true
	}
	return 0, false
}
