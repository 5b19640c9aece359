package answer

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// StabilityQuestion asks whether the seeds of a configuration are stable.
type StabilityQuestion struct {
	Of         Selector
	Spec       int // version of the spec; 0 for the newest
	Seeds      []track.SeedRange
	Grouped    bool
	AllowMixed bool
}

func (q *StabilityQuestion) Params() param.List {
	return param.List{
		scenarioParam(&q.Of, "judge the seeds of this scenario"),
		specParam(&q.Spec, "judge under this `VERSION` of the spec"),
		seedsParam(&q.Seeds),
		{Name: "grouped", Help: "list the metrics by group, in the order of the spec; else the worst first", Value: param.Switch(&q.Grouped)},
		{Name: "allow-mixed", Help: "take all matching configurations together", Value: param.Switch(&q.AllowMixed)},
	}
}

// Stability is the aggregate over the seeds of one configuration under one version of a spec, and what it shows.
type Stability struct {
	Scenario           string                        `json:"scenario"`
	Spec               SpecRef                       `json:"spec"`
	Configuration      track.RecordedConfiguration   `json:"configuration"`            // the newest, if several are mixed
	Configurations     []track.RecordedConfiguration `json:"configurations,omitempty"` // all of them, if several are mixed
	NOthers            int                           `json:"n_other_configurations"`   // of the scenario
	Newest             *NewestOf                     `json:"newest_of,omitempty"`      // missing unless the newest of several revisions was chosen
	Annotations        `json:",embed"`               // of the configuration; none if several are mixed
	NEnvironments      int                           `json:"n_environments"`                   // different ones, among the seeds
	EnvironmentsDiffer []string                      `json:"environments_differ_in,omitempty"` // such as host and track_version
	Grouped            bool                          `json:"grouped,omitzero"`                 // the metrics are in the order of the spec; else the worst are first
	scoring.Stability
	verdict.Judgement
	// FailingSeeds have first the ones that did not run well, and then those that are farthest outside of a target. Seeds
	// that are alike are in the order of their numbers.
	FailingSeeds []track.FailingSeed `json:"failing_seeds"`
}

// isMixed reports whether several configurations were taken together.
func (a Stability) isMixed() bool { return len(a.Configurations) > 0 }

func (a Stability) Lead() []Sentence {
	finding := a.Finding
	if len(finding.Reasons) > 1 {
		finding.Reasons = []string{strings.Join(finding.Reasons, "; ")}
	}
	lead := leadOf(finding, fmt.Sprintf("%s, %s: %s", a.name(), format.Counted(a.NSeeds, "seed"), StableText(a.Stability, a.Finding.Verdict)))
	if len(a.Needs) == 0 {
		lead = append(lead, a.next())
	}
	heading := fmt.Sprintf("%s, spec version %d", a.Scenario, a.Spec.Version)
	if !a.isMixed() {
		heading += ", configuration " + describe(a.Configuration)
	}
	lead = append(lead, Sentence{Kind: Heading, Text: heading})
	add := func(text string) { lead = append(lead, Sentence{Kind: Note, Text: text, Joined: true}) }
	if a.isMixed() {
		add(fmt.Sprintf("MIXED: %d configurations are taken together; the result describes none of them. A seed counts once for each.", len(a.Configurations)))
	}
	side := Side{Scenario: a.Scenario, Configuration: a.Configuration}
	if lead = append(lead, a.Newest.note(side)...); a.Newest == nil && a.NOthers > 0 {
		hint := track.NewHint("list them", "history", a.Scenario)
		lead = append(lead, Sentence{Kind: Note, Text: "the scenario has " + format.Counted(a.NOthers, "other configuration"), Hint: &hint, Joined: true})
	}
	if text := a.line(); text != "" {
		add(text)
	}
	if a.NPlanned > 0 {
		add(coverageText(a.Coverage))
	}
	if a.NEnvironments > 1 {
		add(fmt.Sprintf("the seeds ran in %d environments, which differ in %s", a.NEnvironments, strings.Join(a.EnvironmentsDiffer, ", ")))
	}
	return lead
}

// name is the scenario and the configuration in a few words.
func (a Stability) name() string {
	if a.isMixed() {
		return a.Scenario
	}
	name := a.Scenario + "@" + track.ShortHash(a.Configuration.Hash)
	if a.Configuration.Label != "" {
		name += " (" + a.Configuration.Label + ")"
	}
	return name
}

// next is what to do if no seeds would change the verdict.
func (a Stability) next() Sentence {
	selector := a.Scenario + "@" + track.ShortHash(a.Configuration.Hash)
	var hint track.Hint
	switch {
	case a.isMixed():
		hint = track.NewHint("judge one configuration", "stability", selector)
	case len(a.FailingSeeds) > 0:
		hint = track.NewHint("look at a seed that failed", "show", "seed", selector, a.FailingSeeds[0].Number.String())
	case a.Finding.Verdict == scoring.VerdictPass:
		hint = track.NewHint("make it the baseline of comparisons", "baseline", "set", selector).With("reason", "TEXT")
	default:
		hint = track.NewHint("compare it with earlier ones", "history", a.Scenario)
	}
	return Sentence{Kind: Need, Hint: &hint}
}

