package evolution_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"track/evolution"
	"track/internal/property"
)

// normal trials around 50 that change nothing: n of each side, in pairs where keyed.
func nothing(r *rand.Rand, sd float64, n int, keyed bool) (e evolution.Evidence) {
	return nothingShared(r, sd, 0, n, keyed)
}

// nothingShared are trials of which a share of the variance belongs to the task.
func nothingShared(r *rand.Rand, sd, share float64, n int, keyed bool) (e evolution.Evidence) {
	for i := range n {
		task := math.Sqrt(share) * r.NormFloat64()
		for side, list := range []*[]evolution.Trial{&e.Child, &e.Parent} {
			t := evolution.Trial{ID: fmt.Sprintf("%04d%c", i, "cp"[side]), Score: ptr(min(100, max(0, 50+sd*(task+math.Sqrt(1-share)*r.NormFloat64()))))}
			if keyed {
				t.Key = fmt.Sprint(i)
			}
			*list = append(*list, t)
		}
	}
	return e
}

// rates are the shares of accepted and of significant among mutations that change nothing, when the policy is given
// what it asks for.
func rates(t *testing.T, p evolution.Policy, sd float64, n int) (accepted, significant float64) {
	t.Helper()
	return ratesOfGain(t, p, sd, 0, n)
}

// ratesOfGain are the rates of mutations whose child is better by a gain.
func ratesOfGain(t *testing.T, p evolution.Policy, sd, gain float64, n int) (accepted, significant float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(54, 22))
	for i := range property.Draws {
		draw := evolution.NewDraw(evolution.DrawKey{Seed: uint64(i), Label: evolution.LabelExplore})
		all := nothing(r, sd, max(n, 40), n != 5)
		for _, child := range all.Child {
			*child.Score += gain
		}
		for k := n; ; {
			d, err := evolution.Decide(p, evolution.Evidence{Child: all.Child[:k], Parent: all.Parent[:k]}, draw)
			if err != nil {
				t.Fatal(err)
			}
			if d.State == evolution.Continue {
				k += max(d.Need.Pairs, d.Need.Child, d.Need.Parent)
				continue
			}
			if d.Accepted {
				accepted++
			}
			if d.Label == evolution.Significant {
				significant++
			}
			break
		}
	}
	return accepted / property.Draws, significant / property.Draws
}

// The figures of the reference: at an sd of 10 and five executions of each side, threshold accepts 54 % of the
// mutations that change nothing, and calls 22 % of them significant; with 20 of each side hardly fewer.
func TestThresholdAcceptsNothing(t *testing.T) {
	p := policy(t, "threshold", "")
	accepted, significant := rates(t, p, 10, 5)
	if math.Abs(accepted-0.54) > property.Limit(0.54) || math.Abs(significant-0.22) > property.Limit(0.22) {
		t.Errorf("accepts %.3f, significant %.3f; want 0.54 and 0.22", accepted, significant)
	}
	more, _ := rates(t, p, 10, 20)
	if math.Abs(more-0.54) > property.Limit(0.54)+0.003 {
		t.Errorf("with 20 of each side it accepts %.3f", more)
	}
	property.SameRates(t, map[string]float64{"accepted": accepted, "significant": significant, "accepted of 20": more})
	rate, _ := evolution.FalseAccept(p, evolution.Conditions{SD: 10, SDPairs: 14, NChild: 5, NParent: 5})
	if math.Abs(rate-0.536) > 0.001 { // 1/2 + 0.2·(Φ(3/6.423) - 1/2), 6.423 = 10·√(2·3.30/16)
		t.Errorf("the formula gives %.4f", rate)
	}
}

// The rates that decisions print agree with simulation; that of confirm is an upper bound.
func TestFalseAcceptRates(t *testing.T) {
	const sd = 10.0
	found := map[string]float64{}
	for _, c := range []struct {
		name   string
		params string
		n      int
	}{{"threshold", "", 5}, {"threshold", "", 20}, {"greedy", "", 6}, {"confirm", `{"pairs":20}`, 2}} {
		p := policy(t, c.name, c.params)
		rate, _ := rates(t, p, sd, c.n)
		found[fmt.Sprint(c.name, " of ", c.n)] = rate
		told, method := evolution.FalseAccept(p, evolution.Conditions{SD: sd, SDPairs: sd * math.Sqrt2, NChild: c.n, NParent: c.n, NPairs: c.n})
		limit := property.Limit(rate) + 0.015
		if rate-told > limit || c.name != "confirm" && told-rate > limit {
			t.Errorf("%s, %d of each side: %s says %.3f, simulation %.3f", c.name, c.n, method, told, rate)
		}
	}
	property.SameRates(t, found)
}

