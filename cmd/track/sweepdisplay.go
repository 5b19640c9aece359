package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/sweep"
	"track/tracker/sweeps"
)

// sweepDisplay tells how far a sweep is: on a terminal a line that is drawn again and again, elsewhere a line now and then, and with
// --format jsonl each seed as one object.
type sweepDisplay struct {
	p        *program
	terminal bool
	plain    bool // a line now and then
	severalC bool // configurations
	began    time.Time

	mutex    sync.Mutex
	progress sweeps.Progress
	running  map[string]int
	drawn    time.Time
	told     int // seeds that the last plain line told
	toldAt   time.Time
	failures int // that were told in full
	problem  error
	rates    []*runningRate // of the configurations, in the order in which their first seeds ended
	ended    chan struct{}
	ticking  sync.WaitGroup
}

// runningRate counts the seeds of a configuration that this sweep ran.
type runningRate struct {
	configuration track.Configuration
	n, nPassed    int // n of them scored or failed
}

func (p *program) newSweepDisplay(plan sweep.Plan) *sweepDisplay {
	d := &sweepDisplay{p: p, severalC: len(plan.Grid) > 1, began: p.now(), running: map[string]int{}, ended: make(chan struct{})}
	d.terminal = isTerminal(p.err) && !p.shared.quiet
	d.plain = !d.terminal && !p.shared.quiet && p.shared.format != "jsonl"
	if d.terminal {
		d.ticking.Go(d.tick)
	}
	return d
}

// tick draws what was not drawn because it came too soon after something else, and what changes by itself: the time that is left, and the width.
func (d *sweepDisplay) tick() {
	ticker := time.NewTicker(4 * drawInterval)
	defer ticker.Stop()
	for {
		select {
		case <-d.ended:
			return
		case <-ticker.C:
			d.mutex.Lock()
			if !d.drawn.IsZero() {
				d.draw(true)
			}
			d.mutex.Unlock()
		}
	}
}

func (d *sweepDisplay) observer() sweeps.Observer {
	return sweeps.Observer{Planned: d.planned, Finished: d.finished, Elsewhere: d.elsewhere, Running: d.run, Decided: d.decided, Halved: d.halved, Notice: d.notice}
}

func (d *sweepDisplay) planned(progress sweeps.Progress) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.progress, d.told = progress, 0
	text := format.Counted(progress.NPlanned, "planned seed")
	if progress.NKnown > 0 {
		text += fmt.Sprintf(", %d of them recorded before", progress.NKnown)
	}
	d.tell("%s", text)
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
	if !d.severalC {
		return seed.String()
	}
	return seed.String() + " " + paramsShort(c.Params)
}

func paramsShort(p track.Params) string {
	return strings.NewReplacer(`{`, "", `}`, "", `"`, "", ":", "=").Replace(string(p.JSON()))
}

func (d *sweepDisplay) finished(swept sweeps.SweptSeed, progress sweeps.Progress) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.progress = progress
	d.countRate(swept)
	if d.p.shared.format == "jsonl" {
		if isTerminal(d.p.out) {
			d.clear()
		}
		if err := writeJSON(d.p.out, newSweptDocument(swept)); err != nil && d.problem == nil {
			d.problem = err
		}
	}
	const mostFailures = 10
	switch {
	case len(swept.Differences) > 0:
		d.tell("seed %s is not deterministic: %s", d.name(swept.Seed.Configuration, swept.Seed.Number), strings.Join(swept.Differences, "; "))
	case swept.Repeated:
	case swept.Seed.Outcome != track.OutcomeOK:
		if d.failures++; d.failures <= mostFailures {
			d.tell("seed %s failed (%s): %s", d.name(swept.Seed.Configuration, swept.Seed.Number), swept.Seed.Outcome, swept.Seed.Message)
		}
		if d.failures == mostFailures {
			d.tell("further failures are only counted here; track seeds lists them")
		}
	}
	d.draw(false)
	const seldom = time.Second
	if step := max(1, progress.NPlanned/10); d.plain && progress.NRound-d.told >= step && d.p.now().Sub(d.toldAt) >= seldom {
		d.told, d.toldAt = progress.NRound, d.p.now()
		d.line(d.p.err, "track: ", "\n")
	}
}

func (d *sweepDisplay) elsewhere(progress sweeps.Progress) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.progress = progress
	d.draw(false)
}

func (d *sweepDisplay) decided(decision sweeps.StopDecision) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	name := ""
	if d.severalC {
		name = paramsShort(decision.Configuration.Params) + ": "
	}
	d.tell("%send after %s: %s", name, format.Counted(decision.N, "seed"), decision.Reason)
}

func (d *sweepDisplay) halved(tier sweeps.HalvedTier) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if tier.Kept > 0 {
		d.tell("%s with %d seeds each: the best %d go on, from a mean score of %s to %s", format.Counted(len(tier.Ranked), "configuration"), tier.Seeds,
			tier.Kept, format.Fixed(tier.Ranked[0].Mean, 4), format.Fixed(tier.Ranked[tier.Kept-1].Mean, 4))
	}
}

func (d *sweepDisplay) notice(text string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.tell("%s", text)
}