func coverageText(c verdict.Coverage) string {
	text := fmt.Sprintf("%d of %d planned seeds are recorded", c.NPlanned-c.NMissing, c.NPlanned)
	if c.NMissingWithdrawn > 0 {
		text += fmt.Sprintf(", %d withdrawn", c.NMissingWithdrawn)
	}
	if c.NRepeated > 0 {
		text += fmt.Sprintf("; %d were run again, %d of them gave other values", c.NRepeated, c.NDiffering)
	}
	return text
}

// StableText says whether the seeds of a configuration are stable by the numbers, and what their scores are.
func StableText(s scoring.Stability, v scoring.Verdict) string {
	text := "not stable in these seeds"
	switch {
	case s.NScored < stats.SmallN && v == scoring.VerdictInconclusive:
		text = "too few seeds to say"
	case s.Stable:
		text = "stable in these seeds"
	}
	switch score := s.Totals().Score; score.N {
	case 0:
	case 1: // the spread of one score is not 0 but unknown
		text += "; one score, " + format.Four(score.Mean)
	default:
		text += fmt.Sprintf("; scores %s to %s, population std %s", format.Four(score.Min), format.Four(score.Max), format.Four(score.Std))
	}
	return text
}

func (a Stability) Tables() []Table {
	estimates := estimatesTable(a.Estimates)
	estimates.Notes = slices.Concat(estimates.Notes, warningNotes(a.Warnings), []Sentence{unseenNote(a.Estimates), {Kind: Note,
		Text: fmt.Sprintf("Below, n is the number of seeds with the metric; pass is the share of seeds, %d in all, in which it is PASS or WARN.", a.NSeeds)}})
	tables := []Table{estimates, metricsTable(a.Metrics, a.Grouped)}
	if len(a.FailingSeeds) > 0 {
		tables = append(tables, failuresTable(a.FailingSeeds), failingTable(a.FailingSeeds, a.Metrics))
	}
	return tables
}

// unseenNote says what the seeds cannot exclude.
func unseenNote(e verdict.Estimates) Sentence {
	return Sentence{Kind: Note, Text: fmt.Sprintf("Up to %s of all seeds may fail, or score 0, in a way that none of these %d did (%s, one-sided).",
		format.Share(e.UnseenShare), e.NSeeds, format.Confidence(e.Confidence))}
}

func (Stability) FitsLogs() {}

func metricsTable(metrics []scoring.MetricStability, grouped bool) Table {
	t := Table{Name: "metrics", Main: true, Grouped: grouped, Columns: Columns{
		{Name: "group"}, {Name: "metric"}, {Name: "type", For: ForData}, {Name: "target", For: ForPeople}, {Name: "weight"}, {Name: "n"}, {Name: "n_nan", For: ForData}, {Name: "n_infinite", For: ForData},
		{Name: "mean_value", Head: "value"}, {Name: "std_value", Head: "± std"}, {Name: "score_of_seeds_with_value", Head: "score"}, {Name: "std_score", Head: "± std"},
		{Name: "score_lo", For: ForData}, {Name: "score_hi", For: ForData}, {Name: "score_interval", Head: "95% interval", For: ForPeople},
		{Name: "pass_rate", Head: "pass"}, {Name: "flag"},
	}.drop("group", "weight", "std_value", "std_score", "target", "score_interval", "n", "mean_value").wrap("target")}
	weight := WeightText(metrics, func(m scoring.MetricStability) float64 { return m.Weight })
	for _, m := range metrics {
		t.Rows = append(t.Rows, []any{
			m.Group, m.Name, string(m.Type), m.Target, numberCell(m.Weight, weight), m.N, m.NNaN, m.NInfinite, meanValueCell(m), spreadCell(m.NFinite(), valueCell(m.StdValue, m.Format)),
			m.MeanScore, spreadCell(m.N, m.StdScore), defined(m.ScoreCI.Lo), defined(m.ScoreCI.Hi),
			intervalCell(m.ScoreCI, format.Four), optionalCell(m.PassRate, format.Percent), string(m.Flag),
		})
	}
	return t
}

// spreadCell returns a cell with a standard deviation, which one value does not have.
func spreadCell(n int, cell any) any {
	if n < 2 {
		return nil
	}
	return cell
}

// WeightText writes the weights of metrics with equal numbers of decimals.
func WeightText[M any](metrics []M, weight func(M) float64) func(float64) string {
	weights := make([]float64, len(metrics))
	for i, m := range metrics {
		weights[i] = weight(m)
	}
	return format.Aligned(weights)
}

// meanValueCell returns a cell with the mean of the finite values of a metric, and the counts of the others.
func meanValueCell(m scoring.MetricStability) any {
	counts := m.NonFinite()
	switch {
	case counts == "":
		return valueCell(m.MeanValue, m.Format)
	case m.MeanValue == nil:
		return Cell{counts, nil}
	}
	return Cell{fmt.Sprintf("%s (%s)", format.Mean(float64(*m.MeanValue), m.Format), counts), float64(*m.MeanValue)}
}

// valueCell returns a cell with a mean or a spread of a metric, written as the metric's format says; nil if there is
// none.
func valueCell(x *scoring.Value, f scoring.Format) any {
	if x == nil {
		return nil
	}
	return Cell{format.Mean(float64(*x), f), float64(*x)}
}
