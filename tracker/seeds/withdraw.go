package seeds

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
)

// WithdrawSeed takes back what a seed measured.
func WithdrawSeed(ctx context.Context, st *store.Store, q answer.WithdrawSeedQuestion) (a answer.WithdrawalReceipt, err error) {
	seed, others, err := findSeed(ctx, st.Reader, q.Of, q.Seed)
	if err != nil {
		return a, err
	}
	if seed.Withdrawn != nil {
		return a, alreadyWithdrawn(fmt.Sprintf("seed %s of %s", q.Seed, q.Of), *seed.Withdrawn)
	}
	if len(others) > 0 {
		err := fmt.Errorf("seed %s of %s is %w: %d configurations have it", q.Seed, q.Of.Scenario, track.ErrAmbiguous, len(others)+1)
		for _, hash := range append([]string{seed.Configuration.Hash}, others...) {
			of := answer.Selector{Scenario: q.Of.Scenario, Configuration: track.ShortHash(hash)}
			err = track.WithHint(err, track.NewHint("name the configuration", "withdraw seed", of.String(), q.Seed.String()).With("reason", "TEXT"))
		}
		return a, err
	}
	subject, err := st.Measurement(ctx, q.Of.Scenario, seed.ID)
	if err != nil {
		return a, err
	}
	return RecordWithdrawals(ctx, st, track.ActionWithdrawn, []track.Withdrawal{subject}, q.Change)
}

// alreadyWithdrawn returns the error for something that was withdrawn before.
func alreadyWithdrawn(what string, w track.Withdrawal) error {
	err := fmt.Errorf("%w: %s %s", track.ErrConflict, what, withdrawnText(w))
	return track.WithHint(err, restoreHint(w))
}

// withdrawnText says since when and why something is withdrawn.
func withdrawnText(w track.Withdrawal) string {
	with := ""
	if w.Kind == track.WithdrawnConfiguration {
		with = " with its configuration"
	}
	return fmt.Sprintf("was withdrawn%s on %s: %s", with, w.At.UTC().Format(time.DateOnly), w.Reason)
}

// restoreHint says how to take back a withdrawal.
func restoreHint(w track.Withdrawal) track.Hint {
	of := answer.Selector{Scenario: w.Scenario, Configuration: track.ShortHash(w.Configuration)}.String()
	hint := track.NewHint("restore it", "restore "+string(w.Kind), of)
	if w.Kind == track.WithdrawnSeed {
		hint = track.NewHint("restore it", "restore seed", of, w.Seed.String())
	}
	return hint.With("reason", "TEXT")
}

// RestoreSeed makes a withdrawn seed count again.
func RestoreSeed(ctx context.Context, st *store.Store, q answer.RestoreSeedQuestion) (a answer.WithdrawalReceipt, err error) {
	filter := store.SeedFilter{Scenario: q.Of.Scenario, Number: &q.Seed, Withdrawn: true}
	if q.Of.Configuration != "" {
		if filter.Configurations, err = namedConfigurations(ctx, st.Reader, q.Of); err != nil {
			return a, err
		}
	}
	list, err := st.Seeds(ctx, filter)
	switch {
	case err != nil:
		return a, err
	case len(list) == 0:
		err := fmt.Errorf("seed %s of %s is not withdrawn: %w", q.Seed, q.Of, track.ErrNotFound)
		return a, track.WithHint(err, track.NewHint("list the withdrawn seeds", "seeds", q.Of.Scenario).With("withdrawn", ""))
	case len(list) > 1:
		err := fmt.Errorf("seed %s of %s is %w: %d withdrawn seeds have this number", q.Seed, q.Of, track.ErrAmbiguous, len(list))
		for _, seed := range list {
			err = track.WithHint(err, restoreHint(track.Withdrawal{
				Kind: track.WithdrawnSeed, Scenario: seed.Scenario, Configuration: seed.Configuration.Hash, Seed: &seed.Number,
			}))
		}
		return a, err
	}
	subject, err := st.Measurement(ctx, q.Of.Scenario, list[0].ID)
	if err != nil {
		return a, err
	}
	if w := list[0].Withdrawn; w != nil && w.Kind == track.WithdrawnConfiguration {
		return a, alreadyWithdrawn(fmt.Sprintf("seed %s of %s", q.Seed, q.Of), *w)
	}
	a, err = RecordWithdrawals(ctx, st, track.ActionRestored, []track.Withdrawal{subject}, q.Change)
	return a, err
}

func namedConfigurations(ctx context.Context, r *store.Reader, of answer.Selector) (ids []int64, err error) {
	found, err := allNamed(ctx, r, of)
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	return ids, err
}

