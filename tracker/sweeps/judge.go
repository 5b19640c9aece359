package sweeps

import (
	"context"
	"fmt"
	"io"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

// judge judges the recorded seeds of a sweep, for rules to end early, halving and repetition. It needs a database.
type judge struct {
	store   *store.Store
	entropy io.Reader
	options Options
}

func (j *judge) selector(c *sweptConfiguration) answer.Selector {
	return answer.Selector{Scenario: j.options.Plan.Scenario, Configuration: c.hash}
}

// checkRule returns an error if the rule cannot be asked. It is found out before the first seed runs.
func (j *judge) checkRule(ctx context.Context) error {
	rule, plan := j.options.Until, j.options.Plan
	if rule == nil || rule.Precision != nil {
		return nil
	}
	if rule.Baseline != nil {
		_, err := seeds.Choose(ctx, j.store.Reader, *rule.Baseline, false)
		return err
	}
	for _, c := range plan.Configurations() {
		if err := seeds.CheckGateLook(ctx, j.store.Reader, plan.Scenario, j.options.SpecVersion, c.Hash(), rule.Rules, rule.judging(nil)); err != nil {
			return err
		}
	}
	return nil
}

// ask looks at the first n planned seeds of a configuration. It returns what the rule found, and whether that ends the
// configuration.
func (j *judge) ask(ctx context.Context, c *sweptConfiguration, n int) (d *answer.SweepDecision, decided bool, err error) {
	planned, rule := c.first(n), j.options.Until
	d = &answer.SweepDecision{N: n}
	switch {
	case rule.Precision != nil:
		var rows []store.Seed
		if rows, err = j.scores(ctx, c, planned); err == nil {
			decided, err = rule.Precision.reached(rows, d)
		}
	case rule.Baseline != nil:
		decided, err = j.compare(ctx, c, planned, d)
	default:
		decided, err = j.gate(ctx, c, planned, d)
	}
	return d, decided, err
}

// judging returns how the first planned seeds are judged.
func (r *StopRule) judging(planned track.SeedRanges) answer.Judging {
	return answer.Judging{Seeds: planned, Plan: r.Looks, Anytime: len(r.Looks) == 0}
}

func (j *judge) gate(ctx context.Context, c *sweptConfiguration, planned track.SeedRanges, d *answer.SweepDecision) (decided bool, err error) {
	rule := j.options.Until
	report, err := seeds.Gate(ctx, j.store.Reader, answer.GateQuestion{
		Of: []answer.Selector{j.selector(c)}, Rules: rule.Rules, Judging: rule.judging(planned),
	}, j.options.SpecVersion)
	if err != nil {
		return false, err
	}
	if err := seeds.RecordLooks(ctx, j.store, report.Looks, j.entropy); err != nil {
		return false, err
	}
	if open := report.Open(); report.Verdict == scoring.VerdictWarn && open != "" {
		d.Verdict, d.Reason = report.Verdict, "the gate is not decided: WARN, and more seeds could change "+open
		return false, nil
	}
	return decidedBy(d, "the gate", report.Verdict), nil
}

func (j *judge) compare(ctx context.Context, c *sweptConfiguration, planned track.SeedRanges, d *answer.SweepDecision) (decided bool, err error) {
	rule := j.options.Until
	report, err := seeds.Compare(ctx, j.store.Reader, answer.PairedQuestion{
		Candidate: j.selector(c), Baseline: rule.Baseline, Spec: j.options.SpecVersion, Judging: rule.judging(planned),
	}, j.options.Plan.Scenario)
	if err != nil {
		return false, err
	}
	if err := seeds.RecordLooks(ctx, j.store, []store.Look{report.Look}, j.entropy); err != nil {
		return false, err
	}
	return decidedBy(d, fmt.Sprintf("the comparison with %s", rule.Baseline), report.Verdict), nil
}

// decidedBy reports whether a verdict decides, and notes it.
func decidedBy(d *answer.SweepDecision, judgement string, v scoring.Verdict) bool {
	d.Verdict = v
	if v == scoring.VerdictInconclusive {
		d.Reason = fmt.Sprintf("%s is not decided: %s", judgement, v)
		return false
	}
	d.Reason = fmt.Sprintf("%s is decided: %s", judgement, v)
	return true
}

// scores returns recorded seeds of a configuration with their scores.
func (j *judge) scores(ctx context.Context, c *sweptConfiguration, ranges track.SeedRanges) (rows []store.Seed, err error) {
	err = j.store.Snapshot(ctx, func(r *store.Reader) error {
		_, selection, err := j.selection(ctx, r, c, ranges)
		if err == nil {
			rows, err = r.SeedScores(ctx, selection, false)
		}
		return err
	})
	return rows, err
}

// lacking returns the metrics of the spec that no planned seed of a configuration has, of those that ran well, and how
// many these are: 0 if some were not judged yet.
func (j *judge) lacking(ctx context.Context, c *sweptConfiguration) (metrics []string, n int, err error) {
	err = j.store.Snapshot(ctx, func(r *store.Reader) error {
		spec, selection, err := j.selection(ctx, r, c, c.planned)
		if err != nil {
			return err
		}
		totals, err := r.SeedTotals(ctx, selection)
		if err != nil || totals.NUnassessed > 0 {
			return err
		}
		of, err := r.MetricTotals(ctx, selection)
		if n = totals.NOK; n > 0 {
			for i, m := range of {
				if m.Score.N == 0 {
					metrics = append(metrics, spec.Metrics[i].Name)
				}
			}
		}
		return err
	})
	return metrics, n, err
}

// selection is that of some recorded seeds of a configuration, with the spec that judges them.
func (j *judge) selection(ctx context.Context, r *store.Reader, c *sweptConfiguration, ranges track.SeedRanges) (scoring.Spec, store.Selection, error) {
	stored, spec, err := seeds.LoadSpec(ctx, r, j.options.Plan.Scenario, j.options.SpecVersion)
	if err != nil {
		return spec, store.Selection{}, err
	}
	choice, err := seeds.Choose(ctx, r, j.selector(c), false)
	if err != nil {
		return spec, store.Selection{}, err
	}
	return spec, store.Selection{Scenario: choice.Scenario, Configurations: []int64{choice.Configurations[0].ID}, SpecID: stored.ID, Seeds: ranges}, nil
}

// repetitions returns the seeds of a configuration that were repeated before.
func (j *judge) repetitions(ctx context.Context, c *sweptConfiguration) ([]store.RepeatedSeed, error) {
	choice, err := seeds.Choose(ctx, j.store.Reader, j.selector(c), false)
	if err != nil {
		return nil, err
	}
	return j.store.Repetitions(ctx, store.Selection{Scenario: choice.Scenario, Configurations: []int64{choice.Configurations[0].ID}, Seeds: c.planned})
}
