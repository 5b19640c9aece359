package evolution

import (
	"time"
)

// ReplayedMutation is where a mutation stands after its ledger.
type ReplayedMutation struct {
	Proposal
	At       time.Time // of the proposal
	State    MutationState
	Attempts int
	Delta    *float64 // of the last decision
}

// MutationState is where a mutation stands.
type MutationState string

// The states of mutations.
const (
	MutationProposed  MutationState = "proposed"
	MutationContinued MutationState = "continue" // decided, and more evidence is needed
	MutationAccepted  MutationState = "accepted"
	MutationRejected  MutationState = "rejected"
	MutationRefused   MutationState = "refused" // never tried
	MutationWithdrawn MutationState = "withdrawn"
)

// Open reports whether a decision is still to be made.
func (s MutationState) Open() bool { return s == MutationProposed || s == MutationContinued }

// StateAfter returns the state of a mutation after a decision. A decision that asks for more evidence does not reopen a
// mutation that was accepted or rejected before.
func StateAfter(d Decision, before MutationState) MutationState {
	switch {
	case d.Accepted:
		return MutationAccepted
	case d.State != Continue:
		return MutationRejected
	case before == MutationAccepted || before == MutationRejected:
		return before
	}
	return MutationContinued
}

// DeltaAfter returns the recorded difference of a mutation after a decision: the one of the decision, unless it asks
// for more evidence on a mutation that was accepted or rejected before.
func DeltaAfter(d Decision, before MutationState, delta *float64) *float64 {
	if d.State == Continue && (before == MutationAccepted || before == MutationRejected) {
		return delta
	}
	return d.Delta
}

// HeadAfter returns the head after a decision on a mutation of parent to child: the child of an accepted mutation takes
// the place of its parent, and of no other version. A child accepted against a version that is no longer active was not
// compared with the head.
func HeadAfter(d Decision, head, parent, child string) string {
	if d.Accepted && head == parent {
		return child
	}
	return head
}
