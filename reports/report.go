// Package reports composes answers into documents for people, draws their charts, and writes what other programs read
// (JUnit XML, badges). It reads nothing: the same answers give the same document.
package reports

import (
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/internal/shell"
	"track/reports/document"
	"track/reports/render"
)

// Report is a title and a list of answers.
type Report struct {
	Title    string
	Parts    []Part
	Commands []string // that give the same answers, and check the report
	Preview  string   // the command that gives the report with its verdicts, if it is without them
}

// Part is a section of a report.
type Part struct {
	Title    string // of the section; empty to go on with the one before
	Answer   answer.Answer
	Pictures []document.Picture
	Folded   string // the answer is folded below this summary; empty to show it
}

// Add adds a part.
func (r *Report) Add(title string, a answer.Answer, pictures ...document.Picture) {
	r.Parts = append(r.Parts, Part{Title: title, Answer: a, Pictures: pictures})
}

// AddFolded adds a part whose answer is folded.
func (r *Report) AddFolded(title, summary string, a answer.Answer, pictures ...document.Picture) {
	r.Parts = append(r.Parts, Part{title, a, pictures, summary})
}

// Document writes the report.
func (r Report) Document() document.Document {
	d := document.Document{Title: r.Title}
	if r.Preview != "" {
		text := document.Text{
			{Text: "This is a preview: it records no interim analysis (look), and leaves out the verdicts of gates and of comparisons. The report has them, and is recorded: "},
			{Text: r.Preview, Style: document.Monospace}, {Text: "."},
		}
		d.Blocks = append(d.Blocks, document.Note{Kind: document.NoteInfo, Blocks: []document.Block{document.Paragraph{Text: text}}})
	}
	titled := false
	for _, p := range r.Parts {
		level := 2
		if titled = titled || p.Title != ""; titled {
			level = 3
		}
		if p.Title != "" {
			d.Blocks = append(d.Blocks, document.Heading{Level: 2, Text: p.Title})
		}
		d.Blocks = append(d.Blocks, p.blocks(level)...)
	}
	if len(r.Commands) > 0 {
		d.Blocks = append(d.Blocks, document.Heading{Level: 2, Text: "How to reproduce"}, document.Code{Language: "sh", Text: strings.Join(r.Commands, "\n") + "\n"})
	}
	return d
}

func (p Part) blocks(level int) (blocks []document.Block) {
	var pictures, lead, tables []document.Block
	for _, picture := range p.Pictures {
		pictures = append(pictures, picture)
	}
	if p.Answer != nil {
		lead, tables = render.Lead(p.Answer.Lead(), ShellHint), render.Tables(p.Answer.Tables(), level, ShellHint)
	}
	if p.Folded != "" && len(lead)+len(tables) > 0 {
		return append(pictures, document.Details{Summary: document.T(p.Folded), Blocks: slices.Concat(lead, tables)})
	}
	return slices.Concat(lead, pictures, tables)
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
			out[i] = document.Paragraph{Text: document.Text{{Text: "Picture: " + b.Alt, Style: document.Faint}}}
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
	warning := document.Note{Kind: document.NoteWarning, Blocks: []document.Block{document.Paragraph{Text: document.T(text)}}}
	d.Blocks = slices.Concat([]document.Block{warning}, d.Blocks)
	return d
}

// ShellHint writes a hint as a person types it.
func ShellHint(h track.Hint) string {
	switch {
	case h.Do == "" && len(h.Args) == 0:
		return h.Text
	case h.Text == "":
		return Command(h)
	}
	return h.Text + ": " + Command(h)
}

// Command writes the command of a hint for a shell.
func Command(h track.Hint) string {
	var words []string
	if h.Do != "" {
		words = []string{"track " + h.Do}
	}
	for _, a := range h.Args {
		if a.Name != "" {
			words = append(words, "--"+a.Name)
		}
		if a.Value != "" || a.Name == "" {
			words = append(words, shell.Word(a.Value))
		}
	}
	return strings.Join(words, " ")
}
