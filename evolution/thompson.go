package evolution

import "track/scoring/numeric"

// Thompson sampling (Thompson 1933) as a distribution: an operator is drawn with the probability that its rate of
// success is the highest. The rates have Beta distributions on the midpoints of thompsonPoints equal parts of 0 to 1,
// so that sums replace integrals and anybody gets the same weights.
const (
	thompsonPoints = 100
	// thompsonFloor is shared equally by all operators, because what helps changes as a lineage evolves.
	thompsonFloor = 0.05
)

// prior returns the parameters of the Beta distribution of an operator that was never tried, worth two trials: the
// higher the risk, the lower its mean.
func (r Risk) prior() (alpha, beta float64) {
	switch r {
	case High:
		return 0.5, 1.5
	case Medium:
		return 0.8, 1.2
	}
	return 1, 1
}

// thompsonWeights returns the probability of each operator, in the order of the list. Alpha
// grows by the successes, see [success], beta by the rest of the decided mutations.
func thompsonWeights(list []Operator, h Histories) []float64 {
	logs := thompsonLogs()
	densities := make([][]float64, len(list))
	for i, o := range list {
		alpha, beta := o.Risk.prior()
		done := h[o.Name]
		densities[i] = betaOnGrid(logs, alpha+done.Success, beta+float64(done.Uses)-done.Success)
	}
	weights, sum := highestOf(densities), 0.0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		weights[i] = float64((1-thompsonFloor)*w/sum) + thompsonFloor/float64(len(list))
	}
	return weights
}

// thompsonLogs returns ln x and ln(1-x) at the midpoints.
func thompsonLogs() (logs [thompsonPoints][2]float64) {
	for k := range logs {
		x := (float64(k) + 0.5) / thompsonPoints
		logs[k] = [2]float64{numeric.Log(x), numeric.Log(1 - x)}
	}
	return logs
}

// betaOnGrid returns x^(alpha-1)·(1-x)^(beta-1) at the midpoints, with the sum 1.
func betaOnGrid(logs [thompsonPoints][2]float64, alpha, beta float64) []float64 {
	p, highest := make([]float64, thompsonPoints), 0.0
	for k, l := range logs {
		p[k] = float64((alpha-1)*l[0]) + float64((beta-1)*l[1])
		if k == 0 || p[k] > highest {
			highest = p[k]
		}
	}
	sum := 0.0
	for k := range p {
		p[k] = numeric.Exp(p[k] - highest)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// highestOf returns, for each distribution, the sum over the points of its probability there times those of each other
// to be lower; an equal one counts half.
func highestOf(densities [][]float64) []float64 {
	weights, below := make([]float64, len(densities)), make([]float64, len(densities))
	for k := range thompsonPoints {
		for i := range densities {
			product := densities[i][k]
			for j := range densities {
				if j != i {
					product *= below[j] + float64(densities[j][k]/2)
				}
			}
			weights[i] += product
		}
		for i := range densities {
			below[i] += densities[i][k]
		}
	}
	return weights
}
