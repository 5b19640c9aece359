package scoring

import (
	"fmt"
	"slices"
)

// DefaultConfidence is that of intervals and of the bounds of a gate.
const DefaultConfidence = 0.95

// GateRules say what the seeds of a configuration must show to pass a gate. A rule that is nil, false or 0 is not in force.
type GateRules struct {
	MinPassRate   *float64 // the lower bound of the pass rate must reach it; 0..1
	Stable        bool     // the configuration must be stable, see [IsStable]
	MaxStd        *float64 // the sample standard deviation of the total scores must be shown to be at most this
	MinScore      *float64 // the mean total score must be shown to be at least this; 0..1
	NoDegradation bool     // no metric may be worse than the baseline by more than [DegradationThreshold]
	MinSeeds      int      // fewer recorded seeds than this decide nothing

	Confidence float64   // of bounds, and 1 - the chance of a false FAIL over all rules together; 0 means DefaultConfidence
	FailOn     []Verdict // verdicts that make the gate exit with a failure beside FAIL; nil means INCONCLUSIVE
}

// Any says that at least one rule is in force.
func (g GateRules) Any() bool {
	return g.MinPassRate != nil || g.Stable || g.MaxStd != nil || g.MinScore != nil || g.NoDegradation || g.MinSeeds > 0
}

// Judges says that a rule other than MinSeeds is in force: a number of seeds says nothing of how good they are.
func (g GateRules) Judges() bool {
	g.MinSeeds = 0
	return g.Any()
}

// Problems lists the fields that make the rules unusable.
func (g GateRules) Problems() []FieldProblem {
	var list []FieldProblem
	within := func(field string, x *float64, lo, hi float64) {
		if x != nil && !(lo <= *x && *x <= hi) {
			list = append(list, FieldProblem{field, fmt.Sprintf("%v is not between %v and %v", *x, lo, hi)})
		}
	}
	within("min_pass_rate", g.MinPassRate, 0, 1)
	within("max_std", g.MaxStd, 0, 1)
	within("min_score", g.MinScore, 0, 1)
	if g.MinSeeds < 0 {
		list = append(list, FieldProblem{"min_seeds", fmt.Sprintf("%d is negative", g.MinSeeds)})
	}
	if g.Confidence != 0 && !(g.Confidence >= 0.5 && g.Confidence < 1) {
		list = append(list, FieldProblem{"confidence", fmt.Sprintf("%v is not from 0.5 to below 1", g.Confidence)})
	}
	for _, v := range g.FailOn {
		if v != VerdictWarn && v != VerdictInconclusive && v != VerdictFail {
			list = append(list, FieldProblem{"fail_on", fmt.Sprintf("unknown verdict %q: use warn, inconclusive or fail", v)})
		}
	}
	return list
}

// Fails says whether the rules fail on a verdict. On FAIL they always do, on INCONCLUSIVE unless FailOn is set without it; where they
// fail on WARN they fail on INCONCLUSIVE too, which is worse.
func (g GateRules) Fails(v Verdict) bool {
	named := g.FailOn
	if named == nil {
		named = []Verdict{VerdictInconclusive}
	}
	return v == VerdictFail || slices.Contains(named, v) || v == VerdictInconclusive && slices.Contains(named, VerdictWarn)
}
