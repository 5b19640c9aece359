package pages

import (
	"context"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/ask"
	"track/scoring/format"
)

// composeHome shows what there is: scenarios, running sweeps and lineages, each with its state.
func composeHome(ctx context.Context, b *builder) error {
	b.view.Title, b.view.Heading, b.view.Command = "Scenarios", "Scenarios", "track scenario list"
	quick := maps.Clone(b.asked)
	quick.Set("configurations", "2") // which the numbers need
	scenarios, err := getKept(ctx, b, ask.Scenarios(), quick)
	if err != nil {
		return err
	}
	lineages, err := getKept(ctx, b, ask.Lineages(), standing())
	if err != nil {
		return err
	}
	if len(scenarios.Items) == 0 && len(lineages.Items) == 0 {
		b.teach()
		return nil
	}
	if len(scenarios.Items) > 0 {
		b.view.Downloads = b.downloadsOf("Scenarios", ask.Scenarios().Question(), b.asked)
		err := b.laterInstead("scenarios", nSeedsOfMeans(scenarios) > longMeans, func() error { return b.addScenarios(scenarios, false) }, func() error {
			whole, err := getKept(ctx, b, ask.Scenarios(), b.asked)
			if err == nil {
				err = b.addScenarios(whole, true)
			}
			return err
		})
		if err != nil {
			return err
		}
	} else {
		b.view.Title, b.view.Heading, b.view.Command = "Lineages", "Lineages", "track lineage list --standing"
	}
	if err := b.addSweeps(ctx); err != nil {
		return err
	}
	b.view.Downloads = append(b.view.Downloads, b.downloadsOf("Sweeps", ask.Sweeps().Question(), nil)...)
	if len(lineages.Items) > 0 {
		t := b.lineages(lineages)
		if len(scenarios.Items) == 0 {
			t.Title = "" // it is the heading
		}
		b.addTable(t)
		b.view.Downloads = append(b.view.Downloads, b.downloadsOf("Lineages", ask.Lineages().Question(), standing())...)
	}
	b.view.Sections = append(b.view.Sections, section{ID: "index", Link: link{Text: "Everything in a report, as a preview", Href: b.address("report index")}})
	return nil
}

// standing are the parameters of a list of lineages with how they stand.
func standing() url.Values { return url.Values{"standing": {"true"}} }

// nSeedsOfMeans returns about how many seeds the pictures of the means need.
func nSeedsOfMeans(a answer.Scenarios) (n int) {
	const mostMeans = 20
	for _, s := range a.Items {
		if s.Estimates != nil {
			n += s.Estimates.NSeeds * min(mostMeans, s.NConfigurations)
		}
	}
	return n
}

// lineages returns the table of lineages, the gain and the replay of each beside its active version.
func (b *builder) lineages(a answer.Lineages) answer.Table {
	t := a.Tables()[0]
	t.Title = "Lineages"
	if !slices.ContainsFunc(t.Columns, func(c answer.Column) bool { return c.Name == "gain" }) {
		return t
	}
	t = columnsOf(t, "lineage", "head", "gain", "gain_interval", "gain_n", "replay", "n_mutations", "n_versions", "n_executions", "last")
	gain := slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == "gain" })
	if !slices.ContainsFunc(t.Rows, func(row []any) bool { return !isEmpty(row[gain]) }) {
		t.Notes = nil // the column is not shown
		return t
	}
	t.Notes = []answer.Sentence{{Kind: answer.Note, Text: fmt.Sprintf("The gain is that of the active version over the root, of the %d lineages with the newest executions. Ledgers of more than %d entries are not replayed here.", answer.MostStanding, answer.MostReplayed)}}
	return t
}

// teach shows the commands that would fill the page.
func (b *builder) teach() {
	b.view.Lead = []sentence{{Class: "note", Text: "Nothing is recorded yet. These commands would fill this page:"}}
	b.view.Sections = []section{{ID: "begin", Commands: []string{
		"track spec add growth_plus.yaml", "python simulate.py --seed 7 | track record seed --scenario growth_plus --seed 7 -", "track stability growth_plus",
	}}}
}

