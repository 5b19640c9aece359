package render

import (
	"fmt"

	"track/answer"
)

func (p *page) writeSentences(list []answer.Sentence) {
	for i, s := range list {
		if beginsParagraph(list, i) {
			p.beginBlock()
		}
		text := p.sentence(s)
		if s.Kind == answer.Diff {
			text = p.diff(text)
		} else {
			text = p.paragraph(text)
		}
		fmt.Fprintln(p, text)
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

func (p *page) sentence(s answer.Sentence) string {
	text := s.Text
	switch s.Kind {
	case answer.Verdict:
		switch {
		case s.Verdict != "" && text != "":
			text = string(s.Verdict) + ": " + text
		case s.Verdict != "":
			text = string(s.Verdict)
		}
	case answer.Reason:
		text = "  " + text
	case answer.Need:
		text = "  needed: " + text
	}
	if s.Hint == nil {
		return text
	}
	hint := s.Hint.String()
	if p.Hint != nil {
		hint = p.Hint(*s.Hint)
	}
	if text == "" {
		return hint
	}
	return text + "; " + hint
}
