package answer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"track"
	"track/answer/param"
	"track/reports/chart"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/spec"
)

// SpecsQuestion asks which specs there are.
type SpecsQuestion struct{}

func (q *SpecsQuestion) Params() param.List { return nil }

// SpecInfo describes a version of a spec in a list.
type SpecInfo struct {
	Scenario string    `json:"scenario"`
	Version  int       `json:"version"`
	Hash     string    `json:"hash"` // hex SHA-256 of the canonical document
	Title    string    `json:"title,omitempty"`
	NMetrics int       `json:"n_metrics"`
	AddedAt  time.Time `json:"added_at"`
}

// Specs are all versions of all specs, by scenario and version.
type Specs struct {
	List[SpecInfo] `json:",embed"`
}

func (a Specs) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := track.NewHint("add one", "spec add", "FILE")
	return []Sentence{{Kind: Note, Text: "there is no spec yet", Hint: &hint}}
}

func (a Specs) Tables() []Table {
	t := Table{Name: "specs", Columns: columns("scenario", "version", "hash", "metrics", "title", "added").drop("hash", "added", "title").wrap("title"), HiddenIfEmpty: true}
	for _, s := range a.Items {
		t.Rows = append(t.Rows, []any{s.Scenario, s.Version, hashCell(s.Hash), s.NMetrics, s.Title, timeCell(s.AddedAt)})
	}
	return []Table{t}
}

// SpecSelector names a version of a scenario's spec: SCENARIO or SCENARIO@VERSION.
type SpecSelector struct {
	Scenario string
	Version  int // 0 for the newest
}

// ParseSpecSelector reads SCENARIO[@VERSION].
func ParseSpecSelector(s string) (sel SpecSelector, err error) {
	scenario, version, given := strings.Cut(norm.NFC.String(s), "@")
	sel.Scenario = scenario
	if given {
		if sel.Version, err = strconv.Atoi(strings.TrimPrefix(version, "v")); err != nil || sel.Version < 1 {
			return sel, fmt.Errorf("%q: a version is a number from 1, as in %s@1", s, scenario)
		}
	}
	if scenario == "" {
		return sel, errors.New("empty")
	}
	return sel, nil
}

// String writes the selector as [ParseSpecSelector] reads it.
func (s SpecSelector) String() string {
	if s.Version == 0 {
		return s.Scenario
	}
	return fmt.Sprintf("%s@%d", s.Scenario, s.Version)
}

// SpecQuestion asks for a version of a spec.
type SpecQuestion struct{ Of SpecSelector }

func (q *SpecQuestion) Params() param.List {
	return param.List{{
		Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@VERSION]", Help: "show the spec of this scenario",
		Value: param.Parsed(&q.Of, ParseSpecSelector, SpecSelector.String),
	}}
}

// Spec is a version of a spec.
type Spec struct {
	SpecInfo    `json:",embed"`
	Improvement *scoring.Improvement `json:"improvement,omitempty"`
	Gate        string               `json:"gate,omitempty"` // its rules in words
	Metrics     []DeclaredMetric     `json:"metrics"`
	Document    jsontext.Value       `json:"document"` // canonical; its SHA-256 is the hash
}

// DeclaredMetric is a metric with how its value comes about, and what its statuses mean.
type DeclaredMetric struct {
	scoring.MetricInfo `json:",embed"`
	Computed           string         `json:"computed"` // as in "mean of unemployment, skip 500"; "given" if the seed carries the value
	Pass               string         `json:"pass"`     // the values with this status, in words
	Warn               string         `json:"warn"`     // empty for none
	Bands              []scoring.Band `json:"bands"`    // from the smallest values to the largest
}

// Declare returns a metric for readers.
func Declare(m scoring.Metric) DeclaredMetric {
	return DeclaredMetric{MetricInfo: m.Info(), Computed: m.Computed(), Pass: m.BandText(scoring.Pass), Warn: m.BandText(scoring.Warn), Bands: m.Bands()}
}

