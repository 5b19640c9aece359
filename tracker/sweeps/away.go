package sweeps

import (
	"context"
	"fmt"
	"slices"
	"time"

	"track"
	"track/store"
	"track/tracker/seeds"
)

// Away is where a sweep keeps seeds while the server of its database takes none.
type Away interface {
	Journal
	// Path returns where the seeds are.
	Path() string
	// Bring records everything that is kept in the database, and keeps it as long as that fails.
	Bring(ctx context.Context) error
}

// askAgain is how long a sweep leaves a server alone that is away.
const askAgain = 5 * time.Second

// awayRecords records in the database of a server, and keeps the seeds while that is away.
type awayRecords struct {
	*storeRecords
	away     Away
	options  Options
	notice   func(format string, args ...any)
	sweep    track.Sweep
	unsynced []track.Seed // recorded, and perhaps not on the disk of the server yet
	isAway   bool
	asked    time.Time // when the server was asked last
}

// goesOn reports whether seeds run while the server is away: none takes the place of another, and those that are judged
// are so under the newest spec, by which kept seeds are scored.
func (r *awayRecords) goesOn() bool {
	return !r.options.Rerun && !r.options.RerunFailed && (!r.options.judges() || r.options.SpecVersion == 0)
}

// leave keeps seeds from now on: first those that the server may have lost.
func (r *awayRecords) leave(problem error) error {
	r.isAway, r.asked = true, time.Now()
	if err := r.away.AddSweep(r.sweep); err != nil {
		return err
	}
	if len(r.unsynced) > 0 {
		if err := r.away.AddSeeds(r.unsynced); err != nil {
			return err
		}
	}
	r.unsynced = nil
	r.notice("the server does not answer: recording into %s (%v)", r.away.Path(), problem)
	return nil
}

// isBack asks a server that is away, now and then, whether it is back, and records in it what was kept.
func (r *awayRecords) isBack(ctx context.Context) bool {
	if !r.isAway || !r.goesOn() || time.Since(r.asked) < askAgain {
		return !r.isAway
	}
	return r.comeBack(ctx)
}

func (r *awayRecords) comeBack(ctx context.Context) bool {
	err := r.away.Bring(ctx)
	r.asked = time.Now()
	if r.isAway = err != nil; !r.isAway {
		r.notice("the server is back, and what was kept is recorded")
	}
	return !r.isAway
}

// ask asks the server, twice if its connection is lost, and reports whether it answered.
func (r *awayRecords) ask(ctx context.Context, question func() error) (answered bool, err error) {
	if !r.isBack(ctx) {
		return false, nil
	}
	err = question()
	if store.IsAway(err) {
		err = question()
	}
	if store.IsAway(err) {
		return false, r.leave(err)
	}
	return true, err
}

// judged implements [records]. What a server that crashed may have lost is stored once more before it judges.
func (r *awayRecords) judged(ctx context.Context, question func() error) (answered bool, err error) {
	isLost := false
	return r.ask(ctx, func() error {
		if isLost && len(r.unsynced) > 0 {
			if _, _, err := r.storeRecords.record(ctx, r.unsynced); err != nil {
				return err
			}
		}
		isLost = true
		return question()
	})
}

// await implements [records].
func (r *awayRecords) await(ctx context.Context, stop <-chan struct{}) bool {
	deadline := time.Now().Add(r.Lease())
	for r.isAway && !r.comeBack(ctx) {
		left := time.Until(deadline)
		if left <= 0 || closed(stop) || ctx.Err() != nil {
			return false
		}
		wait(ctx, stop, min(askAgain, left))
	}
	return true
}

func (r *awayRecords) begin(ctx context.Context, s track.Sweep) error {
	r.sweep = s
	err := r.storeRecords.begin(ctx, s)
	if store.IsAway(err) && r.goesOn() {
		return r.leave(err)
	}
	return err
}

func (r *awayRecords) outcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (outcome track.Outcome, err error) {
	_, err = r.ask(ctx, func() (err error) {
		outcome, err = r.storeRecords.outcome(ctx, scenario, configuration, number)
		return err
	})
	return outcome, err
}

// record stores seeds, or keeps them. What a server that crashed may have lost is stored once more.
func (r *awayRecords) record(ctx context.Context, list []track.Seed) (recorded []track.Seed, results []seeds.RecordResult, err error) {
	recorded = list
	first := true
	answered, err := r.ask(ctx, func() (err error) {
		before := 0
		if !first {
			before = len(r.unsynced)
		}
		first = false
		recorded, results, err = r.storeRecords.record(ctx, slices.Concat(r.unsynced[:before], list))
		if err == nil {
			recorded, results = recorded[before:], results[before:]
		}
		return err
	})
	switch {
	case err != nil:
		return list, results, err
	case answered:
		r.unsynced = append(r.unsynced, recorded...)
		return recorded, results, nil
	}
	for i := range list {
		if _, problem := r.Texts().Admit(&list[i]); problem != nil {
			return list, nil, problem
		}
	}
	if err := r.away.AddSeeds(list); err != nil {
		return list, nil, err
	}
	if !r.goesOn() {
		err := fmt.Errorf("%w: the server does not answer; the seeds that have ended are kept in %s", track.ErrDatabase, r.away.Path())
		return list, nil, track.WithHint(err, track.NewHint("record them once the server is back, and run the same command again", "ingest"))
	}
	return list, make([]seeds.RecordResult, len(list)), nil
}

// Sync waits until everything is on the disk, of the server or of this machine.
func (r *awayRecords) Sync() error {
	if r.isAway {
		return nil
	}
	err := r.storeRecords.Sync()
	if store.IsAway(err) && len(r.unsynced) > 0 {
		if _, _, err = r.storeRecords.record(context.Background(), r.unsynced); err == nil {
			err = r.storeRecords.Sync()
		}
	}
	if store.IsAway(err) {
		return r.leave(err)
	}
	r.unsynced = nil
	return err
}

func (r *awayRecords) end(ctx context.Context, s track.Sweep) error {
	if r.isAway && !r.comeBack(ctx) {
		return r.away.AddSweep(s)
	}
	err := r.storeRecords.end(ctx, s)
	if store.IsAway(err) {
		if err = r.leave(err); err == nil {
			err = r.away.AddSweep(s)
		}
	}
	return err
}

func (r *awayRecords) claim(scenario, configuration string, number track.SeedNumber) (isTaken bool, err error) {
	answered, err := r.ask(context.Background(), func() (err error) {
		isTaken, err = r.storeRecords.claim(scenario, configuration, number)
		return err
	})
	return isTaken || !answered, err
}

func (r *awayRecords) hasLapsed(scenario, configuration string, number track.SeedNumber) (hasLapsed bool, err error) {
	_, err = r.ask(context.Background(), func() (err error) {
		hasLapsed, err = r.storeRecords.hasLapsed(scenario, configuration, number)
		return err
	})
	return hasLapsed, err
}

// release gives a seed back. If that fails, the claim ends after its lease.
func (r *awayRecords) release(scenario, configuration string, number track.SeedNumber) error {
	if r.isAway {
		return nil
	}
	if err := r.storeRecords.release(scenario, configuration, number); !store.IsAway(err) {
		return err
	}
	return nil
}

// isAlone implements [records].
func (r *awayRecords) isAlone() bool { return r.isAway }