// WithdrawConfiguration takes back all seeds of a scenario under a configuration.
func WithdrawConfiguration(ctx context.Context, st *store.Store, q answer.WithdrawConfigurationQuestion) (a answer.WithdrawalReceipt, err error) {
	if q.Of.Configuration != "" {
		if subject, w, err := withdrawnConfiguration(ctx, st.Reader, q.Of); err == nil && w != nil {
			return a, alreadyWithdrawn(q.Of.Scenario+"@"+track.ShortHash(subject.Configuration), *w)
		}
	}
	choice, err := Choose(ctx, st.Reader, q.Of, false)
	if err != nil {
		return a, err
	}
	subject := track.Withdrawal{Kind: track.WithdrawnConfiguration, Scenario: choice.Scenario, Configuration: choice.Configurations[0].Hash}
	return RecordWithdrawals(ctx, st, track.ActionWithdrawn, []track.Withdrawal{subject}, q.Change)
}

// withdrawnConfiguration returns the only configuration that a selector names, with its withdrawal; nil if it is not
// withdrawn.
func withdrawnConfiguration(ctx context.Context, r *store.Reader, of answer.Selector) (subject track.Withdrawal, w *track.Withdrawal, err error) {
	found, err := allNamed(ctx, r, of)
	if err != nil {
		return subject, nil, err
	}
	for _, c := range found {
		withdrawn, err := r.Withdrawn(ctx, of.Scenario, c.Hash)
		if err != nil {
			return subject, nil, err
		}
		if one := withdrawn.Configuration(); one != nil {
			if w != nil {
				return subject, nil, fmt.Errorf("%s is %w: it names several withdrawn configurations, %s and %s", of, track.ErrAmbiguous,
					track.ShortHash(subject.Configuration), track.ShortHash(c.Hash))
			}
			subject, w = track.Withdrawal{Kind: track.WithdrawnConfiguration, Scenario: of.Scenario, Configuration: c.Hash}, one
		}
	}
	return subject, w, nil
}

// RestoreConfiguration makes the seeds of a withdrawn configuration count again, but for those that were withdrawn
// alone.
func RestoreConfiguration(ctx context.Context, st *store.Store, q answer.RestoreConfigurationQuestion) (a answer.WithdrawalReceipt, err error) {
	subject, w, err := withdrawnConfiguration(ctx, st.Reader, q.Of)
	if err != nil {
		return a, err
	}
	if w == nil {
		err := fmt.Errorf("%s is not withdrawn: %w", q.Of, track.ErrNotFound)
		return a, track.WithHint(err, track.NewHint("list the withdrawn seeds", "seeds", q.Of.Scenario).With("withdrawn", ""))
	}
	return RecordWithdrawals(ctx, st, track.ActionRestored, []track.Withdrawal{subject}, q.Change)
}

// WithdrawnOf returns the seeds of a configuration that were withdrawn and not replaced. It returns an error if the
// configuration was withdrawn as a whole.
func WithdrawnOf(ctx context.Context, r *store.Reader, scenario, hash string) (track.SeedRanges, error) {
	of, err := r.Withdrawn(ctx, scenario, hash)
	if err != nil {
		return nil, err
	}
	if w := of.Configuration(); w != nil {
		return nil, alreadyWithdrawn(scenario+"@"+track.ShortHash(hash), *w)
	}
	if !of.HasSeeds() {
		return nil, nil
	}
	found, err := allNamed(ctx, r, answer.Selector{Scenario: scenario, Configuration: hash})
	if err != nil {
		return nil, err
	}
	return withdrawnSeeds(ctx, r, store.Selection{Scenario: scenario}, found[0].ID)
}

// RecordWithdrawals withdraws or restores subjects, for one reason, at one time. The first subject is what was asked
// for. If another measurement has the place of one that is restored, nothing is recorded.
func RecordWithdrawals(ctx context.Context, st *store.Store, action track.WithdrawalAction, subjects []track.Withdrawal, change answer.Change) (a answer.WithdrawalReceipt, err error) {
	if strings.TrimSpace(change.Reason) == "" {
		return a, fmt.Errorf("%w: the reason is empty", track.ErrInvalid)
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		at := st.Now()
		latest := map[string]bool{}
		for _, s := range subjects {
			if key := s.Configuration + s.Scenario; !latest[key] {
				latest[key] = true
				if at, err = tx.Later(at, s); err != nil {
					return err
				}
			}
		}
		for i := range subjects {
			s := &subjects[i]
			if s.ID, err = NewID(at, rand.Reader); err != nil {
				return err
			}
			s.Action, s.Reason, s.Actor, s.At = action, change.Reason, change.Actor, at
		}
		settled, err := tx.AddWithdrawals(subjects)
		if err == nil && settled.NBlocked > 0 && action == track.ActionRestored {
			return blocked(subjects[0], settled)
		}
		a = answer.WithdrawalReceipt{Withdrawal: subjects[0], NWithdrawn: settled.NWithdrawn, NRestored: settled.NRestored}
		return err
	})
	return a, err
}

