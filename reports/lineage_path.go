package reports

import (
	"fmt"
	"slices"
	"strings"

	"track/evolution"
	"track/reports/document"
)

// mostSteps of a path are drawn; between the first and the last of them the others are counted.
const (
	firstSteps = 4
	lastSteps  = 16
)

// step is a version on a path with the mutation that led to it.
type step struct {
	version  string
	mutation *evolution.ReplayedMutation // nil for the first
}

// bestPath leads from where the lineage began to the version in force; where nothing was ever decided, to the best candidate that did not fail and was not refused, if one has a score.
// decided says which of the two it is.
func (l *lineageReport) bestPath() (path []step, decided bool) {
	to := l.replayed.Head
	decided = len(l.replayed.Mutations) == 0 || slices.ContainsFunc(l.decisions, func(d lineageDecision) bool { return d.Decision.State != evolution.Continue })
	if !decided {
		best := l.bestCandidate()
		if decided = best == ""; !decided {
			to = best
		}
	}
	seen := map[string]bool{}
	for to != "" && !seen[to] {
		seen[to] = true
		m := l.madeBy[to]
		path = append(path, step{to, m})
		if m == nil || len(m.Parents) == 0 || to == l.root {
			path[len(path)-1].mutation = nil
			break
		}
		to = m.Parents[0].Label
	}
	slices.Reverse(path)
	return path, decided
}

// bestCandidate has the highest mean score of all versions that were not refused; the first of equals.
func (l *lineageReport) bestCandidate() (label string) {
	best := 0.0
	for _, v := range l.Versions {
		if mean, n := l.mean(v.Label); n > 0 && !l.refusedVersion(v.Label) && (label == "" || mean > best) {
			label, best = v.Label, mean
		}
	}
	return label
}

// tried counts the versions that were not refused.
func (l *lineageReport) tried() (n int) {
	for _, v := range l.Versions {
		if !l.refusedVersion(v.Label) {
			n++
		}
	}
	return n
}

// path draws the way to the version in force.
func (l *lineageReport) path() []document.Block {
	path, decided := l.bestPath()
	title := "Path to the version in force"
	if !decided {
		title = "Path to the best candidate"
	}
	blocks := []document.Block{document.Heading{Level: 2, Text: title}}
	if len(path) == 0 {
		return append(blocks, paragraph(plain("No version is in force.")))
	}
	if !decided {
		blocks = append(blocks, paragraph(plain("Nothing was decided: this is the way to the highest score of a candidate that did not fail and was not refused, the best of %s. The best of many is, if anything, too high.", counted(l.tried(), "version", "versions"))))
	}
	f := l.flowchart(path, decided)
	return append(blocks, f, paragraph(plain("%s", l.flowchartLegend(f, path))))
}

// flowchartLegend says what the numbers and the boxes of the flowchart are, as far as it has them.
func (l *lineageReport) flowchartLegend(f document.Flowchart, path []step) string {
	text := "The number in a box is the mean score of its version, of trials after it was chosen where there are enough."
	decided, recorded := false, false
	for _, s := range path[1:] {
		_, known := l.recorded(s)
		decided, recorded = decided || s.mutation.Delta != nil, recorded || known
	}
	if decided {
		text += " That on an arrow is the delta of the decision: the difference of what its policy compared then."
	}
	if recorded {
		text += " One in parentheses is the difference of the recorded means, on which nothing was decided."
	}
	var boxes []string
	for _, k := range []struct {
		kind document.NodeKind
		text string
	}{
		{document.NodeHead, "thick and blue: in force"}, {document.NodeGood, "round and green: accepted, with an interval above 0"}, {document.NodePlain, "square and grey: the root, and what is not shown to be better"},
		{document.NodeBad, "pointed and red: rejected, refused, withdrawn or failed"}, {document.NodeStub, "dashed: others, counted"},
	} {
		if slices.ContainsFunc(f.Nodes, func(n document.Node) bool { return n.Kind == k.kind }) {
			boxes = append(boxes, k.text)
		}
	}
	boxes[0] = strings.ToUpper(boxes[0][:1]) + boxes[0][1:]
	return text + " " + strings.Join(boxes, "; ") + "."
}

// recorded is the difference that a step made by the recorded means; known only where no decision gives another.
func (l *lineageReport) recorded(s step) (delta float64, known bool) {
	if s.mutation == nil || s.mutation.Delta != nil {
		return 0, false
	}
	child, n := l.mean(s.version)
	parent, m := l.mean(firstParent(*s.mutation))
	return child - parent, n > 0 && m > 0
}

func (l *lineageReport) flowchart(path []step, decided bool) document.Flowchart {
	children := l.children()
	f := document.Flowchart{Alt: fmt.Sprintf("The path from %s to %s in %s", path[0].version, path[len(path)-1].version, counted(len(path)-1, "step", "steps")), Down: len(path) > 5}
	if len(path) == 1 {
		f.Alt = path[0].version + " alone: no step led to it"
	}
	last := ""
	for i, s := range path {
		if i >= firstSteps && i < len(path)-lastSteps {
			if i == firstSteps {
				skipped := len(path) - firstSteps - lastSteps
				f.Nodes = append(f.Nodes, document.Node{ID: "skipped", Lines: []string{"(" + counted(skipped, "version", "versions") + " between)"}, Kind: document.NodeStub})
				f.Edges = append(f.Edges, document.Edge{From: last, To: "skipped"})
				last = "skipped"
			}
			continue
		}
		node := l.node(s, i == len(path)-1 && decided)
		if i == len(path)-1 && !decided {
			node.Lines = append(node.Lines, "highest score")
		}
		f.Nodes = append(f.Nodes, node)
		if last != "" {
			f.Edges = append(f.Edges, document.Edge{From: last, To: s.version, Text: l.stepText(s)})
		}
		last = s.version
		next := ""
		if i+1 < len(path) {
			next = path[i+1].version
		}
		if stub := stubOf(children[s.version], next); stub != "" {
			id := "others of " + s.version
			f.Nodes = append(f.Nodes, document.Node{ID: id, Lines: []string{stub}, Kind: document.NodeStub})
			f.Edges = append(f.Edges, document.Edge{From: s.version, To: id})
		}
	}
	return f
}

