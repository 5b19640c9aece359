package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/reports/chart"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// HistoryQuestion asks how the scores of a scenario changed over its configurations.
type HistoryQuestion struct {
	Scenario string
	Spec     int    // version of the spec; 0 for the newest
	Limit    int    // the newest so many configurations
	Metric   string // whose values are shown; empty for total scores
	Next     int    // seeds of the configuration whose mean is predicted; 0 for as many as the newest one has
}

func (q *HistoryQuestion) Params() param.List {
	q.Limit = 20
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO", Help: "show the history of this scenario", Value: param.Name(&q.Scenario)},
		specParam(&q.Spec, "judge under this `VERSION` of the spec"),
		{Name: "limit", Unit: "N", Help: "show the newest `N` configurations", Value: param.Whole(&q.Limit, 1)},
		{Name: "metric", Unit: "METRIC", Help: "show the mean value of this `METRIC` instead of the score", Value: param.Name(&q.Metric)},
		{Name: "next", Unit: "N", Help: "predict the mean of `N` seeds of the next configuration (default: as many as the newest one has)", Value: param.Whole(&q.Next, 1)},
	}
}

func (q *HistoryQuestion) Check() error {
	if scenario, _, given := strings.Cut(q.Scenario, "@"); given {
		return &param.Error{Param: "scenario", Message: fmt.Sprintf("name the scenario alone: %s shows all of its configurations", scenario)}
	}
	if q.Limit > MaxPage {
		return &param.Error{Param: "limit", Message: fmt.Sprintf("%d: must be at most %d", q.Limit, MaxPage)}
	}
	return nil
}

// History is the stability of the newest configurations of a scenario, all judged under one spec.
type History struct {
	Scenario string              `json:"scenario"`
	Spec     SpecRef             `json:"spec"`
	Metric   *scoring.MetricInfo `json:"metric,omitempty"`       // that was asked for; nil for the total score
	NOlder   int                 `json:"n_older_configurations"` // before the first of Entries
	Entries  []HistoryEntry      `json:"entries"`                // the oldest first
	Analysis verdict.History     `json:"analysis"`               // of the means of Entries
}

// HistoryEntry is one configuration in the history of a scenario. It has no numbers if some of its seeds were never
// judged under the spec.
type HistoryEntry struct {
	Configuration     track.RecordedConfiguration `json:"configuration"`
	Annotations       `json:",embed"`
	Differing         string                 `json:"differing_params,omitempty"` // parameters that differ between the entries, as in "theta=14 n_firms=10"
	FirstRecorded     time.Time              `json:"first_recorded"`
	NUnassessed       int                    `json:"n_unassessed"` // seeds that ran well but were never judged under the spec
	NEnvironments     int                    `json:"n_environments"`
	scoring.Stability                        // without Metrics; its rates and scores are nil if some seeds were never judged
	Verdict           scoring.Verdict        `json:"verdict,omitempty"`
	Estimates         *verdict.Estimates     `json:"estimates"`
	Metric            *HistoryMetric         `json:"metric,omitempty"` // that was asked for
	Change            *verdict.HistoryChange `json:"change"`           // of the mean score or the metric's mean value, from the last entry of its line that has one, see [History.Lines]
	Warnings          []verdict.Warning      `json:"warnings"`
}

// HistoryMetric is a metric of an entry, with estimates of its values.
type HistoryMetric struct {
	scoring.MetricStability
	Mean verdict.Estimate `json:"value"`    // mean of the values
	SD   verdict.Estimate `json:"value_sd"` // sample standard deviation of the values
}

