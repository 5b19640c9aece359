package evolution

import "slices"

// DecisionPlan says how many trials a decision takes on a child that has none.
type DecisionPlan struct {
	// ParentFirst is how many trials of the parent are made before a child is worth its price: they show that trials
	// can be scored at all.
	ParentFirst int
	// Child and Parent are how many trials of each side the decision can take at most.
	Child, Parent int
}

// PlanDecision returns the plan of a decision by a policy on a new child of a parent with these trials. tasks is how
// many tasks decide, 0 if that is unknown, and measured on how many the gain is measured. It is an error if the policy
// cannot decide on scores of the scale, or on these trials.
func PlanDecision(p Policy, e Evidence, tasks, measured int) (plan DecisionPlan, err error) {
	if _, _, err := judge(p, Evidence{Parent: e.Parent, Scale: e.Scale, Failures: e.Failures}, NewDraw(DrawKey{Label: LabelExplore})); err != nil {
		return plan, err
	}
	if !slices.ContainsFunc(e.Parent, func(t Trial) bool { return t.Score != nil }) {
		plan.ParentFirst = 1
	}
	switch p := p.(type) {
	case Confirm:
		plan.Child, plan.Parent = p.Pairs, p.Pairs
	case Greedy:
		plan.Child, plan.Parent = max(1, tasks), max(1, tasks)
	default:
		plan.Child, plan.Parent = 1, plan.ParentFirst
	}
	plan.Child, plan.Parent = plan.Child+measured, plan.Parent+measured
	return plan, nil
}