func (a Spec) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s version %d, %s", a.Scenario, a.Version, format.Counted(a.NMetrics, "metric"))}}
	if !a.AddedAt.IsZero() {
		lead[0].Text += ", added " + timeText(a.AddedAt)
	}
	add := func(text string) { lead = append(lead, Sentence{Kind: Note, Text: text, Joined: true}) }
	add("hash " + a.Hash)
	if i := a.Improvement; i != nil {
		baseline := i.Baseline
		if baseline == "" {
			baseline = "the pinned baseline"
		}
		add(fmt.Sprintf("improvement over %s, largest degradation %v / weight", baseline, i.MaxDegradationBase))
	}
	if a.Gate != "" {
		add("gate: " + a.Gate)
	}
	if a.Title != "" {
		lead[0].Joined = true
		lead = append([]Sentence{{Kind: Heading, Text: a.Title}}, lead...)
	}
	return lead
}

func (a Spec) Tables() []Table {
	t := Table{Name: "metrics", Columns: Columns{
		{Name: "metric"}, {Name: "type"}, {Name: "weight"}, {Name: "target"}, {Name: "computed"}, {Name: "pass", Head: "PASS"}, {Name: "warn", Head: "WARN"}, {Name: "group"},
	}.drop("group", "target", "type", "weight").wrap("target", "computed", "pass", "warn")}
	weight := WeightText(a.Metrics, func(m DeclaredMetric) float64 { return m.Weight })
	for _, m := range a.Metrics {
		t.Rows = append(t.Rows, []any{m.Name, string(m.Type), numberCell(m.Weight, weight), m.Target, m.Computed, m.Pass, m.Warn, m.Group})
	}
	t.Notes = []Sentence{{Kind: Note, Text: "Other values are FAIL. A limit between two statuses belongs to the better one. The WARN band is narrower for a heavier metric."}}
	return []Table{t}
}

// SpecDiff is what changes from one spec to another.
type SpecDiff struct {
	Before            string `json:"before"` // as they were named
	After             string `json:"after"`
	List[spec.Change] `json:",embed"`
}

func (a SpecDiff) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	return []Sentence{{Kind: Note, Text: fmt.Sprintf("%s and %s do not differ", a.Before, a.After)}}
}

func (a SpecDiff) Tables() []Table {
	t := Table{Name: "changes", Columns: columns("change", "metric", "field", "old", "new").wrap("old", "new"), HiddenIfEmpty: true}
	for _, c := range a.Items {
		t.Rows = append(t.Rows, []any{string(c.Kind), c.Metric, c.Field, c.Old, c.New})
	}
	return []Table{t}
}

// LintSpecQuestion asks what deserves a look in a spec.
type LintSpecQuestion struct {
	Document *string // in YAML or JSON
	Scenario string  // which the document must name; empty for whichever it names
}

func (q *LintSpecQuestion) Params() param.List {
	return param.List{
		{Name: "document", Required: true, Unit: "FILE", Help: "check this spec, in YAML or JSON", Value: param.Content(&q.Document)},
		{Name: "scenario", Unit: "SCENARIO", Help: "check it only if it is a spec of this `SCENARIO`; a token for some scenarios needs it", Value: param.Name(&q.Scenario)},
	}
}

// SpecLint is what deserves a look in a spec that can be used.
type SpecLint struct {
	File               string `json:"file"`
	Scenario           string `json:"scenario"`
	NMetrics           int    `json:"n_metrics"`
	List[spec.Warning] `json:",embed"`
}

func (a SpecLint) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: scenario %s, %s, no problems, %s",
		a.File, a.Scenario, format.Counted(a.NMetrics, "metric"), format.Counted(len(a.Items), "remark"))}}
}

func (a SpecLint) Tables() []Table {
	t := Table{Name: "remarks", Columns: columns("metric", "field", "message").drop("field").wrap("message"), HiddenIfEmpty: true}
	for _, w := range a.Items {
		t.Rows = append(t.Rows, []any{w.Metric, w.Field, w.Message})
	}
	return []Table{t}
}

// AddSpecQuestion asks to add a spec as the next version of its scenario.
type AddSpecQuestion struct {
	Document *string // in YAML or JSON
	Scenario string  // which the document must name; empty for whichever it names
	New      bool
}

