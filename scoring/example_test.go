package scoring

import (
	"fmt"
)

func ExampleAssess() {
	spec := Spec{Scenario: "growth", Metrics: []Metric{
		{
			Name: "unemployment", Weight: 1.5, Format: FormatPercent,
			Target: MeanTolerance{Target: 0.065, Tolerance: 0.02},
		},
		{
			Name: "inflation", Weight: 1, Format: FormatPercent,
			Target: Range{Min: 0.01, Max: 0.05},
		},
		{
			Name: "bankruptcies", Weight: 0.5, Format: FormatInteger,
			Target: Boolean{Threshold: 10, Invert: true},
		},
	}}
	for _, problem := range spec.Problems() {
		fmt.Println(problem)
	}

	a := Assess(spec, map[string]float64{
		"unemployment": 0.08, // three quarters of the tolerance off
		"inflation":    0.06, // above the range by a quarter of its width
		"bankruptcies": 3,
	})
	for i, r := range a.Results {
		fmt.Printf("%-12s  %-12s  %5v  %s  %.3f\n", r.Name, spec.Metrics[i].Description(), r.Value, r.Status, r.Score)
	}
	fmt.Printf("total score %.4f, passed: %v\n", a.TotalScore, a.Passed())

	// Output:
	// unemployment  6.5% ± 2%      0.08  PASS  0.625
	// inflation     [1%, 5%]       0.06  WARN  0.500
	// bankruptcies  < 10              3  PASS  1.000
	// total score 0.6458, passed: true
}

func ExampleAggregate() {
	spec := Spec{Scenario: "growth", Metrics: []Metric{
		{
			Name: "inflation", Weight: 1, Format: FormatPercent,
			Target: Range{Min: 0, Max: 0.04},
		},
	}}
	var seeds []Assessment
	for _, inflation := range []float64{0.02, 0.03, 0.04} { // the centre, halfway to an edge, and on it
		seeds = append(seeds, Assess(spec, map[string]float64{"inflation": inflation}))
	}
	seeds = append(seeds, Assessment{}) // the fourth seed crashed and measured nothing

	s := Aggregate(spec, seeds)
	fmt.Printf("scored %d of %d seeds: mean %.3f, population std %.3f\n", s.NScored, s.NSeeds, *s.MeanScore, *s.StdScore)
	fmt.Printf("pass rate %.2f, stable: %v\n", *s.PassRate, s.Stable)
	for _, m := range s.Metrics {
		fmt.Printf("%s: pass rate %.2f, %s\n", m.Name, *m.PassRate, m.Flag)
	}

	// Output:
	// scored 3 of 4 seeds: mean 0.875, population std 0.102
	// pass rate 0.75, stable: false
	// inflation: pass rate 0.75, unstable
}
