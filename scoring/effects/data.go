package effects

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"track/scoring/stats"
)

// Value is the value of a parameter.
type Value struct {
	Text   string
	Number float64
	IsText bool // Number has no meaning
}

// Outcome is what a seed measured.
type Outcome struct {
	Seed  uint64
	Value float64 // finite
}

// Configuration is the values of the parameters, and the outcomes of its seeds by their numbers.
type Configuration struct {
	Values   []Value   // in the order of the parameters
	Outcomes []Outcome // by seed, each once; at least one
}

// ErrOneConfiguration means that there is nothing to compare.
var ErrOneConfiguration = errors.New("one configuration has no effects of parameters: at least two are needed")

// data is configurations with what several statistics need.
type data struct {
	parameters []string
	list       []Configuration
	means      []float64   // of each configuration, over its own seeds
	seeds      []uint64    // common to all configurations, by number
	common     [][]float64 // for each configuration the outcomes of these seeds
	base       []float64   // of each configuration: the mean over the common seeds if there are two, else over its own
	each       float64     // confidence of each simultaneous interval
	tiny       float64     // a smaller difference is an error of rounding
	Options
}

// Options say how intervals are made.
type Options struct {
	Confidence float64
	// Scores means that outcomes are scores in [0, 1]: no interval of a mean leaves that range.
	Scores bool
}

func newData(parameters []string, list []Configuration, o Options) (*data, error) {
	if len(list) < 2 {
		return nil, ErrOneConfiguration
	}
	d := &data{parameters: parameters, list: list, Options: o}
	times := map[uint64]int{}
	for i, c := range list {
		if len(c.Values) != len(parameters) {
			return nil, fmt.Errorf("configuration %d has %d values, and there are %d parameters", i, len(c.Values), len(parameters))
		}
		if len(c.Outcomes) == 0 {
			return nil, fmt.Errorf("configuration %d has no outcomes", i)
		}
		for _, o := range c.Outcomes {
			times[o.Seed]++
			d.tiny = max(d.tiny, float64(rounding*math.Abs(o.Value)))
		}
		d.means = append(d.means, meanOf(outcomes(c)))
	}
	for seed, n := range times {
		if n == len(list) {
			d.seeds = append(d.seeds, seed)
		}
	}
	slices.Sort(d.seeds)
	d.addCommon()
	return d, nil
}

// addCommon picks the outcomes of the common seeds.
func (d *data) addCommon() {
	d.base = d.means
	if len(d.seeds) < 2 {
		return
	}
	d.base = make([]float64, len(d.list))
	d.common = make([][]float64, len(d.list))
	for i, c := range d.list {
		d.common[i] = make([]float64, 0, len(d.seeds))
		k := 0
		for _, o := range c.Outcomes {
			if k < len(d.seeds) && o.Seed == d.seeds[k] {
				d.common[i] = append(d.common[i], o.Value)
				k++
			}
		}
		d.base[i] = meanOf(d.common[i])
	}
}

func (d *data) isPaired() bool { return d.common != nil }

func outcomes(c Configuration) []float64 {
	values := make([]float64, len(c.Outcomes))
	for i, o := range c.Outcomes {
		values[i] = o.Value
	}
	return values
}

func meanOf(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x - xs[0]
	}
	return xs[0] + sum/float64(len(xs))
}

// distinct returns the different values of a parameter: numbers by size, before text by name.
func (d *data) distinct(parameter int) (list []Value) {
	seen := map[string]bool{}
	for _, c := range d.list {
		if v := c.Values[parameter]; !seen[v.Text] {
			seen[v.Text] = true
			list = append(list, v)
		}
	}
	slices.SortFunc(list, compareValues)
	return list
}

func compareValues(a, b Value) int {
	switch {
	case a.IsText && b.IsText:
		return cmp.Compare(a.Text, b.Text)
	case a.IsText:
		return 1
	case b.IsText:
		return -1
	}
	return cmp.Compare(a.Number, b.Number)
}

// isFactorial reports whether each combination of the parameters' values has exactly one configuration.
func (d *data) isFactorial() bool {
	product, all := 1.0, make([]int, len(d.parameters))
	for k := range d.parameters {
		all[k] = k
		product *= float64(len(d.distinct(k)))
	}
	_, n := d.classes(all...)
	return n == len(d.list) && product == float64(n)
}

