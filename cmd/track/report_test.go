package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
)

// trackIn runs commands on a database of its own.
type trackIn struct {
	t  *testing.T
	db string
}

func newTrackIn(t *testing.T) trackIn {
	t.Helper()
	in := trackIn{t, filepath.Join(t.TempDir(), "track.db")}
	in.must("", "init")
	return in
}

// run gives what a command printed, and its exit code.
func (in trackIn) run(stdin string, args ...string) (stdout, stderr string, code int) {
	in.t.Helper()
	var out, err bytes.Buffer
	lookup := func(name string) (string, bool) { return in.db, name == "TRACK_DB" }
	code = run(in.t.Context(), append([]string{"track"}, args...), strings.NewReader(stdin), &out, &err, lookup)
	return out.String(), err.String(), code
}

// must runs a command that has to succeed.
func (in trackIn) must(stdin string, args ...string) string {
	in.t.Helper()
	out, err, code := in.run(stdin, args...)
	if code != exitOK {
		in.t.Fatalf("track %s: exit %d: %s%s", strings.Join(args, " "), code, out, err)
	}
	return out
}

const examples = "../../examples/bam/"

var (
	exampleSpecs   = []string{"baseline", "growth_plus", "buffer_stock"}
	exampleBatches = []string{"growth_plus__small_economy", "growth_plus__theta_14", "baseline__consumer_matching_random", "baseline", "growth_plus", "buffer_stock"}
)

// exampleDatabase records the real seeds of the examples; the lines of each batch come in the order that arrange
// gives them.
func exampleDatabase(t *testing.T, arrange func([]string)) trackIn {
	t.Helper()
	in := newTrackIn(t)
	for _, name := range exampleSpecs {
		in.must("", "spec", "add", examples+name+".yaml")
	}
	for _, name := range exampleBatches {
		in.must(arrangedBatch(t, examples+name+".jsonl", arrange), "record", "batch", "-", "--quiet")
	}
	return in
}

// arrangedBatch is a batch with its series by absolute paths, for it is read from standard input.
func arrangedBatch(t *testing.T, file string, arrange func([]string)) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], `"series_file":"`, `"series_file":"`+folder+"/")
	}
	arrange(lines)
	return strings.Join(lines, "\n") + "\n"
}

func asTheyAre([]string) {}

func shuffled(lines []string) {
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
}

// exampleReports are the reports of the examples: those that are not whole in testdata are held by their hash.
var exampleReports = []struct {
	name  string
	whole bool
	args  []string
}{
	{"stability_growth_plus", true, []string{"stability", "growth_plus@bam-engine-0.10.2"}},
	{"stability_small_economy", true, []string{"stability", "growth_plus@small-economy"}},
	{"stability_theta_14", false, []string{"stability", "growth_plus@theta-14"}},
	{"stability_baseline", false, []string{"stability", "baseline@bam-engine-0.10.2"}},
	{"stability_consumer_matching_random", false, []string{"stability", "baseline@consumer-matching-random"}},
	{"stability_buffer_stock", false, []string{"stability", "buffer_stock"}},
	{"improvement_buffer_stock", true, []string{"improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2"}},
	{"improvement_small_economy", true, []string{"improvement", "growth_plus@small-economy", "--baseline", "growth_plus@bam-engine-0.10.2"}},
	{"improvement_theta_14", false, []string{"improvement", "growth_plus@theta-14", "--baseline", "growth_plus@bam-engine-0.10.2", "--margin", "0.01"}},
	{"improvement_consumer_matching_random", false, []string{"improvement", "baseline@consumer-matching-random", "--baseline", "baseline@bam-engine-0.10.2"}},
	{"scenario_baseline", false, []string{"scenario", "baseline@bam-engine-0.10.2"}},
	{"scenario_growth_plus", false, []string{"scenario", "growth_plus@bam-engine-0.10.2", "--limit", "2"}},
	{"scenario_buffer_stock", false, []string{"scenario", "buffer_stock"}},
}

// writeExampleReports writes all of them into a folder, as Markdown and as HTML.
func writeExampleReports(t *testing.T, in trackIn) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, r := range exampleReports {
		for _, suffix := range []string{".md", ".html"} {
			in.must("", append(append([]string{"report"}, r.args...), "-o", filepath.Join(folder, r.name+suffix), "--quiet")...)
		}
	}
	return folder
}

