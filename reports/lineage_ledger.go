package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track/answer"
	"track/evolution"
	"track/reports/chart"
	"track/reports/document"
	"track/scoring/stats"
)

// Rows of the ledger: so many stand open, so many more are folded, and the others are counted.
const (
	openRows   = 30
	foldedRows = 400
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
	return strings.TrimSpace("95 % "+strings.ReplaceAll(sortedNames(methods), ", ", " or ")) + " interval"
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

// ledger returns the table of the decisions, the newest first.
func (l *lineageReport) ledger() []document.Block {
	blocks := []document.Block{document.Heading{Level: 2, Text: "Decisions"}}
	if len(l.decisions) == 0 {
		return append(blocks, paragraph(plain("There are no decisions yet.")))
	}
	blocks = append(blocks, paragraph(plain("The newest first. Delta is the difference that the policy compared. Interval is a 95 %% interval of the true difference: paired t from the pairs if there are two or more, and trials without a partner are left out; else Welch's around delta. A paired interval is around the mean difference of the pairs, which is named where it is not delta: a fitness weights trials by age. P(improvement) is the share of comparisons that the child won; a tie counts half. The comparisons are pairs with the same key, or all combinations of a trial of the child with one of the parent. n is the number of scores of the child and of the parent. Draw is the draw u next to the probability p: the mutation is accepted if u < p. It is - if the evidence alone decided. ✓ means that the replay gave the same decision. Mutation is the number of the mutation, as in the chart and in the alerts; entry is the number in the ledger.")))
	blocks = append(blocks, l.scoreKinds())
	rows := make([][]document.Text, 0, len(l.decisions))
	for _, d := range slices.Backward(l.decisions) {
		rows = append(rows, l.decisionRow(d))
		if len(rows) == openRows+foldedRows {
			break
		}
	}
	blocks = append(blocks, document.Table{Columns: decisionColumns(), Rows: rows[:min(openRows, len(rows))]})
	if len(rows) > openRows {
		blocks = append(blocks, document.Details{
			Summary: document.T(counted(len(rows)-openRows, "earlier decision", "earlier decisions")),
			Blocks:  []document.Block{document.Table{Columns: decisionColumns(), Rows: rows[openRows:]}},
		})
	}
	if left := len(l.decisions) - len(rows); left > 0 {
		blocks = append(blocks, paragraph(plain("%s left out: ", counted(left, "earlier decision is", "earlier decisions are")), word("track query "+shellWord("SELECT * FROM v_decision WHERE lineage = '"+strings.ReplaceAll(l.Name, "'", "''")+"'")+" --format csv")))
	}
	return blocks
}

func decisionColumns() []document.Column {
	return []document.Column{
		{Title: "mutation", Numeric: true}, {Title: "child"}, {Title: "verdict"}, {Title: "replay"}, {Title: "parents"}, {Title: "operator"}, {Title: "n", Numeric: true}, {Title: "delta", Numeric: true}, {Title: "interval"},
		{Title: "P(improvement)", Numeric: true}, {Title: "label"}, {Title: "draw"}, {Title: "id"}, {Title: "entry", Numeric: true},
	}
}

func (l *lineageReport) decisionRow(d lineageDecision) []document.Text {
	m, v := l.mutations[d.Mutation], d.Decision
	parents := document.Text{}
	for i, p := range m.Parents {
		if i > 0 {
			parents = append(parents, plain(" "))
		}
		parents = append(parents, word(p.Label))
	}
	interval := "-"
	if i := v.Interval; i != nil {
		interval = fmt.Sprintf("%s to %s (%s)", l.change(i.Lo), l.change(i.Hi), l.intervalBasis(*i, v.Delta))
	}
	verdict := document.Text{plain("%s", v.State)}
	switch {
	case v.Accepted:
		verdict = document.Text{strong("accept")}
	case v.State == evolution.Continue:
		verdict = document.Text{{Text: "continue", Style: document.Faint}}
	}
	if d.Attempt > 0 {
		verdict = append(verdict, plain(" (attempt %d)", d.Attempt))
	}
	replay := "✓"
	switch {
	case l.differing[d.entry.Number]:
		replay = "✗ differs"
	case l.missing[d.entry.Number]:
		replay = "✓ without evidence"
	}
	return []document.Text{
		cell("%d", m.Number), codeCell(m.Child.Label), verdict, cell("%s", replay), parents, codeCell(m.Operator), cell("%d, %d", v.NChild, v.NParent), cell("%s", l.changeOf(v.Delta)), cell("%s", interval),
		cell("%s", wonText(v.PImprove)), cell("%s", v.Label.Text(d.Policy, d.Params, v.Interval.IsAbove())), cell("%s", drawText(d)), codeCell(d.Mutation), cell("%d", d.entry.Number),
	}
}

// drawText returns the draw of a decision next to the probability that it was compared with; - if it decided nothing.
func drawText(d lineageDecision) string {
	if !d.Decision.DrawUsed {
		return "-"
	}
	return answer.DrawText(d.Draw.U, d.Decision.P)
}

// intervalBasis returns the method of an interval, what it is around if that is not delta, and the pairs that it rests
// on.
func (l *lineageReport) intervalBasis(i evolution.Interval, delta *float64) string {
	text := methodName(i.Method)
	if delta != nil && i.N > 0 && l.change(i.Estimate) != l.change(*delta) {
		text += " around " + l.change(i.Estimate)
	}
	if i.Method == "paired t" {
		text += ", " + counted(i.N, "pair", "pairs")
	}
	if i.LeftOut > 0 {
		text += ", " + counted(i.LeftOut, "trial", "trials") + " left out"
	}
	return text
}

// methodName returns what the method of an interval of a decision is called.
func methodName(method string) string {
	if method == "welch t" {
		return "Welch"
	}
	return method
}

// wonText returns P(improvement), and how many comparisons were won and tied.
func wonText(p *evolution.PImprove) string {
	if p == nil {
		return "-"
	}
	of := counted(p.N, "combination", "combinations")
	if p.Paired {
		of = counted(p.N, "pair", "pairs")
	}
	text := fmt.Sprintf("%.2f: %d of %s", p.Value, p.Wins, of)
	if p.Ties > 0 {
		text += fmt.Sprintf(", %d tied", p.Ties)
	}
	return text
}

func (l *lineageReport) rollbackList() []document.Block {
	blocks := []document.Block{document.Heading{Level: 2, Text: "Rollbacks"}}
	if len(l.rollbacks) == 0 {
		return append(blocks, paragraph(plain("None.")))
	}
	table := document.Table{Columns: []document.Column{{Title: "#", Numeric: true}, {Title: "from"}, {Title: "to"}, {Title: "trigger"}, {Title: "scores"}, {Title: "reason"}, {Title: "at"}}}
	for _, r := range l.rollbacks {
		table.Rows = append(table.Rows, []document.Text{
			cell("%d", r.Number), codeCell(r.From), codeCell(r.To), codeCell(string(r.Trigger)), cell("%s → %s", l.scoreOf(r.FromScore), l.scoreOf(r.ToScore)), document.T(r.Reason),
			cell("%s", r.At.UTC().Format("2006-01-02 15:04:05Z")),
		})
	}
	if left := len(table.Rows) - foldedRows; left > 0 {
		table.Rows = table.Rows[left:]
		blocks = append(blocks, paragraph(plain("The last %d; %d earlier ones are left out.", foldedRows, left)))
	}
	return append(blocks, table)
}

// operators tells how the operators did.
func (l *lineageReport) operators() []document.Block {
	table := document.Table{Columns: []document.Column{
		{Title: "operator"}, {Title: "risk"}, {Title: "proposed", Numeric: true}, {Title: "accepted", Numeric: true}, {Title: "rejected", Numeric: true},
		{Title: "refused", Numeric: true}, {Title: "withdrawn", Numeric: true}, {Title: "undecided", Numeric: true},
		{Title: "rate, 95 % Wilson interval"}, {Title: "mean delta, 95 % t interval"}, {Title: "cost per point", Numeric: true}, {Title: "rolled back later", Numeric: true},
	}}
	unused, undecided := 0, false
	for _, o := range l.Operators {
		if o.Proposed == 0 {
			unused++
			continue
		}
		cost := "-"
		if o.CostPerPoint != nil {
			cost = fmt.Sprintf("%.4g USD", *o.CostPerPoint)
			if o.NCost < o.Proposed {
				cost += fmt.Sprintf(" (known for %d)", o.NCost)
			}
		}
		delta, rate := l.deltaText(o.Delta), "-"
		if r := o.Rate; r != nil {
			rate = estimateText(r.Value, r.Interval, r.N, share)
		}
		if e := l.recordedDelta(o.Name); o.Delta == nil && e != nil {
			delta, undecided = "recorded "+l.deltaText(e), true
		}
		table.Rows = append(table.Rows, []document.Text{
			codeCell(o.Name), cell("%s", o.Risk), cell("%d", o.Proposed), cell("%d", o.Accepted), cell("%d", o.Rejected), cell("%d", o.Refused), cell("%d", o.Withdrawn), cell("%d", o.Open),
			document.T(rate), cell("%s", delta), cell("%s", cost), cell("%d", o.RolledBack),
		})
	}
	blocks := []document.Block{document.Heading{Level: 2, Text: "Operators"}}
	if len(table.Rows) > 0 {
		blocks = append(blocks, table)
	}
	if undecided {
		blocks = append(blocks, paragraph(plain("A recorded delta is not a verdict: nothing was decided. It is the mean difference of the recorded scores of child and parent.")))
	}
	if unused > 0 {
		blocks = append(blocks, paragraph(plain("Of the operators in the settings, %s never used.", counted(unused, "operator was", "operators were"))))
	}
	return blocks
}

// recordedDelta returns the mean difference of the recorded scores of the children of an operator and their parents,
// if nothing was decided; nil where there is none.
func (l *lineageReport) recordedDelta(operator string) *stats.Mean {
	var deltas []float64
	for _, m := range l.replayed.Mutations {
		if m.Operator != operator || !m.State.Open() || m.Delta != nil {
			continue
		}
		c := l.candidate(m)
		parent, n := l.mean(firstParent(m))
		if c.Decision == chart.Undecided && !math.IsNaN(c.Mean) && n > 0 {
			deltas = append(deltas, l.gainOver(c.Mean, parent))
		}
	}
	m, err := stats.NewMean(deltas, evolution.Confidence)
	if err != nil {
		return nil
	}
	return &m
}

// deltaText writes a mean difference with its interval and n.
func (l *lineageReport) deltaText(m *stats.Mean) string {
	if m == nil {
		return "-"
	}
	return estimateText(m.Mean, m.Interval, m.N, l.change)
}

// estimateText writes a number with its interval and n.
func estimateText(x float64, i stats.Interval, n int, text func(float64) string) string {
	if !i.Defined() {
		return fmt.Sprintf("%s (no interval, n = %d)", text(x), n)
	}
	return fmt.Sprintf("%s (%s to %s, n = %d)", text(x), text(i.Lo), text(i.Hi), n)
}
