package pages

import (
	"strings"
	"testing"
)

// TestCutMiddle holds that a long text keeps its beginning and its end, and that nothing is left out unsaid.
func TestCutMiddle(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("line\n", n) }
	for _, tt := range []struct{ text, first, last, left string }{
		{"short", "short", "", ""},
		{lines(8), lines(8), "", ""}, // with the empty text after the last newline, 9: 4 + 4 + 1
		{"a\n" + lines(20) + "z", "a\n" + lines(3), lines(3) + "z", "14 lines"},
		{strings.Repeat("é", 3000), strings.Repeat("é", 1000), strings.Repeat("é", 1000), "2000 bytes"},
	} {
		first, last, left := cutMiddle(tt.text)
		if first != tt.first || last != tt.last || left != tt.left {
			t.Errorf("%.20q: %.20q, %.20q, %q; want %.20q, %.20q, %q", tt.text, first, last, left, tt.first, tt.last, tt.left)
		}
	}
}

// TestDiffLinesMarkWords holds that words are marked also where a text has no newline at its end.
func TestDiffLinesMarkWords(t *testing.T) {
	t.Parallel()
	text := "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-Answer in English.\n\\ No newline at end of file\n+Answer in German.\n\\ No newline at end of file\n"
	var marked []string
	for _, line := range diffLines(text) {
		for _, p := range line.Pieces {
			if p.Mark {
				marked = append(marked, line.Class+" "+p.Text)
			}
		}
	}
	if got := strings.Join(marked, ", "); got != "removed English, added German" {
		t.Errorf("marked: %s", got)
	}
}

func TestFailedCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inTrace, counted int
		want             string
	}{
		{4, 4, "4 failed"},
		{4, 2, "4 failed, 2 of them benign under basic"},
		{1, 2, "1 failed, 2 under basic"},
	} {
		if got := failedCounts(c.inTrace, c.counted, "basic"); got != c.want {
			t.Errorf("%d in the trace, %d counted: %q, want %q", c.inTrace, c.counted, got, c.want)
		}
	}
}