// readFolder gives the files of a folder and of those below it.
func readFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(folder, path))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The reports of the real seeds are those in testdata/report: some of them whole, and of each its hash, with that of
// its pictures. (How a document becomes HTML is held by package document.)
func TestReportsOfExamples(t *testing.T) {
	t.Parallel()
	files := readFolder(t, writeExampleReports(t, exampleDatabase(t, asTheyAre)))
	var hashes strings.Builder
	var names []string
	for name := range files {
		if filepath.Ext(name) != ".html" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&hashes, "%x  %s\n", sha256.Sum256([]byte(files[name])), name)
	}
	golden(t, "report/sha256.txt", hashes.String())
	for _, r := range exampleReports {
		if r.whole {
			golden(t, "report/"+r.name+".md", files[r.name+".md"])
		}
	}
}

// golden holds a text against a file below testdata, and with -update writes it there.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got); go test -update writes it anew:\n%s", name, diff)
	}
}

// Another database with the same seeds, recorded in another order at another time, gives the same bytes.
func TestReportsAreReproducible(t *testing.T) {
	t.Parallel()
	first, second := exampleDatabase(t, asTheyAre), exampleDatabase(t, shuffled)
	want := readFolder(t, writeExampleReports(t, first))
	for name, in := range map[string]trackIn{"again": first, "in another order": second} {
		got := readFolder(t, writeExampleReports(t, in))
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", name, len(got), len(want))
		}
		for file, text := range want {
			if diff := cmp.Diff(strings.Split(text, "\n"), strings.Split(got[file], "\n")); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%.2000s", name, file, diff)
			}
		}
	}
}

// The commands that a report names under "How to reproduce" are accepted, and give the same report.
func TestReportsNameTheirCommands(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	code := regexp.MustCompile("(?s)\n```sh\n(.*?)```\n")
	for _, r := range exampleReports {
		want := in.must("", append([]string{"report"}, r.args...)...)
		block := code.FindStringSubmatch(want)
		if block == nil {
			t.Fatalf("%s: no commands:\n%s", r.name, want)
		}
		folder := t.TempDir()
		for line := range strings.Lines(block[1]) {
			words, _, _ := strings.Cut(strings.TrimSpace(line), " #")
			args := strings.Fields(strings.ReplaceAll(words, "report.md", filepath.Join(folder, "report.md")))
			if len(args) < 2 || args[0] != "track" {
				continue
			}
			out, problem, code := in.run("", args[1:]...)
			if code != exitOK && args[1] != "gate" {
				t.Errorf("%s: %s: exit %d: %s%s", r.name, words, code, out, problem)
			}
		}
		in.must("", append(append([]string{"report"}, r.args...), "--check", filepath.Join(folder, "report.md"))...)
	}
}

