package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"track"
	"track/answer"
	"track/internal/admission"
	"track/internal/spool"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
)

// Journal keeps what is recorded until it can go into a database.
type Journal interface {
	// AddSweep keeps a sweep, or how one ended that is kept.
	AddSweep(s track.Sweep) error
	// AddSeeds keeps seeds; they are safe once it returns.
	AddSeeds(seeds []track.Seed) error
}

// journalRecords keeps seeds in a journal.
type journalRecords struct {
	journal Journal
	kept    map[string]map[track.SeedNumber]track.Outcome // earlier seeds, by the hash of their configuration
	known   []track.Configuration                         // of these seeds
	texts   *admission.Rules
}

func newJournalRecords(journal Journal, kept []track.Seed, o Options) *journalRecords {
	r := &journalRecords{journal: journal, kept: map[string]map[track.SeedNumber]track.Outcome{}, texts: o.Texts}
	for _, seed := range kept {
		if seed.Scenario == o.Plan.Scenario {
			hash := seed.Configuration.Hash()
			if r.kept[hash] == nil {
				r.kept[hash] = map[track.SeedNumber]track.Outcome{}
				r.known = append(r.known, seed.Configuration)
			}
			r.kept[hash][seed.Number] = seed.Outcome
		}
	}
	return r
}

func (*journalRecords) open() error { return nil }

func (*journalRecords) checkSpec(context.Context, string, int) (bool, error) { return false, nil }

func (*journalRecords) sweeps(context.Context, string, string) ([]store.SweepOf, error) {
	return nil, nil
}

func (r *journalRecords) begin(_ context.Context, s track.Sweep) error { return r.journal.AddSweep(s) }

func (r *journalRecords) recorded(_ context.Context, _, configuration string) (map[track.SeedNumber]track.Outcome, error) {
	return r.kept[configuration], nil
}

func (r *journalRecords) alike(_ context.Context, _ string, c track.Configuration) (list []track.Configuration, err error) {
	for _, other := range r.known {
		if other.Label == c.Label && other.Params == c.Params {
			list = append(list, other)
		}
	}
	return list, nil
}

func (*journalRecords) withdrawn(context.Context, string, string) (track.SeedRanges, error) {
	return nil, nil
}

func (*journalRecords) outcome(context.Context, string, string, track.SeedNumber) (track.Outcome, error) {
	return "", nil
}

func (r *journalRecords) record(_ context.Context, list []track.Seed) ([]track.Seed, []seeds.RecordResult, error) {
	for i := range list {
		if _, problem := r.texts.Admit(&list[i]); problem != nil {
			return list, nil, problem
		}
	}
	return list, make([]seeds.RecordResult, len(list)), r.journal.AddSeeds(list)
}

// Sync does nothing: seeds are safe once the journal has them.
func (*journalRecords) Sync() error { return nil }

func (r *journalRecords) end(_ context.Context, s track.Sweep) error { return r.journal.AddSweep(s) }

func (*journalRecords) claim(string, string, track.SeedNumber) (bool, error) { return true, nil }

func (*journalRecords) release(string, string, track.SeedNumber) error { return nil }

func (*journalRecords) hasLapsed(string, string, track.SeedNumber) (bool, error) { return false, nil }

func (*journalRecords) judged(context.Context, func() error) (bool, error) { return false, nil }

func (*journalRecords) await(context.Context, <-chan struct{}) bool { return false }

func (*journalRecords) isAlone() bool { return true }

func (*journalRecords) nearNames() []answer.NearName { return nil }

func (*journalRecords) close() error { return nil }

// KeptSeeds returns the seeds in a file of lines, without their values; none if there is no file.
func KeptSeeds(path string) (kept []track.Seed, err error) {
	for record, err := range spool.Records(path) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if record.Err != nil {
			return nil, track.WithHint(record.Err, track.Hint{Text: "use another file; this one was not changed"})
		}
		if record.IsSeed() {
			kept = append(kept, withoutValues(record.Seed.Scenario, record.Seed.Configuration, record.Seed.Number, record.Seed.Outcome))
		}
	}
	return kept, nil
}

func withoutValues(scenario string, c track.Configuration, number track.SeedNumber, outcome track.Outcome) track.Seed {
	return track.Seed{Scenario: scenario, Configuration: c, Number: number, Outcome: outcome}
}

// SpooledSeeds returns the seeds in the files of a spool, without their values.
func SpooledSeeds(dir string) (all []track.Seed, err error) {
	files, err := spool.Files(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		kept, err := KeptSeeds(f.Path)
		if err != nil {
			return nil, fmt.Errorf("spool %s: %w", f.Path, err)
		}
		all = append(all, kept...)
	}
	return all, nil
}

// RecordedSeeds returns the seeds of a plan in a database, without their values; none if there is no database, or its
// server is away.
func RecordedSeeds(ctx context.Context, database string, plan sweep.Plan, now func() time.Time) (all []track.Seed, err error) {
	st, err := store.Open(ctx, database, now)
	if errors.Is(err, track.ErrNotFound) || store.IsAway(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	for _, c := range plan.Configurations() {
		recorded, err := st.RecordedOutcomes(ctx, plan.Scenario, c.Hash())
		if err != nil {
			return nil, err
		}
		for number, outcome := range recorded {
			all = append(all, withoutValues(plan.Scenario, c, number, outcome))
		}
	}
	return all, nil
}
