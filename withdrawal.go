package track

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

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

// Check returns why the withdrawal cannot be recorded; nil if it can.
func (w *Withdrawal) Check() *FieldError {
	wrong := func(field, format string, args ...any) *FieldError {
		return (&FieldError{Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
	}
	isSeed, isSweep := w.Kind == WithdrawnSeed, w.Kind == WithdrawnSweep
	digest, digestErr := hex.DecodeString(w.Digest)
	switch {
	case !isULID(w.ID):
		return wrong("id", "%q is not a ULID", w.ID)
	case !isSeed && !isSweep && w.Kind != WithdrawnConfiguration:
		return wrong("subject", "%q is not seed, configuration or sweep", w.Kind)
	case w.Action != ActionWithdrawn && w.Action != ActionRestored:
		return wrong("action", "%q is not withdrawn or restored", w.Action)
	case strings.TrimSpace(w.Reason) == "":
		return wrong("reason", "is empty")
	case isSeed != (w.Seed != nil):
		return wrong("seed", "is given if the subject is a seed, and only then")
	case isSeed && (digestErr != nil || len(digest) != 32):
		return wrong("digest", "%q is not the digest of the measurement, in 64 hexadecimal digits", w.Digest)
	case !isSeed && w.Digest != "":
		return wrong("digest", "is given only if the subject is a seed")
	case isSweep != (w.Configuration == ""):
		return wrong("configuration", "is the hash of the configuration of a seed, or of the configuration; a sweep has none")
	case isSweep && !isULID(w.Sweep) || !isULID(w.Sweep) && w.Sweep != "":
		return wrong("sweep", "%q is not the ULID of a sweep", w.Sweep)
	case w.Kind == WithdrawnConfiguration && w.Sweep != "":
		return wrong("sweep", "is given only if the subject is a sweep, or a seed that was withdrawn with it")
	}
	if hash, err := hex.DecodeString(w.Configuration); err != nil || !isSweep && len(hash) != 32 {
		return wrong("configuration", "%q is not the hash of a configuration, in 64 hexadecimal digits", w.Configuration)
	}
	if err := CheckScenarioName(w.Scenario); err != nil {
		return wrong("scenario", "%v", err)
	}
	return nil
}

// isULID reports whether a text is a ULID.
func isULID(s string) bool {
	return len(s) == 26 && strings.Trim(s, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

// IsAfter reports whether a withdrawal counts rather than another one of the same subject.
func (w Withdrawal) IsAfter(other Withdrawal) bool {
	if w.At.Equal(other.At) {
		return w.ID > other.ID
	}
	return w.At.After(other.At)
}
