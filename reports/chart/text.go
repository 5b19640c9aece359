package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// widths are those of the printable ASCII characters, from U+0020, in the font Go Regular, whose em is 2048.
var widths = [...]uint16{
	569, 569, 727, 1139, 1139, 1821, 1366, 391, 682, 682, 1196, 1196, 648, 1196, 648, 569,
	1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 627, 627, 1196, 1196, 1196, 1139,
	2079, 1366, 1366, 1479, 1479, 1366, 1251, 1593, 1479, 817, 1015, 1366, 1139, 1706, 1479, 1593,
	1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251, 569, 569, 569, 960, 1139,
	682, 1139, 1139, 1024, 1139, 1139, 569, 1139, 1139, 505, 519, 1024, 548, 1706, 1139, 1139,
	1139, 1139, 682, 1024, 579, 1139, 1024, 1479, 1024, 1024, 1024, 684, 532, 684, 1196,
}

// advance returns the width of r in a font of size 1. What is not known is taken to be as wide as the widest scripts
// are.
func advance(r rune) float64 {
	const em = 2048
	switch {
	case r >= ' ' && int(r-' ') < len(widths):
		return float64(widths[r-' ']) / em
	case r == '−' || r == '±':
		return 1196.0 / em
	case r < ' ', r > unicode.MaxLatin1 && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic):
		return 1
	case unicode.IsUpper(r):
		return 1479.0 / em
	}
	return 1139.0 / em
}

// slack is by how much the text of a reader's system font may be wider than that of the font measured here.
const slack = 1.15

// textWidth returns the room that s needs in a font of the given size, whichever of the usual sans serif fonts a
// reader has.
func textWidth(s string, size float64) float64 {
	total := 0.0
	for _, r := range s {
		total += advance(r)
	}
	return float64(total * size * slack)
}

// shorten replaces what does not fit into room by an ellipsis. Names often differ at their end: a third of what is kept
// is the end.
func shorten(s string, size, room float64) string {
	if textWidth(s, size) <= room {
		return s
	}
	runes := []rune(s)
	kept, most := 0, len(runes)
	for kept < most { // the largest number of runes that fit
		half := (kept + most + 1) / 2
		if textWidth(elide(runes, half), size) <= room {
			kept = half
		} else {
			most = half - 1
		}
	}
	return elide(runes, kept)
}

func elide(runes []rune, kept int) string {
	if kept >= len(runes) {
		return string(runes)
	}
	tail := kept / 3
	return withEllipsis(runes[:kept-tail], runes[len(runes)-tail:])
}

func withEllipsis(head, tail []rune) string {
	return strings.TrimSpace(string(head)) + "…" + strings.TrimSpace(string(tail))
}

// maxRunes bounds titles, names and labels, in the description too.
const maxRunes = 300

// clean makes a line of visible text of anything: white space becomes one space; control characters, marks that turn
// the direction of writing and bytes that are not UTF-8 become U+FFFD.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r), r == '\u200c', r == '\u200d': // the joiners are part of how words and emoji are written
			return r
		}
		return unicode.ReplacementChar
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxRunes {
		s = elide([]rune(s), maxRunes)
	}
	return s
}

// number writes v with four significant digits, but never rounds off whole ones.
func number(v float64) string { return rounded(v, 4) }

// rounded writes v with that many significant digits, or fewer where they are all there is.
func rounded(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	e := exponent(v)
	if e < smallestPlain || e > largestPlain {
		s, shortest := strconv.FormatFloat(v, 'e', digits-1, 64), strconv.FormatFloat(v, 'e', -1, 64)
		if len(shortest) < len(s) {
			s = shortest
		}
		return mantissa(s)
	}
	return group(trimZeros(strconv.FormatFloat(v, 'f', max(0, digits-1-e), 64)))
}

// signed returns number with a plus before what is above 0.
func signed(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v > 0:
		return "+" + number(v)
	}
	return number(v)
}

// signedAs returns signed for numbers in a column: with as many decimals as four digits of the ends of a need.
func signedAs(a axis) func(float64) string {
	decimals := 3 - exponent(max(-a.lo, a.hi))
	return func(v float64) string {
		if math.IsInf(v, 0) || v == 0 || decimals < 0 || decimals > 3-smallestPlain || exponent(v) > largestPlain {
			return signed(v)
		}
		plain := group(strconv.FormatFloat(v, 'f', decimals, 64))
		if v > 0 {
			return "+" + plain
		}
		return plain
	}
}

// Numbers with exponents between these are written without one.
const smallestPlain, largestPlain = -3, 8

// exponent returns the exponent of v in scientific notation, 3 for 1234. v is neither 0 nor infinite.
func exponent(v float64) int {
	s := strconv.FormatFloat(v, 'e', -1, 64)
	e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return e
}

// mantissa turns 1.500e+09 into 1.5e9.
func mantissa(s string) string {
	m, e, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(e)
	return minus(trimZeros(m) + "e" + strconv.Itoa(n))
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// group separates the thousands of a plain decimal number by commas.
func group(s string) string {
	whole, fraction, hasFraction := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	var b strings.Builder
	if strings.HasPrefix(s, "-") {
		b.WriteByte('-')
	}
	for i, digit := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digit)
	}
	if hasFraction {
		b.WriteString("." + fraction)
	}
	return minus(b.String())
}

// minus writes signs as U+2212, which is as wide as a plus and read aloud as "minus".
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// or returns the cleaned name, or another text if nothing is left of it.
func or(name, otherwise string) string {
	if name := clean(name); name != "" {
		return name
	}
	return otherwise
}

const unnamed = "without a name"

// listed joins the first of n names and counts the others.
func listed(n int, name func(i int) string) string {
	var names []string
	for i := range min(n, maxFacts) {
		names = append(names, name(i))
	}
	if n > maxFacts {
		names = append(names, "and "+count(n-maxFacts, "other", "others"))
	}
	return strings.Join(names, ", ")
}

// whole writes "1,000".
func whole(n int) string { return group(strconv.Itoa(n)) }

// count writes "1 point" or "1,000 points".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return whole(n) + " " + many
}

// among writes "5" or "3 to 5".
func among(lo, hi int) string {
	if lo == hi {
		return whole(lo)
	}
	return whole(lo) + " to " + whole(hi)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Sparkline writes scores as blocks, from the lowest to the highest of them: "▁▃▅·█". One that is not finite is a
// dot; where all are equal, blocks are half high. Of more than most scores, each block is the mean of those that
// share it; 0 stands for any number.
func Sparkline(scores []float64, most int) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	if most > 0 && len(scores) > most {
		scores = means(scores, most)
	}
	var e extent
	for _, v := range scores {
		e.add(v)
	}
	height := axis{lo: e.lo, hi: e.hi}.scale(0, float64(len(blocks)-1))
	var b strings.Builder
	for _, v := range scores {
		switch {
		case !finite(v):
			b.WriteRune('·')
		case e.lo == e.hi:
			b.WriteRune(blocks[len(blocks)/2])
		default:
			b.WriteRune(blocks[int(math.Round(height.at(v)))])
		}
	}
	return b.String()
}

// means returns those of the finite values in n equal parts; NaN if there are none.
func means(values []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		part := slices.DeleteFunc(slices.Clone(values[i*len(values)/n:(i+1)*len(values)/n]), func(v float64) bool { return !finite(v) })
		if len(part) == 0 {
			out[i] = math.NaN()
		}
		for _, v := range part {
			out[i] += v / float64(len(part))
		}
	}
	return out
}
