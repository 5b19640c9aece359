package store

import (
	"context"

	"track"
)

const (
	listAllConfigurations = `SELECT ` + configurationColumns + ` FROM configuration ORDER BY configuration.id`
	// Of the times at which a configuration was recorded first, the earlier one counts.
	addConfiguration = `
	INSERT INTO configuration (hash, label, params, commit_id, dirty, diff_hash, files_hash, state_unknown, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (hash) DO UPDATE SET created_at = excluded.created_at WHERE excluded.created_at < configuration.created_at`
	hasConfiguration = `SELECT EXISTS (SELECT 1 FROM configuration WHERE hash = $1)`
	// The pairs of a scenario whose place differs from the one that their first seeds have get the negative id of that
	// place.
	movePairs = `
	WITH first AS (
	    SELECT configuration_id, min(recorded_at) AS at FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) GROUP BY configuration_id
	), place AS (
	    SELECT pair.id, row_number() OVER (ORDER BY pair.id) AS here, row_number() OVER (ORDER BY first.at, pair.id) AS there
	      FROM scenario_configuration AS pair JOIN first ON first.configuration_id = pair.configuration_id
	     WHERE pair.scenario_id = (SELECT id FROM scenario WHERE name = $1)
	)
	UPDATE scenario_configuration SET id = -(SELECT other.id FROM place AS own JOIN place AS other ON other.here = own.there WHERE own.id = scenario_configuration.id)
	 WHERE id IN (SELECT id FROM place WHERE here <> there)`
	negatePairs = `UPDATE scenario_configuration SET id = -id WHERE id < 0`
)

// AllConfigurations returns the configurations of all scenarios, in the order in which they were recorded.
func (r *Reader) AllConfigurations(ctx context.Context) ([]Configuration, error) {
	var rows []configurationRow
	if err := r.read().SelectContext(ctx, &rows, listAllConfigurations); err != nil {
		return nil, explain(err)
	}
	list := make([]Configuration, len(rows))
	for i, row := range rows {
		if err := row.check(); err != nil {
			return nil, err
		}
		list[i] = row.configuration()
	}
	return list, nil
}

// AddConfiguration stores a configuration of another database, and reports whether it is new.
func (t *Tx) AddConfiguration(c track.Configuration) (added bool, err error) {
	if err := t.admit(&c); err != nil {
		return false, err
	}
	known, hash, r := false, c.Hash(), c.Revision
	if err := t.get(&known, hasConfiguration, hash); err != nil {
		return false, err
	}
	_, err = t.exec(addConfiguration, hash, nullText(c.Label), string(c.Params.JSON()), nullText(r.Commit), r.Dirty, nullText(r.DiffHash), nullText(r.FilesHash),
		nullText(r.Unknown), t.now)
	return !known, err
}

// OrderConfigurations puts the configurations of a scenario into the order of their first seeds, as they are if one
// database records all seeds.
func (t *Tx) OrderConfigurations(scenario string) error {
	n, err := t.change(movePairs, scenario)
	if err == nil && n > 0 {
		_, err = t.exec(negatePairs)
	}
	return err
}
