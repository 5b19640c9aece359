package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/shell"
	"track/reports"
	"track/reports/chart"
	"track/reports/escape"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// partName is the parameter that says which part of a page is shown.
const partName = "tab.page"

// reportParts are the parts of the page of a configuration that its report has: the beginnings of the titles of sections.
var reportParts = map[string][]string{ //nolint:gochecknoglobals // a constant
	"scores": {"Scores over seeds"}, "changes": {"What changed"}, "provenance": {"Provenance", "How to reproduce"},
}

// composeConfiguration shows the verdict on a configuration and what it rests on: four numbers with their intervals, the
// status of each metric in each seed, the metrics, the worst first, and the failing seeds.
func composeConfiguration(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Stability(), b.asked)
	if err != nil {
		return err
	}
	selector := selectorOf(a.Scenario, a.Configuration.Hash)
	b.configurationHead(a.Scenario, a.Configuration)
	for _, s := range a.Lead() { // the rest is folded away
		if s.Kind == answer.Verdict || s.Kind == answer.Reason || s.Kind == answer.Need || s.Kind == answer.Warning {
			b.view.Lead = append(b.view.Lead, sentenceOf(s))
		}
	}
	b.estimates(a.Estimates)
	if a.Configurations != nil { // the rest of the page is about one configuration
		b.tabs(a.Scenario, "stability")
		b.show(a)
		return nil
	}
	part := b.request.In.Get(partName)
	b.tabs(selector, strings.TrimSuffix("stability "+part, " "))
	if titles := reportParts[part]; titles != nil {
		in := url.Values{}
		for _, name := range []string{"scenario", "spec", "seeds"} {
			if b.asked.Has(name) {
				in[name] = b.asked[name]
			}
		}
		return b.addReportParts(ctx, ask.StabilityReport().Question(), in, titles, selector)
	}
	b.aboutConfiguration(a)
	return b.addEvidence(ctx, a)
}

// addReportParts adds some sections of a report, by the beginnings of their titles. Each mark of pictures leads to its
// seed of the configuration; of pairs, of the configuration of its side.
func (b *builder) addReportParts(ctx context.Context, q ask.Question, in url.Values, titles []string, selectors ...string) error {
	d, err := b.request.Compose(ctx, q, in)
	if err != nil {
		return err
	}
	return b.addDocument(d, titles, func(m chart.Mark) string {
		if m.Side >= len(selectors) {
			return ""
		}
		return b.address("show seed", "scenario", selectors[m.Side], "seed", m.Label)
	})
}

// selectorOf names a configuration of a scenario by the beginning of its hash.
func selectorOf(scenario, hash string) string {
	return answer.Selector{Scenario: scenario, Configuration: track.ShortHash(hash)}.String()
}

// configurationHead names a configuration shortly: by its label, or its hash, and its revision.
func (b *builder) configurationHead(scenario string, c track.RecordedConfiguration) {
	b.scenarioTrail(answer.Selector{Scenario: scenario})
	name := configurationName(c)
	if c.Revision != (track.Revision{}) {
		name += " (revision " + c.Revision.String() + ")"
	}
	b.head(name, scenario)
}

// longName is the number of bytes from which on parameters do not name a configuration.
const longName = 40

// configurationName returns what people call a configuration: its label, its parameters if they are few, or its hash.
func configurationName(c track.RecordedConfiguration) string {
	if c.Label != "" {
		return c.Label
	}
	if text := answer.ParamsText(c.Params); text != "" && len(text) < longName {
		return text
	}
	return track.ShortHash(c.Hash)
}

