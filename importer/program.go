package importer

import "time"

// Why a [Program] has no score.
const (
	FailedTimeout = "timeout" // its evaluation was stopped; a score that it carries is of a part
	FailedInvalid = "invalid" // what it made was refused, or its score is no number
	FailedError   = "error"   // it, or its evaluation, broke
)

// Program is one candidate of a run of another evolver.
type Program struct {
	ID      string   // in the source
	Parents []string // ids of the source, the one it was made of first; may name programs that the source has lost

	Operator string // what made it of its parents (patch type), normalised to a name without spaces; empty where unknown
	Title    string // for people (patch name, title, description of changes); may be empty
	Content  string // the code; empty if the source does not have it
	Digest   string // of the code, if the source has no more of it: SHA-256 in hexadecimal
	Feedback string // what the source says about how it was made: reflection, feedback; may be empty

	Score   *float64           // in the units of the source; nil where it failed
	Failed  string             // why there is no score: FailedTimeout, FailedInvalid or FailedError; empty where there is one
	Message string             // what the source says of the failure; may be empty
	Partial *float64           // the score that the source carries for a program that failed, for the record only
	Metrics map[string]float64 // what else the source measured, also of a program that failed: never the score itself; true is 1

	// Trials are the scores on single tasks, of which Score is the mean; nil if the source has only a score.
	Trials []ProgramTrial

	Generation, Iteration *int      // nil where unknown
	Island                *int      // nil where unknown
	Cell                  string    // of a map of elites; empty where unknown
	At                    time.Time // zero where unknown
	Best                  bool      // the source calls it the best of the run, even if it failed

	File string
	Line int // where it stands, from 1; 0 where the file holds nothing else
}

// ProgramTrial is the score of a program on one task.
type ProgramTrial struct {
	Task  string
	Score *float64 // nil where it failed
}

// RejectedProgram is a proposal that the source rejected after a small test, and of which it keeps no content.
type RejectedProgram struct {
	ID        string   // of the proposal
	Parents   []string // ids of programs
	Operator  string
	Iteration int
	Feedback  string
	Minibatch *Minibatch // the test; nil where unknown
}

// Minibatch is the test of a proposal against its parent on a few tasks.
type Minibatch struct {
	Tasks         []string
	Before, After []float64 // scores of the parent and of the proposal, in the order of the tasks
}

// Run is what a reader found of a run of another evolver, all checkpoints together.
type Run struct {
	// Programs are in the order of iteration, then generation, then time, each behind those of its parents that are
	// there. Each has an id of its own; equal contents under different ids stay what they are.
	Programs []Program
	// Rejected are proposals without a content, in the order of their iterations.
	Rejected []RejectedProgram
	// Minibatches are the tests of programs that were proposed, by the id of the program.
	Minibatches map[string]Minibatch
	// Lost are the ids of parents that no file has, sorted.
	Lost []string
	// Skips are the parts that were not used. A program that stands in one may still be among Programs, without that part.
	Skips []Skip

	LeftOut       int // lines and files that were left out as a whole; each stands in Skips
	Checkpoints   int // that were read; 0 where the source is one file
	Repeated      int // programs that came again, as they were
	Differing     int // programs that came again and had changed: the later counts
	Ambiguous     int // programs without a parent, since one of several may be it
	Picked        int // programs with a parent that the source picked out of several that may be it
	SecondUnknown int // crossovers whose second parent the source does not tell
}
