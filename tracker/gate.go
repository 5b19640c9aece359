package tracker

import (
	"context"
	"errors"

	"track"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// GateOptions say what a gate asks of each scenario.
type GateOptions struct {
	Rules    scoring.GateRules // beside those of the spec; where both set a rule, this one holds
	Baseline *Selector         // of no_degradation; nil for the one that the spec or a pin names
	Base     *float64
	Seeds    []track.SeedRange
	Look     LookOptions
}

// GateReport is the verdict of a gate, with the looks to be recorded.
type GateReport struct {
	verdict.Gate
	Looks []store.Look
}

// Gate judges scenarios together. A scenario without seeds, or whose seeds cannot be judged, is INCONCLUSIVE; one that nobody knows is
// an error wrapping [track.ErrNotFound].
func Gate(ctx context.Context, st *store.Store, selectors []Selector, options GateOptions) (report GateReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Store) error {
		inputs := make([]verdict.GateInput, len(selectors))
		looks := make([]*pendingLook, len(selectors))
		for i, sel := range selectors {
			if inputs[i], looks[i], err = gateInput(ctx, st, sel, options); err != nil {
				return err
			}
		}
		if report.Gate, err = verdict.NewGate(inputs); err != nil {
			return err
		}
		for i, look := range looks {
			if look != nil {
				report.Looks = append(report.Looks, look.decided(inputs[i].Stability.NSeeds, report.Scenarios[i].Verdict))
			}
		}
		return nil
	})
	return report, err
}

// RulesInForce puts rules beside those of a spec, and before them where both set one. With none at all a configuration must be
// stable.
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
	rules.Stable = rules.Stable || !rules.Any()
	if rules.Confidence == 0 {
		rules.Confidence = scoring.DefaultConfidence
	}
	return rules
}

func gateInput(ctx context.Context, st *store.Store, sel Selector, options GateOptions) (verdict.GateInput, *pendingLook, error) {
	in := verdict.GateInput{Name: sel.String(), Scenario: sel.Scenario, Rules: RulesInForce(scoring.Spec{}, options.Rules)}
	spec, err := loadSpecInUse(ctx, st, sel.Scenario, 0)
	if errors.Is(err, track.ErrNotFound) {
		in.Problem = verdict.ProblemNoSpec
		_, err = Choose(ctx, st, sel, false) // is it a scenario at all?
		return in, nil, err
	}
	if err != nil {
		return in, nil, err
	}
	in.Rules = RulesInForce(spec.decoded, options.Rules)
	choice, err := Choose(ctx, st, sel, false)
	if errors.Is(err, track.ErrNotFound) && sel.Configuration == "" {
		in.Problem = verdict.ProblemNoSeeds
		return in, nil, nil
	}
	if err != nil {
		return in, nil, err
	}
	configuration := choice.Configurations[0]
	in.Configuration = configuration.Hash
	return loadGateInput(ctx, st, in, choice, spec, options)
}

// loadGateInput fills in what the rules look at.
func loadGateInput(
	ctx context.Context, st *store.Store, in verdict.GateInput, choice Choice, spec specInUse, options GateOptions,
) (verdict.GateInput, *pendingLook, error) {
	configuration := choice.Configurations[0]
	sel := store.Selection{Scenario: choice.Scenario, Configurations: []int64{configuration.ID}, SpecID: spec.stored.ID, Seeds: options.Seeds}
	totals, err := st.SeedTotals(ctx, sel)
	if err != nil {
		return in, nil, err
	}
	switch {
	case totals.NSeeds == 0:
		in.Problem = verdict.ProblemNoSeeds
		return in, nil, nil
	case totals.NUnassessed > 0:
		in.Problem = verdict.ProblemNotAssessed
		return in, nil, nil
	}
	metrics, err := st.MetricTotals(ctx, sel)
	if err != nil {
		return in, nil, err
	}
	in.Stability = scoring.NewStability(spec.decoded, totals.SeedTotals, metrics)
	rows, err := st.SeedScores(ctx, sel, false)
	if err != nil {
		return in, nil, err
	}
	for _, row := range rows {
		in.Seeds = append(in.Seeds, judgedSeedOf(row, spec.decoded))
	}
	look, err := prepareLook(ctx, st, store.Look{
		Kind: store.LookGate, Evidence: evidence(rows), Question: question(store.LookGate, spec.stored.Hash, choice.Scenario, configuration.Hash),
	}, options.Look)
	if err != nil {
		return in, nil, err
	}
	in.Look = look.rule
	if in.Rules.NoDegradation {
		err = addImprovement(ctx, st, &in, choice, options)
	}
	return in, &look, err
}

// addImprovement compares with the baseline, or says why there is none.
func addImprovement(ctx context.Context, st *store.Store, in *verdict.GateInput, choice Choice, options GateOptions) error {
	report, err := compare(ctx, st, choice, ImprovementOptions{
		Baseline: options.Baseline, Seeds: options.Seeds, Confidence: in.Rules.Confidence, Base: options.Base, Look: options.Look,
	})
	switch {
	case errors.Is(err, ErrSameConfiguration):
		in.NoBaseline = verdict.ReasonSame
	case errors.Is(err, track.ErrNotFound) && options.Baseline == nil:
		in.NoBaseline = err.Error()
	case err != nil:
		return err
	default:
		in.Improvement = &report.Improvement
	}
	return nil
}
