package answer

import (
	"time"

	"track"
	"track/answer/param"
)

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
