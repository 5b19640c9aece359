package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"track/reports/escape"

	"golang.org/x/term"
)

// report writes a line of its own.
func (d *sweepDisplay) report(format string, args ...any) {
	d.clear()
	d.p.notice(format, args...)
	d.draw(true)
}

func (d *sweepDisplay) clear() {
	if d.terminal && !d.drawn.IsZero() {
		fmt.Fprint(d.p.screen, "\r\x1b[K")
	}
}

const drawInterval = 100 * time.Millisecond

// draw draws the line at most ten times a second.
func (d *sweepDisplay) draw(now bool) {
	if at := d.p.now(); d.terminal && (now || at.Sub(d.drawn) >= drawInterval) {
		d.drawn = at
		d.line(d.p.screen, "\r\x1b[K", "")
	}
}

func (d *sweepDisplay) line(w io.Writer, before, after string) {
	const width, narrow = 12, 40
	p := d.progress
	done := p.NKnown + p.NRound
	share := 1.0
	if p.NPlanned > 0 {
		share = min(1, float64(done)/float64(p.NPlanned))
	}
	filled := int(share * width)
	elapsed := d.p.now().Sub(d.began)
	text := fmt.Sprintf("%d/%d", done, p.NPlanned)
	if columns := terminalWidth(d.p.screen); !d.terminal || columns >= narrow {
		text = strings.Repeat("█", filled) + strings.Repeat("░", width-filled) + " " + text
	}
	if p.NFailed > 0 {
		text += fmt.Sprintf(", %d failed", p.NFailed)
	}
	if names := slices.Sorted(maps.Keys(d.running)); d.terminal && len(names) > 0 {
		const most = 4
		text += ", running " + strings.Join(names[:min(len(names), most)], ", ")
		if len(names) > most {
			text += "…"
		}
	}
	if p.NRan > 0 && elapsed > 0 {
		rate := float64(p.NRan) / elapsed.Seconds()
		text += fmt.Sprintf(", %s/s", significant(rate))
		if left := float64(p.NPlanned-done) / rate; left > 0 && left < 1e9 {
			text += ", " + shortDuration(time.Duration(left*float64(time.Second))) + " left"
		}
	}
	if rates := d.rates.Text(d.several); rates != "" {
		text += ", " + rates
	}
	if d.terminal {
		text = cutLine(escape.Line(text), terminalWidth(d.p.screen)-1)
	}
	fmt.Fprint(w, before+escape.Line(text)+after)
}

// significant writes a rate with two digits where it is small.
func significant(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// shortDuration writes 1h02m, 3m20s, 12s and 350ms.
func shortDuration(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d >= 10*time.Second:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d >= time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// terminalWidth is the number of columns of a terminal.
func terminalWidth(stream any) int {
	if file, ok := stream.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 1 {
			return columns
		}
	}
	return 80
}

// cutLine shortens a text to a number of runes.
func cutLine(s string, longest int) string {
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}
