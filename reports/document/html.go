package document

import (
	"bytes"
	_ "embed" // the style
	"fmt"
	"io"
	"slices"
	"strings"

	"track/reports/chart"
	"track/reports/escape"
)

//go:embed style.css
var style string

// head is the part before the title. The policy prevents a manipulated page from running or loading anything.
const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/>
<link rel="icon" href="data:,"/>
`

// manySections is the largest number of sections without a table of contents.
const manySections = 5

// HTML writes the document as one file that needs no network and no script. It is an error if two pictures have the
// same name.
func (d Document) HTML(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	h := hypertext{anchors: anchors{}}
	h.anchors.next(d.Title) // as on GitHub, where the title is a heading like others
	h.WriteString(head)
	fmt.Fprintf(&h, "<title>%s</title>\n<style>\n%s</style>\n</head>\n", escape.HTML(d.Title), style)
	body := hypertext{anchors: h.anchors}
	if err := body.blocks(d.Blocks); err != nil {
		return fmt.Errorf("document %q: %w", d.Title, err)
	}
	contents := body.contents()
	fmt.Fprintf(&h, "<body>\n%s<main>\n<h1>%s</h1>\n", contents, escape.HTML(d.Title))
	h.Write(body.Bytes())
	h.WriteString("</main>\n</body>\n</html>\n")
	if _, err := h.WriteTo(w); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// hypertext writes HTML.
type hypertext struct {
	bytes.Buffer
	anchors  anchors
	sections []section
	depth    int  // of details and notes
	embedded bool // in a page, which has the styles of pictures; a header without a text is left out
	after    func(Picture) (string, error)
	link     func(chart.Mark) string // where marks of pictures lead; nil for nowhere
}

// section is a line of the table of contents.
type section struct{ anchor, title string }

// contents returns the table of contents, where there are enough sections for one.
func (h *hypertext) contents() string {
	if len(h.sections) <= manySections {
		return ""
	}
	var b strings.Builder
	b.WriteString("<nav aria-label=\"Contents\">\n<p>Contents</p>\n<ul>\n")
	for _, s := range h.sections {
		fmt.Fprintf(&b, "<li><a href=\"#%s\">%s</a></li>\n", percent(s.anchor), s.title)
	}
	b.WriteString("</ul>\n</nav>\n")
	return b.String()
}

func (h *hypertext) blocks(blocks []Block) error {
	for _, b := range blocks {
		if err := h.block(b); err != nil {
			return err
		}
	}
	return nil
}

func (h *hypertext) block(b Block) error {
	switch b := b.(type) {
	case Heading:
		h.heading(b)
	case Paragraph:
		if text := page.spans(b.Text); text != "" {
			h.WriteString("<p>" + text + "</p>\n")
		}
	case List:
		h.list(b)
	case Table:
		h.table(b)
	case Code:
		h.code(b)
	case Picture:
		return h.picture(b)
	case Details:
		return h.details(b)
	case Note:
		return h.note(b)
	}
	return nil
}

func (h *hypertext) heading(b Heading) {
	anchor, title := h.anchors.next(b.Text), escape.HTML(b.Text)
	if b.Level == 2 && h.depth == 0 {
		h.sections = append(h.sections, section{anchor, title})
	}
	fmt.Fprintf(h, "<h%d id=\"%s\">%s</h%[1]d>\n", b.Level, anchor, title)
}

func (h *hypertext) list(l List) {
	tag := "ul"
	if l.Ordered {
		tag = "ol"
	}
	h.WriteString("<" + tag + ">\n")
	for _, item := range l.Items {
		h.WriteString("<li>" + page.spans(item) + "</li>\n")
	}
	h.WriteString("</" + tag + ">\n")
}

func (h *hypertext) table(t Table) {
	h.WriteString("<div class=\"scroll\" tabindex=\"0\">\n<table>\n")
	if !h.embedded || slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Title != "" }) {
		h.WriteString("<thead>\n<tr>")
		for _, c := range t.Columns {
			if h.embedded && c.Title == "" { // a header says something
				h.WriteString("<td></td>")
				continue
			}
			h.WriteString("<th scope=\"col\"" + c.class() + ">" + escape.HTML(c.Title) + "</th>")
		}
		h.WriteString("</tr>\n</thead>\n")
	}
	h.WriteString("<tbody>\n")
	for _, row := range t.Rows {
		h.WriteString("<tr>")
		for i, cell := range row {
			h.WriteString("<td" + t.Columns[i].class() + ">" + page.spans(cell) + "</td>")
		}
		h.WriteString("</tr>\n")
	}
	h.WriteString("</tbody>\n</table>\n</div>\n")
}

func (c Column) class() string {
	if c.Numeric {
		return ` class="n"`
	}
	return ""
}

func (h *hypertext) picture(p Picture) error {
	fmt.Fprintf(h, "<figure class=\"scroll\" tabindex=\"0\" aria-label=\"%s\">\n", escape.HTML(p.Alt))
	draw := chart.SVG
	if h.embedded || h.link != nil {
		draw = func(w io.Writer, c chart.Chart) error { return chart.Inline(w, c, h.link) }
	}
	if err := draw(h, p.Chart); err != nil {
		return fmt.Errorf("picture %q: %w", p.Name, err)
	}
	h.WriteString("</figure>\n")
	if h.after == nil {
		return nil
	}
	text, err := h.after(p)
	h.WriteString(text)
	return err
}

func (h *hypertext) details(d Details) error {
	h.WriteString("<details>\n<summary>" + page.spans(d.Summary) + "</summary>\n")
	h.depth++
	defer func() { h.depth-- }()
	if err := h.blocks(d.Blocks); err != nil {
		return err
	}
	h.WriteString("</details>\n")
	return nil
}

func (h *hypertext) note(n Note) error {
	if len(n.Blocks) == 0 {
		return nil
	}
	title := n.Kind.title()
	fmt.Fprintf(h, "<div class=\"note %s\" role=\"note\">\n<p class=\"kind\">%s</p>\n", strings.ToLower(title), title)
	h.depth++
	defer func() { h.depth-- }()
	if err := h.blocks(n.Blocks); err != nil {
		return err
	}
	h.WriteString("</div>\n")
	return nil
}
