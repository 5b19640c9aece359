package seeds

import (
	"context"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// Compared is one of several configurations that stand side by side.
type Compared struct {
	Scenario string
	store.Configuration
	scoring.Stability // under the spec of the first one
	Coverage          verdict.Coverage
}

// Comparison puts configurations side by side, judged by one spec.
type Comparison struct {
	Stored store.Spec
	Spec   scoring.Spec
	Sides  []Compared
	Shared []track.SeedNumber // seeds that all sides have
}

// SideBySide judges the seeds that each selector names under the newest spec of the first one's scenario.
func SideBySide(ctx context.Context, st *store.Reader, selectors []answer.Selector, ranges []track.SeedRange) (c Comparison, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		spec, err := loadSpecInUse(ctx, st, selectors[0].Scenario, 0)
		if err != nil {
			return err
		}
		c.Stored, c.Spec = spec.stored, spec.decoded
		present := map[track.SeedNumber]int{}
		for _, sel := range selectors {
			side, numbers, err := comparedSide(ctx, st, sel, ranges, spec)
			if err != nil {
				return err
			}
			c.Sides = append(c.Sides, side)
			for _, number := range numbers {
				present[number]++
			}
		}
		for number, sides := range present {
			if sides == len(selectors) {
				c.Shared = append(c.Shared, number)
			}
		}
		slices.Sort(c.Shared)
		return nil
	})
	return c, err
}

func comparedSide(ctx context.Context, st *store.Reader, sel answer.Selector, ranges []track.SeedRange, spec specInUse) (side Compared, numbers []track.SeedNumber, err error) {
	choice, err := Choose(ctx, st, sel, false)
	if err != nil {
		return side, nil, err
	}
	side.Scenario, side.Configuration = choice.Scenario, choice.Configurations[0]
	selection := store.Selection{Scenario: sel.Scenario, Configurations: []int64{side.ID}, SpecID: spec.stored.ID, Seeds: ranges}
	rows, err := st.SeedScores(ctx, selection, false)
	if err != nil {
		return side, nil, err
	}
	if len(rows) == 0 {
		return side, nil, track.WithHint(fmt.Errorf("%s@%s: no seeds in this selection: %w", sel.Scenario, ShortHash(side.Hash), track.ErrNotFound), track.Hint{Text: "track seeds " + sel.Scenario + " lists the seeds there are"})

	}
	for _, row := range rows {
		numbers = append(numbers, row.Number)
	}
	if side.Coverage, err = coverageOf(ctx, st, selection); err != nil {
		return side, nil, err
	}
	side.Stability, err = stabilityUnder(ctx, st, selection, rows, spec.decoded)
	return side, numbers, err
}

// stabilityUnder aggregates the stored results of a selection, or where some of its seeds have none under the spec, what all of them
// are judged here.
func stabilityUnder(ctx context.Context, st *store.Reader, sel store.Selection, rows []store.SeedScore, spec scoring.Spec) (scoring.Stability, error) {
	totals, err := st.SeedTotals(ctx, sel)
	if err != nil {
		return scoring.Stability{}, err
	}
	if totals.NUnassessed == 0 {
		metrics, err := st.MetricTotals(ctx, sel)
		return scoring.NewStability(spec, totals.SeedTotals, metrics), err
	}
	judged, err := assessStored(ctx, st, sel, rows, ranWell, spec)
	if err != nil {
		return scoring.Stability{}, err
	}
	assessments := make([]scoring.Assessment, len(rows)) // of a failed seed it stays empty
	for i, row := range rows {
		assessments[i] = judged[row.ID]
	}
	s := scoring.Aggregate(spec, assessments)
	s.NIdentical = totals.NIdentical
	return s, nil
}
