package track_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The tests of this file run the program itself, in many processes.

var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if buildDir != "" {
		_ = os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

// build builds the program once, for the first test that needs it.
var build = sync.OnceValues(func() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "track-test-"); err != nil {
		return "", err
	}
	path = filepath.Join(buildDir, "track")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-ldflags=-s -w", "-o", path, "./cmd/track")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return path, nil
})

// database is the database of a folder that processes work in; it need not exist yet.
type database struct {
	program string
	dir     string
	path    string
}

func newDatabase(t testing.TB) database {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return database{program, dir, filepath.Join(dir, ".track", "track.db")}
}

func (d database) command(input string, args ...string) *exec.Cmd {
	cmd := exec.Command(d.program, args...)
	cmd.Dir = d.dir
	cmd.Stdin = strings.NewReader(input)
	return cmd
}

// run runs the program to its end.
func (d database) run(input string, args ...string) (stdout, stderr string, code int) {
	cmd := d.command(input, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out.String(), err.Error(), -1
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

func (d database) mustRun(t testing.TB, input string, args ...string) string {
	t.Helper()
	stdout, stderr, code := d.run(input, args...)
	if code != 0 {
		t.Fatalf("track %s: exit code %d, %s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

const nMetrics = 5

func (d database) addSpec(t testing.TB) {
	t.Helper()
	spec := "scenario: s\nmetrics:\n"
	for i := range nMetrics {
		spec += fmt.Sprintf("  - {name: m%d, type: RANGE, min: 0, max: 100000}\n", i)
	}
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	d.mustRun(t, "", "init")
	d.mustRun(t, "", "spec", "add", file)
}

// values are those of a seed, as JSON.
func values(seed int) string {
	var parts []string
	for i := range nMetrics {
		parts = append(parts, fmt.Sprintf(`"m%d":%d.5`, i, seed))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func line(seed int) string {
	return fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","values":%s}`+"\n", seed, values(seed))
}

func recordSeed(seed int) []string {
	return []string{"record", "seed", "--scenario", "s", "--seed", strconv.Itoa(seed), "--commit", "c0ffee", "-"}
}

// check holds the database against what it must never be: unsound, or with a seed that is half recorded. It returns the
// seeds. The program itself looks, since SQLite is slow under the race detector.
func (d database) check(t testing.TB, judged bool) map[int]bool {
	t.Helper()
	d.mustRun(t, "", "check")
	assessments := 0
	if judged {
		assessments = 1
	}
	whole := fmt.Sprintf(`WITH
	  v AS (SELECT id, count(*) AS n, sum(value = seed + 0.5) AS n_right FROM v_value GROUP BY id),
	  a AS (SELECT id, count(*) AS n FROM v_assessment GROUP BY id),
	  r AS (SELECT id, count(*) AS n FROM v_result GROUP BY id)
	SELECT s.seed, v.n = %[1]d AND v.n_right = %[1]d AND coalesce(a.n, 0) = %[2]d AND coalesce(r.n, 0) = %[1]d * %[2]d AS whole
	  FROM v_seed s LEFT JOIN v ON v.id = s.id LEFT JOIN a ON a.id = s.id LEFT JOIN r ON r.id = s.id`, nMetrics, assessments)
	lines := strings.Split(strings.TrimSpace(d.mustRun(t, "", "query", whole, "--limit", "0", "--format", "csv")), "\n")
	seeds := map[int]bool{}
	for _, line := range lines[1:] { // without the names of the columns
		number, whole, _ := strings.Cut(line, ",")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		if whole != "1" || seeds[n] {
			t.Errorf("seed %d is not whole, or there twice", n)
		}
		seeds[n] = true
	}
	return seeds
}

// Many processes record from the first moment on, when there is no database yet: none is refused, and nothing is lost.
func TestManyProcesses(t *testing.T) {
	d := newDatabase(t)
	const processes, each = manyProcesses, seedsOfEach
	type outcome struct {
		seed, code     int
		stdout, stderr string
	}
	outcomes := make(chan outcome, processes*each)
	start := make(chan struct{})
	for p := range processes {
		go func() {
			<-start
			for i := range each {
				seed := i // that of all processes
				if i%2 == 0 {
					seed = 1000 + each*p + i
				}
				stdout, stderr, code := d.run(values(seed), recordSeed(seed)...)
				outcomes <- outcome{seed, code, stdout, stderr}
			}
		}()
	}
	close(start)
	recorded, duplicates := map[int]int{}, map[int]int{}
	created := 0
	for range processes * each {
		o := <-outcomes
		switch {
		case o.code != 0:
			t.Errorf("seed %d: exit code %d, %s", o.seed, o.code, o.stderr)
		case strings.HasPrefix(o.stdout, "recorded seed"):
			recorded[o.seed]++
		case strings.Contains(o.stdout, "is already recorded"):
			duplicates[o.seed]++
		default:
			t.Errorf("seed %d: %q", o.seed, o.stdout)
		}
		created += strings.Count(o.stderr, "created the database")
	}
	if created != 1 {
		t.Errorf("%d processes say that they created the database", created)
	}
	seeds := d.check(t, false)
	for seed := range seeds {
		want := 0
		if seed < 1000 {
			want = processes - 1
		}
		if recorded[seed] != 1 || duplicates[seed] != want {
			t.Errorf("seed %d was recorded %d times and a duplicate %d times, want 1 and %d", seed, recorded[seed], duplicates[seed], want)
		}
	}
	if want := each/2 + processes*each/2; len(seeds) != want || len(recorded) != want {
		t.Errorf("%d seeds, %d reported, want %d", len(seeds), len(recorded), want)
	}
}

type batchDocument struct{ Recorded, Duplicates, Conflicts, Rejected int }

// Batches that overlap, single seeds and readers at once: each seed is recorded by one of them, and every reader sees
// whole seeds.
func TestManyBatches(t *testing.T) {
	d := newDatabase(t)
	d.addSpec(t)
	const batches, each, step = 8, 300, 100 // each shares two thirds of its seeds with its neighbours
	var writers, readers sync.WaitGroup
	var mutex sync.Mutex
	var total batchDocument
	for b := range batches {
		writers.Go(func() {
			var text strings.Builder
			for i := range each {
				text.WriteString(line(b*step + i))
			}
			stdout, stderr, code := d.run(text.String(), "record", "batch", "-", "--format", "json")
			var document batchDocument
			if err := json.Unmarshal([]byte(stdout), &document); err != nil || code != 0 {
				t.Errorf("batch %d: exit code %d, %v, %s", b, code, err, stderr)
			}
			mutex.Lock()
			defer mutex.Unlock()
			total.Recorded += document.Recorded
			total.Duplicates += document.Duplicates
		})
	}
	done := make(chan struct{})
	for _, args := range [][]string{
		{"stability", "s", "--format", "json"}, {"history", "s", "--format", "json"}, {"seeds", "s", "--limit", "0", "--format", "json"},
	} {
		readers.Go(func() {
			for {
				stdout, stderr, code := d.run("", args...)
				const notFound = 3 // before the first seed
				if code != 0 && code != notFound {
					t.Errorf("track %s: exit code %d, %s", strings.Join(args, " "), code, stderr)
				}
				if args[0] == "stability" && code == 0 {
					checkStability(t, stdout)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	seeds := d.check(t, true)
	want := batchDocument{Recorded: (batches-1)*step + each}
	want.Duplicates = batches*each - want.Recorded
	if total != want || len(seeds) != want.Recorded {
		t.Errorf("%+v and %d seeds, want %+v", total, len(seeds), want)
	}
	checkStability(t, d.mustRun(t, "", "stability", "s", "--format", "json"))
}

// checkStability holds what an aggregate says of its seeds against what it says of its metrics: all pass, and none is
// of another moment than the others.
func checkStability(t testing.TB, document string) {
	t.Helper()
	var s struct {
		NSeeds   int     `json:"n_seeds"`
		NScored  int     `json:"n_scored"`
		PassRate float64 `json:"pass_rate"`
		Failed   []any   `json:"failed_seeds"`
		Metrics  []struct {
			N        int     `json:"n"`
			PassRate float64 `json:"pass_rate"`
		} `json:"metrics"`
	}
	if err := json.Unmarshal([]byte(document), &s); err != nil {
		t.Error(err)
	}
	sound := s.NSeeds == s.NScored && s.PassRate == 1 && len(s.Failed) == 0 && len(s.Metrics) == nMetrics
	for _, m := range s.Metrics {
		sound = sound && m.N == s.NSeeds && m.PassRate == 1
	}
	if !sound {
		t.Errorf("an aggregate of several moments: %+v", s)
	}
}

// killer ends processes at points that look random and are the same in every run, as far as the machine lets them.
type killer struct{ random *rand.Rand }

func newKiller() killer { return killer{rand.New(rand.NewPCG(2026, 1))} }

// wait lets a while pass that differs from call to call, most often a short one: so long as it takes to look for a file
// so often; in half of the calls from the moment on that the file is there.
func (k killer) wait(path string) {
	const patience = 1 << 20
	if k.random.IntN(2) == 0 {
		for range patience {
			if _, err := os.Stat(path); err == nil {
				break
			}
		}
	}
	for range 1 << k.random.IntN(15) {
		_, _ = os.Stat(path)
	}
}

// A process that is killed takes nothing with it that it, or another one, has acknowledged, and leaves no half of a
// seed.
func TestKilled(t *testing.T) {
	d := newDatabase(t)
	d.addSpec(t)
	k := newKiller()
	const rounds = killRounds
	promised := map[int]bool{} // acknowledged, or seen by somebody
	survive := func(round int) {
		t.Helper()
		seeds := d.check(t, true)
		for seed := range promised {
			if !seeds[seed] {
				t.Fatalf("round %d: seed %d is lost", round, seed)
			}
		}
		promised = seeds
	}
	next, killed, acknowledged := 0, 0, 0
	for round := range rounds {
		// A single seed.
		next++
		cmd := d.command(values(next), recordSeed(next)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		k.wait(d.path + "-wal")
		if kill(cmd) {
			killed++
		} else {
			acknowledged++
			promised[next] = true
		}
		// A batch, of which another record comes in the middle.
		cmd = d.command("", "record", "batch", "-")
		cmd.Stdin = nil
		input, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		n := 1 + k.random.IntN(1500)
		for i := range n {
			if _, err := io.WriteString(input, line(next+1+i)); err != nil {
				t.Fatal(err)
			}
		}
		other := next + n + 1
		if round%4 == 0 {
			d.mustRun(t, values(other), recordSeed(other)...)
			promised[other] = true
		}
		if round%2 == 0 {
			if err := input.Close(); err != nil { // so it may come to its end
				t.Fatal(err)
			}
		}
		k.wait(d.path + "-wal")
		if kill(cmd) {
			killed++
		} else {
			acknowledged++
			for i := range n {
				promised[next+1+i] = true
			}
		}
		next = other
		survive(round)
	}
	t.Logf("%d processes killed, %d ended before; %d seeds survived", killed, acknowledged, len(promised))
	if killed < rounds/2 {
		t.Errorf("only %d of %d processes were killed", killed, 2*rounds)
	}
	// What was cut short is finished by another attempt.
	var all strings.Builder
	for seed := 1; seed <= next; seed++ {
		if !promised[seed] {
			all.WriteString(line(seed))
		}
	}
	d.mustRun(t, all.String(), "record", "batch", "-")
	if seeds := d.check(t, true); len(seeds) != next {
		t.Errorf("%d seeds in the end, want %d", len(seeds), next)
	}
}

// kill ends a process and says whether it had not come to its own end, with success, before.
func kill(cmd *exec.Cmd) bool {
	_ = cmd.Process.Kill()
	return cmd.Wait() != nil
}

// A database whose creation was cut short is finished by whoever comes next.
func TestKilledCreation(t *testing.T) {
	k := newKiller()
	const rounds = creationRounds
	killed, unfinished := 0, 0
	for round := range rounds {
		d := newDatabase(t)
		args := recordSeed(1)
		if round%3 == 0 {
			args = []string{"init"}
		}
		cmd := d.command(values(1), args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		k.wait(d.path)
		acknowledged := !kill(cmd)
		if !acknowledged {
			killed++
			if _, err := os.Stat(d.path); err == nil {
				unfinished++
			}
		}
		if round%2 == 0 { // a reader may be the next as well; 3 says that there is no file yet, 5 that it is empty
			if _, stderr, code := d.run("", "seeds"); code != 0 && code != 3 && !(code == 5 && strings.Contains(stderr, "there is nothing in it")) {
				t.Fatalf("round %d: reading: exit code %d, %s", round, code, stderr)
			}
		}
		d.mustRun(t, values(2), recordSeed(2)...)
		seeds := d.check(t, false)
		if !seeds[2] || acknowledged && args[0] == "record" && !seeds[1] {
			t.Errorf("round %d: seeds %v are left", round, seeds)
		}
	}
	t.Logf("%d of %d creations killed, %d of them after the file was there", killed, rounds, unfinished)
	if killed < rounds/4 {
		t.Errorf("only %d of %d creations were killed", killed, rounds)
	}
}

// Many processes record executions from the first moment on: those of all at once, and each its own.
func TestManyProcessesOfExecutions(t *testing.T) {
	d := newDatabase(t)
	const processes, each = manyProcesses / 2, 4
	events := filepath.Join(t.TempDir(), "calls.jsonl")
	calls := strings.Repeat(`{"tool":"Bash","exit":0,"input":"ls"},`, 20)
	if err := os.WriteFile(events, []byte(`{"kind":"execution","lineage":"x","calls":[`+strings.TrimSuffix(calls, ",")+"]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		key, stdout, stderr string
		code                int
	}
	outcomes := make(chan outcome, processes*each)
	start := make(chan struct{})
	for p := range processes {
		go func() {
			<-start
			for i := range each {
				key := fmt.Sprint("everyone-", i)
				if i%2 == 0 {
					key = fmt.Sprint(p, "-", i)
				}
				stdout, stderr, code := d.run("It is 42, because that is so.", "record", "execution", "--lineage", "l", "--version", "v", "--key", key, "--events", events, "--output", "-")
				outcomes <- outcome{key, stdout, stderr, code}
			}
		}()
	}
	close(start)
	recorded, duplicates := map[string]int{}, 0
	for range processes * each {
		o := <-outcomes
		switch {
		case o.code != 0:
			t.Errorf("%s: exit code %d, %s", o.key, o.code, o.stderr)
		case strings.HasPrefix(o.stdout, "recorded execution"):
			recorded[o.key]++
		case strings.HasPrefix(o.stdout, "duplicate execution"):
			duplicates++
		default:
			t.Errorf("%s: %q", o.key, o.stdout)
		}
	}
	const want = each/2 + processes*each/2
	if len(recorded) != want || duplicates != (processes-1)*each/2 {
		t.Errorf("%d recorded and %d duplicates, want %d and %d", len(recorded), duplicates, want, (processes-1)*each/2)
	}
	for key, n := range recorded {
		if n != 1 {
			t.Errorf("%s was recorded %d times", key, n)
		}
	}
	whole := d.mustRun(t, "", "query", `WITH
	  c AS (SELECT execution, count(*) AS n FROM v_call GROUP BY execution), s AS (SELECT id, count(*) AS n FROM v_score GROUP BY id)
	SELECT count(*) AS n, count(DISTINCT e.key) AS keys, min(n_calls) AS least, min(coalesce(c.n, 0)) AS calls, min(coalesce(s.n, 0)) AS scores
	  FROM v_execution e LEFT JOIN c ON c.execution = e.id LEFT JOIN s ON s.id = e.id`, "--format", "csv")
	if wantRow := fmt.Sprintf("%d,%d,20,20,2\n", want, want); !strings.HasSuffix(whole, wantRow) {
		t.Errorf("%s, want %s", whole, wantRow)
	}
}
