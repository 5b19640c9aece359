// Package format writes numbers as people read them: the same in tables, reports and sentences.
package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track/scoring"
	"track/scoring/stats"
)

// Fixed returns x with that many decimals, or in scientific notation if they would show nothing.
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

// Four returns x with four decimals, as scores are shown.
func Four(x float64) string { return Fixed(x, 4) }

// Signed returns a difference with its sign and four decimals.
func Signed(x float64) string { return WithSign(Four)(x) }

// WithSign returns a function that writes differences as number does, each with its sign.
func WithSign(number func(float64) string) func(float64) string {
	return func(x float64) string {
		if x >= 0 {
			return "+" + number(math.Abs(x))
		}
		return number(x)
	}
}

// PValue returns a p-value with four decimals; "-" if x is NaN.
func PValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return "-"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// Percent returns x as a percentage with one decimal; "-" if x is NaN.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

// Share returns a share of seeds as a percentage with one decimal; "-" if x is NaN. Less than all is never written as
// 100.0%, nor more than none as 0.0%.
func Share(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x < 1 && x >= 0.9995:
		return "99.9%"
	case x > 0 && x < 0.0005:
		return "0.1%"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

// Short returns a number with four decimals, or in scientific notation if they would show nothing; "-" if x is NaN.
func Short(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x != 0 && math.Abs(x) < 1e-4 || math.Abs(x) >= 1e9:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// Significant returns a number of a scale without bounds: with four decimals, with four significant digits if it is
// near 0, or in scientific notation; "-" if x is NaN.
func Significant(x float64) string {
	const near = 0.1
	switch size := math.Abs(x); {
	case math.IsNaN(x):
		return "-"
	case size != 0 && size < 1e-4, size >= 1e9:
		return strconv.FormatFloat(x, 'g', 4, 64)
	case size != 0 && size < near:
		return strconv.FormatFloat(x, 'f', 3-exponent(size), 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// exponent returns the power of ten of the first digit of x, rounded to four digits. A logarithm would have other bits
// on other processors.
func exponent(x float64) int {
	_, digits, _ := strings.Cut(strconv.FormatFloat(x, 'e', 3, 64), "e")
	power, _ := strconv.Atoi(digits)
	return power
}

// Value returns a value of a metric as the metric's format says.
func Value(x float64, f scoring.Format) string {
	finite := !math.IsNaN(x) && !math.IsInf(x, 0)
	switch {
	case f == scoring.FormatPercent && finite:
		return Percent(x)
	case f == scoring.FormatTrend:
		return Fixed(x, 6)
	case f == scoring.FormatInteger && finite && x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case f == scoring.FormatInteger && finite:
		return Fixed(x, 2)
	}
	return Fixed(x, 4)
}

// Mean returns a mean or a spread of values of a metric: that of integers always with two decimals.
func Mean(x float64, f scoring.Format) string {
	if f == scoring.FormatInteger {
		return Fixed(x, 2)
	}
	return Value(x, f)
}

// Aligned returns a function that writes all of xs with the same number of decimals, as many as they need, at most 4.
func Aligned(xs []float64) func(float64) string {
	decimals := 0
	for _, x := range xs {
		_, after, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
		decimals = max(decimals, min(len(after), 4))
	}
	return func(x float64) string { return Fixed(x, decimals) }
}

// Plural returns the name of n things: "seed" for 1, "seeds" otherwise.
func Plural(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

// Counted returns a number of things: "1 seed", "2 seeds".
func Counted(n int, thing string) string { return strconv.Itoa(n) + " " + Plural(n, thing) }

// CountedOf returns a part of some things: "1 of 1 seed", "3 of 10 seeds".
func CountedOf(part, all int, thing string) string {
	return strconv.Itoa(part) + " of " + Counted(all, thing)
}

// Verb returns the form of a verb for n things: "has" or "have".
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Confidence returns 0.95 as "95%".
func Confidence(c float64) string { return strconv.FormatFloat(100*c, 'g', 6, 64) + "%" }

// Method returns what people call a method of intervals.
func Method(method string) string {
	switch method {
	case stats.MethodWilson:
		return "Wilson"
	case stats.MethodClopperPearson:
		return "Clopper–Pearson"
	case stats.MethodClopperEnds:
		return "Clopper–Pearson, each end one-sided"
	case stats.MethodBoundedMean:
		return "bounded mean"
	case stats.MethodAdjusted:
		return "chi-square, corrected for kurtosis"
	case stats.MethodMarkov:
		return "Markov"
	}
	return method
}

// Methods names the methods of the intervals that are defined, each once, such as "t or Markov"; empty if none is.
func Methods(list []stats.Interval) string {
	var names []string
	for _, i := range list {
		if name := Method(i.Method); i.Defined() && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Interval returns the ends of an interval, each written by number; empty if the interval is not defined.
func Interval(i stats.Interval, number func(float64) string) string {
	if !i.Defined() {
		return ""
	}
	return number(i.Lo) + " to " + number(i.Hi)
}

// OrDash returns s, or a dash if it is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
