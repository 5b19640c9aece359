package store

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// The statements that find names return kind, name, scenario, lineage and configuration. Their arguments are a pattern
// of LIKE, the text in lower case, the scenario or lineage whose names are wanted, empty for all, and the limit. Ids of
// executions are found by their beginning alone, by an index.
const (
	shortestID = `4` // characters that an id or a hash must share

	findScenarioNames = `
	SELECT 'scenario' AS kind, name, name AS scenario, '' AS lineage, '' AS configuration FROM scenario
	 WHERE lower(name) LIKE $1 ESCAPE '!' AND $3 = ''
	 ORDER BY lower(name) <> $2, name LIMIT $4`
	findConfigurationNames = `
	SELECT 'configuration', coalesce(configuration.label, ''), scenario.name, '', configuration.hash
	  FROM configuration
	  JOIN scenario_configuration ON scenario_configuration.configuration_id = configuration.id
	  JOIN scenario ON scenario.id = scenario_configuration.scenario_id
	 WHERE (lower(configuration.label) LIKE $1 ESCAPE '!'
	        OR length(CAST($2 AS text)) >= ` + shortestID + ` AND substr(configuration.hash, 1, length(CAST($2 AS text))) = CAST($2 AS text))
	   AND ($3 = '' OR scenario.name = $3)
	 ORDER BY lower(coalesce(configuration.label, '')) <> $2, configuration.label, scenario.name, scenario_configuration.id DESC LIMIT $4`
	findLineageNames = `
	SELECT 'lineage', name, '', name, '' FROM lineage
	 WHERE lower(name) LIKE $1 ESCAPE '!' AND $3 = ''
	 ORDER BY lower(name) <> $2, name LIMIT $4`
	findVersionNames = `
	SELECT 'version', version.name, '', lineage.name, '' FROM version JOIN lineage ON lineage.id = version.lineage_id
	 WHERE lower(version.name) LIKE $1 ESCAPE '!' AND version.name <> '' AND ($3 = '' OR lineage.name = $3)
	 ORDER BY lower(version.name) <> $2, version.name, lineage.name LIMIT $4`
	findMutationNames = `
	SELECT 'mutation', mutation.key, '', lineage.name, '' FROM mutation JOIN lineage ON lineage.id = mutation.lineage_id
	 WHERE lower(mutation.key) LIKE $1 ESCAPE '!' AND ($3 = '' OR lineage.name = $3)
	 ORDER BY lower(mutation.key) <> $2, mutation.key, lineage.name LIMIT $4`
	findMetricNames = `
	SELECT DISTINCT 'metric', spec_metric.name, scenario.name, '', ''
	  FROM spec_metric JOIN spec ON spec.id = spec_metric.spec_id JOIN scenario ON scenario.id = spec.scenario_id
	 WHERE lower(spec_metric.name) LIKE $1 ESCAPE '!' AND CAST($2 AS text) IS NOT NULL AND ($3 = '' OR scenario.name = $3)
	 ORDER BY 2, 3 LIMIT $4`
	// Metrics that no spec has are found in the newest seed of each scenario.
	listNewestNumbers = `
	SELECT name, (SELECT numbers FROM seed WHERE seed.scenario_id = scenario.id ORDER BY recorded_at DESC LIMIT 1) FROM scenario WHERE $1 = '' OR name = $1 ORDER BY name`
	findSweepNames = `
	SELECT 'sweep', sweep.ulid, scenario.name, '', '' FROM sweep JOIN scenario ON scenario.id = sweep.scenario_id
	 WHERE length(CAST($2 AS text)) >= ` + shortestID + ` AND lower(sweep.ulid) LIKE $1 ESCAPE '!' AND ($3 = '' OR scenario.name = $3)
	 ORDER BY sweep.ulid DESC LIMIT $4`
	findExecutionNames = `
	SELECT 'execution', execution.ulid, '', lineage.name, '' FROM execution JOIN lineage ON lineage.id = execution.lineage_id
	 WHERE execution.ulid >= $1 AND execution.ulid < $2 AND ($3 = '' OR lineage.name = $3)
	 ORDER BY execution.ulid LIMIT $4`
)

// FoundName is a name that holds a text.
type FoundName struct {
	Kind              string // scenario, configuration, lineage, version, mutation, metric, sweep, execution
	Name              string // of a configuration its label
	Scenario, Lineage string // that it belongs to, or that it is
	Configuration     string // hash
}

// FindNames returns names that hold a text, in whatever case of ASCII letters, those that equal it first. Hashes of
// configurations and ids of executions must begin with it. At most limit names of each kind are returned, and one more
// if there are more. Of is the scenario or lineage whose names are wanted; empty for all.
func (r *Reader) FindNames(ctx context.Context, text, of string, limit int) (names []FoundName, err error) {
	lower := strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, text)
	pattern := "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(lower) + "%"
	collect := func(query, first, second string) error {
		return r.each(ctx, query, []any{first, second, of, limit + 1}, func(c *cells) {
			names = append(names, FoundName{c.text(), c.text(), c.text(), c.text(), c.text()})
		})
	}
	for _, query := range []string{findScenarioNames, findConfigurationNames, findLineageNames, findVersionNames, findMutationNames, findSweepNames, findMetricNames} {
		if err := collect(query, pattern, lower); err != nil {
			return nil, err
		}
	}
	if err := r.findMeasured(ctx, &names, lower, of, limit); err != nil {
		return nil, err
	}
	if id := strings.ToUpper(text); len(id) >= len("0123") {
		err = collect(findExecutionNames, id, id+"~")
	}
	return names, err
}

// findMeasured adds metrics that no spec has.
func (r *Reader) findMeasured(ctx context.Context, names *[]FoundName, lower, of string, limit int) error {
	n := 0
	for _, found := range *names {
		if found.Kind == "metric" {
			n++
		}
	}
	return r.each(ctx, listNewestNumbers, []any{of}, func(c *cells) {
		scenario, numbers := c.text(), c.numbers()
		for _, name := range slices.Sorted(maps.Keys(numbers)) {
			found := FoundName{Kind: "metric", Name: name, Scenario: scenario}
			if n <= limit && strings.Contains(strings.ToLower(name), lower) && !slices.Contains(*names, found) {
				*names = append(*names, found)
				n++
			}
		}
	})
}

const (
	listRecentNumbers = `SELECT numbers FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) ORDER BY recorded_at DESC LIMIT $2`
	hasValue          = `SELECT 1 FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) AND numbers LIKE $2 ESCAPE '!'`
)

// HasMetric reports whether any seed of a scenario has a value of this name.
func (r *Reader) HasMetric(ctx context.Context, scenario, name string) (bool, error) {
	quoted := strings.TrimSuffix(strings.TrimPrefix(packNumbers(map[string]float64{name: 0}), "{"), "0}")
	return r.exists(ctx, hasValue, scenario, "%"+strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(quoted)+"%")
}

// RecentMetrics returns the names of the values of the seeds of a scenario that were recorded last, n of them.
func (r *Reader) RecentMetrics(ctx context.Context, scenario string, n int) (names []string, err error) {
	known := map[string]bool{}
	return names, r.each(ctx, listRecentNumbers, []any{scenario, n}, func(c *cells) {
		for name := range c.numbers() {
			if !known[name] {
				known[name], names = true, append(names, name)
			}
		}
	})
}
