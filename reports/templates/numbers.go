package templates

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"regexp"
	"track/scoring/format"
)

// significant writes a number with this many significant digits; whole numbers as they are.
func significant(x float64, digits int) string {
	abs := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return format.Fixed(x, 0)
	case abs < 1e15 && x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case abs < 1e-4 || abs >= 1e9:
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, digits-1-int(math.Floor(math.Log10(abs)))), 64)
}

// ends writes an interval.
func ends(v any, digits int) (string, error) {
	i, _ := v.(object)
	if pair, ok := v.(list); ok && len(pair) == 2 {
		i = object{"lo": pair[0], "hi": pair[1]}
	}
	lo, isLo := numeric(i["lo"])
	hi, isHi := numeric(i["hi"])
	if !isLo || !isHi {
		return "", fmt.Errorf("%q is not an interval, such as .ci", brief(v))
	}
	return significant(lo, digits) + " to " + significant(hi, digits), nil
}

// hasEnds reports whether v is an interval with ends.
func hasEnds(v any) bool {
	if pair, ok := v.(list); ok {
		return len(pair) == 2
	}
	i, isInterval := v.(object)
	return isInterval && !isNull(i["lo"]) && !isNull(i["hi"])
}

// estimate writes a number with its interval, n and method.
func estimate(v any, digits int) (string, error) {
	e, _ := v.(object)
	x, isNumber := numeric(e["value"])
	n, hasN := numeric(e["n"])
	if !hasN || !isNumber && !isNull(e["value"]) {
		return "", fmt.Errorf("%q is not an estimate, with value, n and ci", brief(v))
	}
	if !isNumber {
		return fmt.Sprintf("- (n = %.0f)", n), nil
	}
	if !hasEnds(e["ci"]) {
		return fmt.Sprintf("%s (no interval, n = %.0f)", significant(x, digits), n), nil
	}
	both, err := ends(e["ci"], digits)
	if err != nil {
		return "", err
	}
	s := fmt.Sprintf("%s (%s, n = %.0f", significant(x, digits), both, n)
	if method, ok := methodOf(e); ok && method != "" {
		s += ", " + method
	}
	return s + ")", nil
}

// texts returns a function of texts, which may make each of their bytes longer.
func texts(change func(string) string) function {
	return func(args []any) (any, error) {
		const longest = 12
		var b strings.Builder
		for _, arg := range args {
			if b.Len()+longest*len(text(arg)) > maxText {
				return nil, errLarge
			}
			b.WriteString(change(text(arg)))
		}
		return b.String(), nil
	}
}

func printed(write func(...any) string) function {
	return func(args []any) (any, error) {
		size, shown := shownArgs(args)
		if size > maxText {
			return nil, errLarge
		}
		return write(shown...), nil
	}
}

// shownArgs returns values as package fmt is to see them, and how long they are together.
func shownArgs(args []any) (size int, shown []any) {
	shown = make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case number, int, float64, bool:
			shown[i] = arg
		default:
			shown[i] = text(arg)
		}
		size += len(text(arg)) + 1
	}
	return size, shown
}

var (
	verb = regexp.MustCompile(`%[^%a-zA-Z]*[a-zA-Z]`)
	wide = regexp.MustCompile(`\*|[0-9]{4}`)
)

func printf(args []any) (any, error) {
	format := text(args[0])
	longest := 0
	_, shown := shownArgs(args[1:])
	for _, arg := range shown {
		longest = max(longest, len(text(arg)))
	}
	verbs := verb.FindAllString(format, -1)
	for _, v := range verbs {
		if wide.MatchString(v) {
			return nil, fmt.Errorf("%q: a width has at most three digits", brief(v))
		}
	}
	const quoting, width = 10, 1000 // what %q makes of a byte, and the widest padding
	if len(format)+strings.Count(format, "%")*(quoting*longest+width) > maxText {
		return nil, errLarge
	}
	return fmt.Sprintf(format, shown...), nil
}

func methodOf(estimate object) (string, bool) {
	if i, ok := estimate["ci"].(object); ok {
		estimate = i
	}
	method, ok := estimate["method"].(string)
	return method, ok
}
