package effects

import (
	"cmp"
	"math"
	"slices"

	"track/scoring/stats"
)

// Analysis is what the parameters of configurations do to an outcome.
type Analysis struct {
	NConfigurations int      `json:"n_configurations"`
	NSeeds          int      `json:"n_seeds"`        // outcomes, of all configurations
	NCommonSeeds    int      `json:"n_common_seeds"` // numbers of seeds that all configurations share
	Paired          bool     `json:"paired"`         // effects rest on the common seeds alone
	Factorial       bool     `json:"factorial"`      // every combination of the values ran
	Confidence      float64  `json:"confidence"`
	NSimultaneous   int      `json:"n_simultaneous"` // intervals of effects, which together have this confidence
	Mean            float64  `json:"mean_of_configurations"`
	Ranking         []Ranked `json:"ranking"`
	Effects         []Effect `json:"effects"` // by total effect, the largest first; by range if these are not known
	Variance        Variance `json:"variance"`
	Constant        []string `json:"constant"`
}

// Ranked is a configuration with its mean outcome over its own seeds.
type Ranked struct {
	Index    int            `json:"index"` // of the configuration, as it was given
	N        int            `json:"n"`     // seeds
	Mean     float64        `json:"mean_of_seeds"`
	Interval stats.Interval `json:"ci"` // t; not defined for one seed
	ToBest   *Difference    `json:"to_best,omitempty"`
}

// Difference is a mean difference over the seeds that two configurations share.
type Difference struct {
	N        int            `json:"n"`
	Mean     float64        `json:"mean_delta"`
	Interval stats.Interval `json:"ci"`
}

// Effect is what one parameter does.
type Effect struct {
	Parameter string          `json:"parameter"`
	Binned    bool            `json:"binned"` // levels are ranges with about as many configurations each
	Levels    []Level         `json:"levels"`
	Range     float64         `json:"range"`    // the largest less the smallest mean of a level
	Share     float64         `json:"share"`    // first-order share of the variance between configurations; NaN if it cannot be known
	Total     float64         `json:"total"`    // share with all interactions; NaN if it cannot be known
	Spearman  *stats.Spearman `json:"spearman"` // of the parameter and the means of configurations; nil for text
	PAdjusted *float64        `json:"p_holm"`   // Holm's over the parameters
	BySeed    bool            `json:"by_seed"`  // intervals are over seeds; else over configurations
	NoTest    string          `json:"no_test"`  // why there is no rank correlation
	parameter int             // of the data
}

// Level is the configurations in which a parameter has one value, or a value of one range.
type Level struct {
	Name            string         `json:"name"`
	Lo              float64        `json:"lo"` // NaN for text
	Hi              float64        `json:"hi"`
	NConfigurations int            `json:"n_configurations"`
	NSeeds          int            `json:"n_seeds"` // outcomes that the mean rests on
	Mean            float64        `json:"mean_of_configurations"`
	Interval        stats.Interval `json:"ci"`
	Effect          float64        `json:"effect"`    // Mean less the mean of all configurations
	EffectInterval  stats.Interval `json:"effect_ci"` // simultaneous: all of them hold with the confidence of the analysis
}

// Analyse ranks configurations by their mean outcome, the largest first, and computes the main effect of each
// parameter: the mean of the configurations with each of its values. A number with more than 8 different values is
// put into up to 5 bins of about as many configurations.
//
// If all configurations share at least two seeds, effects rest on these alone. In a full factorial, where every other
// parameter is balanced, the interval of an effect is then the t interval over seeds of the difference, seed by
// seed, between the mean of the level and the mean of all: it says how far other seeds could move it. In any other
// design the other parameters vary too, and intervals are over configurations: the t interval of the mean of a level,
// and Welch's interval of the difference to the other levels, times their share, for the effect. These intervals
// assume independent configurations, as in a random design.
//
// The intervals of effects are simultaneous: each has the confidence 1-α/m (Bonferroni; Dunn 1961) for the m levels of
// all parameters, where two levels of one parameter count once, since their effects mirror each other. So with
// probability 1-α all of them hold.
//
// [Variance] has the shares of parameters and their interactions. The rank correlation is [stats.NewSpearman]; Holm's
// correction is over the parameters that have one.
func Analyse(parameters []string, list []Configuration, o Options) (a Analysis, err error) {
	d, err := newData(parameters, list, o)
	if err != nil {
		return a, err
	}
	a = Analysis{
		NConfigurations: len(list), NCommonSeeds: len(d.seeds), Paired: d.isPaired(), Confidence: o.Confidence, Mean: meanOf(d.base), Constant: []string{},
		Effects: []Effect{},
	}
	for _, c := range list {
		a.NSeeds += len(c.Outcomes)
	}
	if err := d.addEffects(&a); err != nil {
		return a, err
	}
	if a.Variance, err = d.decompose(a.Effects, a.Factorial); err != nil {
		return a, err
	}
	sortEffects(a.Effects)
	if err = d.correlate(a.Effects); err == nil {
		a.Ranking, err = d.ranking()
	}
	return a, err
}

