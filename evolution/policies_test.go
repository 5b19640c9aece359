package evolution_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"track/evolution"
)

// The table of the default policy, at its boundaries: exactly 5 is marginal, exactly 0 draws, exactly -3 is a
// regression.
func TestThresholdBands(t *testing.T) {
	for _, c := range []struct {
		delta float64
		label evolution.Label
		p     float64
	}{
		{20, evolution.Significant, 1}, {5.01, evolution.Significant, 1}, {5, evolution.Marginal, 1}, {0.01, evolution.Marginal, 1},
		{0, evolution.Exploration, 0.2}, {-2.99, evolution.Exploration, 0.2}, {-3, evolution.Regression, 0}, {-40, evolution.Regression, 0},
	} {
		e := evolution.Evidence{Child: trials("c", repeat(50+c.delta, 5)...), Parent: trials("p", repeat(50, 5)...)}
		for _, below := range []bool{true, false} {
			draw := drawn(t, below)
			d, err := evolution.Decide(policy(t, "threshold", ""), e, draw)
			if err != nil {
				t.Fatal(err)
			}
			accepted := c.p == 1 || c.p == 0.2 && below
			if d.Label != c.label || d.P != c.p || d.Accepted != accepted || d.DrawUsed != (c.p == 0.2) || (d.State == evolution.Accept) != accepted {
				t.Errorf("delta %v, u %.3f: %s, p %v, accepted %v, %s, draw used %v", c.delta, draw.U, d.Label, d.P, d.Accepted, d.State, d.DrawUsed)
			}
		}
	}
}

// Differences that are whole in decimals must not fall to the wrong side because binary fractions are rounded.
func TestBoundariesAreDecimal(t *testing.T) {
	for parent := 0.0; parent < 90; parent += 0.37 {
		for delta, want := range map[float64]evolution.Label{5: evolution.Marginal, 0: evolution.Exploration, -3: evolution.Regression} {
			old := math.Round((4+parent)*100) / 100
			e := evolution.Evidence{
				Child:  trials("c", old+delta+0.01, old+delta-0.02, old+delta+0.03, old+delta-0.04, old+delta+0.1),
				Parent: trials("p", old+0.01, old-0.02, old+0.03, old-0.04, old+0.1),
			}
			d, err := evolution.Decide(policy(t, "threshold", ""), e, drawn(t, true))
			if err != nil || d.Label != want {
				t.Fatalf("%v against %v: %v %s, delta %v", old+delta, old, err, d.Label, *d.Delta)
			}
		}
	}
}

// Five of twelve: the best and the worst are dropped, the newest five of the rest weigh 1 to 0.6, newest first.
func TestThresholdUsesTheFitness(t *testing.T) {
	e := evolution.Evidence{Child: trials("c", 60, 60, 60, 60, 60, 70, 71, 99, 72, 1, 73, 74), Parent: trials("p", 70)}
	d := decide(t, policy(t, "threshold", ""), e)
	want := (74 + 0.9*73 + 0.8*72 + 0.7*71 + 0.6*70) / 4
	if math.Abs(*d.NewScore-want) > 1e-9 || *d.OldScore != 70 || d.NChild != 12 || *d.Fitness != *d.NewScore {
		t.Errorf("%v against %v, want %v", *d.NewScore, *d.OldScore, want)
	}
	for i, u := range d.UsedChild {
		if u.ID != []string{"c011", "c010", "c008", "c006", "c005"}[i] || u.Weight != []float64{1, 0.9, 0.8, 0.7, 0.6}[i] {
			t.Errorf("%d is %+v", i, u)
		}
	}
}

// Without times the ids say which is newer.
func TestThresholdWithoutTimes(t *testing.T) {
	e := evolution.Evidence{Child: trials("c", 60, 70), Parent: trials("p", 50)}
	for _, list := range [][]evolution.Trial{e.Child, e.Parent} {
		for i := range list {
			list[i].At = time.Time{}
		}
	}
	d := decide(t, policy(t, "threshold", ""), e)
	if want := (70 + 0.9*60) / 1.9; math.Abs(*d.NewScore-want) > 1e-8 || d.UsedChild[0].ID != "c001" {
		t.Errorf("%v, want %v", *d.NewScore, want)
	}
}

// greedy decides by the mean of the pairs, and by all tasks if it knows how many there are.
func TestGreedy(t *testing.T) {
	for _, c := range []struct {
		params      string
		differences []float64
		tasks       int
		state       evolution.State
		mean        float64
	}{
		{``, []float64{1, -1, 0.1}, 0, evolution.Accept, 0.033333333},
		{``, []float64{0.3, -0.1, -0.2}, 0, evolution.Reject, 0}, // 0 but for rounding
		{`{"eps":2}`, []float64{2, 2}, 0, evolution.Reject, 2},
		{``, nil, 0, evolution.Continue, math.NaN()},
		{``, []float64{1, 1}, 3, evolution.Continue, math.NaN()},
		{``, []float64{1, 1, 1}, 3, evolution.Accept, 1},
	} {
		e := pairs(c.differences...)
		e.Tasks = c.tasks
		d := decide(t, policy(t, "greedy", c.params), e)
		if d.State != c.state || c.state != evolution.Continue && *d.Rule[0].Value != c.mean {
			t.Errorf("%s%v of %d tasks: %s", c.params, c.differences, c.tasks, asJSON(t, d))
		}
	}
}

// threshold compares different tasks, and says so where the pairs disagree.
func TestThresholdContradictsItsPairs(t *testing.T) {
	e := evolution.Evidence{Child: trials("c", 20, 30, 40), Parent: trials("p", 25, 35, 45, 10, 10, 10, 10, 10)}
	d := decide(t, policy(t, "threshold", ""), e)
	if !d.Accepted || len(d.Warnings) == 0 || d.Warnings[0] != evolution.WarnContradiction {
		t.Errorf("%s", asJSON(t, d))
	}
}

func TestPolicyErrors(t *testing.T) {
	if _, err := evolution.DefaultPolicy("ucb"); !errors.Is(err, evolution.ErrUnknownPolicy) {
		t.Error(err)
	}
	e := pairs(1, 2)
	if _, err := evolution.Decide(evolution.Confirm{}, e, drawn(t, true)); err == nil {
		t.Error("a policy without parameters decides")
	}
}
