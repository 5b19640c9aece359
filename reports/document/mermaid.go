package document

import (
	"fmt"
	"strings"

	"track/reports/escape"
)

// mermaidKinds are the brackets around the label of a kind of node, and the style of its class. Fills let the page shine through, and
// text keeps the colour of the theme, so that all can be read in light and dark.
var mermaidKinds = [...]struct{ name, before, after, style string }{
	NodePlain: {"plain", `["`, `"]`, "fill:#8b949e1f,stroke:#8b949e,stroke-width:1px"},
	NodeGood:  {"good", `("`, `")`, "fill:#009e7333,stroke:#009e73,stroke-width:1.5px"},
	NodeHead:  {"head", `(["`, `"])`, "fill:#0072b240,stroke:#56b4e9,stroke-width:3px"},
	NodeBad:   {"bad", `{{"`, `"}}`, "fill:#d55e0026,stroke:#d55e00,stroke-width:1.5px"},
	NodeStub:  {"stub", `["`, `"]`, "fill:none,stroke:#8b949e,stroke-width:1px,stroke-dasharray:4 3"},
}

// mermaid is the flowchart in that language. Its nodes are called n0, n1, … whatever their ids.
func (f Flowchart) mermaid() string {
	var b strings.Builder
	direction := "LR"
	if f.Down {
		direction = "TD"
	}
	fmt.Fprintf(&b, "flowchart %s\n", direction)
	if alt := strings.TrimSpace(f.Alt); alt != "" {
		fmt.Fprintf(&b, "  accDescr: %s\n", escape.Mermaid(alt))
	}
	used := [len(mermaidKinds)]bool{}
	for i, n := range f.Nodes {
		k := mermaidKinds[n.Kind]
		used[n.Kind] = true
		fmt.Fprintf(&b, "  n%d%s%s%s:::%s\n", i, k.before, n.mermaidLabel(), k.after, k.name)
	}
	at := f.index()
	for _, e := range f.Edges {
		fmt.Fprintf(&b, "  n%d %s n%d\n", at[e.From], e.mermaidArrow(), at[e.To])
	}
	for i, k := range mermaidKinds {
		if used[i] {
			fmt.Fprintf(&b, "  classDef %s %s\n", k.name, k.style)
		}
	}
	return b.String()
}

func (n Node) mermaidLabel() string {
	lines := make([]string, len(n.Lines))
	for i, line := range n.Lines {
		lines[i] = escape.Mermaid(line)
	}
	if label := strings.Join(lines, "<br>"); strings.Trim(label, " ") != "" {
		return label
	}
	return " "
}

func (e Edge) mermaidArrow() string {
	arrow := "-->"
	if e.Dashed {
		arrow = "-.->"
	}
	if strings.TrimSpace(e.Text) == "" {
		return arrow
	}
	return arrow + `|"` + escape.Mermaid(e.Text) + `"|`
}
