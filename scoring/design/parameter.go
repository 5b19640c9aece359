package design

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"track/scoring/numeric"
)

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
