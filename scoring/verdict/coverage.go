package verdict

import (
	"fmt"

	"track/scoring"
	"track/scoring/format"
)

// Coverage says how complete and how repeatable the seeds of a configuration are, where sweeps ran them.
type Coverage struct {
	NPlanned   int    // seeds that were to run; 0 where nobody planned any
	NMissing   int    // of these, those that are not recorded
	Missing    string // the first of them, as ranges
	NRepeated  int    // seeds that were run again
	NDiffering int    // of these, those that gave something else
	Differing  string // the first of them, with what differs

	NCommands    int    // different commands that ran the seeds
	NCodeChanged int    // sweeps in the course of which the code changed
	Withdrawn    string // why plans were withdrawn; empty where none was
}

// Codes of warnings about coverage.
const (
	WarnPlannedMissing   = "planned_seeds_missing"
	WarnNotDeterministic = "not_deterministic"
	WarnCommands         = "different_commands"
	WarnCodeChanged      = "code_changed"
	WarnWithdrawn        = "plan_withdrawn"
)

// RuleRepeatable is in force where seeds were run again: one that gives something else is a warning.
const RuleRepeatable = "repeatable"

// RulePlanned is in force where seeds were planned: all of them have to be recorded before anything passes.
const RulePlanned = "planned_seeds"

// Add puts what is known of the runs beside the estimates, with warnings.
func (e *Estimates) Add(r Coverage) {
	e.Coverage = r
	add := func(code, format string, args ...any) {
		e.Warnings = append(e.Warnings[:len(e.Warnings):len(e.Warnings)], Warning{code, fmt.Sprintf(format, args...)})
	}
	if r.NMissing > 0 {
		add(WarnPlannedMissing, "%s", r.missingText())
	}
	if r.NDiffering > 0 {
		add(WarnNotDeterministic, "%s", r.differingText())
	}
	if r.NCommands > 1 {
		add(WarnCommands, "%d different commands ran these seeds: what tells them apart belongs into a parameter or a label", r.NCommands)
	}
	if r.NCodeChanged > 0 {
		add(WarnCodeChanged, "the code changed while %d %s ran: these seeds may be of other code than they say", r.NCodeChanged, format.Plural(r.NCodeChanged, "sweep"))
	}
	if r.Withdrawn != "" {
		add(WarnWithdrawn, "a plan was withdrawn: %s", r.Withdrawn)
	}
}

func (r Coverage) differingText() string {
	return fmt.Sprintf("%d of %d seeds that were run again gave something else: %s", r.NDiffering, r.NRepeated, r.Differing)
}

func (r Coverage) missingText() string {
	return fmt.Sprintf("%d of %d planned seeds are not recorded (%s): those that are may be the easy ones", r.NMissing, r.NPlanned, r.Missing)
}

const needPlanned = "the missing seeds: the same track sweep goes on where it stopped; track sweep withdraw takes back a plan that was a mistake"

// complete turns a finding that some planned seeds are missing from into one that is open.
func (f *Finding) complete(r Coverage) {
	if r.NMissing == 0 || f.Verdict == scoring.VerdictFail {
		return
	}
	f.Verdict = scoring.VerdictInconclusive
	f.Reasons, f.Needs = append(f.Reasons, r.missingText()), append(f.Needs, needPlanned)
}

// outcomes are those of the rules about coverage.
func (r Coverage) outcomes() (list []Outcome) {
	if r.NPlanned > 0 {
		o := Outcome{Rule: RulePlanned, Verdict: scoring.VerdictPass, N: r.NPlanned - r.NMissing, Message: fmt.Sprintf("all %d planned seeds are recorded", r.NPlanned)}
		if r.NMissing > 0 {
			o.Verdict, o.Reason, o.Message, o.Need = scoring.VerdictInconclusive, WarnPlannedMissing, r.missingText(), needPlanned
		}
		list = append(list, o)
	}
	if r.NRepeated > 0 {
		o := Outcome{Rule: RuleRepeatable, Verdict: scoring.VerdictPass, N: r.NRepeated, Message: fmt.Sprintf("%d seeds gave the same when they were run again", r.NRepeated)}
		if r.NDiffering > 0 {
			o.Verdict, o.Reason, o.Message = scoring.VerdictWarn, WarnNotDeterministic, r.differingText()
		}
		list = append(list, o)
	}
	return list
}
