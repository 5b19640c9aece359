package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"track"
)

const selectWithdrawals = `
	SELECT withdrawal.ulid, withdrawal.kind, withdrawal.action, scenario.name, withdrawal.configuration, withdrawal.number, withdrawal.digest, withdrawal.sweep,
	       withdrawal.reason, withdrawal.actor, withdrawal.at
	  FROM withdrawal JOIN scenario ON scenario.id = withdrawal.scenario_id`

const (
	listWithdrawals   = selectWithdrawals + ` ORDER BY withdrawal.at, withdrawal.ulid`
	listWithdrawalsOf = selectWithdrawals + `
	 WHERE withdrawal.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND withdrawal.configuration = $2`
	listWithdrawalsOfSweep = selectWithdrawals + ` WHERE withdrawal.sweep = $1`
	hasWithdrawals         = `SELECT 1 FROM withdrawal`
	hasWithdrawal          = `SELECT 1 FROM withdrawal WHERE ulid = $1`
)

// Withdrawals returns all withdrawals and restorations, the oldest first.
func (r *Reader) Withdrawals(ctx context.Context) ([]track.Withdrawal, error) {
	return r.withdrawals(ctx, listWithdrawals)
}

// HasWithdrawal reports whether a withdrawal is here.
func (r *Reader) HasWithdrawal(ctx context.Context, id string) (bool, error) {
	return r.exists(ctx, hasWithdrawal, id)
}

func (r *Reader) withdrawals(ctx context.Context, query string, args ...any) ([]track.Withdrawal, error) {
	return list(ctx, r, query, args, func(c *cells) track.Withdrawal {
		w := track.Withdrawal{ID: c.text(), Kind: track.WithdrawnKind(c.text()), Action: track.WithdrawalAction(c.text()), Scenario: c.text(), Configuration: c.text()}
		if number, digest := c.number(), c.hex(); w.Kind == track.WithdrawnSeed {
			w.Seed, w.Digest = &number, digest
		}
		w.Sweep, w.Reason, w.Actor, w.At = c.text(), c.text(), c.text(), c.time()
		return w
	})
}

// Withdrawn holds what is withdrawn of a scenario and a configuration: the newest action for each subject.
type Withdrawn struct {
	configuration *track.Withdrawal
	seeds         map[measurement]track.Withdrawal
}

// measurement is what a seed measured.
type measurement struct {
	number track.SeedNumber
	digest string // hex
}

// Withdrawn returns what is withdrawn of a scenario and a configuration.
func (r *Reader) Withdrawn(ctx context.Context, scenario, configuration string) (w Withdrawn, err error) {
	list, err := r.withdrawals(ctx, listWithdrawalsOf, scenario, configuration)
	w.seeds = map[measurement]track.Withdrawal{}
	for _, one := range list {
		if one.Kind == track.WithdrawnConfiguration {
			if w.configuration == nil || one.IsAfter(*w.configuration) {
				w.configuration = &one
			}
			continue
		}
		key := measurement{*one.Seed, one.Digest}
		if before, has := w.seeds[key]; !has || one.IsAfter(before) {
			w.seeds[key] = one
		}
	}
	return w, err
}

// Configuration returns the withdrawal of the whole configuration; nil if it is not withdrawn.
func (w Withdrawn) Configuration() *track.Withdrawal {
	if w.configuration == nil || w.configuration.Action != track.ActionWithdrawn {
		return nil
	}
	return w.configuration
}

// HasSeeds reports whether any seeds were withdrawn or restored alone.
func (w Withdrawn) HasSeeds() bool { return len(w.seeds) > 0 }

// of returns the withdrawal of a measurement, alone or with its configuration; nil if it counts.
func (w Withdrawn) of(number track.SeedNumber, digest [sha256.Size]byte) *track.Withdrawal {
	if c := w.Configuration(); c != nil {
		return c
	}
	if len(w.seeds) == 0 {
		return nil
	}
	one, has := w.seeds[measurement{number, hex.EncodeToString(digest[:])}]
	if !has || one.Action != track.ActionWithdrawn {
		return nil
	}
	return &one
}

