package store

import (
	"context"
	"database/sql/driver"
	"time"
)

// Retained says what else than its age keeps the series and the files of a seed.
type Retained int64

// The reasons. Seeds of sweeps without an end, and of scenarios that a lineage evolves, are always kept by a rule that
// has any.
const (
	RetainUsed      Retained = 1 << iota // seeds of running sweeps and of scenarios that a lineage evolves
	RetainBaselines                      // seeds of pinned baselines
)

// The reasons for which contents are kept, as [KeptSeeds] names them.
const (
	KeptRecent   = "recent"
	KeptSweep    = "sweep"
	KeptDecision = "decision"
	KeptBaseline = "baseline"
)

// keptReason is why a seed keeps its contents, by the parameters $2, the time, and $3, a [Retained]; NULL if nothing
// keeps it.
const keptReason = `
	CASE WHEN CAST($2 AS bigint) > 0 AND seed.recorded_at >= $2 THEN '` + KeptRecent + `'
	     WHEN (CAST($3 AS bigint) & 1) > 0 AND EXISTS (
	          SELECT 1 FROM sweep_configuration JOIN sweep ON sweep.id = sweep_configuration.sweep_id
	           WHERE sweep_configuration.configuration_id = seed.configuration_id AND sweep.scenario_id = seed.scenario_id AND sweep.ended_at IS NULL AND sweep.withdrawn_at IS NULL) THEN '` + KeptSweep + `'
	     WHEN (CAST($3 AS bigint) & 1) > 0 AND EXISTS (
	          SELECT 1 FROM scenario JOIN lineage ON lineage.subject = 'scenario:' || scenario.name WHERE scenario.id = seed.scenario_id) THEN '` + KeptDecision + `'
	     WHEN (CAST($3 AS bigint) & 2) > 0 AND EXISTS (
	          SELECT 1 FROM baseline
	           WHERE baseline.scenario_id = seed.scenario_id AND baseline.configuration_id = seed.configuration_id
	             AND NOT EXISTS (SELECT 1 FROM baseline AS newer WHERE newer.scenario_id = baseline.scenario_id
	                                AND (newer.set_at > baseline.set_at OR newer.set_at = baseline.set_at AND newer.id > baseline.id))) THEN '` + KeptBaseline + `'
	END`

const (
	countKeptSeeds = `
	SELECT reason, count(*) AS n
	  FROM (SELECT` + keptReason + ` AS reason FROM seed
	         WHERE (seed.id IN (SELECT seed_id FROM seed_series) OR seed.id IN (SELECT seed_id FROM artifact)) AND CAST($1 AS bigint) = 0) AS judged
	 WHERE reason IS NOT NULL
	 GROUP BY reason`
	listExecutionTexts = `
	SELECT execution.ulid, lineage.name, version.name, execution.source, execution.key, execution.recorded_at,
	       CASE WHEN execution.is_open > 0 OR EXISTS (SELECT 1 FROM hook_event WHERE hook_event.execution = execution.ulid AND hook_event.settled_at IS NULL) THEN 1 ELSE 0 END AS is_open
	  FROM execution
	  JOIN lineage ON lineage.id = execution.lineage_id
	  JOIN version ON version.id = execution.version_id
	 WHERE execution.forgotten_at IS NULL
	   AND (execution.prompt IS NOT NULL OR execution.output IS NOT NULL OR execution.message IS NOT NULL
	        OR EXISTS (SELECT 1 FROM call WHERE call.execution_id = execution.id AND (call.input IS NOT NULL OR call.output IS NOT NULL))
	        OR EXISTS (SELECT 1 FROM score_document WHERE score_document.execution_id = execution.id))
	 ORDER BY lineage.name, execution.recorded_at, execution.ulid`
)

// KeptSeeds counts by their reasons the seeds whose series and files a rule keeps. It does not look at rule.Keep.
func (r *Reader) KeptSeeds(ctx context.Context, rule PruneRule) (map[string]int, error) {
	rule.Keep = 0
	kept := map[string]int{}
	err := r.stream(ctx, countKeptSeeds, rule.args(), func(row []driver.Value) { kept[asText(row[0])] = int(asInt(row[1])) })
	return kept, explain(err)
}

// ExecutionTexts is an execution whose texts are here.
type ExecutionTexts struct {
	ULID, Lineage, Version, Source, Key string
	RecordedAt                          time.Time
	IsOpen                              bool // more of it may come
}

// ExecutionTexts gives the executions whose texts are here, lineage by lineage, the oldest first.
func (r *Reader) ExecutionTexts(ctx context.Context, visit func(ExecutionTexts)) error {
	return explain(r.stream(ctx, listExecutionTexts, nil, func(row []driver.Value) {
		visit(ExecutionTexts{
			ULID: asText(row[0]), Lineage: asText(row[1]), Version: asText(row[2]), Source: asText(row[3]), Key: asText(row[4]),
			RecordedAt: asTime(row[5]), IsOpen: asInt(row[6]) > 0,
		})
	}))
}
