package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Baseline is a configuration pinned for a scenario, or the removal of a pin.
type Baseline struct {
	ULID          string
	Scenario      string
	Configuration *Configuration // nil if the pin was removed
	Replaced      string         // hash of the configuration that was pinned before; empty for none
	Previous      string         // ULID of the pin that it replaced; empty for none
	Reason        string
	Actor         string
	SetAt         time.Time
}

const (
	selectBaselines = `
	SELECT baseline.ulid, scenario.name AS scenario, coalesce(baseline.reason, '') AS reason, coalesce(actor.name, '') AS actor, baseline.set_at,
	       coalesce(configuration.id, 0) AS id, coalesce(configuration.hash, '') AS hash, coalesce(configuration.label, '') AS label,
	       coalesce(configuration.params, '') AS params, coalesce(configuration.commit_id, '') AS commit_id,
	       coalesce(configuration.dirty, 0) AS dirty, coalesce(configuration.diff_hash, '') AS diff_hash,
	       coalesce(configuration.files_hash, '') AS files_hash, coalesce(configuration.state_unknown, '') AS state_unknown,
	       coalesce(configuration.created_at, 0) AS created_at, coalesce(replaced.hash, '') AS replaced, coalesce(previous.ulid, '') AS previous_ulid
	  FROM baseline
	  JOIN scenario ON scenario.id = baseline.scenario_id
	  LEFT JOIN actor ON actor.id = baseline.actor_id
	  LEFT JOIN configuration ON configuration.id = baseline.configuration_id
	  LEFT JOIN baseline AS previous ON previous.id = baseline.previous_id
	  LEFT JOIN configuration AS replaced ON replaced.id = previous.configuration_id`
	getBaseline = selectBaselines + `
	 WHERE baseline.scenario_id = (SELECT id FROM scenario WHERE name = $1) ORDER BY baseline.set_at DESC, baseline.id DESC LIMIT 1`
	listScenarioBaselines = selectBaselines + `
	 WHERE baseline.scenario_id = (SELECT id FROM scenario WHERE name = $1) ORDER BY baseline.set_at DESC, baseline.id DESC`
	listCurrentBaselines = selectBaselines + `
	 WHERE baseline.id = (SELECT newest.id FROM baseline AS newest WHERE newest.scenario_id = scenario.id ORDER BY newest.set_at DESC, newest.id DESC LIMIT 1) AND baseline.configuration_id IS NOT NULL
	 ORDER BY scenario.name`
	listAllBaselines = selectBaselines + ` ORDER BY baseline.id`
	addBaseline      = `
	INSERT INTO baseline (ulid, scenario_id, configuration_id, previous_id, reason, actor_id, set_at)
	VALUES ($1, $2, $3, (SELECT id FROM baseline WHERE ulid = $4), $5, $6, $7) ON CONFLICT (ulid) DO NOTHING`
	insertBaseline = `
	INSERT INTO baseline (ulid, scenario_id, configuration_id, previous_id, reason, actor_id, set_at)
	SELECT $1, $2, $3, (SELECT id FROM baseline WHERE scenario_id = $2 ORDER BY set_at DESC, id DESC LIMIT 1), $4, $5,
	       CASE WHEN $6 <= newest.set_at THEN newest.set_at + 1 ELSE $6 END
	  FROM (SELECT coalesce(max(set_at), -1) AS set_at FROM baseline WHERE scenario_id = $2) AS newest` // later than what it replaces, which may come from a clock that is ahead
)

type baselineRow struct {
	ULID     string `db:"ulid"`
	Scenario string `db:"scenario"`
	Reason   string `db:"reason"`
	Actor    string `db:"actor"`
	SetAt    int64  `db:"set_at"`
	Replaced string `db:"replaced"`
	Previous string `db:"previous_ulid"`
	configurationRow
}

func (r baselineRow) baseline() (Baseline, error) {
	b := Baseline{ULID: r.ULID, Scenario: r.Scenario, Replaced: r.Replaced, Previous: r.Previous, Reason: r.Reason, Actor: r.Actor, SetAt: fromMicros(r.SetAt)}
	if r.ID == 0 {
		return b, nil
	}
	c := r.configuration()
	b.Configuration = &c
	return b, r.check()
}

// Baseline returns the configuration pinned for a scenario; nil if there is none.
func (r *Reader) Baseline(ctx context.Context, scenario string) (*Baseline, error) {
	var row baselineRow
	err := r.read().GetContext(ctx, &row, getBaseline, scenario)
	if errors.Is(err, sql.ErrNoRows) || err == nil && row.ID == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	b, err := row.baseline()
	return &b, err
}

// Baselines returns the active pins, by scenario; for one scenario all pins, the newest first, where it is
// not empty.
func (r *Reader) Baselines(ctx context.Context, scenario string) ([]Baseline, error) {
	if scenario != "" {
		return r.baselines(ctx, listScenarioBaselines, scenario)
	}
	return r.baselines(ctx, listCurrentBaselines)
}

// AllBaselines returns all pins of all scenarios, in the order in which they were recorded here.
func (r *Reader) AllBaselines(ctx context.Context) ([]Baseline, error) {
	return r.baselines(ctx, listAllBaselines)
}

func (r *Reader) baselines(ctx context.Context, query string, args ...any) ([]Baseline, error) {
	var rows []baselineRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	list := make([]Baseline, len(rows))
	for i, row := range rows {
		var err error
		if list[i], err = row.baseline(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// SetBaseline records a pin, or with no Configuration that it was taken away. What it replaces is the newest row of the
// scenario, whatever Replaced says.
func (t *Tx) SetBaseline(b Baseline) error {
	scenario, err := t.scenarioID(b.Scenario)
	if err != nil {
		return err
	}
	var configuration any
	if b.Configuration != nil {
		configuration = b.Configuration.ID
	}
	actor, err := t.actorID(b.Actor)
	if err != nil {
		return err
	}
	_, err = t.exec(insertBaseline, b.ULID, scenario, configuration, t.free(b.Reason), actor, micros(b.SetAt))
	return err
}

// AddBaseline stores a pin of another database, and reports whether it is new.
func (t *Tx) AddBaseline(b Baseline) (added bool, err error) {
	scenario, err := t.scenarioID(b.Scenario)
	if err != nil {
		return false, err
	}
	var configuration any
	if b.Configuration != nil {
		if configuration, err = t.configurationID(b.Configuration.Configuration); err != nil {
			return false, err
		}
	}
	actor, err := t.actorID(b.Actor)
	if err != nil {
		return false, err
	}
	n, err := t.change(addBaseline, b.ULID, scenario, configuration, b.Previous, t.free(b.Reason), actor, micros(b.SetAt))
	return n > 0, err
}
