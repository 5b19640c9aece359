package seeds

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
	"track/store"
)

// StabilityOptions narrow a stability aggregate.
type StabilityOptions struct {
	SpecVersion int // 0 for the newest
	Seeds       []track.SeedRange
	AllowMixed  bool
}

// StabilityReport is the stability of a configuration, with what it was computed from.
type StabilityReport struct {
	scoring.Stability
	Choice
	Stored             store.Spec
	Spec               scoring.Spec
	NEnvironments      int
	EnvironmentsDiffer []string // in these, by name
	Failing            []track.FailingSeed
	verdict.Judgement  // whether the seeds show that the configuration is stable
}

// Stability aggregates the stored results of the seeds that a selector names. It returns an error if seeds that ran
// well were never judged under the spec: leaving them out, or counting them as failed, would both be wrong.
func Stability(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report StabilityReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = stability(ctx, st, sel, options)
		return err
	})
	return report, err
}

func stability(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report StabilityReport, err error) {
	if report.Choice, err = Choose(ctx, st, sel, options.AllowMixed); err != nil {
		return report, err
	}
	if report.Stored, report.Spec, err = LoadSpec(ctx, st, sel.Scenario, options.SpecVersion); err != nil {
		return report, err
	}
	selection := store.Selection{Scenario: sel.Scenario, SpecID: report.Stored.ID, Seeds: options.Seeds}
	for _, c := range report.Configurations {
		selection.Configurations = append(selection.Configurations, c.ID)
	}
	totals, err := st.SeedTotals(ctx, selection)
	if err != nil {
		return report, err
	}
	if err := checkAssessed(sel.Scenario, report.Stored.Version, totals); err != nil {
		return report, err
	}
	metrics, err := st.MetricTotals(ctx, selection)
	if err != nil {
		return report, err
	}
	report.Stability = scoring.NewStability(report.Spec, totals.SeedTotals, metrics)
	report.NEnvironments = totals.NEnvironments
	if report.EnvironmentsDiffer, err = environmentsDiffer(ctx, st, selection, totals.NEnvironments); err != nil {
		return report, err
	}
	coverage, err := coverageOf(ctx, st, selection)
	if err != nil {
		return report, err
	}
	report.Judgement = verdict.Judge(report.Stability, coverage, scoring.DefaultConfidence)
	report.Failing, err = st.FailingSeeds(ctx, selection)
	return report, err
}

// environmentsDiffer returns the names of what differs between the n environments of a selection.
func environmentsDiffer(ctx context.Context, st *store.Reader, sel store.Selection, n int) ([]string, error) {
	if n < 2 {
		return nil, nil
	}
	uses, err := st.Environments(ctx, sel)
	if err != nil {
		return nil, err
	}
	differ := map[string]bool{}
	for _, one := range uses {
		for name, value := range one.Environment {
			for _, other := range uses {
				if found, known := other.Environment[name]; !known || found != value {
					differ[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(differ)), nil
}

func checkAssessed(scenario string, version int, totals store.Totals) error {
	switch {
	case totals.NSeeds == 0:
		return track.WithHint(fmt.Errorf("no seeds in this selection: %w", track.ErrNotFound), track.NewHint("list the recorded seeds", "seeds", scenario))
	case totals.NUnassessed > 0:
		err := fmt.Errorf("%w: %s %s never scored under %s@%d", track.ErrInvalid,
			format.CountedOf(totals.NUnassessed, totals.NSeeds, "seed"), format.Verb(totals.NUnassessed, "was", "were"), scenario, version)
		err = track.WithHint(err, track.NewHint("score them", "rescore", scenario).With("spec", strconv.Itoa(version)))
		if version == 1 {
			return err
		}
		return track.WithHint(err, track.NewHint("or judge by a version that they were scored under, such as", "stability", scenario).With("spec", strconv.Itoa(version-1)))
	}
	return nil
}
