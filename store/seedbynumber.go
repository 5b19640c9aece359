package store

import (
	"context"
	"fmt"

	"track"
)

// An index finds the seed of a number by scenario and configuration.
const (
	seedByNumber = selectSeeds + whichCount + `
	   AND seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.number = $2 AND seed.configuration_id = $3`
	seedByNumberAnywhere = selectSeeds + whichCount + `
	   AND seed.id IN (
	       SELECT place.id FROM scenario_configuration AS pair
	      ORDERED JOIN seed AS place ON place.scenario_id = pair.scenario_id AND place.configuration_id = pair.configuration_id
	                           AND place.number = $2 AND place.superseded_at IS NULL
	        WHERE pair.scenario_id = (SELECT id FROM scenario WHERE name = $1))
	 ORDER BY seed.recorded_at DESC, seed.id DESC`
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
	if len(rows) == 0 {
		return r.noSeedOfNumber(ctx, scenario, number, configuration)
	}
	detail, err := r.seedDetail(ctx, rows[0])
	return detail, recordedSeeds(rows[1:]), explain(err)
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
