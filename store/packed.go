package store

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/scoring"
)

// The values of a seed are one JSON object by name, and so are the truths of an execution and the components of a
// score. The results of a seed under a spec are an array in the order of its metrics:
//
//	{"a":0.0699,"b":null,"c":"-Infinity"}
//	[[0,0.85],[2,null],[0,1,0.25],[2,null,null,"series x is empty"]]
//
// A result has a status and a score, which is null if the value is missing. A third element is a value that was
// computed from series, a fourth is the reason why there is none. Numbers are the shortest that give the same bits.
// null is NaN, or the result of a metric that was not judged. See docs/adr/0001.

// storedResult is the result of a metric under a spec.
type storedResult struct {
	isJudged   bool
	status     int64
	score      float64 // NaN if the value is missing
	isComputed bool    // the value was computed from series, or could not be for a reason
	value      float64 // of a computed value
	reason     string
}

// hasComputed reports whether the value was computed from series.
func (r storedResult) hasComputed() bool { return r.isComputed && r.reason == "" }

func (r storedResult) packedStatus() scoring.PackedStatus {
	if !r.isJudged || math.IsNaN(r.score) {
		return 0
	}
	return scoring.PackedStatus(r.status + 1)
}

func statusCode(s scoring.Status) int64 { return int64(scoring.Pack(cmp.Or(s, scoring.Fail))) - 1 }

func statusOf(code int64) scoring.Status { return scoring.PackedStatus(code + 1).Status() }

// packNumbers returns numbers by name as they are stored.
func packNumbers(numbers map[string]float64) string {
	b := make([]byte, 0, 32*len(numbers)+2)
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(numbers)) {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, name) // names are UTF-8
		b = appendNumber(append(b, ':'), numbers[name])
	}
	return string(append(b, '}'))
}

// packResults returns results as they are stored.
func packResults(results []storedResult) string {
	b := append(make([]byte, 0, 32*len(results)+2), '[')
	for i, r := range results {
		if i > 0 {
			b = append(b, ',')
		}
		if !r.isJudged {
			b = append(b, "null"...)
			continue
		}
		b = appendNumber(append(strconv.AppendInt(append(b, '['), r.status, 10), ','), r.score)
		switch {
		case r.isComputed && r.reason != "":
			b, _ = jsontext.AppendQuote(append(b, ",null,"...), r.reason) // its error is of bytes that are not UTF-8, which it replaces
		case r.isComputed:
			b = appendNumber(append(b, ','), r.value)
		}
		b = append(b, ']')
	}
	return string(append(b, ']'))
}

// How infinities are stored: JSON has no number for them.
const infinity, negativeInfinity = `"Infinity"`, `"-Infinity"`

func appendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "null"...)
	case math.IsInf(x, 1):
		return append(b, infinity...)
	case math.IsInf(x, -1):
		return append(b, negativeInfinity...)
	case x == 0 && math.Signbit(x):
		return append(b, "-0.0"...) // -0 is a whole number to SQLite, which has no sign
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

// eachNumber calls visit with numbers and their names.
func eachNumber(text string, visit func(name string, x float64)) error {
	p := packedText{rest: text}
	for n := 0; p.next(n, '{', '}'); n++ {
		name := p.text()
		p.expect(":")
		if x := p.number(); !p.isDamaged {
			visit(name, x)
		}
	}
	return p.failure()
}

// numbersOf returns stored numbers by name.
func numbersOf(text string) (map[string]float64, error) {
	numbers := map[string]float64{}
	return numbers, eachNumber(text, func(name string, x float64) { numbers[name] = x })
}

// appendPackedResults appends stored results.
func appendPackedResults(list []storedResult, text string) ([]storedResult, error) {
	p := packedText{rest: text}
	for n := 0; p.next(n, '[', ']'); n++ {
		list = append(list, p.result())
	}
	return list, p.failure()
}

// packedText decodes what is stored. Other text is damage, but for numbers as Go writes them.
type packedText struct {
	rest      string
	isDamaged bool
}

// next begins member n of an object or an array. It returns false at the end, and at damage.
func (p *packedText) next(n int, opening, closing byte) bool {
	if n == 0 {
		p.expect(string(opening))
	}
	if p.take(string(closing)) {
		p.isDamaged = p.isDamaged || p.rest != ""
		return false
	}
	if n > 0 {
		p.expect(",")
	}
	return !p.isDamaged
}

func (p *packedText) take(prefix string) (found bool) {
	p.rest, found = strings.CutPrefix(p.rest, prefix)
	return found
}

func (p *packedText) expect(prefix string) {
	p.isDamaged = !p.take(prefix) || p.isDamaged
}

func (p *packedText) result() (r storedResult) {
	if p.take("null") {
		return storedResult{score: math.NaN()}
	}
	p.expect("[")
	r.isJudged, r.status = true, int64(p.number())
	p.isDamaged = p.isDamaged || r.status < 0 || r.status > 2
	p.expect(",")
	r.score = p.number()
	if p.take(",") {
		r.isComputed, r.value = true, p.number()
	}
	if p.take(",") {
		r.reason = p.text()
	}
	p.expect("]")
	return r
}

func (p *packedText) number() float64 {
	switch {
	case p.take("null"):
		return math.NaN()
	case p.take(infinity):
		return math.Inf(1)
	case p.take(negativeInfinity):
		return math.Inf(-1)
	}
	n := 0
	for n < len(p.rest) && p.rest[n] != ',' && p.rest[n] != ']' && p.rest[n] != '}' {
		n++
	}
	x, err := strconv.ParseFloat(p.rest[:n], 64)
	p.isDamaged = p.isDamaged || err != nil
	p.rest = p.rest[n:]
	return x
}

func (p *packedText) text() string {
	if len(p.rest) > 1 && p.rest[0] == '"' { // mostly without escapes
		if end := strings.IndexAny(p.rest[1:], `"\`); end >= 0 && p.rest[1+end] == '"' {
			text := p.rest[1 : 1+end]
			p.rest = p.rest[end+2:]
			return text
		}
	}
	quoted, err := jsontext.NewDecoder(strings.NewReader(p.rest)).ReadValue()
	if err != nil {
		p.isDamaged = true
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	p.isDamaged = p.isDamaged || err != nil
	p.rest = p.rest[len(quoted):]
	return string(text)
}

func (p *packedText) failure() error {
	if p.isDamaged {
		return fmt.Errorf("%w: the values or results of a seed are no JSON that track writes", track.ErrDamaged)
	}
	return nil
}