// SweepWithdrawal returns the withdrawal of a sweep; nil if it is not withdrawn.
func (r *Reader) SweepWithdrawal(ctx context.Context, sweep string) (*track.Withdrawal, error) {
	last, _, err := r.sweepWithdrawals(ctx, sweep)
	if last != nil && last.Action != track.ActionWithdrawn {
		last = nil
	}
	return last, err
}

// sweepWithdrawals returns the last action on a sweep, and those on seeds that were withdrawn or restored with it.
func (r *Reader) sweepWithdrawals(ctx context.Context, sweep string) (last *track.Withdrawal, seeds []track.Withdrawal, err error) {
	list, err := r.withdrawals(ctx, listWithdrawalsOfSweep, sweep)
	for _, one := range list {
		switch {
		case one.Kind == track.WithdrawnSeed:
			seeds = append(seeds, one)
		case last == nil || one.IsAfter(*last):
			last = &one
		}
	}
	return last, seeds, err
}

// WithdrawnWith returns the measurements that were withdrawn with a sweep and are withdrawn still.
func (r *Reader) WithdrawnWith(ctx context.Context, sweep string) (seeds []track.Withdrawal, err error) {
	_, list, err := r.sweepWithdrawals(ctx, sweep)
	known, seen := map[string]Withdrawn{}, map[string]bool{}
	for _, one := range list {
		of, has := known[one.Configuration]
		if !has {
			if of, err = r.Withdrawn(ctx, one.Scenario, one.Configuration); err != nil {
				return nil, err
			}
			known[one.Configuration] = of
		}
		last := of.seeds[measurement{*one.Seed, one.Digest}]
		if last.Sweep == sweep && last.Action == track.ActionWithdrawn && !seen[last.ID] {
			seen[last.ID] = true
			seeds = append(seeds, last)
		}
	}
	return seeds, err
}

const (
	selectMeasurements = `
	SELECT configuration.hash, seed.number, seed.digest FROM seed JOIN configuration ON configuration.id = seed.configuration_id`
	listMeasuredBy = selectMeasurements + ` JOIN run ON run.seed_id = seed.id
	 WHERE run.sweep_id = (SELECT id FROM sweep WHERE ulid = $1) AND seed.superseded_at IS NULL ORDER BY seed.id`
	getMeasurement = selectMeasurements + ` WHERE seed.ulid = $1`
)

// measurements reads rows of [selectMeasurements] as subjects of withdrawals.
func (r *Reader) measurements(ctx context.Context, query, ulid string, subject track.Withdrawal) ([]track.Withdrawal, error) {
	return list(ctx, r, query, []any{ulid}, func(c *cells) track.Withdrawal {
		w := subject
		w.Kind, w.Configuration = track.WithdrawnSeed, c.text()
		number := c.number()
		w.Seed, w.Digest = &number, c.hex()
		return w
	})
}

// MeasuredBy returns what a sweep measured and counts, as subjects of withdrawals.
func (r *Reader) MeasuredBy(ctx context.Context, scenario, sweep string) ([]track.Withdrawal, error) {
	return r.measurements(ctx, listMeasuredBy, sweep, track.Withdrawal{Scenario: scenario, Sweep: sweep})
}

// Measurement returns the seed of this ULID as the subject of a withdrawal.
func (r *Reader) Measurement(ctx context.Context, scenario, ulid string) (track.Withdrawal, error) {
	found, err := r.measurements(ctx, getMeasurement, ulid, track.Withdrawal{Scenario: scenario})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("seed %s: %w", ulid, track.ErrNotFound)
	}
	if err != nil {
		return track.Withdrawal{}, err
	}
	return found[0], nil
}

const listWithdrawnNumbers = `
	SELECT seed.number FROM seed
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.configuration_id = $2
	   AND seed.withdrawn_at IS NOT NULL AND NOT EXISTS (
	       SELECT 1 FROM seed AS other WHERE other.scenario_id = seed.scenario_id AND other.configuration_id = seed.configuration_id
	          AND other.number = seed.number AND other.superseded_at IS NULL)`

