// Package render writes an answer in the format that a reader asks for: a table, Markdown, CSV, JSON or JSON lines.
package render

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	Table    Format = "table"
	JSON     Format = "json"
	JSONL    Format = "jsonl"
	CSV      Format = "csv"
	Markdown Format = "md"
)

// Options say how an answer is written.
type Options struct {
	Format Format
	Colour bool // statuses in colours of the terminal, in tables
	// SafeCSV keeps programs that calculate with cells from taking text for a formula.
	SafeCSV bool
	// Continued says that the page before was written already, so that tables need no header.
	Continued bool
	Hint      func(track.Hint) string // writes a hint in the language of the face; nil for the hint's own text
	// Width is the number of columns that tables and paragraphs may take, in the format table; 0 for any number.
	Width    int
	LogWidth int    // the same of the tables of an [answer.Fitting], if Width is 0
	WideHint string // says how to see the columns that are left out of a table

	fixed    map[string][]int // the columns that are left out of a table of several pages, by the name of the table
	leftNote *string          // names them, at the end
}

// Write writes an answer.
func Write(w io.Writer, a answer.Answer, o Options) error {
	switch o.Format {
	case JSON:
		return WriteJSON(w, a, jsontext.WithIndent("  "))
	case JSONL:
		list, ok := a.(answer.Listing)
		if !ok {
			return WriteJSON(w, a)
		}
		for i := range list.Len() {
			if err := WriteJSON(w, list.Item(i)); err != nil {
				return err
			}
		}
		return nil
	case CSV:
		return writeCSV(w, mainTable(a.Tables()), o)
	case Table, Markdown:
		return writePage(w, a, o)
	}
	return fmt.Errorf("%w: format %q: use table, json, jsonl, csv or md", track.ErrInvalid, o.Format)
}

// mainTable returns the table that is written where only one can be.
func mainTable(tables []answer.Table) answer.Table {
	for _, t := range tables {
		if t.Main {
			return t
		}
	}
	if len(tables) == 0 {
		return answer.Table{}
	}
	return tables[0]
}

func writePage(w io.Writer, a answer.Answer, o Options) error {
	p := &page{Options: o}
	_, p.fitsLogs = a.(answer.Fitting)
	p.writeSentences(a.Lead())
	for _, t := range a.Tables() {
		p.writeTable(t)
	}
	_, err := w.Write(p.Bytes())
	return err
}

// page is an answer for people while it is written: paragraphs and tables, with an empty line between them.
type page struct {
	bytes.Buffer
	Options
	fitsLogs bool
}

// width returns how wide the page may be; 0 for any width.
func (p *page) width() int {
	if p.Format == Markdown {
		return 0
	}
	return p.Width
}

// tableWidth returns how wide tables may be; 0 for any width.
func (p *page) tableWidth() int {
	if p.Format == Markdown || p.Width > 0 || !p.fitsLogs {
		return p.width()
	}
	return p.LogWidth
}

// beginBlock sets what follows apart from what was written before.
func (p *page) beginBlock() {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}
