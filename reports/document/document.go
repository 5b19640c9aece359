// Package document holds the model of a report and writes it: as Markdown for code hosts, and as one HTML file that
// needs no network and no script. All content is plain text, which the writers escape. HTML is written from the model
// and not through a Markdown library: that starts 0.9 ms later and needs as many lines (ADR 6).
package document

import "track/reports/chart"

// Document is a report: blocks in their order.
type Document struct {
	Title  string
	Blocks []Block
}

// Block is one of [Heading], [Paragraph], [List], [Table], [Code], [Picture], [Details] and [Note].
type Block interface{ block() }

// Heading begins a section. Level 2 is the highest below the title.
type Heading struct {
	Level int
	Text  string
}

// Paragraph is running text.
type Paragraph struct{ Text Text }

// List is a list of short texts.
type List struct {
	Ordered bool
	Items   []Text
}

// Table is a table; every row has a cell for each column.
type Table struct {
	Columns []Column
	Rows    [][]Text
}

// Column is a column of a table.
type Column struct {
	Title   string
	Numeric bool // set to the right
}

// Code is text to be copied, to the byte, or a difference where Language is diff.
type Code struct {
	Language string
	Text     string
}

// Picture is a chart: a file next to Markdown, part of the page in HTML.
type Picture struct {
	Name  string // of the file, without its suffix
	Alt   string // what it shows, for those who do not see it
	Chart chart.Chart
}

// Details are blocks that are folded until somebody opens them.
type Details struct {
	Summary Text
	Blocks  []Block
}

// Note is set apart from the text.
type Note struct {
	Kind   NoteKind
	Blocks []Block
}

// NoteKind is how urgent a note is.
type NoteKind string

// The kinds of notes, as GitHub names its alerts.
const (
	NoteInfo      NoteKind = "NOTE"
	noteImportant NoteKind = "IMPORTANT"
	NoteWarning   NoteKind = "WARNING"
	NoteCaution   NoteKind = "CAUTION"
)

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Table) block()     {}
func (Code) block()      {}
func (Picture) block()   {}
func (Details) block()   {}
func (Note) block()      {}

// Text is a line of spans.
type Text []Span

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
	Href  string // of a link: a relative path or a fragment of a report; empty for none
}

// Style is the style of a span.
type Style int

// The styles.
const (
	plain Style = iota
	Strong
	Monospace // names, ids, commands
	Faint     // less important

	// The signs of verdicts. Their text is what Markdown shows; a page draws signs of its own, which need no font of
	// pictures.
	SignPass
	SignWarn
	SignFail
	SignOpen // nothing is decided
)

// T returns plain text.
func T(text string) Text { return Text{{Text: text}} }