func (q *AddSpecQuestion) Params() param.List {
	return param.List{
		{Name: "document", Required: true, Unit: "FILE", Help: "add this spec, in YAML or JSON", Value: param.Content(&q.Document)},
		{Name: "scenario", Unit: "SCENARIO", Help: "add it only if it is a spec of this `SCENARIO`; a token for some scenarios needs it", Value: param.Name(&q.Scenario)},
		{Name: "new", Help: "take a name that is not known although names like it are", Value: param.Switch(&q.New)},
	}
}

// SpecAdded is what became of a spec that was handed over.
type SpecAdded struct {
	Scenario string `json:"scenario"`
	Version  int    `json:"version"`
	Hash     string `json:"hash"`
	Added    bool   `json:"added"` // false if the scenario has a version with this content
	NMetrics int    `json:"n_metrics"`
	Scored   int    `json:"scored"` // seeds that had waited for the scenario's first spec
}

func (a SpecAdded) Lead() []Sentence {
	name := fmt.Sprintf("%s version %d (%s)", a.Scenario, a.Version, track.ShortHash(a.Hash))
	if !a.Added {
		return []Sentence{{Kind: Heading, Text: name + " already has this content; nothing was added"}}
	}
	text := fmt.Sprintf("added %s, %s", name, format.Counted(a.NMetrics, "metric"))
	if a.Scored > 0 {
		text += fmt.Sprintf("; scored %s recorded before", format.Counted(a.Scored, "seed"))
	}
	lead := []Sentence{{Kind: Heading, Text: text}}
	if a.Version > 1 {
		hint := track.NewHint("score them under this version", "rescore", a.Scenario)
		lead = append(lead, Sentence{Kind: Note, Text: "seeds recorded before keep their scores", Hint: &hint, Joined: true})
	}
	return lead
}

func (a SpecAdded) Tables() []Table {
	return []Table{{Name: "spec", ForPrograms: true, Columns: columns("scenario", "version", "hash", "added", "n_metrics", "scored"),
		Rows: [][]any{{a.Scenario, a.Version, a.Hash, a.Added, a.NMetrics, a.Scored}}}}
}

// NewSpecLint returns what deserves a look in a spec read from a file.
func NewSpecLint(file string, s scoring.Spec) SpecLint {
	return SpecLint{File: file, Scenario: s.Scenario, NMetrics: len(s.Metrics), List: List[spec.Warning]{Items: spec.Lint(s)}}
}

// ScenariosQuestion asks which scenarios there are, and how they stand.
type ScenariosQuestion struct {
	Configurations int // of which the means are, the newest so many
	Page           Page
}

func (q *ScenariosQuestion) Params() param.List {
	q.Configurations = 20
	return append(param.List{
		{Name: "configurations", Unit: "N", Help: "give the means of the newest `N` configurations", Value: param.Whole(&q.Configurations, 1)},
	}, q.Page.Params(50)...)
}

func (q *ScenariosQuestion) Check() error {
	if q.Configurations > MaxPage {
		return &param.Error{Param: "configurations", Message: fmt.Sprintf("%d: must be at most %d", q.Configurations, MaxPage)}
	}
	return nil
}

// ScenarioState is a scenario with the state of its newest configuration.
type ScenarioState struct {
	Scenario        string                      `json:"scenario"`
	Spec            *SpecRef                    `json:"spec,omitempty"`          // nil if it has none
	Configuration   track.RecordedConfiguration `json:"configuration,omitzero"`  // the newest; missing if there are no seeds
	FirstRecorded   time.Time                   `json:"first_recorded,omitzero"` // of its seeds
	Verdict         scoring.Verdict             `json:"verdict,omitempty"`
	Estimates       *verdict.Estimates          `json:"estimates"`
	Means           []float64                   `json:"scores"`           // mean scores of the newest configurations that were asked for, the oldest first
	MeanLines       []int                       `json:"score_lines"`      // of each of Means; means with the same number are of the same parameters
	NOlder          int                         `json:"n_older"`          // configurations before them
	NConfigurations int                         `json:"n_configurations"` // all of them, also those without a mean score
	Change          *verdict.HistoryChange      `json:"change,omitempty"` // of the mean score, to the newest configuration; missing without one before it
	Reason          string                      `json:"reason,omitempty"` // why there is no verdict, or that the name of the scenario alone does not mean the newest configuration
}