func (l *lineageReport) node(s step, head bool) document.Node {
	n := document.Node{ID: s.version, Lines: []string{s.version}, Kind: document.NodePlain}
	if mean, trials := l.mean(s.version); trials > 0 {
		n.Lines = append(n.Lines, fmt.Sprintf("mean %s, %s", points(&mean), counted(trials, "trial", "trials")))
	}
	says := ""
	switch m := s.mutation; {
	case head:
		n.Kind, says = document.NodeHead, "in force"
	case m == nil:
		says = "root"
		if s.version != l.root {
			says = ""
		}
	case m.State == evolution.MutationAccepted && slices.Contains(l.last[m.Mutation].Decision.Warnings, evolution.WarnUnclear):
		says = "accepted, unclear"
	case m.State == evolution.MutationAccepted:
		n.Kind, says = document.NodeGood, "accepted"
	case m.State == evolution.MutationRejected || m.State == evolution.MutationRefused || m.State == evolution.MutationWithdrawn:
		n.Kind, says = document.NodeBad, string(m.State)
	case l.honestScores(s.version).failed > 0 && len(l.honestScores(s.version).scores) == 0:
		n.Kind, says = document.NodeBad, "failed"
	default:
		says = "undecided"
	}
	if says != "" {
		n.Lines = append(n.Lines, says)
	}
	return n
}

// stepText is the operator of a step, and its difference: in parentheses where nothing was decided.
func (l *lineageReport) stepText(s step) string {
	if s.mutation == nil {
		return ""
	}
	text := s.mutation.Operator
	if s.mutation.Delta != nil {
		text += " " + change(*s.mutation.Delta)
	}
	if delta, known := l.recorded(s); known {
		text += " (" + change(delta) + ")"
	}
	return text
}

// children are the mutations of each version.
func (l *lineageReport) children() map[string][]evolution.ReplayedMutation {
	children := map[string][]evolution.ReplayedMutation{}
	for _, m := range l.replayed.Mutations {
		children[firstParent(m)] = append(children[firstParent(m)], m)
	}
	return children
}

// stubOf counts the children of a version that are not on the path.
func stubOf(children []evolution.ReplayedMutation, next string) string {
	n, rejected, refused := 0, 0, 0
	for _, m := range children {
		if m.Child.Label == next {
			continue
		}
		n++
		switch m.State {
		case evolution.MutationRejected:
			rejected++
		case evolution.MutationRefused:
			refused++
		}
	}
	switch {
	case n == 0:
		return ""
	case n == 1 && rejected == 1:
		return "(1 other child, rejected)"
	case n == 1 && refused == 1:
		return "(1 other child, refused)"
	}
	text := counted(n, "other child", "other children")
	if rejected > 0 {
		text += fmt.Sprintf(", %d rejected", rejected)
	}
	if refused > 0 {
		text += fmt.Sprintf(", %d refused", refused)
	}
	return "(" + text + ")"
}

// mostDiffs steps are shown with their differences, the newest; and of a difference so many lines.
const (
	mostDiffs     = 30
	mostDiffLines = 400
)

// steps shows what each step of the path changed.
func (l *lineageReport) steps() []document.Block {
	path, _ := l.bestPath()
	blocks := []document.Block{document.Heading{Level: 2, Text: "What each step changed"}}
	if len(path) < 2 {
		return append(blocks, paragraph(plain("No step was made yet.")))
	}
	steps := path[1:]
	if left := len(steps) - mostDiffs; left > 0 {
		steps = steps[left:]
		blocks = append(blocks, paragraph(plain("The last %d steps; the %d before are left out: ", mostDiffs, left), word("track version diff "+shellWord(l.Name+"@VERSION"))))
	}
	for _, s := range steps {
		blocks = append(blocks, l.diff(s))
	}
	return blocks
}

func (l *lineageReport) diff(s step) document.Block {
	parent := firstParent(*s.mutation)
	from, to := l.versions[parent].Content, l.versions[s.version].Content
	summary := document.Text{word(parent), plain(" → "), word(s.version), plain(" by "), word(s.mutation.Operator)}
	if from == nil || to == nil {
		return document.Details{Summary: append(summary, plain(": the content is not known")), Blocks: []document.Block{paragraph(plain("Nobody recorded the content of both versions."))}}
	}
	text, added, removed := Diff(parent, *from, s.version, *to)
	summary = append(summary, plain(": +%d −%d", added, removed))
	if s.mutation.Delta != nil {
		summary = append(summary, plain(", delta %s", change(*s.mutation.Delta)))
	}
	lines := strings.SplitAfter(text, "\n")
	blocks := []document.Block{document.Code{Language: "diff", Text: strings.Join(lines[:min(len(lines), mostDiffLines)], "")}}
	if left := len(lines) - mostDiffLines; left > 0 {
		blocks = append(blocks, paragraph(plain("%d more lines: ", left), word("track version diff "+shellWord(l.Name+"@"+s.version))))
	}
	if s.mutation.Note != "" {
		blocks = append([]document.Block{paragraph(plain("Note: %s", s.mutation.Note))}, blocks...)
	}
	return document.Details{Summary: summary, Blocks: blocks}
}
