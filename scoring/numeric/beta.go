package numeric

import "math"

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