func (d *sweepDisplay) stopping() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.tell("finishing the %s that run; Ctrl-C again kills them", format.Counted(len(d.running), "seed"))
}

// tell writes a line of its own.
func (d *sweepDisplay) tell(format string, args ...any) {
	d.clear()
	d.p.notice(format, args...)
	d.draw(true)
}

func (d *sweepDisplay) clear() {
	if d.terminal && !d.drawn.IsZero() {
		fmt.Fprint(d.p.err, "\r\x1b[K")
	}
}

const drawInterval = 100 * time.Millisecond

// draw draws the line at most ten times a second.
func (d *sweepDisplay) draw(now bool) {
	if at := d.p.now(); d.terminal && (now || at.Sub(d.drawn) >= drawInterval) {
		d.drawn = at
		d.line(d.p.err, "\r\x1b[K", "")
	}
}

func (d *sweepDisplay) line(w io.Writer, before, after string) {
	const width, narrow = 12, 40
	p := d.progress
	done := p.NKnown + p.NRound
	share := 1.0
	if p.NPlanned > 0 {
		share = min(1, float64(done)/float64(p.NPlanned))
	}
	filled := int(share * width)
	elapsed := d.p.now().Sub(d.began)
	text := fmt.Sprintf("%d/%d", done, p.NPlanned)
	if columns := terminalWidth(d.p.err); !d.terminal || columns >= narrow {
		text = strings.Repeat("█", filled) + strings.Repeat("░", width-filled) + " " + text
	}
	if p.NFailed > 0 {
		text += fmt.Sprintf(", %d failed", p.NFailed)
	}
	if names := slices.Sorted(maps.Keys(d.running)); d.terminal && len(names) > 0 {
		const most = 4
		text += ", running " + strings.Join(names[:min(len(names), most)], ", ")
		if len(names) > most {
			text += "…"
		}
	}
	if p.NRan > 0 && elapsed > 0 {
		rate := float64(p.NRan) / elapsed.Seconds()
		text += fmt.Sprintf(", %s/s", significant(rate))
		if left := float64(p.NPlanned-done) / rate; left > 0 && left < 1e9 {
			text += ", " + shortDuration(time.Duration(left*float64(time.Second))) + " left"
		}
	}
	text += d.passRates()
	if d.terminal {
		text = cutLine(printable(text), terminalWidth(d.p.err)-1)
	}
	fmt.Fprint(w, before+printable(text)+after)
}

func (d *sweepDisplay) countRate(swept sweeps.SweptSeed) {
	if swept.Repeated || d.progress.WithoutSpec {
		return
	}
	i := slices.IndexFunc(d.rates, func(r *runningRate) bool { return r.configuration == swept.Seed.Configuration })
	if i < 0 {
		i = len(d.rates)
		d.rates = append(d.rates, &runningRate{configuration: swept.Seed.Configuration})
	}
	a, failed := swept.Result.Assessment, swept.Seed.Outcome != track.OutcomeOK
	if scored := a != nil && a.Scored; scored || failed {
		d.rates[i].n++
		if !failed && a.NFail == 0 {
			d.rates[i].nPassed++
		}
	}
}

// passRates are the pass rate with its interval; of several configurations, the lowest and the highest.
func (d *sweepDisplay) passRates() string {
	var known []*runningRate
	for _, r := range d.rates {
		if r.n > 0 {
			known = append(known, r)
		}
	}
	if len(known) == 0 {
		return ""
	}
	byRate := func(a, b *runningRate) int { return cmp.Compare(a.share(), b.share()) }
	lowest, highest := slices.MinFunc(known, byRate), slices.MaxFunc(known, byRate)
	if !d.severalC || lowest == highest {
		return ", pass rate " + d.rateText(highest)
	}
	return ", pass rates from " + d.rateText(lowest) + " to " + d.rateText(highest)
}

func (r *runningRate) share() float64 { return float64(r.nPassed) / float64(r.n) }

func (d *sweepDisplay) rateText(r *runningRate) string {
	rate, err := stats.Wilson(r.nPassed, r.n, scoring.DefaultConfidence)
	if err != nil {
		return "?"
	}
	text := fmt.Sprintf("%s [%s, %s]", format.Percent(rate.Value), format.Percent(rate.Interval.Lo), format.Percent(rate.Interval.Hi))
	if d.severalC {
		text += " (" + paramsShort(r.configuration.Params) + ")"
	}
	return text
}

// finish takes the line away.
func (d *sweepDisplay) finish(errs ...error) error {
	close(d.ended)
	d.ticking.Wait()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.clear()
	for _, err := range append(errs, d.problem) {
		if err != nil {
			return err
		}
	}
	return nil
}

// significant writes a rate with two digits where it is small.
func significant(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// shortDuration writes 1h02m, 3m20s, 12s and 350ms.
func shortDuration(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d >= 10*time.Second:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d >= time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// terminalWidth is the number of columns of a terminal.
func terminalWidth(stream any) int {
	if file, ok := stream.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 1 {
			return columns
		}
	}
	return 80
}

// cutLine shortens a text to a number of runes.
func cutLine(s string, longest int) string {
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}
