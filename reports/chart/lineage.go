package chart

import (
	"cmp"
	"math"
	"slices"
)

// Lineage shows the scores of candidates in the order of their numbers: the root as a diamond, accepted ones as dots,
// rejected ones as faint strokes, refused ones as triangles, failed ones as crosses; what failed or was refused
// without a score stands in a lane below the scores. The best accepted score so far is a line, which leaves out what
// was rolled back; if nothing was decided, the best score so far. Rollbacks are upright lines. Where there are many,
// those that would lie upon others are not drawn, and counted.
type Lineage struct {
	Title, XLabel, YLabel string
	Interval              string  // what Lo and Hi are: "95% t interval"; without it "interval"
	Least, Most           float64 // the scale of the scores; both 0 if it is not known
	Minimize              bool    // less is better
	Candidates            []Candidate
	Rollbacks             []Rollback
	Number                func(float64) string // writes a score; nil for four digits
}

// Candidate is one version that was tried, or the root.
type Candidate struct {
	Number   int
	Decision Decision
	Head     bool // it is active
	Best     bool // it has the best score of those on which nothing was decided
	OnPath   bool // it led to the active version, or is active
	Estimate      // of its score. That of a failed one is not drawn
}

// Decision is what became of a candidate. Others than these are taken for [Undecided].
type Decision int

// The decisions.
const (
	Undecided Decision = iota
	Accepted
	Rejected
	Failed
	Refused // never tried: drawn where it has a score all the same
	Root    // what others came from: active without a decision
	nDecisions
)

// Rollback is a return to an earlier candidate.
type Rollback struct {
	After int    // number of the last candidate before it
	To    int    // number of the candidate that is active again
	Name  string // of what is active again; else its number
}

// decisions are how candidates look.
var decisions = [nDecisions]struct {
	name   string
	shape  Shape
	ink    Ink
	size   float64
	hollow bool
}{
	Undecided: {"undecided", square, blue, markerSize, true}, Accepted: {"accepted", disk, blue, markerSize, false}, Rejected: {"rejected", dash, axisInk, markerSize, false},
	Failed: {"failed", cross, vermillion, markerSize, false}, Refused: {"refused", downward, axisInk, markerSize, true}, Root: {"root", diamond, blue, 1.2 * markerSize, false},
}

// drawn are the decisions in the order of legends.
var drawn = [...]Decision{Rejected, Refused, Failed, Undecided, Accepted, Root}

func (d Decision) known() Decision {
	if d < 0 || d >= nDecisions {
		return Undecided
	}
	return d
}

// series returns a series for a decision.
func (d Decision) series(n, counted int) Series {
	look := decisions[d]
	s := newSeries(look.name, n, look.ink)
	if d != Root {
		s.Name += " " + whole(counted)
	}
	s.Shape, s.Size, s.Hollow = look.shape, look.size, look.hollow
	return s
}

// words returns "candidate 41, 0.87".
func (c Candidate) words() string {
	name, score := "candidate "+whole(c.Number), "without a score"
	if c.Decision.known() == Root && finite(c.Mean) {
		name = "the root"
	}
	if finite(c.Mean) {
		score = number(c.Mean)
	}
	return name + ", " + score
}

// isScored reports whether there is a point to draw.
func (c Candidate) isScored() bool { return c.Decision.known() != Failed && finite(c.Mean) }

// isBelow reports whether it is drawn in the lane below the scores.
func (c Candidate) isBelow() bool {
	return c.Decision.known() == Failed || c.Decision.known() == Refused && !c.isScored()
}

