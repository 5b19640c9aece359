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
			d, err := evolution.Judge(policy(t, "threshold", ""), e, drawn(t, true))
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

// Each policy on differences with a known mean and sd; the statistics are worked out beside them.
func TestPairedPolicies(t *testing.T) {
	for _, c := range []struct {
		name, params string
		differences  []float64
		state        evolution.State
		label        evolution.Label
		statistic    float64 // of the first of Rule; NaN: not looked at
	}{
		{"strict", ``, []float64{1, -1, 0.1}, evolution.Accept, evolution.Improvement, 0.033333333},
		{"strict", ``, []float64{0.3, -0.1, -0.2}, evolution.Reject, evolution.NoImprovement, 0}, // 0 but for rounding
		{"strict", `{"eps":2}`, []float64{2, 2}, evolution.Reject, evolution.NoImprovement, 2},
		{"strict", ``, nil, evolution.Continue, evolution.NeedsEvidence, math.NaN()},

		// s = 8/√7·… of ±4 around 2: s² = 8·16/7; se² = 16/7; k = 9/(9+16/7) = 63/79; Φ(√k·2/se) = Φ(1.18135)
		{"poi", ``, alternating(2, 4, 8), evolution.Reject, evolution.NoImprovement, 0.881266},
		{"poi", `{"c":0.88}`, alternating(2, 4, 8), evolution.Accept, evolution.Improvement, 0.881266},
		{"poi", ``, alternating(9, 1, 7), evolution.Continue, evolution.NeedsEvidence, math.NaN()},
		{"poi", ``, repeat(0, 8), evolution.Reject, evolution.NoImprovement, 0.5},
		{"poi", `{"c":0.5}`, repeat(0, 8), evolution.Accept, evolution.Improvement, 0.5}, // at least c
		{"poi", ``, repeat(1, 8), evolution.Accept, evolution.Improvement, 1},

		// LLR = n·(m-1)·2/s² with s² = n/(n-1) for ±1: (n-1)·2·(m-1); bounds 2.890, -2.251
		{"sprt", ``, alternating(1.25, 1, 8), evolution.Accept, evolution.Improvement, 3.5},
		{"sprt", ``, alternating(1.20, 1, 8), evolution.Continue, evolution.NeedsEvidence, 2.8},
		{"sprt", ``, alternating(0.80, 1, 8), evolution.Reject, evolution.NoImprovement, -2.8},
		{"sprt", ``, alternating(0.85, 1, 8), evolution.Continue, evolution.NeedsEvidence, -2.1},
		{"sprt", ``, alternating(5, 1, 7), evolution.Continue, evolution.NeedsEvidence, math.NaN()},
		{"sprt", ``, alternating(1, 8, 40), evolution.Reject, evolution.Undecided, 0},
		{"sprt", ``, append(alternating(1, 8, 40), repeat(30, 10)...), evolution.Reject, evolution.Undecided, 0}, // what is beyond n_max does not count

		// x = 20·r² solves x = ln(100(x+1)): x = 6.63834. There ln(√(x+1)/alpha) = x/2, so that h = s·√((x+1)/20) =
		// 0.617995·s at n = 20.
		{"cs", ``, alternating(1, 1, 20), evolution.Accept, evolution.Improvement, 1 - 0.617995*math.Sqrt(20.0/19)},
		{"cs", ``, alternating(0.6, 1, 20), evolution.Continue, evolution.NeedsEvidence, 0.6 - 0.617995*math.Sqrt(20.0/19)},
		{"cs", ``, alternating(0.3, 1, 20), evolution.Reject, evolution.NoImprovement, math.NaN()},
		{"cs", ``, alternating(9, 1, 4), evolution.Continue, evolution.NeedsEvidence, math.NaN()},
		{"cs", ``, alternating(0, 9, 40), evolution.Reject, evolution.Undecided, math.NaN()},

		{"anneal", ``, []float64{0.5}, evolution.Accept, evolution.Improvement, 0.5},
		{"anneal", ``, []float64{0}, evolution.Accept, evolution.Annealing, 0},
		{"anneal", ``, []float64{-1}, evolution.Reject, evolution.Annealing, -1}, // the draw is above 0.99
	} {
		d := decide(t, policy(t, c.name, c.params), pairs(c.differences...))
		if d.State != c.state || d.Label != c.label || d.Accepted != (c.state == evolution.Accept) {
			t.Errorf("%s%s %v: %s, %s", c.name, c.params, c.differences, d.State, d.Label)
			continue
		}
		if !math.IsNaN(c.statistic) && math.Abs(*d.Rule[0].Value-c.statistic) > 1e-5 {
			t.Errorf("%s%s %v: %s is %v, want %v", c.name, c.params, c.differences, d.Rule[0].Name, *d.Rule[0].Value, c.statistic)
		}
	}
}

