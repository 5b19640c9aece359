package evolution_test

import (
	"fmt"
	"math"
	"testing"

	"track/evolution"
)

func standing(n int, score float64) evolution.Standing {
	s := evolution.Standing{Version: fmt.Sprintf("v%03d", n), Number: n}
	if !math.IsNaN(score) {
		s.Score = ptr(score)
	}
	return s
}

// steps are versions that were active one after the other, with scores on the same tasks.
func steps(scores ...float64) (list []evolution.Step) {
	for i := 1; i < len(scores); i++ {
		list = append(list, evolution.Step{Against: &evolution.Comparison{Score: scores[i], Other: scores[i-1], Tasks: 3}})
	}
	return list
}

// against compares the versions of a state with the active one, as if they had been tried on the same tasks.
func against(s *evolution.RollbackState) {
	compare := func(v *evolution.Standing) {
		if v != nil {
			v.Against = &evolution.Comparison{Score: *v.Score, Other: *s.InForce.Score, Tasks: 3}
		}
	}
	compare(&s.InForce)
	compare(s.Previous)
	for i := range s.Versions {
		compare(&s.Versions[i])
	}
}

// The triggers in their order and at their limits.
func TestRollbackTriggers(t *testing.T) {
	v1, v2, v3 := standing(1, 90), standing(2, 80), standing(3, 70)
	for name, c := range map[string]struct {
		s       evolution.RollbackState
		trigger evolution.Trigger
		to      string
	}{
		"nothing":             {evolution.RollbackState{InForce: v3, Previous: &v2, Steps: steps(80, 79, 79)}, "", ""},
		"one drop":            {evolution.RollbackState{InForce: v3, Previous: &v2, Steps: steps(70, 80, 79)}, "", ""},
		"two drops":           {evolution.RollbackState{InForce: v3, Previous: &v2, Steps: steps(80, 79, 78)}, evolution.TriggerDrops, "v001"},
		"two drops of best":   {evolution.RollbackState{InForce: v1, Previous: &v2, Steps: steps(80, 79, 78)}, "", ""},
		"63 is 70 % of 90":    {evolution.RollbackState{InForce: standing(4, 63), Previous: &v2}, "", ""},
		"below 70 %":          {evolution.RollbackState{InForce: standing(4, 62.99), Previous: &v2}, evolution.TriggerBelowBest, "v001"},
		"errors":              {evolution.RollbackState{InForce: v3, Previous: &v2, ErrorRate: ptr(0.51)}, evolution.TriggerErrorRate, "v002"},
		"half errors":         {evolution.RollbackState{InForce: v3, Previous: &v2, ErrorRate: ptr(0.5)}, "", ""},
		"previous much worse": {evolution.RollbackState{InForce: v2, Previous: ptr(standing(5, 63.99)), ErrorRate: ptr(0.9)}, evolution.TriggerErrorRate, "v001"},
		"previous at 80 %":    {evolution.RollbackState{InForce: v2, Previous: ptr(standing(5, 64)), ErrorRate: ptr(0.9)}, evolution.TriggerErrorRate, "v005"},
		"errors, no previous": {evolution.RollbackState{InForce: v3, ErrorRate: ptr(0.9)}, evolution.TriggerErrorRate, "v001"},
		"drops come first":    {evolution.RollbackState{InForce: standing(4, 10), Previous: &v2, Steps: steps(3, 2, 1), ErrorRate: ptr(0.9)}, evolution.TriggerDrops, "v001"},
		"best, then errors":   {evolution.RollbackState{InForce: standing(4, 10), Previous: &v2, ErrorRate: ptr(0.9)}, evolution.TriggerBelowBest, "v001"},
		"nowhere to go":       {evolution.RollbackState{InForce: v1, Steps: steps(3, 2, 1), ErrorRate: ptr(0.9)}, "", ""},
	} {
		c.s.Versions = []evolution.Standing{v1, v2, v3}
		against(&c.s)
		r := evolution.DefaultRollbackRules().Check(c.s)
		switch {
		case r == nil && c.trigger != "", r != nil && (r.Trigger != c.trigger || r.To != c.to || r.From != c.s.InForce.Version || r.Reason == ""):
			t.Errorf("%s: %+v", name, r)
		}
	}
	// Scores below 0, as gains are if less is better, have no shares.
	below := evolution.RollbackState{InForce: standing(2, -20), Previous: ptr(standing(3, -30)), Versions: []evolution.Standing{standing(1, -10)}}
	against(&below)
	for _, rules := range []evolution.RollbackRules{{ErrorRate: 1}, {BestShare: 0.7, PreviousShare: 0.8, ErrorRate: 1}} {
		if r := rules.Check(below); r != nil {
			t.Errorf("%+v: %+v", rules, r)
		}
	}
	r, err := evolution.RollbackByHand(v3, v1, "wrong task")
	if err != nil || r.To != "v001" || *r.ToScore != 90 || *r.FromScore != 70 || r.Trigger != evolution.TriggerHand {
		t.Errorf("%v %+v", err, r)
	}
	if _, err := evolution.RollbackByHand(v3, v1, ""); err == nil {
		t.Error("no reason")
	}
	if _, err := evolution.RollbackByHand(v3, v3, "why not"); err == nil {
		t.Error("to itself")
	}
}

