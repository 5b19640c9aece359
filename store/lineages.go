package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
)

// VersionSummary is a version of a lineage with what was recorded of it.
type VersionSummary struct {
	Lineage, Version string
	NExecutions      int
	NFailed          int // that did not end well
	First, Last      time.Time
}

const listVersions = `
	SELECT lineage.name AS lineage, version.name AS version, count(execution.id) AS n, count(*) FILTER (WHERE execution.status <> 'ok') AS n_failed,
	       min(execution.at) AS first, max(execution.at) AS last
	  FROM lineage JOIN version ON version.lineage_id = lineage.id JOIN execution ON execution.version_id = version.id
	 WHERE lineage.name = $1
	 GROUP BY version.id, lineage.name, version.name ORDER BY first, version.id`

// Versions returns the versions of a lineage that have executions, in the order of their first one.
func (r *Reader) Versions(ctx context.Context, lineage string) ([]VersionSummary, error) {
	var rows []struct {
		Lineage string `db:"lineage"`
		Version string `db:"version"`
		N       int    `db:"n"`
		NFailed int    `db:"n_failed"`
		First   int64  `db:"first"`
		Last    int64  `db:"last"`
	}
	if err := r.read().SelectContext(ctx, &rows, listVersions, lineage); err != nil {
		return nil, explain(err)
	}
	if len(rows) == 0 {
		return nil, r.noLineage(ctx, lineage)
	}
	list := make([]VersionSummary, len(rows))
	for i, row := range rows {
		list[i] = VersionSummary{row.Lineage, row.Version, row.N, row.NFailed, fromMicros(row.First), fromMicros(row.Last)}
	}
	return list, nil
}

// TaskSummary is a task of a lineage with what was recorded of it.
type TaskSummary struct {
	Task        string `db:"task"`
	NExecutions int    `db:"n"`
	NFailed     int    `db:"n_failed"` // that did not end well
}

const listTasks = `
	SELECT coalesce(task, '') AS task, count(*) AS n, count(*) FILTER (WHERE status <> 'ok') AS n_failed
	  FROM execution WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1)
	 GROUP BY coalesce(task, '') ORDER BY coalesce(task, '')`

// Tasks returns the tasks of a lineage, by name.
func (r *Reader) Tasks(ctx context.Context, lineage string) (list []TaskSummary, err error) {
	return list, explain(r.read().SelectContext(ctx, &list, listTasks, lineage))
}

const listLineages = `SELECT name FROM lineage ORDER BY name`

// Lineages returns the names of all lineages, sorted.
func (r *Reader) Lineages(ctx context.Context) (names []string, err error) {
	return names, explain(r.read().SelectContext(ctx, &names, listLineages))
}

const getNewestVersion = `
	SELECT version.name FROM execution JOIN version ON version.id = execution.version_id
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)
	 ORDER BY execution.at DESC, execution.id DESC LIMIT 1`

// NewestVersion returns the name of the version of a lineage that was executed last.
func (r *Reader) NewestVersion(ctx context.Context, lineage string) (name string, err error) {
	err = r.read().GetContext(ctx, &name, getNewestVersion, lineage)
	if errors.Is(err, sql.ErrNoRows) {
		return "", r.noLineage(ctx, lineage)
	}
	return name, explain(err)
}

// CheckLineage returns an error if a lineage, or the given version of it, has no executions. The error lists what
// exists.
func (r *Reader) CheckLineage(ctx context.Context, lineage string, version *string) error {
	versions, err := r.Versions(ctx, lineage)
	if err != nil || version == nil || slices.ContainsFunc(versions, func(v VersionSummary) bool { return v.Version == *version }) {
		return err
	}
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = lineage + "@" + v.Version
	}
	return track.WithHint(fmt.Errorf("executions of %s@%s: %w", lineage, *version, track.ErrNotFound),
		nearestOf(lineage+"@"+*version, names, track.Hint{Text: "there are: " + strings.Join(names, ", ")}))
}

func (r *Reader) noLineage(ctx context.Context, lineage string) error {
	names, err := r.Lineages(ctx)
	if err != nil {
		return explain(err)
	}
	hint := track.NewHint("there is no lineage yet; record an execution", "record execution")
	if len(names) > 0 {
		hint = track.Hint{Text: "the lineages are: " + strings.Join(names, ", ")}
	}
	return track.WithHint(fmt.Errorf("executions of lineage %s: %w", lineage, track.ErrNotFound), nearestOf(lineage, names, hint))
}

const getKeepText = `SELECT keep_text FROM lineage WHERE name = $1`

// KeepsText reports whether a lineage keeps inputs and outputs as they are; false if there is no such lineage.
func (r *Reader) KeepsText(ctx context.Context, lineage string) (keep bool, err error) {
	err = r.read().GetContext(ctx, &keep, getKeepText, lineage)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return keep, explain(err)
}

const setKeepText = `UPDATE lineage SET keep_text = $1 WHERE id = $2`

// SetKeepText sets whether a lineage keeps inputs and outputs as they are, from now on.
func (t *Tx) SetKeepText(lineage string, keep bool) error {
	id, err := t.lineageID(lineage)
	if err == nil {
		err = t.execSealed(sealedLineages(), id, setKeepText, keep, id)
	}
	return err
}
