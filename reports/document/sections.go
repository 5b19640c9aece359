package document

import (
	"fmt"
	"strings"

	"track/reports/chart"
)

// Section is what stands below a heading of level 2, up to the next one, as it is written. The heading is not part of
// it.
type Section struct {
	Title    string // empty for what stands before the first heading
	Anchor   string
	Text     string
	Pictures []Picture
}

// part is a section before it is written.
type part struct {
	title  string
	blocks []Block
}

// parts returns what stands before the first heading of level 2, and then what stands below each of them.
func (d Document) parts() []part {
	parts := []part{{}}
	for _, b := range d.Blocks {
		if h, ok := b.(Heading); ok && h.Level == 2 {
			parts = append(parts, part{title: h.Text})
			continue
		}
		last := &parts[len(parts)-1]
		last.blocks = append(last.blocks, b)
	}
	return parts
}

// sections writes each part with a function, which takes the fragments of the headings within it from a.
func (d Document) sections(write func([]Block, anchors) (string, error)) ([]Section, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	a := anchors{}
	a.next(d.Title)
	var list []Section
	for _, p := range d.parts() {
		s := Section{Title: p.title, Pictures: Document{Blocks: p.blocks}.Pictures()}
		if p.title != "" {
			s.Anchor = a.next(p.title)
		}
		text, err := write(p.blocks, a)
		if err != nil {
			return nil, fmt.Errorf("document %q: %w", d.Title, err)
		}
		s.Text = strings.TrimRight(text, "\n")
		list = append(list, s)
	}
	return list, nil
}

// MarkdownSections returns the sections as [Document.Markdown] writes them.
func (d Document) MarkdownSections(o MarkdownOptions) ([]Section, error) {
	return d.sections(func(blocks []Block, a anchors) (string, error) {
		for _, b := range blocks {
			if h, ok := b.(Heading); ok {
				a.next(h.Text)
			}
		}
		m := markdown{options: o}
		m.blocks(blocks)
		return m.String(), nil
	})
}

// HTMLSections returns the sections as [Document.HTML] writes them. They need the [StyleSheet].
func (d Document) HTMLSections() ([]Section, error) {
	return d.sections(func(blocks []Block, a anchors) (string, error) {
		h := hypertext{anchors: a}
		err := h.blocks(blocks)
		return h.String(), err
	})
}

// InlineSections returns the sections as parts of a page that has styles for them and for charts ([chart.StyleSheet]).
// after returns what stands behind a picture, as HTML; link returns where a mark of a picture leads, and may be nil.
func (d Document) InlineSections(after func(Picture) (string, error), link func(chart.Mark) string) ([]Section, error) {
	return d.sections(func(blocks []Block, a anchors) (string, error) {
		h := hypertext{anchors: a, embedded: true, after: after, link: link}
		err := h.blocks(blocks)
		return h.String(), err
	})
}

// HTML returns the picture within HTML.
func (p Picture) HTML() (string, error) {
	h := hypertext{anchors: anchors{}}
	err := h.picture(p)
	return strings.TrimRight(h.String(), "\n"), err
}

// InlineHTML returns the picture as a part of a page that has the styles of charts ([chart.StyleSheet]).
func (p Picture) InlineHTML() (string, error) {
	h := hypertext{anchors: anchors{}, embedded: true}
	err := h.picture(p)
	return strings.TrimRight(h.String(), "\n"), err
}

// Markdown returns the line that shows the picture.
func (p Picture) Markdown(o MarkdownOptions) string {
	m := markdown{options: o}
	m.block(p)
	return strings.TrimRight(m.String(), "\n")
}
