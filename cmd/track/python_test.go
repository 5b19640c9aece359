//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/importer/lines"
	"track/internal/outsidetest"
	"track/internal/spool"
	"track/remote"
	"track/store"
)

// The tests of this file record with clients/python/track.py.

// pythonCommand returns a script, of testdata/python unless its path is absolute, as a command in a folder, with
// further variables of its environment.
func pythonCommand(t *testing.T, dir, script string, variables ...string) *exec.Cmd {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		outsidetest.Missing(t, "there is no python3: %v", err)
	}
	path, pathErr := script, error(nil)
	if !filepath.IsAbs(script) {
		path, pathErr = filepath.Abs(filepath.Join("testdata", "python", script))
	}
	client, clientErr := filepath.Abs("../../clients/python")
	if err := errors.Join(pathErr, clientErr); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-B", path)
	own := []string{"PYTHONPATH=" + client, "PYTHONUTF8=1", "XDG_CONFIG_HOME=" + filepath.Join(dir, "settings")}
	cmd.Dir, cmd.Env = dir, append(environ(), append(own, variables...)...)
	return cmd
}

// runPython runs a script, which has to succeed, and returns what it prints.
func runPython(t *testing.T, dir, script, input string, variables ...string) string {
	t.Helper()
	cmd := pythonCommand(t, dir, script, variables...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", script, err, &out, &errOut)
	}
	return out.String()
}

// csvOf returns the rows of a query, without their header.
func csvOf(t *testing.T, dir, query string) []string {
	t.Helper()
	rows := strings.Split(strings.TrimSpace(mustTrack(t, dir, "query", query, "--format", "csv")), "\n")
	return rows[1:]
}

// spooled returns the files of the spool in a folder whose names match a pattern.
func spooled(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".track", "spool", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// bitsOf returns the bits of a number as a JSON answer has it, and nan for NaN.
func bitsOf(t *testing.T, value any) string {
	t.Helper()
	text := fmt.Sprint(value)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	if math.IsNaN(x) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(x))
}

// What Python records is read back to the last bit.
func TestPythonRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := map[string][]string{}
	for line := range strings.Lines(runPython(t, dir, "record.py", "")) {
		f := strings.Fields(line)
		want[f[0]] = append(want[f[0]], f[2])
	}
	if files := spooled(t, dir, "*.open.jsonl"); len(files) > 0 {
		t.Errorf("not closed: %v", files)
	}
	mustTrack(t, dir, "ingest")
	const number = "18446744073709551615"
	var shown struct {
		Values        map[string]any
		Configuration struct {
			Label, Commit string
			Dirty         bool
			Params        json.RawMessage
		}
		Environment map[string]string
	}
	decodeNumbers(t, mustTrack(t, dir, "show", "seed", "bits", number, "--format", "json"), &shown)
	got := map[string][]string{}
	for i := range len(shown.Values) {
		got["value"] = append(got["value"], bitsOf(t, shown.Values[fmt.Sprintf("m%03d", i)]))
	}
	var series map[string][]any
	decodeNumbers(t, mustTrack(t, dir, "series", "export", "bits", number, "--to", "json"), &series)
	for name, values := range series {
		for _, value := range values {
			got[name] = append(got[name], bitsOf(t, value))
		}
	}
	if _, found := series["empty"]; !found {
		t.Error("the series without numbers is missing")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recorded bits (-want +got):\n%s", diff)
	}
	configuration := shown.Configuration
	const params = `{"beta":2.5,"flag":true,"gap":"NaN","list":[1,[2,3]],"n":9007199254740992,"none":null,"text":"ä","theta":14}`
	var compact bytes.Buffer
	if err := json.Compact(&compact, configuration.Params); err != nil || compact.String() != params || configuration.Label != "v1" || configuration.Commit != "c0ffee" || !configuration.Dirty {
		t.Errorf("%v, configuration %+v, params %s", err, configuration, &compact)
	}
	if shown.Environment["queue"] != "long" || shown.Environment["python"] == "" || shown.Environment["host"] == "" {
		t.Errorf("environment %v", shown.Environment)
	}
	checkPythonExecutions(t, dir)
}

