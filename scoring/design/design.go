package design

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"track/scoring/numeric"
)

// Method is how a design spreads its points.
type Method string

// The methods.
const (
	lhs           Method = "lhs"   // a Latin hypercube
	sobolSequence Method = "sobol" // a Sobol sequence with a random digital shift
	grid          Method = "grid"  // every combination of levels
)

// Methods returns the names of the methods.
func Methods() []string { return []string{string(lhs), string(sobolSequence), string(grid)} }

// maxPoints bounds a design, as it bounds a sweep.
const maxPoints = 10_000

// Design is a list of points.
type Design struct {
	Method      Method      `json:"method"`
	Seed        *uint64     `json:"seed,omitempty"` // nil for a grid, which draws nothing
	Parameters  []Parameter `json:"parameters"`
	Points      [][]string  `json:"-"`            // values, in the order of the parameters
	NDuplicates int         `json:"n_duplicates"` // points left out because they are equal to an earlier one
}

// ErrNumber is the error of a number of points that no design has.
var ErrNumber = errors.New("give the number of points")

// New returns a design of n points; of a grid, n is the number of levels of each range, and 0 takes every whole number.
// Points that are equal, because all parameters have few values, are taken once.
func New(method Method, parameters []Parameter, n int, seed uint64) (d Design, err error) {
	if err := checkParameters(parameters); err != nil {
		return d, err
	}
	d = Design{Method: method, Parameters: parameters}
	switch {
	case n > maxPoints:
		return d, fmt.Errorf("%w, at most %d: more configurations than that cannot be run", ErrNumber, maxPoints)
	case method == grid:
		return d, d.addGrid(n)
	case n < 1:
		return d, ErrNumber
	case method == sobolSequence:
		if err := checkDimensions(len(parameters)); err != nil {
			return d, err
		}
		d.Seed = &seed
		d.addPoints(sobol(n, len(parameters), &seed))
	default:
		d.Seed = &seed
		d.addPoints(latinHypercube(n, len(parameters), seed))
	}
	return d, nil
}

