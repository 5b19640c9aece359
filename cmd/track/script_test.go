package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver

	"track/internal/testpostgres"
)

// TestMain makes the test binary run as track itself if it is called by that name: tests start real processes.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "track" {
		runProcess()
	}
	os.Exit(runTests(m))
}

// runProcess is main, for processes that tests start.
func runProcess() {
	if server := os.Getenv(scriptServer); server != "" {
		os.Exit(trackOnServer(server))
	}
	if skew := os.Getenv(clockSkew); skew != "" {
		os.Exit(trackWithSkew(skew))
	}
	main()
}

// runTests runs tests with track in the path, and with settings and spools of servers of their own.
func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "track-test-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = setUpTests(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func setUpTests(dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return errors.Join(
		linkOrCopy(program, filepath.Join(dir, "track")),
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")),
		os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "settings")),
	)
}

// linkOrCopy makes a program run by another name, which is also the one that it sees.
func linkOrCopy(program, name string) error {
	if os.Link(program, name) == nil {
		return nil
	}
	content, err := os.ReadFile(program) // another file system
	return errors.Join(err, os.WriteFile(name, content, 0o777))
}

var update = flag.Bool("update", false, "make what the scripts print what they want")

// TestScripts runs testdata/script. Scripts have the commands of testscript and those below; $EXAMPLES is
// examples/bam, $EVOLVE examples/evolve, and $REFERENCE the results that bam-engine computed itself, $ESCAPE the
// control character, $NEWLINE and $HIDDEN others. The conditions [sqlite] and [postgres] are about the database.
// Scripts run one after another, because the folder and the environment are those of this process while a script runs
// track in it.
func TestScripts(t *testing.T) {
	params := scriptParams("")
	params.Cmds["track"] = trackHere
	params.Cmds["exits"] = func(ts *testscript.TestScript, neg bool, args []string) { exits(ts, neg, args, runHere) }
	testscript.RunT(inTurnScript{t}, params)
}

// inTurnScript is a script that waits for the end of the one before it.
type inTurnScript struct{ *testing.T }

// Run implements [testscript.T].
func (s inTurnScript) Run(name string, run func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { run(inTurnScript{t}) })
}

// Parallel implements [testscript.T].
func (inTurnScript) Parallel() {}

// Verbose implements [testscript.T].
func (inTurnScript) Verbose() bool { return testing.Verbose() }

// scriptParams returns how scripts run with databases on a server; in files if it is empty.
func scriptParams(server string) testscript.Params {
	return testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUpScript,
		Condition: func(name string) (bool, error) {
			switch name {
			case "root": // whom no permission stops
				return os.Geteuid() == 0, nil
			case "sqlite":
				return server == "", nil
			case "postgres":
				return server != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"track":     startTrackInScript,
			"exits":     func(ts *testscript.TestScript, neg bool, args []string) { exits(ts, neg, args, startInScript) },
			"getjson":   getJSON,
			"keys":      keys,
			"normalise": normalise,
			"reference": reference,
			"bytes":     writeBytes,
			"copydb":    copyDatabase,
			"sql":       execSQL,
			"rows":      rows,
		},
	}
}

func setUpScript(env *testscript.Env) error {
	for name, path := range map[string]string{"EXAMPLES": "../../examples/bam", "EVOLVE": "../../examples/evolve", "REFERENCE": "../../scoring/testdata/bam"} {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		env.Setenv(name, path)
	}
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".settings")) // where spools of servers lie
	env.Setenv("ESCAPE", "\x1b")
	env.Setenv("NEWLINE", "\n")
	env.Setenv("HIDDEN", "\u200b")
	for _, variable := range gitEnvironment() {
		name, value, _ := strings.Cut(variable, "=")
		env.Setenv(name, value)
	}
	return nameVariables(env)
}

// environ returns the environment of the tests without a database that it names.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TRACK_DB=") })
}

// gitEnvironment shields tests from the configuration of their user, and lets them commit.
func gitEnvironment() []string {
	return []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	}
}

// variables is the key of the names of variables in the values of a script.
type variables struct{}

// setsVariable finds the variables that a script sets.
var setsVariable = regexp.MustCompile(`(?m)^env (\w+)=`)

// nameVariables keeps the names of the variables of a script for runHere: testscript does not list them.
func nameVariables(env *testscript.Env) error {
	names := map[string]bool{}
	for _, variable := range env.Vars {
		name, _, _ := strings.Cut(variable, "=")
		names[name] = true
	}
	script, err := os.ReadFile(filepath.Join("testdata", "script", strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+".txtar"))
	for _, match := range setsVariable.FindAllSubmatch(script, -1) {
		names[string(match[1])] = names[string(match[1])]
	}
	env.Values[variables{}] = names
	return err
}