// addScenarios adds the scenarios with pictures of their scores, and of the means of configurations if they are whole.
func (b *builder) addScenarios(a answer.Scenarios, isWhole bool) error {
	t := columnsOf(a.Tables()[0], "scenario", "verdict", "score", "score_interval", "n_seeds", "pass_rate", "pass_interval", "scores", "change", "change_interval", "label", "configuration", "first_recorded", "reason")
	for _, s := range a.Items {
		if isWhole && len(s.Means) > 1 {
			line, err := newSparkline(s.Means, s.MeanLines, s.NOlder).html()
			if err != nil {
				return err
			}
			b.draw("scenarios", "scores", s.Scenario, line)
		}
		if e := s.Estimates; e != nil && isFinite(e.Score.Value) {
			bar, err := newScoreBar(e.Score.Value, e.Score.Interval).html()
			if err != nil {
				return err
			}
			b.draw("scenarios", "score", s.Scenario, bar)
		}
	}
	place := slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == "scores" })
	for i, s := range a.Items { // the picture says it
		t.Rows[i][place] = answer.Cell{Text: format.Counted(s.NConfigurations, "configuration"), Exact: s.NConfigurations}
	}
	t.Columns[place].Head = "scores"
	b.addTable(t)
	b.next(a)
	return nil
}

// next leads to the next page of a list.
func (b *builder) next(a answer.Listing) {
	if a.NextPage() == "" || len(b.view.Sections) == 0 {
		return
	}
	if t := b.view.Sections[len(b.view.Sections)-1].Table; t != nil {
		t.More = b.here("after", a.NextPage())
	}
}

// addSweeps adds the newest sweeps, first those that run.
func (b *builder) addSweeps(ctx context.Context) error {
	a, err := get(ctx, b, ask.Sweeps(), url.Values{"limit": {"10"}})
	if err != nil || len(a.Items) == 0 {
		return err
	}
	running := answer.Sweeps{List: answer.List[answer.RecordedSweep]{Items: slices.DeleteFunc(slices.Clone(a.Items), func(s answer.RecordedSweep) bool { return s.Ending != "" || s.Withdrawn != nil })}}
	title := "Newest sweeps"
	b.view.Again = slices.ContainsFunc(running.Items, func(s answer.RecordedSweep) bool { return s.IsRunning })
	if len(running.Items) > 0 {
		a, title = running, "Running sweeps"
	}
	t := a.Tables()[0]
	t.Title = title
	b.addTable(t)
	return nil
}

// sparkline draws mean scores, the oldest first. Only those of the same parameters are joined: a step between others
// would be one of what was run, not of a change over time.
type sparkline struct {
	Lines []string
	Dots  []point // of means that are joined to nothing
	Last  point
	Text  string
}

type point struct{ X, Y string }

// newSparkline returns the picture of some means. Those with the same number of lines are joined.
func newSparkline(means []float64, lines []int, older int) sparkline {
	const width, height, margin = 96.0, 16.0, 2.0
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range means {
		if isFinite(m) {
			lo, hi = min(lo, m), max(hi, m)
		}
	}
	var s sparkline
	var joined [][]point
	for i, m := range means {
		if !isFinite(m) || i >= len(lines) {
			continue
		}
		y := height / 2
		if hi > lo {
			y = height - margin - (height-2*margin)*((m-lo)/(hi-lo))
		}
		s.Last = point{short(margin + (width-2*margin)*float64(i)/float64(max(1, len(means)-1))), short(y)}
		for len(joined) <= lines[i] {
			joined = append(joined, nil)
		}
		joined[lines[i]] = append(joined[lines[i]], s.Last)
	}
	for _, line := range joined {
		if len(line) == 1 {
			s.Dots = append(s.Dots, line[0])
			continue
		}
		var points []string
		for _, p := range line {
			points = append(points, p.X+","+p.Y)
		}
		s.Lines = append(s.Lines, strings.Join(points, " "))
	}
	s.Text = "scores of " + strconv.Itoa(len(means)) + " configurations, the oldest first, joined if their parameters are the same: from " + format.Four(lo) + " to " + format.Four(hi) + ", now " + format.Four(means[len(means)-1])
	if older > 0 {
		s.Text += "; " + format.Counted(older, "older configuration") + " not drawn"
	}
	return s
}

func (s sparkline) html() (template.HTML, error) { return fragment("sparkline", s) }
