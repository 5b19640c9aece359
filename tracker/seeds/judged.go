package seeds

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

func loadSpecInUse(ctx context.Context, st *store.Reader, scenario string, version int) (s specInUse, err error) {
	s.stored, s.decoded, err = LoadSpec(ctx, st, scenario, version)
	return s, err
}

// judgedSeeds returns the seeds of one configuration with their scores under a spec, in the order in which they were
// recorded. It judges seeds that were never judged under the spec, such as seeds of another scenario, and stores
// nothing.
func judgedSeeds(
	ctx context.Context, st *store.Reader, scenario string, configuration int64, ranges []track.SeedRange, spec specInUse,
) ([]verdict.JudgedSeed, []store.SeedScore, error) {
	return judgedSelection(ctx, st, store.Selection{Scenario: scenario, Configurations: []int64{configuration}, SpecID: spec.stored.ID, Seeds: ranges}, true, spec)
}

// judgedSelection is [judgedSeeds] for any selection under the spec, with or without the scores of metrics.
func judgedSelection(ctx context.Context, st *store.Reader, sel store.Selection, withMetrics bool, spec specInUse) ([]verdict.JudgedSeed, []store.SeedScore, error) {
	rows, err := st.SeedScores(ctx, sel, withMetrics)
	if err != nil {
		return nil, nil, err
	}
	assessments, err := assessStored(ctx, st, sel, rows, isUnassessed, spec.decoded)
	if err != nil {
		return nil, nil, err
	}
	var values map[int64]map[string]float64
	if withMetrics {
		if values, err = st.MeasuredValues(ctx, sel); err != nil {
			return nil, nil, err
		}
	}
	seeds := make([]verdict.JudgedSeed, len(rows))
	for i, row := range rows {
		if a, ok := assessments[row.ID]; ok {
			row = judgedBy(row, a)
		}
		seeds[i] = judgedSeedOf(row, spec.decoded)
		if withMetrics && ranWell(row) {
			seeds[i].Values = inSpecOrder(spec.decoded, values[row.ID])
		}
	}
	return seeds, rows, nil
}

// inSpecOrder returns values in the order of the spec, NaN where there is none.
func inSpecOrder(spec scoring.Spec, values map[string]float64) []float64 {
	list := make([]float64, len(spec.Metrics))
	for k, m := range spec.Metrics {
		x, known := values[m.Name]
		if list[k] = x; !known {
			list[k] = math.NaN()
		}
	}
	return list
}

func ranWell(row store.SeedScore) bool { return row.Outcome == track.OutcomeOK }

func isUnassessed(row store.SeedScore) bool { return ranWell(row) && !row.Assessed }

// judgedBy returns a row with the scores of an assessment.
func judgedBy(row store.SeedScore, a scoring.Assessment) store.SeedScore {
	row.Assessed, row.NWarn, row.NFail, row.TotalScore, row.Scores = true, a.NWarn, a.NFail, math.NaN(), make([]float64, len(a.Results))
	if a.Scored {
		row.TotalScore = a.TotalScore
	}
	for k, r := range a.Results {
		row.Scores[k] = r.Score
		if r.Missing() {
			row.Scores[k] = math.NaN()
		}
	}
	return row
}

// judgedSeedOf returns a row as a seed of a comparison. Without the scores of its metrics, Failed cannot name the
// missing ones.
func judgedSeedOf(row store.SeedScore, spec scoring.Spec) verdict.JudgedSeed {
	seed := verdict.JudgedSeed{Number: uint64(row.Number), Scores: row.Scores, Repeats: row.Repeats}
	switch {
	case !ranWell(row):
		seed.Failed, seed.Scores = failedReason(row), nil
	case math.IsNaN(row.TotalScore):
		var missing []string
		for k, score := range row.Scores {
			if math.IsNaN(score) {
				missing = append(missing, spec.Metrics[k].Name)
			}
		}
		seed.Failed = missingReason(missing)
	default:
		seed.Total, seed.Passed = row.TotalScore, row.NFail == 0
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
	switch {
	case len(metrics) == 0:
		return "no total score"
	case len(metrics) > named:
		return fmt.Sprintf("missing %s and %d more", strings.Join(metrics[:named], ", "), len(metrics)-named)
	}
	return "missing " + strings.Join(metrics, ", ")
}

// assessStored judges the rows for which selected is true, and returns the assessments by the id of the row.
func assessStored(
	ctx context.Context, st *store.Reader, sel store.Selection, rows []store.SeedScore, selected func(store.SeedScore) bool, spec scoring.Spec,
) (map[int64]scoring.Assessment, error) {
	if !slices.ContainsFunc(rows, selected) {
		return nil, nil
	}
	values, err := st.MeasuredValues(ctx, sel)
	if err != nil {
		return nil, err
	}
	assessments := make(map[int64]scoring.Assessment, len(rows))
	for _, row := range rows {
		if !selected(row) {
			continue
		}
		judged, err := judgeAgain(ctx, st, spec, track.RecordedSeed{ID: row.ULID, Number: row.Number, Values: values[row.ID]}, true)
		if err != nil {
			return nil, err
		}
		assessments[row.ID] = judged.assessment
	}
	return assessments, nil
}
