package main

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/reports/render"
	"track/scoring/format"
	"track/sweep"
	"track/tracker/sweeps"
)

// sweepDisplay tells how far a sweep is: on a terminal a line that is drawn again and again, elsewhere a line now and
// then, and with
// --format jsonl each seed as one object.
type sweepDisplay struct {
	*statusLine
	several bool // configurations

	progress sweeps.Progress
	running  map[string]int
	shown    int // seeds in the last plain line
	shownAt  time.Time
	failures int // that were reported in full
	problem  error
	rates    sweeps.PassRates
}

func (p *program) newSweepDisplay(plan sweep.Plan) *sweepDisplay {
	d := &sweepDisplay{several: len(plan.Grid) > 1, running: map[string]int{}}
	d.statusLine = p.newStatusLine(d.text)
	d.plain = d.plain && p.shared.format != "jsonl"
	return d
}

func (d *sweepDisplay) observer() sweeps.Observer {
	return sweeps.Observer{Planned: d.planned, Finished: d.finished, Elsewhere: d.elsewhere, Running: d.run, Decided: d.decided, Halved: d.halved, Notice: d.notice}
}

func (d *sweepDisplay) planned(progress sweeps.Progress) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.progress, d.shown = progress, 0
	text := format.Counted(progress.NPlanned, "planned seed")
	if progress.NKnown > 0 {
		text += fmt.Sprintf(", %d of them recorded before", progress.NKnown)
	}
	d.report("%s", text)
}

func (d *sweepDisplay) run(job sweep.Job, started bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	name := d.name(job.Configuration, job.Seed)
	if d.running[name]++; !started {
		if d.running[name] -= 2; d.running[name] == 0 {
			delete(d.running, name)
		}
	}
	d.draw(false)
}

// name is a seed with what tells its configuration from the others.
func (d *sweepDisplay) name(c track.Configuration, seed track.SeedNumber) string {
	if !d.several {
		return seed.String()
	}
	return seed.String() + " " + answer.ParamsText(c.Params)
}

func (d *sweepDisplay) finished(swept sweeps.SweptSeed, progress sweeps.Progress) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.progress = progress
	if !progress.WithoutSpec {
		d.rates.Add(swept)
	}
	if d.p.shared.format == "jsonl" {
		if isTerminal(d.p.out) {
			d.clear()
		}
		if err := render.WriteJSON(d.p.out, swept.Answer()); err != nil && d.problem == nil {
			d.problem = err
		}
	}
	const mostFailures = 10
	switch {
	case len(swept.Differences) > 0:
		d.report("seed %s is not deterministic: %s", d.name(swept.Seed.Configuration, swept.Seed.Number), strings.Join(swept.Differences, "; "))
	case swept.Repeated:
	case swept.Seed.Outcome != track.OutcomeOK:
		if d.failures++; d.failures <= mostFailures {
			d.report("seed %s failed (%s): %s", d.name(swept.Seed.Configuration, swept.Seed.Number), swept.Seed.Outcome, swept.Seed.Message)
		}
		if d.failures == mostFailures {
			d.report("further failures are only counted here")
		}
	}
	d.draw(false)
	const seldom = time.Second
	if step := max(1, progress.NPlanned/10); d.plain && progress.NRound-d.shown >= step && d.p.now().Sub(d.shownAt) >= seldom {
		d.shown, d.shownAt = progress.NRound, d.p.now()
		d.print()
	}
}

func (d *sweepDisplay) elsewhere(progress sweeps.Progress) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.progress = progress
	d.draw(false)
}

func (d *sweepDisplay) decided(c track.Configuration, decision answer.SweepDecision) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	name := ""
	if d.several {
		name = answer.ParamsText(c.Params) + ": "
	}
	d.report("%send after %s: %s", name, format.Counted(decision.N, "seed"), decision.Reason)
}

func (d *sweepDisplay) halved(round answer.HalvingRound) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	kept := 0
	for _, c := range round.Ranked {
		if c.Kept {
			kept++
		}
	}
	if kept > 0 {
		d.report("%s with %d seeds each: the best %d continue, with scores from %s to %s", format.Counted(len(round.Ranked), "configuration"), round.Seeds,
			kept, format.Fixed(round.Ranked[0].MeanScore, 4), format.Fixed(round.Ranked[kept-1].MeanScore, 4))
	}
}

func (d *sweepDisplay) notice(text string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.report("%s", text)
}

func (d *sweepDisplay) stopping() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.report("finishing the %s that run; Ctrl-C again kills them", format.Counted(len(d.running), "seed"))
}

// finish takes the line away.
func (d *sweepDisplay) finish(errs ...error) error {
	d.end()
	for _, err := range append(errs, d.problem) {
		if err != nil {
			return err
		}
	}
	return nil
}
