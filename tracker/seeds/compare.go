package seeds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// CompareSides judges the seeds of several configurations under the newest spec of the first one's scenario.
func CompareSides(ctx context.Context, r *store.Reader, q answer.CompareQuestion) (a answer.Comparison, err error) {
	spec, err := loadSpecInUse(ctx, r, q.Of[0].Scenario, 0)
	if err != nil {
		return a, err
	}
	a = answer.Comparison{Spec: scenarioSpec(spec.stored), AsValues: q.Values, ListsAll: q.All, NMetrics: len(spec.decoded.Metrics), OfTotals: q.Totals}
	nSides := map[track.SeedNumber]int{}
	var params []track.Params
	var judged [][]verdict.JudgedSeed
	for _, sel := range q.Of {
		side, seeds, err := comparedSide(ctx, r, sel, q, spec)
		if err != nil {
			return a, err
		}
		judged = append(judged, seeds)
		a.Sides, params = append(a.Sides, side), append(params, side.Configuration.Params)
		for _, seed := range seeds {
			nSides[track.SeedNumber(seed.Number)]++
		}
	}
	for _, n := range nSides {
		if n == len(q.Of) {
			a.NShared++
		}
	}
	if a.Parameters, err = differingParameters(params); err != nil {
		return a, err
	}
	compared := spec.decoded
	if q.Totals {
		compared.Metrics = nil
	}
	a.Differences, err = sideDifferences(judged, compared)
	return a, err
}

// sideDifferences compares each side with the first, seed by seed.
func sideDifferences(sides [][]verdict.JudgedSeed, spec scoring.Spec) (list []answer.SideDifference, err error) {
	for _, side := range sides {
		byNumber(side)
	}
	for _, side := range sides[1:] {
		compared, err := verdict.Compare(spec, side, sides[0], verdict.Options{Confidence: scoring.DefaultConfidence, Base: degradationBase(spec, nil)})
		if err != nil {
			return nil, err
		}
		list = append(list, answer.NewSideDifference(compared))
	}
	return list, nil
}

func comparedSide(ctx context.Context, r *store.Reader, sel answer.Selector, q answer.CompareQuestion, spec specInUse) (side answer.ComparedSide, seeds []verdict.JudgedSeed, err error) {
	choice, err := Choose(ctx, r, sel, false)
	if err != nil {
		return side, nil, err
	}
	side.Side = choice.side()
	if side.Annotations, err = annotationsOf(ctx, r, choice); err != nil {
		return side, nil, err
	}
	selection := store.Selection{Scenario: sel.Scenario, Configurations: []int64{choice.Configurations[0].ID}, SpecID: spec.stored.ID, Seeds: q.Seeds}
	seeds, rows, err := judgedSelection(ctx, r, selection, !q.Totals, spec)
	if err != nil {
		return side, nil, err
	}
	if len(rows) == 0 {
		return side, nil, track.WithHint(fmt.Errorf("%s@%s: no seeds in this selection: %w", sel.Scenario, track.ShortHash(side.Configuration.Hash), track.ErrNotFound),
			track.NewHint("list the recorded seeds", "seeds", sel.Scenario))
	}
	coverage, err := coverageOf(ctx, r, selection)
	if err != nil {
		return side, nil, err
	}
	if side.Stability, err = stabilityUnder(ctx, r, selection, rows, !q.Totals, spec.decoded); err != nil {
		return side, nil, err
	}
	side.Judgement = verdict.Judge(side.Stability, coverage, scoring.DefaultConfidence)
	return side, seeds, nil
}

// side returns the chosen configuration as one side of a comparison.
func (c Choice) side() answer.Side {
	return answer.Side{Scenario: c.Scenario, Configuration: recordedConfiguration(c.Configurations[0]), Newest: c.newest()}
}

// newest says that the choice is the newest of several revisions; nil if it is not.
func (c Choice) newest() *answer.NewestOf {
	if c.NRevisions == 0 {
		return nil
	}
	return &answer.NewestOf{NOthers: c.NRevisions, FirstRecorded: c.Configurations[0].CreatedAt}
}

func scenarioSpec(s store.Spec) answer.ScenarioSpec {
	return answer.ScenarioSpec{Scenario: s.Scenario, SpecRef: specRef(s)}
}

// stabilityUnder aggregates the stored results of a selection. If some of its seeds have none under the spec, it judges
// all of them here.
func stabilityUnder(ctx context.Context, r *store.Reader, sel store.Selection, rows []store.Seed, withMetrics bool, spec scoring.Spec) (scoring.Stability, error) {
	totals, err := r.SeedTotals(ctx, sel)
	switch {
	case err != nil:
		return scoring.Stability{}, err
	case totals.NUnassessed == 0 && !withMetrics:
		return scoring.NewStability(spec, totals.SeedTotals, nil), nil
	case totals.NUnassessed == 0:
		metrics, err := r.MetricTotals(ctx, sel)
		return scoring.NewStability(spec, totals.SeedTotals, metrics), err
	}
	judged, err := assessStored(ctx, r, sel, rows, ranWell, spec)
	if err != nil {
		return scoring.Stability{}, err
	}
	var assessments []scoring.Assessment // of a failed seed it stays empty
	for _, row := range rows {
		if !row.Repeats {
			assessments = append(assessments, judged[row.ID])
		}
	}
	s := scoring.Aggregate(spec, assessments)
	s.NIdentical = totals.NIdentical
	return s, nil
}

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
) ([]verdict.JudgedSeed, []store.Seed, error) {
	return judgedSelection(ctx, st, store.Selection{Scenario: scenario, Configurations: []int64{configuration}, SpecID: spec.stored.ID, Seeds: ranges}, true, spec)
}

// judgedSelection is [judgedSeeds] for any selection under the spec, with or without the scores of metrics.
func judgedSelection(ctx context.Context, st *store.Reader, sel store.Selection, withMetrics bool, spec specInUse) ([]verdict.JudgedSeed, []store.Seed, error) {
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

func ranWell(row store.Seed) bool { return row.Outcome == track.OutcomeOK }

func isUnassessed(row store.Seed) bool { return ranWell(row) && !row.Assessed }

// judgedBy returns a row with the scores of an assessment.
func judgedBy(row store.Seed, a scoring.Assessment) store.Seed {
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
func judgedSeedOf(row store.Seed, spec scoring.Spec) verdict.JudgedSeed {
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

func failedReason(row store.Seed) string {
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
	ctx context.Context, st *store.Reader, sel store.Selection, rows []store.Seed, selected func(store.Seed) bool, spec scoring.Spec,
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
