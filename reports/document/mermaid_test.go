package document_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/internal/outsidetest"
	"track/reports/document"
	"track/reports/escape"
)

// diagram is the Mermaid of a flowchart.
func diagram(t failer, f document.Flowchart) string {
	t.Helper()
	text := written(t, "md", document.Document{Blocks: []document.Block{f}})
	return outsidetest.Between(text, "```mermaid\n", "```\n")
}

// flowcharts are those of the golden files, and what may be hard for a parser.
func flowcharts() []document.Flowchart {
	list := []document.Flowchart{bestPath(false), bestPath(true), hostileFlowchart(hostile), {}}
	for _, text := range []string{"end", "graph", "style n0 fill:red", "click n0 call alert()", "`md`", "---", "%%", "%%{init: {}}%%", "direction LR", "subgraph x", "n0@{ shape: x }", "\\n", "é ß ﬂ ¶ °", "日本", "1) a", "* a", "> a", "![a](b)", "http://a.b", "$$x$$", "&amp;", "#35;", "#", ";", " "} {
		list = append(list, hostileFlowchart(text))
	}
	return append(list, mixedFlowchart(1), mixedFlowchart(2))
}

// mixedFlowchart has the most nodes there may be, with signs that mean something to Mermaid, Markdown and HTML in any order.
func mixedFlowchart(seed uint64) document.Flowchart {
	signs := strings.Fields("a end n0 ( ) [ ] { } < > <br> <b> </b> & &lt; # #35; ; : ::: - -- --> . 1. 12) * ** _ __ ~ ~~ ` ``` \" ' | / \\ \\n $ $$ % %% %%{ @ @{ + = == ! ? , ^ ° ﬂ ¶ ß é 日 😀 direction LR TB subgraph class style click fa:fa-x http:// www.a.b [x](y) ![x](y) \\( \\) ﬂ°° ¶ß")
	signs = append(signs, " ", " ", " ", "\n")
	random := rand.New(rand.NewPCG(seed, 0))
	text := func() (s string) {
		for range 1 + random.IntN(7) {
			s += signs[random.IntN(len(signs))]
		}
		return s
	}
	f := document.Flowchart{Alt: "a" + text(), Down: true}
	for i := range document.MaxNodes {
		f.Nodes = append(f.Nodes, document.Node{ID: fmt.Sprint(i), Lines: []string{text(), text()}, Kind: document.NodeKind(i % 5)})
		if i > 0 {
			f.Edges = append(f.Edges, document.Edge{From: fmt.Sprint(i / 3), To: fmt.Sprint(i), Text: text(), Dashed: i%4 == 0})
		}
	}
	return f
}

// The diagrams are parsed by Mermaid's own parser, and broken ones are not.
func TestMermaidParses(t *testing.T) {
	t.Parallel()
	var diagrams []string
	for _, f := range flowcharts() {
		diagrams = append(diagrams, diagram(t, f))
	}
	good := len(diagrams)
	diagrams = append(diagrams, strings.Replace(diagrams[0], `"`, "", 1), strings.Replace(diagrams[0], "flowchart LR", "flowchart SIDEWAYS", 1), "pie\n", "")
	problems := outsidetest.ParseMermaid(t, diagrams)
	for i, problem := range problems {
		switch {
		case i < good && problem != "":
			t.Errorf("%s in\n%s", problem, diagrams[i])
		case i >= good && problem == "":
			t.Errorf("this was not refused:\n%s", diagrams[i])
		}
	}
}

// Mermaid shows every text as it is, line by line, and nothing of it as anything but text.
func TestMermaidShowsTexts(t *testing.T) {
	t.Parallel()
	var diagrams []string
	list := flowcharts()
	for _, f := range list {
		diagrams = append(diagrams, diagram(t, f))
	}
	for i, got := range outsidetest.DrawMermaid(t, append(diagrams, "flowchart LR\n  n0[\"1. a\"] -->|\"x\"| n1[\"<b>b</b>\"]\n", "flowchart LR\n  n0[")) {
		switch i {
		case len(list): // so that the checks below can fail
			if slices.Equal(got.Nodes, []string{"1. a", "<b>b</b>"}) {
				t.Errorf("texts that are not escaped are shown as they are: %+v", got)
			}
		case len(list) + 1:
			if got.Error == "" {
				t.Errorf("a broken diagram gave %+v", got)
			}
		default:
			if diff := cmp.Diff(texts(list[i]), squeezed(got)); diff != "" {
				t.Errorf("%s\nin %s", diff, diagrams[i])
			}
		}
	}
}

// texts are what is to be seen of a flowchart.
func texts(f document.Flowchart) outsidetest.Drawn {
	shown := func(lines ...string) string {
		for i, line := range lines {
			lines[i] = escape.Line(line)
		}
		return squeeze(strings.Join(lines, "\n"))
	}
	want := outsidetest.Drawn{Elements: []string{}, Description: squeeze(escape.Line(f.Alt)), Nodes: []string{}, Edges: []string{}}
	for _, n := range f.Nodes {
		want.Nodes = append(want.Nodes, shown(slices.Clone(n.Lines)...))
	}
	for _, e := range f.Edges {
		if text := shown(e.Text); text != "" {
			want.Edges = append(want.Edges, text)
		}
	}
	return want
}

// squeezed is what is to be seen of what is drawn.
func squeezed(d outsidetest.Drawn) outsidetest.Drawn {
	for _, list := range [][]string{d.Nodes, d.Edges} {
		for i := range list {
			list[i] = squeeze(list[i])
		}
	}
	d.Description = squeeze(d.Description)
	return d
}

// squeeze is what is to be seen of a text: lines without the spaces that browsers leave out, and without what has no width.
func squeeze(s string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\u200b", ""), "\n") {
		lines = append(lines, strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' }), " "))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
