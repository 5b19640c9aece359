package reports

import (
	"fmt"
	"strings"

	"track/answer"
	"track/reports/document"
	"track/scoring/format"
	"track/scoring/stats"
)

// IndexedLineage is what an index shows of a lineage.
type IndexedLineage struct {
	Name         string
	Subject      string
	Problem      string // why there is no report, and nothing of what follows
	Page         string // the report; empty if there is none
	Head         string // empty if no version is active
	Score        string // of the head, with n and interval
	Mutations    string
	Replay       string
	NDifferences int
	Alerts       []string
}

func (l *lineageReport) indexed() IndexedLineage {
	x := IndexedLineage{Name: l.Name, Subject: l.Subject, Head: l.replayed.Head, Mutations: l.statesSentence(), Replay: l.replaySentence(), NDifferences: len(l.Differences)}
	if x.Head != "" {
		x.Score = l.scoreSentence(l.scoresOf(x.Head))
	}
	for _, a := range l.foundAlerts() {
		x.Alerts = append(x.Alerts, fmt.Sprintf("%s (%d)", a.what, max(a.n, len(a.cases))))
	}
	return x
}

// lineages returns a table of the lineages that have a ledger.
func (d IndexData) lineages() []document.Block {
	const alwaysShown = 50
	blocks := []document.Block{heading("Lineages")}
	if len(d.Lineages) == 0 {
		return append(blocks, paragraph(plain("None.")))
	}
	t := columns("lineage", "of", "active version", "its score", "decisions", "replay", "alerts")
	for _, l := range d.Lineages {
		if l.Problem != "" {
			t.Rows = append(t.Rows, []document.Text{{word(l.Name)}, document.T("-"), document.T("-"), document.T("-"), document.T("-"), document.T("no report: " + l.Problem), document.T("-")})
			continue
		}
		alerts := document.T("none")
		if n := len(l.Alerts); n > 0 {
			alerts = document.Text{strong("%d", n), plain(": %s", strings.Join(l.Alerts, "; "))}
		}
		t.Rows = append(t.Rows, []document.Text{
			linked(l.Name, l.Page), document.T(l.Subject), codeCell(l.Head), document.T(format.OrDash(l.Score)), document.T(l.Mutations), document.T(strings.TrimPrefix(l.Replay, "Replay: ")), alerts,
		})
	}
	return append(blocks, folded(t, alwaysShown, "by name")...)
}

func fitnessText(f *answer.AgentFitness) string {
	if f == nil {
		return "no execution has a score"
	}
	grade := ""
	if f.Grade != "" {
		grade = ", grade " + string(f.Grade)
	}
	text := fmt.Sprintf("%.2f%s, of %s", f.Value, grade, format.Counted(f.NUsed, "score"))
	if i := f.Mean.Interval; i.Defined() {
		return text + fmt.Sprintf(" (plain mean %.2f, %s %s interval %.2f to %.2f)", f.Mean.Mean, format.Confidence(i.Confidence), i.Method, i.Lo, i.Hi)
	}
	return text + " (no interval)"
}

// agents returns a table of the agents, and one of the tasks of each.
func (d IndexData) agents() []document.Block {
	const alwaysShown, mostTasks = 50, 200
	blocks := []document.Block{heading("Agents without a ledger")}
	if len(d.Agents) == 0 {
		return append(blocks, paragraph(plain("None.")))
	}
	t := columns("agent", "#executions", "#failed", "success rate", "last executed version", "fitness of that version")
	for _, a := range d.Agents {
		t.Rows = append(t.Rows, []document.Text{
			codeCell(a.Name), cell("%d", a.NExecutions), cell("%d", a.NFailed), document.T(successText(a.Success)), document.T(format.OrDash(a.Newest)), document.T(fitnessText(a.Fitness)),
		})
	}
	blocks = append(blocks, paragraph(plain("A success is an execution that did not fail. Success rates have 95%% Wilson intervals. The executions: "), word("track executions AGENT"), plain(".")))
	blocks = append(blocks, folded(t, alwaysShown, "by name")...)
	for _, a := range d.Agents {
		if len(a.Tasks) < 2 {
			continue
		}
		tasks := columns("task", "#executions", "success rate")
		for _, task := range a.Tasks[:min(mostTasks, len(a.Tasks))] {
			tasks.Rows = append(tasks.Rows, []document.Text{codeCell(task.Name), cell("%d", task.NExecutions), document.T(successText(task.Success))})
		}
		details := document.Details{Summary: document.Text{word(a.Name), plain(": %s", format.Counted(len(a.Tasks), "task"))}, Blocks: []document.Block{tasks}}
		if left := len(a.Tasks) - mostTasks; left > 0 {
			details.Blocks = append(details.Blocks, paragraph(plain("%d more tasks are left out.", left)))
		}
		blocks = append(blocks, details)
	}
	return blocks
}

func successText(p stats.Proportion) string {
	if p.N == 0 {
		return "-"
	}
	return withInterval(p.Value, p.Interval, format.Share) + fmt.Sprintf(", n = %d", p.N)
}
