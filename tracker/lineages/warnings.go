package lineages

import (
	"fmt"
	"strings"

	"track"
	"track/answer"
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
		{v.Unjudged, "seeds that were never judged under the active spec"}, {v.Others, "seeds under another revision of the code"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// addWarnings adds the warnings of the decision, and those that it cannot know itself.
func addWarnings(l Lineage, d *DecideResult) {
	hinted := func(code evolution.Warning, message string, hint *track.Hint) {
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: code, Message: message, Hint: hint})
	}
	add := func(code evolution.Warning, message string) { hinted(code, message, nil) }
	decision := d.Record.Decision
	for _, w := range decision.Warnings {
		add(w, w.Message())
	}
	if decision.Accepted && d.HeadAfter != d.Mutation.Child {
		hint := track.NewHint("propose it again as its child", "mutation propose").With("lineage", l.Name).With("parent", orDash(d.HeadBefore))
		hinted(warnStaleParent, fmt.Sprintf("accepted against %s, but %s is active", d.Parent, orDash(d.HeadBefore)), &hint)
	}
	if d.Record.Override {
		add(warnOverridden, fmt.Sprintf("decided by %s; the policy of the lineage is %s", d.Record.Policy, l.Settings.Policy))
	}
	if d.ended > 0 {
		times := "once"
		if d.ended > 1 {
			times = fmt.Sprintf("%d times", d.ended)
		}
		add(warnAttempts, "decided before, "+times+": deciding again until it passes accepts more than the rate says")
	}
	if d.was == evolution.MutationAccepted && !decision.Accepted && d.HeadBefore == d.Mutation.Child {
		hint := track.NewHint("leave it", "rollback", l.Name)
		hinted(warnWasAccepted, fmt.Sprintf("it was accepted before: %s stays active", d.HeadBefore), &hint)
	}
	for i, side := range [...]string{"child", "parent"} {
		if text := d.Sides[i].leftOut(); text != "" {
			var hint *track.Hint
			if scenario := l.scenario(); d.Sides[i].Unjudged > 0 {
				rescore := track.NewHint("judge them", "rescore", scenario)
				hint = &rescore
			}
			hinted(warnLeftOut, fmt.Sprintf("left out of the %s: %s", side, text), hint)
		}
	}
}
