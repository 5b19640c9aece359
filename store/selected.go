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
}

// Results without an assessment show that the page of the assessment is lost. The seeds come in no order: the one by id
// would tempt SQLite to walk through all seeds of the scenario.
const listSelectedSeeds = `
	SELECT ` + seedChecked + `, ` + assessmentChecked + `,
	       CASE WHEN assessment.seed_id IS NULL THEN EXISTS (SELECT 1 FROM result WHERE seed_id = seed.id AND spec_id = $1) ELSE FALSE END, seed.id
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection} IN SCAN ORDER`

// keptSelections is how many selections a snapshot keeps: a report compares two configurations.
const keptSelections = 2

type keptSelection struct {
	key   string
	seeds []selectedSeed
}

func (sel Selection) key() string {
	return fmt.Sprintf("%q %v %d %v", sel.Scenario, sel.Configurations, sel.SpecID, sel.Seeds)
}

// selectedSeeds returns the seeds of a selection, and an error of damage unless they are all there, as they were
// stored. A snapshot keeps the last selections: a report asks for the totals of seeds, their scores and their values.
func (r *Reader) selectedSeeds(ctx context.Context, sel Selection) (seeds []selectedSeed, err error) {
	key := sel.key()
	at := slices.IndexFunc(r.kept, func(k keptSelection) bool { return k.key == key })
	if at >= 0 {
		kept := r.kept[at]
		r.kept = append(slices.Delete(r.kept, at, at+1), kept)
		return kept.seeds, nil
	}
	err = r.Snapshot(ctx, func(r *Reader) error {
		seeds, err = r.readSelectedSeeds(ctx, sel)
		return err
	})
	if err == nil && r.totals != nil {
		r.kept = append(r.kept[max(0, len(r.kept)+1-keptSelections):], keptSelection{key, seeds})
	}
	return seeds, err
}

func (r *Reader) readSelectedSeeds(ctx context.Context, sel Selection) (seeds []selectedSeed, err error) {
	seeds, damage, err := r.pool.engine.scanSelected(ctx, r, sel)
	if err == nil && damage != "" {
		err = fmt.Errorf("%w: %s", track.ErrDamaged, damage)
	}
	if err == nil && len(sel.Seeds) == 0 {
		err = r.checkNumber(ctx, sel.Scenario, sel.Configurations, len(seeds), 0)
	}
	return seeds, err
}

// querySelected is [engine].scanSelected for any database.
func (r *Reader) querySelected(ctx context.Context, sel Selection) (seeds []selectedSeed, damage string, err error) {
	err = r.streamSelected(ctx, sel, listSelectedSeeds, []any{sel.SpecID}, func(row []driver.Value) {
		seed, problem := selectedSeedOf(row)
		if seeds = append(seeds, seed); problem != "" && damage == "" {
			damage = problem
		}
	})
	return seeds, damage, err
}

// selectedSeedOf reads a row of [listSelectedSeeds], and says what is wrong with it.
func selectedSeedOf(row []driver.Value) (s selectedSeed, problem string) {
	assessment, rest := row[seedColumns:seedColumns+assessmentColumns], row[seedColumns+assessmentColumns:]
	switch {
	case !isSound(row[:seedColumns]):
		return s, "the row of seed " + asText(row[0]) + " differs from its checksum"
	case assessment[0] != nil && !isSound(assessment):
		return s, "the assessment of seed " + asText(row[0]) + " differs from its checksum"
	case asInt(rest[0]) != 0:
		return s, "the assessment of seed " + asText(row[0]) + " is lost"
	}
	outcome, err := track.ParseOutcome(asText(row[4]))
	digest, _ := row[6].([]byte)
	if err != nil || len(digest) != sha256.Size {
		return s, "seed " + asText(row[0]) + " has cells of another type"
	}
	return selectedSeed{
		id: asInt(rest[1]), recordedAt: asInt(row[10]), environment: asInt(row[7]), configuration: asInt(row[2]), number: track.SeedNumber(asInt(row[3])), outcome: outcome,
		message: asText(row[5]), ulid: asText(row[0]), digest: [sha256.Size]byte(digest), assessed: assessment[0] != nil, total: asFloat(assessment[2]),
		counts: [3]int32{int32(asInt(assessment[3])), int32(asInt(assessment[4])), int32(asInt(assessment[5]))},
	}, ""
}

// SeedTotals aggregates the total scores of a selection, whose seeds it compares with their checksums.
func (r *Reader) SeedTotals(ctx context.Context, sel Selection) (Totals, error) {
	seeds, err := r.selectedSeeds(ctx, sel)
	if err != nil {
		return Totals{}, explain(err)
	}
	return totalsOf(seeds, len(sel.Configurations) == 1), nil
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
			list = append(list, totalsOf(of[c], true))
		}
	}
	return list, nil
}

// totalsOf aggregates the total scores of seeds, of one configuration or of several.
func totalsOf(seeds []selectedSeed, ofOne bool) (t Totals) {
	scores := make([]float64, 0, len(seeds))
	different, environments := make(map[[sha256.Size]byte]bool, len(seeds)), map[int64]bool{}
	for i := range seeds {
		s := &seeds[i]
		environments[s.environment] = true
		if s.outcome == track.OutcomeOK {
			t.NOK++
			different[s.digest] = true
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
	t.NSeeds, t.NEnvironments = len(seeds), len(environments)
	t.Score, t.Shape = scoring.MomentsOf(scores), scoring.NewShape(scores)
	if ofOne { // one seed may well measure the same under two configurations
		t.NIdentical = t.NOK - len(different)
	}
	return t
}
