package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/reports"
)

// agentBatch are executions of an agent that does not evolve.
const agentBatch = `{"kind":"execution","lineage":"coder","version":"v1","task":"t-1","key":"a","started_at":"2026-01-02T03:04:05Z","score":80}
{"kind":"execution","lineage":"coder","version":"v1","task":"t-2","key":"b","started_at":"2026-01-02T03:05:05Z","status":"error","message":"no network"}
{"kind":"execution","lineage":"coder","version":"v2","task":"t-1","key":"c","started_at":"2026-01-02T03:06:05Z","score":90}
`

// indexedDatabase holds the examples and what else an index may meet: a scenario without a spec, one without seeds,
// one whose seeds were never judged under its newest spec, a lineage with a ledger, an agent without one.
func indexedDatabase(t *testing.T, arrange func([]string)) trackIn {
	t.Helper()
	in := exampleDatabase(t, arrange)
	in.must("", "baseline", "set", "growth_plus@theta-14", "--reason", "released", "--quiet")
	in.must("", "baseline", "set", "baseline@bam-engine-0.10.2", "--reason", "released", "--quiet")
	in.must(recordedSeed("x", 1, `"values":{"a":1}`), "record", "batch", "-", "--quiet")
	in.must(strings.Replace(twoMetrics, "scenario: s", "scenario: empty", 1), "spec", "add", "-")
	in.must(strings.Replace(twoMetrics, "scenario: s", "scenario: waiting", 1), "spec", "add", "-")
	in.must(strings.ReplaceAll(recordedSeed("x", 1, `"values":{"a":0.5,"b":1}`), `"s"`, `"waiting"`), "record", "batch", "-", "--quiet")
	in.must(strings.Replace(strings.Replace(twoMetrics, "scenario: s", "scenario: waiting", 1), "max: 1", "max: 2", 1), "spec", "add", "-")
	in.must(agentBatch, "record", "batch", "-", "--quiet")
	evolved(in, "writer")
	return in
}

// evolved makes a lineage with a mutation that was accepted.
func evolved(in trackIn, name string) {
	in.t.Helper()
	write := func(file, text string) string {
		path := filepath.Join(in.t.TempDir(), file)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			in.t.Fatal(err)
		}
		return path
	}
	at := func(minute int) string { return fmt.Sprintf("2026-01-02T04:%02d:00Z", minute) }
	in.must("", "lineage", "new", name, "--new", "--root", write("root.md", "Be brief.\n"), "--seed", "1", "--at", at(0))
	in.must("", "lineage", "set", name, "policy=greedy", "--score-from", "own", "--at", at(1))
	in.must("", "mutation", "propose", "--lineage", name, "--child", write("child.md", "Be brief, and cite.\n"), "--operator", "rephrase", "--id", "m-1-"+name, "--at", at(2))
	for i, score := range []string{"50", "52", "70", "71"} {
		in.must("", "record", "execution", "--lineage", name, "--version", []string{"v001", "v002"}[i/2], "--task", fmt.Sprint("t", i%2), "--key", fmt.Sprint(i), "--score", score, "--started-at", at(3+i), "--quiet")
	}
	in.must("", "mutation", "decide", "--lineage", name, "m-1-"+name, "--at", at(9))
}

var markdownLink = regexp.MustCompile(`\]\(([^)]*)\)`)

