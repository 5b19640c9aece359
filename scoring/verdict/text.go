package verdict

import (
	"fmt"
	"math"
	"strconv"

	"track/scoring/format"
	"track/scoring/stats"
)

// below writes a bound that misses its limit with as many digits as show it.
func below(bound, limit float64) string {
	text := format.Share(bound)
	for decimals := 2; bound < limit && text == format.Share(limit) && decimals < 10; decimals++ {
		if longer := strconv.FormatFloat(100*bound, 'f', decimals, 64) + "%"; longer != strconv.FormatFloat(100*limit, 'f', decimals, 64)+"%" {
			return longer
		}
	}
	return text
}

// describeDifference describes an interval of a difference.
func describeDifference(i stats.Interval) string {
	if !i.Defined() {
		return "no interval"
	}
	return fmt.Sprintf("%s %s interval %s to %s", confidenceText(i.Confidence), MethodName(i.Method), format.Signed(i.Lo), format.Signed(i.Hi))
}

// MethodName names a method for people.
func MethodName(method string) string {
	switch method {
	case methodSeen:
		return "bounded mean, losses as seen"
	case methodFlips:
		return "sign flips"
	}
	return format.Method(method)
}

// confidenceText writes 0.95 as 95%, and 0.9875 as 98.75%.
func confidenceText(c float64) string {
	return strconv.FormatFloat(math.Round(1e4*c)/1e2, 'f', -1, 64) + "%"
}

// alphaText writes a level without the rounding of 1 - confidence.
func alphaText(alpha float64) string { return fmt.Sprintf("%.3g", alpha) }
