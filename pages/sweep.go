package pages

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/escape"
	"track/reports/render"
	"track/scoring/format"
)

// composeSweep shows a sweep while it runs: how far it is, the intervals of the scores as they shrink, and its seeds.
func composeSweep(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Sweep(), b.asked)
	if err != nil {
		return err
	}
	b.view.Live = b.request.Live // its seeds are what changes
	b.view.Again = a.IsRunning
	b.shown.add(a.Scenario)
	b.sweep = &a
	p := a.Progress
	b.view.Trail = []link{{Text: "Sweeps", Href: b.address("sweep list")}, {Text: escape.Line(a.Scenario), Href: b.address("history", "scenario", a.Scenario)}}
	b.view.Heading = "Sweep " + a.ID[max(0, len(a.ID)-8):]
	b.view.Title = b.view.Heading
	b.view.Lead = []sentence{{Class: "verdict", Text: escape.Line(a.State() + ": " + strconv.Itoa(p.NRecorded()) + " of " + format.Counted(p.NPlanned, "planned seed") + " recorded" + withdrawnOf(p))}}
	if p.Until != "" {
		b.view.Lead = append(b.view.Lead, sentence{Class: "need", Text: escape.Line("Ends early when " + p.Until)})
	}
	b.view.Facts = sweepFacts(a)
	tables := a.Tables()
	for _, t := range append(tables[1:], tables[0]) { // what identifies it comes last
		if t.Name == "progress" {
			if err := b.drawProgress(p); err != nil {
				return err
			}
			t.Title, t.Notes = "Progress", nil
			t = withParameters(t, a.Configurations)
		}
		t.Title = capital(t.Title)
		b.addTable(t)
		if t.Name == "progress" {
			if err := b.addSweptSeeds(ctx, a); err != nil {
				return err
			}
		}
	}
	last := &b.view.Sections[len(b.view.Sections)-1]
	last.Title, last.Folded = "Command and machine", true
	return nil
}

// withParameters adds the parameters to the rows of configurations of which several have the same label, or none.
func withParameters(t answer.Table, list []answer.PlannedConfiguration) answer.Table {
	params, labels := map[string]string{}, map[string]bool{}
	for _, c := range list {
		params[c.Hash], labels[c.Label] = answer.ParamsText(c.Params), true
	}
	if len(labels) == len(list) && !labels[""] {
		return t
	}
	at := 1 + slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == "label" })
	t.Columns = slices.Insert(slices.Clone(t.Columns), at, answer.Column{Name: "parameters"})
	for i, c := range t.Rows {
		t.Rows[i] = slices.Insert(slices.Clone(c), at, any(params[render.ExactText(c[0])]))
	}
	return t
}

// withdrawnOf says how many planned seeds were withdrawn; empty if none was.
func withdrawnOf(p answer.SweepProgress) string {
	if p.NWithdrawn == 0 {
		return ""
	}
	return fmt.Sprintf(", %d withdrawn", p.NWithdrawn)
}

func sweepFacts(a answer.Sweep) []fact {
	p := a.Progress
	list := []fact{
		{Name: "recorded", Value: strconv.Itoa(p.NRecorded()), Basis: "of " + format.Counted(p.NPlanned, "planned seed") + withdrawnOf(p)},
		{Name: "failed", Value: strconv.Itoa(a.NFailed), Basis: "of " + format.Counted(a.NRuns, "run")},
	}
	if a.NWithdrawn > 0 {
		list = append(list, fact{Name: "withdrawn", Value: strconv.Itoa(a.NWithdrawn), Basis: "of " + format.Counted(a.NRuns, "run")})
	}
	if p.NRunning > 0 {
		list = append(list, fact{Name: "running", Value: strconv.Itoa(p.NRunning), Basis: "now, in all processes"})
	}
	if isFinite(p.PerMinute) {
		list = append(list, fact{Name: "rate", Value: threeDigits(p.PerMinute), Basis: "seeds a minute"})
	}
	if p.Left > 0 {
		list = append(list, fact{Name: "time left", Value: p.Left.String(), Basis: "at this rate"})
	}
	return list
}

// addSweptSeeds adds the seeds of the sweep as a heat map: of one configuration metric by seed, of several a row each.
func (b *builder) addSweptSeeds(ctx context.Context, a answer.Sweep) error {
	list := a.Progress.Configurations
	if a.Progress.NRecorded() == 0 && a.Progress.NRunning > 0 {
		return b.addHeatMap(running(a), nil, ".heatmap")
	}
	if len(list) == 0 || list[0].NRecorded == 0 {
		return nil
	}
	in := url.Values{"scenario": {a.Scenario}, "by": {answer.ByConfiguration}, "sweep": {a.ID}}
	if len(list) == 1 {
		in = url.Values{
			"scenario": {answer.Selector{Scenario: a.Scenario, Configuration: track.ShortHash(list[0].Configuration)}.String()},
			"seeds":    {a.Configurations[0].Planned},
		}
	}
	for _, name := range []string{"order", "seed-order"} {
		if value := b.request.In.Get(name + ".heatmap"); value != "" {
			in.Set(name, value)
		}
	}
	m, err := get(ctx, b, ask.Matrix(), in)
	if err != nil {
		return nil //nolint:nilerr // not all seeds are judged: the table says how far they are
	}
	return b.addHeatMap(m.WithRunning(list), in, ".heatmap")
}

// running returns a matrix of a sweep of which no seed has ended: the cells that run.
func running(a answer.Sweep) answer.Matrix {
	m := answer.Matrix{By: answer.ByConfiguration, Scenario: a.Scenario}
	for _, c := range a.Progress.Configurations {
		if len(c.Running) > 0 {
			m.Items = append(m.Items, answer.MatrixRow{Name: cmp.Or(c.Label, track.ShortHash(c.Configuration)), Scenario: a.Scenario, Configuration: c.Configuration})
		}
	}
	return m.WithRunning(a.Progress.Configurations)
}

// drawProgress draws how the interval of each score shrinks.
func (b *builder) drawProgress(p answer.SweepProgress) error {
	for _, c := range p.Configurations {
		if len(c.Scores) < 2 {
			continue
		}
		picture, err := newFunnel(c.Scores).html()
		if err != nil {
			return err
		}
		b.draw("progress", "interval", c.Configuration, picture)
	}
	return nil
}

// funnel draws a mean with its interval, after more and more seeds.
type funnel struct{ Band, Mean, Text string }

func newFunnel(scores []answer.ScoreSoFar) funnel {
	const width, height = 160.0, 32.0
	last := scores[len(scores)-1]
	at := func(n int, score float64) string {
		return short(width*float64(n)/float64(last.N)) + " " + short(height*(1-min(1, max(0, score))))
	}
	var upper, lower, mean []string
	for _, s := range scores {
		if s.Interval.Defined() {
			upper, lower = append(upper, at(s.N, s.Interval.Hi)), append([]string{at(s.N, s.Interval.Lo)}, lower...)
		}
		mean = append(mean, at(s.N, s.Mean))
	}
	f := funnel{Mean: "M" + strings.Join(mean, "L"), Text: "score after 1 to " + format.Counted(last.N, "seed") + ", now " + format.Four(last.Mean)}
	if len(upper) > 0 {
		f.Band = "M" + strings.Join(append(upper, lower...), "L") + "z"
	}
	if last.Interval.Defined() {
		f.Text += ", interval " + format.Interval(last.Interval, format.Four)
	}
	return f
}

func (f funnel) html() (template.HTML, error) { return fragment("funnel", f) }
