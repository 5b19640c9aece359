package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// NoiseQuestion asks how often decisions would find a difference between identical configurations.
type NoiseQuestion struct {
	Of         Selector
	Seeds      []track.SeedRange // none for all
	Confidence *float64          // nil for the default
	Rules      scoring.GateRules // replace those of the spec
	Base       *float64          // of the degradation threshold; nil for the spec's
	Margin     float64
	Sizes      []int // numbers of seeds to try, next to the recorded one; none for a default
	Resamples  int
	DrawSeed   *uint64 // of the resampling; nil for 1
}

// maxResamples bounds the work of one question.
const maxResamples = 100_000

func (q *NoiseQuestion) Params() param.List {
	q.Resamples = 1000
	return slices.Concat(
		param.List{scenarioParam(&q.Of, "resample the seeds of this scenario"), seedsParam(&q.Seeds), confidenceParam(&q.Confidence)},
		rulesParams(&q.Rules),
		param.List{
			baseParam(&q.Base), marginParam(&q.Margin),
			{Name: "sizes", Unit: "N,N,…", Value: param.Parsed(&q.Sizes, parseSizes, formatPlan),
				Help: "try these numbers of seeds, `N,N,…`, next to the recorded one (default: 3,5,10,20,30,50,100,200)"},
			{Name: "resamples", Unit: "N", Help: "draw `N` pairs of samples at each size", Value: param.Whole(&q.Resamples, 1)},
			{Name: "draw-seed", Unit: "SEED", Help: "draw with this `SEED` (default: 1)", Value: param.Seed(&q.DrawSeed)},
		})
}

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 2 || n > maxResamples {
			return nil, fmt.Errorf("%s: %q is not a number of seeds from 2 to %d", text, word, maxResamples)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// Check returns an error if a parameter is out of its range.
func (q *NoiseQuestion) Check() error {
	if q.Resamples > maxResamples {
		return &param.Error{Param: "resamples", Message: fmt.Sprintf("%d: must be at most %d", q.Resamples, maxResamples)}
	}
	for _, err := range []error{checkBase(q.Base), checkMargin(q.Margin), checkRules(q.Rules), checkConfidence(q.Confidence)} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Noise is an A/A check of the seeds of one configuration.
type Noise struct {
	Side
	Spec        SpecRef           `json:"spec"`
	Rules       scoring.GateRules `json:"rules"` // of the gate
	Base        float64           `json:"max_degradation_base"`
	Margin      float64           `json:"margin"`
	Confidence  float64           `json:"confidence"`
	NFailed     int               `json:"n_failed"` // seeds without a score, which are drawn like the others
	MaxFlipRate float64           `json:"max_flip_rate"`
	verdict.Noise
}

func (a Noise) Lead() []Sentence {
	texts := []string{
		a.Side.String(),
		fmt.Sprintf("spec version %d, %s, %d without a score, %s", a.Spec.Version, format.Counted(a.NSeeds, "seed"), a.NFailed, a.Method),
		"gate: " + a.Rules.String(),
		fmt.Sprintf("improvement check: base %v, margin %v", a.Base, a.Margin),
	}
	var lead []Sentence
	for i, text := range texts {
		lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: i > 0})
	}
	return append(lead, a.Side.Newest.note(a.Side)...)
}

func (a Noise) Tables() []Table {
	t := Table{Name: "sizes", Notes: a.notes(), Columns: Columns{
		{Name: "n"}, {Name: "gate_flips", Head: "gate flips"}, {Name: "gate_flips_interval", Head: "95% interval", For: ForPeople},
		{Name: "gate_verdict", Head: "most frequent verdict", For: ForPeople},
		{Name: "false_degraded", Head: "false degraded"}, {Name: "false_degraded_interval", Head: "95% interval", For: ForPeople},
		{Name: "false_decision", Head: "false verdict"}, {Name: "false_decision_interval", Head: "95% interval", For: ForPeople},
		{Name: "mean_abs_difference", Head: "|delta| of totals"}, {Name: "mean_largest_metric_loss", For: ForData},
	}.drop("mean_abs_difference", "false_decision_interval", "false_degraded_interval", "gate_flips_interval", "gate_verdict").wrap("gate_verdict")}
	for i, at := range a.At {
		n := strconv.Itoa(at.N)
		if i == a.Current {
			n += " *"
		}
		row := []any{Cell{n, at.N}}
		row = append(row, rateCells(at.GateFlips)...)
		row = append(row, mostFrequent(at.GateVerdicts))
		row = append(row, rateCells(&at.FalseDegraded)...)
		row = append(row, rateCells(&at.FalseDecision)...)
		t.Rows = append(t.Rows, append(row, at.MeanAbsDifference, at.LargestMetricDelta))
	}
	return []Table{t}
}