// The index of the examples is the one in testdata, whatever the order in which they were recorded; each of its pages
// is the report that is written alone, with a link back; and it leads to all pages, and to nothing else.
func TestReportIndex(t *testing.T) {
	t.Parallel()
	in := indexedDatabase(t, asTheyAre)
	folder := filepath.Join(t.TempDir(), "reports")
	in.must("", "report", "index", "-o", filepath.Join(folder, "index.md"))
	files := readFolder(t, folder)
	golden(t, "report/index.md", files["index.md"])
	again := filepath.Join(t.TempDir(), "again")
	indexedDatabase(t, shuffled).must("", "report", "index", "-o", filepath.Join(again, "index.md"))
	if diff := cmp.Diff(files, readFolder(t, again)); diff != "" {
		t.Errorf("recorded in another order: %.2000s", diff)
	}
	var pages []string
	for name := range files {
		if !strings.Contains(name, "/") && name != "index.md" {
			pages = append(pages, name)
		}
	}
	slices.Sort(pages)
	listed := reports.LinkedPages([]byte(files["index.md"]))
	slices.Sort(listed)
	if diff := cmp.Diff(pages, listed); diff != "" || len(pages) != 10 {
		t.Errorf("%d pages (-written +listed): %s", len(pages), diff)
	}
	for name, text := range files {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			if files[path.Join(path.Dir(name), link[1])] == "" {
				t.Errorf("%s leads to %s, which is not there", name, link[1])
			}
		}
	}
	single := filepath.Join(t.TempDir(), "r.md")
	for page, args := range map[string][]string{
		"scenario-growth_plus.md":             {"scenario", "growth_plus"},
		"stability-growth_plus-6429cc72eb.md": {"stability", "growth_plus@theta-14"},
		"lineage-writer.md":                   {"lineage", "writer"},
	} {
		in.must("", append(append([]string{"report"}, args...), "-o", single)...)
		want, err := os.ReadFile(single)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Replace(files[page], "\n\nPart of [all reports](index.md).", "", 1)
		got = strings.ReplaceAll(got, strings.TrimSuffix(page, ".md")+"_files/", "r_files/")
		if got == files[page] || got != string(want) {
			t.Errorf("%s is not the report with a link to the index: %s", page, cmp.Diff(string(want), got))
		}
	}
	if out := in.must("", "report", "index"); markdownLink.MatchString(out) || !strings.Contains(out, "`growth_plus`") || strings.Contains(out, "## Pages") {
		t.Errorf("standard output, where there are no pages:\n%s", out)
	}
}

// hostileNames are of scenarios and lineages.
var hostileNames = []string{
	"a", "A", "a-b", "a/b", "a b", "../a", "a.md", "index", "con", "-x", "~", "a~" + strings.Repeat("0", 10), "a\"b", "<b>", "a](scenario-x.md)", "- [`scenario-x.md`](scenario-x.md)",
	`<li><a href="scenario-x.html"><code>scenario-x.html</code></a></li>`, "$(reboot)", "%2e%2e", "日本", "ü", "<script>alert(1)</script>", strings.Repeat("x", 200), strings.Repeat("x", 199) + "y",
}

// hostileDatabase has a scenario of each of the names, and a lineage of every fourth.
func hostileDatabase(t *testing.T) trackIn {
	t.Helper()
	in := newTrackIn(t)
	for i, name := range hostileNames {
		in.must(strings.Replace(twoMetrics, "scenario: s", fmt.Sprintf("scenario: %q", name), 1), "spec", "add", "-", "--new")
		seeds := recordedSeeds("old", 3, func(i int) string { return fmt.Sprintf(`"values":{"a":0.4%d,"b":1}`, i) })
		in.must(strings.ReplaceAll(seeds, `"scenario":"s"`, fmt.Sprintf(`"scenario":%q`, name)), "record", "batch", "-", "--new", "--quiet")
		if i%4 == 0 {
			evolved(in, name)
		}
	}
	return in
}

// Whatever is in the database is called, each report has a file of its own with a name that means nothing but itself.
func TestReportIndexOfHostileNames(t *testing.T) {
	t.Parallel()
	in := hostileDatabase(t)
	safe := regexp.MustCompile(`^(scenario|stability|lineage)-[a-z0-9_.~-]{1,120}$`)
	for _, suffix := range []string{".md", ".html"} {
		folder := t.TempDir()
		in.must("", "report", "index", "-o", filepath.Join(folder, "scenario-a"+suffix)) // a name that a page would have
		in.must("", "report", "index", "--check", filepath.Join(folder, "scenario-a"+suffix))
		seen, texts := map[string]bool{}, readFolder(t, folder)
		for name := range texts {
			if page, ok := strings.CutSuffix(name, suffix); ok && page != "scenario-a" {
				if !safe.MatchString(page) || seen[strings.ToLower(page)] {
					t.Errorf("the page %s", name)
				}
				seen[strings.ToLower(page)] = true
			}
		}
		if want := 2*len(hostileNames) + (len(hostileNames)+3)/4; len(seen) != want {
			t.Errorf("%s: %d pages, want %d", suffix, len(seen), want)
		}
		listed := reports.LinkedPages([]byte(texts["scenario-a"+suffix]))
		if len(listed) != len(seen) {
			t.Errorf("%s: the index lists %d pages of %d: %v", suffix, len(listed), len(seen), listed)
		}
	}
}

