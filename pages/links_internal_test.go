package pages

import (
	"html/template"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
)

// A file of a seed leads to its content, unless nothing of it is kept.
func TestFilesAreLinks(t *testing.T) {
	t.Parallel()
	files := answer.Artifacts{List: answer.List[answer.ListedArtifact]{Items: []answer.ListedArtifact{
		{Seed: 7, SeedArtifact: answer.SeedArtifact{Name: "a b.png", Bytes: 3}}, {Seed: 7, SeedArtifact: answer.SeedArtifact{Name: "large", LeftOut: "it is large"}},
	}}}
	table := files.Tables()[0]
	var got []string
	for _, row := range table.Rows {
		got = append(got, linked{base: "/b", asked: url.Values{"scenario": {"growth@0123456789"}}, table: table, row: row}.address("name"))
	}
	if diff := cmp.Diff([]string{"/b/api/v1/artifact/content?name=a+b.png&scenario=growth%400123456789&seed=7", ""}, got); diff != "" {
		t.Error(diff)
	}
}

// A sweep leads to the configurations of which it has recorded seeds, and tells those with one label apart.
func TestSweptConfigurationsAreLinks(t *testing.T) {
	t.Parallel()
	var a answer.Sweep
	a.Scenario = "growth"
	for i, hash := range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb"} {
		a.Configurations = append(a.Configurations, answer.PlannedConfiguration{RecordedConfiguration: track.RecordedConfiguration{Hash: hash, Configuration: track.Configuration{Label: "grid", Params: track.Params([]string{`{"x":1}`, `{"x":2}`}[i])}}})
		a.Progress.Configurations = append(a.Progress.Configurations, answer.ConfigurationProgress{Configuration: hash, Label: "grid", NPlanned: 5, NRecorded: i})
	}
	table := withParameters(a.Tables()[1], a.Configurations)
	var got []string
	for _, row := range table.Rows {
		from := linked{asked: url.Values{"sweep": {"01K"}}, sweep: &a, table: table, row: row}
		got = append(got, from.address("configuration"), from.exact("parameters"))
	}
	if diff := cmp.Diff([]string{"", "x=1", "/stability?scenario=growth%40bbbbbbbbbbbb", "x=2"}, got); diff != "" {
		t.Error(diff)
	}
	a.Configurations[0].Label = "other"
	if plain := a.Tables()[1]; len(withParameters(plain, a.Configurations).Columns) != len(plain.Columns) {
		t.Error("labels that differ have parameters beside them")
	}
}

// Selectors of a report are links, but for those in commands and within other links.
func TestSelectorsAreLinks(t *testing.T) {
	t.Parallel()
	b := &builder{request: Request{Base: "/b"}}
	for text, want := range map[template.HTML]template.HTML{
		"<p>than <code>a&amp;b@0123456789</code>.</p>":                     `<p>than <a href="/b/stability?scenario=a%26b%400123456789"><code>a&amp;b@0123456789</code></a>.</p>`,
		"<code>track improvement a@0123456789</code>":                      "<code>track improvement a@0123456789</code>",
		"<summary><code>a@0123456789</code></summary> <code>l@v001</code>": "<summary><code>a@0123456789</code></summary> <code>l@v001</code>",
	} {
		if got := b.linkSelectors(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
