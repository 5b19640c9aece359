package templates

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
)

// numeric returns a value as a number. Numbers in the source of a template, and the result of len, are ints.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case number:
		return float64(v), true
	case int:
		return float64(v), true
	case float64:
		return v, true
	case string:
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
	}
	if r := reflect.ValueOf(v); r.IsValid() && r.CanInt() {
		return float64(r.Int()), true
	}
	return 0, false
}

func isNull(v any) bool {
	_, ok := v.(null)
	return ok || v == nil
}

// isText reports whether a value is a text, trusted or not.
func isText(v any) bool {
	return v != nil && reflect.TypeOf(v).Kind() == reflect.String
}

// equal compares numbers by value, whatever their types. Values that cannot be compared are not equal.
func equal(a, b any) bool {
	x, isX := numeric(a)
	y, isY := numeric(b)
	switch {
	case isNull(a) || isNull(b):
		return isNull(a) && isNull(b)
	case isText(a) && isText(b):
		return text(a) == text(b)
	case isX && isY:
		return x == y
	}
	p, isP := a.(bool)
	q, isQ := b.(bool)
	return isP && isQ && p == q
}

// order compares two numbers or two texts. Null and NaN are not ordered.
func order(a, b any) (sign int, ordered bool, err error) {
	x, isX := numeric(a)
	y, isY := numeric(b)
	switch {
	case isNull(a) || isNull(b):
		return 0, false, nil
	case isX && isY:
		return cmp.Compare(x, y), x == x && y == y, nil
	case isText(a) && isText(b):
		return cmp.Compare(text(a), text(b)), true, nil
	}
	return 0, false, fmt.Errorf("numbers are compared with numbers, and texts with texts: not %q with %q", brief(a), brief(b))
}

func brief(v any) string {
	const most = 60
	if runes := []rune(text(v)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text(v)
}