// aboutConfiguration folds away what identifies the configuration, and shows the warnings.
func (b *builder) aboutConfiguration(a answer.Stability) {
	b.view.About = identity(a.Scenario, a.Configuration)
	add := func(name, text string) {
		if text != "" {
			b.view.About = append(b.view.About, about{Name: name, Value: escape.Lines(text)})
		}
	}
	add("spec", "version "+strconv.Itoa(a.Spec.Version))
	add("tags", a.TagText())
	for _, n := range a.Notes {
		add("note", n.Text+" ("+n.Signature()+")")
	}
	for _, s := range a.Lead() {
		if s.Kind == answer.Note {
			add("note", s.Text)
		}
	}
	for _, s := range warningsOf(a.Tables()[0].Notes) {
		b.view.Lead = append(b.view.Lead, sentenceOf(s))
	}
}

// identity names what identifies a configuration.
func identity(scenario string, c track.RecordedConfiguration) (list []about) {
	add := func(name, text string) {
		if text != "" {
			list = append(list, about{Name: name, Value: escape.Line(text)})
		}
	}
	add("label", c.Label)
	add("configuration", c.Hash)
	if c.Revision != (track.Revision{}) {
		add("revision", c.Revision.String())
	}
	for _, p := range (answer.Side{Scenario: scenario, Configuration: c}).Parameters() {
		add(p.Name, p.Value)
	}
	return list
}

// bandsOf returns the targets of the metrics of a spec.
func (b *builder) bandsOf(ctx context.Context, scenario string, version int) (map[string][]scoring.Band, error) {
	spec, err := get(ctx, b, ask.Spec(), url.Values{"scenario": {answer.SpecSelector{Scenario: scenario, Version: version}.String()}})
	bands := map[string][]scoring.Band{}
	for _, d := range spec.Metrics {
		bands[d.Name] = d.Bands
	}
	return bands, err
}

// addEvidence adds what the verdict rests on: the heat map, the metrics and the failing seeds.
func (b *builder) addEvidence(ctx context.Context, a answer.Stability) error {
	in := url.Values{"scenario": {answer.Selector{Scenario: a.Scenario, Configuration: a.Configuration.Hash}.String()}, "spec": {strconv.Itoa(a.Spec.Version)}, "order": {answer.OrderFailures}}
	if b.asked.Has("seeds") {
		in["seeds"] = b.asked["seeds"]
	}
	m, err := b.heatMatrix(ctx, in)
	if err != nil {
		return err
	}
	bands, err := b.bandsOf(ctx, a.Scenario, a.Spec.Version)
	if err != nil {
		return err
	}
	if len(m.Seeds) > stripBins { // the rows of the table cannot show each seed
		err = b.addHeatMap(m, in, ".heatmap")
		b.addMetrics(a, m, bands)
	} else {
		b.addMetrics(a, m, bands)
		err = b.addHeatMap(m, in, ".heatmap")
	}
	for _, t := range a.Tables()[2:] {
		b.addTable(t)
	}
	return err
}

// addMetrics adds the metrics, each with a bar for its score, a range for its target, and a cell for each seed.
func (b *builder) addMetrics(a answer.Stability, m answer.Matrix, bands map[string][]scoring.Band) {
	cells := map[string]answer.MatrixRow{}
	for _, row := range m.Items {
		cells[row.Name] = row
	}
	t := a.Tables()[1]
	t.Columns = append(slices.Clone(t.Columns), answer.Column{Name: "seeds"})
	for i, metric := range a.Metrics {
		row := cells[metric.Name]
		worst, all := rowTexts(row)
		t.Rows[i] = append(slices.Clone(t.Rows[i]), answer.Cell{Text: worst, Exact: row.NFail})
		b.draw("metrics", "seeds", metric.Name, strip(row.Cells, metric.Name+": "+all))
		if metric.MeanScore != nil {
			b.draw("metrics", "score_of_seeds_with_value", metric.Name, scoreBar(*metric.MeanScore, metric.ScoreCI))
		}
		b.draw("metrics", "target", metric.Name, rangeBar(bands[metric.Name], deref(metric.MinValue), deref(metric.MaxValue), deref(metric.MeanValue)))
	}
	t = columnsOf(t, "metric", "flag", "score_of_seeds_with_value", "score_interval", "seeds", "mean_value", "std_value", "target", "pass_rate", "group")
	t.Grouped, t.Notes = false, nil
	b.titled(t, fmt.Sprintf("Metrics, the worst first (%d)", len(a.Metrics)))
}

