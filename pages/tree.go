package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/ask"
	"track/evolution"
	"track/reports/chart"
	"track/reports/escape"
)

// composeTree shows all versions of a lineage, as a picture and as a table.
func composeTree(ctx context.Context, b *builder) error {
	return b.composeLong(ctx, "Tree", "lineage tree", func(isLong bool) error {
		a, err := get(ctx, b, ask.LineageTree(), b.asked)
		if err != nil {
			return err
		}
		b.about(a.Lead(), isLong)
		if len(a.Items) > 0 {
			err = b.addTree(a)
		}
		for _, t := range a.Tables() {
			b.addTable(t)
		}
		return err
	})
}

// treeView is a tree on a page.
type treeView struct {
	Label   string
	Still   template.HTML // of readers without a script
	Data    treeData
	Sum     string // of Data
	Choices []link
	Address string // of a version, without its name
	Files   []link
}

// treeData is what a script draws: a row for each version.
type treeData struct {
	Lineage string   `json:"lineage"`
	Lanes   []string `json:"lanes"`
	Tall    int      `json:"tall"`  // height of a lane
	Nodes   [][]any  `json:"nodes"` // name, letter, lane, height, on the path (1), words (behind the name if they begin with a comma), parents
}

// addTree adds the picture of a tree.
func (b *builder) addTree(a answer.LineageTree) error {
	const unfoldParam = "unchanged.tree"
	unfold := b.request.In.Get(unfoldParam) == shown
	layout, kind := layoutTree(a, b.request.In.Get("lanes.tree"), unfold)
	numbers := answer.Numbers{Scale: a.Scale}
	v := treeView{
		Label: "Tree of " + escape.Line(a.Lineage), Address: b.address("version show", "version", a.Lineage+"@"),
		Data: treeData{Lineage: a.Lineage, Tall: max(48, min(240, 420/len(layout.Lanes)))},
	}
	for _, name := range layout.Lanes {
		v.Data.Lanes = append(v.Data.Lanes, escape.Line(name))
	}
	picture := layout.chart(a)
	for i, n := range layout.Nodes {
		letter, _ := treeClass(n.Version, a.Head)
		words := escape.Line(n.words(numbers, a.Head))
		picture.Nodes[i].Words = words
		if rest, found := strings.CutPrefix(words, n.Version.Version+","); found { // the row begins with the name
			words = "," + rest
		}
		row := []any{n.Version.Version, letter, n.Lane, n.Height, boolNumber(n.Version.OnPath), words}
		for _, p := range n.Parents {
			row = append(row, p)
		}
		v.Data.Nodes = append(v.Data.Nodes, row)
	}
	data, err := json.Marshal(v.Data)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	v.Sum = hex.EncodeToString(sum[:6])
	var still strings.Builder
	if err := chart.Inline(&still, picture, func(m chart.Mark) string { return b.address("version show", "version", a.Lineage+"@"+m.Label) }); err != nil {
		return err
	}
	v.Still, v.Files = template.HTML(still.String()), b.chartFile("tree", picture) //nolint:gosec // written by package chart, which escapes
	for _, k := range treeLanes {
		text := "lanes: " + k
		if k == "one" {
			text = "one lane"
		}
		v.Choices = append(v.Choices, link{Text: text, Href: b.here("lanes.tree", k), Here: k == kind})
	}
	switch {
	case unfold:
		v.Choices = append(v.Choices, link{Text: "fold versions without change", Href: b.here(unfoldParam, "")})
	case layout.Folded > 0:
		v.Choices = append(v.Choices, link{Text: fmt.Sprintf("unfold %d without change", layout.Folded), Href: b.here(unfoldParam, shown)})
	}
	return b.addFragment("tree", "", "tree", v)
}

// treeLanes are the ways to arrange a tree in lanes.
var treeLanes = []string{"islands", "operators", "one"} //nolint:gochecknoglobals // a constant

// mostLanes is the largest number of operators that get lanes of their own unasked.
const mostLanes = 12

// treeLayout is where the versions of a lineage stand: time runs to the right, and a better score is higher in its
// lane.
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

// layoutTree arranges versions in lanes of a kind; an empty kind chooses islands, then operators, where there are
// several.
func layoutTree(tree answer.LineageTree, kind string, unfold bool) (l treeLayout, shownKind string) {
	kind = laneKind(tree.Items, kind)
	at := map[string]int{} // of each version, folded ones too
	for _, v := range tree.Items {
		first := slices.Concat(v.Parents, []string{""})[0]
		if parent, known := at[first]; known && v.Unchanged && !unfold && v.Version != tree.Head {
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

// laneKind returns the kind of lanes that is asked for, or that suits the versions.
func laneKind(list []answer.TreeVersion, kind string) string {
	if slices.Contains(treeLanes, kind) {
		return kind
	}
	for _, kind := range treeLanes[:2] {
		names := map[string]bool{}
		for _, v := range list {
			if one := laneOf(v, kind); one.name != "" {
				names[one.name] = true
			}
		}
		if len(names) > 1 && len(names) <= mostLanes {
			return kind
		}
	}
	return treeLanes[2]
}

// lane is the name of a lane, and where it stands among the others.
type lane struct {
	name  string
	order int
}

func laneOf(v answer.TreeVersion, kind string) lane {
	switch {
	case kind == "islands" && v.Island != nil:
		return lane{"island " + strconv.Itoa(*v.Island), *v.Island}
	case kind == "operators":
		return lane{name: v.Operator}
	}
	return lane{}
}

// setLanes puts each node into its lane. What has none of its own stands in the first one.
func (l *treeLayout) setLanes(kind string) {
	var lanes []lane
	for _, n := range l.Nodes {
		if one := laneOf(n.Version, kind); !slices.Contains(lanes, one) {
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
		l.Nodes[i].Lane = slices.Index(lanes, laneOf(n.Version, kind))
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
		if n.Version.Fitness != nil {
			rank, _ := slices.BinarySearch(scores, scale.Gain(*n.Version.Fitness))
			l.Nodes[i].Height = 10 + 90*(rank+1)/(len(scores)+1)
		}
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

// chart returns the chart of a tree.
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
