package seeds

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// GateOptions say what a gate asks of each scenario.
type GateOptions struct {
	Rules    scoring.GateRules // beside those of the spec; where both set a rule, this one holds
	Baseline *answer.Selector  // of no_degradation; nil for the one that the spec or a pin names
	Base     *float64
	Seeds    []track.SeedRange
	Look     LookOptions

	SpecVersion int // of the scenarios; 0 for the newest
}

// GateReport is the verdict of a gate, with the looks to be recorded.
type GateReport struct {
	verdict.Gate
	Looks []store.Look
}

// Gate judges scenarios together. A scenario without seeds, or whose seeds cannot be judged, is INCONCLUSIVE; one that nobody knows is
// an error wrapping [track.ErrNotFound].
func Gate(ctx context.Context, st *store.Reader, selectors []answer.Selector, options GateOptions) (report GateReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = gate(ctx, st, selectors, options)
		return err
	})
	return report, err
}

func gate(ctx context.Context, st *store.Reader, selectors []answer.Selector, options GateOptions) (report GateReport, err error) {
	gated := make([]gatedScenario, len(selectors))
	inputs := make([]verdict.GateInput, len(selectors))
	for i, sel := range selectors {
		if gated[i], err = loadGated(ctx, st, sel, options); err != nil {
			return report, err
		}
		inputs[i] = gated[i].GateInput
	}
	if report.Gate, err = verdict.NewGate(inputs); err != nil {
		return report, err
	}
	for i, g := range gated {
		if g.look != nil {
			report.Looks = append(report.Looks, g.look.decided(g.Stability.NSeeds, report.Scenarios[i].Verdict))
		}
		if g.comparison != nil {
			report.Looks = append(report.Looks, *g.comparison)
		}
	}
	return report, nil
}

// gatedScenario is what a gate judges of one scenario, with the looks that this amounts to.
type gatedScenario struct {
	verdict.GateInput
	look       *pendingLook // nil where there is nothing to judge
	comparison *store.Look  // of no_degradation; nil where nothing was compared
}

// RulesInForce puts rules beside those of a spec, and before them where both set one. With none that judges the seeds a
// configuration must be stable.
func RulesInForce(spec scoring.Spec, given scoring.GateRules) scoring.GateRules {
	var rules scoring.GateRules
	if spec.Gate != nil {
		rules = *spec.Gate
	}
	if given.MinPassRate != nil {
		rules.MinPassRate = given.MinPassRate
	}
	if given.MaxStd != nil {
		rules.MaxStd = given.MaxStd
	}
	if given.MinScore != nil {
		rules.MinScore = given.MinScore
	}
	if given.MinSeeds > 0 {
		rules.MinSeeds = given.MinSeeds
	}
	if given.Confidence != 0 {
		rules.Confidence = given.Confidence
	}
	if given.FailOn != nil {
		rules.FailOn = given.FailOn
	}
	rules.Stable = rules.Stable || given.Stable
	rules.NoDegradation = rules.NoDegradation || given.NoDegradation
	rules.Stable = rules.Stable || !rules.Judges()
	if rules.Confidence == 0 {
		rules.Confidence = scoring.DefaultConfidence
	}
	return rules
}

func loadGated(ctx context.Context, st *store.Reader, sel answer.Selector, options GateOptions) (g gatedScenario, err error) {
	g.Name, g.Scenario, g.Rules = sel.String(), sel.Scenario, RulesInForce(scoring.Spec{}, options.Rules)
	spec, err := loadSpecInUse(ctx, st, sel.Scenario, options.SpecVersion)
	if errors.Is(err, track.ErrNotFound) {
		g.Problem = verdict.ProblemNoSpec
		_, err = Choose(ctx, st, sel, false) // is it a scenario at all?
		return g, err
	}
	if err != nil {
		return g, err
	}
	g.Rules = RulesInForce(spec.decoded, options.Rules)
	choice, err := Choose(ctx, st, sel, false)
	if errors.Is(err, track.ErrNotFound) && sel.Configuration == "" {
		g.Problem = verdict.ProblemNoSeeds
		return g, nil
	}
	if err != nil {
		return g, err
	}
	if sel.Configuration == "" {
		if err := oneOfGrid(ctx, st, choice); err != nil {
			return g, err
		}
	}
	g.Configuration = choice.Configurations[0].Hash
	g.Label, g.Revision = choice.Configurations[0].Label, choice.Configurations[0].Revision.String()
	return g, g.load(ctx, st, choice, spec, options)
}

