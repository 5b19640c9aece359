package numeric

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
