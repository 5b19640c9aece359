package seeds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/spec"
	"track/store"
)

// LintSpec says what deserves a look in a spec, and in the recorded seeds of its scenario.
func LintSpec(ctx context.Context, r *store.Reader, q answer.LintSpecQuestion) (a answer.SpecLint, err error) {
	declared, err := parseDocument(*q.Document, q.Scenario)
	if err != nil {
		return a, err
	}
	a = answer.NewSpecLint("", declared)
	warnings, err := lintSeeds(ctx, r, declared)
	a.Items = append(a.Items, warnings...)
	return a, err
}

// lintSeeds warns about what the recorded seeds show of a spec: means over series that still drift, and values that
// miss their targets by a factor of 100. Without seeds it warns about nothing.
func lintSeeds(ctx context.Context, r *store.Reader, declared scoring.Spec) (warnings []spec.Warning, err error) {
	sel := answer.Selector{Scenario: declared.Scenario}
	choice, err := Choose(ctx, r, sel, false)
	several := errors.Is(err, track.ErrAmbiguous)
	if several {
		choice, err = Choose(ctx, r, sel, true)
	}
	if errors.Is(err, track.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	selection := store.Selection{Scenario: declared.Scenario}
	for _, c := range choice.Configurations {
		selection.Configurations = append(selection.Configurations, c.ID)
	}
	if warnings, err = lintPercents(ctx, r, selection, declared); err != nil {
		return nil, err
	}
	if several {
		if slices.ContainsFunc(declared.Metrics, takesMeanOfSeries) {
			warnings = append(warnings, spec.Warning{Field: "from.skip", Message: "not tested: several configurations match, and none is pinned as the baseline"})
		}
		return warnings, nil
	}
	drifts, err := driftsOf(ctx, r, selection, declared)
	for _, d := range drifts {
		for _, metric := range d.Metrics {
			of := " of " + declared.Scenario + "@" + track.ShortHash(choice.Configurations[0].Hash)
			warnings = append(warnings, spec.Warning{Metric: metric, Field: "from.skip", Message: d.Text(of)})
		}
	}
	return warnings, err
}

// takesMeanOfSeries reports whether the value of a metric is the mean over a series.
func takesMeanOfSeries(m scoring.Metric) bool {
	return m.From != nil && m.From.Reduce == scoring.ReduceMean
}

// lintPercents warns about metrics whose values miss the target by a factor of 100, or are shares above 1.
func lintPercents(ctx context.Context, r *store.Reader, sel store.Selection, declared scoring.Spec) (warnings []spec.Warning, err error) {
	for _, m := range declared.Metrics {
		values, err := r.OneMeasured(ctx, sel, m.Name)
		if err != nil {
			return nil, err
		}
		missed, above := 0, 0
		for _, value := range values {
			switch _, is := m.MeantAsPercent(value); {
			case is && m.IsShare() && value > 1:
				above++
			case is:
				missed++
			}
		}
		warn := func(format string, args ...any) {
			warnings = append(warnings, spec.Warning{Metric: m.Name, Field: "target", Message: fmt.Sprintf(format, args...)})
		}
		if missed > 0 {
			warn("%s: %d of %d seeds miss it by a factor of 100: is one of them in percent?", m.Target, missed, len(values))
		}
		if above > 0 {
			warn("%s: %d of %d seeds are above 1, which no share can be: are they in percent?", m.Target, above, len(values))
		}
	}
	return warnings, nil
}
