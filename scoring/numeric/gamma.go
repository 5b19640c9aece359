package numeric

import "math"

const halfLog2Pi = 0.918938533204672741780329736406

// precision is where series and continued fractions end.
const precision = 0x1p-53

// stirling returns the error of Stirling's formula: ln Γ(x) - ((x-½)·ln x - x + ½·ln 2π), for x above 0.
func stirling(x float64) float64 {
	sum := 0.0
	for ; x < 10; x++ {
		sum += float64((x+0.5)*Log1p(1/x)) - 1
	}
	z := 1 / float64(x*x)
	return sum + polynomial(z, 1./12, -1./360, 1./1260, -1./1680, 1./1188, -691./360360, 1./156)/x
}

// LogGamma returns ln Γ(x), for x above 0.
func LogGamma(x float64) float64 { return float64((x-0.5)*Log(x)) - x + halfLog2Pi + stirling(x) }

// logRatio returns a·ln(x/m), to full precision if x is near m; d is x-m.
func logRatio(a, x, m, d float64) float64 {
	if d /= m; math.Abs(d) < 0.5 {
		return float64(a * Log1p(d))
	}
	return float64(a * Log(x/m))
}

// gammaFront returns x^a·e^-x/Γ(a), after Loader, Fast and Accurate Computation of Binomial Probabilities (2000).
func gammaFront(a, x float64) float64 {
	return float64(math.Sqrt(a/(2*math.Pi)) * Exp(logRatio(a, x, a, x-a)-(x-a)-stirling(a)))
}

// gammaTails returns the regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P: the smaller one by its
// series or by Lentz's continued fraction.
func gammaTails(a, x float64) (lower, upper float64) {
	if x <= 0 {
		return 0, 1
	}
	front := gammaFront(a, x)
	if x < a+1 {
		sum, term := 1.0, 1.0
		for n := a + 1; term > precision*sum; n++ {
			term = float64(term * (x / n))
			sum += term
		}
		lower = float64(front / a * sum)
		return lower, 1 - lower
	}
	b := x + 1 - a
	c, d := math.Inf(1), 1/b
	fraction := d
	for i := 1.0; i < maxTerms; i++ {
		b += 2
		an := float64(i * (a - i))
		d = 1 / (b + float64(an*d))
		c = b + an/c
		step := float64(c * d)
		fraction = float64(fraction * step)
		if math.Abs(step-1) <= precision {
			break
		}
	}
	upper = float64(front * fraction)
	return 1 - upper, upper
}

// maxTerms bounds continued fractions. They need about the root of their largest parameter.
const maxTerms = 100_000

// ChiSquaredCDF returns P(X ≤ x) of the chi-square distribution with df degrees of freedom.
func ChiSquaredCDF(x, df float64) float64 {
	lower, _ := gammaTails(df/2, x/2)
	return lower
}

// ChiSquaredSurvival returns P(X > x) of the chi-square distribution with df degrees of freedom.
func ChiSquaredSurvival(x, df float64) float64 {
	_, upper := gammaTails(df/2, x/2)
	return upper
}

// ChiSquaredQuantile returns the x with P(X ≤ x) = p, for p between 0 and 1, from the approximation of Wilson &
// Hilferty (1931).
func ChiSquaredQuantile(p, df float64) float64 {
	a := df / 2
	root := 1 - 2/(9*df) + float64(NormalQuantile(p)*math.Sqrt(2/(9*df)))
	x := float64(a * root * root * root)
	if root <= 0.1 { // the first term of the series
		x = Exp((Log(p) + Log(a) + LogGamma(a)) / a)
	}
	return 2 * solve(x, func(x float64) float64 {
		lower, upper := gammaTails(a, x)
		if p < 0.5 {
			return float64(Log(p/lower) * lower / gammaFront(a, x))
		}
		return float64(Log(upper/(1-p)) * upper / gammaFront(a, x))
	})
}

// solve finds a positive number by Newton's method on its logarithm; step returns what to add to that.
func solve(x float64, step func(x float64) float64) float64 {
	before := math.Inf(1)
	for range 200 {
		s := step(x)
		if s == 0 || math.IsNaN(s) || math.Abs(s) >= before && before < 1e-12 {
			break // rounding alone is left
		}
		before = math.Abs(s)
		x = float64(x * Exp(max(-20, min(20, s))))
	}
	return x
}
