package lineages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"track/answer"
	"track/evolution"
	"track/scoring/format"
)

// alerts returns what speaks against trusting the lineage.
func (v *review) alerts() (found []answer.Alert) {
	for _, find := range []func() answer.Alert{
		v.differenceAlert, v.missingAlert, v.higherAlert, v.refusedAlert, v.bestFailedAlert, v.unclearAlert, v.rollbacksAlert, v.overriddenAlert, v.attemptsAlert, v.staleAlert,
	} {
		if a := find(); len(a.Cases) > 0 {
			found = append(found, a)
		}
	}
	return found
}

// named returns a mutation as the decisions, the picture and the commands know it: by its child, its number and its id.
func (v *review) named(mutation string) string {
	m := v.mutations[mutation]
	return fmt.Sprintf("%s (mutation %d, %s)", m.Child.Label, m.Number, mutation)
}

func (v *review) differenceAlert() answer.Alert {
	a := answer.Alert{What: "The replay differs from the stored ledger"}
	for _, d := range v.replay.Differences {
		if !d.Missing {
			a.Cases = append(a.Cases, answer.DifferenceText(d))
		}
	}
	return a
}

// missingAlert returns the alert about evidence that nothing is recorded of: executions stay where they are when a
// ledger travels, and may be forgotten or deleted.
func (v *review) missingAlert() answer.Alert {
	a := answer.Alert{What: "Evidence that is not recorded here and was not compared"}
	missing := map[int]int{}
	for _, d := range v.replay.Differences {
		if d.Missing {
			missing[d.Number]++
		}
	}
	for _, d := range slices.Backward(v.decisions) {
		if n := missing[d.entry.Number]; n > 0 {
			of := len(d.Evidence.Child) + len(d.Evidence.Parent)
			a.Cases = append(a.Cases, fmt.Sprintf("%s, entry %d: %d of %s", v.named(d.Mutation), d.entry.Number, min(n, of), format.Counted(of, "trial")))
		}
	}
	return a
}

// higherAlert returns the alert about accepted versions that score above the active one, the furthest first.
func (v *review) higherAlert() answer.Alert {
	better := "higher"
	if v.numbers.Scale != nil && v.numbers.Scale.Minimize {
		better = "lower"
	}
	a := answer.Alert{What: "Accepted versions with a " + better + " mean score than the active version"}
	head := v.counted(v.replay.Head).Trials
	type higher struct {
		text string
		mean float64
	}
	var list []higher
	for _, own := range v.versions {
		if own.Name == v.replay.Head || len(v.accepting[own.Name]) == 0 {
			continue
		}
		trials := v.counted(own.Name).Trials
		if gain, err := evolution.NewVersionGain(trials, head, v.numbers.Scale); err == nil && gain != nil && gain.Mean > 0 {
			g := answer.ReviewedGain{VersionGain: gain, Rollbacks: v.rollbacksBetween(trials, head)}
			list = append(list, higher{fmt.Sprintf("%s: over %s %s", own.Name, v.replay.Head, g.Text(v.numbers)), gain.Mean})
		}
	}
	slices.SortStableFunc(list, func(a, b higher) int { return cmp.Compare(b.mean, a.mean) })
	for _, h := range list {
		a.Cases = append(a.Cases, h.text)
	}
	return a
}

// refusedAlert returns the alert about lineages of which half of the proposals or more were never decided.
func (v *review) refusedAlert() answer.Alert {
	var refused, withdrawn int
	var first []string // of each reason
	for _, m := range v.replay.Mutations {
		switch m.State {
		case evolution.MutationWithdrawn:
			withdrawn++
		case evolution.MutationRefused:
			refused++
			for _, r := range m.Refusals {
				if text := r.Code + ": first " + m.Child.Label + ", " + r.Reason; !slices.ContainsFunc(first, func(s string) bool { return strings.HasPrefix(s, r.Code+":") }) {
					first = append(first, text)
				}
			}
		}
	}
	all := len(v.replay.Mutations)
	a := answer.Alert{What: "Half of the proposals or more were never decided"}
	if 2*refused >= all && refused > 0 {
		a.Cases = append(a.Cases, fmt.Sprintf("%d of %s refused without a trial: %s", refused, format.Counted(all, "proposal"), strings.Join(first, "; ")))
	}
	if 2*withdrawn >= all && withdrawn > 0 {
		a.Cases = append(a.Cases, fmt.Sprintf("%d of %s withdrawn, or rejected by their source without a full evaluation", withdrawn, format.Counted(all, "proposal")))
	}
	return a
}

