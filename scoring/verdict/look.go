package verdict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// Look says which look at growing evidence a decision is, and what makes more than one look valid.
type Look struct {
	Number  int   `json:"number"`        // 1 for the first look at this question, as is 0
	Plan    []int `json:"plan"`          // numbers of seeds or pairs at which one looks, rising
	Anytime bool  `json:"anytime"`       // use tests that stay valid whenever one looks
	Late    bool  `json:"late,omitzero"` // the plan was made after a look without one

	// The levels that a plan leaves to each of its looks, see [stats.PocockAlpha]: of one test, and of several
	// together.
	Alpha      float64 `json:"alpha,omitzero"`
	JointAlpha float64 `json:"joint_alpha,omitzero"`
}

// spend returns the look with the levels that keep alpha over all looks of its plan, of one test and of n together.
// The share of a small alpha that a look can have is smaller, so n tests together have less than one.
func (l Look) spend(alpha float64, n int) Look {
	if len(l.Plan) > 1 && !l.Anytime {
		l.Alpha = stats.PocockAlpha(alpha, l.Plan)
		l.JointAlpha = float64(n) * stats.PocockAlpha(alpha/float64(n), l.Plan)
	}
	return l
}

// CheckPlan says what is wrong with a plan of looks; nil for a good one.
func CheckPlan(plan []int) error {
	for i, n := range plan {
		switch {
		case n < 2:
			return fmt.Errorf("%d: an interim analysis needs at least 2 seeds or pairs", n)
		case i > 0 && n <= plan[i-1]:
			return fmt.Errorf("%d follows %d: the numbers of a plan must rise", n, plan[i-1])
		}
	}
	return nil
}

// CheckLooks says which looks of a plan of comparisons could never decide, and names a plan that can; nil if all could.
// The exact test needs [stats.LeastPairs] to reach the level of a look.
func CheckLooks(plan []int, confidence float64) error {
	alpha := stats.PocockAlpha(1-confidence, plan)
	for _, n := range plan {
		if stats.SmallestFlipP(n) <= alpha {
			continue
		}
		text := fmt.Sprintf("the look at %d can never decide: each of %d looks has alpha %s", n, len(plan), alphaText(alpha))
		if len(plan) == 1 {
			text = fmt.Sprintf("the look at %d can never decide at alpha %s", n, alphaText(alpha))
		}
		least := stats.LeastPairs(alpha)
		if least == 0 || n > least {
			return fmt.Errorf("%s, which an exact test of so many pairs cannot reach: plan fewer looks, or lower the confidence", text)
		}
		better := slices.Clone(plan)
		for i := range better {
			better[i] = max(better[i], least)
		}
		return fmt.Errorf("%s, and an exact test needs at least %d pairs for that; %s would work", text, least, planList(slices.Compact(better)))
	}
	return nil
}