func checkParameters(parameters []Parameter) error {
	if len(parameters) == 0 {
		return errors.New("give at least one parameter")
	}
	seen := map[string]bool{}
	for _, p := range parameters {
		if seen[p.Name] {
			return fmt.Errorf("%s is given twice", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// addPoints turns coordinates in [0, 1) into values.
func (d *Design) addPoints(points [][]float64) {
	seen := map[string]bool{}
	for _, point := range points {
		values := make([]string, len(point))
		for k, u := range point {
			values[k] = d.Parameters[k].at(u)
		}
		key := strings.Join(values, "\x00")
		if seen[key] {
			d.NDuplicates++
			continue
		}
		seen[key] = true
		d.Points = append(d.Points, values)
	}
}

// addGrid adds every combination of levels, the last parameter changing fastest.
func (d *Design) addGrid(n int) error {
	points := [][]string{nil}
	for _, p := range d.Parameters {
		levels, err := p.levels(n)
		if err != nil {
			return err
		}
		if len(points)*len(levels) > maxPoints {
			return fmt.Errorf("the grid has more than %d points", maxPoints)
		}
		var next [][]string
		for _, point := range points {
			for _, level := range levels {
				next = append(next, append(point[:len(point):len(point)], level))
			}
		}
		points = next
	}
	d.Points = points
	return nil
}

// IsBalanced reports whether a Sobol sequence of this many points fills all strata equally: a power of two does.
func (d Design) IsBalanced() bool {
	n := len(d.Points) + d.NDuplicates
	return d.Method != sobolSequence || n&(n-1) == 0
}

// Parameter is what one parameter may be: a range of numbers, or a list of values.
type Parameter struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"` // of a list; nil for a range
	Lo     float64  `json:"lo,omitzero"`
	Hi     float64  `json:"hi,omitzero"`
	Whole  bool     `json:"whole,omitzero"` // whole numbers from Lo to Hi, both included
	Log    bool     `json:"log,omitzero"`   // evenly spread logarithms
}

// ParseParameter reads NAME=LO:HI, NAME=LO:HI:int, NAME=LO:HI:log, or NAME=VALUE,VALUE,…
func ParseParameter(text string) (p Parameter, err error) {
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return p, fmt.Errorf("%q is not NAME=LO:HI or NAME=VALUE,VALUE,…", text)
	}
	p.Name = name
	words := strings.Split(values, ":")
	lo, errLo := parseNumber(words[0])
	if len(words) < 2 || errLo != nil {
		return p.withValues(values)
	}
	hi, err := parseNumber(words[1])
	if err != nil {
		return p, fmt.Errorf("%s: %q is not a number", text, words[1])
	}
	p.Lo, p.Hi = lo, hi
	for _, word := range words[2:] {
		switch word {
		case "int":
			p.Whole = true
		case "log":
			p.Log = true
		default:
			return p, fmt.Errorf("%s: %q is not int or log", text, word)
		}
	}
	return p, p.check(text)
}

func (p Parameter) withValues(text string) (Parameter, error) {
	seen := map[string]bool{}
	for value := range strings.SplitSeq(text, ",") {
		switch {
		case value == "":
			return p, fmt.Errorf("%s=%s has an empty value", p.Name, text)
		case seen[value]:
			return p, fmt.Errorf("%s=%s: %s is duplicated", p.Name, text, value)
		}
		seen[value] = true
		p.Values = append(p.Values, value)
	}
	return p, nil
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = errors.New("not finite")
	}
	return x, err
}

func (p Parameter) check(text string) error {
	const mostWhole = 1 << 53
	switch {
	case p.Lo >= p.Hi:
		return fmt.Errorf("%s: %v is not below %v", text, p.Lo, p.Hi)
	case math.IsInf(p.Hi-p.Lo, 0):
		return fmt.Errorf("%s: the range is wider than a float64", text)
	case p.Whole && (p.Lo != math.Trunc(p.Lo) || p.Hi != math.Trunc(p.Hi) || -p.Lo > mostWhole || p.Hi > mostWhole):
		return fmt.Errorf("%s: int needs whole numbers below 2^53", text)
	case p.Log && p.Lo <= 0:
		return fmt.Errorf("%s: log needs numbers above 0", text)
	}
	return nil
}

// size returns the number of values of a discrete parameter.
func (p Parameter) size() float64 {
	if p.Values != nil {
		return float64(len(p.Values))
	}
	return p.Hi - p.Lo + 1
}

// at returns the value at u in [0, 1). A discrete one takes equal parts of [0, 1) for each value, unless it is
// logarithmic.
func (p Parameter) at(u float64) string {
	switch {
	case p.Values != nil:
		return p.Values[int(float64(u*float64(len(p.Values))))]
	case p.Whole && p.Log: // from half a number below to half a number above: 1 is as likely as its share of the logarithms
		return whole(min(p.Hi, max(p.Lo, math.Round(logAt(max(p.Lo-0.5, p.Lo/2), p.Hi+0.5, u)))))
	case p.Whole:
		return whole(min(p.Hi, p.Lo+math.Floor(float64(u*p.size()))))
	case p.Log:
		return p.rounded(logAt(p.Lo, p.Hi, u))
	}
	return p.rounded(p.Lo + float64(u*(p.Hi-p.Lo)))
}

// logAt returns lo·(hi/lo)^u.
func logAt(lo, hi, u float64) float64 {
	from, to := numeric.Log(lo), numeric.Log(hi)
	return numeric.Exp(from + float64(u*(to-from)))
}

func whole(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// rounded writes a value with a millionth of the range, or of a logarithmic value, as the last digit. What it writes is
// the value: short numbers can be read, typed and compared.
func (p Parameter) rounded(x float64) string {
	x = min(p.Hi, max(p.Lo, x))
	text := strconv.FormatFloat(x, 'g', 6, 64)
	if !p.Log {
		text = strconv.FormatFloat(x, 'f', max(0, 6-exponent(p.Hi-p.Lo)), 64)
	}
	value, _ := strconv.ParseFloat(text, 64) // just written
	return strconv.FormatFloat(min(p.Hi, max(p.Lo, value)), 'g', -1, 64)
}

// exponent returns the exponent of x > 0 in scientific notation, plus 1: 2 for 12.
func exponent(x float64) int {
	text := strconv.FormatFloat(x, 'e', -1, 64)
	n, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:]) // just written
	return n + 1
}

// levels returns n evenly spaced values, from the lowest to the highest; all values of a list, and of whole numbers if
// n is 0.
func (p Parameter) levels(n int) (list []string, err error) {
	switch {
	case p.Values != nil:
		return p.Values, nil
	case n == 0 && p.Whole && p.size() <= maxPoints:
		n = int(p.size())
	case n == 0 && p.Whole:
		return nil, fmt.Errorf("%s has %v values: give a number of levels", p.Name, p.size())
	case n < 2:
		return nil, fmt.Errorf("%s is a range: give a number of levels from 2", p.Name)
	}
	for i := range n {
		u := float64(i) / float64(n-1)
		value := p.Lo + float64(u*(p.Hi-p.Lo))
		if p.Log {
			value = logAt(p.Lo, p.Hi, u)
		}
		text := p.rounded(value)
		if p.Whole {
			text = whole(min(p.Hi, max(p.Lo, math.Round(value))))
		}
		if len(list) == 0 || list[len(list)-1] != text {
			list = append(list, text)
		}
	}
	return list, nil
}

