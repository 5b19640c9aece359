package verdict

import (
	"cmp"
	"slices"

	"track/scoring"
)

// family is what Holm's correction counts as one: a rule about seeds, or no_degradation or values of a scenario, whose
// metrics are corrected for each other already.
type family struct {
	outcomes []*Outcome
	alpha    float64
	p        float64 // the smallest of its outcomes
}

func (g *Gate) families() (list []family) {
	for i := range g.Scenarios {
		s := &g.Scenarios[i]
		of := map[string]*family{RuleNoDegradation: {alpha: s.alpha, p: 1}, ruleValues: {alpha: s.alpha, p: 1}}
		for k := range s.Outcomes {
			o := &s.Outcomes[k]
			switch {
			case o.P == nil:
			case of[o.Rule] != nil:
				f := of[o.Rule]
				f.outcomes, f.p = append(f.outcomes, o), min(f.p, *o.P)
			default:
				list = append(list, family{[]*Outcome{o}, s.alpha, *o.P})
			}
		}
		for _, rule := range []string{RuleNoDegradation, ruleValues} {
			if f := of[rule]; len(f.outcomes) > 0 {
				list = append(list, *f)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b family) int {
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(len(a.outcomes), len(b.outcomes)))
	})
	return list
}

// refute turns the outcomes that a test refutes into FAIL, by Holm's rule over the families. Only a family of one
// test is done with once it is rejected: in one of several, those that are left can still be rejected wrongly. The
// same holds for confidence sequences, which have spent their share of alpha.
func (g *Gate) refute() {
	families := g.families()
	g.NTests = len(families) + g.nSequential()
	left, before := g.NTests, 0.0
	for _, f := range families {
		factor := float64(left)
		for _, o := range f.outcomes {
			o.PCorrected = ptr(max(before, min(1, *o.P*factor)))
			if *o.PCorrected <= f.alpha && o.Reason == "" && o.Verdict == scoring.VerdictInconclusive && o.breaks {
				o.Verdict, o.Need = scoring.VerdictFail, ""
			}
		}
		before = max(before, min(1, f.p*factor))
		if len(f.outcomes) == 1 {
			left--
		}
	}
}

func (g *Gate) nSequential() int {
	n := 0
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			if o.sequential {
				n++
			}
		}
	}
	return n
}
