package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