func TestReportIndexCheck(t *testing.T) {
	t.Parallel()
	in := indexedDatabase(t, asTheyAre)
	folder := t.TempDir()
	index := filepath.Join(folder, "index.md")
	check := func(name string, wantCode int, wants ...string) {
		t.Helper()
		out, problem, code := in.run("", "report", "index", "--limit", "2", "--check", index)
		for _, want := range wants {
			if code != wantCode || !strings.Contains(out+problem, want) {
				t.Errorf("%s: exit %d, want %d and %q:\n%s%s", name, code, wantCode, want, out, problem)
			}
		}
	}
	check("nothing there", exitFail, "index.md is missing")
	in.must("", "report", "index", "--limit", "3", "-o", index)
	gone := "stability-growth_plus-d209c84974.md" // the third configuration
	check("another limit", exitFail, "index.md is not what the database says: line", gone+" is no longer part of the index")
	_, problem, _ := in.run("", "report", "index", "--limit", "2", "-o", index)
	if !strings.Contains(problem, gone+" is no longer part of the index") {
		t.Errorf("the page of the run before is not named: %s", problem)
	}
	check("as it was written", exitOK, "is what the database says, and so are its 9 reports")
	for _, name := range []string{"index.md", "scenario-baseline.md", "lineage-writer.md", "lineage-writer_files/scores.svg"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		check("an edited file", exitFail, filepath.Base(name)+" is not what the database says")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if name != "index.md" {
			check("a missing file", exitFail, filepath.Base(name)+" is missing")
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check("put back", exitOK, "is what the database says")
}

// What cannot be written as a whole leaves what was there: no index leads to a page that is not.
func TestReportIndexReplacesWhole(t *testing.T) {
	t.Parallel()
	in := indexedDatabase(t, asTheyAre)
	folder := t.TempDir()
	index := filepath.Join(folder, "index.md")
	in.must("", "report", "index", "-o", index)
	pictures := filepath.Join(folder, "lineage-writer_files") // of the last page
	if err := os.RemoveAll(pictures); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pictures, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	before := readFolder(t, folder)
	in.must(`{"kind":"seed","scenario":"buffer_stock","seed":"0","outcome":"error","configuration":{"label":"new","params":{"buffer_stock_h":2,"burn_in":500,"n_periods":1000,"sigma_decay":-1,"sigma_max":0.1,"sigma_min":0},"commit":"ffff"}}`+"\n", "record", "batch", "-", "--quiet")
	if out, problem, code := in.run("", "report", "index", "-o", index); code != exitInvalid || !strings.Contains(problem, "lineage-writer_files: is a file, not a folder") {
		t.Errorf("exit %d: %s%s", code, out, problem)
	}
	if diff := cmp.Diff(before, readFolder(t, folder)); diff != "" {
		t.Errorf("%.2000s", diff)
	}
	if folders, err := filepath.Glob(filepath.Join(folder, "*_files")); err != nil || len(folders) != 10 { // with the file
		t.Errorf("%d folders of pictures, %v: those of the pages that were not written are left", len(folders), err)
	}
	if err := os.Remove(pictures); err != nil {
		t.Fatal(err)
	}
	evolved(in, "zebra")
	mkdir(t, folder, "lineage-zebra.md") // in the way of the last page
	if out, problem, code := in.run("", "report", "index", "-o", index); code == exitOK || !strings.Contains(problem, "lineage-zebra.md") {
		t.Errorf("exit %d: %s%s", code, out, problem)
	}
	after := readFolder(t, folder)
	if after["index.md"] != before["index.md"] {
		t.Error("the index leads to a page that is not there")
	}
	for name := range after {
		if strings.Contains(name, ".track-") {
			t.Errorf("%s is left", name)
		}
	}
	if err := os.Remove(filepath.Join(folder, "lineage-zebra.md")); err != nil {
		t.Fatal(err)
	}
	in.must("", "report", "index", "-o", index)
}

// Writers at once do not get in each other's way, and leave nothing behind.
func TestReportIndexAtOnce(t *testing.T) {
	t.Parallel()
	in := newTrackIn(t)
	in.must(twoMetrics, "spec", "add", "-")
	in.must(recordedSeeds("old", 6, func(i int) string { return fmt.Sprintf(`"values":{"a":0.3%d,"b":1}`, i) }), "record", "batch", "-", "--quiet")
	index := filepath.Join(t.TempDir(), "index.md")
	in.must("", "report", "index", "-o", index)
	want := readFolder(t, filepath.Dir(index))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if out, problem, code := in.run("", "report", "index", "-o", index); code != exitOK {
				t.Errorf("exit %d: %s%s", code, out, problem)
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(want, readFolder(t, filepath.Dir(index))); diff != "" {
		t.Errorf("%.2000s", diff)
	}
}

// A second index in a folder would take the pages of the first.
func TestReportIndexBesideAnother(t *testing.T) {
	t.Parallel()
	in := newTrackIn(t)
	in.must(twoMetrics, "spec", "add", "-")
	in.must(recordedSeeds("old", 6, func(i int) string { return fmt.Sprintf(`"values":{"a":0.3%d,"b":1}`, i) }), "record", "batch", "-", "--quiet")
	for _, suffix := range []string{".md", ".html"} {
		folder := t.TempDir()
		first, second := filepath.Join(folder, "an index"+suffix), filepath.Join(folder, "second"+suffix)
		in.must("", "report", "index", "-o", first)
		before := readFolder(t, folder)
		if out, problem, code := in.run("", "report", "index", "-o", second); code != exitConflict || !strings.Contains(problem, "is a page of the index "+first) {
			t.Errorf("exit %d: %s%s", code, out, problem)
		}
		if diff := cmp.Diff(before, readFolder(t, folder)); diff != "" {
			t.Errorf("%.2000s", diff)
		}
		if err := os.Rename(first, second); err != nil { // its pages go with it
			t.Fatal(err)
		}
		in.must("", "report", "index", "-o", second)
		in.must("", "report", "index", "--check", second)
	}
}

// The verdicts that an index shows are looks, once for the same seeds; to check it is none.
func TestReportIndexLooks(t *testing.T) {
	t.Parallel()
	in := newTrackIn(t)
	in.must(twoMetrics, "spec", "add", "-")
	values := func(i int) string { return fmt.Sprintf(`"values":{"a":0.3%d,"b":1}`, i) }
	in.must(recordedSeeds("old", 9, values)+recordedSeeds("new", 6, values), "record", "batch", "-", "--quiet")
	index := filepath.Join(t.TempDir(), "index.md")
	in.must("", "report", "index", "-o", index)
	in.must("", "report", "index", "-o", index)
	in.must(recordedSeed("new", 6, values(6)), "record", "batch", "-", "--quiet")
	if out, _, code := in.run("", "report", "index", "--check", index); code != exitFail {
		t.Errorf("exit %d: %s", code, out)
	}
	in.must(recordedSeed("new", 7, values(7)), "record", "batch", "-", "--quiet")
	if out, problem, _ := in.run("", "gate", "s@new"); !strings.Contains(out, "look 2 at this question") {
		t.Errorf("not the second look: %s%s", out, problem)
	}
}

func TestReportIndexUsage(t *testing.T) {
	t.Parallel()
	in := newTrackIn(t)
	for want, args := range map[string][]string{
		"unexpected argument": {"x"},
		"must be at least 1":  {"--limit", "0"},
		"ends in .md":         {"-o", "reports"},
		"not both":            {"-o", "a.md", "--check", "a.md"},
	} {
		if out, problem, code := in.run("", append([]string{"report", "index"}, args...)...); code != exitUsage || !strings.Contains(problem, want) {
			t.Errorf("%v: exit %d, want %q: %s%s", args, code, want, out, problem)
		}
	}
	if out := in.must("", "report", "index"); !strings.Contains(out, "Reports on 0 scenarios") {
		t.Errorf("an empty database:\n%s", out)
	}
}

// make demo ends with the reports of all that it recorded.
func TestDemo(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("track")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	demo := exec.CommandContext(t.Context(), "sh", "../../examples/bam/demo.sh", program)
	demo.Env = append(os.Environ(), "TMPDIR="+folder)
	output, err := demo.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, suffix := range []string{"md", "html"} {
		found, err := filepath.Glob(filepath.Join(folder, "*", "reports", "index."+suffix))
		if err != nil || len(found) != 1 || !strings.Contains(string(output), "wrote "+found[0]+" and 9 reports") {
			t.Errorf("%v, %v in\n%s", found, err, output)
		}
	}
}