// WithdrawnNumbers returns the numbers of seeds of a configuration whose only measurements were withdrawn.
func (r *Reader) WithdrawnNumbers(ctx context.Context, scenario string, configuration int64) ([]track.SeedNumber, error) {
	return list(ctx, r, listWithdrawnNumbers, []any{scenario, configuration}, (*cells).number)
}

// later returns a time after the withdrawals of a list, so that what is done now counts even if their clock was ahead.
func later(now time.Time, list []track.Withdrawal) time.Time {
	for _, w := range list {
		if !w.At.Before(now) {
			now = w.At.Add(time.Microsecond)
		}
	}
	return now
}

const (
	insertWithdrawal = `
	INSERT INTO withdrawal (ulid, kind, action, scenario_id, configuration, number, digest, sweep, reason, actor, at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (ulid) DO NOTHING`
	withdrawSweep = `
	UPDATE sweep SET withdrawn_at = (
	       SELECT CASE action WHEN 'withdrawn' THEN at END FROM withdrawal WHERE sweep = $1 AND kind = 'sweep' ORDER BY at DESC, ulid DESC LIMIT 1)
	 WHERE ulid = $1`
	// The two parts have an index each.
	listWithdrawable = `
	SELECT id, number, digest, recorded_at, ulid, CAST(NULL AS bigint) FROM seed WHERE scenario_id = $1 AND configuration_id = $2 AND superseded_at IS NULL
	UNION ALL
	SELECT id, number, digest, recorded_at, ulid, withdrawn_at FROM seed WHERE scenario_id = $1 AND configuration_id = $2 AND withdrawn_at IS NOT NULL
	 ORDER BY 2, 4, 5`
	markWithdrawn = `UPDATE seed SET superseded_at = $1, withdrawn_at = $1 WHERE id = $2`
	markRestored  = `UPDATE seed SET superseded_at = NULL, withdrawn_at = NULL WHERE id = $1`
)

// Settled counts the seeds that withdrawals changed.
type Settled struct {
	NWithdrawn int // do not count any more
	NRestored  int // count again
	NBlocked   int // would count again, but another measurement has their place
}

// Later returns the time for a new withdrawal: after the earlier ones of the scenario's configuration or the sweep,
// whose clocks may be ahead.
func (t *Tx) Later(now time.Time, subject track.Withdrawal) (time.Time, error) {
	query, args := listWithdrawalsOf, []any{subject.Scenario, subject.Configuration}
	if subject.Kind == track.WithdrawnSweep {
		query, args = listWithdrawalsOfSweep, []any{subject.Sweep}
	}
	list, err := t.withdrawals(t.ctx, query, args...)
	return later(now, list), err
}

