package lines

import (
	"fmt"
	"time"

	"track"
)

// withdrawalLine is a line of kind withdrawal: something was withdrawn or restored.
type withdrawalLine struct {
	Kind          string                 `json:"kind"`
	V             int                    `json:"v,omitzero"`
	ID            string                 `json:"id"`
	Subject       track.WithdrawnKind    `json:"subject"`
	Action        track.WithdrawalAction `json:"action"`
	Scenario      string                 `json:"scenario"`
	Configuration string                 `json:"configuration,omitempty"` // hash
	Seed          *seedNumber            `json:"seed,omitempty"`
	Digest        string                 `json:"digest,omitempty"`
	Sweep         string                 `json:"sweep,omitempty"`
	Reason        string                 `json:"reason"`
	Actor         string                 `json:"actor,omitempty"`
	At            string                 `json:"at"`
}

// parseWithdrawal reads a line of kind withdrawal.
func parseWithdrawal(text []byte) (w track.Withdrawal, failure *track.FieldError) {
	var l withdrawalLine
	if failure := decode(text, &l); failure != nil {
		return w, failure.Shorten()
	}
	if newer := checkVersion(l.V); newer != nil {
		return w, newer
	}
	w = track.Withdrawal{
		ID: l.ID, Kind: l.Subject, Action: l.Action, Scenario: l.Scenario, Configuration: l.Configuration, Digest: l.Digest, Sweep: l.Sweep, Reason: l.Reason, Actor: l.Actor,
	}
	if l.Seed != nil && l.Seed.given {
		w.Seed = &l.Seed.number
	}
	var err error
	if w.At, err = time.Parse(time.RFC3339Nano, l.At); err != nil {
		return w, (&track.FieldError{Field: "at", Message: fmt.Sprintf("%q is not a time such as 2026-01-02T15:04:05Z", l.At)}).Shorten()
	}
	return w, w.Check()
}

// AppendWithdrawal appends a withdrawal or a restoration as a line of a batch.
func AppendWithdrawal(b []byte, w track.Withdrawal) ([]byte, error) {
	l := withdrawalLine{
		Kind: kindWithdrawal, ID: w.ID, Subject: w.Kind, Action: w.Action, Scenario: w.Scenario, Configuration: w.Configuration, Digest: w.Digest, Sweep: w.Sweep,
		Reason: w.Reason, Actor: w.Actor, At: timeText(w.At),
	}
	if w.Seed != nil {
		l.Seed = &seedNumber{number: *w.Seed, given: true}
	}
	return appendLine(b, l)
}
