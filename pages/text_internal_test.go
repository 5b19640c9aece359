package pages

import (
	"flag"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/reports/chart"
	"track/scoring"
	"track/scoring/verdict"
)

var update = flag.Bool("update", false, "write docs/reference/terms.md")

const termsReference = "../docs/reference/terms.md"

// TestTermReference holds docs/reference/terms.md to the terms that pages explain; make docs writes it.
func TestTermReference(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Terms\n\nThe words of `track`, as its pages explain them: in full on `/terms`, and at a `?`.\n\n")
	known := map[string]bool{}
	for _, one := range glossary() {
		if known[one.ID] {
			t.Errorf("%s is explained twice", one.Name)
		}
		known[one.ID] = true
		fmt.Fprintf(&b, "- **%s**: %s\n", one.Name, one.Text)
	}
	text, err := os.ReadFile(termsReference)
	if err == nil && string(text) == b.String() {
		return
	}
	if !*update {
		t.Fatalf("%s has other terms: make docs writes it (%v)", termsReference, err)
	}
	if err := os.WriteFile(termsReference, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

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
	sections := []section{{HTML: `<td>v1</td><td>v10</td><td>bands</td><td>&lt;b&gt;</td><details><summary>of <td>v1</td></summary><td>v1</td></details>`}}
	candidates := []chart.Candidate{{Estimate: chart.Estimate{Label: "v1"}}, {Estimate: chart.Estimate{Label: "<b>"}}}
	linkVersions(sections, candidates, func(version string) string { return "/v?a=1&version=" + version })
	want := template.HTML(`<td><a href="/v?a=1&amp;version=v1">v1</a></td><td>v10</td><td>bands</td><td><a href="/v?a=1&amp;version=&lt;b&gt;">&lt;b&gt;</a></td><details><summary>of <td>v1</td></summary><td><a href="/v?a=1&amp;version=v1">v1</a></td></details>`)
	if sections[0].HTML != want {
		t.Errorf("%s, want %s", sections[0].HTML, want)
	}
}

// A history begins with the verdict on the newest configuration that is judged, and its rows with what tells them
// apart.
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

// A hint that says all of a question leads to its page.
func TestHintAddress(t *testing.T) {
	for _, tt := range []struct {
		hint track.Hint
		want string
	}{
		{track.NewHint("take one", "params", "s").With("label", "a b"), "/x/params?label=a+b&scenario=s"},
		{track.NewHint("list them", "history", "s"), "/x/history?scenario=s"},
		{track.NewHint("look at both", "compare", "s@a", "s@b"), "/x/compare?scenario=s%40a&scenario=s%40b"},
		{track.NewHint("list them", "sweep list"), "/x/sweep/list"},
		{track.NewHint("name one", "params", "s").With("label", "LABEL"), ""}, // leaves it open
		{track.NewHint("list them", "history"), ""},                           // of what?
		{track.NewHint("list them", "history", "s").With("nosuch", "1"), ""},
		{track.NewHint("list them", "history", "s", "t"), ""},
		{track.NewHint("record one", "record seed"), ""}, // has no page
		{track.Hint{Text: "write more of the id"}, ""},
	} {
		if got := hintAddress("/x", tt.hint); got != tt.want {
			t.Errorf("%v leads to %q, want %q", tt.hint, got, tt.want)
		}
	}
}

// TestCommandsExist holds that the command of each page, with all parameters of its question, is in the reference. A
// test of the command line holds that the reference is true.
func TestCommandsExist(t *testing.T) {
	reference := referenceOfCommands(t)
	n := 0
	for _, page := range All() {
		q := page.question
		if q.Name == "" {
			continue
		}
		for _, p := range q.Params {
			value := "7"
			if p.Value.Type() == "boolean" {
				value = "true"
			}
			command, _ := commandOf(q, url.Values{p.Name: {value}})
			n++
			checkCommand(t, reference, page.Path, p.Name, command)
		}
		if len(q.Params) == 0 {
			command, _ := commandOf(q, nil)
			checkCommand(t, reference, page.Path, "", command)
		}
	}
	if n < 100 || len(reference) < 80 {
		t.Errorf("%d commands were compared with %d of the reference", n, len(reference))
	}
}

// referenceOfCommands returns the part of the reference on each command, by its name.
func referenceOfCommands(t *testing.T) map[string]string {
	text, err := os.ReadFile("../docs/reference/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, part := range regexp.MustCompile(`(?m)^###+ `).Split(string(text), -1)[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		parts[name] = rest
	}
	return parts
}

// checkCommand compares a command with the reference: its name, its flags, and whether it takes arguments.
func checkCommand(t *testing.T, reference map[string]string, path, param, command string) {
	words := strings.Fields(command)
	name := words[:1]
	for _, word := range words[1:] {
		if _, known := reference[strings.Join(append(name[:len(name):len(name)], word), " ")]; !known {
			break
		}
		name = append(name, word)
	}
	about, known := reference[strings.Join(name, " ")]
	if !known || len(name) < 2 {
		t.Errorf("%s, %s: %s: no such command", path, param, command)
		return
	}
	usage := regexp.MustCompile(`(?m)^    (track .*)$`).FindString(about)
	for i, word := range words[len(name):] {
		isFlag := strings.HasPrefix(word, "-")
		switch {
		case isFlag && !strings.Contains(about, "| `"+word+"`") && !strings.Contains(about, "| `"+word+" "):
			t.Errorf("%s, %s: %s: the reference has no flag %s", path, param, command, word)
		case !isFlag && i == 0 && !regexp.MustCompile(` [\[(]?[A-Z]{2,}`).MatchString(strings.ReplaceAll(usage, "[FLAGS]", "")):
			t.Errorf("%s, %s: %s: takes no argument: %s", path, param, command, usage)
		}
	}
}

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

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.00 KiB", 11292672: "10.8 MiB", 512 << 20: "512 MiB", 1020 << 20: "1020 MiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := threeDigits(2095.6936); got != "2096" {
		t.Errorf("a rate is %s, want 2096", got)
	}
}