// decodeNumbers reads JSON, and keeps the digits of its numbers.
func decodeNumbers(t *testing.T, text string, into any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func checkPythonExecutions(t *testing.T, dir string) {
	t.Helper()
	const fields = `SELECT task, version, key, task_type, complexity, trial, session, model, holdout, status, corrections, tokens_input, tokens_output, cost_usd, n_calls, n_failed, rubric FROM v_execution WHERE task = 't-17'`
	rubric := "judge:j-1@" + strings.Repeat("ab", 8)
	want := []string{"t-17,v002,t-17/1,coding,medium,2,s1,m-1,1,ok,1,1200,7,0.25,2,1," + rubric}
	if diff := cmp.Diff(want, csvOf(t, dir, fields)); diff != "" {
		t.Errorf("execution (-want +got):\n%s", diff)
	}
	want = []string{"1,Bash,2,failed,1,1", "2,Read,,,0,"}
	if diff := cmp.Diff(want, csvOf(t, dir, `SELECT call, tool, exit, error, answered, request FROM v_call ORDER BY call`)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	want = []string{"t-17,1,m-1,1000,5,0", "t-17,2,m-2,,2,", "t-18,1,,3,4,", "t-18,2,,5,6,"}
	if diff := cmp.Diff(want, csvOf(t, dir, `SELECT task, request, model, tokens_input, tokens_output, tokens_cache_read FROM v_request ORDER BY task, request`)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got := csvOf(t, dir, `SELECT tokens_input, tokens_output FROM v_execution WHERE task = 't-18'`); !slices.Equal(got, []string{"8,10"}) {
		t.Errorf("the sum of requests: %q", got)
	}
	if got := csvOf(t, dir, `SELECT length(key) FROM v_execution WHERE task = 't-18'`); !slices.Equal(got, []string{"26"}) {
		t.Errorf("the length of a key that was made: %q", got)
	}
}

// However a run ends, the record says so, the exception comes through, and an interruption records nothing.
func TestPythonFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runPython(t, dir, "failures.py", "")
	mustTrack(t, dir, "ingest", "--all")
	mustTrack(t, dir, "ingest", ".track/spool/ingested") // what was moved away while it was open
	want := []string{
		"1,error,IndexError: list index out of range", "2,error,KeyError", "5,ok,", "6,error,SystemExit: 3", "7,collapsed,no firms", "8,timeout,TimeoutError: 60 s",
		"9,error,Unprintable: its message cannot be read", "10,collapsed,no firms are left", "11,error,the run ended without a value", "12,error,ValueError: " + strings.Repeat("x", 33), "13,ok,", "16,ok,", "17,ok,",
	}
	if diff := cmp.Diff(want, csvOf(t, dir, `SELECT seed, outcome, substr(message, 1, 45) FROM v_seed ORDER BY CAST(seed AS INTEGER)`)); diff != "" {
		t.Errorf("seeds (-want +got):\n%s", diff)
	}
	if got := csvOf(t, dir, `SELECT length(message) FROM v_seed WHERE seed = '12'`); !slices.Equal(got, []string{strconv.Itoa(64<<10 + 1)}) {
		t.Errorf("the length of a message that was cut: %q", got)
	}
	want = []string{"e1,error,ConnectionError: reset,1", "e2,invalid,the judge was away,0"}
	if diff := cmp.Diff(want, csvOf(t, dir, `SELECT key, status, message, n_calls FROM v_execution ORDER BY key`)); diff != "" {
		t.Errorf("executions (-want +got):\n%s", diff)
	}
	if twice := len(linesOfSeed(t, spooled(t, dir, "ingested/*.jsonl"), "ends", 17)); twice != 2 {
		t.Errorf("a line whose file was taken meanwhile is in %d files, want 2", twice)
	}
}

// linesOfSeed returns the lines of a seed in files; all that track reads of them has to be right.
func linesOfSeed(t *testing.T, files []string, scenario string, number track.SeedNumber) (found []track.Seed) {
	t.Helper()
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		text, _, _, err := spool.Lines(file)
		if err != nil {
			t.Fatal(err)
		}
		for record, err := range lines.Read(path, text) {
			if err != nil || record.Err != nil {
				t.Fatal(err, record.Err)
			}
			if record.IsSeed() && record.Seed.Scenario == scenario && record.Seed.Number == number {
				found = append(found, record.Seed)
			}
		}
	}
	return found
}

// Threads, forked children and workers record while track ingests what they have written so far: each seed is recorded
// once, and the files of all processes that ended are closed.
func TestPythonTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustTrack(t, dir, "init")
	cmd := pythonCommand(t, dir, "together.py")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	for running := true; running; {
		mustTrack(t, dir, "ingest", "--all")
		select {
		case err = <-ended:
			running = false
		default:
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &errOut)
	}
	mustTrack(t, dir, "ingest")
	if files := spooled(t, dir, "*.jsonl"); len(files) > 0 {
		t.Errorf("left in the spool: %v", files)
	}
	want := strings.TrimSpace(out.String())
	if got := csvOf(t, dir, `SELECT count(*) FROM v_seed WHERE outcome = 'ok'`); !slices.Equal(got, []string{want}) {
		t.Errorf("%v seeds are recorded, want %s", got, want)
	}
	var shared struct{ Values map[string]float64 }
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "show", "seed", "shared", "1", "--format", "json")), &shared); err != nil || len(shared.Values) != 400 || shared.Values["m399"] != 399 {
		t.Errorf("%v; %d values of threads that share a seed, want 400", err, len(shared.Values))
	}
}

