package store

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"slices"
	"time"

	"track"
)

const (
	insertWithdrawal = `
	INSERT INTO withdrawal (ulid, kind, action, scenario_id, configuration, number, digest, sweep, reason, actor_id, at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (ulid) DO NOTHING RETURNING id`
	withdrawSweep = `
	UPDATE sweep SET withdrawn_at = (
	       SELECT CASE action WHEN 'withdrawn' THEN at END FROM withdrawal WHERE sweep = $1 AND kind = 'sweep' ORDER BY at DESC, ulid DESC LIMIT 1)
	 WHERE ulid = $1`
	// The two parts have an index each.
	listWithdrawable = `
	SELECT id, number, digest, recorded_at, ulid, 0 FROM seed WHERE scenario_id = $1 AND configuration_id = $2 AND superseded_at IS NULL
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
		if err := t.settle(p.scenario, p.configuration, &s); err != nil {
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
	actor, err := t.actorID(w.Actor)
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
	var id int64
	err = t.getID(&id, insertWithdrawal, w.ID, string(w.Kind), string(w.Action), scenario, nullText(w.Configuration), number, digest, nullText(w.Sweep),
		w.Reason, actor, micros(w.At))
	if isNoRows(err) {
		return false, nil
	}
	t.added(findWithdrawalByULID, w.ID)
	yes := true
	t.anyWithdrawn, t.lookedUp = &yes, nil
	return err == nil, err
}

// withdrawableSeed is a seed that counts, or that was withdrawn.
type withdrawableSeed struct {
	row         int64
	number      track.SeedNumber
	digest      [sha256.Size]byte
	withdrawnAt time.Time // zero if it counts
}

// settle makes the seeds of a scenario and a configuration follow what was withdrawn and restored of them. If several
// measurements of a seed could count again, the one that was recorded first does.
func (t *Tx) settle(scenario, hash string, s *Settled) error {
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
	var seeds []withdrawableSeed
	err = t.stream(t.ctx, listWithdrawable, []any{scenarioID, configuration}, func(row []driver.Value) {
		one := withdrawableSeed{row: asInt(row[0]), number: track.SeedNumber(asInt(row[1])), digest: asDigest(row[2])}
		if at := asInt(row[5]); at != 0 {
			one.withdrawnAt = fromMicros(at)
		}
		seeds = append(seeds, one)
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
				t.count(scenarioID, configuration, -1)
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
		t.count(scenarioID, configuration, 1)
	}
	return nil
}

// withdrawnOf is [Reader.Withdrawn], which it asks once for each configuration, and only if anything was ever
// withdrawn.
func (t *Tx) withdrawnOf(scenario, configuration string) (w Withdrawn, err error) {
	if t.anyWithdrawn == nil {
		any := false
		if err := t.get(&any, hasWithdrawals); err != nil {
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
