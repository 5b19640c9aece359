package main

import (
	"slices"
	"strings"

	"track"
	"track/internal/shell"
)

// shellHint writes a hint as a person types it.
func shellHint(h track.Hint) string {
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

func containsHint(list []track.Hint, hint track.Hint) bool {
	return slices.ContainsFunc(list, func(h track.Hint) bool { return shellHint(h) == shellHint(hint) })
}
