package chart

import (
	"math"
	"strconv"
	"strings"
)

// extent is the range of the finite values among those it was shown, and how many there were of each kind.
type extent struct {
	lo, hi   float64
	n        int // finite
	nan, inf int
}

func (e *extent) add(v float64) {
	switch {
	case math.IsNaN(v):
		e.nan++
	case math.IsInf(v, 0):
		e.inf++
	case e.n == 0:
		e.lo, e.hi, e.n = v, v, 1
	default:
		e.lo, e.hi = min(e.lo, v), max(e.hi, v)
		e.n++
	}
}

// merge adds what other was shown.
func (e *extent) merge(other extent) {
	if other.n > 0 {
		n := e.n + other.n
		e.add(other.lo)
		e.add(other.hi)
		e.n = n
	}
	e.nan += other.nan
	e.inf += other.inf
}

// span writes the range, such as "0.004 to 0.12", with as many digits as tell its ends apart.
func (e extent) span() string {
	for digits := 4; e.lo != e.hi; digits++ {
		if lo, hi := rounded(e.lo, digits), rounded(e.hi, digits); lo != hi {
			return lo + " to " + hi
		}
	}
	return number(e.lo)
}

// axis is the range of values that a chart shows in one direction.
type axis struct {
	lo, hi float64
	whole  bool // values are whole numbers, and so are the ticks
	single bool // there is one value, half way, and it has the only tick
}

// narrowest is the smallest width of an axis as a share of its largest value: about four steps from one float64 to
// the next.
const narrowest = 1e-15

// along returns the axis of x: as wide as its values.
func along(e extent, whole bool) axis {
	a := axis{lo: e.lo, hi: e.hi, whole: whole, single: e.n > 0 && e.lo == e.hi}
	return a.widened()
}

// padded returns an axis a little wider than its values.
func padded(e extent) axis {
	const margin = 0.05
	a := axis{lo: e.lo, hi: e.hi}.widened()
	pad := float64(a.hi*margin) - float64(a.lo*margin)
	return axis{lo: max(a.lo-pad, -math.MaxFloat64), hi: min(a.hi+pad, math.MaxFloat64)}
}

// upright returns the axis of y: a little higher than its values, without leaving the sign that they have in common.
func upright(e extent) axis {
	padded := padded(e)
	if e.lo >= 0 && e.lo != e.hi {
		padded.lo = max(padded.lo, 0)
	}
	if e.hi <= 0 && e.lo != e.hi {
		padded.hi = min(padded.hi, 0)
	}
	return padded
}

// within returns an axis that does not leave the scale from lo to hi, where no value does.
func (a axis) within(lo, hi float64, e extent) axis {
	if lo < hi && lo <= e.lo && e.hi <= hi {
		a.lo, a.hi = max(a.lo, lo), min(a.hi, hi)
	}
	return a
}

// widened gives an axis without width one.
func (a axis) widened() axis {
	largest := max(math.Abs(a.lo), math.Abs(a.hi))
	switch {
	case largest == 0:
		a.lo, a.hi = -1, 1
	case a.lo == a.hi:
		pad := max(largest/10, math.SmallestNonzeroFloat64)
		a.lo, a.hi = max(a.lo-pad, -math.MaxFloat64), min(a.hi+pad, math.MaxFloat64)
	case a.hi/2-a.lo/2 < largest*narrowest:
		a.lo, a.hi = max(a.lo-largest*narrowest, -math.MaxFloat64), min(a.hi+largest*narrowest, math.MaxFloat64)
	}
	return a
}

// scale takes the values of an axis to coordinates.
type scale struct {
	axis
	from, to float64 // the coordinates of lo and hi
	unit     float64 // a power of two by which values are multiplied, so that no difference of them overflows
}

func (a axis) scale(from, to float64) scale {
	_, e := math.Frexp(max(math.Abs(a.lo), math.Abs(a.hi)))
	return scale{a, from, to, math.Ldexp(1, min(-e, 1000))}
}

func (s scale) at(v float64) float64 {
	lo, hi := float64(s.lo*s.unit), float64(s.hi*s.unit)
	share := (float64(v*s.unit) - lo) / (hi - lo)
	return s.from + float64((s.to-s.from)*max(0, min(1, share)))
}

type tick struct {
	value float64
	label string
	whole string // what label is short for
}

// ticks returns at most most multiples of 1, 2 or 5 times a power of ten; all of them written with the same number of
// decimals, and, where they are very large or small, with the same exponent.
func (a axis) ticks(most int) []tick {
	if a.single {
		v := a.lo/2 + a.hi/2
		return []tick{{value: v, label: number(v)}}
	}
	digit, power := a.step(most)
	step := decimal(int64(digit), power)
	const tolerance = 1e-9
	first, last := math.Ceil(a.lo/step-tolerance), math.Floor(a.hi/step+tolerance)
	var ticks []tick
	for i := first; i <= last; i++ {
		n := int64(i) * int64(digit)
		if v := decimal(n, power); finite(v) {
			ticks = append(ticks, tick{value: v, label: a.label(n, power)})
		}
	}
	return ticks
}

// label writes n·10^power as the ticks of a are written.
func (a axis) label(n int64, power int) string {
	largest := max(math.Abs(a.lo), math.Abs(a.hi))
	switch e := exponent(largest); {
	case n == 0:
		return "0"
	case e < smallestPlain || e > largestPlain:
		return minus(shifted(n, power-e)) + minus("e"+strconv.Itoa(e))
	case largest < 10_000: // years, for one, have no separator
		return minus(shifted(n, power))
	default:
		return group(shifted(n, power))
	}
}

// shifted writes n·10^power, exactly.
func shifted(n int64, power int) string {
	digits := strconv.FormatUint(uint64(max(n, -n)), 10)
	if power >= 0 {
		digits += strings.Repeat("0", power)
	} else {
		digits = strings.Repeat("0", max(0, 1-power-len(digits))) + digits
		digits = digits[:len(digits)+power] + "." + digits[len(digits)+power:]
	}
	if n < 0 {
		return "-" + digits
	}
	return digits
}

// step returns the smallest of 1, 2 and 5 times a power of ten that divides the axis into at most most steps.
func (a axis) step(most int) (digit, power int) {
	n := float64(max(2, most))
	largest := max(math.Abs(a.lo), math.Abs(a.hi))
	ulp := largest - math.Nextafter(largest, 0) // ticks closer than that would be the same number
	raw := max(a.hi/n-a.lo/n, ulp)
	power = exponent(raw)
	const rounding = 1 - 1e-9
	for _, digit = range []int{1, 2, 5, 10} {
		if decimal(int64(digit), power) >= float64(raw*rounding) {
			break
		}
	}
	if digit == 10 {
		digit, power = 1, power+1
	}
	if a.whole && power < 0 {
		return 1, 0
	}
	return digit, power
}

// decimal returns the float64 nearest to n·10^power.
func decimal(n int64, power int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatInt(n, 10)+"e"+strconv.Itoa(power), 64) // beyond the range it is infinite
	return v
}
