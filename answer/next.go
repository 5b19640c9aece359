package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
)

// Action is what a loop is to do next.
type Action string

// The actions.
const (
	ActionRun      Action = "run"      // run trials that a policy needs before it decides
	ActionDecide   Action = "decide"   // decide a mutation that has enough evidence
	ActionMutate   Action = "mutate"   // propose a child of the active version, by the operator
	ActionWait     Action = "wait"     // run the active version so many times more
	ActionRollback Action = "rollback" // go back, because a trigger applies
	ActionStop     Action = "stop"     // do nothing until somebody changes something
)

// NextQuestion asks what to do with a lineage now.
type NextQuestion struct {
	Lineage string // empty for the only one
	DryRun  bool
	At      time.Time // zero for now
}

func (q *NextQuestion) Params() param.List {
	return param.List{ofLineage(&q.Lineage), {Name: "dry-run", Help: "draw and record nothing", Value: param.Switch(&q.DryRun)}, atParam(&q.At)}
}

// Next says what to do with a lineage now, and why.
type Next struct {
	Lineage    string                   `json:"lineage"`
	Action     Action                   `json:"action"`
	Reason     string                   `json:"reason"`
	Hold       evolution.Hold           `json:"hold,omitempty"` // what keeps the lineage from mutating
	Head       string                   `json:"head"`
	Version    string                   `json:"version,omitempty"` // to run next, or to mutate
	Task       string                   `json:"task,omitempty"`    // to run it on, or the seed; empty for any
	Executions int                      `json:"executions"`        // to wait for, or to run
	Until      time.Time                `json:"until,omitzero"`    // not before
	Mutation   string                   `json:"mutation,omitempty"`
	Operator   string                   `json:"operator,omitempty"`
	Risk       evolution.Risk           `json:"risk,omitempty"`
	Trials     []PlannedTrial           `json:"trials"`
	Rollback   *evolution.Rollback      `json:"rollback"`
	Draws      []Draw                   `json:"draws"`
	Considered *evolution.Consideration `json:"considered"` // what the answer follows from
	Step       *track.Hint              `json:"step"`       // the command to go on with; null for none
}

func (a Next) Lead() []Sentence {
	text := string(a.Action)
	switch {
	case !a.Until.IsZero():
		text += " until " + a.Until.UTC().Format(time.RFC3339Nano)
	case a.Action == ActionWait:
		text += " for " + format.Counted(a.Executions, "execution") + " of " + orNoVersion(a.Head)
	case a.Action == ActionRun:
		text += " " + format.Counted(a.Executions, "trial") + " for " + a.Mutation
	case a.Action == ActionMutate:
		text += fmt.Sprintf(" %s by %s (%s)", a.Head, a.Operator, a.Risk)
	case a.Mutation != "":
		text += " " + a.Mutation
	case a.Hold != "":
		text += ": " + string(a.Hold)
	}
	lead := []Sentence{{Kind: Heading, Text: text}, {Kind: Note, Text: a.Reason, Joined: true}}
	if a.Step != nil {
		lead = append(lead, Sentence{Kind: Note, Hint: a.Step, Joined: true})
	}
	return lead
}

func (a Next) Tables() []Table {
	var until any
	if !a.Until.IsZero() {
		until = a.Until.UTC().Format(time.RFC3339Nano)
	}
	return []Table{
		{Name: "next", ForPrograms: true, Columns: columns("lineage", "action", "version", "task", "executions", "mutation", "operator", "until", "reason"),
			Rows: [][]any{{a.Lineage, string(a.Action), a.Version, a.Task, a.Executions, a.Mutation, a.Operator, until, a.Reason}}},
		trialTables(a.Trials)[0],
	}
}
