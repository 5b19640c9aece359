package answer

import (
	"strings"
	"testing"
)

// Twenty suspicions are shown, and the rest are counted.
func TestManySuspicions(t *testing.T) {
	for n, want := range map[int]string{20: "", 21: "and 1 more metric like this", 22: "and 2 more metrics like this"} {
		list := Suspicions{LikePercent: make([]PercentMetric, n)}.Warnings()
		if last := list[len(list)-1].Text; want != "" && last != want || want == "" && strings.HasPrefix(last, "and ") || len(list) != min(n, 21) {
			t.Errorf("%d: %d sentences, the last %q", n, len(list), last)
		}
	}
}
