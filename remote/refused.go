package remote

import (
	"bytes"
	"slices"
	"strings"

	"track/answer"
	"track/internal/spool"
)

// refusedLines returns the lines of a text that an answer does not count as recorded.
func refusedLines(text []byte, sent answer.RecordedLines) (list []spool.RefusedLine) {
	if len(sent.Errors) == 0 {
		return nil
	}
	lines, problems := bytes.SplitAfter(text, []byte{'\n'}), slices.Clone(sent.Errors)
	for _, line := range sent.Unlisted {
		problems = append(problems, answer.LineProblem{Line: line, Message: "the server gave the reasons of earlier lines alone: correct these, and send again"})
	}
	for _, p := range problems {
		if p.Line >= 1 && p.Line <= len(lines) {
			list = append(list, spool.RefusedLine{Text: lines[p.Line-1], Why: strings.TrimPrefix(p.Field+": "+p.Message, ": ")})
		}
	}
	return list
}
