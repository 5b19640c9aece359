package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"track/reports/escape"
)

// MarkdownOptions are what Markdown has to know of the files next to it.
type MarkdownOptions struct {
	PictureDir string // before the names of pictures, such as "lineage_files/"
	Suffix     string // after them, such as ".svg"
}

// Markdown writes the document for GitHub. It is an error if two pictures have the same name.
func (d Document) Markdown(w io.Writer, o MarkdownOptions) error {
	if err := d.check(); err != nil {
		return err
	}
	m := markdown{options: o}
	m.line("# " + escape.Markdown(d.Title))
	m.blocks(d.Blocks)
	if _, err := m.WriteTo(w); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	return nil
}

// markdown writes Markdown.
type markdown struct {
	bytes.Buffer
	options MarkdownOptions
	noted   bool // within a note
	marker  int  // of the list right before, counted from 1
}

// line writes a block of one line, with an empty one before it.
func (m *markdown) line(s string) {
	m.gap()
	m.WriteString(s + "\n")
}

// gap is an empty line between blocks.
func (m *markdown) gap() {
	if m.Len() > 0 {
		m.WriteByte('\n')
	}
}

func (m *markdown) blocks(blocks []Block) {
	for _, b := range blocks {
		if list, ok := b.(List); ok {
			m.list(list)
			continue
		}
		written := m.Len()
		if m.block(b); m.Len() > written {
			m.marker = 0
		}
	}
}

func (m *markdown) block(b Block) {
	switch b := b.(type) {
	case Heading:
		m.line(strings.Repeat("#", b.Level) + " " + escape.Markdown(b.Text))
	case Paragraph:
		if line := m.start(b.Text); line != "" {
			m.line(line)
		}
	case Table:
		m.table(b)
	case Code:
		m.code(infoString(b.Language), b.Text)
	case Picture:
		m.line(fmt.Sprintf("![%s](%s%s)", escape.Alt(b.Alt), percent(m.options.PictureDir), percent(b.Name+m.options.Suffix)))
	case Details:
		m.line("<details><summary>" + summary.spans(b.Summary) + "</summary>")
		m.blocks(b.Blocks)
		m.line("</details>")
	case Note:
		m.note(b)
	}
}

// list alternates between two markers, so that a list right after another is one of its own.
func (m *markdown) list(l List) {
	if len(l.Items) == 0 {
		return
	}
	m.gap()
	m.marker++
	for i, item := range l.Items {
		marker := "-*"[(m.marker-1)%2:][:1]
		if l.Ordered {
			marker = fmt.Sprint(i+1) + ".)"[(m.marker-1)%2:][:1]
		}
		m.WriteString(strings.TrimRight(marker+" "+m.start(item), " ") + "\n")
	}
}

func (m *markdown) table(t Table) {
	m.gap()
	for _, c := range t.Columns {
		m.WriteString("| " + escape.Markdown(c.Title) + " ")
	}
	m.WriteString("|\n")
	for _, c := range t.Columns {
		if c.Numeric {
			m.WriteString("| ---: ")
		} else {
			m.WriteString("| --- ")
		}
	}
	m.WriteString("|\n")
	for _, row := range t.Rows {
		for _, cell := range row {
			m.WriteString("| ")
			m.spans(cell, true)
			m.WriteByte(' ')
		}
		m.WriteString("|\n")
	}
}

func (m *markdown) code(language, text string) {
	text = escape.Code(text)
	fence := escape.Fence(text)
	m.line(fence + language)
	m.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		m.WriteByte('\n')
	}
	m.WriteString(fence + "\n")
}

// infoString returns a language where that is a word, and nothing otherwise.
func infoString(language string) string {
	if !fileName.MatchString(language) {
		return ""
	}
	return language
}

// note writes an alert of GitHub's. One within another would not be shown as such, and is a quotation.
func (m *markdown) note(n Note) {
	within := markdown{options: m.options, noted: true}
	if m.noted {
		within.line("**" + n.Kind.title() + "**")
	}
	within.blocks(n.Blocks)
	if within.Len() == 0 {
		return
	}
	m.gap()
	if !m.noted {
		m.WriteString("> [!" + string(n.Kind) + "]\n>\n") // the blocks are not to go on with that line
	}
	for line := range strings.Lines(within.String()) {
		if line != "\n" {
			line = " " + line
		}
		m.WriteString(">" + line)
	}
}

// title returns the name of a kind of note: "Warning".
func (k NoteKind) title() string { return string(k[:1]) + strings.ToLower(string(k[1:])) }
