package store

import (
	"context"

	"track/evolution"
)

const (
	sumTrials = `
	SELECT count(*), coalesce(sum(coalesce(tokens_input, 0) + coalesce(tokens_output, 0)), 0), coalesce(sum(cost_usd), 0.0)
	  FROM execution WHERE lineage_id = $1 AND source = $2`
	sumProposals = `SELECT count(*), coalesce(sum(cost_usd), 0.0) FROM mutation WHERE lineage_id = $1 AND source IS NULL`
	hasKey       = `SELECT count(*) > 0 FROM execution WHERE lineage_id = $1 AND source = $2 AND key = $3`
)

// Spending returns what the executions of a lineage from one source have cost, and the mutations that were proposed
// here.
func (r *Reader) Spending(ctx context.Context, lineage Evolving, source string) (s evolution.Spending, err error) {
	err = r.streamCells(ctx, sumTrials, []any{lineage.ID, source}, func(c *cells) {
		s.Trials, s.Tokens, s.CostUSD = int(c.integer()), c.integer(), *c.real()
	})
	if err != nil {
		return s, explain(err)
	}
	err = r.streamCells(ctx, sumProposals, []any{lineage.ID}, func(c *cells) {
		s.Mutations, s.CostUSD = int(c.integer()), s.CostUSD+*c.real()
	})
	return s, explain(err)
}

// HasKey reports whether an execution of a source is recorded under a key.
func (r *Reader) HasKey(ctx context.Context, lineage Evolving, source, key string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasKey, lineage.ID, source, key))
}