// rateCells returns a rate and its interval; nothing for nil.
func rateCells(r *verdict.Rate) []any {
	if r == nil {
		return []any{nil, nil}
	}
	return []any{numberCell(r.Rate, format.Share), intervalCell(r.Interval, format.Share)}
}

// mostFrequent names the verdict that a gate gives most often: a gate that never decides also never flips.
func mostFrequent(verdicts map[scoring.Verdict]int) any {
	total, most := 0, scoring.Verdict("")
	for _, v := range scoring.Verdicts() {
		total += verdicts[v]
		if most == "" || verdicts[v] > verdicts[most] {
			most = v
		}
	}
	if total == 0 {
		return nil
	}
	return fmt.Sprintf("%s %s", most, format.Share(float64(verdicts[most])/float64(total)))
}

func (a Noise) notes() []Sentence {
	var notes []Sentence
	for _, text := range []string{
		"* the recorded number of seeds",
		a.gateText(),
		a.steadyText("the improvement check falsely finds degraded metrics", a.SteadyCheck, func(at verdict.NoiseAt) *verdict.Rate { return &at.FalseDegraded }),
		fmt.Sprintf("the verdict on the total score is false in at most about %s of the cases at any n: that is its level", format.Share(1-a.Confidence)),
		"an interval holds the rates of 95% of the populations that these seeds could come from",
	} {
		notes = append(notes, Sentence{Kind: Note, Text: text, Joined: len(notes) > 0})
	}
	return append(notes, warningNotes(a.Warnings)...)
}

func (a Noise) gateText() string {
	if !a.HasGate() {
		return "the gate has no rule about seeds"
	}
	return a.steadyText("the gate flips", a.SteadyGate, func(at verdict.NoiseAt) *verdict.Rate { return at.GateFlips })
}

// steadyText says from how many seeds on a rate is shown to be small, or that the recorded seeds cannot say so.
func (a Noise) steadyText(what string, from *int, rate func(verdict.NoiseAt) *verdict.Rate) string {
	limit := format.Share(verdict.MaxFlipRate)
	if from != nil {
		return fmt.Sprintf("%s in at most %s of the cases from %d seeds on (upper end of the interval)", what, limit, *from)
	}
	text := fmt.Sprintf("%s: %s cannot say from how many seeds on that is in at most %s of the cases", what, format.Counted(a.NSeeds, "seed"), limit)
	if len(a.At) > 0 {
		if last := a.At[len(a.At)-1]; rate(last) != nil {
			text += fmt.Sprintf("; at n = %d it could be up to %s", last.N, format.Share(rate(last).Interval.Hi))
		}
		if a.Current < 0 || a.Current >= len(a.At) {
			return text
		}
		if need := rate(a.At[a.Current]); need != nil && need.NPilotNeeded > 0 {
			text += fmt.Sprintf("; about %d recorded seeds would say whether it is at n = %d", need.NPilotNeeded, a.At[a.Current].N)
		}
	}
	return text
}

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
	// FailingSeeds have first the ones that did not run well, and then those that are farthest outside of a target.
	// Seeds that are alike are in the order of their numbers.
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

// EstimateRow is an aggregate of the seeds of a configuration with what a reader needs in order to trust it.
type EstimateRow struct {
	Name     string
	Exact    float64 // NaN if there is none
	Value    string  // Exact for people; empty if there is none
	Lo, Hi   float64 // NaN if there is no interval
	Interval string  // Lo and Hi for people; empty if there is no interval
	N        int
	Method   string
}

