package rubric

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadMarkdown(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		want   []markdownBlock
		lists  int
		line   int // of the first list
	}{
		"headings": {source: "# a\n\nb\n===\nc\nd\n---\n#e", want: []markdownBlock{
			{Kind: headingBlock, Text: "a", Line: 1, Top: 1, Level: 1},
			{Kind: headingBlock, Text: "b", Line: 3, Top: 2, Level: 1},
			{Kind: headingBlock, Text: "c\nd", Line: 5, Top: 3, Level: 2},
			{Text: "#e", Line: 8, Top: 4},
		}},
		"lists in lists": {source: "a\n\n1. b\n   - [ ] c\n   - [x] d\n\n     [ ] e\n\nf", lists: 2, line: 3, want: []markdownBlock{
			{Text: "a", Line: 1, Top: 1},
			{Text: "b", Line: 3, Top: 2},
			{Text: "[ ] c", Line: 4, Top: 2, Task: true},
			{Text: "[x] d", Line: 5, Top: 2},
			{Text: "[ ] e", Line: 7, Top: 2},
			{Text: "f", Line: 9, Top: 3},
		}},
		"the list is where its first item is": {source: "\n-\n  a", lists: 1, line: 2, want: []markdownBlock{{Text: "a", Line: 3, Top: 1}}},
		"closed fences": {source: "```go\n\na := `b`\n```\n~~~\n```\n~~~~\n```\n```", want: []markdownBlock{
			{Kind: codeBlock, Text: "\na := `b`\n", Line: 2, Top: 1, Fenced: true, Language: "go"},
			{Kind: codeBlock, Text: "```\n", Line: 6, Top: 2, Fenced: true},
			{Kind: codeBlock, Line: 8, Top: 3, Fenced: true},
		}},
		"a fence that the text ends is open": {source: "```go title=x\na", want: []markdownBlock{
			{Kind: codeBlock, Text: "a\n", Line: 2, Top: 1, Fenced: true, Open: true, Language: "go"},
		}},
		"a fence on the last line is open": {source: "a\n```", want: []markdownBlock{
			{Text: "a", Line: 1, Top: 1},
			{Kind: codeBlock, Line: 2, Top: 2, Fenced: true, Open: true},
		}},
		"a fence that its quotation ends is open": {source: "> ```go\n> x\n```\ny", want: []markdownBlock{
			{Kind: codeBlock, Text: "x\n", Line: 2, Top: 1, Fenced: true, Open: true, Language: "go"},
			{Kind: codeBlock, Text: "y\n", Line: 4, Top: 2, Fenced: true, Open: true},
		}},
		"a fence that its item ends is open": {source: "- ```\n  x\n\n```\ny\n```", lists: 1, line: 1, want: []markdownBlock{
			{Kind: codeBlock, Text: "x\n\n", Line: 2, Top: 1, Fenced: true, Open: true},
			{Kind: codeBlock, Text: "y\n", Line: 5, Top: 2, Fenced: true},
		}},
		"indented code": {source: "a\n\n    b\n\n      c\n\n", want: []markdownBlock{
			{Text: "a", Line: 1, Top: 1},
			{Kind: codeBlock, Text: "b\n\n  c\n", Line: 3, Top: 2},
		}},
		"a table is prose": {source: "| a | b |\n|---|---|\n| c | d |\n", want: []markdownBlock{{Text: "| a | b |\n|---|---|\n| c | d |", Line: 1, Top: 1}}},
		"HTML": {source: "<div>\n# a\n</div>\n\nb <i>c</i>", want: []markdownBlock{
			{Kind: htmlBlock, Text: "<div>\n# a\n</div>\n", Line: 1, Top: 1},
			{Text: "b <i>c</i>", Line: 5, Top: 2},
		}},
		"a definition of a link is prose": {source: "[a]: b\n", want: []markdownBlock{{Text: "[a]: b", Line: 1, Top: 1}}},
		"lines that end with \\r\\n": {source: "# a\r\n\r\nb\r\nc\r\n", want: []markdownBlock{
			{Kind: headingBlock, Text: "a", Line: 1, Top: 1, Level: 1},
			{Text: "b\r\nc", Line: 3, Top: 2},
		}},
		"nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			doc := readMarkdown(test.source)
			var blocks []markdownBlock
			for _, b := range doc.blocks {
				blocks = append(blocks, b.markdownBlock)
			}
			if diff := cmp.Diff(test.want, blocks); diff != "" {
				t.Error(diff)
			}
			if doc.lists != test.lists || doc.listLine != test.line {
				t.Errorf("%d lists, the first at line %d", doc.lists, doc.listLine)
			}
		})
	}
}

// TestDeepLists checks that indentation nests lists no deeper than the limit, and that the text below it is kept.
func TestDeepLists(t *testing.T) {
	for levels, lists := range map[int]int{maxNesting: maxNesting, 4 * maxNesting: maxNesting} {
		doc := readMarkdown(indented(levels))
		marks := 0
		for _, b := range doc.blocks {
			marks += strings.Count(b.Text, "a")
		}
		if doc.lists != lists || marks != levels {
			t.Errorf("%d levels: %d lists and %d items, want %d and %d", levels, doc.lists, marks, lists, levels)
		}
	}
}

func FuzzReadMarkdown(f *testing.F) {
	f.Add("> - 1. ```css\n> a{\n\n# T\n===\n- [ ] x")
	f.Add("\t- a\n \t b\n<!--\n\n-->")
	f.Fuzz(func(t *testing.T, source string) {
		lines := 1 + strings.Count(source, "\n")
		for _, b := range readMarkdown(source).blocks {
			if b.Line < 1 || b.Line > lines || b.Top < 1 {
				t.Errorf("%+v of %d lines", b, lines)
			}
		}
	})
}
