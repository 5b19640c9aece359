package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/reports/chart"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

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
