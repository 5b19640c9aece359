package verdict

import (
	"fmt"
	"strings"

	"track/scoring"
	"track/scoring/format"
)

// Coverage says how complete and how repeatable the seeds of a configuration are. All of it is zero if no sweep ran
// them.
type Coverage struct {
	NPlanned   int    `json:"n_planned,omitzero"`   // seeds that a sweep planned
	NMissing   int    `json:"n_missing,omitzero"`   // planned seeds that are not recorded, or were withdrawn and not replaced
	Missing    string `json:"missing,omitzero"`     // the first of them, as ranges
	NRepeated  int    `json:"n_repeated,omitzero"`  // seeds that were run again
	NDiffering int    `json:"n_differing,omitzero"` // repeated seeds whose values differ from the first run
	Differing  string `json:"differing,omitzero"`   // the first of them, with what differs

	NCommands    int    `json:"n_commands,omitzero"`     // different commands that ran the seeds
	NCodeChanged int    `json:"n_code_changed,omitzero"` // sweeps during which the code changed, or may have changed
	Withdrawn    string `json:"withdrawn,omitzero"`      // why plans were withdrawn; empty if none was
	NWithdrawn   int    `json:"n_withdrawn,omitzero"`    // seeds that were withdrawn, and that no other measurement replaced

	NMissingWithdrawn int `json:"n_missing_withdrawn,omitzero"` // missing seeds that were withdrawn
}

// Codes of warnings about coverage.
const (
	WarnPlannedMissing   = "planned_seeds_missing"
	WarnNotDeterministic = "not_deterministic"
	warnCommands         = "different_commands"
	warnCodeChanged      = "code_changed"
	warnWithdrawn        = "plan_withdrawn"
	warnSeedsWithdrawn   = "seeds_withdrawn"
	seedsWithdrawn       = "%s withdrawn and not replaced: what is left may be the easier part"
)

// ruleRepeatable is in force where seeds were run again: one that gives something else is a warning.
const ruleRepeatable = "repeatable"

// RulePlanned applies if seeds were planned: all of them must be recorded before anything passes. A withdrawn seed is
// not recorded.
const RulePlanned = "planned_seeds"

func (c Coverage) warnings() (list []Warning) {
	add := func(code, format string, args ...any) {
		list = append(list, Warning{code, fmt.Sprintf(format, args...)})
	}
	if c.NMissing > 0 {
		add(WarnPlannedMissing, "%s", c.missingText())
	}
	if c.NDiffering > 0 {
		add(WarnNotDeterministic, "%s", c.differingText())
	}
	if c.NCommands > 1 {
		add(warnCommands, "%d different commands ran these seeds: record what differs between them as a parameter or a label", c.NCommands)
	}
	if c.NCodeChanged > 0 {
		add(warnCodeChanged, "the code may have changed while %d %s ran: these seeds may come from other code than recorded", c.NCodeChanged, format.Plural(c.NCodeChanged, "sweep"))
	}
	if c.Withdrawn != "" {
		add(warnWithdrawn, "a plan was withdrawn: %s", c.Withdrawn)
	}
	if c.NWithdrawn > 0 {
		add(warnSeedsWithdrawn, seedsWithdrawn, format.Counted(c.NWithdrawn, "seed"))
	}
	return list
}

func (c Coverage) differingText() string {
	return fmt.Sprintf("%d of %d repeated seeds gave different values: %s", c.NDiffering, c.NRepeated, c.Differing)
}

func (c Coverage) missingText() string {
	if c.NMissingWithdrawn > 0 {
		return fmt.Sprintf("%d of %d planned seeds missing (%s), %d of them withdrawn: the recorded ones may be the easy ones", c.NMissing, c.NPlanned, c.Missing, c.NMissingWithdrawn)
	}
	return fmt.Sprintf("%d of %d planned seeds are not recorded (%s): the recorded ones may be the easy ones", c.NMissing, c.NPlanned, c.Missing)
}

const (
	needPlanned   = "the missing seeds: run the sweep again, and it continues where it stopped; or withdraw a plan that was a mistake"
	needWithdrawn = "other measurements of the withdrawn seeds; or restore them; or withdraw a plan that was a mistake"
)

// needs says how the planned seeds become complete.
func (c Coverage) needs() (list []string) {
	if c.NMissing > c.NMissingWithdrawn {
		list = append(list, needPlanned)
	}
	if c.NMissingWithdrawn > 0 {
		list = append(list, needWithdrawn)
	}
	return list
}

// complete turns a finding that some planned seeds are missing from into one that is open.
func (f *Finding) complete(c Coverage) {
	if c.NMissing == 0 || f.Verdict == scoring.VerdictFail {
		return
	}
	f.Verdict = scoring.VerdictInconclusive
	f.Reasons, f.Needs = append(f.Reasons, c.missingText()), append(f.Needs, c.needs()...)
}

// outcomes are those of the rules about coverage.
func (c Coverage) outcomes() (list []Outcome) {
	if c.NPlanned > 0 {
		o := Outcome{Rule: RulePlanned, Verdict: scoring.VerdictPass, N: c.NPlanned - c.NMissing, Message: fmt.Sprintf("all %d planned seeds are recorded", c.NPlanned)}
		if c.NMissing > 0 {
			o.Verdict, o.Reason, o.Message, o.Need = scoring.VerdictInconclusive, WarnPlannedMissing, c.missingText(), strings.Join(c.needs(), "; ")
		}
		list = append(list, o)
	}
	if c.NRepeated > 0 {
		o := Outcome{Rule: ruleRepeatable, Verdict: scoring.VerdictPass, N: c.NRepeated, Message: fmt.Sprintf("%s gave the same values again", format.Counted(c.NRepeated, "repeated seed"))}
		if c.NDiffering > 0 {
			o.Verdict, o.Reason, o.Message = scoring.VerdictWarn, WarnNotDeterministic, c.differingText()
		}
		list = append(list, o)
	}
	return list
}
