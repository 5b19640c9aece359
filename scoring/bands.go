package scoring

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Band is a range of values that all get the same status. Its ends belong to it; nil is unbounded.
type Band struct {
	Status Status   `json:"status"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

// Bands returns which status each finite value of the metric gets, from the smallest values to the largest. The ends
// are exact: the next float64 beyond an end belongs to the next band. A metric without a target has none.
func (m Metric) Bands() []Band {
	if m.Target == nil {
		return nil
	}
	status := func(x float64) Status { return m.Target.check(x, failEscalationMultiplier(m.Weight)) }
	samples := samplesAround(m.Target.limits(failEscalationMultiplier(m.Weight)))
	bands := []Band{{Status: status(samples[0])}}
	for i := 1; i < len(samples); i++ {
		for from := samples[i-1]; status(from) != status(samples[i]); {
			hi, lo := lastAlike(from, samples[i], status)
			bands[len(bands)-1].Hi = &hi
			bands = append(bands, Band{Status: status(lo), Lo: &lo})
			from = lo
		}
	}
	return bands
}

// samplesAround returns values such that the status changes at most once between two of them: the limits, the middles
// between them, and the ends of float64.
func samplesAround(limits []float64) []float64 {
	limits = slices.DeleteFunc(limits, func(x float64) bool { return !finite(x) })
	slices.Sort(limits)
	samples := []float64{-math.MaxFloat64}
	for i, x := range limits {
		if i > 0 {
			samples = append(samples, limits[i-1]+float64((x-limits[i-1])/2))
		}
		samples = append(samples, x)
	}
	return append(samples, math.MaxFloat64)
}

// lastAlike returns the last value from a towards b that has the status of a, and the float64 after it. It bisects the
// numbers of the float64 in their order.
func lastAlike(a, b float64, status func(float64) Status) (last, next float64) {
	lo, hi := position(a), position(b)
	for uint64(hi)-uint64(lo) > 1 {
		middle := lo + int64((uint64(hi)-uint64(lo))/2)
		if status(atPosition(middle)) == status(a) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return atPosition(lo), atPosition(hi)
}

// position returns the place of x among all float64: that of the next one is larger by 1.
func position(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func atPosition(i int64) float64 {
	if i < 0 {
		i = math.MinInt64 - i
	}
	return math.Float64frombits(uint64(i))
}

// limits returns where the status changes, up to rounding: between tolerances and at the hard bounds.
func (t MeanTolerance) limits(escalation float64) []float64 {
	list := []float64{t.Target}
	for _, distance := range []float64{t.Tolerance, float64(t.Tolerance * defaultWarnMultiplier), float64(t.Tolerance * defaultWarnMultiplier * escalation)} {
		list = append(list, t.Target-distance, t.Target+distance)
	}
	for _, bound := range []*float64{t.Min, t.Max} {
		if bound != nil {
			list = append(list, *bound)
		}
	}
	return list
}

// limits returns the ends of the range and of the buffers around it.
func (t Range) limits(escalation float64) []float64 {
	buffer := float64((t.Max - t.Min) * defaultWarnBuffer * escalation)
	return []float64{t.Min - buffer, t.Min, t.Max, t.Max + buffer}
}

// limits returns the target and the least share that is not FAIL.
func (t PctWithin) limits(escalation float64) []float64 {
	return []float64{maxOf(0, t.Min-float64((t.Target-t.Min)*(escalation-1))), t.Target}
}

// limits returns the largest shares that are PASS and WARN.
func (t Outlier) limits(escalation float64) []float64 {
	return []float64{t.MaxOutlier, t.MaxOutlier * defaultSevereMultiplier * escalation}
}

// limits returns the threshold.
func (t Boolean) limits(float64) []float64 { return []float64{t.Threshold} }

// BandText says which values get a status, as in "0.005 to 0.045 or 0.085 to 0.125"; empty for none. Where two bands
// meet, their limit belongs to the better status. Numbers have at most ten digits.
func (m Metric) BandText(status Status) string {
	bands := m.Bands()
	largest := 0.0
	for _, b := range bands {
		largest = max(largest, math.Abs(deref(b.Lo)), math.Abs(deref(b.Hi)))
	}
	var parts []string
	for _, b := range bands {
		if b.Status == status {
			parts = append(parts, m.rangeText(b, largest))
		}
	}
	return strings.Join(parts, " or ")
}

func (m Metric) rangeText(b Band, largest float64) string {
	text := func(x *float64) string {
		if limit := rounded(*x, largest); m.Format != FormatPercent {
			return number(limit)
		}
		return number(rounded(100*rounded(*x, largest), largest)) + "%"
	}
	belongs := (b.Status == Fail) == (m.Target.Type() == TypeBoolean) // whether the limit does: only BOOLEAN is strict
	switch {
	case b.Lo == nil && b.Hi == nil:
		return "any"
	case b.Lo == nil && belongs:
		return "up to " + text(b.Hi)
	case b.Lo == nil:
		return "below " + text(b.Hi)
	case b.Hi == nil && belongs:
		return "from " + text(b.Lo)
	case b.Hi == nil:
		return "above " + text(b.Lo)
	case text(b.Lo) == text(b.Hi):
		return "exactly " + text(b.Lo)
	}
	return text(b.Lo) + " to " + text(b.Hi)
}

// rounded returns a limit without the rounding errors of its computation, which are small beside the largest limit.
func rounded(x, largest float64) float64 {
	const digits, noise, smallest = 10, 1e-15, 1e-300
	if math.Abs(x) <= max(noise*largest, smallest) {
		return 0
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return x
}

// Shape is the form of a distribution of scores: how far it leans to one side, and how heavy its tails are. It is zero
// if it is not known, as for equal scores.
type Shape struct {
	Skewness float64 // m3/m2^1.5 of the central moments; below 0 where the tail is below the mean
	Kurtosis float64 // m4/m2², at least 1 + Skewness²; 3 for normal scores
}

// NewShape computes the shape of scores.
func NewShape(xs []float64) Shape {
	m := NewMoments(xs)
	var m2, m3, m4 float64
	for _, x := range xs {
		d := x - m.Mean
		square := float64(d * d)
		m2 += square
		m3 += float64(square * d)
		m4 += float64(square * square)
	}
	n := float64(len(xs))
	if len(xs) == 0 || m.Min == m.Max {
		return Shape{}
	}
	return shapeOf(m2/n, m3/n, m4/n)
}

// shapeOf returns the shape of a distribution with these central moments.
func shapeOf(m2, m3, m4 float64) Shape {
	s := Shape{Skewness: m3 / float64(m2*math.Sqrt(m2)), Kurtosis: m4 / float64(m2*m2)}
	if !(m2 > 0) || !finite(s.Skewness) || !finite(s.Kurtosis) {
		return Shape{}
	}
	s.Kurtosis = max(1, s.Kurtosis) // which rounding can leave
	return s
}

// smallestNormal is the smallest number with full precision. A range that accepts all above 0 begins below it.
const smallestNormal = 0x1p-1022

// Outside returns how far a value lies outside of the bands that are not FAIL: the distance to the nearest value that
// is accepted, as a share of the width of the accepted range. If that range is open on a side, it is a share of the
// size of its limit; if the limit is 0, it is the distance itself. It is 0 for an accepted value, and infinite for one
// that is not finite.
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
