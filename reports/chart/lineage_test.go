package chart

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
)

// anyLineage has up to most candidates of every kind.
func anyLineage(t *rapid.T, most int) (l Lineage) {
	state := rapid.Uint64().Draw(t, "state")
	for i := range rapid.IntRange(0, most).Draw(t, "candidates") {
		state = state*6364136223846793005 + 1442695040888963407
		c := Candidate{Number: i, Decision: Decision(state >> 32 % uint64(nDecisions)), Estimate: Estimate{Mean: float64(state>>40&0xffff) / 655.36}}
		if state>>20&15 == 0 {
			c.Mean = math.NaN()
		}
		l.Candidates = append(l.Candidates, c)
	}
	return l
}

// Every candidate that is scored, failed or was refused is a point of its decision, and no other.
func TestLineagePoints(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := anyLineage(t, 600)
		want, got := map[string]int{}, map[string]int{}
		for _, c := range l.Candidates {
			if c.isScored() || c.isBelow() {
				want[decisions[c.Decision].name]++
			}
		}
		for _, s := range l.Plot().Series {
			for d := range nDecisions {
				if name, _, _ := strings.Cut(s.Name, " "); name == decisions[d].name && s.Size > 0 {
					got[name] += len(s.below)
					for i, y := range s.Y {
						if finite(y) && l.Candidates[i].Decision != d {
							t.Errorf("candidate %d is drawn as %s", i, s.Name)
						}
						if finite(y) {
							got[name]++
						}
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func columnExtremes(points []point, side pixel) map[int][2]float64 {
	m := map[int][2]float64{}
	for _, p := range points {
		column := int(math.Floor(p.x / float64(side)))
		e, ok := m[column]
		if !ok {
			e = [2]float64{p.y, p.y}
		}
		m[column] = [2]float64{min(e[0], p.y), max(e[1], p.y)}
	}
	return m
}

// What is left out lies in a square with a point that stays.
func TestThin(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) point {
			return point{rapid.Float64Range(0, 100).Draw(t, "x"), rapid.Float64Range(0, 100).Draw(t, "y")}
		}), 0, 300).Draw(t, "points")
		side := rapid.SampledFrom([]pixel{1, 4, 32}).Draw(t, "side")
		kept := thin(points, side)
		square := func(p point) [2]int { return [2]int{int(p.x / float64(side)), int(p.y / float64(side))} }
		for _, p := range points {
			if !slices.ContainsFunc(kept, func(k point) bool { return square(k) == square(p) }) {
				t.Errorf("%v has no neighbour", p)
			}
		}
		for _, k := range kept {
			if !slices.Contains(points, k) {
				t.Errorf("%v is made up", k)
			}
		}
		if diff := cmp.Diff(columnExtremes(points, side), columnExtremes(kept, side)); diff != "" {
			t.Error(diff)
		}
	})
}

// What failed, and what was refused without a score, stands below every score; a refused one with a score stands at it.
func TestLineageBelow(t *testing.T) {
	nan := math.NaN()
	l := Lineage{Candidates: []Candidate{
		{Number: 1, Decision: Rejected, Estimate: Estimate{Mean: 3}}, {Number: 2, Decision: Refused, Estimate: Estimate{Mean: 7}},
		{Number: 3, Decision: Refused, Estimate: Estimate{Mean: nan}}, {Number: 4, Decision: Failed, Estimate: Estimate{Mean: 5}},
	}}
	f := l.figure()
	if f.empty != "" || f.floor != belowLane {
		t.Errorf("empty %q, floor %v", f.empty, f.floor)
	}
	p := l.Plot()
	at := plot{bottom: 300, x: axis{hi: 10}.scale(0, 10), y: axis{hi: 10}.scale(300-f.floor, 0)}
	for _, s := range p.Series {
		switch points := p.points(s, at); s.Name {
		case "refused 2":
			if points[0].y >= 200 || points[1].y <= at.bottom-belowLane {
				t.Errorf("refused at %v", points)
			}
		case "failed 1":
			if len(points) != 1 || points[0].y <= at.bottom-belowLane {
				t.Errorf("failed at %v", points)
			}
		}
	}
}

// texts returns where the texts of a chart begin.
func texts(t *testing.T, c Chart) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := SVG(&b, c); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`<text [^>]*x="([^"]*)"[^>]*>(?:<title>[^<]*</title>)?([^<]*)</text>`).FindAllStringSubmatch(b.String(), -1) {
		found[m[2]] = m[1]
	}
	return found
}