// Lines returns the line that each configuration belongs to: revisions of the code with the same parameters are a line
// in time. If a known revision has several labels, each label is a line of its own. Points of a grid are not joined.
func (a History) Lines() []string {
	type variant struct {
		params   string
		revision track.Revision
	}
	labels := map[variant]string{}
	hasVariants := map[string]bool{} // by parameters
	for _, e := range a.Entries {
		c := e.Configuration
		params := string(c.Params.JSON())
		v := variant{params, c.Revision}
		if label, known := labels[v]; known && label != c.Label && c.Revision != (track.Revision{}) {
			hasVariants[params] = true
		}
		labels[v] = c.Label
	}
	lines := make([]string, len(a.Entries))
	for i, e := range a.Entries {
		if lines[i] = string(e.Configuration.Params.JSON()); hasVariants[lines[i]] {
			lines[i] += " " + e.Configuration.Label
		}
	}
	return lines
}

// Name returns what people call the configuration: its label, or its short hash if it has none.
func (e HistoryEntry) Name() string {
	if e.Configuration.Label != "" {
		return e.Configuration.Label
	}
	return track.ShortHash(e.Configuration.Hash)
}

// Mean returns the mean that the history is about, with its standard deviation: of the scores, or of the values of the
// metric. Their values are NaN if there is none.
func (e HistoryEntry) Mean() (mean, sd verdict.Estimate) {
	switch {
	case e.Metric != nil:
		return e.Metric.Mean, e.Metric.SD
	case e.Estimates != nil:
		return e.Estimates.Score, e.Estimates.SD
	}
	none := verdict.Estimate{Value: math.NaN(), Interval: stats.Interval{Lo: math.NaN(), Hi: math.NaN()}}
	return none, none
}

// Len returns the number of entries; an answer in lines has one for each.
func (a History) Len() int { return len(a.Entries) }

// Item returns entry i.
func (a History) Item(i int) any { return a.Entries[i] }

// NextPage returns the empty string: a history is one page.
func (a History) NextPage() string { return "" }

func (a History) Lead() []Sentence {
	what := "total score"
	if a.Metric != nil {
		what = "value of " + a.Metric.Name + ", " + a.Metric.Target
	}
	text := fmt.Sprintf("%s, spec version %d; mean over seeds of the %s with its 95%% %s, change to the revision before with the same parameters, with Welch's interval; pass rate with one-sided Clopper–Pearson bounds", a.Scenario, a.Spec.Version, what, a.intervalName())
	if a.NOlder > 0 {
		text += fmt.Sprintf("; %s not shown", format.Counted(a.NOlder, "older configuration"))
	}
	lead := []Sentence{{Kind: Heading, Text: text}}
	unassessed := 0
	for _, e := range a.Entries {
		unassessed += e.NUnassessed
	}
	if unassessed > 0 {
		hint := track.NewHint("score them", "rescore", a.Scenario).With("spec", strconv.Itoa(a.Spec.Version))
		lead = append(lead, Sentence{Kind: Note, Joined: true, Hint: &hint, Text: format.Counted(unassessed, "seed") + " never scored under this version"})
	}
	return lead
}

// intervalName names the methods of the intervals of the means, such as "t or Markov interval".
func (a History) intervalName() string {
	return strings.TrimSpace(format.Methods(a.MeanIntervals()) + " interval")
}

// MeanIntervals returns the intervals of the means, the oldest configuration first.
func (a History) MeanIntervals() (list []stats.Interval) {
	for _, e := range a.Entries {
		mean, _ := e.Mean()
		list = append(list, mean.Interval)
	}
	return list
}