// estimates shows the numbers that a verdict rests on.
func (b *builder) estimates(e verdict.Estimates) {
	add := func(name string, of verdict.Estimate, text func(float64) string, n string) {
		interval := ""
		if of.Interval.Defined() {
			interval = "[" + format.Interval(of.Interval, text) + "]"
			n += ", " + format.Confidence(of.Interval.Confidence) + " " + format.Method(of.Interval.Method)
		}
		b.fact(name, text(of.Value), interval, n)
	}
	add("score", e.Score, format.Four, fmt.Sprintf("n = %d", e.Score.N))
	add("spread of scores", e.SD, format.Four, fmt.Sprintf("n = %d", e.SD.N))
	add("passing seeds", e.PassRate, format.Share, fmt.Sprintf("%d of %d", e.NPassed, e.NSeeds))
	b.fact("unseen failures", "up to "+format.Share(e.UnseenShare), "", fmt.Sprintf("of all seeds, in a way that none of %d did, %s one-sided", e.NSeeds, format.Confidence(e.Confidence)))
}

// composeSeed shows a seed: what became of it, its standard error, where its values lie in their targets, its series,
// its files, and how to run it again.
func composeSeed(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Seed(), b.asked)
	if err != nil {
		return err
	}
	c := a.RecordedSeed.Configuration
	selector := selectorOf(a.Scenario, c.Hash)
	b.scenarioTrail(answer.Selector{Scenario: a.Scenario})
	b.view.Trail = append(b.view.Trail, link{Text: escape.Line(configurationName(c)), Href: b.address("stability", "scenario", selector)})
	b.head("seed "+a.Number.String(), a.Scenario, configurationName(c))
	b.seedVerdict(a)
	if a.Run != nil && a.Run.Stderr != "" {
		lines := strings.Split(strings.TrimRight(escape.Code(a.Run.Stderr), "\n"), "\n")
		b.add(section{ID: "stderr", Title: "Standard error", Commands: lines})
	}
	if err := b.addSeedMetrics(ctx, a); err != nil {
		return err
	}
	of := url.Values{"scenario": {selector}, "seed": {a.Number.String()}}
	series, err := get(ctx, b, ask.SeriesList(), of)
	if err != nil {
		return err
	}
	if len(series.Items) > 0 {
		b.titled(series.Tables()[0], "Series")
		var names []string
		for _, s := range series.Items {
			if s.PrunedAt.IsZero() {
				names = append(names, s.Name)
			}
		}
		if err := b.addSeries(ctx, of, names); err != nil {
			return err
		}
	}
	files, err := get(ctx, b, ask.Artifacts(), of)
	if err != nil {
		return err
	}
	if len(files.Items) > 0 {
		b.titled(files.Tables()[0], "Files")
	}
	command := "COMMAND {seed}"
	if a.Run != nil && a.Run.Sweep != "" {
		if sweep, err := get(ctx, b, ask.Sweep(), url.Values{"sweep": {a.Run.Sweep}}); err == nil && len(sweep.Command) > 0 {
			command = sweep.CommandLine()
		}
	}
	again := sentence{Class: "need", Text: "run the seed again", Command: "track sweep --scenario " + shell.Word(a.Scenario) + " --seeds " + a.Number.String() + " --repeat-check 1" + settingsOf(a.RecordedSeed.Configuration.Configuration) + " -- " + command}
	b.add(section{ID: "again", Title: "Run again", Sentences: []sentence{again}})
	return b.addFragment("provenance", "Provenance", "provenance", b.origin(a))
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
		b.fact("score", format.Four(*a.TotalScore), "", "of one seed, so there is no interval")
	}
	if a.Duration != nil {
		b.fact("took", a.Duration.String(), "", "")
	}
	if run := a.Run; run != nil {
		value := run.Signal
		if run.ExitCode != nil {
			value = strconv.Itoa(*run.ExitCode)
		}
		b.fact("exit code", value, "", format.Counted(run.Attempts, "attempt"))
	}
}

