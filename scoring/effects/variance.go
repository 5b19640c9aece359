package effects

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"track/scoring/stats"
)

// Variance says where the variance between configurations comes from. Shares are of the variance of their true means:
// the variance that the seeds add to a mean is subtracted.
type Variance struct {
	Noise        float64       `json:"noise"`       // of seeds, as a share of the variance of single outcomes; NaN with one seed each
	P            *float64      `json:"p"`           // that all configurations have one mean (F); nil with one seed each
	FirstOrder   float64       `json:"first_order"` // sum of the shares of single parameters; NaN if there are none
	Unexplained  float64       `json:"unexplained"` // what single parameters do not explain
	NoShares     string        `json:"no_shares"`   // why there are none
	Interactions []Interaction `json:"interactions"`
}

// Interaction is what two parameters do together beyond what each does alone.
type Interaction struct {
	A         string   `json:"a"`
	B         string   `json:"b"`
	Share     float64  `json:"share"` // NaN if there are too few configurations
	P         *float64 `json:"p"`     // F test; nil if there are too few configurations
	PAdjusted *float64 `json:"p_holm"`
	a, b      int      // parameters of the data
}

const (
	notDistinct    = 0.05  // a larger p: the configurations show no variance to divide
	rounding       = 1e-14 // a smaller difference of outcomes, relative to the largest, is an error of rounding
	roundingFit    = 1e-12 // the same for sums of squares of a fit, relative to the sum of all
	roundingShare  = 1e-9  // a smaller share is an error of rounding
	leastFreedom   = 3     // degrees of freedom of the residuals that a test needs
	mostColumns    = 400   // of a fit; 20 parameters of 8 levels have 190
	fitBins        = 3     // of a number with many values, in a fit
	leastNeighbour = 0.5   // part of the grid without which the total effect does not come from neighbours
)

// decomposition computes shares of variance.
type decomposition struct {
	*data
	factorial bool
	total     float64 // sum of squares of the configurations' true means
	noise     float64 // variance that seeds add to the mean of a configuration
	freedom   float64 // of noise; 0 if it is not known
}

// decompose adds Share and Total to effects, and returns the rest.
//
// Share is the first-order index of Sobol' (1993): the part of the variance that the means of the parameter's values
// have. In a full factorial it comes from the sums of squares of the analysis of variance, each less its degrees of
// freedom times the variance of the seeds' noise. In another design it is ε² of a one-way layout (Kelley 1935), with
// the levels of [Effect], whose error holds the other parameters too.
//
// Total is the total effect (Homma and Saltelli 1996; Saltelli et al. 2010): the part of the variance that is left
// where all other parameters are fixed. It is computed from configurations that differ in this parameter alone (Jansen
// 1999) if the design has at least half of those that a full factorial has. In another design it is the first-order
// share and those of the interactions with one other parameter.
//
// The share and the F test of an interaction are those of the two-way analysis of variance. Except in a replicated
// factorial they come from least squares: what the cells of two parameters explain beyond all single parameters,
// against the residuals.
func (d *data) decompose(list []Effect, factorial bool) (v Variance, err error) {
	c := decomposition{data: d, factorial: factorial}
	v = Variance{FirstOrder: math.NaN(), Unexplained: math.NaN(), Interactions: []Interaction{}}
	v.Noise = c.addNoise()
	for i := range list {
		list[i].Share, list[i].Total = math.NaN(), math.NaN()
	}
	sum, n := squaresOf(d.base), float64(len(d.base))
	if sum <= float64(n*d.tiny*d.tiny) {
		v.NoShares = "all means are equal"
		return v, nil
	}
	if c.freedom > 0 {
		p := stats.FTest(sum/(n-1)/c.noise, n-1, c.freedom)
		if v.P = &p; p > notDistinct {
			v.NoShares = "the means of configurations differ no more than seeds explain"
			return v, nil
		}
	}
	c.total = sum - float64((n-1)*c.noise)
	v.Interactions = c.interactions(list)
	v.FirstOrder = 0
	for i := range list {
		list[i].Share = c.first(list[i].parameter)
		v.FirstOrder += list[i].Share
	}
	v.FirstOrder = clamp(v.FirstOrder)
	v.Unexplained = clamp(1 - v.FirstOrder)
	for i := range list {
		list[i].Total = c.totalEffect(list[i], v.Interactions)
	}
	slices.SortStableFunc(v.Interactions, func(x, y Interaction) int { return cmp.Compare(y.Share, x.Share) })
	return v, adjustInteractions(v.Interactions)
}

// clamp returns a share from 0 to 1, without what rounding adds to either.
func clamp(share float64) float64 {
	switch {
	case share < roundingShare:
		return 0
	case share > 1-roundingShare:
		return 1
	}
	return share
}

