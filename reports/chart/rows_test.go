package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// The parts of a divided cell are as large as the shares of their statuses: over the whole map, areas are to each
// other as counts.
func TestMosaicIsInProportion(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 7).Draw(t, "seeds in a column")
		columns := rapid.IntRange(1, 9).Draw(t, "columns")
		h := HeatMap{Seeds: make([]HeatColumn, size*columns)}
		for range rapid.IntRange(1, 4).Draw(t, "metrics") {
			cells := rapid.SliceOfN(rapid.Map(rapid.IntRange(-1, 7), func(i int) Status { return Status(i) }), 0, size*columns).Draw(t, "cells")
			h.Rows = append(h.Rows, HeatRow{Cells: cells})
		}
		p := plot{x: axis{lo: -0.5, hi: float64(size*columns) - 0.5}.scale(0, 600), y: axis{lo: -0.5, hi: float64(len(h.Rows)) - 0.5}.scale(0, 100)}
		_, all := h.tallies()
		if want := size * columns * len(h.Rows); all.sum() != want {
			t.Errorf("%d cells counted, there are %d", all.sum(), want)
		}
		cell := 600 / float64(size*columns) * cellHeight
		for status, areas := range h.mosaic(p, h.bins(p, size)) {
			total := 0.0
			for _, a := range areas {
				total += (a[1].x - a[0].x) * (a[2].y - a[1].y)
			}
			want := cell * float64(all[status])
			if statuses[status].cell == (style{}) { // they are left blank
				want = 0
			}
			if math.Abs(total-want) > 1e-6*cell {
				t.Errorf("%s covers %v, want %v", statuses[status].name, total, want)
			}
		}
	})
}

// Each seed is in one column, and a column's hatched part is never 0 where one of its seeds failed.
func TestBins(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "seeds")
		var h HeatMap
		for i := range n {
			h.Seeds = append(h.Seeds, HeatColumn{Label: strconv.Itoa(i), Failed: rapid.IntRange(0, 4).Draw(t, "failed") == 0})
		}
		p := plot{x: axis{lo: -0.5, hi: float64(n) - 0.5}.scale(0, 600)}
		next := 0
		for _, b := range h.bins(p, rapid.IntRange(1, 50).Draw(t, "size")) {
			failed := 0
			for _, s := range h.Seeds[b.from:b.to] {
				if s.Failed {
					failed++
				}
			}
			switch {
			case b.from != next || b.to <= b.from:
				t.Errorf("column %v after seed %d", b, next)
			case failed == 0 && b.ran != b.right, failed > 0 && b.ran >= b.right, b.ran < b.left-1e-9:
				t.Errorf("%d failed seeds are drawn as %v", failed, b)
			case failed == b.to-b.from && b.ran > b.left+1e-9:
				t.Errorf("all seeds of %v failed", b)
			}
			next = b.to
		}
		if next != n {
			t.Errorf("%d of %d seeds have a column", next, n)
		}
	})
}

func TestHatchStaysInItsBox(t *testing.T) {
	from, to := point{10, 20}, point{31, 64}
	lines := hatch(from, to, 6)
	if len(lines) < 8 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		for _, p := range line {
			if p.x < from.x || p.x > to.x || p.y < from.y-1e-9 || p.y > to.y+1e-9 {
				t.Errorf("%v is outside of %v to %v", p, from, to)
			}
		}
	}
}

func TestForestLimit(t *testing.T) {
	rows := func(means ...float64) (f Forest) {
		for _, m := range means {
			f.Rows = append(f.Rows, Difference{Estimate: Estimate{Mean: m, Lo: math.NaN()}})
		}
		return f
	}
	wide := rows(0.1, 0.2, 0.3)
	wide.Rows[1].Lo, wide.Rows[1].Hi = -9, 0.5
	open := rows(0.1, 0.2, 0.3)
	open.Rows[1].Lo, open.Rows[1].Hi = -0.4, math.Inf(1)
	var many Forest
	for i := range 40 {
		many.Rows = append(many.Rows, rows(0.1+float64(i)/1000).Rows...)
	}
	four := many
	four.Rows = append(rows(50, 60, 70, 80).Rows, many.Rows...)
	five := four
	five.Rows = append(rows(50, 60, 70, 80, 90).Rows, many.Rows...)
	tests := []struct {
		name string
		f    Forest
		want float64
	}{
		{"none", Forest{}, 0},
		{"all 0", rows(0, 0, 0), 0},
		{"undefined", rows(math.NaN(), math.Inf(-1)), 0},
		{"one", rows(50), 50},
		{"two may differ", rows(0.1, 50), 50},
		{"one of three flattens the others", rows(0.1, -50, 0.2), 0.25},
		{"but not where it is five times as far", rows(0.1, -1, 0.2), 1},
		{"rows at 0 are not what is flattened", rows(0, 0, 0, 0, 3), 3},
		{"an interval flattens too", wide, 0.375},
		{"an end at infinity does not count", open, 0.4},
		{"four of 44", four, 1.25 * 0.139},
		{"five of 45 are too many to cut", five, 90},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.f.limit(); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("drawn as far as %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSigned(t *testing.T) {
	tests := []struct {
		v         float64
		want      string
		inColumns string // where the axis ends at 0.5
	}{
		{0, "0", "0"}, {0.00399, "+0.00399", "+0.0040"}, {-0.25, "−0.25", "−0.2500"}, {1234.5, "+1,234", "+1,234.5000"},
		{math.Inf(1), "+∞", "+∞"}, {math.Inf(-1), "−∞", "−∞"}, {1e300, "+1e300", "+1e300"},
	}
	in := signedAs(axis{lo: -0.5, hi: 0.1})
	for _, tt := range tests {
		if got := signed(tt.v); got != tt.want {
			t.Errorf("signed(%v) = %q, want %q", tt.v, got, tt.want)
		}
		if got := in(tt.v); got != tt.inColumns {
			t.Errorf("%v in a column: %q, want %q", tt.v, got, tt.inColumns)
		}
	}
}

// Thresholds are in the frame where that leaves room for the rows, and else at the right alone.
func TestForestThresholds(t *testing.T) {
	rows := func(mean float64, losses ...float64) (f Forest) {
		for _, loss := range losses {
			f.Rows = append(f.Rows, Difference{Estimate: Estimate{Label: "a", Mean: mean, Lo: math.NaN()}, Loss: loss})
		}
		return f
	}
	const within = "degradation below"
	tests := []struct {
		name   string
		f      Forest
		legend []string
		values string // at the right of the first row
	}{
		{"near", rows(-0.1, -0.25), []string{within}, ""},
		{"far", rows(-0.01, -0.25), nil, "−0.25000"},
		{"both", rows(-0.1, -0.25, -9), []string{within}, "−0.2500"},
		{"nothing changed", rows(0, -0.25, -9), []string{within}, "−0.2500"},
		{"none", rows(-0.1, 0, math.NaN(), math.Inf(-1)), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.f.figure()
			var legend []string
			for _, e := range f.legend {
				if strings.HasPrefix(e.name, within) {
					legend = append(legend, e.name)
				}
			}
			values := ""
			if cells := f.rows[0].cells; len(cells) > 2 {
				values = cells[2]
			}
			if !slices.Equal(legend, tt.legend) || values != tt.values {
				t.Errorf("legend %q, value %q, want %q, %q", legend, values, tt.legend, tt.values)
			}
		})
	}
}
