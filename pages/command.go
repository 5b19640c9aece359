package pages

import (
	"cmp"
	"net/url"
	"strings"

	"track/ask"
	"track/internal/shell"
)

// commandOf returns what asks a question on the command line, and what it gives if that is not the same answer. The
// command is empty if there is none.
func commandOf(q ask.Question, in url.Values) (command, gives string) {
	name, flags := q.Name, map[string]string{}
	if isPreviewed(q) {
		gives = "The report with its verdicts on the command line. It is recorded as an interim analysis:"
	}
	switch name {
	case "gate preview":
		name, gives = "gate", "The verdict on the command line. The gate is recorded as an interim analysis:"
	case "lineage history":
		if in.Has("rubric") {
			return "", ""
		}
		name, flags["component"] = "history --lineage", "metric"
	}
	words := []string{"track", name}
	for _, p := range q.Params {
		flag := "--" + cmp.Or(flags[p.Name], p.Name)
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
