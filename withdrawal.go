package track

import "time"

// WithdrawnKind says what was withdrawn or restored.
type WithdrawnKind string

// The kinds.
const (
	WithdrawnSeed          WithdrawnKind = "seed"          // one measurement of a seed: another one may take its place
	WithdrawnConfiguration WithdrawnKind = "configuration" // all seeds of a scenario under a configuration, and those to come
	WithdrawnSweep         WithdrawnKind = "sweep"         // the plan of a sweep
)

// WithdrawalAction says what was done.
type WithdrawalAction string

// The actions.
const (
	ActionWithdrawn WithdrawalAction = "withdrawn"
	ActionRestored  WithdrawalAction = "restored"
)

// Withdrawal takes a record back, or restores one that was taken back. What is withdrawn is kept, and does not count.
// Of several withdrawals of one subject, the one with the latest time counts; of equal times, the one with the larger
// ID.
type Withdrawal struct {
	ID            string           `json:"id"` // ULID
	Kind          WithdrawnKind    `json:"kind"`
	Action        WithdrawalAction `json:"action"`
	Scenario      string           `json:"scenario"`
	Configuration string           `json:"configuration,omitempty"` // hash; empty for a sweep
	Seed          *SeedNumber      `json:"seed,omitempty"`          // of a seed
	Digest        string           `json:"digest,omitempty"`        // of what a seed measured, in hexadecimal: see [Seed.Digest]
	Sweep         string           `json:"sweep,omitempty"`         // ULID of a sweep, or of the sweep with which a seed was withdrawn
	Reason        string           `json:"reason"`
	Actor         string           `json:"actor,omitempty"`
	At            time.Time        `json:"at"`
}

// EachText implements [Fact].
func (w *Withdrawal) EachText(v TextVisitor) {
	v.Name("scenario", w.Scenario)
	v.Free("reason", &w.Reason)
	v.Name("actor", w.Actor)
}

// IsAfter reports whether a withdrawal counts rather than another one of the same subject.
func (w Withdrawal) IsAfter(other Withdrawal) bool {
	if w.At.Equal(other.At) {
		return w.ID > other.ID
	}
	return w.At.After(other.At)
}
