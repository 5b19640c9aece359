package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"track"
)

// Spec is a version of a scenario's spec as it is stored.
type Spec struct {
	ID        int64
	Scenario  string
	Version   int
	Hash      string // hex SHA-256 of Document
	Title     string
	Document  []byte // canonical JSON
	CreatedAt time.Time
}

// SpecMetric is what queries need to know of a metric of a spec.
type SpecMetric struct {
	Name, Type, Group string
	Weight            float64
	Computed          bool // the spec computes its value from a series
}

type specRow struct {
	ID        int64  `db:"id"`
	Scenario  string `db:"scenario"`
	Version   int    `db:"version"`
	Hash      string `db:"hash"`
	Title     string `db:"title"`
	Document  string `db:"document"`
	CreatedAt int64  `db:"created_at"`
}

func (r specRow) spec() Spec {
	return Spec{r.ID, r.Scenario, r.Version, r.Hash, r.Title, []byte(r.Document), fromMicros(r.CreatedAt)}
}

const selectSpec = `
	SELECT spec.id, scenario.name AS scenario, spec.version, spec.hash, coalesce(spec.title, '') AS title, spec.document, spec.created_at
	  FROM spec JOIN scenario ON scenario.id = spec.scenario_id`

const (
	getSpecNewest   = selectSpec + ` WHERE scenario.name = $1 ORDER BY spec.version DESC LIMIT 1`
	getSpecVersion  = selectSpec + ` WHERE scenario.name = $1 AND spec.version = $2`
	getSpecByHash   = selectSpec + ` WHERE scenario.name = $1 AND spec.hash = $2`
	getNewestSpecID = `SELECT spec.id FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 ORDER BY spec.version DESC LIMIT 1`
	listSpecs       = selectSpec + ` ORDER BY scenario.name, spec.version`
)

// Spec returns a version of a scenario's spec, the newest for version 0.
func (r *Reader) Spec(ctx context.Context, scenario string, version int) (Spec, error) {
	var row specRow
	var err error
	if version == 0 {
		err = r.read().GetContext(ctx, &row, getSpecNewest, scenario)
	} else {
		err = r.read().GetContext(ctx, &row, getSpecVersion, scenario, version)
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("spec %s: %w", specName(scenario, version), track.ErrNotFound)
		return Spec{}, track.WithHint(track.WithHint(err, track.NewHint("list the specs", "spec list")), track.NewHint("add one", "spec add", "FILE"))
	}
	return row.spec(), explain(err)
}

// IsNewestSpec reports whether the spec with this id is the newest version of a scenario. It costs less than to read it.
func (t *Tx) IsNewestSpec(scenario string, id int64) (bool, error) {
	var newest int64
	err := t.getID(&newest, getNewestSpecID, scenario)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return newest == id, explain(err)
}

func specName(scenario string, version int) string {
	if version == 0 {
		return scenario
	}
	return fmt.Sprintf("%s@%d", scenario, version)
}

// Specs returns all versions of all scenarios, by scenario and version.
func (r *Reader) Specs(ctx context.Context) ([]Spec, error) {
	var rows []specRow
	if err := r.read().SelectContext(ctx, &rows, listSpecs); err != nil {
		return nil, explain(err)
	}
	specs := make([]Spec, len(rows))
	for i, row := range rows {
		specs[i] = row.spec()
	}
	return specs, nil
}

const (
	insertSpec = `
	INSERT INTO spec (scenario_id, version, hash, title, document, created_at)
	VALUES ($1, (SELECT coalesce(max(version), 0) + 1 FROM spec WHERE scenario_id = $1), $2, $3, $4, $5)
	RETURNING id`
	insertSpecMetric = `INSERT INTO spec_metric (spec_id, position, metric_id, type, weight, metric_group, computed) VALUES ($1, $2, $3, $4, $5, $6, $7)`
)

// AddSpec stores spec as the next version of its scenario and returns it with ID, Version and CreatedAt. Where the
// scenario has a version of the same hash it returns that one and false.
func (t *Tx) AddSpec(spec Spec, metrics []SpecMetric) (stored Spec, added bool, err error) {
	var row specRow
	err = t.get(&row, getSpecByHash, spec.Scenario, spec.Hash)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return row.spec(), false, err
	}
	scenario, err := t.scenarioID(spec.Scenario)
	if err == nil {
		err = t.checkText("spec", string(spec.Document))
	}
	if err != nil {
		return Spec{}, false, err
	}
	var id int64
	err = t.get(&id, insertSpec, scenario, spec.Hash, t.free(spec.Title), string(spec.Document), t.now)
	if err != nil {
		return Spec{}, false, err
	}
	for i, m := range metrics {
		metric, err := t.metricID(m.Name)
		if err == nil {
			_, err = t.exec(insertSpecMetric, id, i, metric, m.Type, m.Weight, nullText(m.Group), m.Computed)
		}
		if err != nil {
			return Spec{}, false, err
		}
	}
	err = t.get(&row, getSpecByHash, spec.Scenario, spec.Hash)
	return row.spec(), err == nil, err
}

const (
	listSpecHashes = `SELECT spec.id, spec.hash FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 ORDER BY spec.version`
	setSpecAdded   = `UPDATE spec SET version = $1, created_at = $2 WHERE id = $3`
	earlierSpec    = `UPDATE spec SET created_at = $1 WHERE id = $2 AND created_at > $1`
)

// SpecHash names a version of a spec by its content.
type SpecHash struct {
	ID   int64  `db:"id"`
	Hash string `db:"hash"`
}

// SpecHashes returns the specs of a scenario by their versions.
func (r *Reader) SpecHashes(ctx context.Context, scenario string) (list []SpecHash, err error) {
	return list, explain(r.read().SelectContext(ctx, &list, listSpecHashes, scenario))
}

// AddSpecAs stores a version of a spec of another database under the number that it has there. Of one that is here, the
// earlier time counts.
func (t *Tx) AddSpecAs(s Spec, metrics []SpecMetric) error {
	stored, added, err := t.AddSpec(s, metrics)
	switch {
	case err != nil:
		return err
	case added:
		_, err = t.exec(setSpecAdded, s.Version, micros(s.CreatedAt), stored.ID)
	default:
		_, err = t.exec(earlierSpec, micros(s.CreatedAt), stored.ID)
	}
	return err
}
