package effects

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track/scoring/stats"
)

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