// addEffects adds the levels of each parameter and their effects.
func (d *data) addEffects(a *Analysis) error {
	a.Factorial = d.isFactorial()
	for k, name := range d.parameters {
		switch n := len(d.groups(k).names); {
		case n == 1:
			a.Constant = append(a.Constant, name)
		case n == 2:
			a.NSimultaneous++
		default:
			a.NSimultaneous += n
		}
	}
	d.each = 1 - (1-d.Confidence)/float64(max(1, a.NSimultaneous))
	for k, name := range d.parameters {
		if slices.Contains(a.Constant, name) {
			continue
		}
		e, err := d.effect(k, a.Factorial)
		if err != nil {
			return err
		}
		a.Effects = append(a.Effects, e)
	}
	return nil
}

func sortEffects(list []Effect) {
	known := !slices.ContainsFunc(list, func(e Effect) bool { return math.IsNaN(e.Total) })
	slices.SortStableFunc(list, func(x, y Effect) int {
		if known && x.Total != y.Total {
			return cmp.Compare(y.Total, x.Total)
		}
		return cmp.Compare(y.Range, x.Range)
	})
}

// ranking returns the configurations by their means. Ties stay in the order in which they were given.
func (d *data) ranking() ([]Ranked, error) {
	list := make([]Ranked, len(d.list))
	for i, c := range d.list {
		m, err := d.overSeeds(outcomes(c))
		if err != nil {
			return nil, err
		}
		list[i] = Ranked{Index: i, N: m.N, Mean: m.Mean, Interval: m.Interval}
	}
	slices.SortStableFunc(list, func(x, y Ranked) int { return cmp.Compare(y.Mean, x.Mean) })
	best := d.list[list[0].Index]
	for i := range list[1:] {
		r := &list[i+1]
		if differences := differences(d.list[r.Index], best); len(differences) > 0 {
			m, err := d.overList(differences, -1, 1)
			if err != nil {
				return nil, err
			}
			r.ToBest = &Difference{m.N, m.Mean, m.Interval}
		}
	}
	return list, nil
}

// differences returns a - b for the seeds that both have.
func differences(a, b Configuration) (list []float64) {
	k := 0
	for _, o := range a.Outcomes {
		for k < len(b.Outcomes) && b.Outcomes[k].Seed < o.Seed {
			k++
		}
		if k < len(b.Outcomes) && b.Outcomes[k].Seed == o.Seed {
			list = append(list, o.Value-b.Outcomes[k].Value)
		}
	}
	return list
}

func (d *data) effect(parameter int, factorial bool) (e Effect, err error) {
	g := d.groups(parameter)
	e = Effect{Parameter: d.parameters[parameter], Binned: g.binned, BySeed: factorial && d.isPaired(), parameter: parameter}
	members := g.members()
	lo, hi := math.Inf(1), math.Inf(-1)
	for k, at := range members {
		l, err := d.level(at, e.BySeed)
		if err != nil {
			return e, err
		}
		l.Name, l.Lo, l.Hi = g.names[k], g.lo[k], g.hi[k]
		lo, hi = min(lo, l.Mean), max(hi, l.Mean)
		e.Levels = append(e.Levels, l)
	}
	e.Range = d.snap(hi - lo)
	return e, nil
}

