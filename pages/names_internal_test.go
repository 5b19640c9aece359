package pages

import (
	"html/template"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/reports/chart"
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