// A process dies at every line of the client, and in the middle of every write: all that was acknowledged is recorded,
// and nothing is recorded in part.
func TestPythonCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var acknowledged map[string][]int
	if err := json.Unmarshal([]byte(runPython(t, dir, "crash.py", "")), &acknowledged); err != nil {
		t.Fatal(err)
	}
	if len(acknowledged) < 100 {
		t.Errorf("only %d crashes", len(acknowledged))
	}
	mustTrack(t, dir, "ingest", "--all")
	recorded := map[string]bool{}
	for _, row := range csvOf(t, dir, `SELECT label, seed FROM v_seed WHERE outcome = 'ok'`) {
		recorded[row] = true
	}
	var unfinished int
	for label, numbers := range acknowledged {
		for _, n := range numbers {
			if key := fmt.Sprintf("%s,%d", label, n); !recorded[key] {
				t.Errorf("seed %s was acknowledged, and is not recorded", key)
			}
		}
		if len(numbers) == 0 {
			unfinished++
		}
	}
	if unfinished == 0 || unfinished == len(acknowledged) {
		t.Errorf("%d of %d processes acknowledged nothing", unfinished, len(acknowledged))
	}
	files := spooled(t, dir, "ingested/*.jsonl")
	for n := range track.SeedNumber(2) {
		seeds := linesOfSeed(t, files, "crash", n)
		if len(seeds) == 0 {
			t.Errorf("no seed %d", n)
		}
		for _, seed := range seeds {
			crash, err := strconv.Atoi(strings.TrimPrefix(seed.Configuration.Label, "c"))
			want := track.Seed{Outcome: track.OutcomeOK, Values: map[string]float64{"a": float64(crash) + float64(n)/3}, Series: []track.Series{{Name: "u", Values: []float64{float64(crash), float64(n)}}}}
			if err != nil || seed.Digest() != want.Digest() {
				t.Errorf("seed %d of %s is recorded in part: %+v", n, seed.Configuration.Label, seed)
			}
		}
	}
}

// Python refuses what track would refuse when it ingests the line, and puts lines where track looks for them.
func TestPythonRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var asked struct {
		Names    []string    `json:"names"`
		Integers []string    `json:"integers"`
		Folders  [][2]string `json:"folders"`
	}
	want := struct {
		Names, Integers []bool
		Folders         []string
	}{}
	special := func(r rune) bool { return track.IsHidden(r) || unicode.IsSpace(r) }
	asked.Names = []string{strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("ä", 100), strings.Repeat("ä", 101)}
	for r := range rune(utf8.MaxRune + 1) {
		if utf8.ValidRune(r) && (r < 0x300 || r%251 == 0 || r < 0xe000 && (special(r-1) || special(r) || special(r+1)) || r > 0xfe00 && r < 0x10010 || r > 0xdff00 && r < 0xe0200 || r > 0xefff0 && r < 0xf0010 || r > 0xffff0 && r < 0x100010) {
			asked.Names = append(asked.Names, "a"+string(r)+"b", "a"+string(r))
		}
	}
	for _, name := range asked.Names {
		want.Names = append(want.Names, track.CheckName(name) == nil)
	}
	for _, base := range []uint64{0, 1 << 53, 1 << 54, 1e16, 1e17, 1e18, 1 << 60, 123456789012345680, math.MaxUint64 - 20} {
		for i := range uint64(20) {
			asked.Integers = append(asked.Integers, strconv.FormatUint(base+i, 10), "-"+strconv.FormatUint(base+i, 10))
		}
	}
	for _, digits := range []int{20, 21, 22, 23, 24, 100, 308, 309, 400} {
		asked.Integers = append(asked.Integers, "1"+strings.Repeat("0", digits), "12"+strings.Repeat("0", digits), "1"+strings.Repeat("0", digits-1)+"1")
	}
	for _, text := range asked.Integers {
		_, err := track.NewParams([]byte(`{"n":` + strings.Replace(text, "-0", "0", 1) + `}`))
		want.Integers = append(want.Integers, err == nil)
	}
	asked.Folders, want.Folders = spoolFolders(t, dir)
	question, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	got := want
	got.Names, got.Integers, got.Folders = nil, nil, nil
	if err := json.Unmarshal([]byte(runPython(t, dir, "refused.py", string(question))), &got); err != nil {
		t.Fatal(err)
	}
	for i, name := range asked.Names {
		if got.Names[i] != want.Names[i] {
			t.Errorf("%q is taken: %v; by track: %v", name, got.Names[i], want.Names[i])
		}
	}
	for i, text := range asked.Integers {
		if got.Integers[i] != want.Integers[i] {
			t.Errorf("parameter %s is taken: %v; by track: %v", text, got.Integers[i], want.Integers[i])
		}
	}
	if diff := cmp.Diff(want.Folders, got.Folders); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

