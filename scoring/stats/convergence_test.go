package stats

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// The vectors come from testdata/convergence.py.
func TestConvergenceVectors(t *testing.T) {
	file, err := os.Open("testdata/convergence.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines, n := bufio.NewScanner(file), 0
	verdicts := map[DriftVerdict]int{}
	for lines.Buffer(nil, 1<<20); lines.Scan(); n++ {
		var v struct {
			X                                []float64
			ESS, MCSE, Early, Late, Z, DF, P float64
			Verdict                          DriftVerdict
			Part                             string
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		c, err := NewConvergence(v.X)
		if err != nil || !near(c.ESS, v.ESS, 1e-8*v.ESS) || !near(c.MCSE, v.MCSE, 1e-10) || c.Verdict != v.Verdict || c.Part != v.Part {
			t.Errorf("vector %d: %+v, error %v, want ESS %v, MCSE %v, %s of %s", n, c, err, v.ESS, v.MCSE, v.Verdict, v.Part)
		}
		if v.Part != "" && (!near(c.Early, v.Early, 1e-12) || !near(c.Late, v.Late, 1e-12) || !near(c.Z, v.Z, 1e-7) || !near(c.DF, v.DF, 1e-9) || !near(c.P, v.P, 1e-8)) {
			t.Errorf("vector %d: %+v, want %+v", n, c.Drift, v)
		}
		verdicts[c.Verdict]++
	}
	if n != 9 || len(verdicts) != 3 {
		t.Errorf("%d vectors with the verdicts %v", n, verdicts)
	}
}

// ar1 returns a stationary series with the autocorrelation phi^lag.
func ar1(rng *rand.Rand, phi float64, n int) []float64 {
	xs := make([]float64, n)
	x := rng.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range xs {
		xs[i] = x
		x = phi*x + rng.NormFloat64()
	}
	return xs
}

// The effective sample size of AR(1) is n(1-φ)/(1+φ), and the standard error that of the means of many series.
func TestESSOfAR1(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, runs = 4000, 40
	for _, phi := range []float64{-0.5, 0, 0.5, 0.9} {
		ess, square, error2 := 0.0, 0.0, 0.0
		for range runs {
			c, err := NewConvergence(ar1(rng, phi, n))
			if err != nil {
				t.Fatal(err)
			}
			ess += c.ESS / runs
			square += c.Mean * c.Mean / runs
			error2 += c.MCSE * c.MCSE / runs
		}
		if want := n * (1 - phi) / (1 + phi); math.Abs(ess/want-1) > 0.1 {
			t.Errorf("phi %v: mean ESS %v, want about %v", phi, ess, want)
		}
		if ratio := square / error2; ratio < 0.5 || ratio > 1.8 {
			t.Errorf("phi %v: the mean square of the means is %v times that of the standard errors", phi, ratio)
		}
	}
}

// The rate of false alarms stays about 5 % for AR(1) with φ up to 0.95; series that are too short raise none. 0.065 is
// three standard errors above it.
func TestDriftFalseAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const runs = 2000
	for _, phi := range []float64{0, 0.5, 0.8, 0.9, 0.95} {
		for _, n := range []int{50, 200, 600} {
			alarms := 0
			for range runs {
				if newDrift(ar1(rng, phi, n)).Verdict == Drifts {
					alarms++
				}
			}
			if rate := float64(alarms) / runs; rate > 0.065 {
				t.Errorf("phi %v, n %d: %v of the series raise an alarm", phi, n, rate)
			}
		}
	}
}

// A transient of four standard deviations over a tenth of the series is found, and skipping it is enough.
func TestDriftFindsTransients(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	found, enough := 0, 0
	const runs, n = 200, 1000
	for range runs {
		xs := ar1(rng, 0.8, n)
		for i := range xs {
			xs[i] += 4 / 0.6 * math.Exp(-float64(i)/(n/10))
		}
		if newDrift(xs).Verdict == Drifts {
			found++
		}
		if skip := SkipFor(xs); skip >= n/10 && skip <= n/2 {
			enough++
		}
	}
	if found < 180 || enough < 150 {
		t.Errorf("%d of %d transients found, for %d a skip that is enough", found, runs, enough)
	}
}

func TestConvergenceOfOddSeries(t *testing.T) {
	c, err := NewConvergence([]float64{2, 2, 2, 2, 2})
	if err != nil || c.Verdict != isConstant || c.MCSE != 0 || !math.IsNaN(c.ESS) {
		t.Errorf("constant: %+v, %v", c, err)
	}
	step := make([]float64, 100) // it becomes constant
	for i := range 50 {
		step[i] = 1
	}
	if c, err = NewConvergence(step); err != nil || c.Verdict == noDrift {
		t.Errorf("step: %+v, %v", c, err)
	}
	if _, err := NewConvergence([]float64{1, 2, 3}); err == nil {
		t.Error("three values are accepted")
	}
	long := ar1(rand.New(rand.NewPCG(1, 1)), 0.5, 200_000) // in blocks
	if c, err = NewConvergence(long); err != nil || c.ESS < 55_000 || c.ESS > 80_000 || c.Verdict != noDrift {
		t.Errorf("long: %+v, %v", c, err)
	}
}

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
