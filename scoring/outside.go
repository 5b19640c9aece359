package scoring

import "math"

// smallestNormal is the smallest number with full precision. A range that accepts all above 0 begins below it.
const smallestNormal = 0x1p-1022

// Outside returns how far a value lies outside of the bands that are not FAIL: the distance to the nearest value that is
// accepted, as a share of the width of the accepted range. If that range is open on a side, it is a share of the size of
// its limit; if the limit is 0, it is the distance itself. It is 0 for an accepted value, and infinite for one that is
// not finite.
func Outside(bands []Band, x float64) float64 {
	lowest, highest, distance := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, b := range bands {
		if b.Status == Fail {
			continue
		}
		lo, hi := math.Inf(-1), math.Inf(1)
		if b.Lo != nil {
			lo = *b.Lo
		}
		if b.Hi != nil {
			hi = *b.Hi
		}
		lowest, highest = min(lowest, lo), max(highest, hi)
		distance = min(distance, max(lo-x, x-hi, 0))
	}
	if math.IsNaN(distance) || math.IsInf(x, 0) {
		return math.Inf(1)
	}
	for _, scale := range []float64{highest - lowest, math.Abs(lowest), math.Abs(highest)} {
		if scale > smallestNormal && !math.IsInf(scale, 0) {
			return distance / scale
		}
	}
	return distance
}
