package store

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"time"

	"track"
)

const selectWithdrawals = `
	SELECT withdrawal.ulid, withdrawal.kind, withdrawal.action, scenario.name, withdrawal.configuration, withdrawal.number, withdrawal.digest, withdrawal.sweep,
	       withdrawal.reason, actor.name, withdrawal.at
	  FROM withdrawal JOIN scenario ON scenario.id = withdrawal.scenario_id LEFT JOIN actor ON actor.id = withdrawal.actor_id`

const (
	listWithdrawals   = selectWithdrawals + ` ORDER BY withdrawal.at, withdrawal.ulid`
	listWithdrawalsOf = selectWithdrawals + `
	 WHERE withdrawal.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND withdrawal.configuration = $2`
	listWithdrawalsOfSweep = selectWithdrawals + ` WHERE withdrawal.sweep = $1`
	hasWithdrawals         = `SELECT EXISTS (SELECT 1 FROM withdrawal)`
	hasWithdrawal          = `SELECT EXISTS (SELECT 1 FROM withdrawal WHERE ulid = $1)`
)

// Withdrawals returns all withdrawals and restorations, the oldest first.
func (r *Reader) Withdrawals(ctx context.Context) ([]track.Withdrawal, error) {
	return r.withdrawals(ctx, listWithdrawals)
}

// HasWithdrawal reports whether a withdrawal is here.
func (r *Reader) HasWithdrawal(ctx context.Context, id string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasWithdrawal, id))
}

func (r *Reader) withdrawals(ctx context.Context, query string, args ...any) (list []track.Withdrawal, err error) {
	err = r.stream(ctx, query, args, func(row []driver.Value) {
		w := track.Withdrawal{
			ID: asText(row[0]), Kind: track.WithdrawnKind(asText(row[1])), Action: track.WithdrawalAction(asText(row[2])), Scenario: asText(row[3]),
			Configuration: asText(row[4]), Sweep: asText(row[7]), Reason: asText(row[8]), Actor: asText(row[9]), At: asTime(row[10]),
		}
		if w.Kind == track.WithdrawnSeed {
			number, digest := track.SeedNumber(asInt(row[5])), asDigest(row[6])
			w.Seed, w.Digest = &number, hex.EncodeToString(digest[:])
		}
		list = append(list, w)
	})
	return list, explain(err)
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

const listSeedsOfSweep = `
	SELECT configuration.hash, seed.number, seed.digest FROM run JOIN seed ON seed.id = run.seed_id JOIN configuration ON configuration.id = seed.configuration_id
	 WHERE run.sweep_id = (SELECT id FROM sweep WHERE ulid = $1) AND seed.superseded_at IS NULL ORDER BY seed.id`

// MeasuredBy returns what a sweep measured and counts, as subjects of withdrawals.
func (r *Reader) MeasuredBy(ctx context.Context, scenario, sweep string) (list []track.Withdrawal, err error) {
	err = r.stream(ctx, listSeedsOfSweep, []any{sweep}, func(row []driver.Value) {
		number, digest := track.SeedNumber(asInt(row[1])), asDigest(row[2])
		list = append(list, track.Withdrawal{
			Kind: track.WithdrawnSeed, Scenario: scenario, Configuration: asText(row[0]), Seed: &number, Digest: hex.EncodeToString(digest[:]), Sweep: sweep,
		})
	})
	return list, explain(err)
}

const listSeedRecords = `
	SELECT configuration.hash, seed.number, seed.digest FROM seed JOIN configuration ON configuration.id = seed.configuration_id WHERE seed.ulid = $1`

// Measurement returns the seed of this ULID as the subject of a withdrawal.
func (r *Reader) Measurement(ctx context.Context, scenario, ulid string) (w track.Withdrawal, err error) {
	found := false
	err = r.stream(ctx, listSeedRecords, []any{ulid}, func(row []driver.Value) {
		number, digest := track.SeedNumber(asInt(row[1])), asDigest(row[2])
		w = track.Withdrawal{Kind: track.WithdrawnSeed, Scenario: scenario, Configuration: asText(row[0]), Seed: &number, Digest: hex.EncodeToString(digest[:])}
		found = true
	})
	if err == nil && !found {
		err = fmt.Errorf("seed %s: %w", ulid, track.ErrNotFound)
	}
	return w, explain(err)
}

const listWithdrawnNumbers = `
	SELECT seed.number FROM seed
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.configuration_id = $2
	   AND seed.withdrawn_at IS NOT NULL AND NOT EXISTS (
	       SELECT 1 FROM seed AS other WHERE other.scenario_id = seed.scenario_id AND other.configuration_id = seed.configuration_id
	          AND other.number = seed.number AND other.superseded_at IS NULL)`

// WithdrawnNumbers returns the numbers of seeds of a configuration whose only measurements were withdrawn.
func (r *Reader) WithdrawnNumbers(ctx context.Context, scenario string, configuration int64) (list []track.SeedNumber, err error) {
	return list, explain(r.read().SelectContext(ctx, &list, listWithdrawnNumbers, scenario, configuration))
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