// T_k = T0·g^k: at step 10 the temperature is 3·0.97^10 = 2.2123, and a loss of 1 is accepted with probability
// exp(-1/2.2123).
func TestAnnealCools(t *testing.T) {
	e := pairs(-1)
	for step, want := range map[int]float64{0: math.Exp(-1.0 / 3), 10: math.Exp(-1 / 2.212272), 100_000: 0} {
		e.Step = step
		d := decide(t, policy(t, "anneal", ""), e)
		if math.Abs(d.P-want) > 1e-6 || d.DrawUsed != (want > 0) {
			t.Errorf("step %d: accepts with %v, want %v; draw used %v", step, d.P, want, d.DrawUsed)
		}
	}
	e.Step = 0
	if d, err := evolution.Decide(policy(t, "anneal", ""), e, drawn(t, true)); err != nil || !d.Accepted || d.Label != evolution.Annealing {
		t.Errorf("%v: %+v", err, d)
	}
}

// poi reports the shrunk delta k·m: k = 63/79 as above.
func TestShrunkDelta(t *testing.T) {
	d := decide(t, policy(t, "poi", ""), pairs(alternating(2, 4, 8)...))
	if s := d.Rule[1]; s.Name != "shrunk_delta" || math.Abs(*s.Value-2*63.0/79) > 1e-9 || s.Accept != nil {
		t.Errorf("%+v", s)
	}
}

func TestPolicyErrors(t *testing.T) {
	if _, err := evolution.DefaultPolicy("ucb"); !errors.Is(err, evolution.ErrUnknownPolicy) {
		t.Error(err)
	}
	e := pairs(1, 2)
	if _, err := evolution.Decide(evolution.SPRT{}, e, drawn(t, true)); err == nil {
		t.Error("a policy without parameters decides")
	}
}

// The default policy asks for three trials of each side, and then decides as threshold does.
func TestBandsWaitForThreeTrials(t *testing.T) {
	bands, threshold := policy(t, "", ""), policy(t, "threshold", "")
	for _, c := range []struct{ child, parent, needChild, needParent int }{{0, 0, 3, 3}, {1, 5, 2, 0}, {2, 2, 1, 1}, {3, 2, 0, 1}} {
		d := decide(t, bands, evolution.Evidence{Child: trials("c", repeat(60, c.child)...), Parent: trials("p", repeat(50, c.parent)...)})
		if d.State != evolution.Continue || d.Need.Child != c.needChild || d.Need.Parent != c.needParent || d.Need.Pairs != 0 {
			t.Errorf("%+v: %s", c, asJSON(t, d))
		}
	}
	e := evolution.Evidence{Child: trials("c", 60, 61, 63), Parent: trials("p", 50, 52, 51)}
	a, b := decide(t, bands, e), decide(t, threshold, e)
	if a.Label != evolution.Significant || a.State != evolution.Accept || *a.Delta != *b.Delta || a.Label != b.Label || *a.Noise.FalseAccept != *b.Noise.FalseAccept {
		t.Errorf("%s\n%s", asJSON(t, a), asJSON(t, b))
	}
	if d := decide(t, policy(t, "bands", `{"n_min":1}`), pairs(1)); d.State != evolution.Accept {
		t.Errorf("%s", asJSON(t, d))
	}
}
