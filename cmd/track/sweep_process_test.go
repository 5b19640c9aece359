//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"track"
	"track/answer"
)

// pipe makes a named pipe that the test holds open at both ends, so that nobody waits for another to open it.
func pipe(t *testing.T, path string) (*os.File, *bufio.Reader) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f, bufio.NewReader(f)
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// startSweep starts track sweep in a folder.
func startSweep(t *testing.T, dir string, args ...string) *running[answer.SweepResult] {
	t.Helper()
	return startTrack[answer.SweepResult](t, dir, nil, append([]string{"sweep", "--commit", "c0ffee"}, args...)...)
}

// market builds examples/market.
func market(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "market")
	if output, err := exec.Command("go", "build", "-o", path, "../../examples/market").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return path
}

// marketSweep are the arguments of a sweep of the market in dir, in which each run does something before. The command
// is the same whatever that is: the name of the file is made when it runs, so the file is data, which is not watched.
func marketSweep(t *testing.T, dir, program, before string) []string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "before"), []byte(before+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	script := `part=bef; eval "$(cat ${part}ore)"; [ "$TRACK_SEED" != 11 ] || exit 1; exec "$0" --out "$TRACK_OUT" --theta "$TRACK_PARAM_theta" --periods 200 --firms 8 --households 24`
	return []string{"--scenario", "market", "--seeds", "0..79", "--param", "theta=8,14", "--jobs", "4", "--", "sh", "-c", script, program}
}

// marketStability is what track says of the two configurations of the market.
func marketStability(t *testing.T, dir string) string {
	t.Helper()
	if sound := integrityOf(t, filepath.Join(dir, "track.db")); sound != "ok" {
		t.Errorf("integrity check: %s", sound)
	}
	hashes := strings.Fields(mustTrack(t, dir, "query", "--db", "track.db", "--format", "csv", "SELECT DISTINCT configuration FROM v_seed ORDER BY configuration"))
	var b strings.Builder
	for _, hash := range hashes[1:] { // without the name of the column
		b.WriteString(mustTrack(t, dir, "stability", "market@"+hash, "--db", "track.db", "--format", "json"))
	}
	return b.String()
}

func marketFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	spec, err := filepath.Abs("../../examples/market/market.spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	mustTrack(t, dir, "init", "--db", "track.db")
	mustTrack(t, dir, "spec", "add", spec, "--db", "track.db")
	return dir
}

// newestSweep returns what the database says of the sweep that began last.
func newestSweep(t *testing.T, dir string) (a answer.Sweep) {
	t.Helper()
	var list answer.Sweeps
	if err := answer.Decode(strings.NewReader(mustTrack(t, dir, "sweep", "list", "--db", "track.db", "--format", "json")), &list); err != nil || len(list.Items) == 0 {
		t.Fatalf("%d sweeps, %v", len(list.Items), err)
	}
	if err := answer.Decode(strings.NewReader(mustTrack(t, dir, "sweep", "show", list.Items[0].ID, "--db", "track.db", "--format", "json")), &a); err != nil {
		t.Fatal(err)
	}
	if a.IsRunning != list.Items[0].IsRunning {
		t.Errorf("running: %v by itself, %v in the list", a.IsRunning, list.Items[0].IsRunning)
	}
	return a
}

// runsSlowSeed reports whether one of the seeds runs that wait until they are killed.
func runsSlowSeed(c answer.ConfigurationProgress) bool {
	return slices.ContainsFunc(c.Running, func(n track.SeedNumber) bool { return n == 3 || n == 40 || n == 79 })
}

