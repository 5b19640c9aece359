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
		text := printable(p.sentence(s))
		switch {
		case p.Format == Markdown && s.Kind == answer.Diff:
			text = fenced(text, "diff")
		case p.Format == Markdown:
			text = escapeMarkdown(text)
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

// fenced returns a text as a block of code in Markdown, between fences that no line of it closes.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}
