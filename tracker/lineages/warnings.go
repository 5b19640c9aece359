package lineages

import (
	"fmt"
	"strings"

	"track/evolution"
)

// leftOut returns what of a version is no evidence, in words; empty for nothing.
func (v VersionTrials) leftOut() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{v.Open, "executions that may still go on"}, {v.Unscored, "executions without a score"},
		{v.Unjudged, "seeds that were never judged under the spec in force (track rescore judges them)"}, {v.Others, "seeds under another revision of the code"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// addWarnings adds the warnings of the decision, and those that it cannot know itself.
func addWarnings(l Lineage, d *DecideResult) {
	add := func(code evolution.Warning, message string) {
		d.Warnings = append(d.Warnings, DecisionWarning{code, message})
	}
	decision := d.Record.Decision
	for _, w := range decision.Warnings {
		add(w, w.Message())
	}
	if decision.Accepted && d.HeadAfter != d.Mutation.Child {
		add(WarnStaleParent, fmt.Sprintf("accepted against %s, but %s is in force: propose it again with --parent %s, and decide that", d.Parent, orDash(d.HeadBefore), orDash(d.HeadBefore)))
	}
	if d.Record.Override {
		add(WarnOverridden, fmt.Sprintf("decided by %s, where %s is the policy of the lineage", d.Record.Policy, l.Settings.Policy))
	}
	if d.ended > 0 {
		times := "once"
		if d.ended > 1 {
			times = fmt.Sprintf("%d times", d.ended)
		}
		add(WarnAttempts, "decided before, "+times+": deciding again until it passes lets more through than the rate says")
	}
	if d.was == evolution.MutationAccepted && !decision.Accepted && d.HeadBefore == d.Mutation.Child {
		add(WarnWasAccepted, fmt.Sprintf("it was accepted before: %s stays in force until track rollback %s", d.HeadBefore, l.Name))
	}
	for i, side := range [...]string{"child", "parent"} {
		if text := d.Sides[i].leftOut(); text != "" {
			add(WarnLeftOut, fmt.Sprintf("left out of the %s: %s", side, text))
		}
	}
}