// addNoise computes the noise of a configuration's mean and returns its share of the variance of single outcomes. If
// seeds are common, what they do to all configurations alike is no noise: the residuals of configuration and seed
// count.
func (c *decomposition) addNoise() (share float64) {
	n := float64(len(c.list))
	within, freedom, inverse := 0.0, 0.0, 0.0
	for _, configuration := range c.list {
		within += squaresOf(outcomes(configuration))
		freedom += float64(len(configuration.Outcomes) - 1)
		inverse += 1 / float64(len(configuration.Outcomes))
	}
	if freedom == 0 {
		return math.NaN()
	}
	single := within / freedom
	c.noise, c.freedom = float64(single*inverse/n), freedom
	if c.isPaired() {
		seeds := float64(len(c.seeds))
		c.freedom = float64((n - 1) * (seeds - 1))
		c.noise = c.residualSquares() / c.freedom / seeds
	}
	if c.noise <= float64(c.tiny*c.tiny) {
		c.noise = 0
	}
	between := squaresOf(c.base)/(n-1) - c.noise
	return single / (single + max(0, between))
}

// residualSquares is the sum of squares that configurations and common seeds leave.
func (d *data) residualSquares() (sum float64) {
	all := d.seedMeans(nil)
	mean := meanOf(all)
	for i := range d.list {
		for s, x := range d.common[i] {
			r := x - d.base[i] - (all[s] - mean)
			sum += float64(r * r)
		}
	}
	return sum
}

// classes numbers the configurations by the values of some parameters.
func (d *data) classes(parameters ...int) (of []int, n int) {
	of = make([]int, len(d.list))
	n = 1
	for _, k := range parameters {
		seen := map[string]int{}
		for i, c := range d.list {
			key := fmt.Sprintf("%d %s", of[i], c.Values[k].Text)
			if _, known := seen[key]; !known {
				seen[key] = len(seen)
			}
			of[i] = seen[key]
		}
		n = len(seen)
	}
	return of, n
}

// between returns the sum of squares between classes of configurations.
func (d *data) between(of []int, n int) float64 {
	sums, counts := make([]float64, n), make([]float64, n)
	mean := meanOf(d.base)
	for i, k := range of {
		sums[k] += d.base[i] - mean
		counts[k]++
	}
	sum := 0.0
	for k, s := range sums {
		sum += float64(s*s) / counts[k]
	}
	return sum
}

// first returns the first-order share of a parameter.
func (c *decomposition) first(parameter int) float64 {
	if !c.factorial || c.freedom == 0 {
		return clamp(float64(epsilonSquared(c.base, c.groups(parameter).members()) * squaresOf(c.base) / c.total))
	}
	of, n := c.classes(parameter)
	return clamp((c.between(of, n) - float64(float64(n-1)*c.noise)) / c.total)
}

// totalEffect returns the total effect of a parameter.
func (c *decomposition) totalEffect(e Effect, interactions []Interaction) float64 {
	of, n, areMany := c.neighbours(e.parameter)
	if areMany {
		_, values := c.classes(e.parameter)
		levels, all := float64(values), float64(len(c.list))
		freedom := all - float64(n)
		within := max(0, squaresOf(c.base)-c.between(of, n)-float64(freedom*c.noise))
		return max(e.Share, clamp(float64(within/freedom*(1-1/levels)*all)/c.total))
	}
	total := e.Share
	for _, i := range interactions {
		if i.a == e.parameter || i.b == e.parameter {
			total += i.Share
		}
	}
	return clamp(total)
}

// neighbours numbers the configurations so that those that differ in a parameter alone have one number. areMany reports
// whether the design has at least half of those that a full factorial has.
func (d *data) neighbours(parameter int) (of []int, n int, areMany bool) {
	var others []int
	for k := range d.parameters {
		if k != parameter {
			others = append(others, k)
		}
	}
	_, values := d.classes(parameter)
	of, n = d.classes(others...)
	all := float64(len(d.list))
	return of, n, all-float64(n) >= leastNeighbour*all*(1-1/float64(values))
}

// interactions returns what pairs of parameters do together.
func (c *decomposition) interactions(list []Effect) []Interaction {
	pairs := []Interaction{}
	for i, x := range list {
		for _, y := range list[i+1:] {
			pairs = append(pairs, c.interaction(x.parameter, y.parameter))
		}
	}
	return pairs
}

