package reports

import (
	"fmt"
	"slices"

	"track/evolution"
	"track/reports/document"
)

// The first and the last steps of a path are shown; those between them are counted.
const (
	firstSteps = 4
	lastSteps  = 16
)

// step is a version on a path with the mutation that led to it.
type step struct {
	version  string
	mutation *evolution.ReplayedMutation // nil for the first
}

// bestPath leads from where the lineage began to the active version. If nothing was ever decided, decided is false: the
// active version is then the best of a run of another evolver; without one, the path leads to the best candidate that
// did not fail and was not refused, if one has a score.
func (l *lineageReport) bestPath() (path []step, decided bool) {
	to := l.replayed.Head
	decided = len(l.replayed.Mutations) == 0 || slices.ContainsFunc(l.decisions, func(d lineageDecision) bool { return d.Decision.State != evolution.Continue })
	if !decided {
		best := l.bestOfUndecided()
		if decided = best == ""; !decided {
			to = best
		}
	}
	path = l.pathTo(to)
	return path, decided
}

// pathTo returns the steps that led to a version, the first one first.
func (l *lineageReport) pathTo(version string) (path []step) {
	seen := map[string]bool{}
	for m := l.birth(version); version != ""; {
		if m == nil || len(m.Parents) == 0 || seen[m.Mutation] {
			path = append(path, step{version, nil})
			break
		}
		seen[m.Mutation] = true
		path = append(path, step{version, m})
		version, m = m.Parents[0].Label, l.birthOfParent(*m)
	}
	slices.Reverse(path)
	return path
}

// birth returns the mutation that made a version; nil for none.
func (l *lineageReport) birth(version string) *evolution.ReplayedMutation {
	key, imported := l.births[version]
	if !imported {
		return l.madeBy[version]
	}
	if m, found := l.mutations[key]; found {
		return &m
	}
	return nil
}

// birthOfParent returns the mutation that made the first parent of a mutation. A run of another evolver says which of
// several it is.
func (l *lineageReport) birthOfParent(m evolution.ReplayedMutation) *evolution.ReplayedMutation {
	if len(m.ParentMutations) == 0 {
		return l.birth(m.Parents[0].Label)
	}
	if made, found := l.mutations[m.ParentMutations[0]]; found {
		return &made
	}
	return nil
}

// bestCandidate has the highest mean score of all versions that were not refused; the first of equals.
func (l *lineageReport) bestCandidate() (label string) {
	best := 0.0
	for _, v := range l.Versions {
		if mean, n := l.mean(v.Label); n > 0 && !l.refusedVersion(v.Label) && (label == "" || l.isBetter(mean, best)) {
			label, best = v.Label, mean
		}
	}
	return label
}

// bestOfUndecided returns the version that the path leads to if nothing was decided: the best of an imported run, which
// is active unless the run went on after it was imported, else the best candidate.
func (l *lineageReport) bestOfUndecided() string {
	best := l.bestCandidate()
	if l.isImported() && l.replayed.Head != "" && !l.isAboveAll(best, l.replayed.Head) {
		return l.replayed.Head
	}
	return best
}

// isAboveAll reports whether the mean score of a version is better than every score of another one.
func (l *lineageReport) isAboveAll(version, other string) bool {
	mean, n := l.mean(version)
	return n > 0 && !slices.ContainsFunc(l.scoresOf(other).scores, func(score float64) bool { return !l.isBetter(mean, score) })
}

// isImported reports whether the lineage is a run of another evolver.
func (l *lineageReport) isImported() bool {
	return slices.ContainsFunc(l.replayed.Mutations, func(m evolution.ReplayedMutation) bool { return m.Source != "" })
}

// notRefused counts the versions that were not refused.
func (l *lineageReport) notRefused() (n int) {
	for _, v := range l.Versions {
		if !l.refusedVersion(v.Label) {
			n++
		}
	}
	return n
}

// path lists the versions that led to the active one, the newest first.
func (l *lineageReport) path() []document.Block {
	path, decided := l.bestPath()
	title := "Path to the active version"
	if !decided {
		title = "Path to the best candidate"
	}
	blocks := []document.Block{document.Heading{Level: 2, Text: title}}
	if len(path) == 0 {
		return append(blocks, paragraph(plain("No version is active.")))
	}
	if !decided {
		text := "No decision was made. The path leads to the best version of the imported run, through the programs that the run names as parents. The best of many scores tends to be too high."
		if l.isImported() && path[len(path)-1].version == l.replayed.Head {
			return append(blocks, paragraph(plain("%s", text)), l.pathTable(path, decided), paragraph(plain("%s", l.pathLegend(path))))
		}
		blocks = append(blocks, paragraph(plain(
			"No decision was made. The path leads to the candidate with the %s mean score among %s that did not fail and were not refused. The best of many scores tends to be too high.",
			l.best(), counted(l.notRefused(), "version", "versions"))))
	}
	return append(blocks, l.pathTable(path, decided), paragraph(plain("%s", l.pathLegend(path))))
}

