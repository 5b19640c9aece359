package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track/evolution"
	"track/reports/chart"
	"track/reports/document"
)

// scores draws the scores of the candidates.
func (l *lineageReport) scores() []document.Block {
	c, spark := l.scoreChart()
	text := document.Text{plain("There are no candidates yet.")}
	if spark != "" {
		text = document.Text{word(spark), plain(" scores of the candidates in the order of their proposals; · marks a candidate without a score.")}
	}
	shows := l.drawn(c)
	if shows != "" {
		text = append(text, plain(" %s", shows))
	}
	alt := "Scores of the candidates of " + l.Name
	if line := c.LineName(); line != "" {
		alt += ", with a line of the " + line
	}
	return []document.Block{document.Heading{Level: 2, Text: "Scores"}, document.Paragraph{Text: text}, document.Picture{Name: "scores", Alt: alt, Chart: c}}
}

// drawn says what the picture has and does not explain by itself.
func (l *lineageReport) drawn(c chart.Lineage) string {
	var says []string
	if len(c.Candidates) > 0 && c.Candidates[0].Decision == chart.Root {
		says = append(says, "In the chart, 0 is the root.")
	}
	switch n, of := c.Intervals(); {
	case n == 0 && of > 0:
		says = append(says, fmt.Sprintf("The %d intervals are too many to draw; the table of decisions has them.", of))
	case n > 0:
		text := "The interval is the interval of the difference, drawn from the score of the parent"
		if n < of {
			text += fmt.Sprintf("; %d of %d are drawn, for accepted mutations", n, of)
		}
		says = append(says, text+".")
	}
	if slices.ContainsFunc(c.Candidates, func(p chart.Candidate) bool { return p.Best }) {
		says = append(says, "Nothing was decided. The line is the "+l.best()+" recorded score so far and is not a verdict.")
	}
	return strings.Join(says, " ")
}

func (l *lineageReport) scoreChart() (chart.Lineage, string) {
	c := chart.Lineage{Title: "Scores of " + l.Name, XLabel: "mutation", YLabel: "score", Interval: l.intervalName(), Minimize: l.isBetter(0, 1)}
	if l.Settings.Scale == nil {
		c.Most = 100
	}
	var scores []float64
	head := l.replayed.Head
	drawnHead := false
	for _, m := range slices.Backward(l.replayed.Mutations) {
		p := l.candidate(m)
		if m.Child.Label == head && (m.State == evolution.MutationAccepted || m.Mutation == l.births[head]) && !drawnHead {
			p.Head, drawnHead = true, true
		}
		c.Candidates, scores = append(c.Candidates, p), append(scores, p.Mean)
	}
	if root := l.rootCandidate(); root != nil {
		root.Head = head == root.Label
		c.Candidates, c.XLabel = append(c.Candidates, *root), "mutation (0: the root)"
	}
	slices.Reverse(c.Candidates)
	slices.Reverse(scores)
	l.markPath(c.Candidates)
	l.markBest(c.Candidates)
	proposed := l.proposedBefore()
	for _, r := range l.rollbacks {
		c.Rollbacks = append(c.Rollbacks, chart.Rollback{After: proposed[r.Number], To: l.numberOf(r.To), Name: r.To})
	}
	const width = 60
	return c, chart.Sparkline(scores, width)
}

// candidate returns the point of a mutation: its score as it was decided, else as its source measured it.
func (l *lineageReport) candidate(m evolution.ReplayedMutation) chart.Candidate {
	p := chart.Candidate{Number: m.Number, Estimate: chart.Estimate{Label: m.Child.Label, Mean: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}}
	switch m.State {
	case evolution.MutationAccepted:
		p.Decision = chart.Accepted
	case evolution.MutationRejected:
		p.Decision = chart.Rejected
	case evolution.MutationRefused:
		p.Decision = chart.Refused
	}
	if d, decided := l.last[m.Mutation]; decided && d.Decision.NewScore != nil {
		p.Mean, p.N = *d.Decision.NewScore, d.Decision.NChild
		if i := d.Decision.Interval; i != nil && d.Decision.OldScore != nil {
			p.Lo, p.Hi = l.scoreAfter(*d.Decision.OldScore, i.Lo), l.scoreAfter(*d.Decision.OldScore, i.Hi)
			p.Lo, p.Hi = min(p.Lo, p.Hi), max(p.Lo, p.Hi)
		}
		return p
	}
	var scores []float64
	for _, t := range l.versions[m.Child.Label].Trials {
		if source, program := programOf(t); m.Source != "" && (source != m.Source || program != m.Mutation) {
			continue
		}
		if t.Failed == "" {
			scores = append(scores, *t.Score)
		} else if p.Decision != chart.Refused {
			p.Decision = chart.Failed
		}
	}
	if len(scores) > 0 && p.Decision != chart.Failed {
		p.Mean, p.N = average(scores), len(scores)
	}
	return p
}

