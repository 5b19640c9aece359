package store

import (
	"context"
	"database/sql/driver"

	"track"
	"track/internal/near"
)

const (
	hasLineage      = `SELECT EXISTS (SELECT 1 FROM lineage WHERE name = $1)`
	hasNamedVersion = `SELECT EXISTS (SELECT 1 FROM version WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) AND name = $2)`

	listVersionNames  = `SELECT name FROM version WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) ORDER BY name`
	listRecentMetrics = `
	SELECT DISTINCT metric.name
	  FROM (SELECT id FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) ORDER BY recorded_at DESC LIMIT $2) AS recent
	  JOIN value ON value.seed_id = recent.id JOIN metric ON metric.id = value.metric_id`
	hasScenario = `SELECT EXISTS (SELECT 1 FROM scenario WHERE name = $1)`
	hasMetric   = `
	SELECT EXISTS (SELECT 1 FROM metric JOIN seed ON seed.scenario_id = (SELECT id FROM scenario WHERE name = $1)
	                 JOIN packed_value ON packed_value.seed_id = seed.id AND packed_value.numbers LIKE '%"' || metric.id || '":%'
	                WHERE metric.name = $2)`
)

// HasScenario reports whether a scenario has a spec or was ever recorded.
func (r *Reader) HasScenario(ctx context.Context, name string) (bool, error) {
	return r.exists(ctx, hasScenario, name)
}

// HasLineage reports whether a lineage was recorded or begun.
func (r *Reader) HasLineage(ctx context.Context, name string) (bool, error) {
	return r.exists(ctx, hasLineage, name)
}

// HasVersion reports whether a lineage has a version of this name.
func (r *Reader) HasVersion(ctx context.Context, lineage, name string) (bool, error) {
	return r.exists(ctx, hasNamedVersion, lineage, name)
}

// HasMetric reports whether any seed of a scenario has a value of this name.
func (r *Reader) HasMetric(ctx context.Context, scenario, name string) (bool, error) {
	return r.exists(ctx, hasMetric, scenario, name)
}

func (r *Reader) exists(ctx context.Context, query string, args ...any) (found bool, err error) {
	return found, explain(r.read().GetContext(ctx, &found, query, args...))
}

// VersionNames returns the names of all versions of a lineage, sorted.
func (r *Reader) VersionNames(ctx context.Context, lineage string) (names []string, err error) {
	return names, explain(r.read().SelectContext(ctx, &names, listVersionNames, lineage))
}

// RecentMetrics returns the names of the values of the seeds of a scenario that were recorded last, n of them.
func (r *Reader) RecentMetrics(ctx context.Context, scenario string, n int) (names []string, err error) {
	err = r.stream(ctx, listRecentMetrics, []any{scenario, n}, func(row []driver.Value) { names = append(names, asText(row[0])) })
	return names, explain(err)
}

// nearestOf returns a hint to the known name that was probably meant, or else another hint.
func nearestOf(name string, known []string, other track.Hint) track.Hint {
	if meant := near.Nearest(name, known); meant != "" && meant != name {
		return didYouMean(meant)
	}
	return other
}

func didYouMean(name string) track.Hint { return track.Hint{Text: "did you mean " + name + "?"} }
