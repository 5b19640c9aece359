package store

import (
	"context"
	"database/sql/driver"
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
	SELECT 'metric', metric.name, coalesce(scenario.name, ''), '', ''
	  FROM metric
	  LEFT JOIN spec_metric ON spec_metric.metric_id = metric.id
	  LEFT JOIN spec ON spec.id = spec_metric.spec_id
	  LEFT JOIN scenario ON scenario.id = spec.scenario_id
	 WHERE lower(metric.name) LIKE $1 ESCAPE '!' AND ($3 = '' OR scenario.name = $3)
	 GROUP BY metric.name, scenario.name
	 ORDER BY lower(metric.name) <> $2, metric.name, scenario.name LIMIT $4`
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
func (r *Reader) FindNames(ctx context.Context, text, of string, limit int) (list []FoundName, err error) {
	lower := strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, text)
	pattern := "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(lower) + "%"
	collect := func(query, first, second string) error {
		return r.stream(ctx, query, []any{first, second, of, limit + 1}, func(row []driver.Value) {
			list = append(list, FoundName{asText(row[0]), asText(row[1]), asText(row[2]), asText(row[3]), asText(row[4])})
		})
	}
	for _, query := range []string{
		findScenarioNames, findConfigurationNames, findLineageNames, findVersionNames, findMutationNames, findMetricNames, findSweepNames,
	} {
		if err := collect(query, pattern, lower); err != nil {
			return nil, explain(err)
		}
	}
	if id := strings.ToUpper(text); len(id) >= len("0123") {
		err = collect(findExecutionNames, id, id+"~")
	}
	return list, explain(err)
}
