package track

import "time"

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
	CodeChanged    bool           // while it ran: its seeds may be of other code than they say
	Note           string         // why its plan was withdrawn
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
	SweepInterrupted SweepEnding = "interrupted" // by its user
	SweepWithdrawn   SweepEnding = "withdrawn"   // its plan was a mistake: what it did not run is not missing
)

// Run is how the command ended that made a seed.
type Run struct {
	Sweep    string // its ID
	Attempts int    // from 1; the other fields are about the last one
	ExitCode *int   // nil if a signal ended it or it never started
	Signal   string // as SIGKILL; empty for none
	Stderr   string // the end of what it wrote there, masked
	CPU      *time.Duration
	MaxRSS   *int64 // bytes that its largest process held at most
}

// Repetition is a seed that was run again, to see whether it gives the same.
type Repetition struct {
	ID          string // ULID
	Sweep       string // its ID; empty if somebody asked for this seed alone
	Digest      [32]byte
	Differences []string // in words, at most a few; empty if the digests are equal
	RepeatedAt  time.Time
}
