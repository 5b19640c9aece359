package reports

import (
	"slices"
	"time"

	"track"
	"track/answer"
	"track/reports/chart"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// IndexedScenario is what an index shows of a scenario.
type IndexedScenario struct {
	Name           string
	Problem        string // why there is no report; of what follows only the configurations may be there
	Page           string // the report of the scenario; here as below empty if there is none
	Gate           scoring.Verdict
	Stability      scoring.Verdict
	Estimates      verdict.Estimates
	NFailing       int
	LastStarted    time.Time   // of the seeds of Newest; zero if none is known
	Newest         answer.Side // the most recent one
	Trend          string      // mean scores of the configurations as a sparkline
	Against        *IndexedComparison
	NoBaseline     string
	Configurations []IndexedConfiguration // the newest first
	NOlder         int
}

// IndexedComparison is a candidate against its baseline.
type IndexedComparison struct {
	Page    string
	Verdict scoring.Verdict
	Text    string
}

// IndexedConfiguration is a configuration of a scenario.
type IndexedConfiguration struct {
	answer.HistoryEntry
	Scenario string
	Page     string
	Problem  string // why there is no report
}

// selector names the configuration in commands.
func (c IndexedConfiguration) selector() string {
	return answer.Selector{Scenario: c.Scenario, Configuration: track.ShortHash(c.Configuration.Hash)}.String()
}

// indexScenario returns what an index shows of a scenario, without its pages.
func indexScenario(d answer.ScenarioReport) IndexedScenario {
	s := d.Stability
	x := IndexedScenario{
		Name: d.Spec.Scenario, Stability: s.Stability.Finding.Verdict, Estimates: s.Stability.Estimates, NFailing: len(s.Stability.FailingSeeds), LastStarted: s.Runs.Last,
		Newest: s.Side, NoBaseline: d.NoBaseline, NOlder: d.History.NOlder,
	}
	for _, g := range s.Gate.Scenarios {
		x.Gate = g.Verdict
	}
	if i := d.Improvement; i != nil {
		x.Against = &IndexedComparison{Verdict: i.Improvement.Verdict, Text: improvementReport{*i}.differenceText()}
	}
	x.addHistory(d.History)
	return x
}

// addHistory adds the configurations of a history, the newest first.
func (s *IndexedScenario) addHistory(h answer.History) {
	var means []float64
	for _, e := range h.Entries {
		mean, _ := e.Mean()
		means = append(means, mean.Value)
		s.Configurations = append(s.Configurations, IndexedConfiguration{HistoryEntry: e, Scenario: h.Scenario})
	}
	slices.Reverse(s.Configurations)
	s.Trend = chart.Sparkline(means, 20)
}

// scenarios returns a table of those that can be judged, and a list of the others.
func (d IndexData) scenarios() []document.Block {
	const alwaysShown = 50
	blocks := []document.Block{heading("Scenarios")}
	t := columns("scenario", "gate", "stability", "configuration", "score", "pass rate", "#failing seeds", "against the baseline", "means", "last started")
	var problems document.List
	for _, s := range d.Scenarios {
		if s.Problem != "" {
			problems.Items = append(problems.Items, document.Text{word(s.Name), plain(": %s", s.Problem)})
			continue
		}
		against := document.T(s.NoBaseline)
		if a := s.Against; a != nil {
			against = append(verdictText(a.Verdict), document.Span{Text: ": "}, document.Span{Text: a.Text, Href: a.Page})
		}
		last := faint("not recorded")
		if !s.LastStarted.IsZero() {
			last = cell("%s", s.LastStarted.UTC().Format(time.RFC3339))
		}
		t.Rows = append(t.Rows, []document.Text{
			linked(s.Name, s.Page), verdictText(s.Gate), verdictText(s.Stability), s.newest(), document.T(meanCell(s.Estimates)),
			cell("%s, n = %d", withInterval(s.Estimates.PassRate.Value, s.Estimates.PassRate.Interval, format.Share), s.Estimates.NSeeds),
			cell("%d", s.NFailing), against, codeCell(s.Trend), last,
		})
	}
	if d.isPreview {
		t = withoutColumns(t, "gate", "against the baseline")
	}
	switch {
	case len(t.Rows) > 0:
		var means, rates []stats.Interval
		for _, s := range d.Scenarios {
			if s.Problem == "" {
				means, rates = append(means, s.Estimates.Score.Interval), append(rates, s.Estimates.PassRate.Interval)
			}
		}
		blocks = append(blocks, paragraph(plain(
			"Each scenario is judged by one configuration, the newest revision of it, under the newest version of its spec. Intervals are at 95%% confidence: of means %s, of pass rates %s. "+
				"The column means shows the mean of each configuration, the oldest first.", format.OrDash(format.Methods(means)), format.OrDash(format.Methods(rates)))))
		blocks = append(blocks, folded(t, alwaysShown, "by name")...)
	case len(problems.Items) == 0:
		return append(blocks, paragraph(plain("None.")))
	}
	if len(problems.Items) > 0 {
		blocks = append(blocks, subheading("Without a report"), problems)
	}
	return blocks
}

// newest names the configuration that the scenario is judged by, which the history may be too short to show.
func (s IndexedScenario) newest() document.Text {
	for _, c := range s.Configurations {
		if c.selector() == s.Newest.Selector() {
			text := linked(track.ShortHash(c.Configuration.Hash), c.Page)
			for _, word := range []string{c.Configuration.Label, cut(c.Differing, 60)} {
				if word != "" {
					text = append(text, plain(", %s", word))
				}
			}
			return text
		}
	}
	text := codeCell(track.ShortHash(s.Newest.Configuration.Hash))
	if s.Newest.Configuration.Label != "" {
		text = append(text, plain(", %s", s.Newest.Configuration.Label))
	}
	return text
}

// configurations leads to the report of each configuration.
func (d IndexData) configurations() []document.Block {
	blocks := []document.Block{}
	for _, s := range d.Scenarios {
		if len(s.Configurations) == 0 {
			continue
		}
		t := columns("configuration", "label", "differing parameters", "#seeds", "score", "stability")
		for _, c := range s.Configurations {
			row := []document.Text{linked(c.selector(), c.Page), labelCell(c.HistoryEntry), document.T(format.OrDash(cut(c.Differing, 120))), cell("%d", c.NSeeds)}
			switch {
			case c.NUnassessed > 0:
				row = append(row, faint("-"), cell("%s not scored under this version", format.Counted(c.NUnassessed, "seed")))
			case c.Problem != "":
				row = append(row, faint("-"), document.T(c.Problem))
			default:
				row = append(row, document.T(meanCell(*c.Estimates)), verdictText(c.Verdict))
			}
			t.Rows = append(t.Rows, row)
		}
		summary := document.Text{word(s.Name), plain(": %s", format.Counted(len(s.Configurations), "configuration"))}
		if s.NOlder > 0 {
			summary = append(summary, plain("; %d older configurations are left out", s.NOlder))
		}
		blocks = append(blocks, document.Details{Summary: summary, Blocks: []document.Block{t}})
	}
	if len(blocks) == 0 {
		return nil
	}
	return append([]document.Block{heading("Configurations")}, blocks...)
}
