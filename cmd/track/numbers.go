package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"track/scoring"
)

// fixed writes x with so many decimals, or in scientific notation where they would say nothing.
func fixed(x float64, decimals int) string {
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

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// percent writes a share as a percentage.
func percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

// valueCell shows a value of a metric as its format says.
func valueCell(x float64, format scoring.Format) shown {
	finite := !math.IsNaN(x) && !math.IsInf(x, 0)
	switch {
	case format == scoring.FormatPercent && finite:
		return shown{percent(x), x}
	case format == scoring.FormatTrend:
		return shown{fixed(x, 6), x}
	case format == scoring.FormatInteger && finite:
		if x == math.Trunc(x) {
			return shown{strconv.FormatFloat(x, 'f', 0, 64), x}
		}
		return shown{fixed(x, 2), x}
	}
	return shown{fixed(x, 4), x}
}

// sparkline draws xs as blocks from the smallest to the largest; a gap for what is not finite.
func sparkline(xs []float64) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range xs {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	var b strings.Builder
	for _, x := range xs {
		switch {
		case math.IsInf(x, 0) || math.IsNaN(x):
			b.WriteRune(' ')
		case hi == lo:
			b.WriteRune(blocks[len(blocks)/2])
		default:
			b.WriteRune(blocks[int(math.Round((x-lo)/(hi-lo)*float64(len(blocks)-1)))])
		}
	}
	return b.String()
}

// plus writes a difference with its sign.
func plus(x float64) string {
	if x >= 0 {
		return "+" + fixed(x, 4)
	}
	return fixed(x, 4)
}

// pText writes a p-value.
func pText(p float64) string {
	switch {
	case math.IsNaN(p):
		return "-"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}
