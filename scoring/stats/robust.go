package stats

import "slices"

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }
