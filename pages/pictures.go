package pages

import (
	"html/template"
	"math"
	"strconv"

	"track/reports/escape"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// pictureKey names a cell of a table: by its column, and the text of the first cell of its row.
type pictureKey struct{ Table, Column, Row string }

// draw shows a small picture beside the text of a cell.
func (b *builder) draw(table, column, row string, picture template.HTML) {
	if b.pictures == nil {
		b.pictures = map[pictureKey]template.HTML{}
	}
	b.pictures[pictureKey{table, column, row}] = picture
}

// scoreBar draws a score from 0 to 1, with its interval.
type scoreBar struct {
	Width    string
	Lo, Hi   string // of the interval
	Interval bool
	Text     string
}

const barWidth = 60

func newScoreBar(score float64, interval stats.Interval) scoreBar {
	at := func(x float64) string { return short(barWidth * min(1, max(0, x))) }
	s := scoreBar{Width: at(score), Text: "score " + format.Four(score)}
	if interval.Defined() {
		s.Interval, s.Lo, s.Hi = true, at(interval.Lo), at(interval.Hi)
		s.Text += ", " + format.Confidence(interval.Confidence) + " interval " + format.Interval(interval, format.Four)
	}
	return s
}

func (s scoreBar) html() (template.HTML, error) { return fragment("scorebar", s) }

// short writes a coordinate.
func short(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

// rangeBar draws where values lie in their target.
type rangeBar struct {
	Bands  []rangeBand
	Lo, Hi string // of the values
	Spread bool
	Value  string
	Known  bool // there is a value
	Text   string
}

type rangeBand struct{ Class, X, Width string }

const rangeWidth = 110

// newRange returns where values from lo to hi, and one of them, lie in the bands of a target. Values beyond the picture
// end at its edge.
func newRange(bands []scoring.Band, lo, hi, value float64) rangeBar {
	if len(bands) < 2 && !isFinite(value) {
		return rangeBar{}
	}
	from, to := extentOf(bands, lo, hi, value)
	at := func(x float64) float64 { return min(rangeWidth, max(0, rangeWidth*((x-from)/(to-from)))) }
	var r rangeBar
	for _, band := range bands {
		left, right := 0.0, float64(rangeWidth)
		if band.Lo != nil {
			left = at(*band.Lo)
		}
		if band.Hi != nil {
			right = at(*band.Hi)
		}
		class := map[scoring.Status]string{scoring.Pass: "pass", scoring.Warn: "warn"}[band.Status]
		if class != "" {
			r.Bands = append(r.Bands, rangeBand{class, short(left), short(max(1.5, right-left))})
		}
	}
	if isFinite(lo) && isFinite(hi) && lo < hi {
		r.Spread, r.Lo, r.Hi = true, short(at(lo)), short(at(hi))
		r.Text = "values from " + format.Short(lo) + " to " + format.Short(hi)
	}
	if isFinite(value) {
		r.Known, r.Value = true, short(min(rangeWidth-4, max(4, at(value))))
		if r.Spread {
			r.Text += ", mean "
		} else {
			r.Text = "value "
		}
		r.Text += format.Short(value)
		r.Text += ", which is " + statusIn(bands, value)
	}
	r.Text = escape.Line(r.Text)
	return r
}

// statusIn names the band that holds a value.
func statusIn(bands []scoring.Band, value float64) string {
	for _, b := range bands {
		if (b.Lo == nil || value >= *b.Lo) && (b.Hi == nil || value <= *b.Hi) {
			return string(b.Status)
		}
	}
	return "without a target"
}

// extentOf returns what a range shows: all limits, and the values as far as they do not dwarf them.
func extentOf(bands []scoring.Band, values ...float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	add := func(x float64) { from, to = min(from, x), max(to, x) }
	for _, b := range bands {
		for _, limit := range []*float64{b.Lo, b.Hi} {
			if limit != nil && isFinite(*limit) {
				add(*limit)
			}
		}
	}
	reach := to - from
	if reach <= 1e-9*max(math.Abs(from), math.Abs(to)) || math.IsInf(from, 0) { // one limit: two bands meet there
		reach = math.Inf(1)
	}
	for _, x := range values {
		if isFinite(x) && (math.IsInf(reach, 0) || x > from-reach && x < to+reach) {
			add(x)
		}
	}
	if !(to-from > 1e-9*max(math.Abs(from), math.Abs(to))) {
		from, to = from-1, from+1
	}
	margin := (to - from) / 12
	return from - margin, to + margin
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func deref(x *scoring.Value) float64 {
	if x == nil {
		return math.NaN()
	}
	return float64(*x)
}

func (r rangeBar) html() (template.HTML, error) {
	if r.Text == "" {
		return "", nil
	}
	return fragment("range", r)
}
