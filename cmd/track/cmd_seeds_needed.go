package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

type seedsNeededOptions struct {
	effect, power, alpha float64
	baseline, seeds      string
}

func (p *program) seedsNeededCommand() *cli.Command {
	var o seedsNeededOptions
	return &cli.Command{
		Name:      "seeds-needed",
		Usage:     "how many seeds it takes to see an effect",
		UsageText: "track seeds-needed SCENARIO[@CONFIGURATION] --effect DIFFERENCE [FLAGS]",
		Description: `Plans a paired comparison from the seeds there are: the pilot. Their standard deviation is only an estimate, so the plan takes its
80 % upper bound. With a baseline (given, named by the spec, or pinned) the pilot is the differences of the pairs; without one it is the
scores of the configuration, taken as if candidate and baseline were independent.

Examples:
   track seeds-needed growth_plus --effect 0.01
   track seeds-needed growth_plus@theta-14 --baseline growth_plus@v1 --effect 0.02 --power 0.9`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.Float64Flag{Name: "effect", Usage: "the `DIFFERENCE` of mean total scores to detect", Destination: &o.effect},
			&cli.Float64Flag{Name: "power", Value: verdict.TargetPower, Usage: "the chance to detect it", Destination: &o.power},
			&cli.Float64Flag{Name: "alpha", Value: 0.05, Usage: "the chance to see one that is not there", Destination: &o.alpha},
			&cli.StringFlag{Name: "baseline", Usage: "take the pairs with `SCENARIO[@CONFIGURATION]` as the pilot", Destination: &o.baseline},
			&cli.StringFlag{Name: "seeds", Usage: "only these, as in `0..99`,200", Destination: &o.seeds},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track seeds-needed takes one SCENARIO[@CONFIGURATION]")
			}
			return p.seedsNeeded(c.Context, c.Args().First(), o)
		},
	}
}

func (o seedsNeededOptions) resolve() (options seeds.PlanOptions, err error) {
	options = seeds.PlanOptions{Effect: o.effect, Power: o.power, Alpha: o.alpha}
	switch {
	case !(o.effect > 0 && o.effect <= 1):
		return options, usage("--effect %v: name the difference of total scores to detect, above 0 and at most 1", o.effect)
	case !(o.alpha > 0 && o.alpha < 0.5):
		return options, usage("--alpha %v: it must be between 0 and 0.5", o.alpha)
	case !(o.power > o.alpha && o.power < 1):
		return options, usage("--power %v: it must be between alpha and 1", o.power)
	}
	if o.seeds != "" {
		if options.Seeds, err = track.ParseSeedRanges(o.seeds); err != nil {
			return options, usage("--seeds: %v", err)
		}
	}
	options.Baseline, err = selectorFlag("baseline", o.baseline)
	return options, err
}

func (p *program) seedsNeeded(ctx context.Context, selector string, o seedsNeededOptions) error {
	sel, err := answer.ParseSelector(selector)
	if err != nil {
		return usage("%v", err)
	}
	options, err := o.resolve()
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	report, err := seeds.PlanSeeds(ctx, st.Reader, sel, options)
	if err != nil {
		return err
	}
	return p.write(seedsNeededView(report))
}

type seedsNeededDocument struct {
	Candidate sideDocument      `json:"candidate"`
	Baseline  *sideDocument     `json:"baseline"` // null where the pilot is one configuration
	Effect    float64           `json:"effect"`
	Power     float64           `json:"power"`
	Alpha     float64           `json:"alpha"`
	NPilot    int               `json:"n_pilot"`
	NFailed   int               `json:"n_failed"`
	SD        float64           `json:"sd"`
	SDUpper   float64           `json:"sd_upper"` // 80 % upper bound, which the plan takes
	Dz        float64           `json:"dz"`
	Seeds     int               `json:"seeds_needed"`
	Reached   float64           `json:"power_reached"`
	Warnings  []warningDocument `json:"warnings"`
}

func seedsNeededView(r seeds.PlanReport) view {
	var warnings []verdict.Warning
	for _, w := range r.Warnings {
		warnings = append(warnings, verdict.Warning{Code: string(w), Message: w.Message()})
	}
	if r.Failed > 0 && r.Baseline == nil {
		warnings = append(warnings, verdict.Warning{Code: verdict.WarnFailedSeeds, Message: fmt.Sprintf(
			"%d failed seeds are left out of the pilot; a comparison scores them 0, so with seeds that fail it needs many more", r.Failed)})
	}
	d := seedsNeededDocument{
		Candidate: newSide(r.Choice), Effect: r.Options.Effect, Power: r.Options.Power, Alpha: r.Options.Alpha, NPilot: r.NPilot, NFailed: r.Failed,
		SD: r.SD, SDUpper: r.SDUpper, Dz: r.Dz, Seeds: r.N, Reached: r.Power, Warnings: newWarnings(warnings),
	}
	pilot := fmt.Sprintf("%s: scores of %d seeds, as if candidate and baseline were independent (pairs of seeds that move together need fewer)", sideText(r.Choice), r.NPilot)
	if r.Baseline != nil {
		side := newSide(*r.Baseline)
		d.Baseline = &side
		pilot = fmt.Sprintf("%d pairs of\n  %s\n  %s", r.NPilot, sideText(r.Choice), sideText(*r.Baseline))
	}
	if r.Failed > 0 && r.Baseline == nil {
		pilot += fmt.Sprintf("; %d without a score are left out", r.Failed)
	}
	if r.Failed > 0 && r.Baseline != nil {
		pilot += fmt.Sprintf("\n  %d failed seeds score 0", r.Failed)
	}
	text := fmt.Sprintf("%d seeds on each side detect a difference of %v with power %s (paired t test, two-sided, alpha %v)", r.N, r.Options.Effect, format.Fixed(r.Power, 3), r.Options.Alpha)
	text += fmt.Sprintf("\nsd of the differences %s, its %s upper bound %s, so dz %s", format.Fixed(r.SD, 4), confidencePercent(stats.PilotUpper), format.Fixed(r.SDUpper, 4), format.Fixed(r.Dz, 3))
	v := view{document: d, rows: grid{
		columns: []string{"effect", "power", "alpha", "n_pilot", "sd", "sd_upper", "dz", "seeds_needed", "power_reached"},
		cells:   [][]any{{d.Effect, d.Power, d.Alpha, d.NPilot, d.SD, d.SDUpper, d.Dz, d.Seeds, d.Reached}},
	}}
	v.page = []any{text, "pilot: " + pilot}
	if notes := footnotes(warnings); notes != "" {
		v.page = append(v.page, notes)
	}
	return v
}
