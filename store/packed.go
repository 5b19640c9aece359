package store

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// The values of a seed are one JSON object by the ids of metrics, and so are its results under a spec:
//
//	{"1":0.0699,"2":null,"3":"-Infinity"}
//	{"1":[0,0.85],"2":[2,null],"3":[0,1,0.25],"4":[2,null,null,"series x is empty"]}
//
// A result has a status and a score, which is null if the value is missing. A third element is a value that was computed
// from series, a fourth is the reason why there is none. Numbers are the shortest that give the same bits. null is NaN.
// See docs/adr/0001.

// storedResult is the result of a metric under a spec.
type storedResult struct {
	name       string // of the metric, if it is known
	metric     int64
	status     int64
	score      float64 // NaN if the value is missing
	isComputed bool    // the value was computed from series, or could not be for a reason
	value      float64 // of a computed value
	reason     string
}

// hasComputed reports whether the value was computed from series.
func (r storedResult) hasComputed() bool { return r.isComputed && r.reason == "" }

// appendValues appends the values of a seed.
func appendValues(b []byte, rows []valueRow) []byte {
	b = append(b, '{')
	for i, r := range rows {
		b = appendNumber(appendMetric(b, i, r.metric), r.value)
	}
	return append(b, '}')
}

// appendResults appends the results of a seed under a spec.
func appendResults(b []byte, rows []storedResult) []byte {
	b = append(b, '{')
	for i, r := range rows {
		b = append(appendMetric(b, i, r.metric), '[')
		b = appendNumber(append(strconv.AppendInt(b, r.status, 10), ','), r.score)
		switch {
		case r.isComputed && r.reason != "":
			b, _ = jsontext.AppendQuote(append(b, ",null,"...), r.reason) // its error is of bytes that are not UTF-8, which it replaces
		case r.isComputed:
			b = appendNumber(append(b, ','), r.value)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendMetric(b []byte, i int, metric int64) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return append(strconv.AppendInt(append(b, '"'), metric, 10), `":`...)
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

// eachValue calls visit with the values of a seed.
func eachValue(text string, visit func(metric int64, value float64)) error {
	p := packedText{rest: text}
	for p.next() {
		metric, value := p.metric(), p.number()
		if p.isDamaged {
			break
		}
		visit(metric, value)
	}
	return p.failure()
}

// eachResult calls visit with the results of a seed under a spec.
func eachResult(text string, visit func(storedResult)) error {
	p := packedText{rest: text}
	for p.next() {
		metric := p.metric()
		r := p.result()
		if r.metric = metric; p.isDamaged {
			break
		}
		visit(r)
	}
	return p.failure()
}

// valueOf returns the value of one metric of a seed.
func valueOf(text string, metric int64) (value float64, found bool, err error) {
	p, found := memberOf(text, metric)
	if found {
		value = p.number()
	}
	return value, found, p.failure()
}

// resultOf returns the result of one metric of a seed.
func resultOf(text string, metric int64) (r storedResult, found bool, err error) {
	p, found := memberOf(text, metric)
	if found {
		r = p.result()
	}
	r.metric = metric
	return r, found, p.failure()
}

// memberOf returns the object from the value of a member on. No text in a result holds the name: quotes in it are
// escaped.
func memberOf(text string, metric int64) (p packedText, found bool) {
	_, p.rest, found = strings.Cut(text, `"`+strconv.FormatInt(metric, 10)+`":`)
	return p, found
}

// packedText decodes the objects that appendValues and appendResults write. Other text is damage, but for numbers as Go
// writes them.
type packedText struct {
	rest      string
	isInside  bool // the object has begun
	isDamaged bool
}

// next begins the next member of the object. It returns false at the end, and at damage.
func (p *packedText) next() bool {
	isFirst := !p.isInside
	if isFirst {
		p.expect("{")
		p.isInside = true
	}
	if p.take("}") {
		p.isDamaged = p.isDamaged || p.rest != ""
		return false
	}
	if !isFirst {
		p.expect(",")
	}
	return !p.isDamaged
}

func (p *packedText) take(prefix string) (found bool) {
	p.rest, found = strings.CutPrefix(p.rest, prefix)
	return found
}

func (p *packedText) expect(prefix string) {
	if !p.take(prefix) {
		p.isDamaged = true
	}
}

func (p *packedText) metric() int64 {
	p.expect(`"`)
	metric := p.integer()
	p.expect(`":`)
	return metric
}

func (p *packedText) result() (r storedResult) {
	p.expect("[")
	r.status = p.integer()
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

func (p *packedText) integer() int64 {
	n := 0
	for n < len(p.rest) && (p.rest[n] >= '0' && p.rest[n] <= '9' || p.rest[n] == '-') {
		n++
	}
	x, err := strconv.ParseInt(p.rest[:n], 10, 64)
	p.isDamaged = p.isDamaged || err != nil
	p.rest = p.rest[n:]
	return x
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
