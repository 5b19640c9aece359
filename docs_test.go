package track_test

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// document is a Markdown file of the repository, with the anchors of its headings.
type document struct {
	links   []string
	anchors []string
}

// TestDocumentLinks checks that every relative link of the documentation leads to a file, and to a heading if it
// names one.
func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	documents := readDocuments(t)
	for name, doc := range documents {
		for _, link := range doc.links {
			target, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: the link %q: %v", name, link, err)
				continue
			}
			if target.Scheme != "" || target.Host != "" {
				continue
			}
			path := name
			if target.Path != "" {
				path = filepath.Join(filepath.Dir(name), filepath.FromSlash(target.Path))
			}
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the link %q leads nowhere", name, link)
				continue
			}
			if target.Fragment != "" && !slices.Contains(documents[path].anchors, target.Fragment) {
				t.Errorf("%s: %s has no heading for the link %q", name, path, link)
			}
		}
	}
}

// TestDecisions checks that every page of docs/adr has the same parts, and a row in the index.
func TestDecisions(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/adr/[0-9]*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	index, err := os.ReadFile("docs/adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"Context", "Decision", "Alternatives", "Consequences"} {
			if !strings.Contains(string(text), "\n**"+part) {
				t.Errorf("%s has no part %s", page, part)
			}
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		number, name, _ := strings.Cut(title, ". ")
		if row := "| " + number + " | [" + name + "](" + filepath.Base(page) + ") |"; !strings.Contains(string(index), row) {
			t.Errorf("docs/adr/README.md has no row %s", row)
		}
	}
}

// readDocuments reads the Markdown files at the top and below docs and examples.
func readDocuments(t *testing.T) map[string]document {
	t.Helper()
	names, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"docs", "examples"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".md" {
				names = append(names, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	documents := make(map[string]document, len(names))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documents[name] = parseDocument(string(text))
	}
	return documents
}

// parseDocument finds the links and headings outside of code.
func parseDocument(text string) (d document) {
	link := regexp.MustCompile(`\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)`)
	code := regexp.MustCompile("`[^`]*`")
	fenced := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced, strings.HasPrefix(line, "    "):
		default:
			if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				d.anchors = append(d.anchors, anchor(heading))
			}
			for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(line, "`"), -1) {
				d.links = append(d.links, match[1])
			}
		}
	}
	return d
}

// anchor returns the name that code hosts give to a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// TestSecurityPage checks that each test that SECURITY.md names exists.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(source, -1) {
			tests[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)[`/]").FindAllSubmatch(page, -1)
	for _, name := range named {
		if !tests[string(name[1])] {
			t.Errorf("there is no %s", name[1])
		}
	}
	if len(named) < 40 {
		t.Errorf("the page names %d tests", len(named))
	}
}
