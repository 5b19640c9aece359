package tracker

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// specInUse is a version of a spec, as it is stored and decoded.
type specInUse struct {
	stored  store.Spec
	decoded scoring.Spec
}

func loadSpecInUse(ctx context.Context, st *store.Store, scenario string, version int) (s specInUse, err error) {
	s.stored, s.decoded, err = LoadSpec(ctx, st, scenario, version)
	return s, err
}

// judgedSeeds returns the seeds of one configuration with their scores under a spec, in the order in which they were recorded.
// Seeds that were never judged under it, as those of another scenario, are judged here, and nothing is stored.
func judgedSeeds(
	ctx context.Context, st *store.Store, scenario string, configuration int64, ranges []track.SeedRange, spec specInUse,
) ([]verdict.JudgedSeed, []store.SeedScore, error) {
	sel := store.Selection{Scenario: scenario, Configurations: []int64{configuration}, SpecID: spec.stored.ID, Seeds: ranges}
	rows, err := st.SeedScores(ctx, sel, true)
	if err != nil {
		return nil, nil, err
	}
	var again map[int64]scoring.Assessment
	if slices.ContainsFunc(rows, unassessed) {
		if again, err = assessStored(ctx, st, sel, rows, spec.decoded); err != nil {
			return nil, nil, err
		}
	}
	seeds := make([]verdict.JudgedSeed, len(rows))
	for i, row := range rows {
		seeds[i] = judgedSeedOf(row, spec.decoded)
		if a, ok := again[row.ID]; ok {
			seeds[i] = judgedAgain(row, a)
		}
	}
	return seeds, rows, nil
}

func unassessed(row store.SeedScore) bool { return row.Outcome == track.OutcomeOK && !row.Assessed }

func judgedSeedOf(row store.SeedScore, spec scoring.Spec) verdict.JudgedSeed {
	seed := verdict.JudgedSeed{Number: uint64(row.Number), Scores: row.Scores}
	switch {
	case row.Outcome != track.OutcomeOK:
		seed.Failed, seed.Scores = failedReason(row), nil
	case math.IsNaN(row.TotalScore):
		var missing []string
		for k, m := range spec.Metrics {
			if k < len(row.Scores) && math.IsNaN(row.Scores[k]) {
				missing = append(missing, m.Name)
			}
		}
		seed.Failed = missingReason(missing)
	default:
		seed.Total, seed.Passed = row.TotalScore, row.NFail == 0
	}
	return seed
}

func judgedAgain(row store.SeedScore, a scoring.Assessment) verdict.JudgedSeed {
	seed := verdict.JudgedSeed{Number: uint64(row.Number), Scores: make([]float64, len(a.Results)), Passed: a.Passed()}
	var missing []string
	for k, r := range a.Results {
		seed.Scores[k] = r.Score
		if r.Missing() {
			seed.Scores[k] = math.NaN()
			missing = append(missing, r.Name)
		}
	}
	if a.Scored {
		seed.Total = a.TotalScore
	} else {
		seed.Failed = missingReason(missing)
	}
	return seed
}

func failedReason(row store.SeedScore) string {
	if row.Message == "" {
		return string(row.Outcome)
	}
	return string(row.Outcome) + ": " + row.Message
}

func missingReason(metrics []string) string {
	const named = 3
	if len(metrics) > named {
		return fmt.Sprintf("missing %s and %d more", strings.Join(metrics[:named], ", "), len(metrics)-named)
	}
	return "missing " + strings.Join(metrics, ", ")
}

// assessStored judges the seeds of rows that ran well under a spec, by the id of the row.
func assessStored(ctx context.Context, st *store.Store, sel store.Selection, rows []store.SeedScore, spec scoring.Spec) (map[int64]scoring.Assessment, error) {
	values, err := st.MeasuredValues(ctx, sel)
	if err != nil {
		return nil, err
	}
	assessments := make(map[int64]scoring.Assessment, len(rows))
	for _, row := range rows {
		if row.Outcome != track.OutcomeOK {
			continue
		}
		seed := store.StoredSeed{ID: row.ID, ULID: row.ULID, Number: row.Number, Values: values[row.ID]}
		judged, err := judgeAgain(ctx, st, spec, seed, true)
		if err != nil {
			return nil, err
		}
		assessments[row.ID] = judged.assessment
	}
	return assessments, nil
}
