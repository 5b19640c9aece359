package store

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"

	"track"
	"track/scoring"
)

// selectedSeed is a seed of a selection, with its assessment under the spec of the selection.
type selectedSeed struct {
	id, recordedAt int64
	environment    int64
	configuration  int64
	number         track.SeedNumber
	outcome        track.Outcome
	message        string
	ulid           string
	digest         [sha256.Size]byte
	assessed       bool
	counts         [3]int32 // of its results by status
	total          float64  // NaN if it has none
	repeats        bool     // see [SeedScore.Repeats]
}

const listSelectedSeeds = `
	SELECT seed.id, seed.recorded_at, seed.environment_id, seed.configuration_id, seed.number, seed.outcome, seed.message, seed.ulid, seed.digest,
	       assessment.seed_id, assessment.total_score, assessment.n_pass, assessment.n_warn, assessment.n_fail
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection}` + inScanOrder

// keptSelections is how many selections a snapshot keeps: a report compares two configurations.
const keptSelections = 2

type keptSelection struct {
	key   string
	seeds []selectedSeed
}

func (sel Selection) key() string {
	return fmt.Sprintf("%q %v %d %v", sel.Scenario, sel.Configurations, sel.SpecID, sel.Seeds)
}

// selectedSeeds returns the seeds of a selection in the order of the scan, which the caller must not change. A snapshot
// keeps the last selections: a report asks for the totals of seeds, their scores and their values.
func (r *Reader) selectedSeeds(ctx context.Context, sel Selection) (seeds []selectedSeed, err error) {
	key := sel.key()
	at := slices.IndexFunc(r.kept, func(k keptSelection) bool { return k.key == key })
	if at >= 0 {
		kept := r.kept[at]
		r.kept = append(slices.Delete(r.kept, at, at+1), kept)
		return kept.seeds, nil
	}
	err = r.streamSelected(ctx, sel, listSelectedSeeds, []any{sel.SpecID}, func(row []driver.Value) { seeds = append(seeds, selectedSeedOf(row)) })
	if err == nil {
		err = r.markRepeats(ctx, seeds)
	}
	if err == nil && r.totals != nil {
		r.kept = append(r.kept[max(0, len(r.kept)+1-keptSelections):], keptSelection{key, seeds})
	}
	return seeds, err
}

// markRepeats marks the seeds that measured exactly what an earlier seed of their configuration did, unless all of that
// are whole numbers: counts and flags may well be equal.
func (r *Reader) markRepeats(ctx context.Context, seeds []selectedSeed) error {
	type result struct {
		configuration int64
		digest        [sha256.Size]byte
	}
	first := make(map[result]int64, len(seeds)) // the seed that is first in the order of numbers
	for i := range seeds {
		s := &seeds[i]
		key := result{s.configuration, s.digest}
		if _, known := first[key]; s.outcome == track.OutcomeOK && !known {
			first[key] = s.id
		}
	}
	var repeated []int64
	for i := range seeds {
		s := &seeds[i]
		if s.outcome != track.OutcomeOK {
			continue
		}
		if id := first[result{s.configuration, s.digest}]; id != s.id {
			s.repeats, repeated = true, append(repeated, id)
		}
	}
	if len(repeated) == 0 {
		return nil
	}
	whole, err := r.measuringWhole(ctx, slices.Compact(slices.Sorted(slices.Values(repeated))))
	for i := range seeds {
		s := &seeds[i]
		s.repeats = s.repeats && !whole[first[result{s.configuration, s.digest}]]
	}
	return err
}

// measuringWhole returns which of some seeds have values, and none that is not a whole number.
func (r *Reader) measuringWhole(ctx context.Context, ids []int64) (map[int64]bool, error) {
	whole := map[int64]bool{}
	for some := range slices.Chunk(ids, scoresAtOnce) {
		err := r.visitOfSeeds(ctx, listValuesOf, nil, some, func(seed int64, text string) {
			isWhole, n := true, 0
			must(eachValue(text, func(_ int64, value float64) {
				isWhole, n = isWhole && (value == math.Trunc(value) || math.IsNaN(value)), n+1
			}))
			whole[seed] = isWhole && n > 0
		})
		if err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// selectedSeedOf reads a row of [listSelectedSeeds].
func selectedSeedOf(row []driver.Value) selectedSeed {
	return selectedSeed{
		id: asInt(row[0]), recordedAt: asInt(row[1]), environment: asInt(row[2]), configuration: asInt(row[3]), number: track.SeedNumber(asInt(row[4])),
		outcome: track.Outcome(asText(row[5])), message: asText(row[6]), ulid: asText(row[7]), digest: asDigest(row[8]), assessed: row[9] != nil, total: asFloat(row[10]),
		counts: [3]int32{int32(asInt(row[11])), int32(asInt(row[12])), int32(asInt(row[13]))},
	}
}

// repeated returns the ids of the seeds of a selection that count with another one.
func (r *Reader) repeated(ctx context.Context, sel Selection) (map[int64]bool, error) {
	seeds, err := r.selectedSeeds(ctx, sel)
	ids := map[int64]bool{}
	for i := range seeds {
		if seeds[i].repeats {
			ids[seeds[i].id] = true
		}
	}
	return ids, err
}

// SeedTotals aggregates the total scores of a selection.
func (r *Reader) SeedTotals(ctx context.Context, sel Selection) (Totals, error) {
	seeds, err := r.selectedSeeds(ctx, sel)
	if err != nil {
		return Totals{}, explain(err)
	}
	return totalsOf(seeds), nil
}

// configurationsAtOnce is how many configurations are read together, and so held in memory.
const configurationsAtOnce = 20

// TotalsByConfiguration is [Reader.SeedTotals] of each configuration of a selection, in their order.
func (r *Reader) TotalsByConfiguration(ctx context.Context, sel Selection) (list []Totals, err error) {
	for some := range slices.Chunk(sel.Configurations, configurationsAtOnce) {
		part := sel
		part.Configurations = some
		seeds, err := r.selectedSeeds(ctx, part)
		if err != nil {
			return nil, explain(err)
		}
		of := map[int64][]selectedSeed{}
		for len(seeds) > 0 {
			c := seeds[0].configuration
			n := slices.IndexFunc(seeds, func(s selectedSeed) bool { return s.configuration != c })
			if n < 0 {
				n = len(seeds)
			}
			of[c], seeds = append(of[c], seeds[:n]...), seeds[n:]
		}
		for _, c := range some {
			list = append(list, totalsOf(of[c]))
		}
	}
	return list, nil
}

// totalsOf aggregates the total scores of seeds. Those that repeat others count once.
func totalsOf(seeds []selectedSeed) (t Totals) {
	scores := make([]float64, 0, len(seeds))
	environments := map[int64]bool{}
	for i := range seeds {
		s := &seeds[i]
		environments[s.environment] = true
		if s.repeats {
			t.NIdentical++
			continue
		}
		if s.outcome == track.OutcomeOK {
			t.NOK++
			if !s.assessed {
				t.NUnassessed++
			}
		}
		if math.IsNaN(s.total) {
			continue
		}
		if scores = append(scores, s.total); s.counts[2] == 0 {
			t.NPassed++
		}
		if s.total == 0 || s.total == 1 {
			t.NSaturated++
		}
	}
	t.NSeeds, t.NEnvironments = len(seeds)-t.NIdentical, len(environments)
	t.Score, t.Shape = scoring.MomentsOf(scores), scoring.NewShape(scores)
	return t
}
