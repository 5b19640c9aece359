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

func TestPostgresWords(t *testing.T) {
	for statement, want := range map[string]string{
		`SELECT 1`: `SELECT 1`,
		`SELECT a FROM b WHERE c = $2 AND d IN (?,?) AND e = $1`: `SELECT a FROM b WHERE c = $2 AND d IN ($3,$4) AND e = $1`,
		`SELECT '?', ?, 'it''s ?', ?`:                            `SELECT '?', $1, 'it''s ?', $2`,
		`a ORDERED JOIN b ON NOINDEX b.c = a.c`:                  `a JOIN b ON b.c = a.c`,
		`a WHERE b IN ()`:                                        `a WHERE b IN (NULL)`,
	} {
		if got := (postgresSchema{}).words(statement); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", statement, got, want)
		}
	}
}
