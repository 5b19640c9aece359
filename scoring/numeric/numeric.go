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

// Integrate returns the integral of f from lo to hi, by 16 points of Gauss and Legendre on each of so many panels. It
// is exact to rounding where f is smooth on the scale of a panel.
func Integrate(f func(float64) float64, lo, hi float64, panels int) float64 {
	nodes, weights := legendre()
	half := float64((hi - lo) / float64(2*panels))
	sum := 0.0
	for panel := range panels {
		centre := lo + float64(half*float64(2*panel+1))
		for i, node := range nodes {
			reach := float64(half * node)
			sum += float64(weights[i] * (f(centre-reach) + f(centre+reach)))
		}
	}
	return float64(sum * half)
}

// Nodes returns the places from lo to hi, rising, and the weights by which [Integrate] sums a function.
func Nodes(lo, hi float64, panels int) (places, weights []float64) {
	at, of := legendre()
	half := float64((hi - lo) / float64(2*panels))
	for panel := range panels {
		centre := lo + float64(half*float64(2*panel+1))
		for i := range 2 * len(at) {
			sign, k := -1.0, len(at)-1-i
			if i >= len(at) {
				sign, k = 1, i-len(at)
			}
			places, weights = append(places, centre+float64(sign*half*at[k])), append(weights, float64(half*of[k]))
		}
	}
	return places, weights
}

// legendre returns the positive ones of 16 nodes of Gauss and Legendre on [-1, 1], which are symmetric, and their
// weights.
func legendre() (nodes, weights [8]float64) {
	nodes = [8]float64{
		0.0950125098376374401853, 0.2816035507792589132305, 0.4580167776572273863424, 0.6178762444026437484467,
		0.7554044083550030338951, 0.8656312023878317438805, 0.9445750230732325760780, 0.9894009349916499325962,
	}
	weights = [8]float64{
		0.1894506104550684962854, 0.1826034150449235888668, 0.1691565193950025381893, 0.1495959888165767320815,
		0.1246289712555338720525, 0.0951585116824927848099, 0.0622535239386478928628, 0.0271524594117540948518,
	}
	return nodes, weights
}

// NormalCDF returns P(Z ≤ z) of the standard normal distribution.
func NormalCDF(z float64) float64 { return float64(0.5 * erfc(-z/math.Sqrt2)) }

// NormalQuantile returns the z with P(Z ≤ z) = p, from the approximation 26.2.23 of Abramowitz & Stegun (1964) by
// Halley's method.
func NormalQuantile(p float64) float64 {
	tail := min(p, 1-p)
	switch {
	case !(tail >= 0):
		return math.NaN()
	case tail == 0:
		return math.Inf(int(2*p) - 1)
	case tail == 0.5:
		return 0
	}
	t := math.Sqrt(float64(-2 * Log(tail)))
	z := t - polynomial(t, 2.515517, 0.802853, 0.010328)/polynomial(t, 1, 1.432788, 0.189269, 0.001308)
	for range 2 {
		density := Exp(float64(-0.5*z*z)) / math.Sqrt(2*math.Pi)
		u := (NormalCDF(-z) - tail) / density
		z += u / (1 - float64(0.5*u*z))
	}
	if p < 0.5 {
		return -z
	}
	return z
}

// erfc is the complementary error function. Source: FreeBSD's s_erf.c, as in package math.
func erfc(x float64) float64 {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return x
	case a < 0.84375:
		return 1 - erfNearZero(x)
	case x < -6:
		return 2
	case a >= 28:
		return 0
	case x < 0:
		return 2 - erfcTail(a)
	default:
		return erfcTail(a)
	}
}

func erfNearZero(x float64) float64 {
	z := float64(x * x)
	r := polynomial(z, 1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
		-2.37630166566501626084e-05)
	s := polynomial(z, 1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04,
		-3.96022827877536812320e-06)
	return x + float64(x*(r/s))
}

// erfcTail is erfc from 0.84375 to 28.
func erfcTail(x float64) float64 {
	if x < 1.25 {
		const erx = 8.45062911510467529297e-01
		s := x - 1
		p := polynomial(s, -2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
			-1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03)
		q := polynomial(s, 1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01,
			1.36370839120290507362e-02, 1.19844998467991074170e-02)
		return 1 - erx - p/q
	}
	s := 1 / float64(x*x)
	var ratio float64
	if x < 1/0.35 {
		ratio = polynomial(s, -9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01,
			-1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00) /
			polynomial(s, 1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02,
				4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02)
	} else {
		ratio = polynomial(s, -9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02,
			-6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02) /
			polynomial(s, 1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03,
				2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01)
	}
	z := math.Float64frombits(math.Float64bits(x) &^ (1<<32 - 1)) // the square of z is exact
	return float64(Exp(-float64(z*z)-0.5625)*Exp(float64((z-x)*(z+x))+ratio)) / x
}