// Where scores have a scale, neither the axis nor an interval leaves it; where a score does, the scale is not known.
func TestLineageScale(t *testing.T) {
	l := Lineage{Most: 100, Candidates: []Candidate{
		{Number: 1, Decision: Accepted, Estimate: Estimate{Mean: 96, Lo: 90, Hi: 110}}, {Number: 2, Decision: Accepted, Estimate: Estimate{Mean: 4, Lo: -20, Hi: 7}},
	}}
	if y := l.figure().y; y.lo != 0 || y.hi != 100 {
		t.Errorf("y goes from %v to %v", y.lo, y.hi)
	}
	var ends []float64
	for _, i := range l.Plot().Framed().Intervals {
		ends = append(ends, i.Y0, i.Y1)
		if i.Cut != [2]bool{i.X0 == 2, i.X0 == 1} {
			t.Errorf("%v is not marked as cut", i)
		}
	}
	if !slices.Equal(ends, []float64{90, 100, 0, 7}) {
		t.Errorf("ends at %v", ends)
	}
	l.Candidates[0].Mean = 101
	if y := l.figure().y; y.hi < 110 || y.lo > -20 {
		t.Errorf("y goes from %v to %v", y.lo, y.hi)
	}
}

// Several rollbacks at one place are counted; what the legend says of the line is never cut.
func TestLineageRollbackNames(t *testing.T) {
	l := Lineage{Candidates: []Candidate{{Number: 0, Decision: Root, Head: true, Estimate: Estimate{Mean: 1}}}}
	for i := range 12 {
		l.Candidates = append(l.Candidates, Candidate{Number: i + 1, Decision: Accepted, Estimate: Estimate{Mean: float64(i)}})
	}
	l.Rollbacks = []Rollback{{After: 2, To: 1, Name: "v2"}, {After: 12, To: 2, Name: "v3"}, {After: 12, To: 0, Name: "v1"}}
	found := texts(t, l)
	for _, text := range []string{"to v2", "2 rollbacks to v1", "root", "head", l.LineName()} {
		if _, there := found[text]; !there {
			t.Errorf("no %q in %v", text, found)
		}
	}
	undecided := Lineage{Candidates: []Candidate{{Number: 0, Decision: Root, Estimate: Estimate{Mean: 1}}, {Number: 1, Best: true, Estimate: Estimate{Mean: 2}}, {Number: 2, Estimate: Estimate{Mean: 1.5}}}}
	for _, l := range []Lineage{l, undecided, {Candidates: l.Candidates}} {
		if name := l.LineName(); name == "" || textWidth(name, sizeLabel) > nameRoom {
			t.Errorf("the legend has no room for %q", name)
		}
	}
}

// The best score so far follows accepted candidates, and a rollback takes it back.
func TestBestSoFar(t *testing.T) {
	t.Parallel()
	at := func(number int, d Decision, mean float64) Candidate {
		return Candidate{Number: number, Decision: d, Estimate: Estimate{Mean: mean}}
	}
	l := Lineage{
		Candidates: []Candidate{at(0, Root, 50), at(1, Accepted, 60), at(2, Rejected, 90), at(3, Accepted, 70), at(4, Rejected, 10), at(5, Accepted, 55)},
		Rollbacks:  []Rollback{{After: 3, To: 0}},
	}
	if got, want := l.bestSoFar(), []float64{50, 60, 60, 70, 50, 55}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if best, ok := l.best(); !ok || best.Number != 3 {
		t.Errorf("the best is %v", best)
	}
	l.Minimize, l.Rollbacks = true, nil
	if got, want := l.bestSoFar(), []float64{50, 50, 50, 50, 50, 50}; !slices.Equal(got, want) {
		t.Errorf("less is better: %v, want %v", got, want)
	}
	undecided := Lineage{Candidates: []Candidate{at(0, Root, 1), at(1, Undecided, 2), at(2, Undecided, 1.5)}}
	if got, want := undecided.bestSoFar(), []float64{1, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("nothing is decided: %v, want %v", got, want)
	}
	none := Lineage{Candidates: []Candidate{at(1, Rejected, 9), at(2, Failed, 10), at(3, Accepted, math.NaN())}}
	if got := none.bestSoFar(); slices.ContainsFunc(got, finite) || none.LineName() != "" {
		t.Errorf("none is accepted, and the line is %v", got)
	}
}
