package track

import (
	"strings"
	"time"
)

// Sweep is a command that was run once for each of the planned seeds of some configurations of a scenario.
type Sweep struct {
	ID             string // ULID
	Scenario       string
	Plan           string // JSON: the command and its settings, as package sweep writes them
	Shard, NShards int    // the part of the plan that it is, from 1; 0 for the whole
	Environment    Environment
	Changes        string // of the code since its commit, masked; empty for none
	Libraries      string // what the command printed that lists them, masked; empty if none was asked
	StartedAt      time.Time
	EndedAt        time.Time // zero while it runs, or if it was killed
	Ending         SweepEnding
	CodeChanged    bool           // while it ran, or it may have: its seeds may be of other code than they say
	Planned        []PlannedSeeds // in the order of the grid
	Spec           string         // JSON of the spec that a plan for other machines carries; it is not stored with the sweep
}

// PlannedSeeds are the seeds that a sweep is to run of a configuration. Whatever became of them, they are the
// denominator.
type PlannedSeeds struct {
	Configuration Configuration
	Seeds         SeedRanges
}

// SweepEnding is why a sweep came to its end.
type SweepEnding string

// The endings. One that has none runs, or was killed.
const (
	SweepFinished    SweepEnding = "finished"    // it had no seed left to run
	SweepDecided     SweepEnding = "decided"     // its stopping rule held before all seeds had run
	SweepUndecided   SweepEnding = "undecided"   // its stopping rule held for no configuration, however often it looked
	SweepInterrupted SweepEnding = "interrupted" // by its user
)

// Run is how the command of a seed ended.
type Run struct {
	Sweep    string         `json:"sweep,omitempty"`     // its ID
	Attempts int            `json:"attempts"`            // from 1; the other fields describe the last one
	ExitCode *int           `json:"exit_code,omitempty"` // nil if a signal ended it, or if it never started
	Signal   string         `json:"signal,omitempty"`    // such as SIGKILL
	Stderr   string         `json:"stderr,omitempty"`    // the end of its standard error, masked
	CPU      *time.Duration `json:"cpu_s,omitempty"`     // user and system time; in JSON, seconds
	MaxRSS   *int64         `json:"rss_bytes,omitempty"` // peak memory of its largest process
}

// Repetition is a seed that was run again, to see whether it gives the same.
type Repetition struct {
	ID          string     `json:"id"`              // ULID
	Sweep       string     `json:"sweep,omitempty"` // its ID; empty if somebody asked for this seed alone
	Digest      TextDigest `json:"digest"`
	Differences []string   `json:"differences,omitempty"` // in words, at most a few; empty if the digests are equal
	RepeatedAt  time.Time  `json:"at"`
}

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
