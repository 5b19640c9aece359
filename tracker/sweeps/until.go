package sweeps

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/store"
	"track/tracker/seeds"
)

// StopRule ends a configuration of a sweep before all planned seeds have run. It looks at the first n planned seeds in their order, never at
// those that happened to end first, and at numbers n that are fixed beforehand: so it ends at the same seed however many run at a time.
type StopRule struct {
	Precision *Precision       // nil where it ends when something is decided
	Baseline  *answer.Selector // the comparison with it is to be decided; nil for the gate
	Rules     scoring.GateRules
	Looks     []int // numbers of seeds to look at, by a plan; none for looks at any time
}

// Precision is how exact an estimate has to be.
type Precision struct {
	Of   string // one of the Precision constants
	Less float64
}

// What can be asked to be exact.
const (
	PrecisionSE        = "se"         // standard error of the mean total score
	PrecisionWidth     = "width"      // of its 95% t interval
	PrecisionPassWidth = "pass_width" // of the 95% Wilson interval of the pass rate
)

// StopDecision is how a rule ended a configuration.
type StopDecision struct {
	Configuration track.Configuration
	N             int    // of the planned seeds, the first so many
	Reason        string // for people
	Verdict       scoring.Verdict
}

// minPrecise is the number of seeds from which an estimate of precision is worth something.
const minPrecise = 10

// ParsePrecision reads se<0.01, width<0.05 or pass_width<0.1.
func ParsePrecision(s string) (*Precision, error) {
	name, number, found := strings.Cut(s, "<")
	name = strings.TrimSpace(name)
	less, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !found || err != nil || !(less > 0 && less < math.Inf(1)) || !slices.Contains([]string{PrecisionSE, PrecisionWidth, PrecisionPassWidth}, name) {
		return nil, fmt.Errorf("%q is no rule: %s<0.01 is one for the standard error of the mean score, %s<0.05 for the width of its 95%% interval, and %s<0.1 for that of the pass rate",
			s, PrecisionSE, PrecisionWidth, PrecisionPassWidth)
	}
	return &Precision{name, less}, nil
}

// looks are the numbers of seeds after from and up to to at which the rule looks.
func (r *StopRule) looks(from, to int) iter.Seq[int] {
	if len(r.Looks) > 0 {
		return func(yield func(int) bool) {
			for _, n := range r.Looks {
				if from < n && n <= to && !yield(n) {
					return
				}
			}
		}
	}
	n := 5
	if r.Precision != nil {
		n = minPrecise
	}
	return func(yield func(int) bool) {
		for ; n <= to; n += max(1, n/20) { // where there are many seeds, one more tells little
			if n > from && !yield(n) {
				return
			}
		}
	}
}

// ask looks at the first n planned seeds of a configuration; nil where it goes on.
func (r *StopRule) ask(ctx context.Context, s *Sweeper, c *sweptConfiguration, n int) (*StopDecision, error) {
	seeds := c.Planned.Slice(0, n)
	d := &StopDecision{Configuration: c.Configuration, N: n}
	var err error
	var decided bool
	switch {
	case r.Precision != nil:
		decided, err = r.Precision.reached(ctx, s, c, seeds, d)
	case r.Baseline != nil:
		decided, err = r.compared(ctx, s, c, seeds, d)
	default:
		decided, err = r.gated(ctx, s, c, seeds, d)
	}
	if err != nil || !decided {
		return nil, err
	}
	return d, nil
}

func (r *StopRule) lookOptions() seeds.LookOptions {
	return seeds.LookOptions{Plan: r.Looks, Anytime: len(r.Looks) == 0}
}

