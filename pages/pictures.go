package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"track/answer"
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

// glyph returns a small picture of some elements, which says what it shows.
func glyph(class, text string, width, height int, elements ...string) template.HTML {
	text = template.HTMLEscapeString(escape.Line(text))
	return template.HTML(fmt.Sprintf(`<svg class="%s" role="img" aria-label="%s" viewBox="0 0 %d %d" width="%[3]d" height="%[4]d"><title>%[2]s</title>%[5]s</svg>`, //nolint:gosec // the text is escaped
		class, text, width, height, strings.Join(elements, "")))
}

// shape returns the element of a path; none if it goes nowhere.
func shape(class, data string) string {
	if data == "" {
		return ""
	}
	return `<path class="` + class + `" d="` + data + `"/>`
}

func rect(class string, x, y, width, height float64) string {
	return `<rect class="` + class + `" x="` + short(x) + `" y="` + short(y) + `" width="` + short(width) + `" height="` + short(height) + `"/>`
}

func circle(class string, x, y, r float64) string {
	return `<circle class="` + class + `" cx="` + short(x) + `" cy="` + short(y) + `" r="` + short(r) + `"/>`
}

// short writes a coordinate.
func short(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// deref returns a number, or NaN if there is none.
func deref(x *scoring.Value) float64 {
	if x == nil {
		return math.NaN()
	}
	return float64(*x)
}

// scoreBar draws a score from 0 to 1, with its interval.
func scoreBar(score float64, interval stats.Interval) template.HTML {
	const width = 60
	at := func(x float64) float64 { return width * min(1, max(0, x)) }
	text, bounds := "score "+format.Four(score), ""
	if interval.Defined() {
		lo, hi := short(at(interval.Lo)), short(at(interval.Hi))
		bounds = "M" + lo + " 6H" + hi + "M" + lo + " 3v6M" + hi + " 3v6"
		text += ", " + format.Confidence(interval.Confidence) + " interval " + format.Interval(interval, format.Four)
	}
	return glyph("scorebar", text, width, 12, rect("rest", 0, 2, width, 8), rect("score", 0, 2, at(score), 8), shape("interval", bounds))
}

// rangeBar draws where values from lo to hi, and one of them, lie in the bands of a target. Values beyond the picture
// end at its edge.
func rangeBar(bands []scoring.Band, lo, hi, value float64) template.HTML {
	const width = 110
	from, to := extentOf(bands, lo, hi, value)
	at := func(x float64) float64 { return min(width, max(0, width*((x-from)/(to-from)))) }
	elements, text := []string{rect("rest", 0, 3, width, 8)}, ""
	for _, band := range bands {
		left, right := 0.0, float64(width)
		if band.Lo != nil {
			left = at(*band.Lo)
		}
		if band.Hi != nil {
			right = at(*band.Hi)
		}
		if class := map[scoring.Status]string{scoring.Pass: "pass", scoring.Warn: "warn"}[band.Status]; class != "" {
			elements = append(elements, rect(class, left, 3, max(1.5, right-left), 8))
		}
	}
	if isFinite(lo) && isFinite(hi) && lo < hi {
		elements = append(elements, shape("spread", "M"+short(at(lo))+" 7H"+short(at(hi))))
		text = "values from " + format.Short(lo) + " to " + format.Short(hi)
	}
	if isFinite(value) {
		elements = append(elements, circle("value", min(width-4, max(4, at(value))), 7, 3.5))
		if text == "" {
			text = "value "
		} else {
			text += ", mean "
		}
		text += format.Short(value) + ", which is " + statusIn(bands, value)
	}
	if text == "" {
		return ""
	}
	return glyph("range", text, width, 14, elements...)
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
	narrow := func() bool { return !(to-from > 1e-9*max(math.Abs(from), math.Abs(to))) || math.IsInf(from, 0) }
	reach := to - from
	if narrow() { // one limit: two bands meet there
		reach = math.Inf(1)
	}
	for _, x := range values {
		if isFinite(x) && (math.IsInf(reach, 0) || x > from-reach && x < to+reach) {
			add(x)
		}
	}
	if narrow() {
		from, to = from-1, from+1
	}
	margin := (to - from) / 12
	return from - margin, to + margin
}

// sparkline draws mean scores, the oldest first. Those with the same number of lines are joined: a step between other
// parameters would be one of what was run, not of a change over time.
func sparkline(means []float64, lines []int, older int) template.HTML {
	const width, height, margin = 96.0, 16.0, 2.0
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range means {
		if isFinite(m) {
			lo, hi = min(lo, m), max(hi, m)
		}
	}
	var joined [][]string
	var elements []string
	x, y := 0.0, height/2
	for i, m := range means {
		if !isFinite(m) || i >= len(lines) {
			continue
		}
		if x = margin + (width-2*margin)*float64(i)/float64(max(1, len(means)-1)); hi > lo {
			y = height - margin - (height-2*margin)*((m-lo)/(hi-lo))
		}
		for len(joined) <= lines[i] {
			joined = append(joined, nil)
		}
		joined[lines[i]] = append(joined[lines[i]], short(x)+" "+short(y))
	}
	for _, line := range joined {
		if data := "M" + strings.Join(line, "L"); len(line) == 1 {
			elements = append(elements, shape("dot", data+"h0"))
		} else if len(line) > 1 {
			elements = append(elements, shape("line", data))
		}
	}
	elements = append(elements, circle("last", x, y, 2.5))
	text := "scores of " + strconv.Itoa(len(means)) + " configurations, the oldest first, joined if their parameters are the same: from " + format.Four(lo) + " to " + format.Four(hi) + ", now " + format.Four(means[len(means)-1])
	if older > 0 {
		text += "; " + format.Counted(older, "older configuration") + " not drawn"
	}
	return glyph("spark", text, width, height, elements...)
}

// funnel draws a mean with its interval, after more and more seeds.
func funnel(scores []answer.ScoreSoFar) template.HTML {
	const width, height = 160, 32
	last := scores[len(scores)-1]
	at := func(n int, score float64) string {
		return short(width*float64(n)/float64(last.N)) + " " + short(height*(1-min(1, max(0, score))))
	}
	var upper, lower, mean []string
	for _, s := range scores {
		if s.Interval.Defined() {
			upper, lower = append(upper, at(s.N, s.Interval.Hi)), append([]string{at(s.N, s.Interval.Lo)}, lower...)
		}
		mean = append(mean, at(s.N, s.Mean))
	}
	text, band := "score after 1 to "+format.Counted(last.N, "seed")+", now "+format.Four(last.Mean), ""
	if len(upper) > 0 {
		band = "M" + strings.Join(append(upper, lower...), "L") + "z"
	}
	if last.Interval.Defined() {
		text += ", interval " + format.Interval(last.Interval, format.Four)
	}
	return glyph("funnel", text, width, height, shape("band", band), shape("mean", "M"+strings.Join(mean, "L")))
}

// stripBins is the largest number of parts of a strip.
const stripBins = 60

// strip draws the cells of a row of a matrix, in the width of a cell of a table. A part that stands for several seeds
// is divided in proportion to their statuses.
func strip(cells, text string) template.HTML {
	const height = 14
	bins := min(len(cells), stripBins)
	width := max(4, min(12, 160/max(1, bins)))
	areas := map[string]string{}
	slashes, crosses := "", ""
	for k := range bins {
		part := cells[k*len(cells)/bins : (k+1)*len(cells)/bins]
		x, y := k*width, 0
		for _, key := range heatKeys {
			if n := strings.Count(part, key.Cell); n > 0 {
				tall := max(1, n*height/len(part))
				areas[key.Class] += fmt.Sprintf("M%d %dh%dv%dh-%[3]dz", x, y, width-1, tall)
				y += tall
			}
		}
		if len(part) > 1 {
			continue
		}
		slash := fmt.Sprintf("M%d %dL%d %d", x+1, height/2+3, x+width-2, height/2-3)
		switch part[0] {
		case answer.CellWarn:
			slashes += slash
		case answer.CellFail, answer.CellFailed:
			crosses += slash + fmt.Sprintf("M%d %dL%d %d", x+1, height/2-3, x+width-2, height/2+3)
		}
	}
	var elements []string
	for _, key := range heatKeys {
		elements = append(elements, shape(key.Class, areas[key.Class]))
	}
	return glyph("strip", text, bins*width, height, append(elements, shape("mark-warn", slashes), shape("mark-fail", crosses))...)
}

// rowTexts says the worst that a row of a matrix shows and in how many seeds, and all of it.
func rowTexts(row answer.MatrixRow) (worst, all string) {
	all = fmt.Sprintf("PASS %d, WARN %d, FAIL %d", row.NPass, row.NWarn, row.NFail)
	if row.NFailed > 0 {
		all += ", " + format.Counted(row.NFailed, "failed seed")
	}
	switch {
	case row.NFail > 0:
		worst = strconv.Itoa(row.NFail) + " FAIL"
	case row.NWarn > 0:
		worst = strconv.Itoa(row.NWarn) + " WARN"
	case row.NPass > 0:
		worst = "PASS"
	}
	return cmp.Or(worst, "-"), all
}