// blocked returns the error for seeds that cannot be restored.
func blocked(w track.Withdrawal, s store.Settled) error {
	err := fmt.Errorf("%w: other measurements were recorded in the place of %d withdrawn seeds", track.ErrConflict, s.NBlocked)
	if w.Kind == track.WithdrawnSeed {
		err = fmt.Errorf("%w: another measurement of seed %s was recorded in its place", track.ErrConflict, w.Seed)
		of := answer.Selector{Scenario: w.Scenario, Configuration: track.ShortHash(w.Configuration)}
		return track.WithHint(err, track.NewHint("withdraw that one first", "withdraw seed", of.String(), w.Seed.String()).With("reason", "TEXT"))
	}
	return track.WithHint(err, track.Hint{Text: "withdraw those first"})
}

const rescoreChunk = 200

// Rescore judges the stored values of all seeds of a scenario that ran well under another version of its spec, and
// lists the statuses that differ. Earlier results are kept.
func Rescore(ctx context.Context, st *store.Store, q answer.RescoreQuestion) (answer.Rescored, error) {
	a := answer.Rescored{Scenario: q.Scenario, DryRun: q.DryRun, List: answer.List[answer.Flip]{Items: []answer.Flip{}}}
	stored, decoded, err := LoadSpec(ctx, st.Reader, q.Scenario, q.Spec)
	if err != nil {
		return a, err
	}
	a.Version = stored.Version
	for after := int64(0); ; {
		seeds, err := st.StoredSeeds(ctx, q.Scenario, stored.ID, after, rescoreChunk)
		if err != nil || len(seeds) == 0 {
			return a, err
		}
		after = seeds[len(seeds)-1].RowID
		judged := make([]rejudgement, len(seeds))
		for i, seed := range seeds {
			if judged[i], err = judgeAgain(ctx, st.Reader, decoded, seed.RecordedSeed, q.ValuesWin); err != nil {
				return a, err
			}
			judged[i].rowID = seed.RowID
			addRescored(&a, seed, judged[i].assessment)
		}
		if q.DryRun {
			continue
		}
		if err := storeAssessments(ctx, st, stored.ID, judged); err != nil {
			return a, err
		}
	}
}

// addRescored counts a seed, and lists the statuses that its new assessment changes.
func addRescored(a *answer.Rescored, seed store.StoredSeed, judged scoring.Assessment) {
	a.NSeeds++
	if seed.Current {
		a.NBefore++
	} else {
		a.NScored++
	}
	if seed.Current && !a.DryRun { // its flips were reported when it was scored
		return
	}
	for _, r := range judged.Results {
		from, before := seed.Previous[r.Name]
		if !before || from == r.Status {
			continue
		}
		a.NFlips++
		a.Items = append(a.Items, answer.Flip{
			Seed: seed.Number, Label: seed.Configuration.Label, Configuration: seed.Configuration.Hash, Metric: r.Name, FromVersion: seed.SpecVersion,
			From: from, To: r.Status,
		})
	}
}

// rejudgement is the new judgement of a stored seed.
type rejudgement struct {
	rowID      int64 // of the seed
	assessment scoring.Assessment
	computed   []scoring.ComputedValue
}

func judgeAgain(ctx context.Context, st *store.Reader, spec scoring.Spec, seed track.RecordedSeed, valuesWin bool) (j rejudgement, err error) {
	if len(spec.Series()) > 0 {
		source := &storedSeries{store: st, ulid: seed.ID}
		find := func(name string) ([]float64, bool) { return source.find(ctx, name) }
		computed, contradictions := spec.Compute(seed.Values, find, valuesWin)
		if source.err != nil {
			return j, source.err
		}
		if len(contradictions) > 0 {
			problem := describeContradictions(contradictions)
			err := fmt.Errorf("seed %s, configuration %s: %w", seed.Number, track.ShortHash(seed.Configuration.Hash), problem)
			return j, track.WithHint(err, track.Hint{Text: "keep the given values (the seeds before this one are scored)"}.With("values-win", ""))
		}
		j.computed = computed
	}
	j.assessment = assess(spec, seed.Values, j.computed)
	return j, nil
}

func storeAssessments(ctx context.Context, st *store.Store, specID int64, judged []rejudgement) error {
	for len(judged) > 0 {
		n, err := storeSome(ctx, st, specID, judged)
		if err != nil {
			return err
		}
		judged = judged[n:]
	}
	return nil
}

// storeSome stores judgements in one transaction, and returns how many of them it took.
func storeSome(ctx context.Context, st *store.Store, specID int64, judged []rejudgement) (n int, err error) {
	ids := make([]int64, len(judged))
	for i, j := range judged {
		ids[i] = j.rowID
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		assessed, err := tx.Assessed(ctx, ids, specID) // now, not when it was read
		if err != nil {
			return err
		}
		for n = 0; n < len(judged); n++ {
			j := judged[n]
			if assessed[j.rowID] {
				continue
			}
			if err := addAssessment(tx, j.rowID, specID, j.assessment, j.computed); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