func (r *StopRule) gated(ctx context.Context, s *Sweeper, c *sweptConfiguration, ranges track.SeedRanges, d *StopDecision) (decided bool, err error) {
	report, err := seeds.Gate(ctx, s.store.Reader, []answer.Selector{{Scenario: s.options.Plan.Scenario, Configuration: c.Hash}}, seeds.GateOptions{
		Rules: r.Rules, Seeds: ranges, Look: r.lookOptions(), SpecVersion: s.options.SpecVersion,
	})
	if err != nil {
		return false, err
	}
	if err := seeds.RecordLooks(ctx, s.store, report.Looks, s.recorder.Entropy); err != nil {
		return false, err
	}
	d.Verdict, d.Reason = report.Verdict, fmt.Sprintf("the gate is decided: %s", report.Verdict)
	return report.Verdict != scoring.VerdictInconclusive, nil
}

func (r *StopRule) compared(ctx context.Context, s *Sweeper, c *sweptConfiguration, ranges track.SeedRanges, d *StopDecision) (decided bool, err error) {
	report, err := seeds.Compare(ctx, s.store.Reader, answer.Selector{Scenario: s.options.Plan.Scenario, Configuration: c.Hash}, seeds.ImprovementOptions{
		Baseline: r.Baseline, Seeds: ranges, Confidence: scoring.DefaultConfidence, Look: r.lookOptions(), SpecVersion: s.options.SpecVersion, SpecOf: s.options.Plan.Scenario,
	})
	if err != nil {
		return false, err
	}
	if err := seeds.RecordLooks(ctx, s.store, []store.Look{report.Look}, s.recorder.Entropy); err != nil {
		return false, err
	}
	d.Verdict, d.Reason = report.Verdict, fmt.Sprintf("the comparison with %s is decided: %s", r.Baseline, report.Verdict)
	return report.Verdict != scoring.VerdictInconclusive, nil
}

// reached says whether the estimate is as exact as it has to be. A spread of 0 says nothing of precision.
func (p *Precision) reached(ctx context.Context, s *Sweeper, c *sweptConfiguration, ranges track.SeedRanges, d *StopDecision) (bool, error) {
	rows, err := s.scores(ctx, c, ranges)
	if err != nil {
		return false, err
	}
	var scores []float64
	passed := 0
	for _, row := range rows {
		if math.IsNaN(row.TotalScore) {
			continue
		}
		if scores = append(scores, row.TotalScore); row.NFail == 0 {
			passed++
		}
	}
	var got float64
	switch p.Of {
	case PrecisionPassWidth:
		rate, err := stats.Wilson(passed, len(rows), scoring.DefaultConfidence)
		if err != nil {
			return false, err
		}
		got = rate.Interval.Hi - rate.Interval.Lo
	default:
		if len(scores) < minPrecise {
			return false, nil
		}
		interval, err := stats.TInterval(scores, scoring.DefaultConfidence)
		if err != nil || !interval.Defined() || interval.Hi == interval.Lo {
			return false, err
		}
		if got = interval.Hi - interval.Lo; p.Of == PrecisionSE {
			got = standardError(scores)
		}
	}
	d.Reason = fmt.Sprintf("%s is %.3g, less than %v, from %d scored of %d seeds", p.Of, got, p.Less, len(scores), len(rows))
	return got < p.Less, nil
}

func standardError(xs []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	n := float64(len(xs))
	return math.Sqrt(sum / (n - 1) / n)
}

// scores are the seeds of a configuration as they are judged.
func (s *Sweeper) scores(ctx context.Context, c *sweptConfiguration, ranges track.SeedRanges) (rows []store.SeedScore, err error) {
	err = s.store.Snapshot(ctx, func(st *store.Reader) error {
		spec, err := st.Spec(ctx, s.options.Plan.Scenario, s.options.SpecVersion)
		if err != nil {
			return err
		}
		choice, err := seeds.Choose(ctx, st, answer.Selector{Scenario: s.options.Plan.Scenario, Configuration: c.Hash}, false)
		if err != nil {
			return err
		}
		rows, err = st.SeedScores(ctx, store.Selection{
			Scenario: choice.Scenario, Configurations: []int64{choice.Configurations[0].ID}, SpecID: spec.ID, Seeds: ranges,
		}, false)
		return err
	})
	return rows, err
}
