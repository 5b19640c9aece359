package evolution

// DecisionPlan says how many trials a decision takes on a child that has none.
type DecisionPlan struct {
	// ParentFirst is how many trials of the parent need a score before a child is worth its price. They show that
	// trials can be scored at all, and the decision would ask for them anyway.
	ParentFirst int
	// Child and Parent are how many trials of each side the decision can take at most if none of them fails.
	Child, Parent int
}

// PlanDecision returns the plan of a decision by a policy on a new child of a parent with these trials. It is an error
// if the policy cannot decide on scores of the scale, or on these trials.
func PlanDecision(p Policy, parent []Trial, scale *Scale) (plan DecisionPlan, err error) {
	d, _, err := judge(decisionVersion, p, Evidence{Parent: parent, Scale: scale}, NewDraw(DrawKey{Label: LabelExplore}))
	if err != nil || d.Need == nil {
		return plan, err
	}
	plan = DecisionPlan{ParentFirst: max(0, p.minTrials()-d.NParent), Child: d.Need.Child, Parent: d.Need.Parent}
	further := 0 // pairs
	switch p := p.(type) {
	case Confirm:
		further = p.N2
	case interface{ limits() (nMin, nMax int) }: // after every pair
		_, nMax := p.limits()
		further = nMax - d.Need.Pairs
	}
	plan.Child, plan.Parent = plan.Child+further, plan.Parent+further
	return plan, nil
}
