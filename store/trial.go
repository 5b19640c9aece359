package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"track"
)

// ExecutionTrial is an execution of a version as evidence.
type ExecutionTrial struct {
	Source, Key, Task string
	At                time.Time
	Status            track.ExecutionStatus
	Open              bool     // its source ended within it
	Rubric            string   // of the score; empty where it has none
	Score             *float64 // 0 to 100
}

const (
	selectExecutionTrials = `
	SELECT execution.version_id, execution.source, execution.key, execution.task, execution.at, execution.status, execution.is_open,
	       coalesce(execution_score.rubric, '') AS rubric, execution_score.score
	  FROM execution LEFT JOIN execution_score ON execution_score.execution_id = execution.id
	       AND execution_score.rubric = CASE $1 WHEN '' THEN execution.rubric ELSE $1 END`
	listExecutionTrials = selectExecutionTrials + ofVersion + `
	 ORDER BY execution.at, execution.id`
	listLineageTrials = selectExecutionTrials + `
	 WHERE execution.lineage_id = $2
	 ORDER BY execution.at, execution.id`
	listVersionNames = `SELECT id, name FROM version WHERE lineage_id = $1`
)

type executionTrialRow struct {
	Version int64    `db:"version_id"`
	Source  string   `db:"source"`
	Key     string   `db:"key"`
	Task    string   `db:"task"`
	At      int64    `db:"at"`
	Status  string   `db:"status"`
	Open    bool     `db:"is_open"`
	Rubric  string   `db:"rubric"`
	Score   *float64 `db:"score"`
}

func (r executionTrialRow) trial() ExecutionTrial {
	return ExecutionTrial{
		Source: r.Source, Key: r.Key, Task: r.Task, At: fromMicros(r.At), Status: track.ExecutionStatus(r.Status), Open: r.Open, Rubric: r.Rubric, Score: r.Score,
	}
}

// ExecutionTrials returns the executions of a version with their scores under a rubric, or with those in force where it is empty, oldest first.
func (r *Reader) ExecutionTrials(ctx context.Context, lineage, version, rubric string) ([]ExecutionTrial, error) {
	var rows []executionTrialRow
	if err := r.read().SelectContext(ctx, &rows, listExecutionTrials, rubric, lineage, version); err != nil {
		return nil, explain(err)
	}
	list := make([]ExecutionTrial, len(rows))
	for i, row := range rows {
		list[i] = row.trial()
	}
	return list, nil
}

// LineageTrials is [Reader.ExecutionTrials] of all versions of a lineage at once, by their names.
func (r *Reader) LineageTrials(ctx context.Context, lineage Evolving, rubric string) (map[string][]ExecutionTrial, error) {
	var versions []struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}
	if err := r.read().SelectContext(ctx, &versions, listVersionNames, lineage.ID); err != nil {
		return nil, explain(err)
	}
	names := make(map[int64]string, len(versions))
	for _, v := range versions {
		names[v.ID] = v.Name
	}
	var rows []executionTrialRow
	if err := r.read().SelectContext(ctx, &rows, listLineageTrials, rubric, lineage.ID); err != nil {
		return nil, explain(err)
	}
	trials := make(map[string][]ExecutionTrial, len(versions))
	for _, row := range rows {
		trials[names[row.Version]] = append(trials[names[row.Version]], row.trial())
	}
	return trials, nil
}

// RecentComponents are the components of the newest executions of a version.
type RecentComponents struct {
	Status track.ExecutionStatus
	Values map[string]*float64 // 0..1, by the name of the component; empty where it has no score
}

const (
	listRecent = `
	SELECT execution.id, execution.status FROM execution` + ofVersion + ` AND execution.is_open = 0 ORDER BY execution.at DESC, execution.id DESC LIMIT $1`
	listRecentComponents = `
	SELECT component.name, component.value FROM execution
	  JOIN component ON component.execution_id = execution.id AND component.rubric = CASE $1 WHEN '' THEN execution.rubric ELSE $1 END
	 WHERE execution.id = $2`
)