// Scenarios are all scenarios, in the order of their names.
type Scenarios struct {
	List[ScenarioState] `json:",embed"`
}

func (Scenarios) Lead() []Sentence { return nil }

func (a Scenarios) Tables() []Table {
	t := Table{Name: "scenarios", Empty: "no scenarios", Columns: Columns{
		{Name: "scenario"}, {Name: "verdict"}, {Name: "score"}, {Name: "score_lo", For: ForData}, {Name: "score_hi", For: ForData}, {Name: "score_interval", Head: "95% interval", For: ForPeople},
		{Name: "n_seeds", Head: "n"}, {Name: "pass_rate", Head: "pass"}, {Name: "pass_lo", For: ForData}, {Name: "pass_hi", For: ForData}, {Name: "pass_interval", Head: "95% bounds", For: ForPeople}, {Name: "configuration"}, {Name: "label"}, {Name: "scores", For: ForPeople}, {Name: "first_recorded", Head: "since"}, {Name: "reason"},
		{Name: "change"}, {Name: "change_lo", For: ForData}, {Name: "change_hi", For: ForData}, {Name: "change_interval", Head: "95% interval", For: ForPeople},
	}.drop("change_interval", "change", "first_recorded", "label", "scores", "configuration", "pass_interval", "score_interval", "pass_rate").wrap("reason")}
	for _, s := range a.Items {
		row := []any{s.Scenario, verdictCell(s.Verdict), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, s.Configuration.Label, chart.Sparkline(s.Means, 20), timeCell(s.FirstRecorded), s.Reason}
		if s.Configuration.Hash != "" {
			row[11] = hashCell(s.Configuration.Hash)
		}
		if e := s.Estimates; e != nil {
			mean := e.Score
			row[2], row[3], row[4], row[5] = defined(mean.Value), defined(mean.Interval.Lo), defined(mean.Interval.Hi), intervalCell(mean.Interval, format.Four)
			row[6], row[7] = nSeedsCell(e.NSeeds, e.NScored), optionalCell(rate(e.PassRate.Value), format.Percent)
			row[8], row[9], row[10] = defined(e.PassRate.Interval.Lo), defined(e.PassRate.Interval.Hi), intervalCell(e.PassRate.Interval, format.Percent)
		}
		t.Rows = append(t.Rows, append(row, changeCells(s.Change, format.Four)...))
	}
	return []Table{t}
}

// nSeedsCell says of how many seeds a mean is, unless it is of all of them.
func nSeedsCell(all, scored int) any {
	if scored == all {
		return all
	}
	return Cell{Text: fmt.Sprintf("%d of %d", scored, all), Exact: all}
}

func verdictCell(v scoring.Verdict) any {
	if v == "" {
		return nil
	}
	return string(v)
}

// rate returns a share; nil if it is not defined.
func rate(x float64) *float64 {
	if defined(x) == nil {
		return nil
	}
	return &x
}

// Change is a change that is recorded with who made it, and why.
type Change struct {
	Reason string
	Actor  string // who asks; no parameter, because the one who is asked knows
}

// SetActor says who asks.
func (c *Change) SetActor(name string) { c.Actor = name }

func (c *Change) reasonParam() param.Param {
	return param.Param{Name: "reason", Required: true, Unit: "TEXT", Help: "say why, for those who ask later", Value: param.Text(&c.Reason)}
}

// SetBaselineQuestion asks to pin a configuration as the baseline of its scenario.
type SetBaselineQuestion struct {
	Of Selector
	Change
}

func (q *SetBaselineQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "pin this configuration"), q.reasonParam()}
}

// UnsetBaselineQuestion asks to remove the pin of a scenario.
type UnsetBaselineQuestion struct {
	Scenario string
	Change
}

