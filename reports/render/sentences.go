package render

import (
	"fmt"
	"strings"

	"track/answer"
)

func (p *page) writeSentences(list []answer.Sentence) {
	for i, s := range list {
		if beginsParagraph(list, i) {
			p.beginBlock()
		}
		text, command := p.sentence(s)
		if goesOn := i > 0 && list[i-1].Kind == s.Kind; goesOn && (s.Kind == answer.Reason || s.Kind == answer.Need) {
			text = "     " + text[len("why: "):]
		}
		if s.Kind == answer.Diff {
			fmt.Fprintln(p, p.diff(text))
		} else {
			p.writeParagraph(text, command)
		}
	}
}

// writeParagraph writes a text of one or more lines, which wrap. What follows byte kept stays together, see [wrap].
func (p *page) writeParagraph(text string, kept int) {
	width := p.width()
	if width <= 0 {
		fmt.Fprintln(p, p.paragraph(text))
		return
	}
	last := strings.LastIndexByte(text, '\n') + 1
	for line := range strings.Lines(text[:last]) {
		fmt.Fprintln(p, strings.Join(wrap(p.paragraph(strings.TrimSuffix(line, "\n")), width, -1), "\n"))
	}
	before, command := text[last:], ""
	if kept >= last {
		before, command = text[last:kept], text[kept:]
	}
	before = p.paragraph(before)
	for _, line := range wrap(before+p.paragraph(command), width, len(before)) {
		fmt.Fprintln(p, line)
	}
}

// beginsParagraph reports whether sentence i is set apart from the one before.
func beginsParagraph(list []answer.Sentence, i int) bool {
	switch s := list[i]; {
	case i == 0:
		return true
	case s.Joined, s.Kind == answer.Reason, s.Kind == answer.Need:
		return false
	case s.Kind == answer.Warning:
		return list[i-1].Kind != answer.Warning
	}
	return true
}

// sentence returns the text of a sentence, and where in it a command begins that a reader may copy; -1 if there is
// none.
func (p *page) sentence(s answer.Sentence) (text string, command int) {
	text = s.Text
	switch s.Kind {
	case answer.Verdict:
		switch {
		case s.Verdict != "" && text != "":
			text = string(s.Verdict) + ": " + text
		case s.Verdict != "":
			text = string(s.Verdict)
		}
	case answer.Reason:
		text = "why: " + text
	case answer.Need:
		text = "next: " + text
	}
	if s.Hint == nil {
		return text, -1
	}
	hint := s.Hint.String()
	if p.Hint != nil {
		hint = p.Hint(*s.Hint)
	}
	if s.Text != "" {
		text += "; "
	}
	command = -1
	if start := len(s.Hint.Text) + len(": "); start < len(hint) {
		command = len(text) + start
	}
	return text + hint, command
}
