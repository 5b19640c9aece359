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
		after = seeds[len(seeds)-1].ID
		judged := make([]judgedSeed, len(seeds))
		for i, seed := range seeds {
			if judged[i], err = judgeAgain(ctx, st.Reader, decoded, seed, options.ValuesWin); err != nil {
				return total, err
			}
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
	if seed.Current && !options.DryRun { // told when it was scored
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
				Seed: seed.Number, Label: seed.Label, Configuration: seed.Hash, Metric: r.Name, FromVersion: seed.Version, From: from, To: r.Status,
			})
		}
	}
}

// judgedSeed is a stored seed with its new judgement.
type judgedSeed struct {
	id         int64
	assessment scoring.Assessment
	computed   []scoring.ComputedValue
}

func judgeAgain(ctx context.Context, st *store.Reader, spec scoring.Spec, seed store.StoredSeed, valuesWin bool) (judgedSeed, error) {
	j := judgedSeed{id: seed.ID}
	if spec.Computes() {
		source := &storedSeries{store: st, ulid: seed.ULID}
		find := func(name string) ([]float64, bool) { return source.find(ctx, name) }
		computed, contradictions := spec.Compute(seed.Values, find, valuesWin)
		if source.err != nil {
			return j, source.err
		}
		if len(contradictions) > 0 {
			problem := describeContradictions(contradictions)
			err := fmt.Errorf("seed %s, configuration %s: %w", seed.Number, ShortHash(seed.Hash), problem)
			return j, track.WithHint(err, track.Hint{Text: "--values-win lets the given values stand; seeds before this one are scored"})
		}
		j.computed = computed
	}
	j.assessment = assess(spec, seed.Values, j.computed)
	return j, nil
}

func storeAssessments(ctx context.Context, st *store.Store, specID int64, seeds []judgedSeed) error {
	return st.Update(ctx, func(tx *store.Tx) error {
		for _, seed := range seeds {
			assessed, err := tx.Assessed(ctx, seed.id, specID) // now, not when it was read
			if err != nil {
				return err
			}
			if assessed {
				continue
			}
			if err := addAssessment(tx, seed.id, specID, seed.assessment, seed.computed); err != nil {
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
