package verdict

import (
	"fmt"

	"track/scoring"
)

// Coverage says how complete and how repeatable the seeds of a configuration are, where sweeps ran them.
type Coverage struct {
	NPlanned   int    // seeds that were to run; 0 where nobody planned any
	NMissing   int    // of these, those that are not recorded
	Missing    string // the first of them, as ranges
	NRepeated  int    // seeds that were run again
	NDiffering int    // of these, those that gave something else
	Differing  string // the first of them, with what differs
}

// Codes of warnings about coverage.
const (
	WarnPlannedMissing   = "planned_seeds_missing"
	WarnNotDeterministic = "not_deterministic"
)

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
		add(WarnNotDeterministic, "%d of %d seeds that were run again gave something else: %s", r.NDiffering, r.NRepeated, r.Differing)
	}
}

func (r Coverage) missingText() string {
	return fmt.Sprintf("%d of %d planned seeds are not recorded (%s): those that are may be the easy ones", r.NMissing, r.NPlanned, r.Missing)
}

const needPlanned = "the missing seeds: the same track sweep goes on where it stopped"

// complete turns a finding that some planned seeds are missing from into one that is open.
func (f *Finding) complete(r Coverage) {
	if r.NMissing == 0 || f.Verdict == scoring.VerdictFail {
		return
	}
	f.Verdict = scoring.VerdictInconclusive
	f.Reasons, f.Needs = append(f.Reasons, r.missingText()), append(f.Needs, needPlanned)
}

// planned is the outcome of the rule about planned seeds.
func (r Coverage) planned() Outcome {
	o := Outcome{Rule: RulePlanned, Verdict: scoring.VerdictPass, N: r.NPlanned - r.NMissing, Message: fmt.Sprintf("all %d planned seeds are recorded", r.NPlanned)}
	if r.NMissing > 0 {
		o.Verdict, o.Reason, o.Message, o.Need = scoring.VerdictInconclusive, WarnPlannedMissing, r.missingText(), needPlanned
	}
	return o
}
