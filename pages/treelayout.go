package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"track/answer"
	"track/evolution"
	"track/reports/chart"
)

// treeLanes are the ways to arrange a tree in lanes.
var treeLanes = []string{"islands", "operators", "one"} //nolint:gochecknoglobals // a constant

// mostLanes is the largest number of operators that get lanes of their own unasked.
const mostLanes = 12

// treeLayout is where the versions of a lineage stand: time runs to the right, and a better score is higher in its lane.
type treeLayout struct {
	Lanes  []string
	Nodes  []treeNode
	Folded int // versions without change that stand in their parents
}

// treeNode is a version, or several where those without change are folded.
type treeNode struct {
	Version answer.TreeVersion
	Lane    int
	Height  int   // in its lane, from 0 to 100
	Parents []int // places of nodes
	Folded  int   // versions without change that it stands for, besides itself
}

// layoutTree arranges versions in lanes of a kind; an empty kind chooses islands, then operators, where there are several.
func layoutTree(tree answer.LineageTree, kind string, unfold bool) (l treeLayout, shownKind string) {
	kind = laneKind(tree.Items, kind)
	at := map[string]int{} // of each version, folded ones too
	for _, v := range tree.Items {
		if parent, known := at[firstOf(v.Parents)]; known && v.Unchanged && !unfold && v.Version != tree.Head {
			at[v.Version] = parent
			l.Nodes[parent].Folded++
			l.Folded++
			continue
		}
		node := treeNode{Version: v}
		for _, name := range v.Parents {
			if parent, known := at[name]; known && !slices.Contains(node.Parents, parent) {
				node.Parents = append(node.Parents, parent)
			}
		}
		at[v.Version] = len(l.Nodes)
		l.Nodes = append(l.Nodes, node)
	}
	l.setLanes(kind)
	l.setHeights(tree.Scale)
	return l, kind
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// laneKind returns the kind of lanes that is asked for, or that suits the versions.
func laneKind(list []answer.TreeVersion, kind string) string {
	if slices.Contains(treeLanes, kind) {
		return kind
	}
	for _, kind := range treeLanes[:2] {
		names := map[string]bool{}
		for _, v := range list {
			if name, _ := laneOf(v, kind); name != "" {
				names[name] = true
			}
		}
		if len(names) > 1 && len(names) <= mostLanes {
			return kind
		}
	}
	return treeLanes[2]
}

// laneOf returns the name of the lane of a version, and where it stands among the others.
func laneOf(v answer.TreeVersion, kind string) (name string, order int) {
	switch {
	case kind == "islands" && v.Island != nil:
		return "island " + strconv.Itoa(*v.Island), *v.Island
	case kind == "operators":
		return v.Operator, 0
	}
	return "", 0
}

// setLanes puts each node into its lane. What has none of its own stands in the first one.
func (l *treeLayout) setLanes(kind string) {
	type lane struct {
		name  string
		order int
	}
	var lanes []lane
	for _, n := range l.Nodes {
		name, order := laneOf(n.Version, kind)
		if one := (lane{name, order}); !slices.Contains(lanes, one) {
			lanes = append(lanes, one)
		}
	}
	slices.SortFunc(lanes, func(a, b lane) int {
		return cmp.Or(boolNumber(a.name != "")-boolNumber(b.name != ""), cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	for _, one := range lanes {
		l.Lanes = append(l.Lanes, one.name)
	}
	if len(lanes) > 1 && lanes[0].name == "" {
		l.Lanes[0] = "first"
	}
	for i, n := range l.Nodes {
		name, order := laneOf(n.Version, kind)
		l.Nodes[i].Lane = slices.Index(lanes, lane{name, order})
	}
}

// setHeights puts each node at the rank of its score among all scores: the best at the top, those without one at the
// bottom.
func (l *treeLayout) setHeights(scale *evolution.Scale) {
	var scores []float64
	for _, n := range l.Nodes {
		if n.Version.Fitness != nil {
			scores = append(scores, scale.Gain(*n.Version.Fitness))
		}
	}
	slices.Sort(scores)
	scores = slices.Compact(scores)
	for i, n := range l.Nodes {
		if n.Version.Fitness == nil {
			continue
		}
		rank, _ := slices.BinarySearch(scores, scale.Gain(*n.Version.Fitness))
		l.Nodes[i].Height = 10 + 90*(rank+1)/(len(scores)+1)
	}
}

// treeClass returns how a version is drawn: the letter that scripts know it by, and the class of its mark.
func treeClass(v answer.TreeVersion, head string) (letter, class string) {
	switch {
	case v.Version == head:
		return "h", "head"
	case v.Root:
		return "r", "root"
	case v.State == evolution.MutationAccepted:
		return "a", "accepted"
	case v.State == evolution.MutationRejected, v.State == evolution.MutationWithdrawn:
		return "x", "rejected"
	case v.State == evolution.MutationRefused:
		return "f", "refused"
	case v.N == 0 && v.NFailed > 0: // nothing to decide on
		return "e", "failed"
	}
	return "o", "open"
}

// chart returns the chart of a tree, for files.
func (l treeLayout) chart(tree answer.LineageTree) chart.Tree {
	c := chart.Tree{Title: "Tree of " + tree.Lineage, Lanes: l.Lanes}
	decisions := map[string]chart.Decision{"root": chart.Root, "accepted": chart.Accepted, "rejected": chart.Rejected, "refused": chart.Refused, "failed": chart.Failed, "open": chart.Undecided}
	for _, n := range l.Nodes {
		_, class := treeClass(n.Version, "")
		c.Nodes = append(c.Nodes, chart.TreeNode{
			Name: n.Version.Version, Decision: decisions[class], Active: n.Version.Version == tree.Head, Lane: n.Lane, Height: n.Height,
			OnPath: n.Version.OnPath, Parents: n.Parents,
		})
	}
	return c
}

// words says what a version is, in a line.
func (n treeNode) words(numbers answer.Numbers, head string) string {
	v := n.Version
	_, class := treeClass(v, head)
	if class == "head" {
		class = "active"
	}
	text := v.Version + ", " + class
	if v.Fitness != nil {
		text += ", fitness " + numbers.Score(*v.Fitness) + fmt.Sprintf(" (n = %d)", v.N)
	}
	if v.Delta != nil {
		text += ", delta " + numbers.Gain(*v.Delta)
	}
	if len(v.Parents) > 0 {
		text += ", from " + v.Parents[0]
	}
	if v.Operator != "" {
		text += " by " + v.Operator
	}
	if n.Folded > 0 {
		text += fmt.Sprintf(", and %d without change", n.Folded)
	}
	return text
}
