package chart

import (
	"cmp"
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
}

// Candidate is one version that was tried, or the root.
type Candidate struct {
	Number   int
	Decision Decision
	Head     bool // it is active
	Best     bool // it has the best score of those on which nothing was decided
	OnPath   bool // it led to the active version, or is active; pictures do not show it
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

func (c Candidate) decision() Decision {
	if c.Decision < 0 || c.Decision >= nDecisions {
		return Undecided
	}
	return c.Decision
}

// words returns "candidate 41, 0.87".
func (c Candidate) words() string {
	if c.decision() == Root && finite(c.Mean) {
		return "the root, " + number(c.Mean)
	}
	if !finite(c.Mean) {
		return "candidate " + whole(c.Number) + ", without a score"
	}
	return "candidate " + whole(c.Number) + ", " + number(c.Mean)
}

// isScored reports whether there is a point to draw.
func (c Candidate) isScored() bool { return c.decision() != Failed && finite(c.Mean) }

// isBelow reports whether it is drawn in the lane below the scores.
func (c Candidate) isBelow() bool {
	return c.decision() == Failed || c.decision() == Refused && !c.isScored()
}

// isHead reports whether there is a point to draw for the head.
func (c Candidate) isHead() bool { return c.Head && c.isScored() }

// isBest reports whether there is a point to draw for the best score.
func (c Candidate) isBest() bool { return c.Best && c.isScored() }

var decisions = [nDecisions]string{Undecided: "undecided", Accepted: "accepted", Rejected: "rejected", Failed: "failed", Refused: "refused", Root: "root"}

// ordered sorts candidates and rollbacks by number.
func (l Lineage) ordered() Lineage {
	l.Candidates, l.Rollbacks = slices.Clone(l.Candidates), slices.Clone(l.Rollbacks)
	slices.SortStableFunc(l.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortStableFunc(l.Rollbacks, func(a, b Rollback) int { return cmp.Compare(a.After, b.After) })
	return l
}

func (l Lineage) figure() figure {
	l = l.ordered()
	f := figure{kind: "Scores of a lineage", title: l.Title, xLabel: l.XLabel, yLabel: l.YLabel}
	intervals := l.intervals()
	var x extent
	scores := l.scores()
	y := scores
	var counts [nDecisions]int
	unscored := 0
	for _, c := range l.Candidates {
		x.add(float64(c.Number))
		counts[c.decision()]++
		if !c.isScored() && !c.isBelow() {
			unscored++
		}
		if c.isBelow() {
			f.floor = belowLane
		}
		if intervals.of(c) {
			y.add(l.onScale(c.Lo, scores))
			y.add(l.onScale(c.Hi, scores))
		}
	}
	f.subtitle = count(len(l.Candidates)-counts[Root], "candidate", "candidates")
	if counts[Root] > 0 {
		f.subtitle += " and the root"
	}
	if len(l.Rollbacks) > 0 {
		f.subtitle += ", " + count(len(l.Rollbacks), "rollback", "rollbacks")
		f.lane = rollbackLane
	}
	if unscored > 0 {
		f.subtitle += ", " + whole(unscored) + " without a score not drawn"
	}
	f.facts = l.facts(f.subtitle, counts, y)
	f.x, f.y = axis{lo: x.lo - 0.5, hi: x.hi + 0.5, whole: true}.widened(), upright(y).within(l.Least, l.Most, scores)
	switch {
	case len(l.Candidates) == 0:
		f.empty = "no candidates"
	case y.n == 0:
		f.empty = "no scores"
	}
	f.noted = len(l.Candidates) > maxMarked || len(l.Rollbacks) > maxRollbacks
	f.legend = l.legend(counts, intervals)
	f.data = func(c canvas, p plot) string { return l.draw(c, p, intervals) }
	return f
}

// scores returns all that are drawn.
func (l Lineage) scores() (scores extent) {
	for _, c := range l.Candidates {
		if c.isScored() {
			scores.add(c.Mean)
		}
	}
	return scores
}

// onScale returns the end of an interval that is drawn: where all scores are on the scale, it does not leave that.
func (l Lineage) onScale(v float64, scores extent) float64 {
	if l.Least < l.Most && l.Least <= scores.lo && scores.hi <= l.Most {
		return max(l.Least, min(l.Most, v))
	}
	return v
}

// undecided reports whether there are candidates with scores, and that none was accepted or rejected.
func (l Lineage) undecided() bool {
	scored := false
	for _, c := range l.Candidates {
		switch c.decision() {
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
		d := c.decision()
		return c.isScored() && (d == Root || d == Accepted || undecided && d == Undecided)
	}
}

// Intervals says how many intervals are drawn, of how many.
func (l Lineage) Intervals() (n, of int) {
	shown := l.intervals()
	for _, c := range l.Candidates {
		if c.isScored() && c.hasInterval() {
			of++
			if shown.of(c) {
				n++
			}
		}
	}
	return n, of
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

// shownIntervals says which candidates have their intervals drawn.
type shownIntervals struct{ accepted, others bool }

// intervals returns the intervals that are drawn, if there are few enough of them.
func (l Lineage) intervals() (shown shownIntervals) {
	all, accepted := 0, 0
	for _, c := range l.Candidates {
		if c.isScored() && c.hasInterval() {
			all++
			if c.decision() == Accepted {
				accepted++
			}
		}
	}
	return shownIntervals{accepted: 0 < accepted && accepted <= maxIntervals, others: accepted < all && all <= maxIntervals}
}

func (s shownIntervals) of(c Candidate) bool {
	return c.isScored() && c.hasInterval() && (s.others || s.accepted && c.decision() == Accepted)
}

func (l Lineage) facts(subtitle string, counts [nDecisions]int, y extent) []string {
	facts := []string{subtitle + "."}
	var kinds []string
	for d, n := range counts[:Root] {
		kinds = append(kinds, decisions[d]+" "+whole(n))
	}
	facts = append(facts, "Candidates: "+listed(len(kinds), func(i int) string { return kinds[i] })+".")
	if y.n > 0 {
		facts = append(facts, "Scores are "+y.span()+".")
	}
	for _, c := range l.Candidates {
		if c.Head {
			facts = append(facts, "The head is "+c.words()+".")
		}
	}
	if best, ok := l.best(); ok {
		name := "The best accepted is "
		if l.undecided() {
			name = "Nothing was decided; the " + l.bestName() + " is that of "
		}
		facts = append(facts, name+best.words()+".")
	}
	if len(l.Rollbacks) > 0 {
		facts = append(facts, "Rollbacks: "+listed(len(l.Rollbacks), func(i int) string {
			return "after " + whole(l.Rollbacks[i].After) + " to " + whole(l.Rollbacks[i].To)
		})+".")
	}
	return facts
}
