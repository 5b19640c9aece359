package agents

import (
	"strings"
	"testing"
)

// Marked is what the index finds: whole words, in whatever case, with or without diacritics, phrases across whatever
// stands between their words.
func TestSnippet(t *testing.T) {
	long := strings.Repeat("filler ", 40)
	for _, tt := range []struct{ text, phrases, want string }{
		{"No such file: y", "such file", "No [such file]: y"},
		{"no such, filed; Such\n\tFILE", "such file", "no such, filed; [Such FILE]"},
		{"Le Café du cafe\u0301, cafes", "cafe", "Le [Café] du [cafe\u0301], cafes"},
		{"cafe", "CAFÉ", "[cafe]"},
		{"a b c a", "a|b c", "[a] [b c] [a]"},
		{"one two three", "one two|two three", "[one two three]"},
		{"nothing", "thing", "nothing"},
		{long + "needle " + long, "needle", "[needle]"},
		{strings.Repeat("ä", 200) + " needle", "needle", "[needle]"},
	} {
		part, matches := snippet(tt.text, strings.Split(tt.phrases, "|"))
		marked := ""
		at := 0
		for _, m := range matches {
			marked += part[at:m.Start] + "[" + part[m.Start:m.End] + "]"
			at = m.End
		}
		marked += part[at:]
		if marked != tt.want && !(len(tt.text) > 100 && strings.Count(marked, tt.want) == 1 && len(part) < 220 && strings.HasPrefix(part, "…")) {
			t.Errorf("%q in %q: %q, want %q", tt.phrases, tt.text, marked, tt.want)
		}
	}
}