// addSeedMetrics adds the values, each with where it lies in its target; those that are not PASS first.
func (b *builder) addSeedMetrics(ctx context.Context, a answer.Seed) (err error) {
	bands := map[string][]scoring.Band{}
	if a.Spec != nil {
		if bands, err = b.bandsOf(ctx, a.Scenario, a.Spec.Version); err != nil {
			return err
		}
	}
	rank := map[scoring.Status]int{scoring.Fail: 0, scoring.Warn: 1, scoring.Pass: 2}
	a.Metrics = slices.Clone(a.Metrics)
	slices.SortStableFunc(a.Metrics, func(x, y answer.MetricResult) int { return rank[x.Status] - rank[y.Status] })
	for _, m := range a.Metrics {
		if m.Value != nil {
			b.draw("metrics", "target", m.Name, rangeBar(bands[m.Name], math.NaN(), math.NaN(), float64(*m.Value)))
			if m.Score != nil {
				b.draw("metrics", "score", m.Name, scoreBar(*m.Score, stats.Interval{Lo: math.NaN(), Hi: math.NaN()}))
			}
		}
	}
	for _, t := range a.Tables() {
		if t.Name != "metrics" {
			b.titled(t, "Not scored")
			continue
		}
		t = columnsOf(t, "metric", "status", "score", "value", "target", "group", "weight")
		t.Columns[5].For, t.Notes = answer.ForAll, nil
		b.titled(t, "Values")
	}
	return nil
}

// origin says where and when a seed ran, of which configuration.
func (b *builder) origin(a answer.Seed) []about {
	list := append([]about{{Name: "id", Value: a.ID}}, identity(a.Scenario, a.RecordedSeed.Configuration)...)
	add := func(name, text string) { list = append(list, about{Name: name, Value: escape.Line(text)}) }
	at := func(name string, at time.Time) {
		if !at.IsZero() {
			list = append(list, about{Name: name, Value: at.UTC().Format(timeLayout), Time: at.UTC().Format(time.RFC3339Nano)})
		}
	}
	at("started", a.StartedAt)
	at("recorded", a.RecordedAt)
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

const (
	mostSeries  = 6    // in one chart
	seriesWidth = 1000 // points of a series that a chart has
)

// composeSeries shows series of a seed at a glance, and as a picture.
func composeSeries(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.SeriesShow(), b.asked)
	if err != nil {
		return err
	}
	selector, seed := selectorOf(a.Scenario, a.Configuration), a.Seed.String()
	b.scenarioTrail(answer.Selector{Scenario: a.Scenario})
	b.view.Trail = append(b.view.Trail, link{Text: "seed " + seed, Href: b.address("show seed", "scenario", selector, "seed", seed)})
	var names []string
	for _, s := range a.Items {
		names = append(names, s.Name)
	}
	if err := b.addSeries(ctx, url.Values{"scenario": {selector}, "seed": {seed}}, names); err != nil {
		return err
	}
	b.show(a)
	b.head("Series of seed "+seed, a.Scenario)
	return nil
}

// addSeries adds the picture of some series of a seed.
func (b *builder) addSeries(ctx context.Context, of url.Values, names []string) error {
	if len(names) == 0 {
		return nil
	}
	c := chart.Line{Title: "Series of seed " + of.Get("seed") + " over time", XLabel: "point", YLabel: "value"}
	if len(names) == 1 {
		c.YLabel = names[0]
	}
	for _, name := range names[:min(len(names), mostSeries)] {
		s, err := get(ctx, b, ask.SeriesBands(), url.Values{"scenario": of["scenario"], "seeds": of["seed"], "series": {name}, "points": {strconv.Itoa(seriesWidth)}})
		if err != nil {
			return err
		}
		line := chart.Named{Name: s.Name}
		for k, p := range s.Points {
			if line.Y = append(line.Y, p.Median); k >= len(c.X) {
				c.X = append(c.X, float64(p.At))
			}
		}
		c.Series = append(c.Series, line)
	}
	drawn := maps.Clone(of)
	drawn["series"] = names
	return b.addChart(section{ID: "series-picture"}, c, nil, c.Title, b.answerFiles(ask.SeriesShow().Question(), drawn), false)
}

