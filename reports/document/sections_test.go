package document_test

import (
	"bytes"
	"strings"
	"testing"

	"track/reports/document"
)

// The sections, each below its heading, are the document.
func TestSectionsAreTheDocument(t *testing.T) {
	t.Parallel()
	d := document.Document{Title: "T", Blocks: []document.Block{
		document.Paragraph{Text: document.T("before")},
		document.Heading{Level: 2, Text: "One & two"},
		document.Heading{Level: 3, Text: "Same"}, document.List{Items: []document.Text{document.T("a"), document.T("*b*")}},
		document.Heading{Level: 2, Text: "Same"},
		document.Details{Summary: document.T("more"), Blocks: []document.Block{document.Code{Text: "x\n"}}},
	}}
	var whole bytes.Buffer
	if err := d.Markdown(&whole, document.MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	sections, err := d.MarkdownSections(document.MarkdownOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := "# T\n"
	for _, s := range sections {
		if s.Title != "" {
			text += "\n## " + strings.ReplaceAll(s.Title, "&", "&amp;") + "\n"
		}
		text += "\n" + s.Text + "\n"
	}
	if text != whole.String() {
		t.Errorf("the sections are\n%s\nand the document is\n%s", text, whole.String())
	}
	pages, err := d.HTMLSections()
	if err != nil {
		t.Fatal(err)
	}
	whole.Reset()
	if err := d.HTML(&whole); err != nil {
		t.Fatal(err)
	}
	for i, s := range pages {
		if !strings.Contains(whole.String(), s.Text) || s.Title != "" && !strings.Contains(whole.String(), `<h2 id="`+s.Anchor+`">`) {
			t.Errorf("section %d is not part of the page: %+v", i, s)
		}
		if s.Anchor != sections[i].Anchor {
			t.Errorf("section %d has the anchor %q in HTML and %q in Markdown", i, s.Anchor, sections[i].Anchor)
		}
	}
}
