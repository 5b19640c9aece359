package outsidetest

import (
	"bytes"
	"encoding/json"
	"html"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Diagrams are the blocks of Mermaid in a text of Markdown.
func Diagrams(markdown string) (list []string) {
	for {
		_, rest, found := strings.Cut(markdown, "```mermaid\n")
		if !found {
			return list
		}
		var diagram string
		diagram, markdown, _ = strings.Cut(rest, "```\n")
		list = append(list, diagram)
	}
}

// ParseMermaid says what the parser of Mermaid has against each of the diagrams; empty for nothing.
func ParseMermaid(t *testing.T, diagrams []string) (problems []string) {
	t.Helper()
	input, err := json.Marshal(diagrams)
	if err != nil {
		t.Fatal(err)
	}
	script, err := mermaidSource.ReadFile("mermaid/parse.mjs")
	if err != nil {
		t.Fatal(err)
	}
	installed := mermaidDir(t)
	parse := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", string(script), installed)
	var stderr bytes.Buffer
	parse.Stdin, parse.Stderr = bytes.NewReader(input), &stderr
	output, err := parse.Output()
	if err != nil {
		t.Fatalf("node parse.mjs: %v: %s", err, stderr.String())
	}
	if err := json.Unmarshal(output, &problems); err != nil {
		t.Fatal(err)
	}
	if len(problems) != len(diagrams) {
		t.Fatalf("%d answers for %d diagrams", len(problems), len(diagrams))
	}
	return problems
}

// Drawn is what Mermaid made of a flowchart.
type Drawn struct {
	Nodes, Edges       []string // what they say
	Elements           []string // those of HTML that Mermaid does not make of plain text
	Description, Error string
}

// DrawMermaid lets Mermaid draw in a browser.
func DrawMermaid(t *testing.T, diagrams []string) []Drawn {
	t.Helper()
	installed := mermaidDir(t)
	list, err := json.Marshal(diagrams)
	if err != nil {
		t.Fatal(err)
	}
	page, err := mermaidSource.ReadFile("mermaid/render.html")
	if err != nil {
		t.Fatal(err)
	}
	source := strings.Replace(string(page), "node_modules/", "file://"+filepath.ToSlash(installed)+"/node_modules/", 1)
	opened := OpenFile(t, "render.html", map[string]string{"render.html": source, "diagrams.js": "const diagrams = " + string(list) + ";\n"})
	var all []Drawn
	opened.result(t, &all)
	if len(all) != len(diagrams) {
		t.Fatalf("%d drawings of %d", len(all), len(diagrams))
	}
	return all
}

// result reads the JSON that a script left in the page.
func (p Page) result(t *testing.T, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(html.UnescapeString(Between(p.DOM, `<pre id="result">`, "</pre>"))), to); err != nil {
		t.Fatalf("%v; console: %q", err, p.Console)
	}
}
