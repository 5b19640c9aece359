//go:build unix && postgres

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"track/answer"
	"track/internal/testpostgres"
)

// onServer starts track with a database on a server, in a folder that has the spool too.
func onServer[A any](t *testing.T, dir, db string, variables []string, args ...string) *running[A] {
	t.Helper()
	variables = append(variables, "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	r := &running[A]{Cmd: exec.Command("track", append([]string{args[0], "--db", db, "--format", "json"}, args[1:]...)...)}
	r.Dir, r.Env, r.Stdout = dir, append(environ(), variables...), &r.stdout
	stderr, err := r.StderrPipe()
	if err := errors.Join(err, r.Start()); err != nil {
		t.Fatal(err)
	}
	r.stderr = bufio.NewReader(stderr)
	t.Cleanup(func() { _ = r.Process.Kill() }) // it may be gone
	return r
}

// seedsOf returns how often each seed is recorded in a database on a server.
func seedsOf(t *testing.T, db string) map[int]int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), "SELECT number FROM seed WHERE superseded_at IS NULL")
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	times := map[int]int{}
	for _, n := range numbers {
		times[n]++
	}
	return times
}

func wantOnce(t *testing.T, db string, seeds int) {
	t.Helper()
	times := seedsOf(t, db)
	for n := range seeds {
		if times[n] != 1 {
			t.Errorf("seed %d is recorded %d times", n, times[n])
		}
	}
	if len(times) != seeds {
		t.Errorf("%d seeds are recorded, want %d", len(times), seeds)
	}
}

