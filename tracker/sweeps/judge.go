package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/store"
	"track/sweep"
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

// errUnjudged is the error of a judgement whose server is away. The sweep ends without it.
var errUnjudged = errors.New("not judged: the server does not answer")

// look asks the rule of the sweep at each number of recorded seeds of a configuration that it looks at. While the
// server is away it asks nothing, and later it asks at the same numbers: so the configuration ends at the same seed.
func (s *Sweeper) look(ctx context.Context, c *sweptConfiguration) error {
	for n := range s.options.Until.looks(c.looked, c.prefix) {
		if c.decision != nil {
			return nil
		}
		var found *answer.SweepDecision
		decided := false
		answered, err := s.records.judged(ctx, func() (err error) {
			found, decided, err = s.judge.ask(ctx, c, n)
			return err
		})
		if c.unasked = !answered; err != nil || !answered {
			return err
		}
		c.looked, c.lastLook = n, found
		if decided {
			c.decision, c.prefix = found, n
			c.plan(c.first(n))
			if s.observer.Decided != nil {
				s.observer.Decided(c.Configuration, *found)
			}
		}
	}
	return nil
}

// lookLate asks the rule at the numbers of seeds at which the server was away. If it still is, they are not judged.
func (s *Sweeper) lookLate(ctx context.Context, stop <-chan struct{}) error {
	for _, c := range s.swept {
		if !c.unasked {
			continue
		}
		if s.records.await(ctx, stop) {
			if err := s.look(ctx, c); err != nil {
				return err
			}
		}
		if c.unasked {
			return s.leaveUnjudged(s.swept)
		}
	}
	return nil
}

// leaveUnjudged notes that the sweep could not judge those of some configurations that it has not asked about.
func (s *Sweeper) leaveUnjudged(list []*sweptConfiguration) error {
	for _, c := range list {
		if c.unasked {
			c.unjudged = true
			c.lastLook = &answer.SweepDecision{N: c.prefix, Verdict: scoring.VerdictInconclusive, Reason: errUnjudged.Error()}
		}
	}
	return errUnjudged
}

// judgeAtOnce asks a question without whose answer nothing more can run. It waits for the server, and returns
// [errUnjudged] if that stays away.
func (s *Sweeper) judgeAtOnce(ctx context.Context, stop <-chan struct{}, question func() error) error {
	for {
		if answered, err := s.records.judged(ctx, question); answered || err != nil {
			return err
		}
		if !s.records.await(ctx, stop) {
			return errUnjudged
		}
	}
}

// StopRule ends a configuration of a sweep before all planned seeds have run. It looks at the first n planned seeds in
// their order, never at those that happened to end first, and at numbers n that are fixed beforehand: so it ends at the
// same seed however many run at a time.
type StopRule struct {
	Precision *Precision       // nil if it ends when something is decided
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
	precisionSE        = "se"         // standard error of the mean total score
	precisionWidth     = "width"      // of its 95% t interval
	precisionPassWidth = "pass_width" // of the 95% Wilson interval of the pass rate
)

// minPrecise is the number of seeds from which an estimate of precision is worth something.
const minPrecise = 10