func (a History) Tables() []Table {
	t := Table{Name: "history", Notes: a.notes(), Columns: Columns{
		{Name: "label"}, {Name: "revision"}, {Name: "differing_params", Head: "differing params", For: ForPeople}, {Name: "params", For: ForData},
		{Name: "configuration"}, {Name: "first_recorded", Head: "first recorded"}, {Name: "n_seeds", Head: "n"}, {Name: "n_failed", Head: "no score"},
		{Name: "pass_rate", Head: "pass"}, {Name: "pass_interval", Head: "95% bounds", For: ForPeople},
		{Name: "score", For: ForData}, {Name: "score_of_seeds_that_ran", For: ForData}, {Name: "std_score", For: ForData}, {Name: "n", For: ForData}, {Name: "estimate", Head: a.estimateName()},
		{Name: "lo", For: ForData}, {Name: "hi", For: ForData}, {Name: "interval", Head: "95% interval", For: ForPeople}, {Name: "method", For: a.methodReader(), Priority: 3},
		{Name: "sd", For: ForPeople}, {Name: "sd_interval", Head: "95% interval", For: ForPeople},
		{Name: "combined_score", Head: "combined"},
		{Name: "change"}, {Name: "change_lo", For: ForData}, {Name: "change_hi", For: ForData}, {Name: "change_interval", Head: "95% interval", For: ForPeople},
		{Name: "stable", For: ForData}, {Name: "verdict"}, {Name: "notes", For: ForPeople}, {Name: "tags", For: a.tagReader(), Priority: 2, Wrap: true},
	}.drop("sd_interval", "first_recorded", "pass_interval", "sd", "combined_score", "n_failed", "configuration", "revision", "change_interval", "notes", "interval", "change", "differing_params").wrap("differing_params", "notes")}
	for _, e := range a.Entries {
		t.Rows = append(t.Rows, a.row(e))
	}
	return []Table{t}
}

func (a History) row(e HistoryEntry) []any {
	c := e.Configuration
	row := []any{
		c.Label, c.Revision.String(), Shorten(e.Differing), string(c.Params.JSON()), hashCell(c.Hash), timeCell(e.FirstRecorded), nSeedsCell(e.NSeeds, e.NSeeds-e.NFailed), e.NFailed,
	}
	if e.Estimates == nil {
		row = append(row, make([]any, 20)...)
		return append(row, "not all scored", e.TagText())
	}
	number := a.number()
	mean, sd := e.Mean()
	var codes []string
	for _, w := range e.Warnings {
		codes = append(codes, w.Code)
	}
	row = append(row, optionalCell(e.PassRate, format.Percent), intervalCell(e.Estimates.PassRate.Interval, format.Share), e.Score, e.MeanScore, spreadCell(e.NScored, e.StdScore), mean.N,
		estimated(mean, number), defined(mean.Interval.Lo), defined(mean.Interval.Hi), intervalCell(mean.Interval, number), methodCell(mean.Interval),
		estimated(sd, number), intervalCell(sd.Interval, number), e.CombinedScore,
	)
	row = append(row, changeCells(e.Change, number)...)
	return append(row, yesNo(e.Stable), string(e.Verdict), strings.Join(codes, ", "), e.TagText())
}

// tagReader says who gets to see the tags: people only if there are any.
func (a History) tagReader() Reader {
	if slices.ContainsFunc(a.Entries, func(e HistoryEntry) bool { return len(e.Tags) > 0 }) {
		return ForAll
	}
	return ForData
}

// methodReader says who gets to see the methods of intervals: people only if they differ.
func (a History) methodReader() Reader {
	if strings.Contains(a.intervalName(), " or ") {
		return ForAll
	}
	return ForData
}

// methodCell returns how an interval was made; nil if there is none.
func methodCell(i stats.Interval) any {
	if !i.Defined() {
		return nil
	}
	return Cell{format.Method(i.Method), i.Method}
}

// changeCells returns the change of a mean with its interval.
func changeCells(c *verdict.HistoryChange, number func(float64) string) []any {
	if c == nil {
		return make([]any, 4)
	}
	number = format.WithSign(number)
	return []any{numberCell(c.Value, number), defined(c.Interval.Lo), defined(c.Interval.Hi), intervalCell(c.Interval, number)}
}

// estimated returns a cell with a number that was computed from seeds; nil if there is none.
func estimated(e verdict.Estimate, text func(float64) string) any {
	if e.N == 0 || math.IsNaN(e.Value) {
		return nil
	}
	return Cell{text(e.Value), e.Value}
}

// estimateName says what the intervals of the table are of.
func (a History) estimateName() string {
	if a.Metric == nil {
		return "score"
	}
	return "mean of values"
}

// number returns how a mean is written.
func (a History) number() func(float64) string {
	if a.Metric == nil {
		return format.Four
	}
	return func(x float64) string { return format.Mean(x, a.Metric.Format) }
}