// Several processes share a sweep. Some are killed, and some are stopped until others have taken their seeds: each seed
// is recorded once, and all that live end well.
func TestKilledAndStoppedSweepsPostgres(t *testing.T) {
	t.Parallel()
	processes, killed, stopped, seeds := 6, 2, 1, 150
	if os.Getenv("TRACK_CLAIMS") != "" {
		processes, killed, stopped, seeds = 32, 8, 4, 1500
	}
	server := ownServer(t)
	db, dir := testpostgres.Schema(t, server.URL), t.TempDir()
	mustTrackWith(t, dir, db, "init")
	_, began := pipe(t, filepath.Join(dir, "began"))
	args := []string{"sweep", "--commit", "c0ffee", "--scenario", "s", "--seeds", fmt.Sprint("0..", seeds-1), "--jobs", "2", "--",
		"sh", "-c", `echo $PPID >>"$1"; echo '{"a": 0.5}'`, "{{seed}}", "began"}
	sweeps := make([]*running[answer.SweepResult], processes)
	for i := range sweeps {
		sweeps[i] = onServer[answer.SweepResult](t, dir, db, []string{"TRACK_LEASE=500ms"}, args...)
	}
	signal := func(list []*running[answer.SweepResult], signal os.Signal) {
		for _, r := range list {
			_ = r.Process.Signal(signal) // it may have ended
		}
	}
	for range seeds / 6 {
		readLine(t, began)
	}
	gone, halted := sweeps[:killed], sweeps[killed:killed+stopped]
	signal(gone, os.Kill)
	signal(halted, syscall.SIGSTOP)
	// The others run everything that is left, so the claims of those that are stopped have ended.
	go func() {
		for {
			if _, err := began.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	report := func(i int, r *running[answer.SweepResult]) (nRan int) {
		a, code, text := r.ended(t)
		if code != exitOK || a.NConflicts > 0 {
			t.Errorf("process %d: exit code %d, %d conflicts: %s", i, code, a.NConflicts, text)
		}
		return a.NRan
	}
	nRan := 0
	for i, r := range sweeps[killed+stopped:] {
		nRan += report(killed+stopped+i, r)
	}
	wantOnce(t, db, seeds)
	signal(halted, syscall.SIGCONT)
	for i, r := range halted {
		nRan += report(killed+i, r)
	}
	for _, r := range gone {
		_ = r.Wait() // it was killed
	}
	wantOnce(t, db, seeds)
	t.Logf("%d processes, %d killed, %d stopped: %d seeds, %d of them by survivors", processes, killed, stopped, seeds, nRan)
}

// A server that crashes again and again loses nothing of what 8 processes were told is recorded, and what a command
// does again is not there twice.
func TestCrashedServerPostgres(t *testing.T) {
	t.Parallel()
	const processes, crashes = 8, 4
	server := ownServer(t)
	db, dir := testpostgres.Schema(t, server.URL), t.TempDir()
	mustTrackWith(t, dir, db, "init")
	var done atomic.Bool
	var commands sync.WaitGroup
	var acknowledged [processes]int // executions without keys, told apart by their task
	var unknown [processes]map[int]bool
	began := make(chan struct{}, 1000)
	for p := range processes {
		unknown[p] = map[int]bool{}
		commands.Go(func() {
			for n := 0; !done.Load(); n++ {
				select {
				case began <- struct{}{}:
				default:
				}
				args := []string{"record", "execution", "--db", db, "--lineage", "l", "--version", "v", "--task", fmt.Sprintf("t%d-%d", p, n), "--score", "50"}
				if p%2 == 0 {
					args = []string{"record", "seed", "--db", db, "--scenario", "s", "--commit", "c0ffee", "--seed", strconv.Itoa(p*1_000_000 + n), "--outcome", "error"}
				}
				cmd := exec.Command("track", args...)
				var output bytes.Buffer
				cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings")), &output, &output
				if err := cmd.Run(); err != nil {
					unknown[p][n] = true // the server was lost in COMMIT, and away for long
					if !strings.Contains(output.String(), "the server cannot be reached") {
						t.Errorf("%v: %s", err, &output)
						return
					}
				}
				acknowledged[p] = n + 1
			}
		})
	}
	for range crashes {
		for range 3 * processes {
			<-began
		}
		if err := server.Crash(); err != nil {
			t.Fatal(err)
		}
	}
	done.Store(true)
	commands.Wait()
	cmd := exec.Command("track", "ingest", "--db", db)
	cmd.Env = append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	recorded := strings.Fields(tables(t, dir, db, "SELECT task AS record FROM execution UNION ALL SELECT CAST(number AS text) FROM seed"))[1:]
	times := map[string]int{}
	for _, record := range recorded {
		times[record]++
	}
	total := 0
	for p, n := range acknowledged {
		for i := range n {
			record := fmt.Sprintf("t%d-%d", p, i)
			if p%2 == 0 {
				record = strconv.Itoa(p*1_000_000 + i)
			}
			if times[record] != 1 && !(unknown[p][i] && times[record] == 0) {
				t.Errorf("%s is recorded %d times", record, times[record])
			}
			total += times[record]
		}
	}
	if len(recorded) != total {
		t.Errorf("%d records, %d acknowledged", len(recorded), total)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "settings", "track", "servers", "*", "spool", "ingested", "*"))
	t.Logf("%d crashes: %d records, %d of them by way of the spool (%v)", crashes, total, len(kept), err)
}

// gated runs seeds that say that they began, and end when the test lets them.
func gated(t *testing.T, dir string) (args []string, began func() int, open func(n int)) {
	t.Helper()
	_, lines := pipe(t, filepath.Join(dir, "began"))
	gate, _ := pipe(t, filepath.Join(dir, "gate"))
	args = []string{"sh", "-c", `echo "$TRACK_SEED" >>began; read -r line <gate; echo '{"a": 0.5}'`, "{{seed}}"}
	began = func() int {
		n, err := strconv.Atoi(readLine(t, lines))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	open = func(n int) {
		if _, err := io.WriteString(gate, strings.Repeat("\n", n)); err != nil {
			t.Fatal(err)
		}
	}
	return args, began, open
}

// A sweep goes on while the server is away, and records what it kept once the server is back, or leaves it to track
// ingest. Nothing runs twice.
func TestSweepServerAwayPostgres(t *testing.T) {
	t.Parallel()
	const seeds = 40
	for _, isBack := range []bool{true, false} {
		t.Run(fmt.Sprintf("back %v", isBack), func(t *testing.T) {
			server := postgresServer(t)
			proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{})
			direct, dir := testpostgres.Schema(t, server), t.TempDir()
			db := proxy.Through(t, direct)
			mustTrackWith(t, dir, db, "init")
			command, began, open := gated(t, dir)
			sweep := func() *running[answer.SweepResult] {
				args := append([]string{"sweep", "--commit", "c0ffee", "--scenario", "s", "--seeds", fmt.Sprint("0..", seeds-1), "--jobs", "1", "--"}, command...)
				return onServer[answer.SweepResult](t, dir, db, nil, args...)
			}
			r := sweep()
			ran := 0
			next := func() {
				began()
				ran++
				open(1)
			}
			for range 5 {
				next()
			}
			began()
			ran++
			proxy.SetAway(true)
			open(1)
			for text := ""; !strings.Contains(text, "the server does not answer: recording into"); text = readLine(t, r.stderr) {
			}
			for range 10 {
				next()
			}
			proxy.SetAway(!isBack)
			told := make(chan string, 1)
			if isBack {
				go func() {
					for {
						line, err := r.stderr.ReadString('\n')
						if err != nil || strings.Contains(line, "the server is back") {
							told <- line
							return
						}
					}
				}()
				began()
				ran++
				// The server is asked now and then, when a seed has ended: the last but a few wait for that.
				for text := ""; text == ""; {
					select {
					case text = <-told:
					default:
						if ran == seeds-1 {
							text = "not yet"
							break
						}
						open(1)
						began()
						ran++
					}
				}
				open(1)
			}
			for ran < seeds {
				next()
			}
			a, code, text := r.ended(t)
			if code != exitOK || a.NRan != seeds || a.Ending != "finished" {
				t.Errorf("exit code %d, %+v: %s", code, a, text)
			}
			if !isBack {
				if !strings.Contains(text, "record it: track ingest") {
					t.Errorf("no notice of the spool: %s", text)
				}
				proxy.SetAway(false)
				cmd := exec.Command("track", "ingest", "--db", db)
				cmd.Env = append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
				if output, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, output)
				}
			}
			wantOnce(t, direct, seeds)
			again, code, text := sweep().ended(t)
			if code != exitOK || again.NRan != 0 || again.NKnown != seeds {
				t.Errorf("again: exit code %d, %d ran, %d known: %s", code, again.NRan, again.NKnown, text)
			}
			if got := tables(t, dir, direct, "SELECT DISTINCT ending FROM sweep"); !strings.HasSuffix(strings.TrimSpace(got), "finished") || strings.Count(got, "\n") != 2 {
				t.Errorf("the sweeps ended as %q", got)
			}
		})
	}
}

