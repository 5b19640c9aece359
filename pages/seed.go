package pages

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/shell"
	"track/reports/escape"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// composeSeed shows a seed: what became of it, its standard error, where its values lie in their targets, its series, its
// files, and how to run it again.
func composeSeed(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Seed(), b.asked)
	if err != nil {
		return err
	}
	c := a.RecordedSeed.Configuration
	selector := answer.Selector{Scenario: a.Scenario, Configuration: c.Hash[:min(10, len(c.Hash))]}.String()
	b.configurationHead(a.Scenario, c)
	b.view.Trail = append(b.view.Trail, link{Text: escape.Line(configurationName(c)), Href: b.address("stability", "scenario", selector)})
	b.view.Heading = "seed " + a.Number.String()
	b.view.Title = escape.Line(a.Scenario + " › " + configurationName(c) + " › " + b.view.Heading)
	b.seedVerdict(a)
	b.addStderr(a)
	if err := b.addSeedMetrics(ctx, a); err != nil {
		return err
	}
	if err := b.addSeedSeries(ctx, selector, a.Number); err != nil {
		return err
	}
	return b.addSeedOrigin(ctx, a, selector)
}

// seedVerdict says first what became of the seed.
func (b *builder) seedVerdict(a answer.Seed) {
	if w := a.Withdrawn; w != nil {
		b.view.Lead = append(b.view.Lead, sentence{Class: "warning", Text: escape.Line("withdrawn, so it does not count: " + w.Reason)})
	}
	text := "not scored: the scenario has no spec"
	switch {
	case a.Outcome != track.OutcomeOK:
		text = strings.TrimSpace("failed: " + string(a.Outcome) + " " + a.Message)
	case a.Spec != nil:
		text = fmt.Sprintf("%d PASS, %d WARN, %d FAIL under spec version %d", a.NPass, a.NWarn, a.NFail, a.Spec.Version)
	}
	b.view.Lead = append(b.view.Lead, sentence{Class: "verdict", Verdict: string(a.Status), Text: escape.Lines(text)})
	if a.TotalScore != nil {
		b.view.Facts = append(b.view.Facts, fact{Name: "score", Value: format.Four(*a.TotalScore), Basis: "of one seed, so there is no interval"})
	}
	if a.Duration != nil {
		b.view.Facts = append(b.view.Facts, fact{Name: "took", Value: a.Duration.String()})
	}
	if run := a.Run; run != nil {
		value := run.Signal
		if run.ExitCode != nil {
			value = strconv.Itoa(*run.ExitCode)
		}
		b.view.Facts = append(b.view.Facts, fact{Name: "exit code", Value: value, Basis: format.Counted(run.Attempts, "attempt")})
	}
}

// addStderr adds the end of the standard error of the command that ran the seed.
func (b *builder) addStderr(a answer.Seed) {
	if a.Run == nil || a.Run.Stderr == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(escape.Code(a.Run.Stderr), "\n"), "\n")
	b.view.Sections = append(b.view.Sections, section{ID: "stderr", Title: "Standard error", Commands: lines})
}

// addSeedMetrics adds the values, each with where it lies in its target; those that are not PASS first.
func (b *builder) addSeedMetrics(ctx context.Context, a answer.Seed) error {
	bands := map[string][]scoring.Band{}
	if a.Spec != nil {
		spec, err := get(ctx, b, ask.Spec(), url.Values{"scenario": {answer.SpecSelector{Scenario: a.Scenario, Version: a.Spec.Version}.String()}})
		if err != nil {
			return err
		}
		for _, d := range spec.Metrics {
			bands[d.Name] = d.Bands
		}
	}
	rank := map[scoring.Status]int{scoring.Fail: 0, scoring.Warn: 1, scoring.Pass: 2}
	a.Metrics = slices.Clone(a.Metrics)
	slices.SortStableFunc(a.Metrics, func(x, y answer.MetricResult) int { return rank[x.Status] - rank[y.Status] })
	for _, t := range a.Tables() {
		if t.Name != "metrics" {
			t.Title = "Not scored"
			b.addTable(t)
			continue
		}
		t = columnsOf(t, "metric", "status", "score", "value", "target", "group", "weight")
		t.Columns[5].For, t.Notes, t.Title = answer.ForAll, nil, "Values"
		if err := b.drawMetrics(a.Metrics, bands); err != nil {
			return err
		}
		b.addTable(t)
	}
	return nil
}

