package main

import (
	"context"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/seeds"
)

// withSeed finds the seed that SCENARIO[@CONFIGURATION] and SEED name, as recorded last, and hands it over with the same seed under
// other configurations.
func (p *program) withSeed(
	ctx context.Context, selector, seedText string, do func(*store.Reader, track.RecordedSeed, []track.RecordedSeed) error,
) error {
	sel, err := answer.ParseSelector(selector)
	if err != nil {
		return usage("%v", err)
	}
	number, err := track.ParseSeedNumber(seedText)
	if err != nil {
		return usage("SEED: %v", err)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	configuration := int64(0)
	if sel.Configuration != "" {
		choice, err := seeds.Choose(ctx, st.Reader, sel, false)
		if err != nil {
			return err
		}
		configuration = choice.Configurations[0].ID
	}
	seed, others, err := st.SeedByNumber(ctx, sel.Scenario, number, configuration)
	if err != nil {
		return err
	}
	return do(st.Reader, seed, others)
}
