package pages

import (
	"strings"

	"track/answer"
	"track/internal/textdiff"
	"track/reports/escape"
)

// diffLine is a line of a unified difference.
type diffLine struct {
	Class  string
	Pieces []piece // the words that changed are marked
}

// addDiff adds the sentences of a difference: the lines of it keep their signs.
func (b *builder) addDiff(a answer.Answer) {
	s := section{ID: "difference", Title: "Difference"}
	for _, line := range a.Lead() {
		if line.Kind == answer.Diff {
			s.Diff = append(s.Diff, diffLines(line.Text)...)
		} else if line.Kind != answer.Heading {
			s.Sentences = append(s.Sentences, sentenceOf(line))
		}
	}
	b.view.Sections = append(b.view.Sections, s)
}

// diffLines returns the lines of a unified difference. Lines that take the place of others are compared word by word.
func diffLines(text string) (list []diffLine) {
	var removed, added, notes []string
	flush := func() {
		list = append(list, changedLines(removed, added)...)
		for _, note := range notes {
			list = append(list, diffLine{"", []piece{{Text: escape.Code(note)}}})
		}
		removed, added, notes = nil, nil, nil
	}
	for line := range strings.Lines(text) {
		class := ""
		switch {
		case strings.HasPrefix(line, "@@"):
			class = "hunk"
		case len(list) < 2 && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
			class = "file"
		case strings.HasPrefix(line, "-"):
			if len(added) > 0 {
				flush()
			}
			removed = append(removed, line[1:])
			continue
		case strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
			continue
		case strings.HasPrefix(line, `\ `): // a text has no newline at its end
			if notes = append(notes, line); len(added) == 0 {
				closeLine(removed)
			} else {
				closeLine(added)
			}
			continue
		}
		flush()
		list = append(list, diffLine{class, []piece{{Text: escape.Code(line)}}})
	}
	flush()
	return list
}

// closeLine ends the last of some lines.
func closeLine(lines []string) {
	if last := len(lines) - 1; last >= 0 && !strings.HasSuffix(lines[last], "\n") {
		lines[last] += "\n"
	}
}

// changedLines returns removed lines and then those that were added in their place.
func changedLines(removed, added []string) []diffLine {
	from, to := strings.Join(removed, ""), strings.Join(added, "")
	old, changed := []textdiff.Piece{{Text: from}}, []textdiff.Piece{{Text: to}}
	if from != "" && to != "" {
		old, changed = textdiff.Words(from, to)
	}
	return append(signedLines("removed", "-", old), signedLines("added", "+", changed)...)
}

// signedLines cuts pieces into lines, each with its sign.
func signedLines(class, sign string, list []textdiff.Piece) (lines []diffLine) {
	begun := false
	for _, p := range list {
		for text := range strings.Lines(p.Text) {
			if !begun {
				lines = append(lines, diffLine{class, []piece{{Text: sign}}})
			}
			last := &lines[len(lines)-1]
			last.Pieces = append(last.Pieces, piece{escape.Code(text), p.Changed && strings.TrimSpace(text) != ""})
			begun = !strings.HasSuffix(text, "\n")
		}
	}
	return lines
}
