//go:build !race

package store

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Any bytes come back from a text of PostgreSQL, which takes neither zero bytes nor broken UTF-8.
func FuzzEscapeText(f *testing.F) {
	for _, text := range []string{"", "plain", "ä 🎉", "\x00", "a\x00b", "\xff\xfe", "\xf4\x8f\xbf", textEscape, textEscape + "00", "\uFFFD", textEscape[:3] + "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		escaped := escapeText(text)
		if !utf8.ValidString(escaped) || strings.Contains(escaped, "\x00") {
			t.Errorf("%q is stored as %q", text, escaped)
		}
		if back := unescapeText(escaped); back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	})
}
