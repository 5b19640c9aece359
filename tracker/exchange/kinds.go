package exchange

import (
	"track"
	"track/answer"
)

// Kind is the kind of a record.
type Kind string

// The kinds of records.
const (
	kindSpec      Kind = "spec"
	kindSeed      Kind = "seed"
	kindSweep     Kind = "sweep"
	kindPin       Kind = "pin"
	kindLook      Kind = "look"
	kindLineage   Kind = "lineage"
	kindVersion   Kind = "version"
	kindExecution Kind = "execution"
	kindTombstone Kind = "tombstone"

	kindWithdrawal Kind = "withdrawal"
	kindAnnotation Kind = "annotation"

	kindConfiguration Kind = "configuration"
)

// Outcome says what became of a record.
type Outcome string

// The outcomes.
const (
	Recorded    Outcome = "recorded"
	known       Outcome = "known"
	conflicting Outcome = "conflict" // another record has its identity, and stays
	Invalid     Outcome = "invalid"
)

// answerFor answers for a record that is known, or else recorded.
func answerFor(kind Kind, isKnown bool) Answer {
	if isKnown {
		return Answer{Kind: kind, Outcome: known}
	}
	return Answer{Kind: kind, Outcome: Recorded}
}

// answerOf returns the answer for a fact that was recorded with a disposition.
func answerOf(kind Kind, d track.Disposition, problem *track.FieldError) Answer {
	a := Answer{Kind: kind, Outcome: Recorded, Problem: problem}
	switch d {
	case track.Duplicate:
		a.Outcome = known
	case track.Conflict, track.Withdrawn:
		a.Outcome = conflicting
	case track.Contradicted, track.Misnamed:
		a.Outcome = Invalid
	case track.Replaced:
		a.Replaced = true
	}
	return a
}

// count counts an answer.
func (d *Door) count(a Answer) {
	count := counter(&d.counts, a.Kind)
	if count == nil {
		return
	}
	switch a.Outcome {
	case Recorded:
		count.Recorded++
	case known:
		count.Known++
	case conflicting:
		count.Conflicts++
	}
}

// counter returns the counter of a kind; nil for a kind that is not counted.
func counter(c *answer.MergeCounts, kind Kind) *answer.Count {
	switch kind {
	case kindSpec:
		return &c.Specs
	case kindConfiguration:
		return &c.Configurations
	case kindSeed:
		return &c.Seeds
	case kindSweep:
		return &c.Sweeps
	case kindPin:
		return &c.Baselines
	case kindAnnotation:
		return &c.Annotations
	case kindLook:
		return &c.Looks
	case kindVersion:
		return &c.Versions
	case kindExecution:
		return &c.Executions
	case kindWithdrawal:
		return &c.Withdrawals
	case kindTombstone:
		return &c.Forgotten
	}
	return nil
}