// planList writes a plan as it is given, such as 6,10,20.
func planList(plan []int) string {
	words := make([]string, len(plan))
	for i, n := range plan {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// PlanText writes a plan as in 6, 10 and 20.
func PlanText(plan []int) string {
	words := make([]string, len(plan))
	for i, n := range plan {
		words[i] = strconv.Itoa(n)
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return strings.Join(words, "")
}

// offPlan says why n is not one of the planned looks, and what to do; both empty where it is, or where there is no
// plan.
func (l Look) offPlan(n int, thing string) (reason, need string) {
	if len(l.Plan) == 0 || slices.Contains(l.Plan, n) {
		return "", ""
	}
	for _, planned := range l.Plan {
		if planned > n {
			return fmt.Sprintf("%d %s are not a planned look (planned: %s): this look spends no alpha and decides nothing", n, format.Plural(n, thing), PlanText(l.Plan)),
				fmt.Sprintf("%d more %s, for the planned look at %d", planned-n, format.Plural(planned-n, thing), planned)
		}
	}
	last := l.Plan[len(l.Plan)-1]
	return fmt.Sprintf("%d %s are more than the last planned look, at %d: the plan has ended", n, format.Plural(n, thing), last),
		fmt.Sprintf("only the %d seeds of the last look", last)
}

// Codes of the warnings about looks.
const (
	WarnLooks    = "unplanned_looks" // there were looks before, without a plan
	WarnLatePlan = "late_plan"
)

func (l Look) warnings() []Warning {
	if l.Late && len(l.Plan) > 0 {
		return []Warning{{WarnLatePlan, "the plan was made after an unplanned look: it does not account for that look"}}
	}
	if l.Number <= 1 || len(l.Plan) > 0 || l.Anytime {
		return nil
	}
	return []Warning{{WarnLooks, fmt.Sprintf(
		"look %d at this question: p-values and intervals account for one look only, so a false result is more likely than they say; planned looks or anytime-valid tests account for several",
		l.Number)}}
}

// describe says how a decision allows for several looks; empty where it does not.
func (l Look) describe(confidence float64) string {
	switch {
	case l.Anytime:
		return fmt.Sprintf("valid at any time (this is look %d)", max(1, l.Number))
	case len(l.Plan) > 1:
		return fmt.Sprintf("planned looks at %s, each at %s, which holds for all of them at %s", PlanText(l.Plan), confidenceText(1-l.Alpha), confidenceText(confidence))
	case len(l.Plan) > 0:
		return fmt.Sprintf("planned look at %d, at %s", l.Plan[0], confidenceText(confidence))
	}
	return ""
}

// twoSided is the anytime p-value of "symmetric about 0": at most alpha if an e-value of one side has reached 2/alpha.
func twoSided(e stats.EProcess) float64 {
	p := e.AnytimeP()
	return min(1, 2*min(p.Greater, p.Less))
}

// anytimeInterval bounds the mean of differences of scores, which lie in [-1, 1], by the e-value that decides. Equal
// differences would have no width: theirs is the betting interval, which holds for every distribution.
func anytimeInterval(d []float64, confidence float64) (stats.Interval, error) {
	if summary, err := stats.Summarize(d); err != nil || summary.Constant {
		return bettingInterval(d, confidence)
	}
	return stats.SymmetricInterval(d, -1, 1, confidence)
}

func bettingInterval(d []float64, confidence float64) (stats.Interval, error) {
	halves := make([]float64, len(d))
	for k, v := range d {
		halves[k] = (v + 1) / 2
	}
	i, err := stats.BettingInterval(halves, confidence)
	i.Lo, i.Hi = 2*i.Lo-1, 2*i.Hi-1
	return i, err
}

// beyondMargin gives the anytime p-values that the differences exceed the margin, above and below.
func beyondMargin(d []float64, margin float64) (greater, less float64, err error) {
	up, err := stats.SymmetricEValue(shifted(d, -margin))
	if err != nil {
		return 0, 0, err
	}
	down, err := stats.SymmetricEValue(shifted(d, margin))
	return up.AnytimeP().Greater, down.AnytimeP().Less, err
}

// anytimeDifference decides by the symmetric e-value of the differences beyond the margin, half of alpha for each side.
// The interval follows from the same e-value; only that of equal differences does not, and ends at the margin at the
// latest.
func (i *Improvement) anytimeDifference() Difference {
	t, half, margin := i.Total, i.Options.Alpha()/2, i.Options.Margin
	switch {
	case t.anytimeGreater <= half && (t.equal || t.Interval.Lo >= margin):
		t.Interval.Lo = max(t.Interval.Lo, margin)
		return Better
	case t.anytimeLess <= half && (t.equal || t.Interval.Hi <= -margin):
		t.Interval.Hi = min(t.Interval.Hi, -margin)
		return Worse
	}
	return Undecided
}

// squaredSteps are the squared differences of the scores 1 and 2, 3 and 4, and so on. They lie in [0, 1], are
// independent of each other, and have twice the variance of the scores as mean.
func squaredSteps(xs []float64) []float64 {
	steps := make([]float64, len(xs)/2)
	for k := range steps {
		step := xs[2*k] - xs[2*k+1]
		steps[k] = step * step
	}
	return steps
}

// anytimeStd is max_std by bounds that are valid for every distribution and at any time.
func (j judge) anytimeStd(o Outcome, limit float64) (Outcome, error) {
	b, err := j.anytimeSDBounds(1)
	if err != nil {
		return o, err
	}
	o.sequential = true
	o.assume(AssumesNothing, j.confidence)
	o.Interval = stats.Interval{Lo: 0, Hi: b.upper, Confidence: j.confidence, Method: stats.MethodMixture}
	o.Verdict = passIf(b.upper <= limit)
	bound := "at most " + format.Short(b.upper)
	if o.breaks {
		o.Interval.Lo, o.Interval.Hi, bound = b.lower, 0.5, "at least "+format.Short(b.lower)
		o.Interval.Confidence, o.Need = b.strict, "a smaller spread: the sd is above the limit"
		if b.lower > limit {
			o.Verdict, o.Need = scoring.VerdictFail, ""
		}
	}
	o.Message = fmt.Sprintf("sd %s (n = %d), %s with %s confidence (betting on pairs of seeds, one-sided, valid for every distribution and at any time); the rule requires at most %v",
		format.Short(*o.Observed), o.N, bound, confidenceText(o.Interval.Confidence), limit)
	if o.Verdict == scoring.VerdictInconclusive && !o.breaks {
		o.Need = needForSD(b.steps, limit, j.confidence)
	}
	return o, nil
}

// needForSD says how many more seeds would show a limit of the sd at any time; empty if that is unknown.
func needForSD(steps []float64, limit, confidence float64) string {
	most := float64(2*limit) * limit
	if most >= 1 {
		return ""
	}
	falls := make([]float64, len(steps))
	for k, x := range steps {
		falls[k] = 1 - x
	}
	if need := stats.SeedsForMean(falls, 1-float64(most), confidence); need > len(steps) {
		return "about " + format.Counted(2*(need-len(steps)), "more seed") + " like these"
	}
	return ""
}

type anytimeSDBounds struct {
	steps        []float64
	lower, upper float64
	strict       float64 // confidence of the lower bound, which refutes
}

// anytimeSDBounds bounds the sd of the scores: from above at the confidence of the rules, from below at that of all
// tests of the gate together, each split into parts.
func (j judge) anytimeSDBounds(parts int) (anytimeSDBounds, error) {
	b := anytimeSDBounds{steps: squaredSteps(j.in.scores()), strict: j.strictest(parts)}
	upper, err := stats.MeanAtMost(b.steps, j.confidence)
	if err != nil {
		return b, err
	}
	lower, err := stats.MeanAtLeast(b.steps, b.strict)
	b.lower, b.upper = math.Sqrt(lower.Lo/2), min(0.5, math.Sqrt(upper.Hi/2))
	return b, err
}

// strictest is the confidence at which one of so many parts of a rule may be refuted.
func (j judge) strictest(parts int) float64 {
	return 1 - (1-j.confidence)/float64(max(1, j.nTests)*parts)
}

// anytimeStable is stable by bounds that are valid for every distribution and at any time.
func (j judge) anytimeStable(o Outcome) (Outcome, error) {
	passed := passes(j.in.Seeds)
	atLeast, err := stats.MeanAtLeast(passed, j.confidence)
	if err != nil {
		return o, err
	}
	atMost, err := stats.MeanAtMost(passed, j.strictest(2))
	if err != nil {
		return o, err
	}
	sd, err := j.anytimeSDBounds(2)
	if err != nil {
		return o, err
	}
	o.sequential = true
	o.assume(AssumesNothing, j.confidence)
	o.Verdict = passIf(atLeast.Lo >= scoring.StableMinPassRate && sd.upper <= scoring.StableMaxStd && j.in.Stability.Stable)
	if atMost.Hi < scoring.StableMinPassRate || sd.lower > scoring.StableMaxStd {
		o.Verdict = scoring.VerdictFail
	}
	o.Message = fmt.Sprintf("pass rate %s (%d of %d), at least %s; sd %s, at most %s, with %s confidence (betting, one-sided, valid for every distribution and at any time)",
		format.Share(j.e.PassRate.Value), j.e.NPassed, j.e.NSeeds, format.Share(atLeast.Lo), format.Short(j.e.SD.Value), format.Short(sd.upper), confidenceText(j.confidence))
	if o.Verdict == scoring.VerdictFail {
		o.Message = fmt.Sprintf("pass rate %s (%d of %d), at most %s; sd %s, at least %s, each with %s confidence (betting, one-sided, valid for every distribution and at any time)",
			format.Share(j.e.PassRate.Value), j.e.NPassed, j.e.NSeeds, format.Share(atMost.Hi), format.Short(j.e.SD.Value), format.Short(sd.lower), confidenceText(sd.strict))
	}
	o.Need = ""
	if o.Verdict == scoring.VerdictInconclusive && j.in.Stability.Stable {
		o.Need = needForSD(sd.steps, scoring.StableMaxStd, j.confidence)
		if need := stats.SeedsForMean(passed, scoring.StableMinPassRate, j.confidence); o.Need == "" && need > len(passed) {
			o.Need = "about " + format.Counted(need-len(passed), "more seed") + " like these"
		}
	}
	return o, nil
}
