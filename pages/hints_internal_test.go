package pages

import (
	"testing"

	"track"
)

// A hint that says all of a question leads to its page.
func TestHintAddress(t *testing.T) {
	for _, tt := range []struct {
		hint track.Hint
		want string
	}{
		{track.NewHint("take one", "params", "s").With("label", "a b"), "/x/params?label=a+b&scenario=s"},
		{track.NewHint("list them", "history", "s"), "/x/history?scenario=s"},
		{track.NewHint("look at both", "compare", "s@a", "s@b"), "/x/compare?scenario=s%40a&scenario=s%40b"},
		{track.NewHint("list them", "sweep list"), "/x/sweep/list"},
		{track.NewHint("name one", "params", "s").With("label", "LABEL"), ""}, // leaves it open
		{track.NewHint("list them", "history"), ""},                           // of what?
		{track.NewHint("list them", "history", "s").With("nosuch", "1"), ""},
		{track.NewHint("list them", "history", "s", "t"), ""},
		{track.NewHint("record one", "record seed"), ""}, // has no page
		{track.Hint{Text: "write more of the id"}, ""},
	} {
		if got := hintAddress("/x", tt.hint); got != tt.want {
			t.Errorf("%v leads to %q, want %q", tt.hint, got, tt.want)
		}
	}
}