// composeBands shows a series over the seeds of a configuration: median, quartiles and range, and behind them each
// seed, which leads to its page.
func composeBands(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.SeriesBands(), b.asked)
	if err != nil {
		return err
	}
	selector, of := selectorOf(a.Scenario, a.Configuration), cmp.Or(a.Label, track.ShortHash(a.Configuration))
	b.scenarioTrail(answer.Selector{Scenario: a.Scenario})
	b.view.Trail = append(b.view.Trail, link{Text: escape.Line(of), Href: b.address("stability", "scenario", selector)})
	b.head(strings.TrimSpace("Series "+a.Name), a.Scenario)
	b.tabs(selector, "series bands")
	for _, s := range a.Lead() {
		if s.Kind == answer.Heading && a.Name == "" || s.Kind == answer.Note && !strings.HasPrefix(s.Text, "series: ") {
			b.note(s.Text)
		}
	}
	if a.Name == "" {
		b.view.Sections = []section{{ID: "begin", Commands: []string{"track record seed --scenario " + a.Scenario + " --seed 7 --series series.csv values.json"}}}
		return nil
	}
	names := choices{Text: "Series"}
	for _, name := range a.Names {
		names.Choices = append(names.Choices, link{Text: escape.Line(name), Href: b.here("series", name), Here: name == a.Name})
	}
	if err := b.addFragment("series", "", "choices", []choices{names}); err != nil {
		return err
	}
	c := reports.BandChart(a)
	for _, s := range a.Seeds {
		c.Labels = append(c.Labels, s.Seed.String())
	}
	seed := func(m chart.Mark) string { return b.address("show seed", "scenario", selector, "seed", m.Label) }
	if err := b.addChart(section{ID: "bands"}, c, seed, "bands", nil, true); err != nil {
		return err
	}
	b.titled(a.Tables()[0], "Values")
	return nil
}

// longPairs is how many pairs of values two sides have that take long to draw.
const longPairs = 10_000

// composeCompare shows configurations side by side; of two also the scores of each seed on both sides, and the change
// of each metric with its interval.
func composeCompare(ctx context.Context, b *builder) error {
	quick := maps.Clone(b.asked)
	quick.Del("values")
	quick.Del("all")
	quick.Set("totals", "true")
	a, err := get(ctx, b, ask.Compare(), quick)
	if err != nil {
		return err
	}
	b.scenarioTrail(answer.Selector{Scenario: a.Spec.Scenario})
	b.head(strings.Join(sideNames(a.Sides), " and "))
	ofTotals, nPairs := b.asked.Has("totals"), 0
	for _, d := range a.Differences {
		nPairs += d.NPairs * a.NMetrics
	}
	isLong := !ofTotals && nPairs > longPairs
	if !isLong && !ofTotals {
		if a, err = get(ctx, b, ask.Compare(), b.asked); err != nil {
			return err
		}
	}
	for _, s := range a.Lead() {
		if s.Kind != answer.Heading {
			b.view.Lead = append(b.view.Lead, sentenceOf(s))
		}
	}
	for _, t := range a.Tables() {
		if strings.HasPrefix(t.Name, "difference_") && len(t.Rows) > 0 { // its title says what the pairs show
			b.view.Lead = append(b.view.Lead, sentence{Class: "verdict", Text: escape.Line(capital(t.Title))})
		}
		if t.Name == "scores" {
			b.addTable(t)
		}
	}
	err = b.laterInstead("differences", isLong, func() error { b.addDifferences(a); return nil }, func() error {
		whole := a
		if isLong {
			whole, err = get(ctx, b, ask.Compare(), b.asked)
		}
		if err == nil {
			b.addDifferences(whole)
		}
		return err
	})
	if err == nil && len(a.Sides) == 2 && a.Differences[0].NPairs > 0 && !ofTotals {
		baseline, candidate := a.Sides[0].Selector(), a.Sides[1].Selector()
		in := url.Values{"candidate": {candidate}, "baseline": {baseline}}
		if b.asked.Has("seeds") {
			in["seeds"] = b.asked["seeds"]
		}
		err = b.later("pairs", isLong, func() error { // none of these parts has a verdict
			return b.addReportParts(ctx, ask.ImprovementReport().Question(), in, []string{"Total score by seed", "Change of each metric", "Unmatched seeds"}, baseline, candidate)
		})
	}
	b.addCodeRange(a)
	if len(a.Sides) == 2 {
		report := b.address("report improvement", "candidate", a.Sides[1].Selector(), "baseline", a.Sides[0].Selector())
		b.add(section{ID: "report", Link: link{Text: "Report of this comparison, as a preview", Href: report}})
	}
	return err
}