// parsePrecision reads se<0.01, width<0.05 or pass_width<0.1.
func parsePrecision(s string) (*Precision, error) {
	name, number, found := strings.Cut(s, "<")
	name = strings.TrimSpace(name)
	less, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !found || err != nil || !(less > 0 && less < math.Inf(1)) || !slices.Contains([]string{precisionSE, precisionWidth, precisionPassWidth}, name) {
		return nil, fmt.Errorf("%q is no rule: %s<0.01 is one for the standard error of the score, %s<0.05 for the width of its 95%% interval, and %s<0.1 for that of the pass rate",
			s, precisionSE, precisionWidth, precisionPassWidth)
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

// reached reports whether the estimate is precise enough. A seed without a score counts as 0 and as not passed: the
// survivors alone would look more precise than the sweep is. A spread of 0 says nothing about precision.
func (p *Precision) reached(rows []store.Seed, d *answer.SweepDecision) (bool, error) {
	rows = store.Distinct(rows)
	if len(rows) < 2 {
		d.Reason = fmt.Sprintf("%s is unknown: %s", p.Of, format.Counted(len(rows), "distinct seed"))
		return false, nil
	}
	scores := make([]float64, len(rows))
	passed, failed := 0, 0
	for i, row := range rows {
		switch {
		case math.IsNaN(row.TotalScore):
			failed++
			continue
		case row.NFail == 0:
			passed++
		}
		scores[i] = row.TotalScore
	}
	var got float64
	switch p.Of {
	case precisionPassWidth:
		rate, err := stats.Wilson(passed, len(rows), scoring.DefaultConfidence)
		if err != nil {
			return false, err
		}
		got = rate.Interval.Hi - rate.Interval.Lo
	default:
		interval, err := stats.TInterval(scores, scoring.DefaultConfidence)
		if err != nil || !interval.Defined() || interval.Hi == interval.Lo {
			d.Reason = fmt.Sprintf("%s is unknown: the scores of %s are equal", p.Of, format.Counted(len(rows), "seed"))
			return false, err
		}
		if got = interval.Hi - interval.Lo; p.Of == precisionSE {
			got = standardError(scores)
		}
	}
	d.Reason = p.reason(got, len(rows), failed)
	return got < p.Less, nil
}

// soFar says what the rule saw when it looked last, at the first of the planned seeds; empty if it did not look yet.
func (p *Precision) soFar(rows []store.Seed, planned track.SeedRanges) (string, error) {
	byNumber := make(map[track.SeedNumber]store.Seed, len(rows))
	for _, row := range rows {
		byNumber[row.Number] = row
	}
	var first []store.Seed
	for number := range planned.All() {
		row, isRecorded := byNumber[number]
		if !isRecorded {
			break
		}
		first = append(first, row)
	}
	var d answer.SweepDecision
	rule, last := StopRule{Precision: p}, 0
	for n := range rule.looks(0, len(first)) {
		last = n
	}
	if last == 0 {
		return "", nil
	}
	_, err := p.reached(first[:last], &d)
	return d.Reason, err
}

func (p *Precision) reason(got float64, seeds, failed int) string {
	relation := "less"
	if got >= p.Less {
		relation = "not less"
	}
	text := fmt.Sprintf("%s is %.3g, %s than %v, from %s", p.Of, got, relation, p.Less, format.Counted(seeds, "seed"))
	if failed > 0 {
		text += fmt.Sprintf(", %d of them failed and counted as 0", failed)
	}
	return text
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

// halve ranks the configurations of a tier on the same seeds, and plans the seeds of the next tier for the best of
// them. Equal configurations keep their order in the grid. If the server stays away, it returns [errUnjudged].
func (s *Sweeper) halve(ctx context.Context, stop <-chan struct{}, active []*sweptConfiguration, tier, next sweep.Tier) (kept []*sweptConfiguration, err error) {
	round := answer.HalvingRound{Configurations: tier.Configurations, Seeds: tier.Seeds}
	byHash := map[string]*sweptConfiguration{}
	for _, c := range active {
		var rows []store.Seed
		err := s.judgeAtOnce(ctx, stop, func() (err error) {
			rows, err = s.judge.scores(ctx, c, s.options.Plan.Seeds.Slice(0, tier.Seeds))
			return err
		})
		if errors.Is(err, errUnjudged) {
			for _, c := range active {
				c.unasked = true
			}
			return nil, s.leaveUnjudged(active)
		}
		if err != nil {
			return nil, err
		}
		byHash[c.hash] = c
		round.Ranked = append(round.Ranked, rank(c.hash, rows))
	}
	slices.SortStableFunc(round.Ranked, func(a, b answer.RankedConfiguration) int { return cmp.Compare(b.MeanScore, a.MeanScore) })
	for i := range round.Ranked {
		c := byHash[round.Ranked[i].Hash]
		round.Ranked[i].Kept = i < next.Configurations
		if c.dropped = next.Configurations > 0 && i >= next.Configurations; round.Ranked[i].Kept {
			c.plan(s.options.Plan.Seeds.Slice(0, next.Seeds))
			kept = append(kept, c)
		}
	}
	s.result.Halving = append(s.result.Halving, round)
	if s.observer.Halved != nil {
		s.observer.Halved(round)
	}
	return kept, nil
}

// rank returns a configuration with the mean score of its seeds. A seed without a score counts as 0.
func rank(hash string, rows []store.Seed) answer.RankedConfiguration {
	ranked := answer.RankedConfiguration{Hash: hash, NSeeds: len(rows)}
	for _, row := range rows {
		if !math.IsNaN(row.TotalScore) {
			ranked.MeanScore += row.TotalScore / float64(len(rows))
			ranked.NScored++
		}
	}
	return ranked
}