// ordered sorts candidates and rollbacks by number.
func (l Lineage) ordered() Lineage {
	l.Candidates, l.Rollbacks = slices.Clone(l.Candidates), slices.Clone(l.Rollbacks)
	slices.SortStableFunc(l.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortStableFunc(l.Rollbacks, func(a, b Rollback) int { return cmp.Compare(a.After, b.After) })
	return l
}

// undecided reports whether there are candidates with scores, and that none was accepted or rejected.
func (l Lineage) undecided() bool {
	scored := false
	for _, c := range l.Candidates {
		switch c.Decision.known() {
		case Accepted, Rejected:
			return false
		case Undecided:
			scored = scored || c.isScored()
		}
	}
	return scored
}

// runs says which candidates the line of the best score follows.
func (l Lineage) runs() func(Candidate) bool {
	undecided := l.undecided()
	return func(c Candidate) bool {
		d := c.Decision.known()
		return c.isScored() && (d == Root || d == Accepted || undecided && d == Undecided)
	}
}

// isBetter reports whether a score is better than another.
func (l Lineage) isBetter(a, b float64) bool {
	if l.Minimize {
		a, b = b, a
	}
	return a > b
}

// best returns the candidate with the best score of those that the line follows, the first of equals.
func (l Lineage) best() (best Candidate, ok bool) {
	runs := l.runs()
	for _, c := range l.Candidates {
		if runs(c) && (!ok || l.isBetter(c.Mean, best.Mean)) {
			best, ok = c, true
		}
	}
	return best, ok
}

// LineName returns what the line of the best score is called; empty if there is none.
func (l Lineage) LineName() string {
	if _, ok := l.best(); !ok {
		return ""
	}
	switch {
	case l.undecided():
		return "best score so far, undecided"
	case len(l.Rollbacks) > 0:
		return "best not rolled back"
	}
	return "best accepted so far"
}

// bestSoFar returns where the line of the best score is at each candidate, in the order of their numbers; NaN if there
// is no line. A rollback takes it to the score of what is active again.
func (l Lineage) bestSoFar() []float64 {
	runs, best, rollbacks := l.runs(), math.NaN(), l.Rollbacks
	list := make([]float64, len(l.Candidates))
	for i, c := range l.Candidates {
		for ; len(rollbacks) > 0 && rollbacks[0].After < c.Number; rollbacks = rollbacks[1:] {
			best = math.NaN()
			again := slices.IndexFunc(l.Candidates, func(c Candidate) bool { return c.Number == rollbacks[0].To && c.isScored() })
			if again >= 0 {
				best = l.Candidates[again].Mean
			}
		}
		if runs(c) && (math.IsNaN(best) || l.isBetter(c.Mean, best)) {
			best = c.Mean
		}
		list[i] = best
	}
	return list
}

// Intervals says how many intervals are drawn, of how many: all if they are few, else those of accepted candidates if
// these are few.
func (l Lineage) Intervals() (n, of int) {
	_, n, of = l.withInterval()
	return n, of
}

func (l Lineage) withInterval() (shown func(Candidate) bool, n, of int) {
	accepted := 0
	for _, c := range l.Candidates {
		if c.isScored() && c.hasInterval() {
			of++
			if c.Decision.known() == Accepted {
				accepted++
			}
		}
	}
	switch {
	case of <= maxIntervals:
		n = of
	case accepted <= maxIntervals:
		n = accepted
	}
	return func(c Candidate) bool {
		return n > 0 && c.isScored() && c.hasInterval() && (n == of || c.Decision.known() == Accepted)
	}, n, of
}

// Plot returns the scores with what became of each candidate.
func (l Lineage) Plot() Plot {
	l = l.ordered()
	n := len(l.Candidates)
	p := Plot{
		Title: l.Title, XLabel: l.XLabel, YLabel: l.YLabel, kind: "Scores of a lineage", IntervalName: or(l.Interval, "interval"), RuleName: "rollback",
		lo: l.Least, hi: l.Most,
	}
	hasInterval, nIntervals, ofIntervals := l.withInterval()
	if nIntervals < ofIntervals {
		p.IntervalName += " of the accepted"
	}
	var x, scores extent
	var counts [nDecisions]int
	var byDecision [nDecisions]Series
	best, path, top, head := newSeries(l.LineName(), n, green), newSeries("path to the active version", n, sky), newSeries("highest score", n, orange), newSeries("head", n, text)
	if best.Y, best.Width, best.Joins, best.Steps = l.bestSoFar(), lineWidth, true, 1; l.undecided() {
		best.Ink = orange
	}
	path.Width, path.Joins = lineWidth/2, true
	if l.Minimize {
		top.Name = "lowest score"
	}
	for _, c := range l.Candidates {
		counts[c.Decision.known()]++
	}
	for d := range byDecision {
		byDecision[d] = Decision(d).series(n, counts[d])
	}
	for i, c := range l.Candidates {
		s := &byDecision[c.Decision.known()]
		x.add(float64(c.Number))
		p.X, p.Labels = append(p.X, float64(c.Number)), append(p.Labels, c.Label)
		if c.isBelow() {
			s.below, p.below = append(s.below, i), belowLane
		}
		if !c.isScored() {
			continue
		}
		scores.add(c.Mean)
		s.Y[i] = c.Mean
		if c.OnPath {
			path.Y[i] = c.Mean
		}
		if c.Best {
			top.Y[i] = c.Mean
		}
		if c.Head {
			head.Y[i] = c.Mean
		}
		if hasInterval(c) {
			p.addUpright(float64(c.Number), c.Estimate, c.Decision.known() == Rejected)
		}
	}
	for _, s := range []*Series{&top, &head} {
		s.Shape.Name, s.Size, s.Hollow = "ring", 2*markerSize, true
	}
	var list []Series
	for _, s := range slices.Concat([]Series{top, head, path, best}, byDecision[:]) {
		if slices.ContainsFunc(s.Y, finite) || len(s.below) > 0 {
			list = append(list, s)
		}
	}
	p.Series = list
	p.describe(l, counts, scores)
	p.x = axis{lo: x.lo - 0.5, hi: x.hi + 0.5, whole: true}.widened()
	for i, r := range l.Rollbacks {
		name, again := "to "+or(r.Name, whole(r.To)), 1
		if i+1 < len(l.Rollbacks) && l.Rollbacks[i+1].After == r.After {
			continue // the last of several at one place leads to what is active
		}
		for i-again >= 0 && l.Rollbacks[i-again].After == r.After {
			again++
		}
		if again > 1 {
			name = whole(again) + " rollbacks " + name
		}
		p.Rules = append(p.Rules, Rule{float64(r.After) + 0.5, name})
	}
	p.Words = func(i int) string { return l.words(l.Candidates[i]) }
	return p
}

func (l Lineage) figure() figure { return l.Plot().figure() }

// words says what is known of a candidate.
func (l Lineage) words(c Candidate) string {
	d := c.Decision.known()
	words := "mutation " + whole(c.Number) + ", " + clean(c.Label) + ": " + decisions[d].name
	if d == Root {
		words = clean(c.Label) + ": the root"
	}
	if c.Head {
		words += ", active"
	} else if c.OnPath {
		words += ", on the path to the active version"
	}
	return words + ", " + c.Estimate.words("score", or(l.Interval, "interval")+" of the difference", numberOr(l.Number))
}

// describe sets what the subtitle and the description say.
func (p *Plot) describe(l Lineage, counts [nDecisions]int, scores extent) {
	p.subtitle = count(len(l.Candidates)-counts[Root], "candidate", "candidates")
	if counts[Root] > 0 {
		p.subtitle += " and the root"
	}
	if len(l.Rollbacks) > 0 {
		p.subtitle += ", " + count(len(l.Rollbacks), "rollback", "rollbacks")
	}
	unscored := 0
	for _, c := range l.Candidates {
		if !c.isScored() && !c.isBelow() {
			unscored++
		}
	}
	if unscored > 0 {
		p.subtitle += ", " + whole(unscored) + " without a score not drawn"
	}
	p.facts = append(p.facts, p.subtitle+".", "Candidates: "+listed(int(Root), func(d int) string { return decisions[d].name + " " + whole(counts[d]) })+".")
	switch {
	case len(l.Candidates) == 0:
		p.empty = "no candidates"
	case scores.n == 0:
		p.empty = "no scores"
	default:
		p.facts = append(p.facts, "Scores are "+scores.span()+".")
	}
	for _, c := range l.Candidates {
		if c.Head {
			p.facts = append(p.facts, "The head is "+c.words()+".")
		}
	}
	if best, ok := l.best(); ok {
		name := "The best accepted is "
		if l.undecided() {
			name = "Nothing was decided; the highest score is that of "
			if l.Minimize {
				name = "Nothing was decided; the lowest score is that of "
			}
		}
		p.facts = append(p.facts, name+best.words()+".")
	}
	if len(l.Rollbacks) > 0 {
		p.facts = append(p.facts, "Rollbacks: "+listed(len(l.Rollbacks), func(i int) string {
			return "after " + whole(l.Rollbacks[i].After) + " to " + whole(l.Rollbacks[i].To)
		})+".")
	}
}