func TestReportCheck(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	folder := t.TempDir()
	file := filepath.Join(folder, "report.md")
	command := []string{"report", "stability", "buffer_stock"}
	in.must("", append(command, "-o", file)...)
	page := filepath.Join(folder, "page.html")
	in.must("", "report", "stability", "buffer_stock", "-o", page)
	if _, err := os.Stat(filepath.Join(folder, "page_files")); err == nil {
		t.Error("HTML has its pictures within, and yet some stand beside it")
	}
	check := func(name string, wantCode int, want, file string) {
		t.Helper()
		out, problem, code := in.run("", append(command, "--check", file)...)
		if code != wantCode || !strings.Contains(out+problem, want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", name, code, wantCode, want, out, problem)
		}
	}
	spoil := func(name string, change func(string) error) func() {
		t.Helper()
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		if err == nil {
			err = change(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.Replace(data, []byte("scores"), []byte("Scores"), 1), 0o666)
	}
	check("as it was written", exitOK, "report.md is what the database says, and so are its 2 pictures", file)
	undo := spoil("report.md", edit)
	check("an edited report", exitFail, "line 3 differs", file)
	undo()
	undo = spoil("report_files/scores.svg", edit)
	check("an edited picture", exitFail, "scores.svg is not what the database says", file)
	undo()
	undo = spoil("report_files/heatmap.svg", os.Remove)
	check("a missing picture", exitFail, "heatmap.svg is missing", file)
	undo()
	check("put back", exitOK, "", file)
	check("no report", exitFail, "nosuch.md is missing", filepath.Join(folder, "nosuch.md"))

	out, _, code := in.run("", "report", "stability", "buffer_stock", "--check", page)
	if code != exitOK {
		t.Errorf("HTML: exit %d: %s", code, out)
	}
	in.must(`{"kind":"seed","scenario":"buffer_stock","seed":"0","outcome":"error","configuration":{"label":"new","params":{"buffer_stock_h":2,"burn_in":500,"n_periods":1000,"sigma_decay":-1,"sigma_max":0.1,"sigma_min":0},"commit":"ffff"}}`+"\n", "record", "batch", "-", "--quiet")
	check("another configuration since", exitFail, "report.md is not what the database says: line", file)
}

func TestReportUsage(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	folder := t.TempDir()
	for _, tt := range []struct {
		want string
		code int
		args []string
	}{
		{"is missing", exitUsage, []string{"stability"}},
		{"unexpected argument \"b\"", exitUsage, []string{"improvement", "a", "b"}},
		{"no configuration \"x\"", exitNotFound, []string{"scenario", "baseline@x"}},
		{"is ambiguous", exitUsage, []string{"scenario", "baseline"}},
		{"ends in .md or .html", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "-o", "report.pdf"}},
		{"not both", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "-o", "a.md", "--check", "a.md"}},
		{"is Markdown or HTML", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "--format", "json"}},
		{"ends in .md or .html", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "--check", "-"}},
		{"is not a file", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "-o", mkdir(t, folder, "folder.md")}},
		{"--check is given, and empty", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "--check", ""}},
		{"--output is given, and empty", exitUsage, []string{"stability", "baseline@bam-engine-0.10.2", "-o", ""}},
		{"--check is given, and empty", exitUsage, []string{"index", "--check", ""}},
		{"must be at least 1", exitUsage, []string{"scenario", "baseline@bam-engine-0.10.2", "--limit", "0"}},
		{"nosuch", exitNotFound, []string{"stability", "nosuch"}},
		{"has no baseline", exitNotFound, []string{"improvement", "baseline@bam-engine-0.10.2"}},
	} {
		out, problem, code := in.run("", append([]string{"report"}, tt.args...)...)
		if code != tt.code || out != "" || !strings.Contains(problem, tt.want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", tt.args, code, tt.code, tt.want, out, problem)
		}
	}
	if files := readFolder(t, folder); len(files) > 0 {
		t.Errorf("refused, and yet wrote %v", files)
	}
}

// A scenario without a baseline says so in words, and a value from two series names both.
func TestReportScenarioInWords(t *testing.T) {
	t.Parallel()
	report := exampleDatabase(t, asTheyAre).must("", "report", "scenario", "growth_plus@bam-engine-0.10.2")
	for _, want := range []string{"Not compared: scenario growth\\_plus has no baseline.\n", "pearson of unemployment with wage\\_inflation"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%.3000s", want, report)
		}
	}
}

