package sweeps

import (
	"context"

	"track"
	"track/store"
	"track/tracker/seeds"
)

// sweepRecords are where a sweep records.
type sweepRecords interface {
	begin(ctx context.Context, s track.Sweep) error
	recorded(ctx context.Context, scenario, configuration string) ([]store.RecordedSeed, error)
	outcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error) // empty where it is not recorded
	record(ctx context.Context, list []track.Seed) ([]track.Seed, []seeds.RecordResult, error)
	end(ctx context.Context, s track.Sweep) error
	claim(scenario, configuration string, number track.SeedNumber) (bool, error)
	release(scenario, configuration string, number track.SeedNumber) error
	close() error
}

// storeRecords are those of a database.
type storeRecords struct {
	*store.Store
	recorder *seeds.Recorder
	claims   store.Claims
}

func newStoreRecords(st *store.Store, recorder *seeds.Recorder) (*storeRecords, error) {
	claims, err := st.Claims()
	return &storeRecords{st, recorder, claims}, err
}

func (r *storeRecords) begin(ctx context.Context, s track.Sweep) error {
	return r.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.AddSweep(s)
		return err
	})
}

func (r *storeRecords) recorded(ctx context.Context, scenario, configuration string) ([]store.RecordedSeed, error) {
	return r.RecordedSeeds(ctx, scenario, configuration)
}

func (r *storeRecords) outcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error) {
	return r.RecordedOutcome(ctx, scenario, configuration, number)
}

// record stores seeds in one transaction. One whose values are not those that its series give is stored as failed.
func (r *storeRecords) record(ctx context.Context, list []track.Seed) ([]track.Seed, []seeds.RecordResult, error) {
	prepared, results := make([]seeds.Prepared, len(list)), make([]seeds.RecordResult, len(list))
	for i, seed := range list {
		prepared[i] = seeds.Prepare(seed)
	}
	err := r.UpdateRelaxed(ctx, func(tx *store.Tx) (err error) {
		r.recorder.Begin()
		for i, seed := range prepared {
			if results[i], err = r.recorder.RecordIn(ctx, tx, seed); err != nil {
				return err
			}
			if problem := results[i].Problem; results[i].Disposition == track.Contradicted {
				seed.Outcome, seed.Message = track.OutcomeError, problem.Error()
				seed = seeds.Prepare(seed.Seed)
				if results[i], err = r.recorder.RecordIn(ctx, tx, seed); err != nil {
					return err
				}
				list[i] = seed.Seed
			}
		}
		return nil
	})
	return list, results, err
}

func (r *storeRecords) end(ctx context.Context, s track.Sweep) error {
	return r.Update(ctx, func(tx *store.Tx) error {
		for _, p := range s.Planned {
			if err := tx.SetPlanned(s.ID, p); err != nil {
				return err
			}
		}
		return tx.EndSweep(s)
	})
}

func (r *storeRecords) claim(scenario, configuration string, number track.SeedNumber) (bool, error) {
	return r.claims.Take(scenario, configuration, number)
}

func (r *storeRecords) release(scenario, configuration string, number track.SeedNumber) error {
	return r.claims.Release(scenario, configuration, number)
}

func (r *storeRecords) close() error { return r.claims.Close() }

// Journal keeps what is recorded until it can go into a database.
type Journal interface {
	// AddSweep keeps a sweep, or how one ended that is kept.
	AddSweep(s track.Sweep) error
	// AddSeeds keeps seeds; they are safe once it returns.
	AddSeeds(seeds []track.Seed) error
}

// journalRecords are those of a journal, which judges nothing.
type journalRecords struct {
	journal Journal
	known   map[string][]store.RecordedSeed // by the hash of their configuration: what was kept before
}

func (r *journalRecords) begin(_ context.Context, s track.Sweep) error { return r.journal.AddSweep(s) }

func (r *journalRecords) recorded(_ context.Context, _, configuration string) ([]store.RecordedSeed, error) {
	return r.known[configuration], nil
}

func (*journalRecords) outcome(context.Context, string, string, track.SeedNumber) (track.Outcome, error) {
	return "", nil
}

func (r *journalRecords) record(_ context.Context, list []track.Seed) ([]track.Seed, []seeds.RecordResult, error) {
	return list, make([]seeds.RecordResult, len(list)), r.journal.AddSeeds(list)
}

func (r *journalRecords) end(_ context.Context, s track.Sweep) error { return r.journal.AddSweep(s) }

func (*journalRecords) claim(string, string, track.SeedNumber) (bool, error) { return true, nil }

func (*journalRecords) release(string, string, track.SeedNumber) error { return nil }

func (*journalRecords) close() error { return nil }