// snap returns 0 for a difference that is an error of rounding.
func (d *data) snap(x float64) float64 {
	if math.Abs(x) <= d.tiny {
		return 0
	}
	return x
}

// isNumeric reports whether all values of a parameter are numbers.
func isNumeric(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool { return v.IsText })
}

// groups puts each configuration into a group by the value of a parameter.
type groups struct {
	names  []string
	lo, hi []float64 // of the values in a group; NaN for text
	binned bool
	of     []int // the group of each configuration
}

// maxLevels is the largest number of different numbers that stand for themselves. More are put into bins.
const maxLevels = 8

// maxBins is the largest number of bins; a bin has at least leastInBin configurations where there are so many.
const (
	maxBins    = 5
	leastInBin = 4
)

func (d *data) groups(parameter int) groups {
	values := d.distinct(parameter)
	if isNumeric(values) && len(values) > maxLevels {
		return d.bins(parameter, values, maxBins)
	}
	g := groups{of: make([]int, len(d.list))}
	at := map[string]int{}
	for i, v := range values {
		at[v.Text] = i
		x := v.Number
		if v.IsText {
			x = math.NaN()
		}
		g.names, g.lo, g.hi = append(g.names, v.Text), append(g.lo, x), append(g.hi, x)
	}
	for i, c := range d.list {
		g.of[i] = at[c.Values[parameter].Text]
	}
	return g
}

// bins divides the configurations into parts of about equal size by a number. Equal numbers stay together.
func (d *data) bins(parameter int, values []Value, most int) groups {
	n := max(2, min(most, len(d.list)/leastInBin))
	g := groups{of: make([]int, len(d.list)), binned: true}
	below := map[string]int{} // configurations with a smaller number
	sorted := make([]Value, len(d.list))
	for i, c := range d.list {
		sorted[i] = c.Values[parameter]
	}
	slices.SortStableFunc(sorted, compareValues)
	for i, v := range sorted {
		if _, known := below[v.Text]; !known {
			below[v.Text] = i
		}
	}
	at, last := map[string]int{}, -1
	for _, v := range values {
		if part := below[v.Text] * n / len(d.list); part != last {
			last = part
			g.names, g.lo, g.hi = append(g.names, ""), append(g.lo, v.Number), append(g.hi, v.Number)
		}
		k := len(g.names) - 1
		at[v.Text], g.hi[k] = k, v.Number
		g.names[k] = fmt.Sprintf("%v to %v", g.lo[k], g.hi[k])
	}
	for i, c := range d.list {
		g.of[i] = at[c.Values[parameter].Text]
	}
	return g
}

// members returns the configurations of each group.
func (g groups) members() [][]int {
	list := make([][]int, len(g.names))
	for i, k := range g.of {
		list[k] = append(list[k], i)
	}
	return list
}

func pick(xs []float64, at []int) []float64 {
	list := make([]float64, len(at))
	for i, k := range at {
		list[i] = xs[k]
	}
	return list
}

// overSeeds returns a mean over seeds with its interval.
func (d *data) overSeeds(xs []float64) (stats.Mean, error) {
	m, err := stats.NewMean(xs, d.Confidence)
	if err != nil || !d.Scores {
		return m, err
	}
	s, err := stats.Summarize(xs)
	m.Interval = s.ScoreInterval(d.Confidence)
	return m, err
}

// overList returns a mean over configurations, or of differences, with its t interval. That of scores stays between
// least and most.
func (d *data) overList(xs []float64, least, most float64) (stats.Mean, error) {
	m, err := stats.NewMean(xs, d.Confidence)
	if i := &m.Interval; d.Scores && i.Defined() {
		i.Lo, i.Hi = max(least, i.Lo), min(most, i.Hi)
	}
	return m, err
}

// Methods of the simultaneous intervals of effects.
const (
	MethodTSimultaneous     = "t-bonferroni"
	MethodWelchSimultaneous = "welch-t-bonferroni"
)

// simultaneous returns the t interval of a mean of differences between outcomes as one of the simultaneous ones.
func (d *data) simultaneous(differences []float64) (stats.Interval, error) {
	m, err := stats.NewMean(differences, d.each)
	i := m.Interval
	if i.Confidence, i.Method = d.Confidence, MethodTSimultaneous; d.Scores && i.Defined() {
		i.Lo, i.Hi = max(-1, i.Lo), min(1, i.Hi)
	}
	return i, err
}
