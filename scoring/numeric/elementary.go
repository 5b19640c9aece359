package numeric

import "math"

const (
	ln2Hi = 6.93147180369123816490e-01 // ln 2 in two parts, the first with zeros at its end
	ln2Lo = 1.90821492927058770002e-10
)

// polynomial returns c[0] + c[1]·x + c[2]·x² + …
func polynomial(x float64, c ...float64) float64 {
	sum := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		sum = c[i] + float64(sum*x)
	}
	return sum
}

// Exp returns e to the power x. Source: FreeBSD's e_exp.c, as in package math.
func Exp(x float64) float64 {
	const overflow, underflow, nearZero = 7.09782712893383973096e+02, -7.45133219101941108420e+02, 1.0 / (1 << 28)
	switch {
	case math.IsNaN(x):
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	case -nearZero < x && x < nearZero:
		return 1 + x
	}
	k := int(float64(math.Log2E*x) + math.Copysign(0.5, x))
	hi, lo := x-float64(float64(k)*ln2Hi), float64(float64(k)*ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*polynomial(t, 1.66666666666666657415e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
		-1.65339022054652515390e-06, 4.13813679705723846039e-08))
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), k)
}

// Log returns the natural logarithm of x; NaN for a negative x. Source: FreeBSD's e_log.c, as in package math.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction = float64(2 * fraction)
		exponent--
	}
	f, k := fraction-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	r := float64(s2 * polynomial(s2, 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
		1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860510658591e-01))
	half := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// Log1p returns the logarithm of 1+x, to full precision for small x. Source: Kahan, in HP-15C Advanced Functions
// Handbook (1982).
func Log1p(x float64) float64 {
	u := 1 + x
	switch {
	case u == 1:
		return x
	case x > 1<<53 || !(u > 0):
		return Log(u)
	}
	return float64(Log(u)*x) / (u - 1)
}

// Pow returns x to the power y, for x of at least 0; else NaN. Source: as in package math, by repeated squaring.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case !(x >= 0) || math.IsNaN(y):
		return math.NaN()
	case x == 0 || math.IsInf(x, 1) || math.Abs(y) >= 1<<62:
		return Exp(float64(y * Log(x)))
	}
	whole, rest := math.Modf(math.Abs(y))
	product, exponent := 1.0, 0
	if rest > 0.5 {
		whole, rest = whole+1, rest-1
	}
	if rest != 0 {
		product = Exp(float64(rest * Log(x)))
	}
	square, squareExponent := math.Frexp(x)
	for n := int64(whole); n != 0; n >>= 1 {
		const beyond = 1 << 12 // all that follows overflows or underflows
		if squareExponent < -beyond || squareExponent > beyond {
			exponent += squareExponent
			break
		}
		if n&1 == 1 {
			product, exponent = float64(product*square), exponent+squareExponent
		}
		square, squareExponent = float64(square*square), 2*squareExponent
		if square < 0.5 {
			square, squareExponent = square+square, squareExponent-1
		}
	}
	if y < 0 {
		product, exponent = 1/product, -exponent
	}
	return math.Ldexp(product, exponent)
}
