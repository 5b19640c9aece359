package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"track"
	"track/answer"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
)

// A document shows the first rows of a table, and folds others.
const (
	documentRows = 20  // of a table that does not say how many are shown
	foldedRows   = 250 // the others are counted
	worthFolding = 5
)

// Lead returns the sentences of an answer as blocks of a document.
func Lead(list []answer.Sentence, hint func(track.Hint) string) (blocks []document.Block) {
	for i := 0; i < len(list); {
		end := i + 1
		for end < len(list) && !beginsParagraph(list, end) {
			end++
		}
		blocks = append(blocks, paragraphBlocks(list[i:end], hint)...)
		i = end
	}
	return blocks
}

// paragraphBlocks returns the sentences of one paragraph. Several of them are a list.
func paragraphBlocks(list []answer.Sentence, hint func(track.Hint) string) (blocks []document.Block) {
	if list[0].Kind == answer.Diff {
		return []document.Block{document.Code{Language: "diff", Text: list[0].Text}}
	}
	if first := list[0]; first.Kind == answer.Verdict || len(list) == 1 && first.Kind != answer.Warning {
		blocks, list = append(blocks, document.Paragraph{Text: SentenceText(first, hint)}), list[1:]
	}
	var items document.List
	for _, s := range list {
		items.Items = append(items.Items, SentenceText(s, hint))
	}
	switch {
	case len(list) == 0:
		return blocks
	case list[0].Kind == answer.Warning:
		return append(blocks, document.Note{Kind: document.NoteWarning, Blocks: []document.Block{items}})
	}
	return append(blocks, items)
}

// SentenceText returns a sentence as a text of a document. The command of its hint is code.
func SentenceText(s answer.Sentence, hint func(track.Hint) string) document.Text {
	var text document.Text
	about := s.Text
	switch s.Kind {
	case answer.Verdict:
		if s.Verdict != "" {
			text = VerdictText(s.Verdict)
			if about != "" {
				about = ": " + about
			}
		}
	case answer.Reason:
		about = "Why: " + about
	case answer.Need:
		about = "Next: " + about
	}
	command := ""
	if s.Hint != nil {
		if s.Text != "" {
			about += "; "
		}
		about += s.Hint.Text
		whole := s.Hint.String()
		if hint != nil {
			whole = hint(*s.Hint)
		}
		if command = strings.TrimPrefix(whole, s.Hint.Text+": "); command == whole {
			command = ""
		}
	}
	if command != "" {
		return append(append(text, namedSpans(capital(about, text == nil)+": ")...), document.Span{Text: command, Style: document.Monospace})
	}
	return append(text, namedSpans(stopped(capital(about, text == nil)))...)
}

// selectorPattern finds configurations that a text names for good.
var selectorPattern = regexp.MustCompile(`[^\s(),;]+@[0-9a-f]{10,64}\b`)

// namedSpans returns a text in which configurations are code.
func namedSpans(s string) (text document.Text) {
	at := 0
	for _, found := range selectorPattern.FindAllStringIndex(s, -1) {
		text = append(text, document.Span{Text: s[at:found[0]]}, document.Span{Text: s[found[0]:found[1]], Style: document.Monospace})
		at = found[1]
	}
	return append(text, document.Span{Text: s[at:]})
}

// capital writes a text that begins a sentence. A symbol at its beginning, as n, stays what it is.
func capital(s string, begins bool) string {
	first, _, _ := strings.Cut(s, " ")
	if begins && len(first) > 1 && first != "sd" && s[0] < utf8.RuneSelf && !strings.ContainsAny(first, "@_.=:,0123456789") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// stopped ends a sentence.
func stopped(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?:") {
		return s
	}
	return s + "."
}

// VerdictText returns a verdict with its sign.
func VerdictText(v scoring.Verdict) document.Text {
	return document.Text{verdictSign(v), {Text: " "}, {Text: string(v), Style: document.Strong}}
}

