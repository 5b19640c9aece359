package effects

import (
	"slices"

	"track/scoring/stats"
)

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