// latinHypercube returns n points of d coordinates in [0, 1): in each coordinate one point in each of n equal strata,
// at a random place of it, the strata paired at random (McKay, Beckman & Conover, Technometrics 21, 1979).
func latinHypercube(n, d int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	points := newPoints(n, d)
	for k := range d {
		for i, stratum := range rng.Perm(n) {
			points[i][k] = below1((float64(stratum) + rng.Float64()) / float64(n))
		}
	}
	return points
}

// sobolBits are the binary digits of a coordinate of a Sobol sequence.
const sobolBits = 32

// sobol returns the first n points of d coordinates of a Sobol sequence, in the order of Gray code (Antonov & Saleev,
// 1979), with a random digital shift: all points are combined with one random vector by exclusive or, which keeps how
// evenly they lie and moves the first point off the corner (L'Ecuyer & Lemieux 2002). Without a shift, the sequence
// is that of Joe and Kuo.
func sobol(n, d int, seed *uint64) [][]float64 {
	directions := make([][sobolBits]uint32, d)
	at := make([]uint32, d)
	for k := range d {
		directions[k] = directionsOf(k)
		if seed != nil {
			at[k] = rand.New(rand.NewPCG(*seed, uint64(k))).Uint32()
		}
	}
	points := newPoints(n, d)
	for i := range points {
		for k := range d {
			points[i][k] = float64(at[k]) / (1 << sobolBits)
			at[k] ^= directions[k][bits.TrailingZeros32(^uint32(i))]
		}
	}
	return points
}

// primitive holds a primitive polynomial over GF(2), and the numbers that begin its recurrence.
type primitive struct {
	coefficients uint32   // of the polynomial without its first and last, as binary digits
	initial      []uint32 // as many as the degree of the polynomial
}

// maxSobol is the number of dimensions that have direction numbers here.
const maxSobol = 21

// primitives are those of the dimensions 2, 3, … in the file new-joe-kuo-6.21201 (Joe & Kuo, "Constructing Sobol
// sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008).
func primitives() []primitive {
	return []primitive{
		{0, []uint32{1}}, {1, []uint32{1, 3}}, {1, []uint32{1, 3, 1}}, {2, []uint32{1, 1, 1}},
		{1, []uint32{1, 1, 3, 3}}, {4, []uint32{1, 3, 5, 13}},
		{2, []uint32{1, 1, 5, 5, 17}}, {4, []uint32{1, 1, 5, 5, 5}}, {7, []uint32{1, 1, 7, 11, 19}},
		{11, []uint32{1, 1, 5, 1, 1}}, {13, []uint32{1, 1, 1, 3, 11}}, {14, []uint32{1, 3, 5, 5, 31}},
		{1, []uint32{1, 3, 3, 9, 7, 49}}, {13, []uint32{1, 1, 1, 15, 21, 21}}, {16, []uint32{1, 3, 1, 13, 27, 49}},
		{19, []uint32{1, 1, 1, 15, 7, 5}}, {22, []uint32{1, 3, 1, 15, 13, 25}}, {25, []uint32{1, 1, 5, 5, 19, 61}},
		{1, []uint32{1, 3, 7, 11, 23, 15, 103}}, {4, []uint32{1, 3, 7, 13, 13, 15, 69}},
	}
}

// directionsOf returns the direction numbers of a dimension, from 0, as 32 binary digits each.
func directionsOf(dimension int) (v [sobolBits]uint32) {
	if dimension == 0 {
		for i := range v {
			v[i] = 1 << (sobolBits - 1 - i)
		}
		return v
	}
	p := primitives()[dimension-1]
	degree := len(p.initial)
	for i := range v {
		if i < degree {
			v[i] = p.initial[i] << (sobolBits - 1 - i)
			continue
		}
		v[i] = v[i-degree] ^ v[i-degree]>>degree
		for k := 1; k < degree; k++ {
			v[i] ^= (p.coefficients >> (degree - 1 - k) & 1) * v[i-k]
		}
	}
	return v
}

func newPoints(n, d int) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
	}
	return points
}

// below1 keeps the last stratum from being rounded up to 1.
func below1(u float64) float64 { return min(u, 1-0x1p-53) }

func checkDimensions(d int) error {
	if d > maxSobol {
		return fmt.Errorf("%d parameters: a Sobol sequence has direction numbers for %d; use lhs", d, maxSobol)
	}
	return nil
}
