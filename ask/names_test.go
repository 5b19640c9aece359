package ask_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"track/ask"
)

// Every parameter that selects scenarios or lineages is known as one: tokens for some of them depend on it.
func TestNames(t *testing.T) {
	selecting := 0
	for _, q := range slices.Concat(ask.All(), ask.Reports(), ask.Exports()) {
		for _, p := range q.Params {
			lineage := strings.HasPrefix(p.Unit, "LINEAGE") || p.Name == "lineage"
			if !lineage && !strings.HasPrefix(p.Unit, "SCENARIO") && p.Name != "scenario" {
				continue
			}
			selecting++
			want := []ask.Name{{Text: "a/b", Lineage: lineage}}
			if got := q.Names(url.Values{p.Name: {"a/b@c@d"}}); !slices.Equal(got, want) {
				t.Errorf("%s --%s: %v, not %v", q.Name, p.Name, got, want)
			}
		}
	}
	if selecting < 40 {
		t.Errorf("%d parameters select scenarios or lineages", selecting)
	}
}
