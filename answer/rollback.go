package answer

import (
	"fmt"
	"time"

	"track/answer/param"
	"track/evolution"
)

// RollbackQuestion asks to make an earlier version active: one of To, Best, Previous and IfTriggered says which.
type RollbackQuestion struct {
	Lineage     string // empty for the only one
	To          string // a version, also as LINEAGE@VERSION
	Best        bool
	Previous    bool
	IfTriggered bool
	Untested    bool // To may be a version that was never tried
	Reason      string
	At          time.Time // zero for now
}

func (q *RollbackQuestion) Params() param.List {
	return param.List{
		ofLineage(&q.Lineage),
		{Name: "to", Unit: "VERSION", Help: "go back to this `VERSION`", Value: param.Text(&q.To)},
		{Name: "best", Help: "go back to the version with the highest fitness of those that were ever active", Value: param.Switch(&q.Best)},
		{Name: "previous", Help: "go back to the version before the active one", Value: param.Switch(&q.Previous)},
		{Name: "if-triggered", Help: "go back as the first trigger that applies says, if any does", Value: param.Switch(&q.IfTriggered)},
		{Name: "untested", Help: "let the version be one that was never tried", Value: param.Switch(&q.Untested)},
		reasonParam(&q.Reason), atParam(&q.At),
	}
}

func (q *RollbackQuestion) Check() error {
	ways := 0
	for _, given := range []bool{q.To != "", q.Best, q.Previous, q.IfTriggered} {
		if given {
			ways++
		}
	}
	if q.Untested && q.To == "" {
		return &param.Error{Param: "untested", Message: "is for a version that to names"}
	}
	if ways != 1 {
		return &param.Error{Param: "to", Message: "give one of to, best, previous and if-triggered"}
	}
	return nil
}

// Rollback says what going back came to.
type Rollback struct {
	Lineage    string                   `json:"lineage"`
	RolledBack bool                     `json:"rolled_back"`     // false if no trigger applies
	Number     int                      `json:"number,omitzero"` // of its entry in the ledger
	Head       string                   `json:"head"`
	Event      *evolution.RollbackEvent `json:"event"`
	Hash       string                   `json:"hash,omitempty"`
	Warnings   []DecisionWarning        `json:"warnings"`
}

func (a Rollback) Lead() []Sentence {
	if a.Event == nil {
		return []Sentence{{Kind: Heading, Text: "no trigger applies; active: " + orNoVersion(a.Head)}}
	}
	lead := []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("active: %s, before %s", a.Event.To, orNoVersion(a.Event.From))},
		{Kind: Note, Text: a.Event.Reason, Joined: true},
	}
	for _, w := range a.Warnings {
		lead = append(lead, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	return lead
}

func (a Rollback) Tables() []Table {
	trigger := ""
	if a.Event != nil {
		trigger = string(a.Event.Trigger)
	}
	return []Table{{Name: "rollback", ForPrograms: true, Columns: columns("lineage", "rolled_back", "trigger", "head"),
		Rows: [][]any{{a.Lineage, a.RolledBack, trigger, a.Head}}}}
}
