package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

type noiseOptions struct {
	gateOptions
	margin    float64
	resamples int
	seed      uint64
	sizes     string
}

func (p *program) noiseCommand() *cli.Command {
	var o noiseOptions
	return &cli.Command{
		Name:      "noise",
		Usage:     "how often identical configurations would be told apart (A/A check)",
		UsageText: "track noise SCENARIO[@CONFIGURATION] [FLAGS]",
		Description: `Draws pairs of samples with replacement from the stored seeds of one configuration, as if two identical ones had been run on
different seeds, and asks the gate and the improvement check in force about both. A gate flips where its verdicts differ; every
degraded metric and every decided comparison is a false alarm. Sizes beyond the seeds there are extrapolate.

Examples:
   track noise growth_plus
   track noise growth_plus@v1 --min-pass-rate 0.9 --sizes 10,20,40,80`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.Float64Flag{Name: "min-pass-rate", Usage: "as of track gate: `SHARE`"},
			&cli.BoolFlag{Name: "stable", Usage: "as of track gate", Destination: &o.rules.Stable},
			&cli.Float64Flag{Name: "max-std", Usage: "as of track gate: `SD`"},
			&cli.Float64Flag{Name: "min-score", Usage: "as of track gate: `SCORE`"},
			&cli.Float64Flag{Name: "base", DefaultText: "the spec's, or 0.25", Usage: "a metric may lose `BASE`/weight"},
			&cli.Float64Flag{Name: "margin", Usage: "the smallest difference of total scores that `MATTERS`", Destination: &o.margin},
			&cli.Float64Flag{Name: "confidence", Value: scoring.DefaultConfidence, Usage: "of intervals and bounds", Destination: &o.confidence},
			&cli.StringFlag{Name: "seeds", Usage: "only these, as in `0..99`,200", Destination: &o.seeds},
			&cli.StringFlag{Name: "sizes", DefaultText: "3,5,10,20,30,50,100,200", Usage: "try these `N,N,…` beside the number of seeds there is", Destination: &o.sizes},
			&cli.IntFlag{Name: "resamples", Value: 1000, Usage: "pairs of samples at each size", Destination: &o.resamples},
			&cli.Uint64Flag{Name: "draw-seed", Value: 1, Usage: "of the resampling", Destination: &o.seed},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track noise takes one SCENARIO[@CONFIGURATION]")
			}
			o.readRules(c)
			return p.noise(c.Context, c.Args().First(), o)
		},
	}
}

func (o noiseOptions) resolveNoise() (options verdict.NoiseOptions, err error) {
	if o.resamples < 1 || o.resamples > 100_000 {
		return options, usage("--resamples %d: it must be from 1 to 100000", o.resamples)
	}
	if err := checkBase(o.base); err != nil {
		return options, err
	}
	if !(o.margin >= 0 && o.margin <= 1) {
		return options, usage("--margin %v: scores lie in 0 to 1", o.margin)
	}
	if problems := o.rules.Problems(); len(problems) > 0 {
		return options, usage("--%s: %s", strings.ReplaceAll(problems[0].Field, "_", "-"), problems[0].Message)
	}
	options = verdict.NoiseOptions{
		Rules: o.rules, Resamples: o.resamples, Seed: o.seed, Comparison: verdict.Options{Confidence: o.confidence, Margin: o.margin},
	}
	if o.sizes == "" {
		return options, o.checkConfidence()
	}
	for _, word := range strings.Split(o.sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 2 || n > 100_000 {
			return options, usage("--sizes %s: %q is not a number of seeds from 2 to 100000", o.sizes, word)
		}
		options.Sizes = append(options.Sizes, n)
	}
	return options, o.checkConfidence()
}

