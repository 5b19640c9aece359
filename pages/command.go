package pages

import (
	"net/url"
	"strings"

	"track/ask"
	"track/internal/shell"
)

// commandOf returns what asks a question on the command line, and what it gives if that is not the same answer.
func commandOf(q ask.Question, in url.Values) (command, gives string) {
	name := q.Name
	if isPreviewed(q) {
		gives = "The report with its verdicts on the command line. It is recorded as an interim analysis:"
	}
	if name == "gate preview" {
		name, gives = "gate", "The verdict on the command line. The gate is recorded as an interim analysis:"
	}
	words := []string{"track", name}
	for _, p := range q.Params {
		flag := "--" + p.Name
		if len(p.Name) == 1 {
			flag = "-" + p.Name
		}
		for _, text := range in[p.Name] {
			switch {
			case p.Arg:
				words = append(words, shell.Word(text))
			case p.Value.Type() == "boolean":
				if text == "true" {
					words = append(words, flag)
				}
			default:
				words = append(words, flag, shell.Word(text))
			}
		}
	}
	return strings.Join(words, " "), gives
}
