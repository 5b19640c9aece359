package reports

import (
	"fmt"
	"maps"
	"slices"

	"track/evolution"
	"track/reports/document"
)

// refused returns the mutations that were never tried, in the order of their proposals.
func (l *lineageReport) refused() (refused []evolution.ReplayedMutation) {
	for _, m := range l.replayed.Mutations {
		if m.State == evolution.MutationRefused {
			refused = append(refused, m)
		}
	}
	return refused
}

// refusedVersion reports whether every mutation that made a version was refused.
func (l *lineageReport) refusedVersion(label string) bool {
	m := l.madeBy[label]
	return m != nil && m.State == evolution.MutationRefused
}

// refusedAlert returns the alert about lineages that are hardly tried: where half of the proposals or more are
// refused, with the reasons.
func (l *lineageReport) refusedAlert() alert {
	refused, all := l.refused(), len(l.replayed.Mutations)
	if len(refused) == 0 || 2*len(refused) < all {
		return alert{}
	}
	a := alert{what: fmt.Sprintf("Refused without a trial: %d of %s", len(refused), counted(all, "proposal", "proposals")), n: len(refused), ranked: true, kind: document.NoteWarning}
	type reason struct {
		code, example string
		n             int
	}
	var reasons []reason
	for _, m := range refused {
		seen := map[string]bool{} // a child may match several forbidden patterns
		for _, r := range m.Refusals {
			i := slices.IndexFunc(reasons, func(x reason) bool { return x.code == r.Code })
			if i < 0 {
				i, reasons = len(reasons), append(reasons, reason{code: r.Code, example: m.Child.Label + ": " + r.Reason})
			}
			if !seen[r.Code] {
				seen[r.Code] = true
				reasons[i].n++
			}
		}
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return b.n - a.n })
	for _, r := range reasons {
		a.cases = append(a.cases, document.Text{word(r.code), plain(": %d, the first %s", r.n, r.example)})
	}
	return a
}

// withdrawnAlert returns the alert about lineages of which half of the proposals or more were withdrawn. A run of
// another evolver rejects most of them before it evaluates them in full.
func (l *lineageReport) withdrawnAlert() alert {
	withdrawn, bySource, all := 0, map[string]int{}, len(l.replayed.Mutations)
	for _, m := range l.replayed.Mutations {
		if m.State == evolution.MutationWithdrawn {
			withdrawn++
			bySource[m.Source]++
		}
	}
	if withdrawn == 0 || 2*withdrawn < all {
		return alert{}
	}
	a := alert{what: fmt.Sprintf("Withdrawn: %d of %s", withdrawn, counted(all, "proposal", "proposals")), n: withdrawn, ranked: true, kind: document.NoteInfo}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		if source == "" {
			a.cases = append(a.cases, cell("%d withdrawn here", bySource[source]))
		} else {
			a.cases = append(a.cases, cell("%d rejected by %s, without a full evaluation", bySource[source], source))
		}
	}
	return a
}

// refusedList tells what was refused and why, the newest first.
func (l *lineageReport) refusedList() []document.Block {
	const alwaysShown = 10
	refused := l.refused()
	if len(refused) == 0 {
		return nil
	}
	left := len(refused) - foldedRows
	t := columns("#mutation", "child", "parent", "operator", "reason", "id")
	for _, m := range slices.Backward(refused[max(0, left):]) {
		reasons := ""
		for _, r := range m.Refusals {
			if reasons != "" {
				reasons += "; "
			}
			reasons += r.Code + ": " + r.Reason
		}
		t.Rows = append(t.Rows, []document.Text{cell("%d", m.Number), codeCell(m.Child.Label), codeCell(firstParent(m)), codeCell(m.Operator), document.T(reasons), codeCell(m.Mutation)})
	}
	blocks := []document.Block{document.Heading{Level: 2, Text: "Refused"}, paragraph(plain("%s refused because of the child's content, and never decided.", counted(len(refused), "proposal was", "proposals were")))}
	blocks = append(blocks, folded(t, alwaysShown, "the newest first")...)
	if left > 0 {
		blocks = append(blocks, paragraph(plain("%s left out: ", counted(left, "earlier refusal is", "earlier refusals are")), word("track mutation list "+shellWord(l.Name)+" --state refused --limit 0")))
	}
	return blocks
}
