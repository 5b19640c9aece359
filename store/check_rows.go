package store

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
)

// rowCheck is a query of rows that a sound database does not have: what people call the record.
type rowCheck struct{ table, problem, query string }

// rowChecks returns the checks of what the schema does not enforce.
func rowChecks() []rowCheck {
	// The newest withdrawal of each subject, if it is not restored.
	const active = `
	WITH active AS (
	     SELECT scenario_id, kind, configuration, number, digest, sweep FROM (
	            SELECT *, row_number() OVER (
	                   PARTITION BY kind, scenario_id, configuration, number, digest, CASE kind WHEN 'sweep' THEN sweep END ORDER BY at DESC, ulid DESC) AS age
	              FROM withdrawal) AS all_of_them
	      WHERE age = 1 AND action = 'withdrawn')`
	const ofActive = `
	       SELECT 1 FROM active WHERE active.scenario_id = seed.scenario_id AND active.configuration = configuration.hash
	          AND (active.kind = 'configuration' OR active.number = seed.number AND active.digest = seed.digest)`
	const missingExecution = ` WHERE execution_id NOT IN (SELECT id FROM execution)`
	return []rowCheck{
		{"call", "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM call` + missingExecution},
		{"request", "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM request` + missingExecution},
		{"truth", "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM truth` + missingExecution},
		{"execution_score", "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM execution_score` + missingExecution},
		{"score_document", "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM score_document` + missingExecution},
		{"component", "its execution does not exist", `SELECT 'row ' || execution_id || ' of execution' FROM component` + missingExecution},
		{"artifact_content", "its bytes are missing", `SELECT 'content in row ' || id FROM artifact_content WHERE data IS NULL AND pruned_at IS NULL`},
		{"mutation", "its parents are not all there", `
	SELECT 'mutation ' || mutation.key FROM mutation JOIN mutation_parent ON mutation_parent.mutation_id = mutation.id
	 GROUP BY mutation.id HAVING max(mutation_parent.position) <> count(*) - 1`},
		{"spec", "a version is missing before it", `
	SELECT 'spec ' || scenario.name || ' version ' || max(spec.version) FROM spec JOIN scenario ON scenario.id = spec.scenario_id
	 GROUP BY scenario.id HAVING max(spec.version) <> count(*)`},
		{"seed", "it is withdrawn, and nobody withdrew it", active + `
	SELECT 'seed ' || seed.ulid FROM seed JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE seed.withdrawn_at IS NOT NULL AND NOT EXISTS (` + ofActive + `) AND NOT EXISTS (
	       SELECT 1 FROM seed AS other WHERE other.scenario_id = seed.scenario_id AND other.configuration_id = seed.configuration_id
	          AND other.number = seed.number AND other.superseded_at IS NULL)`},
		{"seed", "it was withdrawn, and counts", active + `
	SELECT 'seed ' || seed.ulid FROM seed JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE seed.superseded_at IS NULL AND configuration.hash IN (SELECT configuration FROM active) AND EXISTS (` + ofActive + `)`},
		{"sweep", "its withdrawal is wrong", active + `
	SELECT 'sweep ' || ulid FROM sweep
	 WHERE (withdrawn_at IS NOT NULL) <> EXISTS (SELECT 1 FROM active WHERE active.kind = 'sweep' AND active.sweep = sweep.ulid)`},
		{"scenario_configuration", "a configuration with seeds is missing", `
	SELECT 'configuration ' || substr(configuration.hash, 1, 10) || ' of ' || scenario.name
	  FROM (SELECT scenario_id, configuration_id FROM seed WHERE superseded_at IS NULL GROUP BY scenario_id, configuration_id) AS used
	  JOIN scenario ON scenario.id = used.scenario_id JOIN configuration ON configuration.id = used.configuration_id
	  LEFT JOIN scenario_configuration ON scenario_configuration.scenario_id = used.scenario_id AND scenario_configuration.configuration_id = used.configuration_id
	 WHERE scenario_configuration.id IS NULL`},
	}
}

// countedSeeds compares how many seeds a configuration has with their number that is kept.
func countedSeeds() rowCheck {
	return rowCheck{"scenario_configuration", "its number of seeds is wrong", `
	SELECT 'configuration ' || substr(configuration.hash, 1, 10) || ' of ' || scenario.name
	  FROM scenario_configuration
	  JOIN scenario ON scenario.id = scenario_configuration.scenario_id JOIN configuration ON configuration.id = scenario_configuration.configuration_id
	 WHERE n_seeds <> (SELECT count(*) FROM seed WHERE seed.scenario_id = scenario_configuration.scenario_id
	                      AND seed.configuration_id = scenario_configuration.configuration_id AND superseded_at IS NULL)`}
}

// CheckRows looks for rows that refer to nothing, and for gaps.
func (r *Reader) CheckRows(ctx context.Context, found func(Damage)) error {
	checks := slices.Concat(rowChecks(), indexChecks(r.pool.engine.textIndex()))
	if r.pool.engine.checksItself() {
		checks = append(checks, referenceChecks()...)
	} else {
		checks = append(checks, countedSeeds())
	}
	for _, c := range checks {
		err := r.stream(ctx, c.query, nil, func(row []driver.Value) { found(Damage{c.table, c.problem, asText(row[0])}) })
		if err != nil {
			return explain(err)
		}
	}
	return r.checkForeignKeys(ctx, found)
}

const listSpecMetrics = `
	SELECT metric.name, spec_metric.type, coalesce(spec_metric.metric_group, '') AS metric_group, spec_metric.weight, spec_metric.computed
	  FROM spec_metric JOIN metric ON metric.id = spec_metric.metric_id WHERE spec_metric.spec_id = $1 ORDER BY spec_metric.position`

// SpecMetrics returns the metrics of a spec as queries use them.
func (r *Reader) SpecMetrics(ctx context.Context, specID int64) (metrics []SpecMetric, err error) {
	err = r.stream(ctx, listSpecMetrics, []any{specID}, func(row []driver.Value) {
		metrics = append(metrics, SpecMetric{asText(row[0]), asText(row[1]), asText(row[2]), asFloat(row[3]), asInt(row[4]) == 1})
	})
	return metrics, explain(err)
}

// ownTables returns the tables of track.
func ownTables(ctx context.Context) (tables []string, err error) {
	own, err := newOwnSchema(false)
	if err != nil {
		return nil, err
	}
	for _, statement := range own.newest {
		if name := createdName(statement); strings.HasPrefix(statement, "CREATE TABLE ") && !strings.HasPrefix(name, "sqlite_") {
			tables = append(tables, name)
		}
	}
	return tables, nil
}