// scoreAfter returns the score that gains so many points over another one.
func (l *lineageReport) scoreAfter(score, gain float64) float64 {
	return l.Settings.Scale.Score(l.Settings.Scale.Gain(score) + gain)
}

// scoreOf writes the score of a number of points.
func (l *lineageReport) scoreOf(points *float64) string {
	if points == nil {
		return "-"
	}
	return l.number(l.Settings.Scale.Score(*points))
}

// origin returns what the versions came from: the root, unless the lineage begins with a version that an imported run had
// made before.
func (l *lineageReport) origin() string {
	if l.births[l.root] == "" {
		return l.root
	}
	return l.pathTo(l.root)[0].version
}

// rootCandidate returns the root with the score that its first child was compared with, else with the mean of its own
// trials; nil if it has none.
func (l *lineageReport) rootCandidate() *chart.Candidate {
	origin := l.origin()
	root := chart.Candidate{Decision: chart.Root, Estimate: chart.Estimate{Label: origin, Lo: math.NaN(), Hi: math.NaN()}}
	for _, d := range l.decisions {
		if d.Decision.OldScore != nil && firstParent(l.mutations[d.Mutation]) == origin {
			root.Mean, root.N = *d.Decision.OldScore, d.Decision.NParent
			return &root
		}
	}
	var scores []float64
	for _, t := range l.versions[origin].Trials {
		_, program := programOf(t)
		if _, made := l.mutations[program]; t.Score != nil && t.Failed == "" && !made { // candidates can have its content
			scores = append(scores, *t.Score)
		}
	}
	if len(scores) == 0 {
		return nil
	}
	root.Mean, root.N = average(scores), len(scores)
	return &root
}

// markBest marks the candidate with the best score, if nothing was decided.
func (l *lineageReport) markBest(candidates []chart.Candidate) {
	if _, decided := l.bestPath(); decided {
		return
	}
	best, at := l.bestCandidate(), -1
	for i, c := range candidates {
		if c.Label == best && c.Decision != chart.Refused && !math.IsNaN(c.Mean) && (at < 0 || l.isBetter(c.Mean, candidates[at].Mean)) {
			at = i
		}
	}
	if at >= 0 {
		candidates[at].Best = true
	}
}

// intervalName returns what the intervals of the decisions are, with their methods.
func (l *lineageReport) intervalName() string {
	methods := map[string]bool{}
	for _, d := range l.decisions {
		if i := d.Decision.Interval; i != nil {
			methods[methodName(i.Method)] = true
		}
	}
	return strings.TrimSpace("95% "+strings.ReplaceAll(sortedNames(methods), ", ", " or ")) + " interval"
}

// markPath marks the candidates that led to the active version.
func (l *lineageReport) markPath(candidates []chart.Candidate) {
	path, decided := l.bestPath()
	if !decided && !l.isImported() {
		return
	}
	on := map[int]bool{}
	for _, s := range path {
		if s.mutation != nil {
			on[s.mutation.Number] = true
		} else {
			on[l.numberOf(s.version)] = true
		}
	}
	for i, c := range candidates {
		candidates[i].OnPath = on[c.Number]
	}
}

// proposedBefore returns the number of the last mutation that was proposed before each rollback, by the number of its
// entry.
func (l *lineageReport) proposedBefore() map[int]int {
	before, n := map[int]int{}, 0
	entries := slices.SortedFunc(slices.Values(l.Entries), func(a, b evolution.Entry) int { return a.Number - b.Number })
	for _, e := range entries {
		switch m, known := l.mutations[e.Mutation]; {
		case e.Kind == evolution.KindRollback:
			before[e.Number] = n
		case known && e.Kind == evolution.KindProposal:
			n = max(n, m.Number)
		}
	}
	return before
}

// numberOf returns the number of the mutation that made a version; 0 for the first version.
func (l *lineageReport) numberOf(version string) int {
	m := l.birth(version)
	if m == nil && version != l.root {
		m = l.madeBy[version]
	}
	if m == nil {
		return 0
	}
	return m.Number
}