// RecentComponents returns the components of the newest n executions of a version under a rubric, or under that in force where it is empty,
// the newest first.
func (r *Reader) RecentComponents(ctx context.Context, lineage, version, rubric string, n int) ([]RecentComponents, error) {
	var rows []struct {
		ID     int64  `db:"id"`
		Status string `db:"status"`
	}
	if err := r.read().SelectContext(ctx, &rows, listRecent, n, lineage, version); err != nil {
		return nil, explain(err)
	}
	list := make([]RecentComponents, len(rows))
	for i, row := range rows {
		var components []struct {
			Name  string   `db:"name"`
			Value *float64 `db:"value"`
		}
		if err := r.read().SelectContext(ctx, &components, listRecentComponents, rubric, row.ID); err != nil {
			return nil, explain(err)
		}
		list[i] = RecentComponents{track.ExecutionStatus(row.Status), map[string]*float64{}}
		for _, c := range components {
			list[i].Values[c.Name] = c.Value
		}
	}
	return list, nil
}

const (
	countExecutions = `SELECT count(*) FROM execution WHERE lineage_id = $1`
	countSeeds      = `SELECT count(*) FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1)`
)

// CountExecutions counts the executions of a lineage.
func (r *Reader) CountExecutions(ctx context.Context, lineage Evolving) (n int, err error) {
	return n, explain(r.read().GetContext(ctx, &n, countExecutions, lineage.ID))
}

// CountSeeds counts the seeds of a scenario, those in whose place others stand too.
func (r *Reader) CountSeeds(ctx context.Context, scenario string) (n int, err error) {
	return n, explain(r.read().GetContext(ctx, &n, countSeeds, scenario))
}

// SeedTrial is a seed of a configuration as evidence.
type SeedTrial struct {
	Configuration Configuration
	Number        track.SeedNumber
	At            time.Time // started, or recorded where that is unknown
	Outcome       track.Outcome
	Assessed      bool
	TotalScore    *float64 // 0 to 1; nil where a metric is missing
}

const listSeedTrials = `
	SELECT ` + configurationColumns + `, seed.number, coalesce(seed.started_at, seed.recorded_at) AS at, seed.outcome,
	       assessment.seed_id IS NOT NULL AS assessed, assessment.total_score
	  FROM scenario_configuration
	 ORDERED JOIN configuration ON configuration.id = scenario_configuration.configuration_id
	 ORDERED JOIN seed ON seed.scenario_id = scenario_configuration.scenario_id AND seed.configuration_id = configuration.id AND seed.superseded_at IS NULL
	  LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE scenario_configuration.scenario_id = (SELECT id FROM scenario WHERE name = $2) AND configuration.params = $3
	 ORDER BY scenario_configuration.id, at, seed.id`

// SeedTrials returns the seeds of a scenario under the configurations with the given parameters, canonical JSON, whatever else they differ in: configuration
// by configuration, in the order in which these were first recorded to.
func (r *Reader) SeedTrials(ctx context.Context, scenario string, specID int64, params string) ([]SeedTrial, error) {
	var rows []struct {
		configurationRow
		Number     track.SeedNumber `db:"number"`
		At         int64            `db:"at"`
		Outcome    string           `db:"outcome"`
		Assessed   bool             `db:"assessed"`
		TotalScore *float64         `db:"total_score"`
	}
	if err := r.read().SelectContext(ctx, &rows, hinted(listSeedTrials), specID, scenario, params); err != nil {
		return nil, explain(err)
	}
	list := make([]SeedTrial, len(rows))
	for i, row := range rows {
		list[i] = SeedTrial{row.configuration(), row.Number, fromMicros(row.At), track.Outcome(row.Outcome), row.Assessed, row.TotalScore}
	}
	return list, nil
}

// VersionState is a version of a lineage with what is known of it, but for its content.
type VersionState struct {
	Name        string
	Number      int    // in the order in which they came into being
	ContentID   string // SHA-256 of the content in hexadecimal; empty where it is not known
	Parent      string
	Operator    string
	Status      string // in the words of the source
	NExecutions int
	CreatedAt   time.Time
	SourceScore *float64
}

const selectVersions = `
	SELECT version.name, version.id AS number, version.content_digest, coalesce(parent.name, '') AS parent, version.operator, version.status,
	       version.created_at, version.source_score, (SELECT count(*) FROM execution WHERE execution.version_id = version.id) AS n
	  FROM version JOIN lineage ON lineage.id = version.lineage_id LEFT JOIN version AS parent ON parent.id = version.parent_id
	 WHERE lineage.name = $1`

