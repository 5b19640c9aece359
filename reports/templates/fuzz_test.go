package templates_test

import (
	"errors"
	"strings"
	"testing"

	"track"
	"track/reports/templates"
)

// Whatever a template is, there is a result, or an error that names the file.
func FuzzTemplate(f *testing.F) {
	for _, place := range places {
		f.Add(place)
	}
	for _, source := range []string{"{{.Title}}", "{{range .Sections}}{{.Text}}{{end}}", "{{with $x := .Answer.ci}}{{index $x 0 | number 3}}{{else}}{{.Kind | printf `%5s`}}{{end}}", "<a href=\"{{.Title}}\" onclick='f({{.Answer}})'>", "{{define `x`}}{{break}}{{end}}{{template `x` .}}", "{{- /* */ -}}", "{{if and .Gate (not .Answer.yes)}}{{end}}"} {
		f.Add(source)
	}
	r := report()
	f.Fuzz(func(t *testing.T, source string) {
		if strings.Contains(source, "range") && strings.ContainsAny(source, "0123456789") { // bounded, but slow
			return
		}
		for _, format := range []templates.Format{templates.Plain, templates.Markdown, templates.HTML} {
			_, _, err := fill(t, source, format, r)
			var field *track.FieldError
			if err != nil && (!errors.As(err, &field) || field.File != "a.tmpl") {
				t.Errorf("%v", err)
			}
			if err != nil && strings.Contains(err.Error(), "cannot be filled") {
				t.Errorf("a panic: %v", err)
			}
		}
	})
}
