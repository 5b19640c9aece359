package chart

import (
	"math"
	"strconv"
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
