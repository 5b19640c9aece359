package chart

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

var scores = rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.5, 0.5, 1, math.NaN(), math.Inf(1)})), 1, 450)

func finiteOf(values []float64) (n int) {
	for _, v := range values {
		if finite(v) {
			n++
		}
	}
	return n
}

// Every seed has a dot at its own score, and no dot covers another.
func TestSwarm(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		values := scores.Draw(t, "scores")
		x := axis{lo: 0, hi: 1}
		labels := make([]string, len(values))
		for i, v := range values {
			labels[i] = fmt.Sprint(v)
		}
		s, ok := newSwarm(values, labels, x)
		for i, v := range s.values {
			if s.labels[i] != fmt.Sprint(v) {
				t.Fatalf("the dot at %v is called %s", v, s.labels[i])
			}
		}
		if len(s.values) != finiteOf(values) {
			t.Fatalf("%d dots for %d scores", len(s.values), finiteOf(values))
		}
		if !ok {
			return
		}
		across := x.scale(margin, width-2*margin)
		last := map[int]float64{}
		for i, v := range s.values {
			at, level := across.at(v), s.levels[i]
			if before, there := last[level]; there && at-before < s.diameter {
				t.Errorf("two dots %v apart, which are %v wide", at-before, s.diameter)
			}
			last[level] = at
			if top := float64(level+1) * s.diameter; top > s.room || s.room > swarmRoom {
				t.Errorf("a dot %v high, in %v", top, s.room)
			}
		}
	})
}

// Every score is counted in one bar, the one it lies in, and the axis holds all bars.
func TestHistogram(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		values := scores.Draw(t, "scores")
		if finiteOf(values) == 0 {
			return
		}
		d := Distribution{Values: values, Lo: 0, Hi: 1}
		var e extent
		for _, v := range values {
			e.add(v)
		}
		x := d.axis(e)
		h := newHistogram(values, &x, d.top(e))
		if x.lo < 0 || x.hi > 1 {
			t.Errorf("the axis %v leaves the scale", x)
		}
		n, most := 0, 0
		for i, k := range h.counts {
			n, most = n+k, max(most, k)
			if h.edge(i) < x.lo || h.edge(i+1) > x.hi {
				t.Errorf("bar %d is beyond the axis %v", i, x)
			}
			within := 0
			for _, v := range values {
				if h.edge(i)-1e-9 <= v && v < h.edge(i+1)+1e-9 {
					within++
				}
			}
			if within < k {
				t.Errorf("%d seeds in the bar from %v to %v, there are %d", k, h.edge(i), h.edge(i+1), within)
			}
		}
		if n != finiteOf(values) || most != h.most {
			t.Errorf("%d seeds in bars of at most %d, there are %d; the highest bar is said to be %d", n, most, finiteOf(values), h.most)
		}
	})
}

func TestDistributionAxis(t *testing.T) {
	tests := []struct {
		name   string
		d      Distribution
		lo, hi float64
	}{
		{"all equal: a fiftieth of the scale, and a tenth more", Distribution{Values: []float64{0.5, 0.5}, Hi: 1}, 0.489, 0.511},
		{"rounding errors are not blown up", Distribution{Values: []float64{50, 50 + 1e-12}, Hi: 100}, 48.9, 51.1},
		{"no room beyond the scale", Distribution{Values: []float64{1, 0.9}, Hi: 1}, 0.895, 1},
		{"but for scores that are beyond it", Distribution{Values: []float64{0, 1.2}, Hi: 1}, 0, 1.26},
		{"a scale is not known", Distribution{Values: []float64{0.5, 0.7}}, 0.49, 0.71},
		{"the interval has room", Distribution{Values: []float64{0.5, 0.7}, Mean: &Estimate{Mean: 0.6, Lo: 0.2, Hi: 1}}, 0.16, 1.04},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e extent
			for _, v := range tt.d.Values {
				e.add(v)
			}
			got := tt.d.axis(e)
			if math.Abs(got.lo-tt.lo) > 1e-9 || math.Abs(got.hi-tt.hi) > 1e-9 {
				t.Errorf("from %v to %v, want %v to %v", got.lo, got.hi, tt.lo, tt.hi)
			}
		})
	}
}

// An interval beyond the scale is cut at it, with a mark, and told as it is.
func TestIntervalBeyondScale(t *testing.T) {
	d := Distribution{XLabel: "score (0 to 1)", Values: []float64{0.1, 0.9, 1}, Lo: 0, Hi: 1}
	drawn := func(lo, hi float64) string {
		d.Mean = &Estimate{N: 3, Mean: 0.667, Lo: lo, Hi: hi}
		if f := d.figure(); f.x.lo < 0 || f.x.hi > 1 {
			t.Errorf("%v to %v: the axis is %v", lo, hi, f.x)
		}
		var b bytes.Buffer
		if err := SVG(&b, d); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	inside, beyond := drawn(0.25, 0.95), drawn(-0.5, 1.83)
	if strings.Count(beyond, "<path") == strings.Count(inside, "<path") {
		t.Error("no mark says that the interval goes on")
	}
	if !strings.Contains(beyond, "−0.5 to 1.83") && !strings.Contains(beyond, "-0.5 to 1.83") {
		t.Errorf("the interval is not told: %.1500s", beyond)
	}
	p := Paired{Lo: 0, Hi: 1, Pairs: []Pair{{Baseline: 0.2, Candidate: 1}}}
	if f := p.figure(); f.y.lo < 0 || f.y.hi > 1 {
		t.Errorf("pairs: the axis is %v", f.y)
	}
}
