package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

// comparisonFlags are the flags of the commands that decide by intervals.
type comparisonFlags struct {
	seeds      string
	confidence float64
	plan       string
	anytime    bool
}

func (f *comparisonFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "seeds", Usage: "only these, as in `0..99`,200", Destination: &f.seeds},
		&cli.Float64Flag{Name: "confidence", Value: scoring.DefaultConfidence, Usage: "of intervals and bounds; 1 - `C` is the level of tests", Destination: &f.confidence},
		&cli.StringFlag{Name: "plan", Usage: "look at these `N,N,…` of seeds only, alpha split between them; the first plan of a comparison is kept", Destination: &f.plan},
		&cli.BoolFlag{Name: "anytime", Usage: "decide by methods that stay valid however often one looks", Destination: &f.anytime},
	}
}

// seedRanges reads --seeds; nil for all.
func (f *comparisonFlags) seedRanges() ([]track.SeedRange, error) {
	if f.seeds == "" {
		return nil, nil
	}
	ranges, err := track.ParseSeedRanges(f.seeds)
	if err != nil {
		return nil, usage("--seeds: %v", err)
	}
	return ranges, nil
}

func (f *comparisonFlags) checkConfidence() error {
	if !(f.confidence >= 0.5 && f.confidence < 1) {
		return usage("--confidence %v: it must be from 0.5 to below 1, as in 0.95", f.confidence)
	}
	return nil
}

func (f *comparisonFlags) look() (seeds.LookOptions, error) {
	o := seeds.LookOptions{Anytime: f.anytime}
	if f.plan == "" {
		return o, nil
	}
	if f.anytime {
		return o, usage("--plan and --anytime: one of them makes looks valid, not both")
	}
	for _, word := range strings.Split(f.plan, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return o, usage("--plan %s: %q is not a number of seeds; write it as in 6,10,20,30", f.plan, word)
		}
		o.Plan = append(o.Plan, n)
	}
	if err := verdict.CheckPlan(o.Plan); err != nil {
		return o, usage("--plan %s: %v", f.plan, err)
	}
	return o, nil
}

// checkBase refuses a base that is no threshold.
func checkBase(base *float64) error {
	if base != nil && !(*base >= 0 && *base <= math.MaxFloat64) {
		return usage("--base %v: it must be a finite number of at least 0", *base)
	}
	return nil
}

// optional is the number that a flag was given, nil where it was not.
func optional(c *cli.Context, name string) *float64 {
	if !c.IsSet(name) {
		return nil
	}
	x := c.Float64(name)
	return &x
}

// selectorFlag reads SCENARIO[@CONFIGURATION] from a flag; nil where it is empty.
func selectorFlag(name, value string) (*answer.Selector, error) {
	if value == "" {
		return nil, nil
	}
	sel, err := answer.ParseSelector(value)
	if err != nil {
		return nil, usage("--%s: %v", name, err)
	}
	return &sel, nil
}
