package track

import (
	"strings"
	"time"
)

// Runs says where and when seeds ran, as far as it is recorded.
type Runs struct {
	First        time.Time        `json:"first,omitzero"` // the earliest start; zero if none is known
	Last         time.Time        `json:"last,omitzero"`  // the latest start
	NStarted     int              `json:"n_started"`      // seeds whose start is known
	Duration     time.Duration    `json:"duration_s"`     // of all NTimed seeds together
	NTimed       int              `json:"n_timed"`        // seeds whose duration is known
	Environments []EnvironmentUse `json:"environments"`   // most seeds first
	Sweeps       []SweepUse       `json:"sweeps"`         // most seeds first; a seed may have been run by none
}

// EnvironmentUse is an environment with the number of seeds that ran in it.
type EnvironmentUse struct {
	Environment Environment `json:"environment"`
	NSeeds      int         `json:"n_seeds"`
}

// SweepUse is a sweep with the number of seeds that it ran.
type SweepUse struct {
	ID      string   `json:"id"` // ULID
	Plan    string   `json:"-"`  // JSON, see [Sweep]
	Command []string `json:"command"`
	NSeeds  int      `json:"n_seeds"`
}

// ShortID returns the end of a ULID, which people read and select by.
func ShortID(ulid string) string { return strings.ToLower(ulid[max(0, len(ulid)-8):]) }
