package sweeps

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// repeat runs a share of the seeds of each configuration that ran well once more, and compares. Which ones follows from
// their numbers and the configuration alone, and those that were repeated before count.
func (s *Sweeper) repeat(ctx context.Context, stop <-chan struct{}) error {
	for _, c := range s.swept {
		chosen, err := s.toRepeat(ctx, stop, c)
		if err != nil {
			return err
		}
		jobs := func(yield func(job, error) bool) {
			for _, seed := range chosen {
				taken, err := s.records.claim(s.options.Plan.Scenario, c.hash, seed)
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
	return s.compareLate(ctx, stop)
}

// compareLate compares the runs that came to an end while the server was away. If it still is, they are not compared.
func (s *Sweeper) compareLate(ctx context.Context, stop <-chan struct{}) error {
	if len(s.uncompared) > 0 && s.records.await(ctx, stop) {
		list := s.uncompared
		s.uncompared = nil
		if err := s.recordRepeated(ctx, list); err != nil {
			return err
		}
	}
	s.result.NUncompared += len(s.uncompared)
	return s.acknowledge()
}

func (s *Sweeper) toRepeat(ctx context.Context, stop <-chan struct{}, c *sweptConfiguration) ([]track.SeedNumber, error) {
	var well []track.SeedNumber
	for n, outcome := range c.recorded {
		if outcome == track.OutcomeOK && c.planned.Contains(n) {
			well = append(well, n)
		}
	}
	if len(well) == 0 {
		return nil, nil
	}
	n := int(math.Ceil(s.options.Plan.RepeatShare*float64(len(well)) - 1e-9))
	var before []store.RepeatedSeed
	err := s.judgeAtOnce(ctx, stop, func() (err error) {
		before, err = s.judge.repetitions(ctx, c)
		return err
	})
	if errors.Is(err, errUnjudged) {
		s.result.NUncompared += n
	}
	if err != nil {
		return nil, err
	}
	order := func(n track.SeedNumber) []byte {
		hash := sha256.Sum256([]byte("repeat\x00" + c.hash + "\x00" + n.String()))
		return hash[:]
	}
	slices.SortFunc(well, func(a, b track.SeedNumber) int {
		return cmp.Or(bytes.Compare(order(a), order(b)), cmp.Compare(a, b))
	})
	return slices.DeleteFunc(well[:n], func(n track.SeedNumber) bool {
		return slices.ContainsFunc(before, func(r store.RepeatedSeed) bool { return r.Number == n })
	}), nil
}

func (s *Sweeper) recordRepeated(ctx context.Context, list []ran) error {
	if err := s.checkFiles(ctx); err != nil {
		return err
	}
	for _, r := range list {
		id, err := seeds.NewID(s.now(), s.entropy)
		if err != nil {
			return err
		}
		var differences []string
		answered, err := s.records.judged(ctx, func() (err error) {
			differences, err = repeated(ctx, s.judge.store, r.seed, track.Repetition{ID: id, Sweep: s.sweep.ID})
			return err
		})
		if err != nil {
			return err
		}
		if !answered {
			s.uncompared = append(s.uncompared, r)
			continue
		}
		s.result.NRepeated++
		if len(differences) > 0 {
			s.result.NDiffering++
		}
		s.finish(SweptSeed{Seed: r.seed, Repeated: true, Differences: differences})
	}
	return nil
}

// repeated compares a seed that was run again with its record, records the comparison, and returns the differences in
// words; none if all is the same.
func repeated(ctx context.Context, st *store.Store, again track.Seed, r track.Repetition) (differing []string, err error) {
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
	r.Digest, r.Differences, r.RepeatedAt = again.Digest(), differencesText(recorded, series, again), st.Now()
	return r.Differences, st.UpdateRelaxed(ctx, func(tx *store.Tx) error { return tx.AddRepetition(recorded.ID, r) })
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