// The power that reports print agrees with simulation. confirm stops for futility too, which the formula leaves out.
func TestPower(t *testing.T) {
	const sd, gain = 10.0, 6.0
	found := map[string]float64{}
	for name, slack := range map[string]float64{"threshold": 0.02, "greedy": 0.02, "confirm": 0.16} {
		p, n := policy(t, name, map[string]string{"confirm": `{"pairs":20}`}[name]), 8
		rate, _ := ratesOfGain(t, p, sd, gain, n)
		found[name] = rate
		told, method := evolution.Power(p, evolution.Conditions{SD: sd, SDPairs: sd * math.Sqrt2, NChild: n, NParent: n, NPairs: n}, gain)
		if limit := property.Limit(rate) + slack; math.Abs(told-rate) > limit {
			t.Errorf("%s: %s says %.3f, simulation %.3f", name, method, told, rate)
		}
		if again, _ := evolution.FalseAccept(p, evolution.Conditions{SD: sd, SDPairs: sd * math.Sqrt2, NChild: n, NParent: n, NPairs: n}); again >= told {
			t.Errorf("%s accepts no gain in %.3f, and a gain in %.3f", name, again, told)
		}
	}
	property.SameRates(t, found)
}

// Limits that are known: without noise there is nothing to mistake, and in much noise threshold becomes a coin.
func TestFalseAcceptLimits(t *testing.T) {
	for name, want := range map[string][2]float64{"threshold": {0.2, 0.5}, "greedy": {0, 0.5}, "confirm": {0.05, 0.05}} { // at sd 0, at sd 10⁶
		p := policy(t, name, "")
		for i, sd := range []float64{0, 1e6} {
			rate, _ := evolution.FalseAccept(p, evolution.Conditions{SD: sd, SDPairs: sd, NChild: 5, NParent: 5, NPairs: 8})
			if math.Abs(rate-want[i]) > 0.03 {
				t.Errorf("%s at sd %v: %v, want %v", name, sd, rate, want[i])
			}
		}
	}
}

// A decision prints the noise it was made in: sd within the sides, and the rate.
func TestNoiseOfADecision(t *testing.T) {
	d := decide(t, policy(t, "threshold", ""), evolution.Evidence{Child: trials("c", 40, 60, 50, 45, 55), Parent: trials("p", 41, 59, 51, 46, 53)})
	n := d.Noise
	if want := math.Sqrt((250.0 + 188) / 8); math.Abs(*n.SD-want) > 1e-9 {
		t.Errorf("sd %v, want %v", *n.SD, want)
	}
	if *n.FalseAccept < 0.5 || !slices.Contains(d.Warnings, evolution.WarnNoise) {
		t.Errorf("%s", asJSON(t, d))
	}
	unpaired := evolution.Evidence{Child: trials("c", 40, 60, 50), Parent: trialsFrom("p", 100, 41, 59, 50)}
	d = decide(t, policy(t, "threshold", ""), unpaired)
	if n := d.Noise; math.Abs(*n.SDPairs-*n.SD*math.Sqrt2) > 1e-9 || d.PImprove.Paired || !slices.Contains(d.Warnings, evolution.WarnUnpaired) {
		t.Errorf("%s", asJSON(t, d))
	}
	d = decide(t, policy(t, "threshold", ""), evolution.Evidence{Child: trials("c", 60), Parent: trials("p", 50)})
	if n := d.Noise; n.SD != nil || n.FalseAccept != nil || d.Interval != nil {
		t.Errorf("one trial of each side: %+v", *n)
	}
	if !slices.Contains(d.Warnings, evolution.WarnSmallN) || !slices.Contains(d.Warnings, evolution.WarnUnclear) {
		t.Errorf("%v", d.Warnings)
	}
}

// The interval of a fitness covers the true difference at its confidence: weights count as (Σw)²/Σw².
func TestIntervalCovers(t *testing.T) {
	found := map[string]float64{}
	for name, n := range map[string]int{"threshold": 5} {
		r, covered := rand.New(rand.NewPCG(1, 95)), 0
		for range property.Draws {
			d, err := evolution.Decide(policy(t, name, ""), nothing(r, 5, n, true), drawn(t, true))
			if err != nil {
				t.Fatal(err)
			}
			if d.Interval.Lo <= 0 && 0 <= d.Interval.Hi {
				covered++
			}
		}
		share := float64(covered) / property.Draws
		if math.Abs(share-0.95) > property.Limit(0.95)+0.0025 {
			t.Errorf("%s: %.3f", name, share)
		}
		found[name] = share
	}
	property.SameRates(t, found)
}