// spoolFolders returns variables with values, and the folders of the spools that track has for them.
func spoolFolders(t *testing.T, dir string) (asked [][2]string, want []string) {
	t.Helper()
	settings := filepath.Join(dir, "settings")
	// The program computes them below the settings of this process.
	own, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"https://track.example.org", "http://127.0.0.1:7717", "http://[::1]:7717/", "HTTPS://Track.Example.org/base/", "https://a.b/c/d"} {
		client, err := remote.New(address, "")
		if err != nil {
			t.Fatal(err)
		}
		folder, err := remote.SpoolDir(client.Address())
		if err != nil {
			t.Fatal(err)
		}
		asked, want = append(asked, [2]string{"TRACK_SERVER", address}), append(want, strings.Replace(folder, own, settings, 1))
	}
	remotes := filepath.Join(settings, "track", "remotes")
	if err := os.MkdirAll(remotes, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(remotes, "lab.json"), []byte(`{"url":"https://a.b/c/d"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	asked, want = append(asked, [2]string{"TRACK_SERVER", "lab"}, [2]string{"TRACK_SERVER", "nosuch"}), append(want, want[len(want)-1], "refused")
	for _, database := range []string{
		"postgres://ada:secret@db.example.org:5432/lab?search_path=s", "postgresql://ada@h1:1,h2:2/lab", "postgres:///lab?host=/run/postgresql", "results.db", "sub/results.db",
	} {
		folder, err := store.Folder(database)
		if err != nil {
			t.Fatal(err)
		}
		if !store.IsServer(database) {
			folder = filepath.Join(dir, folder)
		}
		asked, want = append(asked, [2]string{"TRACK_DB", database}), append(want, filepath.Join(strings.Replace(folder, own, settings, 1), "spool"))
	}
	for _, refused := range [][2]string{
		{"TRACK_SERVER", "ftp://a"}, {"TRACK_SERVER", "https://u:p@a"}, {"TRACK_SERVER", "https://a/?q"}, {"TRACK_DB", ""}, {"TRACK_DB", "postgres://a/b?password=x"},
	} {
		asked, want = append(asked, refused), append(want, "refused")
	}
	return append(asked, [2]string{"TRACK_OTHER", ""}), append(want, filepath.Join(dir, ".track", "spool"))
}

// The examples of the page run, and record what it says.
func TestPythonPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/how-to/python.md")
	if err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	for _, block := range strings.Split(string(page), "```python\n")[1:] {
		code, _, _ := strings.Cut(block, "```")
		program.WriteString(code)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "page.py")
	if err := os.WriteFile(path, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	runPython(t, dir, path, "")
	mustTrack(t, dir, "ingest")
	const counts = `SELECT (SELECT count(*) FROM v_seed WHERE scenario = 'growth' AND outcome = 'ok'), (SELECT count(*) FROM v_execution WHERE status = 'ok' AND n_calls = 1)`
	if got := csvOf(t, dir, counts); !slices.Equal(got, []string{"3,1"}) {
		t.Errorf("recorded %q, want 3 seeds and 1 execution", got)
	}
}

// What is recorded for a server waits where track push looks for it, and the next command sends it.
func TestPythonServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "served.db")
	mustTrack(t, dir, "init", "--db", db)
	_, address := listen(t, dir, db, "127.0.0.1:0")
	runPython(t, dir, "record.py", "", "TRACK_SERVER="+address)
	if _, err := os.Stat(filepath.Join(dir, ".track")); err == nil {
		t.Error("lines for a server are kept for a database")
	}
	cmd := exec.CommandContext(t.Context(), "track", "push")
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"), "TRACK_SERVER="+address)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out := mustTrack(t, dir, "query", "SELECT (SELECT count(*) FROM v_seed) AS seeds, (SELECT count(*) FROM v_execution) AS executions", "--db", db, "--format", "csv")
	if !strings.Contains(out, "2,2") {
		t.Errorf("recorded %s, want 2 seeds and 2 executions", out)
	}
}