// A sweep whose process is killed, and one whose commands are, come to what an undisturbed one finds, to the byte.
func TestKilledSweep(t *testing.T) {
	t.Parallel()
	program := market(t)
	undisturbed := marketFolder(t)
	all, code, stderr := startSweep(t, undisturbed, marketSweep(t, undisturbed, program, "")...).ended(t)
	if code != exitOK || all.NRan != 160 || all.NFailed == 0 || all.NFailed > 16 { // seed 11 fails
		t.Fatalf("exit code %d, %d ran, %d failed: %s", code, all.NRan, all.NFailed, stderr)
	}
	want := marketStability(t, undisturbed)
	if strings.Count(want, `"n_planned": 80`) != 2 {
		t.Errorf("planned seeds are not told: %s", want)
	}
	t.Run("the sweep", func(t *testing.T) {
		t.Parallel()
		dir := marketFolder(t)
		_, lines := pipe(t, filepath.Join(dir, "pipe"))
		args := marketSweep(t, dir, program, `echo "$TRACK_SEED" >>pipe`)
		recorded := 0
		for range 3 {
			cmd := startSweep(t, dir, args...)
			for range 25 {
				readLine(t, lines)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
			if a := newestSweep(t, dir); a.IsRunning || a.Progress.NRunning != 0 || a.State() != "running, or killed" {
				t.Errorf("killed: running %v, with %d seeds, %s", a.IsRunning, a.Progress.NRunning, a.State())
			}
			if n := countSeeds(t, dir, "track.db"); n < recorded || n >= 160 {
				t.Errorf("%d seeds are recorded, before %d", n, recorded)
			} else {
				recorded = n
			}
		}
		d, code, stderr := startSweep(t, dir, marketSweep(t, dir, program, "")...).ended(t)
		if code != exitOK || d.NKnown != recorded || d.NRan != 160-recorded || recorded == 0 {
			t.Errorf("exit code %d, %d known of %d, %d ran: %s", code, d.NKnown, recorded, d.NRan, stderr)
		}
		if got := marketStability(t, dir); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("its commands", func(t *testing.T) {
		t.Parallel()
		dir := marketFolder(t)
		_, lines := pipe(t, filepath.Join(dir, "pipe"))
		cmd := startSweep(t, dir, marketSweep(t, dir, program, `case $TRACK_SEED in 3|40|79) echo $$ >pipe; exec sleep 600; esac`)...)
		for range 6 {
			pid, err := strconv.Atoi(readLine(t, lines))
			if a := newestSweep(t, dir); !a.IsRunning || a.State() != "running" || !slices.ContainsFunc(a.Progress.Configurations, runsSlowSeed) {
				t.Errorf("%s, %d seeds run, of %+v", a.State(), a.Progress.NRunning, a.Progress.Configurations)
			}
			if err := errors.Join(err, syscall.Kill(pid, syscall.SIGKILL)); err != nil {
				t.Error(err)
			}
		}
		d, code, text := cmd.ended(t)
		if code != exitOK || d.NRan != 160 || d.NFailed != 6+all.NFailed || strings.Count(text, "killed by SIGKILL") != 6 {
			t.Errorf("exit code %d, %d ran, %d failed: %s", code, d.NRan, d.NFailed, text)
		}
		if got := marketStability(t, dir); got == want {
			t.Error("failed seeds leave no trace")
		}
		again := append([]string{"--rerun-failed"}, marketSweep(t, dir, program, "")...)
		if d, code, stderr := startSweep(t, dir, again...).ended(t); code != exitOK || d.NRan != 6+all.NFailed || d.NKnown != 154-all.NFailed || d.NFailed != all.NFailed {
			t.Errorf("exit code %d, %d ran, %d known, %d failed: %s", code, d.NRan, d.NKnown, d.NFailed, stderr)
		}
		if got := marketStability(t, dir); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
}

// waiting is a command that says that it began, and waits for a line; its child holds the pipe of what lives.
const waiting = `exec 3>"$3"; sleep 600 & echo "$TRACK_SEED" >>"$1"; read -r line <"$2"; echo '{"a": 0.5}'`

// The first Ctrl-C lets the runs finish, the second kills them with their children.
func TestInterruptedSweep(t *testing.T) {
	t.Parallel()
	for _, signals := range []int{1, 2} {
		dir := t.TempDir()
		_, began := pipe(t, filepath.Join(dir, "began"))
		gate, _ := pipe(t, filepath.Join(dir, "gate"))
		alive, _ := pipe(t, filepath.Join(dir, "alive"))
		cmd := startSweep(t, dir, "--scenario", "s", "--seeds", "0..9", "--jobs", "2", "--", "sh", "-c", waiting, "{{seed}}", "began", "gate", "alive")
		first := []string{readLine(t, began), readLine(t, began)}
		if slices.Sort(first); !slices.Equal(first, []string{"0", "1"}) {
			t.Errorf("%v began", first)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(readLine(t, cmd.stderr), "finishing the 2 seeds that run; Ctrl-C again kills them") {
		}
		want := answer.SweepResult{NRan: 2}
		if signals == 2 {
			want.NRan = 0
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		} else if _, err := io.WriteString(gate, "\n\n"); err != nil {
			t.Fatal(err)
		}
		d, code, text := cmd.ended(t)
		if code != exitInterrupted || d.NRan != want.NRan || d.Ending != "interrupted" || !strings.Contains(text, "hint: the same command goes on where it stopped") {
			t.Errorf("%d signals: exit code %d, %+v\n%s", signals, code, d, text)
		}
		if n := countSeeds(t, dir, "track.db"); n != want.NRan {
			t.Errorf("%d signals: %d seeds are recorded, want %d", signals, n, want.NRan)
		}
		nobodyHolds(t, alive)
	}
}

// nobodyHolds waits until no process but the test holds a pipe: after its own end, whoever reads finds it at its end.
func nobodyHolds(t *testing.T, pipe *os.File) {
	t.Helper()
	reader, err := os.OpenFile(pipe.Name(), os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	_ = pipe.Close()
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// A sweep that is killed leaves nothing running: neither its commands, nor what they started, nor what left the group
// of a command. All of them hold a pipe, which is at its end when the last one is gone.
func TestKilledSweepLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		// What a command writes beyond what fits into a pipe is read by a sweep that has told its guard of the command.
		"grandchildren": `exec 3>"$1"; sleep 600 & head -c 1000000 /dev/zero; echo "$TRACK_SEED" >began; wait`,
		"at once":       `exec 3>"$1"; sleep 600 & echo "$TRACK_SEED" >began; wait`,
		"a new session": `exec 3>"$1"; setsid sh -c 'echo "$TRACK_SEED" >began; (setsid sleep 600 & sleep 600); :' & wait`,
	} {
		t.Run(name, func(t *testing.T) { testKilledSweepLeavesNothing(t, script) })
	}
}

func testKilledSweepLeavesNothing(t *testing.T, script string) {
	t.Parallel()
	if strings.Contains(script, "setsid") {
		if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
			t.Skip("a process that leaves the group of its sweep is found by /proc alone, so on Linux, and setsid makes one")
		}
	}
	dir := t.TempDir()
	_, began := pipe(t, filepath.Join(dir, "began"))
	alive, _ := pipe(t, filepath.Join(dir, "alive"))
	cmd := startSweep(t, dir, "--scenario", "s", "--seeds", "0..9", "--jobs", "2", "--", "sh", "-c", script, "{{seed}}", "alive")
	for range 2 {
		readLine(t, began)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	nobodyHolds(t, alive)
}

// Two sweeps of one plan share its seeds: each runs once.
func TestTwoSweeps(t *testing.T) {
	t.Parallel()
	const seeds = 40
	dir := t.TempDir()
	mustTrack(t, dir, "init", "--db", "track.db")
	_, began := pipe(t, filepath.Join(dir, "began"))
	gate, _ := pipe(t, filepath.Join(dir, "gate"))
	if err := os.WriteFile(filepath.Join(dir, "alive"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"--scenario", "s", "--seeds", fmt.Sprint("0..", seeds-1), "--jobs", "3", "--", "sh", "-c", waiting, "{{seed}}", "began", "gate", "alive"}
	var counts [seeds]int
	count := func() {
		t.Helper()
		n, err := strconv.Atoi(readLine(t, began))
		if err != nil {
			t.Fatal(err)
		}
		counts[n]++
	}
	a := startSweep(t, dir, args...)
	for range 3 {
		count()
	}
	b := startSweep(t, dir, args...)
	for range 3 { // both are at work
		count()
	}
	if _, err := io.WriteString(gate, strings.Repeat("\n", seeds)); err != nil {
		t.Fatal(err)
	}
	for range seeds - 6 {
		count()
	}
	first, codeA, textA := a.ended(t)
	second, codeB, textB := b.ended(t)
	if codeA != exitOK || codeB != exitOK || first.NRan < 3 || second.NRan < 3 || first.NRan+second.NRan != seeds || first.NConflicts+second.NConflicts > 0 ||
		first.Configurations[0].NSeeds != seeds || second.Configurations[0].NSeeds != seeds { // neither ends before all are recorded
		t.Errorf("exit codes %d and %d, %+v, %+v\n%s\n%s", codeA, codeB, first, second, textA, textB)
	}
	for n, times := range counts {
		if times != 1 {
			t.Errorf("seed %d ran %d times", n, times)
		}
	}
	if n := countSeeds(t, dir, "track.db"); n != seeds {
		t.Errorf("%d seeds are recorded, want %d", n, seeds)
	}
}