// runHere runs track in this process, in the folder and the environment of the script, and returns the exit code. A
// variable that the script sets to nothing is unset. Standard input is empty: after the command stdin, and in the
// background, scripts start processes with exec.
func runHere(ts *testscript.TestScript, args []string) int {
	folder, err := os.Getwd()
	ts.Check(err)
	environment := os.Environ()
	defer func() {
		ts.Check(setEnvironment(environment))
		ts.Check(os.Chdir(folder))
	}()
	own := []string{"PWD=" + ts.MkAbs(".")}
	for name, always := range ts.Value(variables{}).(map[string]bool) {
		if value := ts.Getenv(name); always || value != "" {
			own = append(own, name+"="+value)
		}
	}
	ts.Check(setEnvironment(own))
	ts.Check(os.Chdir(ts.MkAbs(".")))
	return run(context.Background(), append([]string{"track"}, args...), strings.NewReader(""), ts.Stdout(), ts.Stderr(), os.LookupEnv)
}

func setEnvironment(variables []string) (err error) {
	os.Clearenv()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

// trackHere is the command track: track record batch seeds.jsonl
func trackHere(ts *testscript.TestScript, neg bool, args []string) {
	if code := runHere(ts, args); neg != (code != exitOK) {
		ts.Fatalf("exit code %d", code)
	}
}

// startInScript runs track as a process, and returns the exit code.
func startInScript(ts *testscript.TestScript, args []string) int {
	return exitCodeOf(ts, ts.Exec("track", args...))
}

// startTrackInScript is the command track, as a process.
func startTrackInScript(ts *testscript.TestScript, neg bool, args []string) {
	if code := startInScript(ts, args); neg != (code != exitOK) {
		ts.Fatalf("exit code %d", code)
	}
}

func exitCodeOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// exits runs track, or a program, which has to end with an exit code: exits 5 track record batch bad.jsonl, exits 5
// exec sh simulate.sh
func exits(ts *testscript.TestScript, neg bool, args []string, runTrack func(ts *testscript.TestScript, args []string) int) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code [exec] program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	switch program := args[1]; {
	case program == "track":
		got = runTrack(ts, args[2:])
	case program == "exec" && len(args) > 2:
		got = exitCodeOf(ts, ts.Exec(args[2], args[3:]...))
	default:
		got = exitCodeOf(ts, ts.Exec(program, args[2:]...))
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// getJSON puts a member of the JSON on standard output into a variable of the environment: getjson configuration.hash
// HASH
func getJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: getjson path variable")
	}
	value := parseJSON(ts, "stdout")
	for name := range strings.SplitSeq(args[0], ".") {
		switch parent := value.(type) {
		case map[string]any:
			member, ok := parent[name]
			if !ok {
				ts.Fatalf("%s: there is no %s", args[0], name)
			}
			value = member
		case []any:
			i, err := strconv.Atoi(name)
			ts.Check(err)
			if i >= len(parent) {
				ts.Fatalf("%s: there are %d elements", args[0], len(parent))
			}
			value = parent[i]
		default:
			ts.Fatalf("%s: %v has no members", args[0], value)
		}
	}
	ts.Setenv(args[1], fmt.Sprint(value))
}

// keys writes the paths of all members of a JSON document into a file, sorted, one on a line: keys stdout got.txt
func keys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keys json file")
	}
	paths := map[string]bool{}
	var walk func(prefix string, value any)
	walk = func(prefix string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, member := range value {
				paths[prefix+name] = true
				walk(prefix+name+".", member)
			}
		case []any:
			for _, element := range value {
				walk(strings.TrimSuffix(prefix, ".")+"[].", element)
			}
		}
	}
	walk("", parseJSON(ts, args[0]))
	lines := strings.Join(slices.Sorted(maps.Keys(paths)), "\n") + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(lines), 0o666))
}

func parseJSON(ts *testscript.TestScript, file string) any {
	var value any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&value))
	return value
}

