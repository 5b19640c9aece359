package pages

import (
	"html/template"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/reports/chart"
	"track/scoring"
	"track/scoring/verdict"
)

// A configuration is called by its label, by its parameters if they are few, or by its hash; sides of a comparison that
// are called the same have their hashes too.
func TestNamesOfConfigurations(t *testing.T) {
	t.Parallel()
	side := func(label, params, hash string) answer.ComparedSide {
		c := track.RecordedConfiguration{Hash: strings.Repeat(hash, 64)}
		c.Label, c.Params = label, track.Params(params)
		return answer.ComparedSide{Side: answer.Side{Configuration: c}}
	}
	got := sideNames([]answer.ComparedSide{
		side("v2", `{"theta":14}`, "a"), side("", `{"theta":14}`, "b"), side("", `{"theta":14}`, "c"), side("", "", "d"), side("", `{"text":"`+strings.Repeat("long", 10)+`"}`, "e"),
	})
	want := []string{"A v2", "B theta=14 (bbbbbbbbbb)", "C theta=14 (cccccccccc)", "D dddddddddd", "E eeeeeeeeee"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The versions that a report names lead to their pages, whatever their names hold.
func TestVersionsOfReportAreLinks(t *testing.T) {
	t.Parallel()
	sections := []section{{HTML: `<p><code>v1</code>, <code>v10</code>, <code>bands</code> and <code>&lt;b&gt;</code></p><details><summary>of <code>v1</code></summary><code>v1</code></details>`}}
	candidates := []chart.Candidate{{Estimate: chart.Estimate{Label: "v1"}}, {Estimate: chart.Estimate{Label: "<b>"}}}
	linkVersions(sections, candidates, func(version string) string { return "/v?a=1&version=" + version })
	want := template.HTML(`<p><a href="/v?a=1&amp;version=v1"><code>v1</code></a>, <code>v10</code>, <code>bands</code> and <a href="/v?a=1&amp;version=&lt;b&gt;"><code>&lt;b&gt;</code></a></p><details><summary>of <code>v1</code></summary><a href="/v?a=1&amp;version=v1"><code>v1</code></a></details>`)
	if sections[0].HTML != want {
		t.Errorf("%s, want %s", sections[0].HTML, want)
	}
}

// A history begins with the verdict on the newest configuration that is judged, and its rows with what tells them apart.
func TestHistoryNamesConfigurations(t *testing.T) {
	t.Parallel()
	entry := func(label string, v scoring.Verdict) answer.HistoryEntry {
		e := answer.HistoryEntry{Configuration: track.RecordedConfiguration{Hash: strings.Repeat("a", 64)}}
		if e.Configuration.Label = label; v != "" {
			e.Estimates, e.Verdict = &verdict.Estimates{}, v
		}
		return e
	}
	for want, entries := range map[string][]answer.HistoryEntry{
		"WARN v2 is the newest of 2 configurations":                      {entry("v1", "PASS"), entry("v2", "WARN")},
		"PASS v1 is the newest configuration whose seeds are all scored": {entry("v1", "PASS"), entry("v2", "")},
	} {
		b := builder{view: view{Lead: []sentence{{Text: "the rest"}}}}
		b.newestVerdict(entries)
		if got := b.view.Lead[0].Verdict + " " + b.view.Lead[0].Text; got != want || len(b.view.Lead) != 2 {
			t.Errorf("%q, want %q", got, want)
		}
	}
	columns := func(names ...string) (t answer.Table) {
		for _, name := range names {
			t.Columns = append(t.Columns, answer.Column{Name: name})
		}
		return t
	}
	x := paramColumn
	for _, c := range []struct {
		t        answer.Table
		hasLabel bool
		want     []string
	}{
		{columns("label", x+"a", x+"b"), true, []string{"group", "label", x + "a", x + "b"}},
		{columns("label", x+"a", x+"b", x+"c", x+"d"), true, []string{"group", "label"}},
		{columns("label", x+"a", x+"b", x+"c", x+"d"), false, []string{"group", "label", "configuration"}},
		{columns("label"), false, []string{"group", "label", "configuration"}},
	} {
		if got := namingColumns(c.t, !c.hasLabel); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
