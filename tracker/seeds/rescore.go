package seeds

import (
	"context"
	"fmt"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
)

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
		for n = 0; n < len(judged) && !tx.IsFull(); n++ {
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
