package store

import "context"

// Measure is what an execution of a version took.
type Measure struct {
	Version  string
	CostUSD  *float64
	Tokens   *int64   // in and out
	Duration *float64 // in seconds
}

const listMeasures = `
	SELECT coalesce((SELECT name FROM version WHERE version.id = execution.version_id), '') AS version, execution.cost_usd,
	       CASE WHEN execution.tokens_input IS NOT NULL OR execution.tokens_output IS NOT NULL THEN coalesce(execution.tokens_input, 0) + coalesce(execution.tokens_output, 0) END AS tokens,
	       execution.duration_us / 1e6 AS seconds
	  FROM execution WHERE execution.lineage_id = $1 AND execution.is_open = 0 ORDER BY execution.at, execution.id`

// Measures returns what the ended executions of a lineage took, the oldest first.
func (r *Reader) Measures(ctx context.Context, lineage Evolving) (list []Measure, err error) {
	err = r.streamCells(ctx, listMeasures, []any{lineage.ID}, func(c *cells) {
		list = append(list, Measure{c.text(), c.real(), c.optionalInteger(), c.real()})
	})
	return list, explain(err)
}

const listTruthsOfVersions = `
	SELECT coalesce((SELECT name FROM version WHERE version.id = execution.version_id), '') AS version, truth.name, truth.value
	  FROM execution JOIN truth ON truth.execution_id = execution.id
	 WHERE execution.lineage_id = $1 ORDER BY execution.at, execution.id, truth.name`

// VersionTruth is a ground-truth label of an execution of a version.
type VersionTruth struct {
	Version, Name string
	Value         float64
}

// VersionTruths returns the ground-truth labels of all executions of a lineage.
func (r *Reader) VersionTruths(ctx context.Context, lineage Evolving) (list []VersionTruth, err error) {
	err = r.streamCells(ctx, listTruthsOfVersions, []any{lineage.ID}, func(c *cells) {
		list = append(list, VersionTruth{c.text(), c.text(), *c.real()})
	})
	return list, explain(err)
}