func (p *program) noise(ctx context.Context, selector string, o noiseOptions) error {
	sel, err := answer.ParseSelector(selector)
	if err != nil {
		return usage("%v", err)
	}
	options, err := o.resolveNoise()
	if err != nil {
		return err
	}
	ranges, err := o.seedRanges()
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	options.Stopped = func() bool { return ctx.Err() != nil }
	report, err := seeds.Noise(ctx, st.Reader, sel, ranges, o.base, options)
	if errors.Is(err, verdict.ErrStopped) {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return p.write(noiseView(report))
}

type noiseDocument struct {
	Scenario      string                `json:"scenario"`
	Configuration configurationDocument `json:"configuration"`
	Spec          specRef               `json:"spec"`
	Rules         string                `json:"rules"`
	Base          float64               `json:"max_degradation_base"`
	Margin        float64               `json:"margin"`
	NSeeds        int                   `json:"n_seeds"`
	NFailed       int                   `json:"n_failed"`
	Method        string                `json:"method"`
	SteadyGate    *int                  `json:"gate_steady_from"`  // null where no size that was tried is
	SteadyCheck   *int                  `json:"check_steady_from"` // likewise
	MaxFlipRate   float64               `json:"max_flip_rate"`
	At            []noiseAtDocument     `json:"at"`
	Warnings      []warningDocument     `json:"warnings"`
}

type noiseAtDocument struct {
	N             int                     `json:"n"`
	GateFlips     *rateDocument           `json:"gate_flips"`
	Verdicts      map[scoring.Verdict]int `json:"gate_verdicts"`
	FalseDegraded rateDocument            `json:"false_degraded"`
	FalseDecision rateDocument            `json:"false_decision"`
	MeanAbs       float64                 `json:"mean_abs_difference"`
	LargestLoss   float64                 `json:"mean_largest_metric_loss"`
}

type rateDocument struct {
	Rate float64 `json:"rate"`
	N    int     `json:"n"`
	CI   ci      `json:"ci"`
}

func newRate(r verdict.Rate) rateDocument { return rateDocument{r.Rate, r.N, newCI(r.Interval)} }

func noiseView(r seeds.NoiseReport) view {
	d := noiseDocument{
		Scenario: r.Scenario, Configuration: newConfigurationDocument(r.Configurations[0].Hash, r.Configurations[0].Configuration), Spec: newSpecRef(r.Stored),
		Rules: r.Options.Rules.String(), Base: r.Options.Comparison.Base, Margin: r.Options.Comparison.Margin,
		NSeeds: r.NSeeds, NFailed: r.NFailed, Method: r.Method, SteadyGate: r.SteadyGate, SteadyCheck: r.SteadyCheck, MaxFlipRate: verdict.MaxFlipRate,
		At: []noiseAtDocument{}, Warnings: newWarnings(r.Warnings),
	}
	table := grid{columns: []string{"n", "gate flips", "95% interval", "gate says", "false degraded", "95% interval", "false verdict", "95% interval", "|delta| of totals"}}
	v := view{rows: grid{columns: []string{"n", "gate_flips", "false_degraded", "false_decision", "mean_abs_difference", "mean_largest_metric_loss"}}}
	for k, at := range r.At {
		row := noiseAtDocument{at.N, nil, at.GateVerdicts, newRate(at.FalseDegraded), newRate(at.FalseDecision), at.MeanAbsDifference, at.LargestMetricDelta}
		var flips, interval, exact any
		if at.GateFlips != nil {
			rate := newRate(*at.GateFlips)
			row.GateFlips = &rate
			flips, interval, exact = format.Share(rate.Rate), intervalText(at.GateFlips.Interval, format.Share), rate.Rate
		}
		d.At = append(d.At, row)
		n := strconv.Itoa(at.N)
		if k == r.Current {
			n += " *"
		}
		table.cells = append(table.cells, []any{
			shown{n, at.N}, flips, interval, mostly(at.GateVerdicts), format.Share(at.FalseDegraded.Rate), intervalText(at.FalseDegraded.Interval, format.Share),
			format.Share(at.FalseDecision.Rate), intervalText(at.FalseDecision.Interval, format.Share), at.MeanAbsDifference,
		})
		v.rows.cells = append(v.rows.cells, []any{at.N, exact, at.FalseDegraded.Rate, at.FalseDecision.Rate, at.MeanAbsDifference, at.LargestMetricDelta})
	}
	v.document = d
	heading := fmt.Sprintf("%s@%s\nspec version %d, %d seeds, %d of them without a score, %s\ngate: %s\nimprovement check: base %v, margin %v", r.Scenario, describe(r.Configurations[0]), r.Stored.Version, r.NSeeds, r.NFailed, r.Method,
		d.Rules, d.Base, d.Margin)
	v.page = []any{heading, table, "* the number of seeds there is\n" + steadyText("the gate flips", d.SteadyGate, r.HasGate()) + "\n" + steadyText("the improvement check finds degraded metrics by luck", d.SteadyCheck, true) +
		fmt.Sprintf("\nthe verdict on the total score is false in about %s of the cases at any n, which is its level", format.Share(1-r.Options.Comparison.Confidence))}
	if notes := footnotes(r.Warnings); notes != "" {
		v.page = append(v.page, notes)
	}
	return v
}

// mostly names the verdict that a gate gives most often: one that never decides flips never.
func mostly(verdicts map[scoring.Verdict]int) any {
	total, most := 0, scoring.Verdict("")
	for _, v := range scoring.Verdicts() {
		total += verdicts[v]
		if most == "" || verdicts[v] > verdicts[most] {
			most = v
		}
	}
	if total == 0 {
		return nil
	}
	return fmt.Sprintf("%s %s", most, format.Share(float64(verdicts[most])/float64(total)))
}

func steadyText(what string, from *int, asked bool) string {
	switch {
	case !asked:
		return "the gate has no rule about seeds"
	case from == nil:
		return fmt.Sprintf("%s: no n that was tried shows a rate of at most %s", what, format.Share(verdict.MaxFlipRate))
	}
	return fmt.Sprintf("%s in at most %s of the cases from %d seeds on (upper end of the interval)", what, format.Share(verdict.MaxFlipRate), *from)
}
