package document_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/reports/document"
)

// hostileLinks are file names that a writer might take for something else.
var hostileLinks = []string{
	"scenario-growth_plus.md", "a b.md", "a(b).md", "a)b.md", "a]b.md", `a"b.md`, "a'b.md", "a<b>.md", "a`b`.md", "a|b.md", `a\b.md`, `\\host\share`, "a&amp;b.md", "a%20b.md", "a?b=c.md",
	"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "mailto:a@example.org", "//example.org/a", "/etc/passwd", "a\nb.md", "ünï.md", "日本.md", "a*b_c~~d.md", "&colon;", "{{x}}", "$a$.md",
}

// resolved are the files that the links of a page lead to, as a browser finds them from the page's own place.
func resolved(t *testing.T, suffix string, d document.Document) (list []string) {
	t.Helper()
	source := written(t, suffix, d)
	if suffix == "md" {
		var b bytes.Buffer
		if err := github.Convert([]byte(source), &b); err != nil {
			t.Fatal(err)
		}
		source = "<html><body>" + b.String() + "</body></html>"
	}
	base := &url.URL{Scheme: "https", Host: "reports.example", Path: "/folder/page." + suffix}
	decoder := xml.NewDecoder(strings.NewReader(source))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "a" {
			continue
		}
		for _, a := range element.Attr {
			to, err := base.Parse(a.Value)
			if err != nil || to.Host != base.Host || to.Scheme != base.Scheme || to.RawQuery != "" || to.Fragment != "" {
				t.Errorf("%s: the link %q leads to %v, %v", suffix, a.Value, to, err)
				continue
			}
			list = append(list, strings.TrimLeft(strings.TrimPrefix(to.Path, "/folder/"), "/"))
		}
	}
}

// A link leads to the file of that name beside the page, wherever the link stands and whatever the name; and to
// nothing but files.
func TestHostileLinks(t *testing.T) {
	t.Parallel()
	var want []string
	var d document.Document
	link := func(href string) document.Text {
		return document.Text{{Text: href, Href: href, Style: document.Monospace}, {Text: " and "}, {Text: hostile, Href: href}}
	}
	for _, href := range hostileLinks {
		d.Blocks = append(d.Blocks,
			document.Paragraph{Text: link(href)}, document.List{Items: []document.Text{link(href)}},
			document.Table{Columns: make([]document.Column, 1), Rows: [][]document.Text{{link(href)}}},
			document.Details{Summary: link(href), Blocks: []document.Block{document.Note{Kind: document.NoteInfo, Blocks: []document.Block{document.Paragraph{Text: link(href)}}}}})
		for range 10 { // two of each text
			want = append(want, path.Clean(strings.TrimLeft(href, "/")))
		}
	}
	for suffix := range writers {
		if diff := cmp.Diff(want, resolved(t, suffix, d)); diff != "" {
			t.Errorf("%s: %s", suffix, diff)
		}
	}
	var all []string
	for _, href := range d.Links() {
		all = append(all, path.Clean(strings.TrimLeft(href, "/")))
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("Links: %s", diff)
	}
}