func verdictSign(v scoring.Verdict) document.Span {
	switch v {
	case scoring.VerdictPass:
		return document.Span{Text: "✅", Style: document.SignPass}
	case scoring.VerdictWarn:
		return document.Span{Text: "⚠️", Style: document.SignWarn}
	case scoring.VerdictFail:
		return document.Span{Text: "❌", Style: document.SignFail}
	}
	return document.Span{Text: "❔", Style: document.SignOpen}
}

// Tables returns tables as blocks of a document, with headings of a level.
func Tables(tables []answer.Table, level int, hint func(track.Hint) string) (blocks []document.Block) {
	for _, t := range tables {
		switch {
		case t.ForPrograms, len(t.Rows) == 0 && t.HiddenIfEmpty:
		case len(t.Rows) == 0 && t.Empty != "":
			blocks = append(blocks, document.Paragraph{Text: document.T(stopped(capital(t.Empty, true)))})
		default:
			if t.Title != "" {
				blocks = append(blocks, document.Heading{Level: level, Text: capital(t.Title, true)})
			}
			blocks = append(blocks, foldedTable(t)...)
		}
		blocks = append(blocks, Lead(t.Notes, hint)...)
	}
	return blocks
}

// foldedTable returns the first rows of a table, with the others folded.
func foldedTable(t answer.Table) []document.Block {
	rows := t.Rows
	columns := slices.DeleteFunc(ShownColumns(t, answer.ForPeople), func(k int) bool { return isEmptyColumn(rows, k) })
	shown := documentRows
	if t.Shown > 0 {
		shown = t.Shown
	}
	table := func(rows [][]any) document.Table { return documentTable(t.Columns, columns, rows) }
	if len(rows) < shown+worthFolding {
		return []document.Block{table(rows)}
	}
	tail := rows[shown:min(len(rows), shown+foldedRows)]
	summary := fmt.Sprintf("%d more", len(tail))
	if left := len(rows) - shown - len(tail); left > 0 {
		summary += fmt.Sprintf("; %s left out, the format json lists all", format.Counted(left, "row"))
	}
	return []document.Block{table(rows[:shown]), document.Details{Summary: document.T(summary), Blocks: []document.Block{table(tail)}}}
}

// isEmptyColumn reports whether no row has anything in a column. A table without rows keeps its columns.
func isEmptyColumn(rows [][]any, column int) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row []any) bool {
		text := PeopleText(row[column])
		return text != "" && text != "-" && text != "false"
	})
}

func documentTable(all []answer.Column, columns []int, rows [][]any) (t document.Table) {
	for _, k := range columns {
		head := all[k].Name
		if all[k].Head != "" {
			head = strings.TrimSpace(all[k].Head)
		}
		t.Columns = append(t.Columns, document.Column{Title: head, Numeric: IsNumericColumn(rows, k)})
	}
	for _, row := range rows {
		cells := make([]document.Text, len(columns))
		for i, k := range columns {
			cells[i] = cellSpans(row[k])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// cellSpans returns what people read in a cell. Verdicts and statuses have a sign, which does not depend on colour.
func cellSpans(cell any) document.Text {
	if marked, ok := cell.(answer.MarkedText); ok {
		var text document.Text
		at := 0
		for _, m := range marked.Marks {
			text = append(text, document.Span{Text: marked.Text[at:m.Start]}, document.Span{Text: marked.Text[m.Start:m.End], Style: document.Strong})
			at = m.End
		}
		return append(text, document.Span{Text: marked.Text[at:]})
	}
	text := PeopleText(cell)
	switch v := scoring.Verdict(text); v {
	case scoring.VerdictPass, scoring.VerdictWarn, scoring.VerdictFail, scoring.VerdictInconclusive:
		return document.Text{verdictSign(v), {Text: " " + text}}
	}
	return namedSpans(text)
}