// betaFront returns x^a·y^b/B(a, b), where y is 1-x, after Loader (2000).
func betaFront(a, b, x, y float64) float64 {
	p, q := a/(a+b), b/(a+b)
	d := x - p
	if y < x { // the smaller one has the more digits
		d = q - y
	}
	exponent := logRatio(a, x, p, d) + logRatio(b, y, q, -d) + stirling(a+b) - stirling(a) - stirling(b)
	return float64(math.Sqrt(float64(a*q)/(2*math.Pi)) * Exp(exponent))
}

// betaTails returns the regularized incomplete beta function I_x(a, b) and 1 - I_x(a, b), where y is 1-x. It is the
// continued fraction 26.5.8 of Abramowitz & Stegun (1964), by Lentz's method.
func betaTails(a, b, x, y float64) (lower, upper float64) {
	switch {
	case x <= 0:
		return 0, 1
	case y <= 0:
		return 1, 0
	case x > (a+1)/(a+b+2):
		upper, lower = betaTails(b, a, y, x)
		return lower, upper
	}
	c, d := 1.0, 1/(1-(a+b)*x/(a+1))
	fraction := d
	for m := 1.0; m < maxTerms; m++ {
		even := float64(m*(b-m)*x) / float64((a-1+2*m)*(a+2*m))
		d = 1 / (1 + float64(even*d))
		c = 1 + even/c
		fraction = float64(fraction * d * c)
		odd := -float64((a+m)*(a+b+m)*x) / float64((a+2*m)*(a+1+2*m))
		d = 1 / (1 + float64(odd*d))
		c = 1 + odd/c
		step := float64(d * c)
		fraction = float64(fraction * step)
		if math.Abs(step-1) <= precision {
			break
		}
	}
	lower = float64(betaFront(a, b, x, y) / a * fraction)
	return lower, 1 - lower
}

// BetaCDF returns P(X ≤ x) of the beta distribution, which is the regularized incomplete beta function I_x(a, b).
func BetaCDF(x, a, b float64) float64 {
	lower, _ := betaTails(a, b, x, 1-x)
	return lower
}

// BetaQuantile returns the x with P(X ≤ x) = p of the beta distribution, for p between 0 and 1.
func BetaQuantile(p, a, b float64) float64 {
	x := a / (a + b)
	before := math.Inf(1)
	for range 200 {
		lower, _ := betaTails(a, b, x, 1-x)
		s := float64(Log(p/lower) * (lower * (1 - x) / betaFront(a, b, x, 1-x)))
		if s == 0 || math.IsNaN(s) || math.Abs(s) >= before && before < 1e-12 {
			break
		}
		before = math.Abs(s)
		next := float64(x * Exp(max(-20, min(20, s))))
		if next >= 1 {
			next = float64((x + 1) / 2)
		}
		x = next
	}
	return x
}

// studentTail returns P(T > t) of Student's distribution with df degrees of freedom, for t above 0, and what
// [betaFront] is there.
func studentTail(t, df float64) (tail, front float64) {
	square := float64(t * t)
	x, y := df/(df+square), square/(df+square)
	lower, _ := betaTails(df/2, 0.5, x, y)
	return float64(lower / 2), betaFront(df/2, 0.5, x, y)
}

// StudentCDF returns P(T ≤ t) of Student's distribution with df degrees of freedom.
func StudentCDF(t, df float64) float64 {
	switch {
	case math.IsNaN(t):
		return t
	case t == 0:
		return 0.5
	case math.IsInf(t, 0):
		return max(0, math.Copysign(1, t))
	}
	tail, _ := studentTail(math.Abs(t), df)
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// StudentQuantile returns the t with P(T ≤ t) = p, for p between 0 and 1.
func StudentQuantile(p, df float64) float64 {
	tail := min(p, 1-p)
	if tail == 0.5 {
		return 0
	}
	t := solve(-NormalQuantile(tail), func(t float64) float64 {
		at, front := studentTail(t, df)
		return float64(Log(at/tail) * at / front)
	})
	if p < 0.5 {
		return -t
	}
	return t
}

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