func (c *decomposition) interaction(a, b int) Interaction {
	pair := Interaction{A: c.parameters[a], B: c.parameters[b], Share: math.NaN(), a: a, b: b}
	var gain, freedom, noise, freedomOfNoise float64
	if c.factorial && c.freedom > 0 {
		ofA, nA := c.classes(a)
		ofB, nB := c.classes(b)
		of, n := c.classes(a, b)
		gain, freedom = c.between(of, n)-c.between(ofA, nA)-c.between(ofB, nB), float64((nA-1)*(nB-1))
		noise, freedomOfNoise = c.noise, c.freedom
	} else {
		f := c.fit(a, b)
		if f.gained == 0 || f.left < leastFreedom {
			return pair
		}
		gain, freedom = f.gain, float64(f.gained)
		noise, freedomOfNoise = f.rest/float64(f.left), float64(f.left)
	}
	p := 1.0
	if gain > float64(roundingFit*squaresOf(c.base)) {
		p = stats.FTest(gain/freedom/noise, freedom, freedomOfNoise)
	} else {
		gain = 0
	}
	pair.P, pair.Share = &p, clamp((gain-float64(freedom*noise))/c.total)
	return pair
}

func adjustInteractions(list []Interaction) error {
	var p []float64
	for _, i := range list {
		if i.P != nil {
			p = append(p, *i.P)
		}
	}
	adjusted, err := stats.Holm(p, 0.05)
	if err != nil {
		return err
	}
	k := 0
	for i := range list {
		if list[i].P != nil {
			list[i].PAdjusted = &adjusted.P[k]
			k++
		}
	}
	return nil
}

// fitted is a fit by least squares of all parameters, and then of the cells of two.
type fitted struct {
	gain   float64 // sum of squares that the cells explain beyond the parameters
	gained int     // its degrees of freedom
	rest   float64 // sum of squares of the residuals
	left   int     // its degrees of freedom
}

// fit explains the means of configurations by the levels of each parameter, and then by the cells of two of them.
func (d *data) fit(a, b int) (f fitted) {
	columns := 1
	rows := make([][]int, len(d.list)) // the columns that are 1
	for i := range rows {
		rows[i] = []int{0}
	}
	var ofA, ofB []int
	for k := range d.parameters {
		of, n := d.coarse(k)
		for i, level := range of {
			if level > 0 {
				rows[i] = append(rows[i], columns+level-1)
			}
		}
		columns += n - 1
		if k == a {
			ofA = of
		} else if k == b {
			ofB = of
		}
	}
	single, cells := columns, map[[2]int]int{}
	for i := range rows {
		cell := [2]int{ofA[i], ofB[i]}
		if cell[0] == 0 || cell[1] == 0 {
			continue
		}
		if _, known := cells[cell]; !known {
			cells[cell] = columns
			columns++
		}
		rows[i] = append(rows[i], cells[cell])
	}
	if columns > mostColumns {
		return f
	}
	f.left = len(rows)
	solve(d.normalEquations(rows, columns), func(k int, gain float64) {
		f.left--
		if k >= single {
			f.gain += gain
			f.gained++
		}
	}, &f.rest)
	if f.rest <= float64(roundingFit*squaresOf(d.base)) {
		f.rest = 0
	}
	return f
}

// coarse returns the levels of a parameter for a fit.
func (d *data) coarse(parameter int) (of []int, n int) {
	g := d.groups(parameter)
	if g.binned {
		g = d.bins(parameter, d.distinct(parameter), fitBins)
	}
	return g.of, len(g.names)
}

// normalEquations returns the products of columns; the last row and column are those of the means of configurations.
func (d *data) normalEquations(rows [][]int, columns int) [][]float64 {
	m := make([][]float64, columns+1)
	for i := range m {
		m[i] = make([]float64, columns+1)
	}
	mean := meanOf(d.base)
	for i, row := range rows {
		y := d.base[i] - mean
		for _, k := range row {
			for _, l := range row {
				m[k][l]++
			}
			m[k][columns] += y
			m[columns][k] += y
		}
		m[columns][columns] += float64(y * y)
	}
	return m
}

// solve eliminates the columns one by one. It calls each with what a column explains beyond those before it, but for
// columns that depend on these.
func solve(m [][]float64, each func(column int, gain float64), rest *float64) {
	const dependent = 1e-9 // of a column's own square
	last := len(m) - 1
	own := make([]float64, last)
	for k := range own {
		own[k] = m[k][k]
	}
	for k := range last {
		pivot := m[k][k]
		if pivot <= float64(dependent*own[k]) {
			continue
		}
		each(k, float64(m[k][last]*m[k][last])/pivot)
		for i := k + 1; i <= last; i++ {
			factor := m[i][k] / pivot
			for j := i; j <= last && factor != 0; j++ {
				m[i][j] -= float64(factor * m[k][j])
				m[j][i] = m[i][j]
			}
		}
	}
	*rest = m[last][last]
}
