package main

import (
	"math"
	"slices"
)

// Periods that do not count, at the beginning, and those that say how the economy ends.
const (
	burnIn = 100
	ending = 20
)

// metric is a value by its name. One that does not exist, such as the inflation of an economy without prices, is NaN,
// and is left out where values are written.
type metric struct {
	name  string
	value float64
}

// series is one number for each period, NaN where there is none.
type series struct {
	name   string
	values []float64
}

// course is what a run has seen.
type course struct {
	periods  []period
	capacity float64 // output with everybody at work
	wealth   []float64
}

// simulate runs the whole model. After an [*insolvency] there is no course.
func simulate(p parameters) (course, error) {
	e := newEconomy(p)
	c := course{capacity: float64(productivity * p.households)}
	for range p.periods {
		now, err := e.step()
		if err != nil {
			return course{}, err
		}
		c.periods = append(c.periods, now)
	}
	for _, h := range e.households {
		c.wealth = append(c.wealth, float64(h.money))
	}
	return c, nil
}

// column is one number of each period.
func (c course) column(of func(period) float64) []float64 {
	x := make([]float64, len(c.periods))
	for i, p := range c.periods {
		x[i] = of(p)
	}
	return x
}

func (c course) series() []series {
	money := func(of func(period) int64) []float64 {
		return c.column(func(p period) float64 { return float64(of(p)) / unit })
	}
	count := func(of func(period) int) []float64 {
		return c.column(func(p period) float64 { return float64(of(p)) })
	}
	price := c.column(func(p period) float64 { return p.price })
	return []series{
		{"output", c.column(func(p period) float64 { return float64(p.output) })},
		{"utilization", c.column(func(p period) float64 { return float64(p.output) / c.capacity })},
		{"price", price},
		{"inflation", changes(price)},
		{"wage", c.column(func(p period) float64 { return p.wage })},
		{"unemployment", c.column(func(p period) float64 { return p.unemployment })},
		{"firms", count(func(p period) int { return p.firms })},
		{"bankruptcies", count(func(p period) int { return p.bankruptcies })},
		{"entries", count(func(p period) int { return p.entries })},
		{"sales", money(func(p period) int64 { return p.sales })},
		{"credit", money(func(p period) int64 { return p.credit })},
		{"bank_equity", money(func(p period) int64 { return p.equity })},
		{"markup", c.column(func(p period) float64 { return p.markup })},
		{"price_dispersion", c.column(func(p period) float64 { return p.dispersion })},
		{"firm_size_gini", c.column(func(p period) float64 { return p.sizeGini })},
	}
}

// changes are relative to the period before; the first is to the price that all firms began around.
func changes(x []float64) []float64 {
	list, before := make([]float64, len(x)), startPrice/float64(unit)
	for i, v := range x {
		list[i], before = v/before-1, v
	}
	return list
}

func (c course) metrics() []metric {
	after := map[string][]float64{}
	for _, s := range c.series() {
		after[s.name] = s.values[burnIn:]
	}
	output, used := after["output"], after["utilization"]
	inflation, unemployment := known(after["inflation"]), after["unemployment"]
	firms := mean(after["firms"]) + mean(after["bankruptcies"]) - mean(after["entries"]) // that could go bankrupt
	return []metric{
		{"inflation_mean", mean(inflation)},
		{"inflation_std", deviation(inflation)},
		{"unemployment_mean", mean(unemployment)},
		{"unemployment_max", slices.Max(unemployment)},
		{"unemployment_pct_below_15", share(unemployment, func(u float64) bool { return u <= 0.15 })},
		{"output_growth", mean(output[len(output)/2:])/mean(output[:len(output)/2]) - 1},
		{"output_cv", deviation(output) / mean(output)},
		{"output_autocorrelation", autocorrelation(output)},
		{"bankruptcy_rate", mean(after["bankruptcies"]) / firms},
		{"firm_size_gini", mean(known(after["firm_size_gini"]))},
		{"wealth_gini", gini(c.wealth)},
		{"price_dispersion", mean(known(after["price_dispersion"]))},
		{"markup_mean", mean(known(after["markup"]))},
		{"credit_to_sales", mean(after["credit"]) / mean(after["sales"])},
		{"bank_equity_min", slices.Min(after["bank_equity"])},
		{"dead_share", share(used, func(u float64) bool { return u < 0.05 })},
		{"utilization_end", mean(used[len(used)-ending:])},
	}
}

func known(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

func share(x []float64, counts func(float64) bool) float64 {
	n := 0
	for _, v := range x {
		if counts(v) {
			n++
		}
	}
	return float64(n) / float64(len(x))
}

// mean of nothing is NaN.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// deviation is the population standard deviation.
func deviation(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum / float64(len(x)))
}

// autocorrelation is that of a period and the next; NaN where nothing changes.
func autocorrelation(x []float64) float64 {
	m, products, squares := mean(x), 0.0, 0.0
	for i, v := range x {
		squares += float64((v - m) * (v - m))
		if i > 0 {
			products += float64((x[i-1] - m) * (v - m))
		}
	}
	return products / squares
}

// gini of amounts that are not negative: 0 where all are equal, NaN where all are 0.
func gini(x []float64) float64 {
	sum, weighted := 0.0, 0.0
	for i, v := range slices.Sorted(slices.Values(x)) {
		sum += v
		weighted += float64(float64(2*i+1-len(x)) * v)
	}
	return weighted / (float64(len(x)) * sum)
}