// EstimateRows returns the aggregates of a configuration: pass rate, mean, standard deviation and combined score. The
// combined score has no interval for people: the box of its factors is too wide to say anything.
func EstimateRows(e verdict.Estimates) []EstimateRow {
	rate := newEstimateRow("pass rate", e.PassRate, format.Share, "; "+format.CountedOf(e.NPassed, e.NSeeds, "seed")+" passed")
	scores := []EstimateRow{newEstimateRow("score", e.Score, format.Four, "")}
	if e.NScored < e.NSeeds {
		scores = []EstimateRow{newEstimateRow("score", e.Score, format.Four, "; failed seeds count as 0"), newEstimateRow("score of seeds that ran", e.OfRan, format.Four, "")}
	}
	sd := newEstimateRow("sd of scores", e.SD, format.Four, "; sample sd")
	combined := newEstimateRow("combined", e.Combined, format.Four, "")
	combined.dropInterval("mean × pass rate × (1 − population sd)")
	return slices.Concat([]EstimateRow{rate}, scores, []EstimateRow{sd, combined})
}

func newEstimateRow(name string, e verdict.Estimate, text func(float64) string, note string) EstimateRow {
	r := EstimateRow{
		Name: name, Exact: e.Value, Lo: e.Interval.Lo, Hi: e.Interval.Hi, Interval: format.Interval(e.Interval, text), N: e.N,
		Method: intervalMethod(e) + note,
	}
	if e.N == 0 {
		r.Exact = math.NaN()
	}
	if !math.IsNaN(r.Exact) {
		r.Value = text(r.Exact)
	}
	return r
}

func (r *EstimateRow) dropInterval(method string) {
	r.Lo, r.Hi, r.Interval, r.Method = math.NaN(), math.NaN(), "", method
}

// intervalMethod says how the interval of an estimate was made, what it assumes, and whether it was cut.
func intervalMethod(e verdict.Estimate) string {
	text := methodText(e.Interval.Method)
	if !e.Interval.Defined() {
		return text
	}
	if condition := e.Assumption.Condition(); condition != "" {
		text += ", if " + condition
	}
	if e.Interval.Cut {
		text += "; cut to what is possible"
	}
	return text
}

// methodText is the name of a method for people.
func methodText(method string) string {
	switch method {
	case stats.MethodMarkov, stats.MethodRange:
		return format.Method(method) + ": too few or equal scores"
	}
	return format.Method(method)
}

// beyond says that an interval leaves what is possible, from lo to 1; empty if it does not.
func beyond(i stats.Interval, lo float64, what string) string {
	if !i.Defined() || lo <= i.Lo && i.Hi <= 1 {
		return ""
	}
	return fmt.Sprintf(", extends beyond %v to 1, the range of a %s", lo, what)
}

// estimatesTable shows the aggregates of a configuration, each with its interval, n and method.
func estimatesTable(e verdict.Estimates) Table {
	t := Table{Name: "estimates", Columns: Columns{
		{Name: "name", Head: " "}, {Name: "estimate"}, {Name: "lo", For: ForData}, {Name: "hi", For: ForData},
		{Name: "interval", Head: format.Confidence(e.Score.Interval.Confidence) + " interval", For: ForPeople}, {Name: "n"}, {Name: "method", For: ForData},
	}}
	for _, r := range EstimateRows(e) {
		var value, interval any
		if r.Value != "" {
			value = Cell{r.Value, r.Exact}
		}
		if r.Interval != "" {
			interval = r.Interval
		}
		t.Rows = append(t.Rows, []any{r.Name, value, defined(r.Lo), defined(r.Hi), interval, r.N, r.Method})
		t.Notes = append(t.Notes, Sentence{Kind: Note, Text: r.Name + ": " + r.Method, Joined: true})
	}
	return t
}

// warningNotes returns the warnings as numbered notes of a table.
func warningNotes(list []verdict.Warning) []Sentence {
	var notes []Sentence
	for i, w := range list {
		notes = append(notes, Sentence{Kind: Warning, Text: fmt.Sprintf("[%d] %s", i+1, w.Message)})
	}
	return notes
}

// leadOf returns the sentences of a verdict.
func leadOf(f verdict.Finding, text string) []Sentence {
	lead := []Sentence{{Kind: Verdict, Text: text, Verdict: f.Verdict}}
	for _, reason := range f.Reasons {
		lead = append(lead, Sentence{Kind: Reason, Text: reason})
	}
	for _, need := range f.Needs {
		lead = append(lead, Sentence{Kind: Need, Text: need})
	}
	return lead
}