// oneOfGrid refuses a scenario whose newest configuration is one of a grid: which of them ended last is chance.
func oneOfGrid(ctx context.Context, st *store.Reader, choice Choice) error {
	together, err := st.SweptTogether(ctx, choice.Scenario, choice.Configurations[0].ID)
	if err != nil || len(together) < 2 {
		return err
	}
	const most = 6
	var names []string
	for _, c := range together[:min(len(together), most)] {
		names = append(names, choice.Scenario+"@"+ShortHash(c.Hash))
	}
	return track.WithHint(fmt.Errorf("%w: a sweep ran %d configurations of %s together, and a gate judges one", track.ErrAmbiguous, len(together), choice.Scenario), track.Hint{Text: "name those that count: track gate " + strings.Join(names, " ")})

}

// load fills in what the rules look at.
func (g *gatedScenario) load(ctx context.Context, st *store.Reader, choice Choice, spec specInUse, options GateOptions) error {
	configuration := choice.Configurations[0]
	sel := store.Selection{Scenario: choice.Scenario, Configurations: []int64{configuration.ID}, SpecID: spec.stored.ID, Seeds: options.Seeds}
	totals, err := st.SeedTotals(ctx, sel)
	switch {
	case err != nil:
		return err
	case totals.NSeeds == 0:
		g.Problem = verdict.ProblemNoSeeds
		return nil
	case totals.NUnassessed > 0:
		g.Problem = verdict.ProblemNotAssessed
		g.Stability = scoring.NewStability(spec.decoded, totals.SeedTotals, nil)
		return nil
	}
	if g.Coverage, err = coverageOf(ctx, st, sel); err != nil {
		return err
	}
	metrics, err := st.MetricTotals(ctx, sel)
	if err != nil {
		return err
	}
	g.Stability = scoring.NewStability(spec.decoded, totals.SeedTotals, metrics)
	rows, err := st.SeedScores(ctx, sel, false)
	if err != nil {
		return err
	}
	for _, row := range rows {
		g.Seeds = append(g.Seeds, judgedSeedOf(row, spec.decoded))
	}
	look, err := prepareLook(ctx, st, store.Look{
		Kind: store.LookGate, Evidence: evidence(rows), Question: question(store.LookGate, spec.stored.Hash, choice.Scenario, configuration.Hash),
	}, options.Look)
	if err != nil {
		return err
	}
	g.Look, g.look = look.rule, &look
	if g.Rules.NoDegradation {
		return g.compare(ctx, st, choice, options)
	}
	return nil
}

// compare compares with the baseline, or says why there is none.
func (g *gatedScenario) compare(ctx context.Context, st *store.Reader, choice Choice, options GateOptions) error {
	report, err := compare(ctx, st, choice, ImprovementOptions{
		Baseline: options.Baseline, Seeds: options.Seeds, Confidence: g.Rules.Confidence, Base: options.Base, Look: options.Look,
		SpecVersion: options.SpecVersion, SpecOf: choice.Scenario,
	})
	switch {
	case errors.Is(err, ErrSameConfiguration):
		g.NoBaseline = verdict.ReasonSame
	case errors.Is(err, track.ErrNotFound) && options.Baseline == nil:
		g.NoBaseline = err.Error()
	case err != nil:
		return err
	default:
		g.Improvement, g.comparison = &report.Improvement, &report.Look
		g.Baseline = report.Baseline.Scenario + "@" + ShortHash(report.Baseline.Configurations[0].Hash)
		if label := report.Baseline.Configurations[0].Label; label != "" {
			g.Baseline += " (" + label + ")"
		}
	}
	return nil
}