// AddWithdrawals stores withdrawals and restorations with their IDs, actors and times, and makes their subjects follow
// them. Those that are here already change nothing.
func (t *Tx) AddWithdrawals(list []track.Withdrawal) (s Settled, err error) {
	type place struct{ scenario, configuration string }
	var places []place
	var sweeps []string
	for _, w := range list {
		added, err := t.addWithdrawal(w)
		if err != nil {
			return s, err
		}
		p := place{w.Scenario, w.Configuration}
		switch {
		case !added:
		case w.Kind == track.WithdrawnSweep:
			sweeps = append(sweeps, w.Sweep)
		case !slices.Contains(places, p):
			places = append(places, p)
		}
	}
	for _, p := range places {
		delete(t.withdrawn, p.scenario+"\x00"+p.configuration)
		if err := t.followWithdrawals(p.scenario, p.configuration, &s); err != nil {
			return s, err
		}
	}
	for _, sweep := range sweeps {
		if _, err := t.exec(withdrawSweep, sweep); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (t *Tx) addWithdrawal(w track.Withdrawal) (added bool, err error) {
	if err := t.admit(&w); err != nil {
		return false, err
	}
	scenario, err := t.scenarioID(w.Scenario)
	if err != nil {
		return false, err
	}
	actor, err := t.actor(w.Actor)
	if err != nil {
		return false, err
	}
	var number, digest any
	if w.Seed != nil {
		number = int64(*w.Seed)
		if digest, err = hex.DecodeString(w.Digest); err != nil {
			return false, err
		}
	}
	n, err := t.change(insertWithdrawal, w.ID, string(w.Kind), string(w.Action), scenario, nullText(w.Configuration), number, digest, nullText(w.Sweep),
		w.Reason, actor, micros(w.At))
	if err != nil || n == 0 {
		return false, err
	}
	t.added(findWithdrawalByULID, w.ID)
	yes := true
	t.anyWithdrawn = &yes
	return true, nil
}

// withdrawableSeed is a seed that counts, or that was withdrawn.
type withdrawableSeed struct {
	row         int64
	number      track.SeedNumber
	digest      [sha256.Size]byte
	withdrawnAt time.Time // zero if it counts
}

// followWithdrawals makes the seeds of a scenario and a configuration follow what was withdrawn and restored of them.
// If several measurements of a seed could count again, the one that was recorded first does.
func (t *Tx) followWithdrawals(scenario, hash string, s *Settled) error {
	scenarioID, err := t.scenarioID(scenario)
	if err != nil {
		return err
	}
	var configuration int64
	if err := t.getID(&configuration, findConfiguration, hash); err != nil {
		if isNoRows(err) {
			return nil
		}
		return err
	}
	of, err := t.withdrawnOf(scenario, hash)
	if err != nil {
		return err
	}
	seeds, err := list(t.ctx, t.Reader, listWithdrawable, []any{scenarioID, configuration}, func(c *cells) withdrawableSeed {
		one := withdrawableSeed{row: c.integer(), number: c.number(), digest: c.digest()}
		c.next += 2
		one.withdrawnAt = c.time()
		return one
	})
	if err != nil {
		return err
	}
	taken := map[track.SeedNumber]bool{}
	var waiting []withdrawableSeed
	for _, seed := range seeds {
		w := of.of(seed.number, seed.digest)
		switch {
		case w == nil && seed.withdrawnAt.IsZero():
			taken[seed.number] = true
		case w == nil:
			waiting = append(waiting, seed)
		case !seed.withdrawnAt.Equal(w.At):
			if _, err := t.exec(markWithdrawn, micros(w.At), seed.row); err != nil {
				return err
			}
			if seed.withdrawnAt.IsZero() {
				s.NWithdrawn++
			}
		}
	}
	for _, seed := range waiting {
		if taken[seed.number] {
			s.NBlocked++
			continue
		}
		if _, err := t.exec(markRestored, seed.row); err != nil {
			return err
		}
		taken[seed.number] = true
		s.NRestored++
	}
	return nil
}

// withdrawnOf is [Reader.Withdrawn], which it asks once for each configuration, and only if anything was ever
// withdrawn.
func (t *Tx) withdrawnOf(scenario, configuration string) (w Withdrawn, err error) {
	if t.anyWithdrawn == nil {
		any, err := t.exists(t.ctx, hasWithdrawals)
		if err != nil {
			return w, err
		}
		t.anyWithdrawn = &any
	}
	if !*t.anyWithdrawn {
		return w, nil
	}
	key := scenario + "\x00" + configuration
	if known, has := t.withdrawn[key]; has {
		return known, nil
	}
	if w, err = t.Withdrawn(t.ctx, scenario, configuration); err == nil {
		if t.withdrawn == nil {
			t.withdrawn = map[string]Withdrawn{}
		}
		t.withdrawn[key] = w
	}
	return w, err
}

// withdrawnSeed returns the withdrawal of what a seed measured; nil if it can be recorded.
func (t *Tx) withdrawnSeed(seed track.Seed, digest [sha256.Size]byte) (*track.Withdrawal, error) {
	if t.anyWithdrawn != nil && !*t.anyWithdrawn {
		return nil, nil
	}
	w, err := t.withdrawnOf(seed.Scenario, seed.Configuration.Hash())
	return w.of(seed.Number, digest), err
}
