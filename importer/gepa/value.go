package gepa

import (
	"fmt"
	"math"

	"track/importer/pickle"
)

// namedNumber is a number of a dictionary or a list.
type namedNumber struct {
	name  string
	value *float64 // nil if it is not a finite number
}

func itemsOf(value any) (items []any, is bool) {
	switch v := value.(type) {
	case *pickle.List:
		return v.Items, true
	case pickle.Tuple:
		return v, true
	}
	return nil, false
}

// numbersOf returns the numbers of a dictionary, or those of a list by their places.
func numbersOf(value any) (list []namedNumber, problem string) {
	if items, is := itemsOf(value); is {
		for i, item := range items {
			list = append(list, namedNumber{fmt.Sprint(i), numberOf(item)})
		}
		return list, ""
	}
	d, is := value.(*pickle.Dict)
	if !is {
		return nil, "must be a dictionary or a list of numbers"
	}
	seen := map[string]bool{}
	for i, key := range d.Keys {
		name, ok := nameOf(key)
		if !ok || seen[name] {
			return nil, fmt.Sprintf("key %d is not a number or a text, or is duplicated", i)
		}
		seen[name] = true
		list = append(list, namedNumber{name, numberOf(d.Values[i])})
	}
	return list, ""
}

// nameOf returns the name of an instance: a text or an integer.
func nameOf(value any) (name string, ok bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// numberOf returns a finite number; nil for anything else.
func numberOf(value any) *float64 {
	var number float64
	switch v := value.(type) {
	case float64:
		number = v
	case int64:
		number = float64(v)
	case bool:
		if v {
			number = 1
		}
	default:
		return nil
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return nil
	}
	return &number
}
