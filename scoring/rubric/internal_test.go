package rubric

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// TestFindErrorWord holds the search against the pattern of rubric/1.
func TestFindErrorWord(t *testing.T) {
	pattern := regexp.MustCompile(errorPattern)
	pieces := rapid.SampledFrom([]string{"e", "E", "error", "ERRor", "exceptio", "n", "Exception", "traceback", "TRACEBAC", "K", "\u212a", "fail", "ed", "FAILED", "fatal", "Fata", "L", "f", "t", " ", "\xff", "é", "\x05"})
	property.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), "")
		if got, want := findErrorWord(s), pattern.FindString(s); got != want {
			t.Fatalf("%q in %q, want %q", got, s, want)
		}
	})
}

// TestWordLists: each phrase has the form that plain gives to a text, or it would never be found.
func TestWordLists(t *testing.T) {
	for name, list := range map[string]func() index{
		"refusals": refusals, "announcements": announcements, "fillers": fillers, "causes": causes, "nextHeadings": nextHeadings,
		"recommendations": recommendations, "successes": successes, "negations": negations,
	} {
		for _, phrases := range list() {
			for _, phrase := range phrases {
				if plain(phrase) != " "+phrase+" " {
					t.Errorf("%s: %q is read as %q", name, phrase, plain(phrase))
				}
				if got := contains(" a "+phrase+" b ", list); got == "" {
					t.Errorf("%s: %q is not found", name, phrase)
				}
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
