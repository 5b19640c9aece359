package markdown

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track/internal/property"
)

// differ compares our blocks of a text with those of goldmark, but for two things: goldmark leaves the last line of
// some blocks of HTML out of their text, and the line of a list is guessed from the text in it.
func differ(source string, options ...cmp.Option) string {
	theirs, ours := parseWithGoldmark(source), Parse(source)
	for _, d := range []*Document{&theirs, &ours} {
		d.ListLine = 0
		for i := range d.Blocks {
			if d.Blocks[i].Kind == rawHTML {
				d.Blocks[i].Text = ""
			}
		}
	}
	return cmp.Diff(theirs, ours, options...)
}

// TestSpecification compares the blocks of all examples of the specification with those of goldmark, which passes its
// tests.
func TestSpecification(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown string
		Example  int
	}
	if err := json.Unmarshal(raw, &examples); err != nil || len(examples) < 600 {
		t.Fatal(err, len(examples))
	}
	for _, e := range examples {
		if diff := differ(e.Markdown); diff != "" {
			t.Errorf("example %d: %q\n%s", e.Example, e.Markdown, diff)
		}
	}
}

// TestRealTexts compares the blocks of our documentation, and of all texts in logs of agents, with those of goldmark.
func TestRealTexts(t *testing.T) {
	texts := 0
	compare := func(path, text string) {
		texts++
		if diff := differ(text); diff != "" {
			t.Errorf("%s: %.200q\n%.2000s", path, text, diff)
		}
	}
	for _, root := range []string{"../../docs", "../../../shared/data/agents"} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			switch raw, _ := os.ReadFile(path); filepath.Ext(path) {
			case ".md":
				compare(path, string(raw))
			case ".json", ".jsonl":
				for line := range strings.Lines(string(raw)) {
					var value any
					if json.Unmarshal([]byte(line), &value) == nil {
						eachText(value, func(text string) { compare(path, text) })
					}
				}
			}
			return nil
		})
	}
	if texts < 20 {
		t.Errorf("compared %d texts", texts)
	}
}

func eachText(value any, do func(string)) {
	switch value := value.(type) {
	case string:
		if strings.Contains(value, "\n") {
			do(value)
		}
	case []any:
		for _, element := range value {
			eachText(element, do)
		}
	case map[string]any:
		for _, member := range value {
			eachText(member, do)
		}
	}
}

// documents draws lines of marks in marks. There are no tabs and no empty items: goldmark departs from the
// specification in both.
var documents = rapid.Map(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
	marks := rapid.SliceOfN(rapid.SampledFrom([]string{"- ", "* ", "1. ", "2) ", "> ", "  ", " ", "    "}), 0, 4).Draw(t, "marks")
	content := rapid.SampledFrom([]string{
		"a", "b c", "# h", "## h ##", "```", "```go", "~~~", "---", "===", "***", "<div>", "</p>x", "<a>", "<!-- c", "-->", "[ ] t", "`d`", "10. e", "",
	}).Draw(t, "content")
	if content == "" {
		return "\n"
	}
	return strings.Join(marks, "") + content + "\n"
}), 1, 12), func(lines []string) string { return strings.Join(lines, "") })

func TestLikeGoldmark(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		source := documents.Draw(t, "source")
		// Whether code is closed is guessed from the line after it.
		if diff := differ(source, cmpopts.IgnoreFields(Block{}, "Open")); diff != "" {
			t.Errorf("%q\n%s", source, diff)
		}
	})
}

func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		want   Document
	}{
		"a fence that its quotation ends is open": {
			"> ```go\n> x\n```\ny",
			Document{Blocks: []Block{
				{Kind: Code, Text: "x\n", Line: 2, Top: 1, Fenced: true, Open: true, Language: "go"},
				{Kind: Code, Text: "y\n", Line: 4, Top: 2, Fenced: true, Open: true},
			}},
		},
		"the language of a fence on the last line": {"```c", Document{Blocks: []Block{{Kind: Code, Line: 1, Top: 1, Fenced: true, Open: true, Language: "c"}}}},
		"an empty item stays in its item": {
			"* -\n\n  a", Document{Blocks: []Block{{Text: "a", Line: 3, Top: 1}}, Lists: 2, ListLine: 1},
		},
		"a tab is as many columns as it takes": {
			"> + \ta\n", Document{Blocks: []Block{{Kind: Code, Text: "a\n", Line: 1, Top: 1}}, Lists: 1, ListLine: 1},
		},
		"lines that end with \\r\\n": {
			"# a\r\n\r\nb\r\nc\r\n", Document{Blocks: []Block{{Kind: Heading, Text: "a", Line: 1, Top: 1, Level: 1}, {Text: "b\r\nc", Line: 3, Top: 2}}},
		},
		"the list is where its first item is": {"\n-\n  a", Document{Blocks: []Block{{Text: "a", Line: 3, Top: 1}}, Lists: 1, ListLine: 2}},
		"nothing":                             {"", Document{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Parse(test.source)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("> - 1. ```css\n> a{\n\n# T\n===\n- [ ] x")
	f.Add("\t- a\n \t b\n<!--\n\n-->")
	f.Fuzz(func(t *testing.T, source string) {
		lines := 1 + strings.Count(source, "\n")
		for _, b := range Parse(source).Blocks {
			if b.Line < 1 || b.Line > lines || b.Top < 1 {
				t.Errorf("%+v of %d lines", b, lines)
			}
		}
	})
}
