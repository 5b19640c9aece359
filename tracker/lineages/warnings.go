package lineages

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring/format"
)

// leftOut describes the trials of a version that are not evidence; empty for none.
func (v VersionTrials) leftOut() string {
	var parts []string
	for _, p := range []struct {
		n          int
		noun, what string
	}{
		{v.Open, "execution", "that may not have ended"}, {v.Unscored, "execution", "without a score"},
		{v.Unjudged, "seed", "never judged under the active spec"}, {v.Others, "seed", "under another revision of the code"},
	} {
		if p.n > 0 {
			parts = append(parts, format.Counted(p.n, p.noun)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}

// warnUnpairable says why trials that there are form no pairs, if a policy waits for pairs.
func (d *DecideResult) warnUnpairable(l Lineage) {
	e, need := d.Record.Evidence, d.Record.Decision.Need
	if need == nil || need.Pairs == 0 || len(e.Child)+len(e.Parent) == 0 {
		return
	}
	if !slices.ContainsFunc(slices.Concat(e.Child, e.Parent), func(t evolution.Trial) bool { return t.Key != "" }) {
		hint := track.NewHint("record each with its task, or decide by a policy without pairs", "lineage set", l.Name, "policy="+evolution.Threshold{}.Name())
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: warnNoTasks, Message: "no trial names a task, so none can be compared with one of the other side", Hint: &hint})
		return
	}
	old := 0
	for _, t := range e.Parent {
		if t.At.Before(e.Since) {
			old++
		}
	}
	if old > 0 {
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: warnOldControls,
			Message: fmt.Sprintf("%s of %s from before the proposal form no pair, since conditions may have changed: run them again beside the child", format.Counted(old, "trial"), d.Parent)})
	}
}

// addWarnings adds the warnings of the decision, and the ones about what happened around it, the one that matters most
// first.
func addWarnings(l Lineage, d *DecideResult) {
	hinted := func(code evolution.Warning, message string, hint *track.Hint) {
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: code, Message: message, Hint: hint})
	}
	add := func(code evolution.Warning, message string) { hinted(code, message, nil) }
	decision := d.Record.Decision
	if decision.Accepted && d.HeadAfter != d.Mutation.Child {
		hint := track.NewHint("propose it again as its child", "mutation propose").With("lineage", l.Name).With("parent", orDash(d.HeadBefore))
		hinted(warnStaleParent, fmt.Sprintf("accepted against %s, but %s is active", d.Parent, orDash(d.HeadBefore)), &hint)
	}
	if d.was == evolution.MutationAccepted && !decision.Accepted && d.HeadBefore == d.Mutation.Child {
		hint := track.NewHint("leave it", "rollback", l.Name)
		hinted(warnWasAccepted, fmt.Sprintf("it was accepted before: %s stays active", d.HeadBefore), &hint)
	}
	d.warnUnpairable(l)
	for _, w := range decision.Warnings {
		add(w, w.Message())
	}
	if d.Record.Override {
		add(warnOverridden, fmt.Sprintf("decided by %s; the policy of the lineage is %s", d.Record.Policy, l.Settings.Policy))
	}
	if d.ended > 0 {
		times := "once"
		if d.ended > 1 {
			times = fmt.Sprintf("%d times", d.ended)
		}
		add(warnAttempts, "decided before, "+times+": deciding again until it passes accepts more often than the stated rate")
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
