package sweeps

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
)

// repeat runs a share of the seeds of each configuration that ran well once more, and compares. Which ones follows from their numbers and the
// configuration alone, and those that were repeated before count.
func (s *Sweeper) repeat(ctx context.Context, stop <-chan struct{}) error {
	for _, c := range s.swept {
		chosen, err := s.toRepeat(ctx, c)
		if err != nil {
			return err
		}
		jobs := func(yield func(job, error) bool) {
			for _, seed := range chosen {
				taken, err := s.records.claim(s.options.Plan.Scenario, c.Hash, seed)
				if err == nil && !taken {
					continue
				}
				j := job{Job: sweep.Job{Scenario: s.options.Plan.Scenario, Configuration: c.Configuration, Seed: seed, Repeated: true}, configuration: c, repeated: true}
				if !yield(j, err) {
					return
				}
			}
		}
		if err := s.dispatch(ctx, stop, iter.Seq2[job, error](jobs), s.recordRepeated); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sweeper) toRepeat(ctx context.Context, c *sweptConfiguration) ([]track.SeedNumber, error) {
	var well []track.SeedNumber
	for n, outcome := range c.recorded {
		if outcome == track.OutcomeOK && c.Planned.Contains(n) {
			well = append(well, n)
		}
	}
	if len(well) == 0 {
		return nil, nil
	}
	choice, err := seeds.Choose(ctx, s.store.Reader, answer.Selector{Scenario: s.options.Plan.Scenario, Configuration: c.Hash}, false)
	if err != nil {
		return nil, err
	}
	before, err := s.store.Repetitions(ctx, store.Selection{Scenario: choice.Scenario, Configurations: []int64{choice.Configurations[0].ID}, Seeds: c.Planned})
	if err != nil {
		return nil, err
	}
	order := func(n track.SeedNumber) []byte {
		hash := sha256.Sum256([]byte("repeat\x00" + c.Hash + "\x00" + n.String()))
		return hash[:]
	}
	slices.SortFunc(well, func(a, b track.SeedNumber) int {
		return cmp.Or(bytes.Compare(order(a), order(b)), cmp.Compare(a, b))
	})
	chosen := well[:int(math.Ceil(s.options.Plan.RepeatShare*float64(len(well))-1e-9))]
	return slices.DeleteFunc(chosen, func(n track.SeedNumber) bool {
		return slices.ContainsFunc(before, func(r store.RepeatedSeed) bool { return r.Number == n })
	}), nil
}

func (s *Sweeper) recordRepeated(ctx context.Context, list []ran) error {
	for _, r := range list {
		repeated, err := Repeated(ctx, s.store, r.seed, s.summary.Sweep.ID, s.recorder)
		if err != nil {
			return err
		}
		s.summary.NRepeated++
		swept := SweptSeed{Seed: r.seed, Repeated: true, Differences: repeated}
		if len(repeated) > 0 {
			s.summary.Differing = append(s.summary.Differing, swept)
		}
		if s.observer.Finished != nil {
			s.observer.Finished(swept, s.summary.Progress)
		}
	}
	return nil
}

// Repeated compares a seed that was run again with what is recorded of it, records that, and returns what differs, in words; nothing where all is
// the same. sweep is the id of the sweep that asked for it, if one did.
func Repeated(ctx context.Context, st *store.Store, again track.Seed, sweep string, recorder *seeds.Recorder) (differing []string, err error) {
	choice, err := seeds.Choose(ctx, st.Reader, answer.Selector{Scenario: again.Scenario, Configuration: again.Configuration.Hash()}, false)
	if err != nil {
		return nil, err
	}
	recorded, _, err := st.SeedByNumber(ctx, again.Scenario, again.Number, choice.Configurations[0].ID)
	if err != nil {
		return nil, err
	}
	series, err := st.Series(ctx, recorded.ID)
	if err != nil {
		return nil, err
	}
	differing = differencesText(recorded, series, again)
	r := track.Repetition{Sweep: sweep, Digest: again.Digest(), Differences: differing, RepeatedAt: st.Now()}
	if r.ID, err = seeds.NewID(r.RepeatedAt, recorder.Entropy); err != nil {
		return nil, err
	}
	return differing, st.UpdateRelaxed(ctx, func(tx *store.Tx) error { return tx.AddRepetition(recorded.ID, r) })
}

// differencesText says what another run of a seed gave otherwise, at most a few things of it.
func differencesText(recorded track.RecordedSeed, series []store.SeriesInfo, again track.Seed) (list []string) {
	const most = 10
	if recorded.Outcome != again.Outcome {
		return []string{fmt.Sprintf("outcome %s, and then %s", recorded.Outcome, again.Outcome)}
	}
	for _, d := range seeds.Differences(recorded.Values, again.Values) {
		list = append(list, fmt.Sprintf("%s %s, and then %s", d.Metric, seeds.FormatValue(d.Recorded), seeds.FormatValue(d.New)))
	}
	hashes := map[string]string{}
	for _, info := range series {
		hashes[info.Name] = info.Hash
	}
	for _, s := range again.Series {
		hash, there := hashes[s.Name]
		switch {
		case !there:
			list = append(list, "series "+s.Name+" only the second time")
		case hash != hexHash(s):
			list = append(list, "series "+s.Name+" differs")
		}
		delete(hashes, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		list = append(list, "series "+name+" only the first time")
	}
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return list
}

func hexHash(s track.Series) string {
	hash := s.Hash()
	return hex.EncodeToString(hash[:])
}
