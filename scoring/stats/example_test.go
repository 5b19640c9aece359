package stats

import (
	"fmt"
)

func ExampleNewMean() {
	m, err := NewMean([]float64{0.72, 0.81, 0.65, 0.77}, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f [%.3f, %.3f] n=%d %s\n", m.Mean, m.Interval.Lo, m.Interval.Hi, m.N, m.Interval.Method)
	for _, w := range m.Warnings {
		fmt.Println(w, "-", w.Message())
	}
	// Output:
	// 0.738 [0.628, 0.847] n=4 t
	// small_n - n too small: fewer than 5 values
}

func ExampleWilson() {
	p, err := Wilson(5, 5, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d of %d: [%.2f, %.2f]\n", p.K, p.N, p.Interval.Lo, p.Interval.Hi)
	// Output: 5 of 5: [0.57, 1.00]
}

// A candidate against its baseline, joined by seed.
func ExampleSignFlip() {
	candidate := []float64{0.81, 0.78, 0.84, 0.79, 0.88, 0.80, 0.83}
	baseline := []float64{0.74, 0.75, 0.80, 0.80, 0.79, 0.77, 0.78}
	d, err := Differences(candidate, baseline)
	if err != nil {
		panic(err)
	}
	p, err := SignFlip(d, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("mean %+.3f, p = %.4f, at best %.4f, exact: %v\n", p.Statistic, p.P.TwoSided, p.MinP, p.Exact)
	// Output: mean +0.043, p = 0.0312, at best 0.0156, exact: true
}

// What a non-result could have seen, and how many seeds would see a dz of 0.5.
func ExampleDesign() {
	d := Design{Alpha: 0.05, Alternative: TwoSided}
	dz, err := d.DetectableDz(10, 0.8)
	if err != nil {
		panic(err)
	}
	n, err := d.seedsNeeded(0.5, 0.8)
	if err != nil {
		panic(err)
	}
	fmt.Printf("10 seeds detect dz %.2f; dz 0.5 takes %d seeds\n", dz, n)
	// Output: 10 seeds detect dz 1.00; dz 0.5 takes 34 seeds
}

func ExampleHolm() {
	a, err := Holm([]float64{0.04, 0.001, 0.03}, 0.05)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f %v\n", a.P, a.Reject)
	// Output: [0.060 0.003 0.060] [false true false]
}

func ExampleNewCombined() {
	c, err := NewCombined([]float64{0.9, 0.8, 0.85, 0.7, 0.95}, 4, 5, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f, box [%.2f, %.2f], %d of %d passed\n", c.Value, c.Interval.Lo, c.Interval.Hi, c.NPassed, c.NSeeds)
	// Output: 0.614, box [0.13, 0.92], 4 of 5 passed
}

// The evidence after each pair; one may stop at any of them.
func ExampleSymmetricEValue() {
	e, err := SymmetricEValue([]float64{0.04, 0.06, 0.05, 0.07, 0.03, 0.08, 0.05, 0.06})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f, anytime p %.3f\n", e.TwoSided, e.AnytimeP().TwoSided)
	// Output: [1.0 1.6 2.7 5.0 8.5 16.3 30.4 58.3], anytime p 0.017
}
