package answer

import (
	"fmt"
	"math"
	"slices"
	"time"

	"track"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// Table is an answer, or a part of it, as rows and columns. A face that writes data, such as CSV, shows the columns
// for data and exact values; one that writes for people shows the columns for people and the text of each cell.
type Table struct {
	Name    string // for programs: metrics, failing_seeds
	Title   string // for people; empty for none
	Columns Columns
	Rows    [][]any
	// DataRows follow Rows if the reader is a program.
	DataRows [][]any
	// Grouped begins a table of its own, titled by the first cell, for each value of the first column. Only people see
	// it so.
	Grouped bool
	// Shown is the largest number of rows that people are shown; 0 for all.
	Shown int
	Main  bool   // the table that is written where only one can be, as in CSV; the first if none is marked
	Empty string // what people read instead of a table without rows
	// HiddenIfEmpty leaves a table without rows out of what people read.
	HiddenIfEmpty bool
	// ForPrograms leaves the table out of what people read: the lead says it all.
	ForPrograms bool
	Notes       []Sentence // beneath the table
}

// Column is a column of a table.
type Column struct {
	Name string // for programs, in snake_case
	Head string // for people; Name if it is empty
	For  Reader
	// Priority is 0 for a column that is always shown. If a table is too wide for a reader's screen, the column with the
	// highest priority is left out first.
	Priority int
	Wrap     bool // a text that may be broken into lines, such as a message; not a name, a number or a status
}

// Columns are the columns of a table.
type Columns []Column

// drop returns the columns with priorities: if the table is too wide, the first of names is left out first.
func (list Columns) drop(names ...string) Columns {
	for i, name := range names {
		list.find(name).Priority = len(names) - i
	}
	return list
}

// wrap returns the columns, with texts in some of them that may be broken into lines.
func (list Columns) wrap(names ...string) Columns {
	for _, name := range names {
		list.find(name).Wrap = true
	}
	return list
}

// find returns the column that people see under this name.
func (list Columns) find(name string) *Column {
	for i := range list {
		if list[i].Name == name && list[i].For != ForData {
			return &list[i]
		}
	}
	panic("no column " + name) // caught by any test that shows the table
}

// Reader says who gets to see a column.
type Reader int

// The readers of columns.
const (
	ForAll    Reader = iota
	ForPeople        // such as an interval written as "0.8 to 0.9"
	ForData          // such as the ends of that interval
)

// columns returns columns for all readers, named alike for programs and people.
func columns(names ...string) Columns {
	list := make(Columns, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// Cell is a cell that people read otherwise than programs. Other cells are strings, numbers, booleans, pointers to
// numbers, or nil for nothing; people see a float64 with four decimals.
type Cell struct {
	Text  string
	Exact any
}

// TextRange is a part of a text: the bytes of its UTF-8 from start up to end, which is not in it.
type TextRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// MarkedText is a cell with a text of which people see some parts marked.
type MarkedText struct {
	Text  string
	Marks []TextRange // in order; they do not overlap
}

// String returns the text without marks.
func (m MarkedText) String() string { return m.Text }

// hashCell returns a cell with a hash, shortened for people.
func hashCell(hash string) Cell { return Cell{track.ShortHash(hash), hash} }

// timeCell returns a cell with a time; nothing for the zero time.
func timeCell(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return Cell{timeText(t), t.UTC().Format(time.RFC3339Nano)}
}

// timeText writes a time for people, to the second.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// numberCell returns a cell with a number that people read as text.
func numberCell(x float64, text func(float64) string) Cell { return Cell{text(x), x} }

// optionalCell returns a cell with a number that may be missing.
func optionalCell(x *float64, text func(float64) string) any {
	if x == nil {
		return nil
	}
	return Cell{text(*x), *x}
}

// intervalCell returns a cell with an interval, which only people read; nil if it is not defined.
func intervalCell(i stats.Interval, text func(float64) string) any {
	if !i.Defined() {
		return nil
	}
	return format.Interval(i, text)
}

// defined returns x, or nil if it is NaN, which stands for an undefined number.
func defined(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// Shorten keeps a message from making a table wider than any screen.
func Shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}

// Numbers writes the scores of a lineage, which are as they were recorded, and its gains: differences of scores,
// intervals and standard deviations of them, all in points, of which more are better (see [evolution.Scale.Gain]).
type Numbers struct{ Scale *evolution.Scale }

// Score writes a number of the scale: with two decimals on the scale of a rubric, else with what is significant.
func (n Numbers) Score(x float64) string {
	if n.Scale == nil {
		return format.Fixed(x, 2)
	}
	return format.Significant(x)
}

// Gain writes a gain with its sign.
func (n Numbers) Gain(points float64) string { return format.WithSign(n.Score)(points) }

// gainWithUnit writes a gain with its sign and its unit.
func (n Numbers) gainWithUnit(points float64) string {
	if n.hasPoints() {
		return n.Gain(points) + " points"
	}
	return n.Gain(points)
}

// hasPoints reports whether a point is something else than one unit of score.
func (n Numbers) hasPoints() bool {
	return n.Scale != nil && n.Scale.Points != 0 && n.Scale.Points != 1
}

// Units says which unit and direction scores and gains have; empty on the scale of a rubric, where both are points and
// more is better.
func (n Numbers) Units() string {
	if n.Scale == nil {
		return ""
	}
	return n.scoreUnit() + " " + n.gainUnit()
}

func (n Numbers) scoreUnit() string {
	if n.Scale.Minimize {
		return "Scores are as recorded, and less is better."
	}
	return "Scores are as recorded, and more is better."
}

func (n Numbers) gainUnit() string {
	text := "Differences, their intervals and standard deviations are in units of score"
	if n.hasPoints() {
		text = fmt.Sprintf("Differences, their intervals and standard deviations are in points: one unit of score is %v points", n.Scale.Points)
	}
	if n.Scale.Minimize {
		return text + ". A difference above 0 is an improvement."
	}
	return text + "."
}

// notes returns the notes of a table, and after them the units of its numbers, if they are not those of a rubric.
func (n Numbers) notes(notes []Sentence, unit func(Numbers) string) []Sentence {
	if n.Scale == nil {
		return notes
	}
	return append(slices.Clip(notes), Sentence{Kind: Note, Text: unit(n)})
}

// gainCell returns a cell with a gain; nothing if there is none.
func (n Numbers) gainCell(x *float64) any { return optionalCell(x, n.Gain) }