// level returns the mean of some configurations, and how it differs from the mean of all.
func (d *data) level(at []int, bySeed bool) (l Level, err error) {
	l = Level{NConfigurations: len(at), Mean: meanOf(pick(d.base, at))}
	l.Effect = d.snap(l.Mean - meanOf(d.base))
	for _, i := range at {
		if d.isPaired() {
			l.NSeeds += len(d.seeds)
		} else {
			l.NSeeds += len(d.list[i].Outcomes)
		}
	}
	if bySeed {
		here, all := d.seedMeans(at), d.seedMeans(nil)
		m, err := d.overSeeds(here)
		if err != nil {
			return l, err
		}
		l.Interval = m.Interval
		for s := range here {
			here[s] = d.snap(here[s] - all[s])
		}
		l.EffectInterval, err = d.simultaneous(here)
		return l, err
	}
	return d.overConfigurations(l, at)
}

// overConfigurations adds the intervals whose sample is configurations.
func (d *data) overConfigurations(l Level, at []int) (Level, error) {
	m, err := d.overList(pick(d.base, at), 0, 1)
	if err != nil {
		return l, err
	}
	l.Interval = m.Interval
	l.EffectInterval = stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: d.Confidence, Method: MethodWelchSimultaneous}
	inside := make([]bool, len(d.list))
	for _, i := range at {
		inside[i] = true
	}
	var rest []float64
	for i, x := range d.base {
		if !inside[i] {
			rest = append(rest, x)
		}
	}
	if len(rest) == 0 {
		return l, nil
	}
	here, err := stats.Summarize(pick(d.base, at))
	if err != nil {
		return l, err
	}
	others, err := stats.Summarize(rest)
	if err != nil {
		return l, err
	}
	share := float64(len(rest)) / float64(len(d.list))
	welch := stats.WelchInterval(others, here, d.each)
	l.EffectInterval.Lo, l.EffectInterval.Hi = float64(share*welch.Lo), float64(share*welch.Hi)
	return l, nil
}

// seedMeans returns for each common seed the mean over some configurations; nil for all.
func (d *data) seedMeans(at []int) []float64 {
	if at == nil {
		for i := range d.list {
			at = append(at, i)
		}
	}
	means := make([]float64, len(d.seeds))
	column := make([]float64, len(at))
	for s := range means {
		for i, k := range at {
			column[i] = d.common[k][s]
		}
		means[s] = meanOf(column)
	}
	return means
}

// epsilonSquared returns ε² = (SSB - (L-1)·MSW)/SST of a one-way layout, at least 0.
func epsilonSquared(xs []float64, members [][]int) float64 {
	within, total, groups := 0.0, squaresOf(xs), 0
	for _, at := range members {
		if len(at) > 0 {
			groups++
			within += squaresOf(pick(xs, at))
		}
	}
	df := len(xs) - groups
	if total == 0 || df == 0 {
		return math.NaN()
	}
	between := total - within
	return max(0, (between-float64(float64(groups-1)*(within/float64(df))))/total)
}

func squaresOf(xs []float64) (sum float64) {
	m := meanOf(xs)
	for _, x := range xs {
		sum += float64((x - m) * (x - m))
	}
	return sum
}

const permutationSeed = 1

// spearman returns the rank correlation of a parameter and the means of configurations, or why there is none.
func (d *data) spearman(parameter int) (*stats.Spearman, string, error) {
	x := make([]float64, len(d.list))
	for i, c := range d.list {
		v := c.Values[parameter]
		if v.IsText {
			return nil, "text has no order", nil
		}
		x[i] = v.Number
	}
	if len(x) < 3 {
		return nil, "two configurations", nil
	}
	if !slices.ContainsFunc(d.base, func(y float64) bool { return y != d.base[0] }) {
		return nil, "all means are equal", nil
	}
	s, err := stats.NewSpearman(x, d.base, d.Confidence, permutationSeed)
	return &s, "", err
}

// correlate adds the rank correlations, with Holm's p-values.
func (d *data) correlate(list []Effect) (err error) {
	var p []float64
	for i := range list {
		e := &list[i]
		if e.Spearman, e.NoTest, err = d.spearman(e.parameter); err != nil {
			return err
		}
		if e.Spearman != nil {
			p = append(p, e.Spearman.P)
		}
	}
	adjusted, err := stats.Holm(p, 0.05)
	if err != nil {
		return err
	}
	k := 0
	for i := range list {
		if list[i].Spearman != nil {
			list[i].PAdjusted = &adjusted.P[k]
			k++
		}
	}
	return nil
}
