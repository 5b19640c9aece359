package reports

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"growth_plus":       `growth\_plus`,
		"a|b":               `a\|b`,
		`a\|b`:              `a\\\|b`, // the backslash of the text does not undo the one before |
		"<script>&lt;":      "&lt;script&gt;&amp;lt;",
		"one\r\ntwo\tthree": "one  two three",
		"\u202eevil\u2066":  "\ufffdevil\ufffd",
		"\xff\x00\x1b":      "\ufffd\ufffd\ufffd",
		"[a](b) `c` #1":     "\\[a\\](b) \\`c\\` \\#1",
		"Größe 95 % ≤ 日本":   "Größe 95 % ≤ 日本",
	} {
		if got := escape(s); got != want {
			t.Errorf("escape(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "plain", `\`, `\|`, "<", "a\nb", "\u202e", "\u200b", "\xff", "`*_[]#|~$", "&amp;", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := escape(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "<>\n\r\t") {
			t.Fatalf("escape(%q) = %q", s, got)
		}
		escaped := false
		for _, r := range got {
			switch {
			case escaped:
				escaped = false
				continue
			case strings.ContainsRune("`*_[]#|~$", r):
				t.Fatalf("%q stands bare in %q", r, got)
			case r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
				t.Fatalf("%U in %q", r, got)
			}
			escaped = r == '\\'
		}
		if escaped {
			t.Fatalf("%q ends in a bare backslash", got)
		}
	})
}
