package reports

import (
	"fmt"
	"slices"
	"testing"

	"track"
	"track/answer"
)

// historyOf returns a history with an entry for each label, value of theta (empty for none) and commit.
func historyOf(t *testing.T, list ...[3]string) (h answer.History) {
	t.Helper()
	for i, c := range list {
		e := answer.HistoryEntry{}
		e.Configuration.Hash = fmt.Sprintf("%064d", i)
		e.Configuration.Label, e.Configuration.Revision = c[0], track.Revision{Commit: c[2]}
		if c[1] != "" {
			params, err := track.NewParams([]byte(`{"theta":` + c[1] + `}`))
			if err != nil {
				t.Fatal(err)
			}
			e.Configuration.Params, e.Differing = params, "theta="+c[1]
		}
		h.Entries = append(h.Entries, e)
	}
	return h
}

// TestHistoryLines joins revisions of the code, and neither points of a grid nor variants. A tick says what differs.
func TestHistoryLines(t *testing.T) {
	const a, b, c = "aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"
	for _, test := range []struct {
		name    string
		history [][3]string
		lines   []int // the number of the line of each point
		labels  []string
	}{
		{"revisions", [][3]string{{"m", "", a}, {"m", "", b}, {"m", "", c}}, []int{0, 0, 0}, []string{"aaaaaaa", "bbbbbbb", "ccccccc"}},
		{"releases", [][3]string{{"v1", "", a}, {"v2", "", b}}, []int{0, 0}, []string{"v1", "v2"}},
		{"grid", [][3]string{{"", "8", a}, {"", "9", a}}, []int{0, 1}, []string{"theta=8", "theta=9"}},
		{"grid of two revisions", [][3]string{{"m", "8", a}, {"m", "9", a}, {"m", "8", b}, {"m", "9", b}}, []int{0, 1, 0, 1},
			[]string{"theta=8 aaaaaaa", "theta=9 aaaaaaa", "theta=8 bbbbbbb", "theta=9 bbbbbbb"}},
		{"variants", [][3]string{{"x", "", a}, {"y", "", a}, {"x", "", b}}, []int{0, 1, 0}, []string{"x aaaaaaa", "y", "x bbbbbbb"}},
		{"one", [][3]string{{"m", "8", a}}, []int{0}, []string{"m"}},
	} {
		h := historyOf(t, test.history...)
		var numbers []int
		var lines []string
		var labels []string
		for _, p := range HistoryChart(h).Points {
			if !slices.Contains(lines, p.Line) {
				lines = append(lines, p.Line)
			}
			numbers, labels = append(numbers, slices.Index(lines, p.Line)), append(labels, p.Label)
		}
		if !slices.Equal(numbers, test.lines) || !slices.Equal(labels, test.labels) {
			t.Errorf("%s: lines %v, want %v; labels %q, want %q", test.name, numbers, test.lines, labels, test.labels)
		}
	}
}