// What differs from run to run, and from machine to machine: times, ULIDs, and the last digits of numbers.
var (
	timePattern   = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z`)
	ulidPattern   = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	numberPattern = regexp.MustCompile(`-?\b\d+\.\d{12,}(e-?\d+)?\b`)
)

// normalise copies a file without what differs from run to run: normalise stdout got.json
func normalise(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normalise from to")
	}
	text := ts.ReadFile(args[0])
	text = timePattern.ReplaceAllString(text, "TIME")
	text = ulidPattern.ReplaceAllString(text, "ULID")
	text = numberPattern.ReplaceAllStringFunc(text, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		ts.Check(err)
		return strconv.FormatFloat(x, 'g', 12, 64)
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}

// reference holds the stability on standard output against one that bam-engine computed: reference
// stability_baseline.json
func reference(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reference file")
	}
	type metric struct {
		Name      string  `json:"name"`
		MeanValue float64 `json:"mean_value"`
		StdValue  float64 `json:"std_value"`
		MeanScore float64 `json:"mean_score"`
		StdScore  float64 `json:"std_score"`
		PassRate  float64 `json:"pass_rate"`
	}
	type totals struct {
		MeanScore     float64 `json:"mean_score"`
		StdScore      float64 `json:"std_score"`
		MinScore      float64 `json:"min_score"`
		MaxScore      float64 `json:"max_score"`
		PassRate      float64 `json:"pass_rate"`
		CombinedScore float64 `json:"combined_score"`
	}
	var got struct {
		totals
		Stable  bool     `json:"stable"`
		Metrics []metric `json:"metrics"`
	}
	var want struct {
		totals
		Stable  bool              `json:"is_stable"`
		Metrics map[string]metric `json:"metric_stats"`
	}
	answer := strings.NewReplacer(`"score_of_seeds_that_ran"`, `"mean_score"`, `"score_of_seeds_with_value"`, `"mean_score"`).Replace(ts.ReadFile("stdout")) // as bam-engine calls them
	ts.Check(json.Unmarshal([]byte(answer), &got))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &want))
	numbers := func(t totals) []float64 {
		return []float64{t.MeanScore, t.StdScore, t.MinScore, t.MaxScore, t.PassRate, t.CombinedScore}
	}
	if !areClose(numbers(got.totals), numbers(want.totals)) || got.Stable != want.Stable {
		ts.Fatalf("totals are %+v, stable %v; want %+v, stable %v", got.totals, got.Stable, want.totals, want.Stable)
	}
	if len(got.Metrics) != len(want.Metrics) {
		ts.Fatalf("%d metrics, want %d", len(got.Metrics), len(want.Metrics))
	}
	for _, g := range got.Metrics {
		w := want.Metrics[g.Name]
		if !areClose([]float64{g.MeanValue, g.StdValue, g.MeanScore, g.StdScore, g.PassRate}, []float64{w.MeanValue, w.StdValue, w.MeanScore, w.StdScore, w.PassRate}) {
			ts.Fatalf("metric %s is %+v, want %+v", g.Name, g, w)
		}
	}
}

func areClose(got, want []float64) bool {
	const tolerance = 1e-12
	return slices.EqualFunc(got, want, func(g, w float64) bool { return math.Abs(g-w) <= tolerance })
}

// writeBytes writes a file of exactly the given bytes, in which escapes are those of Go and {N} behind a byte repeats
// it N times: bytes bom.jsonl '\xef\xbb\xbf{"kind": …'
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes file text")
	}
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	repeated := regexp.MustCompile(`.\{\d+\}`).ReplaceAllFunc([]byte(text), func(match []byte) []byte {
		n, err := strconv.Atoi(string(match[2 : len(match)-1]))
		ts.Check(err)
		return bytes.Repeat(match[:1], n)
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), repeated, 0o666))
}

// execSQL changes a database behind the back of track: sql track.db 'PRAGMA user_version = 99'.
func execSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql file statement")
	}
	file := ts.MkAbs(args[0])
	if url := urlIn(file); url != "" {
		ts.Check(testpostgres.Exec(url, args[1]))
		return
	}
	db, err := sql.Open("sqlite", file)
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}

// copyDatabase copies a database, over another one if there is one: copydb track.db saved.db
func copyDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copydb from to")
	}
	from, to := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	if url := urlIn(from); url != "" {
		name := scriptDatabase(ts.Getenv(scriptPrefix), to)
		copied, err := testpostgres.CopyDatabase(ts.Getenv(scriptServer), url, name)
		ts.Check(errors.Join(err, os.WriteFile(to, []byte(copied), 0o666)))
		return
	}
	content, err := os.ReadFile(from)
	ts.Check(err)
	ts.Check(os.WriteFile(to, content, 0o666))
}
