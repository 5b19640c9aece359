package numeric_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"track/scoring/numeric"
)

// near holds got to a relative precision; what is below 1e-290 loses digits.
func near(t *testing.T, name string, got, want, precision float64, args ...any) {
	t.Helper()
	if got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got) < 1e-290 && math.Abs(want) < 1e-290 {
		return
	}
	if !(math.Abs(got-want) <= precision*math.Abs(want)) {
		t.Errorf("%s%v = %v, want %v (off by %.1e)", name, args, got, want, (got-want)/want)
	}
}

func TestElementary(t *testing.T) {
	const ulps = 1e-15
	inf := math.Inf(1)
	for _, x := range []float64{0, 1e-300, 1e-17, 1e-9, 0.1, 0.5, 0.999, 1, 1.0001, 2, 10, 88, 700, 709.7, 710, 1e9, 1e300, inf, math.NaN()} {
		for _, s := range []float64{1, -1} {
			near(t, "Exp", numeric.Exp(s*x), math.Exp(s*x), ulps, s*x)
			near(t, "Log", numeric.Log(s*x), math.Log(s*x), ulps, s*x)
			near(t, "Log1p", numeric.Log1p(s*x), math.Log1p(s*x), 2*ulps, s*x)
			for _, y := range []float64{0, 0.1, 0.5, 1, 1.5, 2, 3, 17.3, 100, 1001, inf} {
				near(t, "Pow", numeric.Pow(x, s*y), math.Pow(x, s*y), 300*ulps, x, s*y)
			}
		}
	}
	for x := 1e-3; x < 700; x *= 1.003 {
		near(t, "Exp", numeric.Exp(x), math.Exp(x), ulps, x)
		near(t, "Log", numeric.Log(x), math.Log(x), ulps, x)
		near(t, "Log1p", numeric.Log1p(x-0.001), math.Log1p(x-0.001), 2*ulps, x)
	}
}

func TestNormal(t *testing.T) {
	for z := -37.0; z <= 37; z += 0.0371 {
		near(t, "NormalCDF", numeric.NormalCDF(z), distuv.UnitNormal.CDF(z), 1e-14, z)
	}
	for p := 1e-300; p < 1; p = min(p*1.7, p+0.003) {
		near(t, "NormalQuantile", numeric.NormalQuantile(p), distuv.UnitNormal.Quantile(p), 1e-13, p)
	}
	for p, want := range map[float64]float64{0: math.Inf(-1), 1: math.Inf(1), 0.5: 0} {
		near(t, "NormalQuantile", numeric.NormalQuantile(p), want, 0, p)
	}
}

// degrees of freedom from few seeds to more than anybody has.
var degrees = []float64{1, 2, 3, 4, 5, 9, 19, 30, 99, 100, 999, 10_000, 99_999}

func TestStudent(t *testing.T) {
	for _, df := range degrees {
		d := distuv.StudentsT{Sigma: 1, Nu: df}
		for _, x := range []float64{-40, -8, -3, -1, -0.1, 0, 0.5, 2, 5, 20} {
			near(t, "StudentCDF", numeric.StudentCDF(x, df), d.CDF(x), 2e-10, x, df)
		}
		// The density at 0 times the distance, to first order.
		density := math.Exp(numeric.LogGamma((df+1)/2)-numeric.LogGamma(df/2)) / math.Sqrt(math.Pi*df)
		near(t, "StudentCDF", numeric.StudentCDF(1e-7, df)-0.5, 1e-7*density, 1e-8, df)
		for _, p := range []float64{1e-9, 1e-4, 0.0125, 0.025, 0.1, 0.4999, 0.5, 0.7, 0.975, 0.9999} {
			x := numeric.StudentQuantile(p, df)
			if df < 1000 && math.Abs(p-0.5) > 0.001 { // beyond, gonum is off by up to all
				near(t, "StudentQuantile", x, d.Quantile(p), 1e-9, p, df)
			}
			near(t, "StudentCDF of its quantile", numeric.StudentCDF(x, df), p, 1e-12, p, df)
		}
	}
}

func TestChiSquared(t *testing.T) {
	for _, df := range degrees {
		d := distuv.ChiSquared{K: df}
		for _, r := range []float64{0, 1e-6, 0.01, 0.3, 0.8, 0.99, 1, 1.01, 1.3, 2, 5, 30} {
			near(t, "ChiSquaredCDF", numeric.ChiSquaredCDF(r*df, df), d.CDF(r*df), 1e-11, r*df, df)
			near(t, "ChiSquaredSurvival", numeric.ChiSquaredSurvival(r*df, df), d.Survival(r*df), 1e-11, r*df, df)
		}
		for _, p := range []float64{1e-9, 0.001, 0.0125, 0.025, 0.2, 0.5, 0.8, 0.975, 0.99999} {
			x := numeric.ChiSquaredQuantile(p, df)
			if p > 1e-9 { // gonum ends at 0
				near(t, "ChiSquaredQuantile", x, d.Quantile(p), 1e-10, p, df)
			}
			near(t, "ChiSquaredCDF of its quantile", numeric.ChiSquaredCDF(x, df), p, 1e-12, p, df)
		}
	}
}

func TestBeta(t *testing.T) {
	for _, a := range []float64{0.5, 1, 2, 3, 17, 100, 5000} {
		for _, b := range []float64{0.5, 1, 2, 5, 30, 400, 90_000} {
			for _, x := range []float64{0, 1e-9, 1e-3, 0.1, 0.4, 0.5, 0.9, 0.99, 1 - 1e-9, 1} {
				near(t, "BetaCDF", numeric.BetaCDF(x, a, b), mathext.RegIncBeta(a, b, x), 1e-10, x, a, b)
			}
			for _, p := range []float64{0.001, 0.025, 0.05, 0.3, 0.9} {
				x := numeric.BetaQuantile(p, a, b)
				near(t, "BetaCDF of its quantile", numeric.BetaCDF(x, a, b), p, 1e-10, p, a, b)
			}
		}
	}
}

func TestLogGamma(t *testing.T) {
	for x := 0.5; x < 1e6; x *= 1.37 {
		want, _ := math.Lgamma(x)
		if got := numeric.LogGamma(x); !(math.Abs(got-want) <= 4e-15*max(1, math.Abs(want))) {
			t.Errorf("LogGamma(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestIntegrate(t *testing.T) {
	f := func(x float64) float64 { return math.Exp(-x*x/2) * math.Cos(3*x) }
	near(t, "Integrate", numeric.Integrate(f, -3, 5, 7), quad.Fixed(f, -3, 5, 200, nil, 0), 1e-13)
}