// pathLegend says what the numbers of the table are, as far as it has them.
func (l *lineageReport) pathLegend(path []step) string {
	text := "The mean is over the trials that ran after the version was chosen, if there are at least two of them; otherwise over all of its trials."
	decided, recorded := false, false
	for _, s := range path[1:] {
		_, known := l.recorded(s)
		decided, recorded = decided || s.mutation.Delta != nil, recorded || known
	}
	if decided {
		text += " The scores compared are those of parent and child when the policy decided, and delta is their difference before rounding."
	}
	if recorded {
		text += " A delta in parentheses is the difference of the recorded means; nothing was decided on it."
	}
	return text
}

// recorded returns the difference that a step made by the recorded means; known only where no decision gives another.
func (l *lineageReport) recorded(s step) (delta float64, known bool) {
	if s.mutation == nil || s.mutation.Delta != nil {
		return 0, false
	}
	child, n := l.mean(s.version)
	parent, m := l.mean(firstParent(*s.mutation))
	return l.gainOver(child, parent), n > 0 && m > 0
}

func (l *lineageReport) pathTable(path []step, decided bool) document.Table {
	children := l.children()
	t := columns("version", "state", "#mean score", "#trials", "from", "by", "#scores compared", "#delta", "other children")
	for i, s := range slices.Backward(path) {
		if i >= firstSteps && i < len(path)-lastSteps {
			if i == firstSteps {
				row := make([]document.Text, len(t.Columns))
				row[0] = faint("(" + counted(len(path)-firstSteps-lastSteps, "version", "versions") + " between)")
				t.Rows = append(t.Rows, row)
			}
			continue
		}
		next, last := "", i == len(path)-1
		if !last {
			next = path[i+1].version
		}
		state := document.T(l.stateOf(s))
		switch {
		case last && decided:
			state = document.Text{strong("active")}
		case last && l.isImported() && s.version == l.replayed.Head:
			state = append(state, plain(", active"))
		case last:
			state = append(state, plain(", %s score", l.best()))
		}
		mean, trials := l.mean(s.version)
		score := "-"
		if trials > 0 {
			score = l.points(&mean)
		}
		from, by := "", ""
		if s.mutation != nil {
			from, by = firstParent(*s.mutation), s.mutation.Operator
		}
		t.Rows = append(t.Rows, []document.Text{
			codeCell(s.version), state, document.T(score), cell("%d", trials), codeCell(from), codeCell(by),
			document.T(l.compared(s)), document.T(l.stepDelta(s)), document.T(otherChildren(children[s.version], next)),
		})
	}
	return t
}

// stateOf says what became of the version of a step.
func (l *lineageReport) stateOf(s step) string {
	m := s.mutation
	switch scores := l.scoresOf(s.version); {
	case m == nil && (s.version == l.root || l.isImported() && l.versions[s.version].Content != nil):
		return "root"
	case m == nil:
		return "-"
	case m.State == evolution.MutationAccepted && slices.Contains(l.last[m.Mutation].Decision.Warnings, evolution.WarnUnclear):
		return "accepted, unclear"
	case m.State == evolution.MutationAccepted, m.State == evolution.MutationRejected, m.State == evolution.MutationRefused, m.State == evolution.MutationWithdrawn:
		return string(m.State)
	case scores.failed > 0 && len(scores.scores) == 0:
		return "failed"
	}
	return "undecided"
}

// compared returns the two scores whose difference stepDelta returns.
func (l *lineageReport) compared(s step) string {
	if s.mutation == nil {
		return "-"
	}
	if _, known := l.recorded(s); known {
		parent, _ := l.mean(firstParent(*s.mutation))
		child, _ := l.mean(s.version)
		return "(" + l.number(parent) + " → " + l.number(child) + ")"
	}
	for _, d := range slices.Backward(l.decisions) {
		r := d.Decision
		if d.Mutation == s.mutation.Mutation && r.Delta != nil && s.mutation.Delta != nil && *r.Delta == *s.mutation.Delta {
			return l.points(r.OldScore) + " → " + l.points(r.NewScore)
		}
	}
	return "-"
}

// stepDelta returns the difference that a step made; in parentheses if nothing was decided on it.
func (l *lineageReport) stepDelta(s step) string {
	if s.mutation == nil {
		return "-"
	}
	if delta, known := l.recorded(s); known {
		return "(" + l.change(delta) + ")"
	}
	return l.changeOf(s.mutation.Delta)
}

// children returns the mutations of each version.
func (l *lineageReport) children() map[string][]evolution.ReplayedMutation {
	children := map[string][]evolution.ReplayedMutation{}
	for _, m := range l.replayed.Mutations {
		children[firstParent(m)] = append(children[firstParent(m)], m)
	}
	return children
}

// otherChildren counts the children of a version that are not the next step of the path.
func otherChildren(children []evolution.ReplayedMutation, next string) string {
	n, states := 0, map[evolution.MutationState]int{}
	for _, m := range children {
		if m.Child.Label == next {
			continue
		}
		n++
		states[m.State]++
	}
	if n == 0 {
		return "-"
	}
	text := fmt.Sprint(n)
	for _, state := range []evolution.MutationState{evolution.MutationRejected, evolution.MutationRefused, evolution.MutationWithdrawn} {
		if states[state] > 0 {
			text += fmt.Sprintf(", %d %s", states[state], state)
		}
	}
	return text
}
