package reports

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"track/answer"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// wide reports whether there is an interval, and that it has a width: where all values are equal it has none, and
// says nothing about others.
func wide(i stats.Interval) bool { return i.Defined() && i.Lo < i.Hi }

func estimateTable(e verdict.Estimates) document.Table {
	t := columns("", "#estimate", format.Confidence(e.Score.Interval.Confidence)+" interval", "#n", "method")
	for _, r := range answer.EstimateRows(e) {
		t.Rows = append(t.Rows, []document.Text{document.T(r.Name), document.T(format.OrDash(r.Value)), document.T(format.OrDash(r.Interval)), cell("%d", r.N), document.T(r.Method)})
	}
	return t
}

// worseMetric sorts metrics, those that passed in the fewest seeds first.
func worseMetric(a, b scoring.MetricStability) int {
	return cmp.Or(
		worse(orNaN(a.PassRate), orNaN(b.PassRate)), worse(orNaN(a.MeanScore), orNaN(b.MeanScore)), worse(orNaN(b.StdScore), orNaN(a.StdScore)),
	)
}

// worse puts NaN, which stands for nothing to go by, first.
func worse(a, b float64) int {
	switch {
	case a < b || math.IsNaN(a) && !math.IsNaN(b):
		return -1
	case a > b || math.IsNaN(b) && !math.IsNaN(a):
		return 1
	}
	return 0
}

// orNaN returns NaN for a number that does not exist.
func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func totalTable(i verdict.Improvement) document.Table {
	t := columns("total score", "#", "interval", "method")
	for _, r := range answer.TotalRows(i) {
		t.Rows = append(t.Rows, []document.Text{document.T(r.Name), document.T(r.Value), document.T(r.Detail), document.T(r.Method)})
	}
	return t
}

// sentence writes a text that stands alone. A symbol at its beginning, as n, stays what it is.
func sentence(s string) string {
	if first, _, _ := strings.Cut(s, " "); len(first) > 1 && first != "sd" && s[0] < utf8.RuneSelf {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
