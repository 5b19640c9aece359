package effects

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

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

// Counted is a configuration with the number of its seeds, and of those that have no outcome.
type Counted struct {
	Values []Value // in the order of the parameters
	N      int
	NLost  int
}

// Losses says how many seeds have no outcome, and whether that depends on a parameter.
type Losses struct {
	N        int      `json:"n"`
	NLost    int      `json:"n_lost"`
	Test     string   `json:"test"`      // of each level
	Levels   []Loss   `json:"levels"`    // of the parameters that differ; empty if no seed is lost
	DependOn []string `json:"depend_on"` // parameters that have a level with p_holm ≤ 0.05
}

// Loss is the seeds of a level without an outcome.
type Loss struct {
	Parameter       string         `json:"parameter"`
	Level           string         `json:"level"`
	NConfigurations int            `json:"n_configurations"`
	N               int            `json:"n"`
	NLost           int            `json:"n_lost"`
	Interval        stats.Interval `json:"ci"` // Wilson's, of the rate
	Test            string         `json:"test"`
	P               float64        `json:"p"` // against the other levels
	PAdjusted       float64        `json:"p_holm"`
	Excess          bool           `json:"excess"` // p_holm ≤ 0.05, and a higher rate than the other levels
}

// lossAlpha is the level of the tests of losses.
const lossAlpha = 0.05

// FindLosses compares the share of lost seeds at each level with that at the other levels of the parameter. In a full
// factorial with as many seeds everywhere the other parameters are balanced, and the test is Fisher's exact test over
// seeds. In a grid with holes, or with other numbers of seeds, it is the Mantel–Haenszel test over the configurations
// that differ in the parameter alone. In another design seeds of one configuration share its other parameters, so
// configurations are compared: the Mann–Whitney test of their shares. Holm's correction is over all levels of all
// parameters.
func FindLosses(parameters []string, list []Counted, confidence float64) (l Losses, err error) {
	l = Losses{Levels: []Loss{}, DependOn: []string{}}
	d := data{parameters: parameters}
	for _, c := range list {
		l.N, l.NLost = l.N+c.N, l.NLost+c.NLost
		d.list = append(d.list, Configuration{Values: c.Values})
	}
	if l.NLost == 0 {
		return l, nil
	}
	balanced := d.isFactorial() && !slices.ContainsFunc(list, func(c Counted) bool { return c.N != list[0].N })
	var p []float64
	for k, name := range parameters {
		g := d.groups(k)
		if len(g.names) == 1 {
			continue
		}
		strata, n, isGrid := d.neighbours(k)
		for level, members := range g.members() {
			loss := Loss{Parameter: name, Level: g.names[level], NConfigurations: len(members)}
			for _, i := range members {
				loss.N, loss.NLost = loss.N+list[i].N, loss.NLost+list[i].NLost
			}
			rate, err := stats.Wilson(loss.NLost, loss.N, confidence)
			if err != nil {
				return l, err
			}
			loss.Interval = rate.Interval
			switch {
			case balanced:
				loss.Test, loss.P = "Fisher's exact test", stats.FisherExact(loss.NLost, loss.N, l.NLost, l.N)
			case isGrid:
				loss.Test, loss.P = "Mantel–Haenszel test", compareNeighbours(list, g.of, level, strata, n)
			default:
				loss.Test = "Mann–Whitney test of configurations"
				if loss.P, err = compareShares(list, g.of, level); err != nil {
					return l, err
				}
			}
			l.Levels, p = append(l.Levels, loss), append(p, loss.P)
		}
	}
	adjusted, err := stats.Holm(p, lossAlpha)
	for i := range l.Levels {
		loss := &l.Levels[i]
		loss.PAdjusted = adjusted.P[i]
		loss.Excess = adjusted.Reject[i] && loss.NLost*l.N > l.NLost*loss.N
		if adjusted.Reject[i] && !slices.Contains(l.DependOn, loss.Parameter) {
			l.DependOn = append(l.DependOn, loss.Parameter)
		}
	}
	return l, err
}

// compareNeighbours returns the p-value of the lost seeds of a level against those of the other levels in the same
// stratum.
func compareNeighbours(list []Counted, of []int, level int, strata []int, n int) float64 {
	tables := make([]stats.Table, n)
	for i, c := range list {
		t := &tables[strata[i]]
		t.All, t.Size = t.All+c.NLost, t.Size+c.N
		if of[i] == level {
			t.K, t.N = t.K+c.NLost, t.N+c.N
		}
	}
	return stats.MantelHaenszel(tables)
}

// compareShares returns the p-value of the shares of lost seeds in the configurations of a level against the others.
func compareShares(list []Counted, of []int, level int) (float64, error) {
	var here, rest []float64
	for i, c := range list {
		if share := float64(c.NLost) / float64(c.N); of[i] == level {
			here = append(here, share)
		} else {
			rest = append(rest, share)
		}
	}
	m, err := stats.NewMannWhitney(here, rest)
	return m.P.TwoSided, err
}

