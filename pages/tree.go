package pages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"track/answer"
	"track/ask"
	"track/reports/escape"
)

// composeTree shows all versions of a lineage, as a picture and as a table.
func composeTree(ctx context.Context, b *builder) error {
	lineage, err := get(ctx, b, ask.Lineage(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail(lineage.Lineage)
	b.lineageTabs(lineage.Lineage, "lineage tree")
	isLong := lineage.End.Number > longTree
	err = b.later("whole-tree", isLong, func() error {
		a, err := get(ctx, b, ask.LineageTree(), b.asked)
		if err != nil {
			return err
		}
		if isLong {
			b.addSentences("about", a.Lead()[1:]) // the heading is above
		} else {
			b.lead(a.Lead())
		}
		if len(a.Items) > 0 {
			err = b.addTree(a)
		}
		for _, t := range a.Tables() {
			b.addTable(t)
		}
		return err
	})
	b.view.Heading = escape.Line("Tree of " + lineage.Lineage)
	b.view.Title = b.view.Heading
	return err
}

// Measures of a tree in pixels.
const (
	treeStep    = 24 // between two versions
	treeMargin  = 16
	treeLabel   = 16 // height of the name of a lane
	mostPicture = 500
)

// treeView is a tree on a page.
type treeView struct {
	Label         string
	Width, Height int
	Lanes         []treeLane
	Edges, Path   string // of the picture without a script
	Marks         []treeMark
	Data          treeData
	Sum           string // of Data
	Note          string
	Choices       []link
	Address       string // of a version, without its name
}

type treeLane struct {
	Name           string
	Top, Height, Y int
}

type treeMark struct {
	Class, Path, Words, Href string
}

// treeData is what a script draws: a row for each version.
type treeData struct {
	Lineage string   `json:"lineage"`
	Lanes   []string `json:"lanes"`
	Tall    int      `json:"tall"`  // height of a lane
	Nodes   [][]any  `json:"nodes"` // name, letter, lane, height, on the path (1), words (behind the name if they begin with a comma), parents
}

// addTree adds the picture of a tree, which needs no script unless it is large.
func (b *builder) addTree(a answer.LineageTree) error {
	unfold := b.request.In.Get("unchanged.tree") == shown
	layout, kind := layoutTree(a, b.request.In.Get("lanes.tree"), unfold)
	numbers := answer.Numbers{Scale: a.Scale}
	tall := max(48, min(240, 420/len(layout.Lanes)))
	v := treeView{
		Label: "Tree of " + escape.Line(a.Lineage), Width: len(layout.Nodes)*treeStep + 2*treeMargin, Height: tall * len(layout.Lanes),
		Address: b.address("version show", "version", a.Lineage+"@"),
		Data:    treeData{Lineage: a.Lineage, Lanes: layout.Lanes, Tall: tall},
	}
	for i, name := range layout.Lanes {
		v.Data.Lanes[i] = escape.Line(name)
		v.Lanes = append(v.Lanes, treeLane{v.Data.Lanes[i], i * tall, tall, i*tall + treeLabel - 4})
	}
	for _, n := range layout.Nodes {
		letter, _ := treeClass(n.Version, a.Head)
		row := []any{n.Version.Version, letter, n.Lane, n.Height, boolNumber(n.Version.OnPath), wordsBehindName(n, escape.Line(n.words(numbers, a.Head)))}
		for _, p := range n.Parents {
			row = append(row, p)
		}
		v.Data.Nodes = append(v.Data.Nodes, row)
	}
	if len(layout.Nodes) <= mostPicture {
		v.draw(b, layout, a, tall)
	}
	data, err := json.Marshal(v.Data)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	v.Sum = hex.EncodeToString(sum[:6])
	v.Choices = b.treeChoices(layout, kind, unfold)
	html, err := fragment("tree", v)
	if err != nil {
		return err
	}
	links, err := b.keepChart("tree", layout.chart(a))
	b.view.Sections = append(b.view.Sections, section{ID: "tree", HTML: html + links})
	return err
}

// wordsBehindName leaves out the name of a version, which its row begins with, unless it is escaped in the words.
func wordsBehindName(n treeNode, words string) string {
	if rest, found := strings.CutPrefix(words, n.Version.Version+","); found {
		return "," + rest
	}
	return words
}

// treeChoices are the other ways to look at the tree.
func (b *builder) treeChoices(l treeLayout, kind string, unfold bool) (list []link) {
	for _, k := range treeLanes {
		text := "lanes: " + k
		if k == "one" {
			text = "one lane"
		}
		list = append(list, link{Text: text, Href: b.here("lanes.tree", k), Here: k == kind})
	}
	switch {
	case unfold:
		list = append(list, link{Text: "fold versions without change", Href: b.here("unchanged.tree", "")})
	case l.Folded > 0:
		list = append(list, link{Text: fmt.Sprintf("unfold %d without change", l.Folded), Href: b.here("unchanged.tree", shown)})
	}
	return list
}

// draw draws the tree for readers without a script.
func (v *treeView) draw(b *builder, l treeLayout, a answer.LineageTree, tall int) {
	numbers := answer.Numbers{Scale: a.Scale}
	at := func(i int) (x, y float64) {
		n := l.Nodes[i]
		return treeMargin + float64(i)*treeStep + treeStep/2, float64(n.Lane*tall+treeLabel) + float64(tall-treeLabel-10)*float64(100-n.Height)/100
	}
	var edges, path strings.Builder
	for i, n := range l.Nodes {
		x, y := at(i)
		for k, parent := range n.Parents {
			px, py := at(parent)
			to := &edges
			if k == 0 && n.Version.OnPath {
				to = &path
			}
			bend := math.Min(60, (x-px)/2)
			fmt.Fprintf(to, "M%.0f %.1fC%.0f %.1f %.0f %.1f %.0f %.1f", px, py, px+bend, py, x-bend, y, x, y)
		}
		_, class := treeClass(n.Version, a.Head)
		v.Marks = append(v.Marks, treeMark{class, markPath(class, x, y), escape.Line(n.words(numbers, a.Head)), b.address("version show", "version", a.Lineage+"@"+n.Version.Version)})
	}
	v.Edges, v.Path = edges.String(), path.String()
}

// markPath returns the outline of a mark: a shape says what became of a version.
func markPath(class string, x, y float64) string {
	circle := func(r float64) string {
		return fmt.Sprintf("M%.0f %.1fa%v %v 0 1 0 .01 0z", x, y-r, r, r)
	}
	switch class {
	case "root":
		return fmt.Sprintf("M%.0f %.1fl6 6-6 6-6-6z", x, y-6)
	case "failed":
		return fmt.Sprintf("M%.0f %.1fv7h7v-7zl7 7m0-7l-7 7", x-3.5, y-3.5)
	case "rejected":
		return fmt.Sprintf("M%.0f %.1fl6 6m0-6l-6 6", x-3, y-3)
	case "refused":
		return fmt.Sprintf("M%.0f %.1fl4 7h-8z", x, y-4)
	case "head":
		return circle(7)
	case "open":
		return circle(3)
	}
	return circle(5)
}
