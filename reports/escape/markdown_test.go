package escape_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"track/reports/escape"
)

func TestMarkdown(t *testing.T) {
	for s, want := range map[string]string{
		"growth_plus":       `growth\_plus`,
		"a|b":               `a\|b`,
		`a\|b`:              `a\\\|b`, // the backslash of the text does not undo the one before |
		"<script>&lt;":      "&lt;script&gt;&amp;lt;",
		"one\r\ntwo\tthree": "one  two three",
		"\u202eevil\u2066":  "\ufffdevil\ufffd",
		"\xff\x00\x1b":      "\ufffd\ufffd\ufffd",
		"[a](b) `c` # 1":    "\\[a\\](b) \\`c\\` \\# 1",
		"Größe 95% ≤ 日本":    "Größe 95% ≤ 日本",

		"#1, GH-1, gh-1, high-1": `\#&#8203;1, GH-&#8203;1, gh-&#8203;1, high-1`,
		"@ann (@bob/c) .@d":      "@&#8203;ann (@&#8203;bob/c) .@&#8203;d",
		"growth@v2 a @ b":        "growth@v2 a @ b", // a configuration of track's calls nobody
		"growth@v2.1 a@b.c":      "growth@&#8203;v2.1 a@&#8203;b.c",
		":tada: 10:20:30 a: b":   ":&#8203;tada: 10:&#8203;20:30 a: b",
		"https://x.y www.x.y":    `https\://x.y www\.x.y`,
		"a! b!":                  `a! b\!`, // a link may follow
		"$x$ $$":                 "<span>$</span>x<span>$</span> <span>$</span><span>$</span>",
	} {
		if got := escape.Markdown(s); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestStart(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "a - b": "a - b", "- a": `\- a`, "+ a": `\+ a`, "===": `\===`, "    a": "a", "  - a": `\- a`,
		"1. a": `1\. a`, "12) a": `12\) a`, "1.5": `1\.5`, "1 a": "1 a", "[x](y)": "[&#120;](y)", "[a](y)": "[a](y)",
	} {
		if got := escape.Start(line); got != want {
			t.Errorf("Start(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a": "`a`", "a`b": "``a`b``", "`": "`` ` ``", " a": "`  a `", " ": "` `", "```": "```` ``` ````", "a\nb": "`a b`",
	} {
		if got := escape.Span(s, true); got != want {
			t.Errorf("Span(%q) = %q, want %q", s, got, want)
		}
	}
	if got, want := escape.Span("a|`<", false), "<code>a\\|\\`&lt;</code>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCode(t *testing.T) {
	if got, want := escape.Code("a\tb\r\n\x00\x7f\u0085\u202e\xffé\u200d\n"), "a\tb␍\n␀␡\ufffd\ufffd\ufffdé\u200d\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]string{"": "```", "``": "```", "a ``` b": "````"} {
		if got := escape.Fence(text); got != want {
			t.Errorf("Fence(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"", "plain", `\`, `\|`, "<", "a\nb", "\u202e", "\u200b", "\xff", "`*_[]#|~$", "&amp;", "\u2028", "#1", "@a", "a@b.c", "http://x", "GH-1", ":+1:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := strings.NewReplacer(escape.Apart, "", "<span>$</span>", "").Replace(escape.Markdown(s))
		if !utf8.ValidString(got) || strings.ContainsAny(got, "<>\n\r\t") {
			t.Fatalf("Markdown(%q) = %q", s, got)
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
