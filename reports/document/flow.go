package document

import (
	"bytes"
	"fmt"
	"strings"

	"track/reports/chart"
	"track/reports/document/layered"
	"track/reports/escape"
)

// The text of flowcharts.
const (
	flowSize   = 13.0
	flowLine   = 17.0
	flowBold   = 1.08 // by how much bold text is wider
	nodeRoom   = 190.0
	nodeLines  = 4 // that one line of a node becomes at most
	labelRoom  = 130.0
	labelLines = 3
	flowMargin = 8.0
)

// nodeClasses are the classes of the kinds of nodes, in the style of the page.
var nodeClasses = [...]string{NodePlain: "plain", NodeGood: "good", NodeHead: "head", NodeBad: "bad", NodeStub: "stub"}

// weights keep the way to what is in force straight: what leads to a node of these kinds gives way to the others.
var weights = [...]int{NodePlain: 1e4, NodeGood: 1e6, NodeHead: 1e6, NodeBad: 10, NodeStub: 1}

// flow is a flowchart that is being drawn.
type flow struct {
	bytes.Buffer
	down bool
}

// caption is a text with the room it takes.
type caption struct {
	lines         []string
	first         int    // so many lines are the first text
	whole         string // where the lines are short for it
	width, height float64
}

// svg writes the flowchart as a picture within HTML.
func (f Flowchart) svg(w *bytes.Buffer) {
	draw := flow{down: f.Down}
	nodes, captions := f.boxes()
	edges, labels := f.ways()
	d := layered.Layout(nodes, edges, f.Down) // above, or to the right, where they leave the rest on a narrow screen
	width, height := draw.xy(layered.Point{Along: d.Along, Across: d.Across})
	width, height = width+2*flowMargin, height+2*flowMargin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="flow" viewBox="%.1f %.1f %.1f %.1f" width="%.1f" height="%.1f" role="img">`+"\n",
		-flowMargin, -flowMargin, width, height, width, height)
	fmt.Fprintf(w, "<title>%s</title>\n<desc>%s</desc>\n", escape.HTML(f.Alt), escape.HTML(f.description()))
	for i, r := range d.Routes {
		draw.edge(r, f.Edges[i].Dashed)
	}
	for i, p := range d.Nodes {
		draw.node(p, captions[i], nodes[i], f.Nodes[i].Kind)
	}
	for i, r := range d.Routes {
		draw.label(r.Label, labels[i])
	}
	draw.WriteTo(w) //nolint:errcheck // a buffer takes everything
	w.WriteString("</svg>\n")
}

// boxes measures the nodes.
func (f Flowchart) boxes() (nodes []layered.Node, captions []caption) {
	for _, n := range f.Nodes {
		c := newCaption(n.Lines, flowSize*flowBold, nodeRoom, nodeLines)
		captions = append(captions, c)
		width, height := max(48, c.width+28), max(flowLine, c.height)+18
		if n.Kind == NodeHead || n.Kind == NodeBad {
			width += 16 // for the ends
		}
		nodes = append(nodes, f.size(width, height))
	}
	return nodes, captions
}

// ways measures the edges.
func (f Flowchart) ways() (edges []layered.Edge, labels []caption) {
	at := f.index()
	for _, e := range f.Edges {
		c := newCaption([]string{e.Text}, flowSize, labelRoom, labelLines)
		labels = append(labels, c)
		way := layered.Edge{From: at[e.From], To: at[e.To], Weight: weights[f.Nodes[at[e.To]].Kind], Last: e.Dashed}
		if len(c.lines) > 0 {
			way.Label = f.size(c.width+8, c.height+2)
		}
		edges = append(edges, way)
	}
	return edges, labels
}

// size turns width and height into what is along the edges and across.
func (f Flowchart) size(width, height float64) layered.Node {
	if f.Down {
		width, height = height, width
	}
	return layered.Node{Along: width, Across: height}
}

func newCaption(texts []string, size, room float64, most int) caption {
	var c caption
	var wholes []string
	for i, text := range texts {
		lines, cut := wrap(text, size, room, most)
		for _, line := range lines {
			c.width = max(c.width, chart.TextWidth(line, size))
		}
		c.lines = append(c.lines, lines...)
		if i == 0 {
			c.first = len(lines)
		}
		if cut {
			wholes = append(wholes, text)
		}
	}
	c.whole = strings.Join(wholes, " ")
	c.height = flowLine * float64(len(c.lines))
	return c
}

// description says in words what the edges say.
func (f Flowchart) description() string {
	names := make(map[string]string, len(f.Nodes))
	for _, n := range f.Nodes {
		names[n.ID] = strings.Join(n.Lines, " ")
	}
	facts := []string{fmt.Sprintf("Flowchart. Nodes: %d.", len(f.Nodes))}
	for _, e := range f.Edges {
		fact := names[e.From] + " → " + names[e.To]
		if e.Text != "" {
			fact += ": " + e.Text
		}
		if e.Dashed {
			fact += " (dashed)"
		}
		facts = append(facts, fact+".")
	}
	return strings.Join(facts, " ")
}