func (q *UnsetBaselineQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO", Help: "remove the pin of this scenario", Value: param.Name(&q.Scenario)},
		q.reasonParam(),
	}
}

// BaselineQuestion asks for the pins of a scenario.
type BaselineQuestion struct{ Scenario string }

func (q *BaselineQuestion) Params() param.List {
	return param.List{{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO", Help: "show the pins of this scenario", Value: param.Name(&q.Scenario)}}
}

// BaselinesQuestion asks which baselines are pinned.
type BaselinesQuestion struct{}

func (q *BaselinesQuestion) Params() param.List { return nil }

// Baseline is a configuration pinned as the baseline of its scenario, or the removal of a pin.
type Baseline struct {
	Scenario      string                       `json:"scenario"`
	Configuration *track.RecordedConfiguration `json:"configuration"`     // null if the pin was removed
	Replaced      string                       `json:"replaced,omitzero"` // hash of the configuration that was pinned before
	Reason        string                       `json:"reason"`
	Actor         string                       `json:"actor,omitzero"`
	SetAt         time.Time                    `json:"set_at"`
}

// Baselines are pins: those of all scenarios that are active, or all of one scenario, the newest first.
type Baselines struct {
	List[Baseline] `json:",embed"`
}

func (a Baselines) Lead() []Sentence {
	if len(a.Items) > 0 {
		return nil
	}
	hint := PinHint("SCENARIO")
	return []Sentence{{Kind: Heading, Text: "no baseline is pinned", Hint: &hint}}
}

// PinHint says how to pin a baseline of a scenario.
func PinHint(scenario string) track.Hint {
	return track.NewHint("pin one", "baseline set", scenario+"@CONFIGURATION").With("reason", "TEXT")
}

func (a Baselines) Tables() []Table { return []Table{baselinesTable(a.Items)} }

func baselinesTable(list []Baseline) Table {
	t := Table{Name: "baselines", HiddenIfEmpty: true, Columns: columns("scenario", "configuration", "label", "revision", "replaced", "set", "by", "reason").drop("replaced", "by", "revision", "set", "label", "reason").wrap("reason")}
	for _, b := range list {
		row := []any{b.Scenario, "none", "", ""}
		if c := b.Configuration; c != nil {
			row = []any{b.Scenario, hashCell(c.Hash), c.Label, c.Revision.String()}
		}
		var replaced any
		if b.Replaced != "" {
			replaced = hashCell(b.Replaced)
		}
		t.Rows = append(t.Rows, append(row, replaced, timeCell(b.SetAt), b.Actor, b.Reason))
	}
	return t
}

// BaselineChange is the pin of a scenario after a change.
type BaselineChange struct {
	Baseline
	Changed bool `json:"changed"` // false if the configuration was pinned already
}

func (a BaselineChange) Lead() []Sentence {
	text := a.Scenario
	switch {
	case a.Configuration == nil:
		text += " has no baseline any more"
	case a.Changed:
		text += "@" + describe(*a.Configuration) + " is pinned"
	default:
		text += "@" + describe(*a.Configuration) + " is pinned already, since " + timeText(a.SetAt)
	}
	if a.Replaced != "" {
		text += ", in the place of " + track.ShortHash(a.Replaced)
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a BaselineChange) Tables() []Table {
	t := baselinesTable([]Baseline{a.Baseline})
	t.ForPrograms = true
	return []Table{t}
}

// MetricDrift is a series whose mean still drifts after the values that metrics skip, tested over seeds.
type MetricDrift struct {
	Metrics     []string `json:"metrics"`
	Series      string   `json:"series"`
	Skip        int      `json:"skip"`
	NSeeds      int      `json:"n_seeds"`
	stats.Drift          // z is Student's t over seeds, and p is corrected for the number of series
}

// Text says what drifts; of names the configuration of the seeds, as in " of growth@v1".
func (d MetricDrift) Text(of string) string {
	return fmt.Sprintf("%s, in %s%s; skip more", driftText(d.Series, d.Skip, d.Drift), format.Counted(d.NSeeds, "seed"), of)
}
