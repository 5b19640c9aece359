package chart

import (
	"strings"
	"testing"
)

// Each dot is a link to its own seed, with a name. One of them is a tab stop. Without links, a chart is an image.
func TestMarksAreLinks(t *testing.T) {
	t.Parallel()
	href := func(m Mark) string {
		if m.Label == "9" {
			return ""
		}
		return "/seed?n=" + m.Label + "&side=" + string(rune('0'+m.Side))
	}
	text := func(c Chart) string {
		var b strings.Builder
		if err := InlineLinked(&b, c, href); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	scores := Distribution{Values: []float64{0.5, 0.25, 0.75}, Labels: []string{"7", "8", "9"}, Lo: 0, Hi: 1}
	got := text(scores)
	for _, want := range []string{
		`<a href="/seed?n=8&amp;side=0" aria-label="seed 8: 0.25"><title>seed 8: 0.25</title>`, `<a href="/seed?n=7&amp;side=0" tabindex="-1" aria-label="seed 7: 0.5">`, `role="group"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if n := strings.Count(got, "<a "); n != 2 {
		t.Errorf("%d links, want 2: seed 9 has none", n)
	}
	got = text(Paired{Pairs: []Pair{{"1<", 0.5, 0.75}}, Lo: 0, Hi: 1})
	for _, want := range []string{`<a href="/seed?n=1&lt;&amp;side=0" aria-label="seed 1&lt;, baseline: 0.5">`, `<a href="/seed?n=1&lt;&amp;side=1" tabindex="-1" aria-label="seed 1&lt;, candidate: 0.75">`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	var b strings.Builder
	if err := SVG(&b, scores); err != nil || strings.Contains(b.String(), "<a ") || !strings.Contains(b.String(), `role="img"`) {
		t.Errorf("%v: a file with links: %s", err, b.String())
	}
}
