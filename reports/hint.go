package reports

import (
	"strings"

	"track"
	"track/internal/shell"
)

// ShellHint writes a hint as a person types it.
func ShellHint(h track.Hint) string {
	var words []string
	switch {
	case h.Do != "":
		words = []string{"track " + h.Do}
	case len(h.Args) == 0:
		return h.Text
	}
	for _, a := range h.Args {
		if a.Name != "" {
			words = append(words, "--"+a.Name)
		}
		if a.Value != "" || a.Name == "" {
			words = append(words, shell.Word(a.Value))
		}
	}
	return h.Text + ": " + strings.Join(words, " ")
}
