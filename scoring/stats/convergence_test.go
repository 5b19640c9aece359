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
