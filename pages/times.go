package pages

import (
	"html/template"
	"strings"
	"time"

	"regexp"
)

// timeLayout is how a time is written for readers without a script, and what they see on hover.
const timeLayout = "2006-01-02 15:04:05 UTC"

// timeElement returns a time that scripts show in the reader's zone: as the span up to now, or exactly if it stands in a
// sentence. at is RFC 3339.
func timeElement(at, text string, isExact bool) template.HTML {
	parsed, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	exact := ""
	if isExact {
		exact = " data-exact"
	}
	return template.HTML(`<time datetime="` + parsed.UTC().Format(time.RFC3339Nano) + `" title="` + parsed.UTC().Format(timeLayout) + `"` + exact + ">" + template.HTMLEscapeString(text) + "</time>") //nolint:gosec // it is escaped
}

// timeIn finds times in HTML, and what may hold no other element: tags, code and pictures.
var timeIn = regexp.MustCompile(`(?s)<(?:pre|code|time|svg)\b.*?</(?:pre|code|time|svg)>|<[^>]*>|\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)`)

// timedHTML returns HTML with an element for each time.
func timedHTML(text string) template.HTML {
	return template.HTML(timeIn.ReplaceAllStringFunc(text, func(found string) string { //nolint:gosec // it is HTML already
		if found[0] == '<' {
			return found
		}
		at := strings.TrimSuffix(strings.TrimSuffix(strings.Replace(found, " ", "T", 1), " UTC"), "Z")
		if strings.Count(at, ":") == 1 {
			at += ":00"
		}
		return string(timeElement(at+"Z", found, true))
	}))
}

// timedText is [timedHTML] for a text.
func timedText(text string) template.HTML { return timedHTML(template.HTMLEscapeString(text)) }

// timeFunctions are what templates call to show times.
func timeFunctions() template.FuncMap {
	return template.FuncMap{"timed": timedText, "timeOf": func(at, text string) template.HTML { return timeElement(at, text, false) }}
}
