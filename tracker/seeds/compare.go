package seeds

import (
	"context"
	"fmt"

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
func stabilityUnder(ctx context.Context, r *store.Reader, sel store.Selection, rows []store.SeedScore, withMetrics bool, spec scoring.Spec) (scoring.Stability, error) {
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
