package main

import (
	"strings"

	"track"
	"track/store"
	"track/tracker/seeds"
)

// describe names a configuration for people.
func describe(c store.Configuration) string {
	parts := []string{seeds.ShortHash(c.Hash)}
	if c.Label != "" {
		parts = append(parts, "label "+c.Label)
	}
	if c.Revision != (track.Revision{}) {
		parts = append(parts, "revision "+c.Revision.String())
	}
	if c.Params != "" {
		parts = append(parts, "params "+string(c.Params))
	}
	return strings.Join(parts, ", ")
}

// shorten keeps a message from making a table wider than any screen; --format json has it whole.
func shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}
