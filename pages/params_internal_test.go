package pages

import (
	"net/url"
	"strings"
	"testing"

	"track/answer"
	"track/scoring/effects"
)

// A parameter whose name has a comma is the second of a grid, since an address ends the first by a comma.
func TestGridOfParametersWithCommas(t *testing.T) {
	for _, tt := range []struct{ first, second, want string }{
		{"a", "b", "a,b"}, {"a,x", "b", "b,a,x"}, {"a", "b,x", "a,b,x"}, {"a,x", "b,x", ""},
	} {
		b := &builder{asked: url.Values{}}
		got := b.drawnParams(answer.ParamsAnalysis{Analysis: effects.Analysis{Effects: []effects.Effect{{Parameter: tt.first}, {Parameter: tt.second}}}})
		if got.Get("heatmap") != tt.want || got.Get("plot") != tt.first {
			t.Errorf("%s and %s: %v", tt.first, tt.second, got)
		}
	}
	b := newBuilder(Page{Path: "/params"}, Request{In: url.Values{}})
	var links []string
	for _, choices := range b.gridChoices([]string{"a", "b", "c,x"}, "a", "b") {
		for _, choice := range choices.Choices {
			links = append(links, choice.Href)
		}
	}
	if got, want := strings.Join(links, " "), "/params?heatmap=a%2Cb /params?heatmap=a%2Cb /params?heatmap=a%2Cc%2Cx"; got != want {
		t.Errorf("links %s, want %s", got, want)
	}
}