// Versions are compared on the tasks that both were tried on. A fitness over easier tasks is no reason to go back.
func TestRollbackOnCommonTasks(t *testing.T) {
	scored := func(side string, scores map[string]float64) (list []evolution.Trial) {
		for task, score := range scores {
			list = append(list, evolution.Trial{ID: side + task, Key: task, Score: ptr(score)})
		}
		return list
	}
	active := map[string]float64{"hard": 33, "harder": 23}
	of := func(version string, number int, scores map[string]float64) evolution.Standing {
		c, err := evolution.Compare(scored("own", scores), scored("active", active), nil, "")
		if err != nil {
			t.Fatal(err)
		}
		return evolution.Standing{Version: version, Number: number, Against: c}
	}
	old := of("v001", 1, map[string]float64{"easy": 95, "hard": 30})
	now := of("v002", 2, active)
	if c := old.Against; c == nil || *c != (evolution.Comparison{Score: 30, Other: 33, Tasks: 1}) {
		t.Errorf("%+v", c)
	}
	state := evolution.RollbackState{InForce: now, Previous: &old, Versions: []evolution.Standing{old, now}}
	if r := evolution.DefaultRollbackRules().Check(state); r != nil {
		t.Errorf("the active version is better on the common task: %+v", r)
	}
	if best, ok := evolution.Best(state.Versions); !ok || best.Version != "v002" {
		t.Errorf("the best is %s", best.Version)
	}
	other := of("v000", 0, map[string]float64{"easy": 99})
	if other.Against != nil {
		t.Errorf("no common task: %+v", other.Against)
	}
	state.Versions = append(state.Versions, of("v003", 3, map[string]float64{"hard": 50, "easy": 1}))
	r := evolution.DefaultRollbackRules().Check(state)
	if r == nil || r.To != "v003" || *r.FromScore != 33 || *r.ToScore != 50 || r.Tasks != 1 {
		t.Errorf("66 %% of the best on the common task: %+v", r)
	}
}

// A failed trial counts as the worst score where versions are compared.
func TestCompareCountsFailures(t *testing.T) {
	ok, crashed := evolution.Trial{ID: "a", Key: "t1", Score: ptr(60.0)}, evolution.Trial{ID: "b", Key: "t1", Failed: "error"}
	c, err := evolution.Compare([]evolution.Trial{crashed}, []evolution.Trial{ok}, nil, evolution.FailuresAsWorst)
	if err != nil || *c != (evolution.Comparison{Score: 0, Other: 60, Tasks: 1}) {
		t.Errorf("%v %+v", err, c)
	}
	c, err = evolution.Compare([]evolution.Trial{crashed}, []evolution.Trial{ok}, nil, evolution.FailuresExclude)
	if err != nil || c != nil {
		t.Errorf("excluded: %v %+v", err, c)
	}
}

// A version without a score, because all its trials failed, is never the best.
func TestBest(t *testing.T) {
	nan := evolution.Standing{Version: "nan", Number: 9, Score: ptr(math.NaN())}
	list := []evolution.Standing{standing(4, 80), nan, standing(3, math.NaN()), standing(2, 80), standing(1, 70)}
	if best, ok := evolution.Best(list); !ok || best.Version != "v002" {
		t.Errorf("%v %+v", ok, best)
	}
	if _, ok := evolution.Best([]evolution.Standing{nan, standing(3, math.NaN())}); ok {
		t.Error("a version without a score is the best")
	}
}