func mkdir(t *testing.T, folder, name string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// What cannot be written leaves what was there.
func TestReportsReplaceWhole(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	folder := t.TempDir()
	file := filepath.Join(folder, "report.md")
	if err := os.WriteFile(file, []byte("what was there\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "report_files"), nil, 0o666); err != nil { // no folder, so there is no place for pictures
		t.Fatal(err)
	}
	if out, problem, code := in.run("", "report", "stability", "baseline@bam-engine-0.10.2", "-o", file); code == exitOK {
		t.Errorf("exit 0: %s%s", out, problem)
	}
	want := map[string]string{"report.md": "what was there\n", "report_files": ""}
	if diff := cmp.Diff(want, readFolder(t, folder)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// On standard output there is no place for pictures: what they show is told.
func TestReportOnStandardOutput(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	out := in.must("", "report", "improvement", "buffer_stock", "--baseline", "growth_plus@bam-engine-0.10.2", "-o", "-")
	if strings.Contains(out, "![") || !strings.Contains(out, "Picture: Mean difference of 66 metrics over 10 pairs; point comparison: 39 PASS, 27 WARN, 0 FAIL.") {
		t.Error(out)
	}
}

// A report on new seeds is a look at them; to check one is none.
func TestReportsAreLooks(t *testing.T) {
	t.Parallel()
	in := newTrackIn(t)
	in.must(twoMetrics, "spec", "add", "-")
	values := func(i int) string { return fmt.Sprintf(`"values":{"a":0.3%d,"b":1}`, i) }
	in.must(recordedSeeds("old", 9, values)+recordedSeeds("new", 6, values), "record", "batch", "-", "--quiet")
	compare := []string{"improvement", "s@new", "--baseline", "s@old"}
	looks := func() string {
		t.Helper()
		out := in.must("", append(compare, "--format", "json")...)
		return regexp.MustCompile(`"number": \d+`).FindString(out)
	}
	report := append([]string{"report"}, compare...)
	for range 2 {
		if out, problem, code := in.run("", append(report, "--check", filepath.Join(t.TempDir(), "nosuch.md"))...); code != exitFail {
			t.Fatalf("exit %d: %s%s", code, out, problem)
		}
	}
	in.must(recordedSeed("new", 6, values(6)), "record", "batch", "-", "--quiet")
	first := in.must("", report...)
	if second := in.must("", report...); first != second || strings.Contains(first, "ook 2 at this question") {
		t.Errorf("the first look, and the same seeds once more:\n%s", second)
	}
	in.must(recordedSeed("new", 7, values(7)), "record", "batch", "-", "--quiet")
	if out := in.must("", report...); !strings.Contains(out, "ook 2 at this question") {
		t.Errorf("the second look is not counted:\n%s", out)
	}
	if got := looks(); got != `"number": 2` {
		t.Errorf("the same seeds as the second report: %s", got)
	}
}

// The hash of the seeds under provenance is that of their numbers and of what they measured: it stays when nothing
// but where, when and under which label they ran is another, and goes with any value, outcome or number.
func TestReportsHashTheirSeeds(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`SHA-256 of the seeds \| ([0-9a-f]{64})(?: \| ([0-9a-f]{64}))?`)
	hash := func(seeds string, args ...string) []string {
		t.Helper()
		in := newTrackIn(t)
		in.must(twoMetrics, "spec", "add", "-")
		in.must(seeds, "record", "batch", "-", "--quiet")
		var list []string
		for _, found := range row.FindAllStringSubmatch(in.must("", append([]string{"report"}, args...)...), -1) {
			list = append(list, slices.DeleteFunc(found[1:], func(hash string) bool { return hash == "" })...)
		}
		return list
	}
	values := func(i int) string { return fmt.Sprintf(`"values":{"a":0.3%d,"b":1}`, i) }
	seeds := recordedSeeds("v", 3, values)
	// a line for each seed: its number, a space, and the digest that package track documents, here of seeds 0 to 2
	h := sha256.New()
	for i := range 3 {
		digest := track.Seed{Outcome: track.OutcomeOK, Values: map[string]float64{"a": 0.3 + float64(i)/100, "b": 1}}.Digest()
		fmt.Fprintf(h, "%d %x\n", i, digest)
	}
	want := []string{fmt.Sprintf("%x", h.Sum(nil))}
	for name, tt := range map[string]struct {
		seeds string
		same  bool
	}{
		"as they are":      {seeds, true},
		"another order":    {recordedSeed("v", 2, values(2)) + recordedSeed("v", 0, values(0)) + recordedSeed("v", 1, values(1)), true},
		"another label":    {strings.ReplaceAll(seeds, `"v"`, `"w"`), true},
		"a start":          {strings.ReplaceAll(seeds, `"b":1}`, `"b":1},"started_at":"2026-01-02T03:04:05Z"`), true},
		"another value":    {strings.Replace(seeds, "0.32", "0.320001", 1), false},
		"another outcome":  {recordedSeeds("v", 2, values) + recordedSeed("v", 2, `"outcome":"error"`), false},
		"another number":   {strings.Replace(seeds, `"seed":"2"`, `"seed":"3"`, 1), false},
		"one seed more":    {recordedSeeds("v", 4, values), false},
		"the numbers swap": {recordedSeed("v", 0, values(1)) + recordedSeed("v", 1, values(0)) + recordedSeed("v", 2, values(2)), false},
	} {
		for _, report := range []string{"stability", "scenario"} {
			if got := hash(tt.seeds, report, "s"); len(got) != 1 || slices.Equal(got, want) != tt.same {
				t.Errorf("%s: report %s has %v; %v is that of the seeds as they are", name, report, got, want)
			}
		}
	}
	if got := hash(seeds, "stability", "s", "--seeds", "0..1"); len(got) != 1 || slices.Equal(got, want) {
		t.Errorf("some of the seeds: %v", got)
	}
	both := hash(seeds+recordedSeeds("old", 4, values), "improvement", "s@v", "--baseline", "s@old")
	if len(both) != 2 || both[0] != want[0] || both[1] == want[0] {
		t.Errorf("a comparison: %v, the candidate has %v", both, want)
	}
}
