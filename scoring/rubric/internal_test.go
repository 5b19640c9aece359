package rubric

import (
	"strings"
	"testing"
)

// TestWordLists: each phrase has the form that plain gives to a text, or it would never be found.
func TestWordLists(t *testing.T) {
	for name, list := range map[string][]string{
		"refusals": refusals, "announcements": announcements, "fillers": fillers, "causes": causes, "nextHeadings": nextHeadings,
		"recommendations": recommendations, "successes": successes, "negations": negations,
	} {
		for _, phrase := range list {
			if plain(phrase) != phrase {
				t.Errorf("%s: %q is read as %q", name, phrase, plain(phrase))
			}
			if got := contains(" a"+phrase+"b ", list); got == "" {
				t.Errorf("%s: %q is not found", name, phrase)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	for s, want := range map[string]string{
		"":                        " ",
		"?!":                      " ",
		"Don’t  stop,\nMe'n'you'": " don't stop me'n'you ",
		"**ĐỀ XUẤT**: `x`":        " đề xuất x ",
		"'a":                      " a ",
		"a\xff'b":                 " a b ",
	} {
		if got := plain(s); got != want {
			t.Errorf("%q is read as %q, want %q", s, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for s, want := range map[string]string{
		"One. Two! Three? Four": "One.| Two!| Three?| Four",
		"See loop.go now":       "See loop.go now",
		"**Why?** So.":          "**Why?**| So.",
		"Wait… what":            "Wait…| what",
		"":                      "",
		"a.\nb.":                "a.|\nb.",
	} {
		if got := strings.Join(sentences(s), "|"); got != want {
			t.Errorf("%q is cut as %q, want %q", s, got, want)
		}
	}
}
