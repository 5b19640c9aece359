package main

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring/format"
	"track/tracker/loop"
)

// evolveDisplay tells how far a loop is, and what it decides.
type evolveDisplay struct {
	*statusLine
	budget   evolution.Budget
	result   answer.Evolved
	running  map[string]int
	failures int // that were reported in full
	shownAt  time.Time
}

func (p *program) newEvolveDisplay(budget evolution.Budget) *evolveDisplay {
	d := &evolveDisplay{budget: budget, running: map[string]int{}}
	d.statusLine = p.newStatusLine(d.text)
	return d
}

func (d *evolveDisplay) observer() loop.Observer {
	return loop.Observer{
		Ran: d.ran, Running: d.run, Notice: d.tell,
		Proposed:   func(a answer.Proposed) { d.tellLine("", firstTwo(a.Lead())) },
		Decided:    func(a answer.Decision) { d.tellLine("", a.Brief()) },
		RolledBack: func(a answer.Rollback) { d.tellLine("ROLLED BACK  ", firstTwo(a.Lead())) },
	}
}

// tell writes a sentence.
func (d *evolveDisplay) tell(s answer.Sentence) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.clear()
	d.p.noticeSentence(s)
	d.draw(true)
}

// firstTwo returns the first sentences of an answer: what became of something, and the reason.
func firstTwo(lead []answer.Sentence) []answer.Sentence { return lead[:min(2, len(lead))] }

// tellLine writes sentences on one line.
func (d *evolveDisplay) tellLine(before string, sentences []answer.Sentence) {
	var texts []string
	for _, s := range sentences {
		texts = append(texts, s.Text)
	}
	d.tell(answer.Sentence{Text: before + strings.Join(texts, "; ")})
}

func (d *evolveDisplay) run(name string, started bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.running[name]++; !started {
		if d.running[name] -= 2; d.running[name] == 0 {
			delete(d.running, name)
		}
	}
	d.draw(false)
}

func (d *evolveDisplay) ran(e track.Execution, result answer.Evolved) {
	const mostFailures, seldom = 10, time.Second
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.result = result
	if e.Status != track.ExecutionOK {
		if d.failures++; d.failures <= mostFailures {
			d.report("trial of %s on task %s failed (%s): %s", e.Version, e.Task, e.Status, e.Message)
		}
		if d.failures == mostFailures {
			d.report("further failures are only counted here")
		}
	}
	if d.draw(false); d.plain && d.p.now().Sub(d.shownAt) >= seldom {
		d.shownAt = d.p.now()
		d.print()
	}
}

// text returns the line.
func (d *evolveDisplay) text() string {
	r, elapsed := d.result, d.p.now().Sub(d.began)
	text := format.Counted(r.Spent.Trials, "trial")
	if n := d.budget.Trials; n > 0 {
		text = d.bar(float64(r.Spent.Trials)/float64(n)) + fmt.Sprintf("%d/%d trials", r.Spent.Trials, n)
	}
	if r.NFailed > 0 {
		text += fmt.Sprintf(", %d failed", r.NFailed)
	}
	text += fmt.Sprintf(", %d proposed, %d accepted", r.NProposed, r.NAccepted)
	if r.Spent.CostUSD > 0 {
		text += fmt.Sprintf(", %s USD", significant(r.Spent.CostUSD))
	}
	text += d.runningText(d.running)
	if left := d.budget.Trials - r.Spent.Trials; r.NTrials > 0 && left > 0 && elapsed > 0 {
		text += ", " + shortDuration(time.Duration(float64(left)/float64(r.NTrials)*float64(elapsed))) + " left"
	}
	return text
}