// schemaOf returns the name of the schema that a URL names.
func schemaOf(t *testing.T, db string) string {
	t.Helper()
	u, err := url.Parse(db)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("search_path")
}

// What a server refuses for a reason that is not the record's is kept: with an error if somebody has to mend
// something, without one if the server only takes nothing for now.
func TestRefusedRecordsPostgres(t *testing.T) {
	t.Parallel()
	standby := ownServer(t)
	ofStandby := strings.Replace(standby.URL, "sslmode", "search_path=growth&sslmode", 1)
	if err := standby.Exec("CREATE SCHEMA growth"); err != nil {
		t.Fatal(err)
	}
	mustTrackWith(t, t.TempDir(), ofStandby, "init")
	if err := standby.BecomeStandby(); err != nil {
		t.Fatal(err)
	}
	server := ownServer(t)
	for _, statement := range []string{"CREATE ROLE crowded LOGIN CONNECTION LIMIT 0", "CREATE ROLE stranger LOGIN"} {
		if err := server.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	schema := testpostgres.Schema(t, server.URL)
	mustTrackWith(t, t.TempDir(), schema, "init")
	reads := fmt.Sprintf("GRANT USAGE ON SCHEMA %[1]s TO stranger; GRANT SELECT ON ALL TABLES IN SCHEMA %[1]s TO stranger", schemaOf(t, schema))
	if err := server.Exec(reads); err != nil {
		t.Fatal(err)
	}
	as := func(change func(*url.URL)) string {
		u, err := url.Parse(schema)
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return u.String()
	}
	for name, test := range map[string]struct {
		db   string
		code int
		want string
	}{
		"a role that does not exist":     {as(func(u *url.URL) { u.User = url.User("nobody") }), exitInternal, "refused the user"},
		"a database that does not exist": {as(func(u *url.URL) { u.Path = "/none" }), exitInternal, "no such database"},
		"no rights":                      {as(func(u *url.URL) { u.User = url.User("stranger") }), exitInternal, "no right to do that"},
		"too many connections":           {as(func(u *url.URL) { u.User = url.User("crowded") }), exitOK, "no connection left"},
		"a standby":                      {ofStandby, exitOK, "the server is a standby"},
		"a server that is away":          {as(func(u *url.URL) { u.Host = "127.0.0.1:1" }), exitOK, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i, args := range [][]string{
				{"record", "seed", "--scenario", "s", "--seed", "7", "--commit", "c0ffee", "--outcome", "error"},
				{"record", "execution", "--lineage", "l", "--version", "v", "--score", "50"},
				{"record", "batch", "-"},
			} {
				cmd := exec.Command("track", append(args, "--db", test.db)...)
				cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
				cmd.Stdin = strings.NewReader(`{"kind":"seed","scenario":"s","seed":"8","configuration":{"commit":"c0ffee"},"values":{"m":2}}` + "\n")
				output, _ := cmd.CombinedOutput() // the exit code is looked at
				if code := cmd.ProcessState.ExitCode(); code != test.code || !regexp.MustCompile(test.want).Match(output) {
					t.Errorf("%v: exit code %d, want %d: %s", args, code, test.code, output)
				}
				kept, err := filepath.Glob(filepath.Join(dir, "settings", "track", "servers", "*", "spool", "*.jsonl"))
				if err != nil || len(kept) != i+1 {
					t.Errorf("%v: %d files are kept, error %v, want %d", args, len(kept), err, i+1)
				}
			}
		})
	}
}
