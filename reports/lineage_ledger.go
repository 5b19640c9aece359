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

// ledger returns the table of the decisions, the newest first.
func (l *lineageReport) ledger() []document.Block {
	blocks := []document.Block{document.Heading{Level: 2, Text: "Decisions"}}
	if len(l.decisions) == 0 {
		return append(blocks, paragraph(plain("There are no decisions yet.")))
	}
	blocks = append(blocks, paragraph(plain("The newest first. Delta is the difference that the policy compared. Interval is a 95%% interval of the true difference: paired t from the pairs if there are two or more, and trials without a partner are left out; else Welch's around delta. A paired interval is around the mean difference of the pairs, which is named where it is not delta: a fitness weights trials by age. P(improvement) is the share of comparisons that the child won; a tie counts half. The comparisons are pairs with the same key, or all combinations of a trial of the child with one of the parent. n is the number of scores of the child and of the parent. Draw is the draw u next to the probability p: the mutation is accepted if u < p. It is - if the evidence alone decided. ✓ means that the replay gave the same decision. Mutation is the number of the mutation, as in the chart and in the alerts; entry is the number in the ledger.")))
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
	if l.isAroundPairs(i, delta) {
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

// isAroundPairs reports whether an interval is around the mean difference of pairs, which is not delta.
func (l *lineageReport) isAroundPairs(i evolution.Interval, delta *float64) bool {
	return delta != nil && i.N > 0 && l.change(i.Estimate) != l.change(*delta)
}

// pairsText names the pairs that an interval rests on, with their mean difference if that is not delta.
func (l *lineageReport) pairsText(i evolution.Interval, delta *float64) string {
	switch {
	case l.isAroundPairs(i, delta):
		return fmt.Sprintf("; mean of %s %s", counted(i.N, "pair", "pairs"), l.change(i.Estimate))
	case i.Method == "paired t" && i.N > 0:
		return ", " + counted(i.N, "pair", "pairs")
	}
	return ""
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
		{Title: "rate, 95% Wilson interval"}, {Title: "mean delta, 95% t interval"}, {Title: "cost per point", Numeric: true}, {Title: "rolled back later", Numeric: true},
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