// sideNames names the sides of a comparison by letters and by what people call their configurations.
func sideNames(sides []answer.ComparedSide) []string {
	count := map[string]int{}
	for _, side := range sides {
		count[configurationName(side.Configuration)]++
	}
	names := make([]string, len(sides))
	for i, side := range sides {
		name := configurationName(side.Configuration)
		if hash := track.ShortHash(side.Configuration.Hash); count[name] > 1 && name != hash {
			name += " (" + hash + ")"
		}
		names[i] = string(rune('A'+i%26)) + " " + name
	}
	return names
}

// addDifferences adds all tables but the one of the scores, and of two sides all metrics, the numbers of a picture.
func (b *builder) addDifferences(a answer.Comparison) {
	for _, t := range a.Tables() {
		isPicture := t.Name == "metrics" && len(a.Sides) == 2 && !a.OfTotals
		if isPicture {
			t.ForPrograms, t.Title, t.Notes = false, "All metrics as a table", nil
		}
		if strings.HasPrefix(t.Name, "difference_") { // the lead says what the title says
			if t.Title = "Differences"; len(a.Sides) > 2 {
				t.Title += ", " + strings.TrimPrefix(t.Name, "difference_") + " − A"
			}
		}
		if t.Name != "scores" {
			b.addTable(t)
		}
		if isPicture {
			b.last().Folded = true
		}
	}
}

// addCodeRange says how to see what code differs, if all sides have a revision.
func (b *builder) addCodeRange(a answer.Comparison) {
	first := a.Sides[0].Configuration.Revision
	if first.Commit == "" {
		return
	}
	s := section{ID: "code", Title: "Code that differs"}
	for _, side := range a.Sides[1:] {
		if other := side.Configuration.Revision; other.Commit != "" && other.Commit != first.Commit {
			s.Commands = append(s.Commands, "git log --oneline "+first.Commit+".."+other.Commit, "git diff "+first.Commit+" "+other.Commit)
		}
	}
	if s.Commands == nil {
		s.Sentences = []sentence{{Class: "note", Text: "Each side with a recorded commit has the same one: " + track.ShortHash(first.Commit) + "."}}
	}
	b.add(s)
}

// settingsOf returns the flags that name a configuration.
func settingsOf(c track.Configuration) (flags string) {
	if c.Label != "" {
		flags += " --label " + shell.Word(c.Label)
	}
	var params map[string]jsontext.Value
	if json.Unmarshal(c.Params.JSON(), &params) != nil {
		return flags
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		flags += " --param " + shell.Word(name+"="+string(params[name]))
	}
	return flags
}