// VersionStates returns all versions of a lineage that have a name, the oldest first.
func (r *Reader) VersionStates(ctx context.Context, lineage string) ([]VersionState, error) {
	return r.versionStates(ctx, selectVersions+" AND version.name <> '' ORDER BY version.created_at, version.id", lineage)
}

// VersionState returns one version of a lineage.
func (r *Reader) VersionState(ctx context.Context, lineage, name string) (VersionState, error) {
	list, err := r.versionStates(ctx, selectVersions+" AND version.name = $2", lineage, name)
	if err == nil && len(list) == 0 {
		return VersionState{}, track.WithHint(fmt.Errorf("version %s of lineage %s: %w", name, lineage, track.ErrNotFound), track.Hint{Text: "track version list " + lineage + " shows those that there are"})

	}
	if err != nil {
		return VersionState{}, err
	}
	return list[0], nil
}

func (r *Reader) versionStates(ctx context.Context, query string, args ...any) ([]VersionState, error) {
	var rows []struct {
		Name      string          `db:"name"`
		Number    int             `db:"number"`
		Digest    []byte          `db:"content_digest"`
		Parent    string          `db:"parent"`
		Operator  string          `db:"operator"`
		Status    string          `db:"status"`
		CreatedAt int64           `db:"created_at"`
		Score     sql.NullFloat64 `db:"source_score"`
		N         int             `db:"n"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	list := make([]VersionState, len(rows))
	for i, row := range rows {
		list[i] = VersionState{
			Name: row.Name, Number: row.Number, ContentID: hex.EncodeToString(row.Digest), Parent: row.Parent, Operator: row.Operator, Status: row.Status,
			NExecutions: row.N, CreatedAt: fromMicros(row.CreatedAt),
		}
		if row.Score.Valid {
			list[i].SourceScore = &row.Score.Float64
		}
	}
	return list, nil
}

const getContent = `
	SELECT content FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE lineage.name = $1 AND version.name = $2`

// Content returns the content of a version, nil where it is not known.
func (r *Reader) Content(ctx context.Context, lineage, name string) (content *string, err error) {
	err = r.read().GetContext(ctx, &content, getContent, lineage, name)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = r.VersionState(ctx, lineage, name)
	}
	return content, explain(err)
}

// LineageTotals are sums over the executions of a lineage, or the seeds of a scenario.
type LineageTotals struct {
	Executions   int     `db:"n"`
	Failed       int     `db:"failed"`
	CostUSD      float64 `db:"cost"`
	NCost        int     `db:"n_cost"` // of which the cost is known
	TokensInput  int64   `db:"tokens_input"`
	TokensOutput int64   `db:"tokens_output"`
	NTokens      int     `db:"n_tokens"`
	Seconds      float64 `db:"seconds"`
	NSeconds     int     `db:"n_seconds"`
}

const (
	totalExecutions = `
	SELECT count(*) AS n, count(*) FILTER (WHERE status <> 'ok') AS failed, coalesce(sum(cost_usd), 0.0) AS cost, count(cost_usd) AS n_cost,
	       coalesce(sum(tokens_input), 0) AS tokens_input, coalesce(sum(tokens_output), 0) AS tokens_output, count(coalesce(tokens_input, tokens_output)) AS n_tokens,
	       coalesce(sum(duration_us), 0) / 1e6 AS seconds, count(duration_us) AS n_seconds
	  FROM execution WHERE lineage_id = $1`
	totalSeeds = `
	SELECT count(*) AS n, count(*) FILTER (WHERE outcome <> 'ok') AS failed, 0.0 AS cost, 0 AS n_cost, 0 AS tokens_input, 0 AS tokens_output, 0 AS n_tokens,
	       coalesce(sum(duration_us), 0) / 1e6 AS seconds, count(duration_us) AS n_seconds
	  FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) AND superseded_at IS NULL`
)

// ExecutionTotals sums up the executions of a lineage.
func (r *Reader) ExecutionTotals(ctx context.Context, lineage Evolving) (t LineageTotals, err error) {
	return t, explain(r.read().GetContext(ctx, &t, totalExecutions, lineage.ID))
}

// ScenarioTotals sums up the seeds of a scenario.
func (r *Reader) ScenarioTotals(ctx context.Context, scenario string) (t LineageTotals, err error) {
	return t, explain(r.read().GetContext(ctx, &t, totalSeeds, scenario))
}
