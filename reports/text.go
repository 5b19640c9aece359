package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"track/scoring"
	"track/scoring/stats"
)

// Fixed writes x with so many decimals, or in scientific notation where they would say nothing.
func Fixed(x float64, decimals int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.Replace(fmt.Sprint(x), "Inf", "Infinity", 1)
	case x != 0 && (math.Abs(x) < math.Pow10(-decimals) || math.Abs(x) >= 1e9):
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// four writes x with four decimals.
func four(x float64) string { return Fixed(x, 4) }

// Signed writes a difference with its sign.
func Signed(x float64) string {
	if x >= 0 {
		return "+" + Fixed(x, 4)
	}
	return Fixed(x, 4)
}

// PValue writes a p-value; "-" where there is none.
func PValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return "-"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// Percent writes a share as a percentage with one decimal; "-" where there is none.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

// Value shows a value of a metric as its format says.
func Value(x float64, format scoring.Format) string {
	finite := !math.IsNaN(x) && !math.IsInf(x, 0)
	switch {
	case format == scoring.FormatPercent && finite:
		return Percent(x)
	case format == scoring.FormatTrend:
		return Fixed(x, 6)
	case format == scoring.FormatInteger && finite && x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case format == scoring.FormatInteger && finite:
		return Fixed(x, 2)
	}
	return Fixed(x, 4)
}

// Counted writes a number of things.
func Counted(n int, thing string) string { return strconv.Itoa(n) + " " + plural(n, thing) }

// Confidence writes 0.95 as 95%.
func Confidence(c float64) string { return strconv.FormatFloat(100*c, 'g', 6, 64) + "%" }

// Interval writes an interval by its ends; empty where there is none.
func Interval(i stats.Interval, text func(float64) string) string {
	if !i.Defined() {
		return ""
	}
	return text(i.Lo) + " to " + text(i.Hi)
}

// orDash stands a dash in the place of nothing.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// cut keeps a text from making a table wider than any screen.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
