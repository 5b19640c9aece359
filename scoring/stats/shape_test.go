package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scoresWith draws from distributions of scores with these means and standard deviations.
func scoresWith(name string) (draw func(*rand.Rand) float64, mean, sd float64) {
	switch name {
	case "exponential tail":
		return func(r *rand.Rand) float64 { return 1 - 0.05*r.ExpFloat64() }, 0.95, 0.05
	case "5 % catastrophes":
		return func(r *rand.Rand) float64 { return 0.1 + 0.8*certain(r.Float64() < 0.95) + 0.01*r.NormFloat64() }, 0.86,
			math.Sqrt(float64(0.64*0.0475) + 0.0001)
	}
	return func(r *rand.Rand) float64 { return 0.8 + 0.05*r.NormFloat64() }, 0.8, 0.05
}

// The one-sided bounds are wrong in at most 5 % if scores are normal, or have an exponential tail; t and chi-square are
// wrong in 7 to 17 % and in 17 to 22 % there. Catastrophes that no score shows cannot be bounded: 0.95⁵⁰ = 7.7 % of
// samples of 50 have none.
func TestOneSidedBoundsAllowForVisibleTails(t *testing.T) {
	const repetitions = 1_500
	for _, c := range []struct {
		name            string
		n               int
		tMean, mean, sd float64 // largest share of wrong bounds
	}{
		{"normal", 10, 0.05, 0.025, 0.01},
		{"normal", 50, 0.05, 0.05, 0.01},
		{"exponential tail", 5, 0.17, 0.05, 0.05},
		{"exponential tail", 10, 0.14, 0.05, 0.05},
		{"exponential tail", 20, 0.12, 0.05, 0.05},
		{"exponential tail", 50, 0.1, 0.05, 0.05},
		{"exponential tail", 100, 0.08, 0.045, 0.05},
		{"5 % catastrophes", 50, 0.11, 0.08, 0.08},
	} {
		r, n := rng(), c.n
		draw, mean, sd := scoresWith(c.name)
		var wrongT, wrongMean, wrongSD float64
		for range repetitions {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = draw(r)
			}
			s, err := Summarize(xs)
			fatal(t, err)
			wrongT += certain(s.TMeanAtLeast(0.95).Lo > mean) / repetitions
			wrongMean += certain(s.MeanAtLeast(0.95).Lo > mean) / repetitions
			wrongSD += certain(s.SDAtMost(0.95).Hi < sd) / repetitions
		}
		wantAtMost(t, c.name+": t bound", wrongT, c.tMean, repetitions)
		wantAtMost(t, c.name+": bound of the mean", wrongMean, c.mean, repetitions)
		wantAtMost(t, c.name+": bound of the sd", wrongSD, c.sd, repetitions)
		if wrongMean > wrongT {
			t.Errorf("%s: the corrected bound is wrong in %v, t in %v", c.name, wrongMean, wrongT)
		}
	}
}

func TestScoreIntervalsSayWhatIsKnown(t *testing.T) {
	of := func(xs ...float64) Summary {
		s, err := Summarize(xs)
		fatal(t, err)
		return s
	}
	tail := math.Pow(0.025, 1.0/3)
	for _, c := range []struct {
		name     string
		got      Interval
		lo, hi   float64
		method   string
		wantsCut bool
	}{
		{"few scores", of(0.5, 0.8, 0.9).ScoreInterval(0.95), 0.5 * tail, 1 - 0.1*tail, MethodMarkov, false},
		{"equal scores", of(1, 1, 1, 1, 1).ScoreInterval(0.95), math.Pow(0.025, 0.2), 1, MethodMarkov, false},
		{"beyond 1", of(1, 1, 1, 1, 0.5).ScoreInterval(0.95), 0.9 - 2.776445*0.1, 1, MethodT, true},
		{"sd of few", of(0.5, 0.8, 0.9).ScoreSDInterval(0.95), 0, 0.5, MethodRange, false},
		{"sd of equal scores", of(1, 1, 1, 1, 1).ScoreSDInterval(0.95), 0, 0.5, MethodRange, false},
	} {
		if !near(c.got.Lo, c.lo, 1e-6) || !near(c.got.Hi, c.hi, 1e-6) || c.got.Method != c.method || c.got.Cut != c.wantsCut {
			t.Errorf("%s: %+v, want %v to %v by %s", c.name, c.got, c.lo, c.hi, c.method)
		}
	}
	if i := of(0.5).ScoreInterval(0.95); i.Defined() {
		t.Errorf("of one score: %+v", i)
	}
	if !of(0.9, 0.91, 0.9, 0.92, 0.2).IsGapped() || of(0.9, 0.8, 0.7, 0.6, 0.5, 0.4).IsGapped() || of(0.1, 0.11, 0.1, 0.12, 0.9).IsGapped() {
		t.Error("a gap is one low score far from the others")
	}
}