// sparklines draw the means of each line that has two points or more.
func (a History) sparklines() (notes []Sentence) {
	var order []string
	entries := map[string][]HistoryEntry{}
	for i, line := range a.Lines() {
		if entries[line] == nil {
			order = append(order, line)
		}
		entries[line] = append(entries[line], a.Entries[i])
	}
	for _, line := range order {
		list := entries[line]
		if len(list) < 2 {
			continue
		}
		means := make([]float64, len(list))
		for i, e := range list {
			mean, _ := e.Mean()
			means[i] = mean.Value
		}
		of := ""
		if len(order) > 1 {
			of = " of " + cmp.Or(Shorten(list[0].Differing), list[0].Name())
		}
		text := "means" + of + ", the oldest first: " + chart.Sparkline(means, 0)
		notes = append(notes, Sentence{Kind: Note, Text: text, Joined: len(notes) > 0})
	}
	return notes
}

// notes draw the means, and say what they let expect.
func (a History) notes() []Sentence {
	notes := a.sparklines()
	name := func(i int) string {
		if i < 0 || i >= len(a.Entries) {
			return fmt.Sprintf("configuration %d", i+1)
		}
		return fmt.Sprintf("%s (%s)", a.Entries[i].Configuration.Label, track.ShortHash(a.Entries[i].Configuration.Hash))
	}
	for _, text := range HistorySentences(a.Analysis, name, a.number()) {
		notes = append(notes, Sentence{Kind: Note, Text: text, Joined: len(notes) > 0})
	}
	for i, e := range a.Entries {
		notes = append(notes, e.noteSentences(name(i))...)
	}
	return append(notes, warningNotes(a.Analysis.Warnings)...)
}

// HistorySentences say what the means of configurations let expect, and where their level changed. name returns what
// the configuration at an index is called, and number how a mean is written.
func HistorySentences(h verdict.History, name func(index int) string, number func(float64) string) (list []string) {
	if h.Prediction.Defined() {
		list = append(list, predictionSentence(h, "seed", "stable configuration", number))
	}
	for _, c := range h.ChangePoints {
		list = append(list, fmt.Sprintf("level changes at %s: mean %s before, %s from there on (maximally selected rank test, p %s)",
			name(c.Index), number(c.Before), number(c.After), format.PValue(c.P)))
	}
	if t := h.Trend; t != nil {
		list = append(list, trendSentence(t, len(h.ChangePoints) > 0, number))
	}
	// An autocorrelation hides changes: a warning says that none are given.
	if h.Searched && len(h.ChangePoints) == 0 && (h.Lag1 == nil || *h.Lag1 <= stats.MaxLag1) {
		list = append(list, fmt.Sprintf("no change of level found among %d means (maximally selected rank test, corrected p ≤ %v)", h.NPoints, stats.HistoryMaxP))
	}
	return list
}

// trendSentence says how the means rise or fall.
func trendSentence(t *verdict.HistoryTrend, hasChanges bool, number func(float64) string) string {
	test := fmt.Sprintf("(Spearman's rank correlation %s, corrected p %s)", format.Four(t.Rho), format.PValue(t.PAdjusted))
	if !t.Found {
		return fmt.Sprintf("no trend found among %d means %s", t.N, test)
	}
	direction := "rise"
	if t.Rho < 0 {
		direction = "fall"
	}
	text := fmt.Sprintf("the means %s over %d points, by about %s each %s", direction, t.N, number(math.Abs(t.Slope)), test)
	if hasChanges {
		text += "; changes of level make a trend, and a trend makes changes of level"
	}
	return text
}

// predictionSentence says what mean is expected of the next point.
func predictionSentence(h verdict.History, value, point string, number func(float64) string) string {
	return fmt.Sprintf("next mean of %s expected in %s (95%% random-effects prediction interval from %s; no verdict depends on it)",
		format.Counted(h.NNext, value), format.Interval(h.Prediction, number), format.Counted(h.NAccepted, point))
}
