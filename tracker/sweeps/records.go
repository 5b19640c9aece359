package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/internal/admission"
	"track/internal/spool"
	"track/store"
	"track/sweep"
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