func TestWarningsHaveMessages(t *testing.T) {
	for _, w := range []evolution.Warning{
		evolution.WarnSmallN, evolution.WarnZeroVariance, evolution.WarnFailures, evolution.WarnUnpaired, evolution.WarnUnclear, evolution.WarnNoise, evolution.WarnContradiction,
	} {
		if m := w.Message(); m == string(w) || strings.Contains(m, "_") {
			t.Errorf("%s: %q", w, m)
		}
	}
}

// A difference that only pairs show, or that only they deny: the pairs decide the interval, and what has no partner is
// counted.
func TestPairsDecideTheInterval(t *testing.T) {
	p := policy(t, "threshold", "")
	e := evolution.Evidence{Child: trials("c", 41, 60.5, 81.5, 20.8), Parent: trials("p", 40, 60, 80, 20)} // differences 1, 0.5, 1.5, 0.8
	d := decide(t, p, e)
	i := d.Interval
	// mean 0.95, s 0.4203, t(0.975, 3) 3.1824: half 0.6689
	if i.Method != "paired t" || i.N != 4 || i.LeftOut != 0 || math.Abs(i.Estimate-0.95) > 1e-9 || math.Abs(i.Lo-0.2812) > 1e-4 || slices.Contains(d.Warnings, evolution.WarnUnclear) {
		t.Errorf("%s", asJSON(t, d))
	}
	e.Child = append(e.Child, trialsFrom("c", 50, 99)...)
	e.Parent = append(e.Parent, trialsFrom("p", 60, 10, 11)...)
	d = decide(t, p, e)
	if i := d.Interval; i.Method != "paired t" || i.N != 4 || i.LeftOut != 3 || math.Abs(i.Estimate-0.95) > 1e-9 || d.PImprove.N != 4 || !d.PImprove.Paired {
		t.Errorf("partly paired: %s", asJSON(t, d))
	}
	one := evolution.Evidence{Child: e.Child[3:], Parent: e.Parent[3:]}
	if d := decide(t, p, one); d.Interval.Method != "welch t" || d.Interval.Estimate != *d.Delta || d.Interval.N != 5 || d.NPairs != 1 {
		t.Errorf("one pair: %s", asJSON(t, d))
	}
	for _, flat := range []evolution.Evidence{pairs(1, 1, 1), {Child: trials("c", 51, 51), Parent: trialsFrom("p", 9, 50, 50)}} {
		if d := decide(t, p, flat); d.Interval != nil || !slices.Contains(d.Warnings, evolution.WarnZeroVariance) || !slices.Contains(d.Warnings, evolution.WarnUnclear) {
			t.Errorf("no variance: %s", asJSON(t, d))
		}
	}
}

// Nine tenths of the variance belong to the tasks that both sides do: the rate that a decision reports is the rate at
// which such mutations are accepted, and its interval covers that rate.
func TestReportedRateOfSharedTasks(t *testing.T) {
	const repetitions = property.Draws
	found := map[string]float64{}
	for name, n := range map[string]int{"threshold": 5} {
		for _, share := range []float64{0, 0.9} {
			p, r := policy(t, name, ""), rand.New(rand.NewPCG(59, 1))
			accepted, reported := 0.0, make([]evolution.Noise, repetitions)
			for i := range reported {
				draw := evolution.NewDraw(evolution.DrawKey{Seed: uint64(i), Label: evolution.LabelExplore})
				d, err := evolution.Decide(p, nothingShared(r, 10, share, n, true), draw)
				if err != nil {
					t.Fatal(err)
				}
				accepted += d.P / repetitions
				reported[i] = *d.Noise
			}
			limit := property.Limit(accepted) + 0.01
			mean, covered := 0.0, 0.0
			for _, n := range reported {
				mean += *n.FalseAccept / repetitions
				if n.FalseAcceptCI.Lo-limit <= accepted && accepted <= n.FalseAcceptCI.Hi+limit {
					covered += 1.0 / repetitions
				}
			}
			if math.Abs(mean-accepted) > limit || covered < 0.95-property.Limit(0.95) {
				t.Errorf("%s, share %v: accepts %.3f, reports %.3f, covered by %.3f", name, share, accepted, mean, covered)
			}
			found[fmt.Sprint(name, ", share ", share, ": accepts")] = accepted
			found[fmt.Sprint(name, ", share ", share, ": reports")] = mean
		}
	}
	property.SameRates(t, found)
}
