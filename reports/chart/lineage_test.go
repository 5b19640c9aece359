package chart

import (
	"math"
	"slices"
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

// All candidates are drawn or counted; the accepted ones are drawn, and the extremes of each column.
func TestLineagePoints(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		l := anyLineage(t, 6000)
		p := plot{right: 900, bottom: 300, x: axis{hi: 6000}.scale(0, 900), y: axis{hi: 100}.scale(300, 0)}
		points, left, square := l.points(p)
		drawn, scored := 0, 0
		for _, kind := range points {
			drawn += len(kind)
		}
		var all [nDecisions][]point
		for _, c := range l.Candidates {
			at := p.at(float64(c.Number), c.Mean)
			if c.isBelow() {
				at.y = p.bottom - belowLane/2
			}
			if c.isBelow() || finite(c.Mean) {
				scored++
				all[c.Decision] = append(all[c.Decision], at)
			}
		}
		if drawn+left != scored {
			t.Errorf("%d drawn and %d left out, of %d", drawn, left, scored)
		}
		if scored <= maxMarked && left > 0 {
			t.Errorf("%d of %d left out", left, scored)
		}
		if diff := cmp.Diff(all[Accepted], points[Accepted], unexported); diff != "" { // there are never more than 2,000
			t.Errorf("accepted: %s", diff)
		}
		if square > 0 {
			for d := range all {
				if diff := cmp.Diff(columnExtremes(all[d], square), columnExtremes(points[d], square)); diff != "" {
					t.Errorf("%s: %s", decisions[d], diff)
				}
			}
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
	p := plot{bottom: 300, x: axis{hi: 10}.scale(0, 10), y: axis{hi: 10}.scale(300-f.floor, 0)}
	points, _, _ := l.points(p)
	lowest := points[Rejected][0].y
	if at := points[Refused]; at[0].y >= lowest || at[1].y <= p.bottom-belowLane {
		t.Errorf("refused at %v, the lowest score at %v", at, lowest)
	}
	if at := points[Failed]; at[0].y <= p.bottom-belowLane {
		t.Errorf("failed at %v", at)
	}
}

func TestSteps(t *testing.T) {
	score := func(number int, d Decision, mean float64) Candidate {
		return Candidate{Number: number, Decision: d, Estimate: Estimate{Mean: mean}}
	}
	l := Lineage{Candidates: []Candidate{
		score(0, Rejected, 9), score(1, Accepted, 2), score(2, Accepted, 1), score(3, Failed, 10), score(4, Accepted, 5), score(5, Undecided, 7),
		score(6, Accepted, math.NaN()), score(8, Rejected, 6),
	}}
	p := plot{x: axis{hi: 10}.scale(0, 10), y: axis{hi: 10}.scale(10, 0)}
	want := [][]point{{{1, 8}, {4, 8}, {4, 5}, {8, 5}}}
	if diff := cmp.Diff(want, l.steps(p), unexported); diff != "" {
		t.Error(diff)
	}
	// After the fourth it is back at the first, and after the sixth at one without a score.
	back := l
	back.Rollbacks = []Rollback{{After: 4, To: 2}, {After: 4, To: 1}, {After: 6, To: 6, Name: "v9"}}
	want = [][]point{{{1, 8}, {4, 8}, {4, 5}, {4.5, 5}, {4.5, 9}, {4.5, 9}, {4.5, 8}, {6.5, 8}}}
	if diff := cmp.Diff(want, back.steps(p), unexported); diff != "" {
		t.Error(diff)
	}
	if n := back.together(1); n != 2 || back.together(2) != 1 || back.LineName() == l.LineName() {
		t.Errorf("%d together", n)
	}
	if best, ok := l.best(); !ok || best.Number != 4 {
		t.Errorf("the best is %v", best)
	}
	if line := (Lineage{Candidates: l.Candidates[:1]}).steps(p); line != nil {
		t.Errorf("none is accepted, and the line is %v", line)
	}
}

// sketch remembers what is drawn.
type sketch struct {
	nowhere
	texts map[string]point
	runs  [][]point
	inks  []style
}

func (s *sketch) polyline(points []point, st style) {
	s.runs, s.inks = append(s.runs, points), append(s.inks, st)
}

func (s *sketch) text(x, y float64, text string, _ textStyle) {
	s.abridged(x, y, text, "", textStyle{})
}

func (s *sketch) abridged(x, y float64, text, _ string, _ textStyle) {
	if s.texts == nil {
		s.texts = map[string]point{}
	}
	s.texts[text] = point{x, y}
}

func sketched(l Lineage) *sketch {
	s := &sketch{}
	l.figure().draw(s)
	return s
}

// The line above the lane of what failed does not reach into the labels of the ticks.
func TestLineageLaneLine(t *testing.T) {
	s := sketched(Lineage{Candidates: []Candidate{{Number: 1, Decision: Accepted, Estimate: Estimate{Mean: 20}}, {Number: 2, Decision: Accepted, Estimate: Estimate{Mean: 80}}, {Number: 3, Decision: Failed}}})
	label, there := s.texts["20"]
	if !there {
		t.Fatalf("no tick: %v", s.texts)
	}
	for _, run := range s.runs {
		if len(run) == 2 && run[0].y == run[1].y && run[1].x-run[0].x > width/2 && run[0].x < label.x {
			t.Errorf("a line from %v reaches into the labels, which end at %v", run[0], label.x)
		}
	}
}

// Where scores have a scale, neither the axis nor an interval leaves it; where a score does, the scale is not known.
func TestLineageScale(t *testing.T) {
	l := Lineage{Most: 100, Candidates: []Candidate{
		{Number: 1, Decision: Accepted, Estimate: Estimate{Mean: 96, Lo: 90, Hi: 110}}, {Number: 2, Decision: Accepted, Estimate: Estimate{Mean: 4, Lo: -20, Hi: 7}},
	}}
	if y := l.figure().y; y.lo != 0 || y.hi != 100 {
		t.Errorf("y goes from %v to %v", y.lo, y.hi)
	}
	s := sketched(l)
	ends := map[float64]int{}
	for i, run := range s.runs {
		if s.inks[i] == intervalStyle && run[0].y == run[1].y && run[1].x-run[0].x == maxCap {
			ends[run[0].y]++
		}
	}
	if len(ends) != 2 { // of the four the two that are on the scale
		t.Errorf("ends at %v", ends)
	}
	l.Candidates[0].Mean = 101
	if y := l.figure().y; y.hi < 110 || y.lo > -20 {
		t.Errorf("y goes from %v to %v", y.lo, y.hi)
	}
}

// Several rollbacks at one place are counted, on the side where there is room; what the legend says of the line is
// never cut.
func TestLineageRollbackNames(t *testing.T) {
	l := Lineage{Candidates: []Candidate{{Number: 0, Decision: Root, Head: true, Estimate: Estimate{Mean: 1}}}}
	for i := range 12 {
		l.Candidates = append(l.Candidates, Candidate{Number: i + 1, Decision: Accepted, Estimate: Estimate{Mean: float64(i)}})
	}
	l.Rollbacks = []Rollback{{After: 2, To: 1, Name: "v2"}, {After: 12, To: 2, Name: "v3"}, {After: 12, To: 0, Name: "v1"}}
	s := sketched(l)
	for _, text := range []string{"to v2", "2 rollbacks to v1", "root", "head", l.LineName()} {
		if _, there := s.texts[text]; !there {
			t.Errorf("no %q in %v", text, s.texts)
		}
	}
	if at := s.texts["2 rollbacks to v1"]; at.x > l.place(plot{x: axis{lo: -0.5, hi: 12.5}.scale(40, width-2*margin)}, 1) {
		t.Errorf("it stands at %v", at)
	}
	l.Rollbacks[1].Name, l.Rollbacks[2].Name = "v3", "a name that has room on neither side of its line, because it is as long as no label of a version has ever been, of which there are a few, as far as anybody knows"
	if _, there := sketched(l).texts["×2"]; !there {
		t.Error("the rollbacks are not counted")
	}
	undecided := Lineage{Candidates: []Candidate{{Number: 0, Decision: Root, Estimate: Estimate{Mean: 1}}, {Number: 1, Best: true, Estimate: Estimate{Mean: 2}}, {Number: 2, Estimate: Estimate{Mean: 1.5}}}}
	for _, l := range []Lineage{l, undecided, {Candidates: l.Candidates}} {
		if name := l.LineName(); name == "" || textWidth(name, sizeLabel) > nameRoom {
			t.Errorf("the legend has no room for %q", name)
		}
	}
	p := plot{x: axis{hi: 10}.scale(0, 10), y: axis{hi: 10}.scale(10, 0)}
	if diff := cmp.Diff([][]point{{{0, 9}, {1, 9}, {1, 8}, {2, 8}}}, undecided.steps(p), unexported); diff != "" {
		t.Error(diff)
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
	if got, want := l.BestSoFar(), []float64{50, 60, 60, 70, 50, 55}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	l.Minimize, l.Rollbacks = true, nil
	if got, want := l.BestSoFar(), []float64{50, 50, 50, 50, 50, 50}; !slices.Equal(got, want) {
		t.Errorf("less is better: %v, want %v", got, want)
	}
}
