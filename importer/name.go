package importer

import (
	"strings"
	"unicode/utf8"

	"track"
)

const longestName = 200 // of track.CheckName

// Name makes a name that track accepts of what a source calls something: hidden characters become spaces, what is
// too long is cut. It returns the empty string where nothing is left.
func Name(text string) string {
	if track.CheckName(text) == nil {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if track.IsHidden(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimSpace(abbreviate(strings.TrimSpace(text), longestName))
}

// Key joins the parts of an identity with colons. What is too long for a name, or no name, is replaced by its digest,
// so that different parts keep different keys.
func Key(parts ...string) string {
	key := strings.Join(parts, ":")
	if track.CheckName(key) == nil {
		return key
	}
	return Name(abbreviate(parts[0], 50)) + ":" + Digest(strings.Join(parts, "\x00"))
}

// abbreviate cuts a text to at most so many bytes, between characters.
func abbreviate(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	end := longest - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
