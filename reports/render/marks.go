package render

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"track/answer"
)

// These stand for the begin and the end of a mark until the lines of a cell are known. They have no width, and cannot be
// in a text: [escape.Line] takes them out.
const markBegin, markEnd = "\u200c", "\u200d"

// cell returns what people read in a cell, as one line.
func (p *page) cell(cell any) string {
	marked, ok := cell.(answer.MarkedText)
	if !ok || !p.Colour || p.Format == Markdown {
		return p.line(PeopleText(cell))
	}
	var b strings.Builder
	at := 0
	for _, m := range marked.Marks {
		b.WriteString(p.line(marked.Text[at:m.Start]) + markBegin + p.line(marked.Text[m.Start:m.End]) + markEnd)
		at = m.End
	}
	return b.String() + p.line(marked.Text[at:])
}

// embolden makes marks bold, line by line: the lines of a cell stand beside those of others.
func embolden(cell string) string {
	if !strings.Contains(cell, markBegin) {
		return cell
	}
	lines, isMarked := strings.Split(cell, "\n"), false
	for i, line := range lines {
		var b strings.Builder
		for line != "" {
			end := strings.IndexAny(line, markBegin+markEnd)
			if end < 0 {
				end = len(line)
			}
			if part := line[:end]; isMarked && part != "" {
				b.WriteString(text.Bold.EscapeSeq() + part + text.Reset.EscapeSeq())
			} else {
				b.WriteString(part)
			}
			if line = line[end:]; line != "" {
				isMarked = strings.HasPrefix(line, markBegin)
				line = line[len(markBegin):]
			}
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}
