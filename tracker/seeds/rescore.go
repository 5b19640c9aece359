package seeds

import (
	"context"
	"fmt"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
)

// RescoreOptions say how seeds are judged again.
type RescoreOptions struct {
	DryRun    bool
	ValuesWin bool              // a given value stands where the series of the seed give another
	Flip      func(answer.Flip) // hears of each flip of a seed that is judged now, or of a dry run of any seed; may be nil
}

// Rescored counts the seeds that were judged again.
type Rescored struct {
	Seeds  int // that ran well
	Scored int // judged now; of a dry run, those that would be
	Before int // judged under this version before, and so left alone
	Flips  int // metrics whose status differs from that under the version they were judged by last
}

const rescoreChunk = 200

// Rescore judges the stored values of all seeds of a scenario that ran well under another version of its spec. Earlier results are
// kept.
func Rescore(ctx context.Context, st *store.Store, scenario string, version int, options RescoreOptions) (Rescored, error) {
	var total Rescored
	stored, decoded, err := LoadSpec(ctx, st.Reader, scenario, version)
	if err != nil {
		return total, err
	}
	for after := int64(0); ; {
		seeds, err := st.StoredSeeds(ctx, scenario, stored.ID, after, rescoreChunk)
		if err != nil || len(seeds) == 0 {
			return total, err
		}
		after = seeds[len(seeds)-1].RowID
		judged := make([]rejudgement, len(seeds))
		for i, seed := range seeds {
			if judged[i], err = judgeAgain(ctx, st.Reader, decoded, seed.RecordedSeed, options.ValuesWin); err != nil {
				return total, err
			}
			judged[i].rowID = seed.RowID
			total.compare(seed, judged[i].assessment, options)
		}
		if options.DryRun {
			continue
		}
		if err := storeAssessments(ctx, st, stored.ID, judged); err != nil {
			return total, err
		}
	}
}

func (t *Rescored) compare(seed store.StoredSeed, a scoring.Assessment, options RescoreOptions) {
	t.Seeds++
	if seed.Current {
		t.Before++
	} else {
		t.Scored++
	}
	if seed.Current && !options.DryRun { // its flips were reported when it was scored
		return
	}
	for _, r := range a.Results {
		from, judged := seed.Previous[r.Name]
		if !judged || from == r.Status {
			continue
		}
		t.Flips++
		if options.Flip != nil {
			options.Flip(answer.Flip{
				Seed: seed.Number, Label: seed.Configuration.Label, Configuration: seed.Configuration.Hash, Metric: r.Name, FromVersion: seed.SpecVersion,
				From: from, To: r.Status,
			})
		}
	}
}

// rejudgement is the new judgement of a stored seed.
type rejudgement struct {
	rowID      int64 // of the seed
	assessment scoring.Assessment
	computed   []scoring.ComputedValue
}

func judgeAgain(ctx context.Context, st *store.Reader, spec scoring.Spec, seed track.RecordedSeed, valuesWin bool) (j rejudgement, err error) {
	if spec.Computes() {
		source := &storedSeries{store: st, ulid: seed.ID}
		find := func(name string) ([]float64, bool) { return source.find(ctx, name) }
		computed, contradictions := spec.Compute(seed.Values, find, valuesWin)
		if source.err != nil {
			return j, source.err
		}
		if len(contradictions) > 0 {
			problem := describeContradictions(contradictions)
			err := fmt.Errorf("seed %s, configuration %s: %w", seed.Number, track.ShortHash(seed.Configuration.Hash), problem)
			return j, track.WithHint(err, track.Hint{Text: "--values-win lets the given values stand; seeds before this one are scored"})
		}
		j.computed = computed
	}
	j.assessment = assess(spec, seed.Values, j.computed)
	return j, nil
}

func storeAssessments(ctx context.Context, st *store.Store, specID int64, judged []rejudgement) error {
	return st.Update(ctx, func(tx *store.Tx) error {
		for _, j := range judged {
			assessed, err := tx.Assessed(ctx, j.rowID, specID) // now, not when it was read
			if err != nil {
				return err
			}
			if assessed {
				continue
			}
			if err := addAssessment(tx, j.rowID, specID, j.assessment, j.computed); err != nil {
				return err
			}
		}
		return nil
	})
}

// AnswerRescore scores the stored values of a scenario under another version of its spec, and lists the statuses that differ.
func AnswerRescore(ctx context.Context, st *store.Store, q answer.RescoreQuestion) (answer.Rescored, error) {
	a := answer.Rescored{Scenario: q.Scenario, DryRun: q.DryRun, List: answer.List[answer.Flip]{Items: []answer.Flip{}}}
	stored, _, err := LoadSpec(ctx, st.Reader, q.Scenario, q.Spec)
	if err != nil {
		return a, err
	}
	a.Version = stored.Version
	total, err := Rescore(ctx, st, q.Scenario, stored.Version, RescoreOptions{
		DryRun: q.DryRun, ValuesWin: q.ValuesWin, Flip: func(f answer.Flip) { a.Items = append(a.Items, f) },
	})
	a.NSeeds, a.NScored, a.NBefore, a.NFlips = total.Seeds, total.Scored, total.Before, total.Flips
	return a, err
}