func (b *builder) drawMetrics(metrics []answer.MetricResult, bands map[string][]scoring.Band) error {
	for _, m := range metrics {
		if m.Value == nil {
			continue
		}
		target, err := newRange(bands[m.Name], math.NaN(), math.NaN(), float64(*m.Value)).html()
		if err != nil {
			return err
		}
		b.draw("metrics", "target", m.Name, target)
		if m.Score != nil {
			bar, err := newScoreBar(*m.Score, stats.Interval{Lo: math.NaN(), Hi: math.NaN()}).html()
			if err != nil {
				return err
			}
			b.draw("metrics", "score", m.Name, bar)
		}
	}
	return nil
}

// addSeedSeries adds the series of the seed.
func (b *builder) addSeedSeries(ctx context.Context, selector string, number track.SeedNumber) error {
	of := url.Values{"scenario": {selector}, "seed": {number.String()}}
	series, err := get(ctx, b, ask.SeriesList(), of)
	if err != nil || len(series.Items) == 0 {
		return err
	}
	t := series.Tables()[0]
	t.Title = "Series"
	b.addTable(t)
	var names []string
	for _, s := range series.Items {
		if s.PrunedAt.IsZero() {
			names = append(names, s.Name)
		}
	}
	return b.addSeries(ctx, of, names)
}

// addSeedOrigin adds the files of the seed, where and when it ran, and how to run it again.
func (b *builder) addSeedOrigin(ctx context.Context, a answer.Seed, selector string) error {
	files, err := get(ctx, b, ask.Artifacts(), url.Values{"scenario": {selector}, "seed": {a.Number.String()}})
	if err != nil {
		return err
	}
	if tables := files.Tables(); len(files.Items) > 0 {
		tables[0].Title = "Files"
		b.addTable(tables[0])
	}
	again := section{ID: "again", Title: "Run again", Sentences: []sentence{{
		Class: "need", Text: "run the seed again", Command: "track repeat " + shell.Word(selector) + " " + a.Number.String() + " -- " + b.commandOfSeed(ctx, a),
	}}}
	b.view.Sections = append(b.view.Sections, again)
	html, err := fragment("provenance", b.origin(a))
	b.view.Sections = append(b.view.Sections, section{ID: "provenance", Title: "Provenance", HTML: html})
	return err
}

// commandOfSeed returns the command of the sweep that ran the seed, or what stands for it.
func (b *builder) commandOfSeed(ctx context.Context, a answer.Seed) string {
	if a.Run != nil && a.Run.Sweep != "" {
		if sweep, err := get(ctx, b, ask.Sweep(), url.Values{"sweep": {a.Run.Sweep}}); err == nil && len(sweep.Command) > 0 {
			return sweep.CommandLine()
		}
	}
	return "COMMAND {seed}"
}

// origin says where and when a seed ran, of which configuration.
func (b *builder) origin(a answer.Seed) []about {
	list := append([]about{{Name: "id", Value: a.ID}}, identity(a.Scenario, a.RecordedSeed.Configuration)...)
	add := func(name, text string) { list = append(list, about{Name: name, Value: escape.Line(text)}) }
	if !a.StartedAt.IsZero() {
		list = append(list, aboutTime("started", a.StartedAt))
	}
	list = append(list, aboutTime("recorded", a.RecordedAt))
	for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
		add(name, a.Environment[name])
	}
	if r := a.Run; r != nil {
		if r.Sweep != "" {
			list = append(list, about{Name: "sweep", Value: escape.Line(r.Sweep), Href: b.address("sweep show", "sweep", r.Sweep)})
		}
		if r.CPU != nil {
			add("CPU time", r.CPU.String())
		}
		if r.MaxRSS != nil {
			add("memory", fmt.Sprintf("at most %.1f MB", float64(*r.MaxRSS)/1e6))
		}
	}
	for _, hash := range a.Others {
		add("also recorded under", hash)
	}
	return list
}

// aboutTime returns a time, which scripts show in the reader's zone.
func aboutTime(name string, at time.Time) about {
	return about{Name: name, Value: at.UTC().Format(timeLayout), Time: at.UTC().Format(time.RFC3339Nano)}
}
