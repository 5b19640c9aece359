package chart_test

import (
	"fmt"
	"math"
	"os"
	"strings"

	"track/reports/chart"
)

// The description is what a screen reader says.
func ExampleSVG() {
	var b strings.Builder
	err := chart.SVG(&b, chart.Line{
		Title: "Unemployment, seed 7", XLabel: "period", YLabel: "unemployment rate (share of workers)",
		Series: []chart.Named{{Name: "unemployment", Y: []float64{0.05, 0.07, math.NaN(), 0.06}}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	_, desc, _ := strings.Cut(b.String(), "<desc>")
	desc, _, _ = strings.Cut(desc, "</desc>")
	fmt.Println(desc)
	// Output:
	// Line chart. x: period. y: unemployment rate (share of workers). unemployment: n = 3 points, 0.05 to 0.07, at x 0 to 3; not drawn: 1 NaN.
}
