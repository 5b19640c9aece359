package numeric

import "math"

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