// Panel is the outcome against one parameter, where another has one value or a value of one range.
type Panel struct {
	Name   string  `json:"name"` // of the other parameter's value; empty for one panel of all configurations
	Points []Point `json:"points"`
	Levels []Level `json:"levels"` // without effects
}

// Point is a configuration.
type Point struct {
	Index int     `json:"index"`
	X     float64 `json:"x"` // the number, or the position of the level for text
	N     int     `json:"n"`
	Mean  float64 `json:"mean_of_seeds"`
}

// Against returns the mean outcome of each configuration against a parameter, with the mean and the interval of each
// level: in one panel, or one for each value of another parameter. The levels are those of [Analyse].
func Against(parameters []string, list []Configuration, parameter, by string, o Options) ([]Panel, error) {
	d, err := newData(parameters, list, o)
	if err != nil {
		return nil, err
	}
	x, err := d.find(parameter)
	if err != nil {
		return nil, err
	}
	g := d.groups(x)
	panels := groups{names: []string{""}, of: make([]int, len(list))}
	if by != "" {
		k, err := d.find(by)
		if err != nil {
			return nil, err
		}
		panels = d.groups(k)
	}
	var result []Panel
	for k, at := range panels.members() {
		p := Panel{Name: panels.names[k]}
		inside := make([][]int, len(g.names))
		for _, i := range at {
			v := list[i].Values[x]
			point := Point{Index: i, X: v.Number, N: len(list[i].Outcomes), Mean: d.means[i]}
			if math.IsNaN(g.lo[g.of[i]]) {
				point.X = float64(g.of[i])
			}
			p.Points = append(p.Points, point)
			inside[g.of[i]] = append(inside[g.of[i]], i)
		}
		if p.Levels, err = d.plotted(g, inside); err != nil {
			return nil, err
		}
		result = append(result, p)
	}
	return result, nil
}

// plotted returns the levels that have configurations in a panel. The interval of a single configuration is over its
// seeds.
func (d *data) plotted(g groups, inside [][]int) (levels []Level, err error) {
	for k, at := range inside {
		if len(at) == 0 {
			continue
		}
		l := Level{Name: g.names[k], Lo: g.lo[k], Hi: g.hi[k], NConfigurations: len(at)}
		if math.IsNaN(l.Lo) {
			l.Lo, l.Hi = float64(k), float64(k)
		}
		for _, i := range at {
			l.NSeeds += len(d.list[i].Outcomes)
		}
		var m stats.Mean
		if len(at) == 1 {
			m, err = d.overSeeds(outcomes(d.list[at[0]]))
		} else {
			m, err = d.overList(pick(d.means, at), 0, 1)
		}
		if err != nil {
			return nil, err
		}
		l.Mean, l.Interval = m.Mean, m.Interval
		l.EffectInterval = stats.Interval{Lo: math.NaN(), Hi: math.NaN()}
		levels = append(levels, l)
	}
	return levels, nil
}

// find returns the position of a parameter.
func (d *data) find(name string) (int, error) {
	k := slices.Index(d.parameters, name)
	if k < 0 {
		return 0, fmt.Errorf("there is no parameter %s; the parameters are %s", name, strings.Join(d.parameters, ", "))
	}
	return k, nil
}

// Heatmap is the mean outcome for each pair of levels of two parameters.
type Heatmap struct {
	X       string   `json:"x"`
	Y       string   `json:"y"`
	XLevels []string `json:"x_levels"`
	YLevels []string `json:"y_levels"`
	Cells   [][]Cell `json:"cells"` // by y, then x
}

// Cell is the configurations with one pair of levels.
type Cell struct {
	NConfigurations int     `json:"n_configurations"`
	NSeeds          int     `json:"n_seeds"`
	Mean            float64 `json:"mean_of_configurations"` // of the means of configurations; NaN if there are none
}

// NewHeatmap returns the mean outcome for each pair of levels of two parameters.
func NewHeatmap(parameters []string, list []Configuration, x, y string) (h Heatmap, err error) {
	d, err := newData(parameters, list, Options{})
	if err != nil {
		return h, err
	}
	kx, err := d.find(x)
	if err != nil {
		return h, err
	}
	ky, err := d.find(y)
	if err != nil {
		return h, err
	}
	gx, gy := d.groups(kx), d.groups(ky)
	h = Heatmap{X: x, Y: y, XLevels: gx.names, YLevels: gy.names}
	for row := range gy.names {
		cells := make([]Cell, len(gx.names))
		for column := range cells {
			var means []float64
			for i := range list {
				if gx.of[i] == column && gy.of[i] == row {
					means = append(means, d.means[i])
					cells[column].NSeeds += len(list[i].Outcomes)
				}
			}
			cells[column].NConfigurations, cells[column].Mean = len(means), math.NaN()
			if len(means) > 0 {
				cells[column].Mean = meanOf(means)
			}
		}
		h.Cells = append(h.Cells, cells)
	}
	return h, nil
}
