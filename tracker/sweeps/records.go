package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/names"
	"track/tracker/seeds"
)

// records is where a sweep records its seeds: a database, or a journal.
type records interface {
	// checkSpec reports whether seeds are scored when they are recorded.
	checkSpec(ctx context.Context, scenario string, version int) (scored bool, err error)
	// open prepares for recording; close ends it.
	open() error
	close() error
	begin(ctx context.Context, s track.Sweep) error
	recorded(ctx context.Context, scenario, configuration string) (map[track.SeedNumber]track.Outcome, error)
	// alike returns the configurations with the label and the parameters of one that have recorded seeds.
	alike(ctx context.Context, scenario string, configuration track.Configuration) ([]track.Configuration, error)
	// withdrawn returns the seeds of a configuration that were withdrawn, and an error if all of it was.
	withdrawn(ctx context.Context, scenario, configuration string) (track.SeedRanges, error)
	// outcome returns the outcome of a seed; empty if it is not recorded.
	outcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error)
	// sweeps returns the earlier sweeps of a configuration that has recorded seeds.
	sweeps(ctx context.Context, scenario, configuration string) ([]store.SweepOf, error)
	record(ctx context.Context, list []track.Seed) ([]track.Seed, []seeds.RecordResult, error)
	// Sync waits until everything recorded is on the disk.
	Sync() error
	end(ctx context.Context, s track.Sweep) error
	// nearNames returns the names that were recorded although they are like known ones.
	nearNames() []answer.NearName
	claim(scenario, configuration string, number track.SeedNumber) (bool, error)
	release(scenario, configuration string, number track.SeedNumber) error
	// hasLapsed reports whether another process may have run a seed since it was claimed here.
	hasLapsed(scenario, configuration string, number track.SeedNumber) (bool, error)
	// judged asks a question that only a database answers, and reports whether it did. The question may be asked twice.
	judged(ctx context.Context, question func() error) (answered bool, err error)
	// await waits for a server that is away, for as long as claims hold, and reports whether it is back.
	await(ctx context.Context, stop <-chan struct{}) bool
	// isAlone reports whether nobody knows at the moment what other processes run.
	isAlone() bool
}

// storeRecords records in a database.
type storeRecords struct {
	*store.Store
	recorder *seeds.Recorder
	claims   store.Claims
	names    *names.Checker // of what is planned
}

func (r *storeRecords) open() (err error) {
	r.claims, err = r.Claims()
	return err
}

func (r *storeRecords) checkSpec(ctx context.Context, scenario string, version int) (bool, error) {
	_, err := r.Spec(ctx, scenario, version)
	if errors.Is(err, track.ErrNotFound) {
		if problem, err := r.names.Scenario(ctx, r.Reader, scenario); problem != nil || err != nil {
			return false, cmp.Or(err, error(problem))
		}
	}
	return err == nil, err
}

func (r *storeRecords) sweeps(ctx context.Context, scenario, configuration string) ([]store.SweepOf, error) {
	choice, err := seeds.Choose(ctx, r.Reader, answer.Selector{Scenario: scenario, Configuration: configuration}, false)
	if err != nil {
		return nil, err
	}
	return r.SweepsOf(ctx, scenario, choice.Configurations[0].ID)
}

// begin records a sweep. It is claimed first, so that nobody sees it without a process.
func (r *storeRecords) begin(ctx context.Context, s track.Sweep) error {
	if err := r.claims.TakeSweep(s.ID); err != nil {
		return err
	}
	return r.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.AddSweep(s)
		return err
	})
}

func (r *storeRecords) recorded(ctx context.Context, scenario, configuration string) (map[track.SeedNumber]track.Outcome, error) {
	return r.RecordedOutcomes(ctx, scenario, configuration)
}

func (r *storeRecords) alike(ctx context.Context, scenario string, c track.Configuration) (list []track.Configuration, err error) {
	found, err := r.ListCandidates(ctx, store.Candidates{Scenario: scenario, Label: &c.Label, Params: []string{string(c.Params.JSON())}}, false, -1)
	for _, other := range found {
		list = append(list, other.Configuration.Configuration)
	}
	return list, err
}

func (r *storeRecords) withdrawn(ctx context.Context, scenario, configuration string) (track.SeedRanges, error) {
	return seeds.WithdrawnOf(ctx, r.Reader, scenario, configuration)
}

func (r *storeRecords) outcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error) {
	return r.RecordedOutcome(ctx, scenario, configuration, number)
}

// record stores seeds in one transaction. A seed whose values contradict its series is stored as failed.
func (r *storeRecords) record(ctx context.Context, list []track.Seed) (recorded []track.Seed, results []seeds.RecordResult, err error) {
	prepared, results := make([]seeds.Prepared, len(list)), make([]seeds.RecordResult, len(list))
	for i, seed := range list {
		if prepared[i], err = seeds.Prepare(seed, r.Texts()); err != nil {
			return list, results, err
		}
	}
	given := list
	err = r.UpdateRelaxed(ctx, func(tx *store.Tx) (err error) {
		list = slices.Clone(given)
		if err := checkSweep(ctx, tx.Reader, list[0]); err != nil {
			return err
		}
		r.recorder.Begin()
		for i, seed := range prepared {
			if results[i], err = r.recorder.RecordIn(ctx, tx, seed); err != nil {
				return err
			}
			if results[i].Disposition == track.Misnamed {
				return results[i].Problem
			}
			if problem := results[i].Problem; results[i].Disposition == track.Contradicted {
				seed.Outcome, seed.Message = track.OutcomeError, problem.Error()
				if seed, err = seeds.Prepare(seed.Seed, r.Texts()); err != nil {
					return err
				}
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

// checkSweep returns an error if the sweep that ran a seed was withdrawn meanwhile.
func checkSweep(ctx context.Context, r *store.Reader, seed track.Seed) error {
	w, err := r.SweepWithdrawal(ctx, seed.Run.Sweep)
	if err != nil || w == nil {
		return err
	}
	err = fmt.Errorf("%w: it was withdrawn while it ran: %s; seeds that were running then are not recorded", track.ErrConflict, w.Reason)
	return track.WithHint(err, track.NewHint("restore it", "restore sweep", track.ShortID(w.Sweep)).With("reason", "TEXT"))
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

func (r *storeRecords) hasLapsed(scenario, configuration string, number track.SeedNumber) (bool, error) {
	return r.claims.HasLapsed(scenario, configuration, number)
}

func (*storeRecords) judged(_ context.Context, question func() error) (bool, error) {
	return true, question()
}

func (*storeRecords) await(context.Context, <-chan struct{}) bool { return true }

func (*storeRecords) isAlone() bool { return false }

func (r *storeRecords) nearNames() []answer.NearName { return r.recorder.Names().Found() }

func (r *storeRecords) close() error { return r.claims.Close() }