// bestFailedAlert returns the alert about candidates that failed and that their source calls best.
func (v *review) bestFailedAlert() answer.Alert {
	a := answer.Alert{What: "Failed, but called best by their source"}
	for _, own := range v.versions {
		if status, failed := strings.CutPrefix(own.Status, "best, "); failed {
			a.Cases = append(a.Cases, own.Name+": "+status)
		}
	}
	return a
}

func (v *review) unclearAlert() answer.Alert {
	a := answer.Alert{What: "Accepted, but no interval shows a difference above 0"}
	for _, d := range slices.Backward(v.decisions) {
		if !slices.Contains(d.Decision.Warnings, evolution.WarnUnclear) {
			continue
		}
		one := answer.Decision{Delta: d.Decision.Delta, CI: d.Decision.Interval}
		text := fmt.Sprintf("%s: %s, n = %d and %d", v.named(d.Mutation), one.DeltaText(v.numbers), d.Decision.NChild, d.Decision.NParent)
		if n := d.Decision.Noise; n != nil && n.FalseAccept != nil {
			text += "; at this noise the policy accepts " + format.Percent(*n.FalseAccept) + " of mutations that change nothing"
		}
		a.Cases = append(a.Cases, text)
	}
	return a
}

// rollbacksAlert returns the alert about rollbacks that follow each other with nothing accepted between: the version
// restored did not hold either.
func (v *review) rollbacksAlert() answer.Alert {
	const several = 3
	a := answer.Alert{What: "Several rollbacks in a row, with nothing accepted between them"}
	var run []reviewedRollback
	end := func() {
		if len(run) >= several {
			first, last := run[0], run[len(run)-1]
			a.Cases = append(a.Cases, fmt.Sprintf("%d rollbacks, entries %d to %d, from %s to %s", len(run), first.Number, last.Number, first.event.From, last.event.To))
		}
		run = nil
	}
	decisions := v.decisions
	for _, r := range v.rollbacks {
		for ; len(decisions) > 0 && decisions[0].entry.Number < r.Number; decisions = decisions[1:] {
			if decisions[0].Decision.Accepted {
				end()
			}
		}
		run = append(run, r)
	}
	end()
	return a
}

func (v *review) overriddenAlert() answer.Alert {
	a := answer.Alert{What: "Decided by a policy other than the lineage's"}
	for _, d := range slices.Backward(v.decisions) {
		if d.Override {
			a.Cases = append(a.Cases, fmt.Sprintf("%s by %s %s: %s", v.named(d.Mutation), d.Policy, d.Params, d.Decision.State))
		}
	}
	return a
}

// attemptsAlert returns the alert about mutations that were decided again after they had been accepted or rejected.
func (v *review) attemptsAlert() answer.Alert {
	a := answer.Alert{What: "Decided more than once: each attempt is another chance to pass"}
	ended := map[string]int{}
	for _, d := range v.decisions {
		if d.Decision.State != evolution.Continue {
			ended[d.Mutation]++
		}
	}
	for _, m := range slices.Backward(v.replay.Mutations) {
		if n := ended[m.Mutation]; n > 1 {
			a.Cases = append(a.Cases, fmt.Sprintf("%s: %d times, finally %s", v.named(m.Mutation), n, m.State))
		}
	}
	return a
}

func (v *review) staleAlert() answer.Alert {
	a := answer.Alert{What: "Accepted against a version that was no longer active: not activated"}
	for _, d := range slices.Backward(v.decisions) {
		if m := v.mutations[d.Mutation]; d.Decision.Accepted && d.entry.HeadAfter != m.Child.Label {
			a.Cases = append(a.Cases, fmt.Sprintf("%s was compared with %s, and %s was active", v.named(d.Mutation), firstParent(m), d.entry.HeadBefore))
		}
	}
	return a
}
