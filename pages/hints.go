package pages

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"track"
	"track/answer/param"
	"track/ask"
	"track/reports"
)

// hintSentence returns a hint with its command apart, and with the page that shows the same, if there is one.
func hintSentence(base string, h track.Hint) sentence {
	text := reports.ShellHint(h)
	if command, found := strings.CutPrefix(text, h.Text+": "); found {
		return sentence{Class: "need", Text: h.Text, Href: hintAddress(base, h), Command: command}
	}
	return sentence{Class: "need", Text: text}
}

// hintAddress returns the page that does what a hint says; empty if there is none, or if the hint leaves something
// open.
func hintAddress(base string, h track.Hint) string {
	if h.Do == "" {
		return ""
	}
	for _, page := range All() {
		if page.question.Name != h.Do {
			continue
		}
		in, ok := paramsOfHint(page.question, h)
		if !ok {
			return ""
		}
		return strings.TrimSuffix(base+page.Path+"?"+in.Encode(), "?")
	}
	return ""
}

// paramsOfHint returns what a hint asks, and false if a required parameter is missing, unknown to the question, or a
// placeholder such as LABEL.
func paramsOfHint(q ask.Question, h track.Hint) (url.Values, bool) {
	in := url.Values{}
	var places []param.Param
	for _, p := range q.Params {
		if p.Arg {
			places = append(places, p)
		}
	}
	for _, arg := range h.Args {
		name := arg.Name
		if name == "" {
			if len(places) == 0 {
				return nil, false
			}
			name = places[0].Name
			if places[0].Value.Type() != "array" {
				places = places[1:]
			}
		}
		known := slices.ContainsFunc(q.Params, func(p param.Param) bool { return p.Name == name })
		if !known || arg.Value != strings.ToLower(arg.Value) && arg.Value == strings.ToUpper(arg.Value) {
			return nil, false
		}
		in.Add(name, cmp.Or(arg.Value, "true"))
	}
	missing := slices.ContainsFunc(q.Params, func(p param.Param) bool { return p.Required && !in.Has(p.Name) })
	return in, !missing
}
