package verdict

import (
	"fmt"
	"math"
	"strconv"

	"track/scoring/stats"
)

// Percent writes a share as a percentage with one decimal, "-" where there is none. Less than all is never written as 100.0%, nor
// more than nothing as 0.0%.
func Percent(x float64) string {
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

// below writes a bound that misses its limit with as many digits as show it.
func below(bound, limit float64) string {
	text := Percent(bound)
	for decimals := 2; bound < limit && text == Percent(limit) && decimals < 10; decimals++ {
		if longer := strconv.FormatFloat(100*bound, 'f', decimals, 64) + "%"; longer != strconv.FormatFloat(100*limit, 'f', decimals, 64)+"%" {
			return longer
		}
	}
	return text
}

// counted writes a number of things.
func counted(n int, thing string) string { return fmt.Sprintf("%d %s", n, plural(n, thing)) }

// Short writes a number with four decimals, or in scientific notation where they would say nothing; "-" where there is none.
func Short(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x != 0 && math.Abs(x) < 1e-4 || math.Abs(x) >= 1e9:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

func describeInterval(i stats.Interval) string {
	if !i.Defined() {
		return "no interval"
	}
	return fmt.Sprintf("%s %s interval %s to %s", confidenceText(i.Confidence), methodName(i.Method), Short(i.Lo), Short(i.Hi))
}

func describeShare(i stats.Interval) string {
	if !i.Defined() {
		return "no interval"
	}
	return fmt.Sprintf("%s %s interval %s to %s", confidenceText(i.Confidence), methodName(i.Method), Percent(i.Lo), Percent(i.Hi))
}

func methodName(method string) string {
	switch method {
	case stats.MethodWilson:
		return "Wilson"
	case stats.MethodClopperPearson, stats.MethodClopperLower:
		return "Clopper–Pearson"
	}
	return method
}

// confidenceText writes 0.95 as 95%, and 0.9875 as 98.75%.
func confidenceText(c float64) string {
	return strconv.FormatFloat(math.Round(1e4*c)/1e2, 'f', -1, 64) + "%"
}

func plural(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}
