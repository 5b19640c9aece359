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

// VersionState is a version of a lineage as it is stored.
type VersionState struct {
	Name              string
	Number            int     // in the order in which versions were recorded
	ContentID         string  // SHA-256 of the content in hexadecimal; empty if it is not known
	Content           *string // nil if it is not known, or not asked for
	Parent            string
	Operator          string
	Status            string // in the words of the source
	Note, Source      string
	NExecutions       int
	CreatedAt         time.Time // when it was recorded
	SourceCreatedAt   time.Time // according to the source; zero if unknown
	SourceScore       *float64
	SourceParentScore *float64
}

// Version returns what was recorded of a version.
func (v VersionState) Version(lineage string) track.Version {
	return track.Version{
		Lineage: lineage, Name: v.Name, Parent: v.Parent, Operator: v.Operator, Content: v.Content, Status: v.Status, Note: v.Note, Source: v.Source,
		SourceScore: v.SourceScore, SourceParentScore: v.SourceParentScore, CreatedAt: v.SourceCreatedAt,
	}
}

const (
	selectVersions = `
	SELECT version.name, version.id AS number, version.content_digest, CASE WHEN CAST($1 AS bigint) = 1 THEN version.content END AS content, coalesce(parent.name, '') AS parent,
	       coalesce(version.operator, '') AS operator, coalesce(version.status, '') AS status, coalesce(version.note, '') AS note,
	       coalesce(version.source, '') AS source, version.created_at, version.source_created_at, version.source_score,
	       version.source_parent_score, (SELECT count(*) FROM execution WHERE execution.version_id = version.id) AS n
	  FROM version JOIN lineage ON lineage.id = version.lineage_id LEFT JOIN version AS parent ON parent.id = version.parent_id
	 WHERE lineage.name = $2`
	inOrderOfVersions = ` AND version.name <> '' ORDER BY version.created_at, version.id`
	ofName            = ` AND version.name = $3`
	ofNames           = ` AND version.name IN ({list})`
)

// VersionStates returns all versions of a lineage that have a name, without their contents, the oldest first.
func (r *Reader) VersionStates(ctx context.Context, lineage string) ([]VersionState, error) {
	return r.versionStates(ctx, selectVersions+inOrderOfVersions, false, lineage)
}

// NamedVersions returns the named versions of a lineage, without their contents, the oldest first.
func (r *Reader) NamedVersions(ctx context.Context, lineage string, names ...string) ([]VersionState, error) {
	c := clauses{}
	c.add(selectVersions, false, lineage)
	c.addList(ofNames, anys(names)...)
	c.add(inOrderOfVersions)
	text, args := c.statement()
	return r.versionStates(ctx, text, args...)
}

// VersionContents returns versions of a lineage with their contents, the oldest first: those named, or all that have a
// name.
func (r *Reader) VersionContents(ctx context.Context, lineage string, names ...string) ([]VersionState, error) {
	text, args := versionContentsQuery(lineage, names)
	return r.versionStates(ctx, text, args...)
}

func versionContentsQuery(lineage string, names []string) (text string, args []any) {
	c := clauses{}
	c.add(selectVersions, true, lineage)
	if len(names) > 0 {
		c.addList(ofNames, anys(names)...)
	}
	c.add(inOrderOfVersions)
	return c.statement()
}

// VersionState returns one version of a lineage, without its content.
func (r *Reader) VersionState(ctx context.Context, lineage, name string) (VersionState, error) {
	list, err := r.versionStates(ctx, selectVersions+ofName, false, lineage, name)
	if err == nil && len(list) == 0 {
		err := fmt.Errorf("version %s of lineage %s: %w", name, lineage, track.ErrNotFound)
		names, listErr := r.VersionNames(ctx, lineage)
		if listErr != nil {
			return VersionState{}, listErr
		}
		return VersionState{}, track.WithHint(err, nearestOf(name, names, track.NewHint("list the versions", "version list", lineage)))
	}
	if err != nil {
		return VersionState{}, err
	}
	return list[0], nil
}

func (r *Reader) versionStates(ctx context.Context, query string, args ...any) ([]VersionState, error) {
	list := []VersionState{}
	err := r.streamCells(ctx, query, args, func(c *cells) {
		list = append(list, VersionState{
			Name: c.text(), Number: int(c.integer()), ContentID: hex.EncodeToString(c.bytes()), Content: c.optionalText(), Parent: c.text(), Operator: c.text(),
			Status: c.text(), Note: c.text(), Source: c.text(), CreatedAt: fromMicros(c.integer()), SourceCreatedAt: c.optionalTime(), SourceScore: c.real(),
			SourceParentScore: c.real(), NExecutions: int(c.integer()),
		})
	})
	return list, err
}

const getContent = `
	SELECT content FROM version JOIN lineage ON lineage.id = version.lineage_id WHERE lineage.name = $1 AND version.name = $2`

// Content returns the content of a version, nil if it is not known.
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
