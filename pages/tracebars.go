package pages

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
)

const mostTraceBars = 240

// traceBar is a bar of the picture of a trace: some steps that follow one another.
type traceBar struct {
	first  step // the one that a click leads to
	from   int  // numbers of the steps, from 1
	to     int
	took   time.Duration
	bytes  int
	tokens int64
	fails  int
}

// addBars adds the picture of the whole trace: a bar for some steps, with their time above the line. Below it are the
// tokens of their requests, or the size of their texts if no tokens are known.
func (b *builder) addBars(v *traceView, steps []step) {
	address := b.traceAddress("at.trace", "")
	for _, s := range steps {
		if s.failed {
			v.FailedHref = address + s.anchor() + "#" + s.anchor()
			break
		}
	}
	if len(steps) < 3 {
		return
	}
	bars := barsOf(steps)
	longest, largest, most := time.Duration(1), 1, int64(0)
	for _, one := range bars {
		longest, largest, most = max(longest, one.took), max(largest, one.bytes), max(most, one.tokens)
	}
	var svg strings.Builder
	for i, one := range bars {
		below, size := float64(one.bytes)/float64(largest), strconv.Itoa(one.bytes)+" bytes"
		if most > 0 {
			below, size = float64(one.tokens)/float64(most), strconv.FormatInt(one.tokens, 10)+" tokens"
		}
		one.write(&svg, address, float64(i)*1000/float64(len(bars)), 1000/float64(len(bars)), 20*float64(one.took)/float64(longest), 20*below, size)
	}
	v.Bars = template.HTML(svg.String()) //nolint:gosec // numbers, and addresses that are escaped
	below := "size of the texts"
	if most > 0 {
		below = "tokens (read and written, also from a cache)"
	}
	v.Caption = "The whole trace: time above the line, " + below + " below it; what failed has a mark. A click jumps there."
}

// barsOf divides steps into bars of the same number.
func barsOf(steps []step) (bars []traceBar) {
	each := (len(steps) + mostTraceBars - 1) / mostTraceBars
	for i, s := range steps {
		if i%each == 0 {
			bars = append(bars, traceBar{first: s, from: i + 1})
		}
		one := &bars[len(bars)-1]
		if s.failed {
			if one.fails++; one.fails == 1 {
				one.first = s
			}
		}
		one.to, one.took, one.bytes, one.tokens = i+1, one.took+s.took(), one.bytes+s.bytes, one.tokens+s.tokens
	}
	return bars
}

// write writes a bar as SVG. A template would take most of the time of the page for it.
func (one traceBar) write(svg *strings.Builder, address string, x, width, above, below float64, size string) {
	words, fail := fmt.Sprintf("steps %d to %d, %s, %s", one.from, one.to, one.took.Round(time.Millisecond), size), ""
	at := strconv.FormatFloat(x, 'f', 2, 64)
	wide := strconv.FormatFloat(width, 'f', 2, 64)
	if one.fails > 0 {
		words += fmt.Sprintf(", %d failed", one.fails)
		fail = `<rect class="fail" x="` + at + `" width="` + wide + `" height="8"/>`
	}
	anchor := one.first.anchor()
	fmt.Fprintf(svg, `<a href="%s" tabindex="-1"><title>%s</title><rect class="space" x="%[3]s" width="%[4]s" height="52"/>`+
		`<rect class="time" x="%[3]s" y="%.2[5]f" width="%[4]s" height="%.2[6]f"/><rect class="text" x="%[3]s" y="31" width="%[4]s" height="%.2[7]f"/>%[8]s</a>`,
		template.HTMLEscapeString(address+anchor+"#"+anchor), template.HTMLEscapeString(words), at, wide, 30-above, above, below, fail)
}
