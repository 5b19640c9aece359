package seeds

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// Choice is what a selector names.
type Choice struct {
	Scenario       string
	Configurations []store.Configuration // one, unless mixing was allowed; the newest first
	NOthers        int                   // configurations of the scenario that were not chosen
}

// allConfigurations is the limit of a list that has none.
const allConfigurations = -1

// Choose finds the configuration that a selector names. If a label names several, it returns [track.ErrAmbiguous] with
// a list of them, unless mixing is allowed. With mixing, a scenario alone names all of its configurations.
func Choose(ctx context.Context, st *store.Reader, sel answer.Selector, allowMixed bool) (Choice, error) {
	limit := 1
	if allowMixed && sel.Configuration == "" {
		limit = allConfigurations
	}
	newest, total, err := st.Configurations(ctx, sel.Scenario, limit)
	if err != nil || limit == allConfigurations {
		return Choice{sel.Scenario, newest, 0}, err
	}
	if sel.Configuration == "" {
		newest[0], err = st.NewestConfiguration(ctx, sel.Scenario)
		return Choice{sel.Scenario, newest, total - 1}, err
	}
	found, err := st.FindConfigurations(ctx, sel.Scenario, sel.Configuration)
	if err != nil {
		return Choice{}, err
	}
	if len(found) > 1 && !allowMixed {
		return Choice{}, ambiguous(sel, found)
	}
	return Choice{sel.Scenario, found, total - len(found)}, nil
}

func ambiguous(sel answer.Selector, found []store.Configuration) error {
	const shown = 20
	var b strings.Builder
	for i, c := range found {
		if i == shown {
			fmt.Fprintf(&b, "\n  and %d more", len(found)-shown)
			break
		}
		fmt.Fprintf(&b, "\n  %s@%s  label %s  revision %s  params %s", sel.Scenario, track.ShortHash(c.Hash), orDash(c.Label), orDash(c.Revision.String()), c.Params.JSON())
	}
	err := fmt.Errorf("%s@%s is %w: %d configurations match%s", sel.Scenario, sel.Configuration, track.ErrAmbiguous, len(found), b.String())
	return track.WithHint(err, track.Hint{Text: "name one of them by its hash"})
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

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
	Stored            store.Spec
	Spec              scoring.Spec
	NEnvironments     int
	Failing           []track.FailingSeed
	verdict.Judgement // whether the seeds show that the configuration is stable
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
	coverage, err := coverageOf(ctx, st, selection)
	if err != nil {
		return report, err
	}
	report.Judgement = verdict.Judge(report.Stability, coverage, scoring.DefaultConfidence)
	report.Failing, err = st.FailingSeeds(ctx, selection)
	return report, err
}

func checkAssessed(scenario string, version int, totals store.Totals) error {
	switch {
	case totals.NSeeds == 0:
		return track.WithHint(fmt.Errorf("no seeds in this selection: %w", track.ErrNotFound), track.NewHint("list the recorded seeds", "seeds", scenario))
	case totals.NUnassessed > 0:
		err := fmt.Errorf("%w: %d of %d seeds were never scored under %s@%d", track.ErrInvalid, totals.NUnassessed, totals.NSeeds, scenario, version)
		err = track.WithHint(err, track.NewHint("score them", "rescore", scenario).With("spec", strconv.Itoa(version)))
		return track.WithHint(err, track.Hint{Text: "or select the version of the spec that they were scored under"})
	}
	return nil
}
