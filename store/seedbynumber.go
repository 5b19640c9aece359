package store

import (
	"context"
	"fmt"

	"track"
)

// Pairs of the scenario are read from their table, and seeds by their ids: what an index says is only compared with it.
const (
	seedByNumber = selectSeeds + whichCount + `
	   AND seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.number = $2 AND seed.configuration_id = $3`
	seedByNumberAnywhere = selectSeeds + whichCount + `
	   AND seed.id IN (
	       SELECT place.id FROM scenario_configuration AS pair
	      ORDERED JOIN seed AS place ON place.scenario_id = pair.scenario_id AND place.configuration_id = pair.configuration_id
	                           AND place.number = $2 AND place.superseded_at IS NULL
	        WHERE NOINDEX pair.scenario_id = (SELECT id FROM scenario WHERE name = $1))
	 ORDER BY seed.recorded_at DESC, seed.id DESC`

	// A configuration without a seed of this number must have as many seeds as are stored for it, and none whose row has
	// the number, or the index has lost some. $3 is its id, 0 for all.
	countLostPairs = `
	SELECT count(*) FROM scenario_configuration AS pair
	 WHERE NOINDEX pair.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND CAST($3 AS bigint) IN (0, pair.configuration_id)
	   AND NOT EXISTS (
	       SELECT 1 FROM seed AS entry ORDERED JOIN seed ON seed.id = entry.id AND NOINDEX seed.configuration_id = pair.configuration_id
	        WHERE entry.scenario_id = pair.scenario_id AND entry.configuration_id = pair.configuration_id AND entry.number = $2 AND entry.superseded_at IS NULL)
	   AND (n_seeds, 0) <> (
	       SELECT count(*), count(CASE WHEN seed.number = $2 THEN 1 END) FROM seed AS entry ORDERED JOIN seed ON seed.id = entry.id
	        WHERE entry.scenario_id = pair.scenario_id AND entry.configuration_id = pair.configuration_id AND entry.superseded_at IS NULL)`
)

// SeedByNumber returns the seed of a scenario with this number, as recorded last, and the same seed under other
// configurations, the newest first. An id narrows it to that configuration, 0 does not.
func (r *Reader) SeedByNumber(ctx context.Context, scenario string, number track.SeedNumber, configuration int64) (detail track.RecordedSeed, others []track.RecordedSeed, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		detail, others, err = r.seedByNumber(ctx, scenario, number, configuration)
		return err
	})
	return detail, others, err
}

func (r *Reader) seedByNumber(ctx context.Context, scenario string, number track.SeedNumber, configuration int64) (track.RecordedSeed, []track.RecordedSeed, error) {
	query, args := seedByNumberAnywhere, []any{scenario, number}
	if configuration != 0 {
		query, args = seedByNumber, append(args, configuration)
	}
	var rows []seedRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return track.RecordedSeed{}, nil, explain(err)
	}
	if err := r.checkSeedNumber(ctx, rows, scenario, number, configuration); err != nil {
		return track.RecordedSeed{}, nil, explain(err)
	}
	if len(rows) == 0 {
		return r.noSeedOfNumber(ctx, scenario, number, configuration)
	}
	list, err := r.recordedSeeds(ctx, rows)
	if err != nil {
		return track.RecordedSeed{}, nil, explain(err)
	}
	detail, err := r.seedDetail(ctx, rows[0])
	return detail, list[1:], explain(err)
}

// checkSeedNumber returns an error of damage if an index led to a seed of another number, or lost one. A transaction
// stores the numbers of seeds at its end, so it does not compare them.
func (r *Reader) checkSeedNumber(ctx context.Context, rows []seedRow, scenario string, number track.SeedNumber, configuration int64) error {
	for _, row := range rows {
		if row.Number != number || row.Scenario != scenario || configuration != 0 && row.ID != configuration {
			return fmt.Errorf("%w: the index leads from seed %s of %s to seed %s of %s", track.ErrDamaged, number, scenario, row.Number, row.Scenario)
		}
	}
	if r.tx != nil || r.pool.engine.checksItself() || configuration != 0 && len(rows) > 0 {
		return nil
	}
	lost := 0
	err := r.read().GetContext(ctx, &lost, countLostPairs, scenario, number, configuration)
	if err == nil && lost > 0 {
		err = fmt.Errorf("%w: %d configurations of %s have seeds that cannot be found", track.ErrDamaged, lost, scenario)
	}
	return err
}

// noSeedOfNumber returns the withdrawn seed of a number, or else an error.
func (r *Reader) noSeedOfNumber(ctx context.Context, scenario string, number track.SeedNumber, configuration int64) (track.RecordedSeed, []track.RecordedSeed, error) {
	filter := SeedFilter{Scenario: scenario, Number: &number, Withdrawn: true, Limit: 1}
	if configuration != 0 {
		filter.Configurations = []int64{configuration}
	}
	if seed, err := r.withdrawnDetail(ctx, filter); err != nil || seed != nil {
		return orZero(seed), nil, err
	}
	if _, err := r.NewestConfiguration(ctx, scenario); err != nil {
		return track.RecordedSeed{}, nil, err
	}
	return track.RecordedSeed{}, nil, track.WithHint(fmt.Errorf("seed %s of scenario %s: %w", number, scenario, track.ErrNotFound), track.NewHint("list the seeds", "seeds", scenario))
}
