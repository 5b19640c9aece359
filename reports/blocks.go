package reports

import (
	"slices"

	"track/reports/document"
	"track/scoring"
)

func heading(text string) document.Block { return document.Heading{Level: 2, Text: text} }

func subheading(text string) document.Block { return document.Heading{Level: 3, Text: text} }

// paragraphOf returns a paragraph of several texts.
func paragraphOf(texts ...document.Text) document.Block {
	return document.Paragraph{Text: slices.Concat(texts...)}
}

func faint(text string) document.Text { return document.Text{{Text: text, Style: document.Faint}} }

// verdictText returns a verdict with its sign.
func verdictText(v scoring.Verdict) document.Text {
	return document.Text{sign(v), {Text: " "}, strong("%s", v)}
}

func sign(v scoring.Verdict) document.Span {
	style := document.SignOpen
	switch v {
	case scoring.VerdictPass:
		style = document.SignPass
	case scoring.VerdictWarn:
		style = document.SignWarn
	case scoring.VerdictFail:
		style = document.SignFail
	}
	return document.Span{Text: icon(v), Style: style}
}

// statusText returns a status with its sign, which does not depend on colour.
func statusText(s scoring.Status) document.Text {
	switch v := scoring.Verdict(s); v { // statuses are called as verdicts are
	case scoring.VerdictPass, scoring.VerdictWarn, scoring.VerdictFail:
		return document.Text{sign(v), {Text: " " + string(s)}}
	}
	return faint("-")
}

// bullets returns a list of sentences.
func bullets(sentences []string) []document.Block {
	if len(sentences) == 0 {
		return nil
	}
	var list document.List
	for _, s := range sentences {
		list.Items = append(list.Items, document.T(s))
	}
	return []document.Block{list}
}

// columns begins a table; the titles of columns of numbers begin with "#".
func columns(titles ...string) document.Table {
	var t document.Table
	for _, title := range titles {
		numeric := title != "" && title[0] == '#'
		if numeric {
			title = title[1:]
		}
		t.Columns = append(t.Columns, document.Column{Title: title, Numeric: numeric})
	}
	return t
}

// worthFolding is the smallest number of rows that are folded.
const worthFolding = 5

// folded shows the first rows of a table and folds the others. rest describes them after their number: "14 more, PASS
// in every seed"; if none are shown, "14 metrics of the spec".
func folded(t document.Table, shown int, rest string) []document.Block {
	if len(t.Rows) < shown+worthFolding {
		return []document.Block{t}
	}
	head, tail := t, t
	head.Rows, tail.Rows = t.Rows[:shown], t.Rows[shown:]
	if shown == 0 {
		return []document.Block{document.Details{Summary: cell("%d %s", len(tail.Rows), rest), Blocks: []document.Block{tail}}}
	}
	return []document.Block{head, document.Details{Summary: cell("%d more, %s", len(tail.Rows), rest), Blocks: []document.Block{tail}}}
}

// deeper returns the blocks with their headings one level lower.
func deeper(blocks []document.Block) []document.Block {
	out := slices.Clone(blocks)
	for i, b := range out {
		if h, ok := b.(document.Heading); ok {
			h.Level++
			out[i] = h
		}
	}
	return out
}

// WithoutPictures returns a document with the descriptions of its pictures in their place.
func WithoutPictures(d document.Document) document.Document {
	d.Blocks = withoutPictures(d.Blocks)
	return d
}

func withoutPictures(blocks []document.Block) []document.Block {
	out := slices.Clone(blocks)
	for i, b := range out {
		switch b := b.(type) {
		case document.Picture:
			out[i] = paragraphOf(faint("Picture: " + b.Alt))
		case document.Details:
			b.Blocks = withoutPictures(b.Blocks)
			out[i] = b
		case document.Note:
			b.Blocks = withoutPictures(b.Blocks)
			out[i] = b
		}
	}
	return out
}

// WithWarning returns a document that begins with a warning.
func WithWarning(d document.Document, text string) document.Document {
	d.Blocks = slices.Concat([]document.Block{document.Note{Kind: document.NoteWarning, Blocks: bullets([]string{text})}}, d.Blocks)
	return d
}
