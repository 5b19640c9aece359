//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/answer"
	"track/internal/fifotest"
)

// The commands of the loops of these tests. The score follows from the content, the task and the number of the trial.
const (
	proposeScript = `. ./before.sh
{ cat "$TRACK_CONTENT"; echo "Rule $TRACK_NUMBER by $TRACK_OPERATOR."; } > "$TRACK_CHILD"
`
	evaluateScript = `. ./before.sh
sum=$({ cat "$TRACK_CONTENT"; echo "$TRACK_TASK"; } | cksum | cut -d ' ' -f 1)
echo $((40 + $(wc -l < "$TRACK_CONTENT") + (sum + TRACK_NUMBER) % 9))
`
)

// evolveFolder is a folder with a lineage l and the commands. Each run of a command does something before.
func evolveFolder(t *testing.T, before string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"root.md": "Be brief, and answer in English.\n", "tasks": "tone\nsums\ndates\nnames\n", "propose.sh": proposeScript, "evaluate.sh": evaluateScript, "before.sh": before + "\n",
	} {
		writeText(t, filepath.Join(dir, name), text)
	}
	mustTrack(t, dir, "lineage", "new", "l", "--root", "root.md", "--seed", "11", "--policy", "greedy", "--db", "track.db")
	mustTrack(t, dir, "lineage", "set", "l", "max_per_day=100", "max_high_per_day=100", "--db", "track.db")
	return dir
}

// startLoop starts track evolve in a folder.
func startLoop(t *testing.T, dir string, args ...string) *running[answer.Evolved] {
	t.Helper()
	all := append([]string{"evolve", "--lineage", "l", "--propose", "sh propose.sh", "--evaluate", "sh evaluate.sh", "--tasks", "tasks"}, args...)
	return startTrack[answer.Evolved](t, dir, []string{"TRACK_TOKEN=hidden"}, all...)
}

// evolvedLedger is the ledger of a lineage, with all evidence, but for times and the hashes that depend on them.
func evolvedLedger(t *testing.T, dir string) string {
	t.Helper()
	if stdout := mustTrack(t, dir, "replay", "--lineage", "l", "--strict", "--db", "track.db"); !strings.Contains(stdout, "decisions verified") {
		t.Error(stdout)
	}
	return mustTrack(t, dir, "query", "--db", "track.db", "--format", "csv", `SELECT number, kind, mutation, attempt, head_after, body ->> '$.draw.raw', body ->> '$.operator',
		body ->> '$.decision.state', body ->> '$.decision.delta', body ->> '$.decision.used_child', body ->> '$.decision.used_parent', body ->> '$.decision.failed_child'
		FROM v_ledger ORDER BY number`) +
		mustTrack(t, dir, "query", "--db", "track.db", "--format", "csv", "SELECT key, version, task, status, score FROM v_execution ORDER BY key")
}

// A loop that is killed again and again, in trials and in proposals, comes to the ledger of an undisturbed one.
func TestKilledLoop(t *testing.T) {
	t.Parallel()
	undisturbed := evolveFolder(t, ":")
	all, code, stderr := startLoop(t, undisturbed, "--max-mutations", "6").ended(t)
	if code != exitOK || all.NAccepted == 0 || all.NRejected == 0 || all.NProposed != 6 {
		t.Fatalf("exit code %d, %+v: %s", code, all, stderr)
	}
	want := evolvedLedger(t, undisturbed)
	dir := evolveFolder(t, "")
	_, lines := pipe(t, filepath.Join(dir, "pipe"))
	for round, n := range []int{0, 1, 6, 8, 11} {
		goOn, _ := pipe(t, filepath.Join(dir, fmt.Sprint("go", round)))
		writeText(t, filepath.Join(dir, "before.sh"), fmt.Sprintf("echo \"$TRACK_KEY$TRACK_OPERATOR ${TRACK_TOKEN-none}\" >pipe; read -r go <go%d\n", round))
		l := startLoop(t, dir, "--max-mutations", "6")
		for i := range n + 1 {
			if line := readLine(t, lines); !strings.HasSuffix(line, " none") {
				t.Errorf("the token is handed on: %q", line)
			}
			if i == n { // this one waits
				break
			}
			if _, err := io.WriteString(goOn, "\n"); err != nil {
				t.Fatal(err)
			}
		}
		_ = l.Process.Kill()
		_ = l.Wait() // it was killed
	}
	writeText(t, filepath.Join(dir, "before.sh"), ":\n")
	a, code, stderr := startLoop(t, dir, "--max-mutations", "6").ended(t)
	if code != exitOK || a.NTrials < all.NTrials-26 || a.NTrials > all.NTrials-15 || a.Spent.Trials != all.NTrials {
		t.Errorf("exit code %d, %+v: %s", code, a, stderr)
	}
	if got := evolvedLedger(t, dir); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Ctrl-C ends the running trials, which are not recorded and run again; what was whole is.
func TestInterruptedLoop(t *testing.T) {
	dir := evolveFolder(t, `case $TRACK_KEY in */child/*) exec 3>"$HELD"; echo here >&3; exec sleep 600; esac`)
	held := fifotest.New(t)
	t.Setenv("HELD", held.Path)
	l := startLoop(t, dir, "--max-mutations", "1", "--parallel", "3")
	for range 3 { // after three trials of the root, and three of the parent beside the child
		held.Line(t)
	}
	if err := l.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	a, code, stderr := l.ended(t)
	if code != exitInterrupted || a.Ending != answer.EvolveInterrupted || a.NTrials != 6 || a.NFailed != 0 || !strings.Contains(stderr, "goes on where it stopped") {
		t.Errorf("exit code %d, %+v: %s", code, a, stderr)
	}
	held.Gone(t)
	writeText(t, filepath.Join(dir, "before.sh"), ":\n")
	if a, code, stderr = startLoop(t, dir, "--max-mutations", "1").ended(t); code != exitOK || a.NTrials != 5 || a.NProposed != 0 || a.NAccepted+a.NRejected != 1 {
		t.Errorf("exit code %d, %+v: %s", code, a, stderr)
	}
	evolvedLedger(t, dir)
}

// Two loops share the trials of one lineage: none is doubled, each mutation is proposed once, and all decisions replay.
func TestLoopsAtOnce(t *testing.T) {
	t.Parallel()
	dir := evolveFolder(t, ":")
	var loops []*running[answer.Evolved]
	for range 3 {
		loops = append(loops, startLoop(t, dir, "--max-mutations", "8", "--parallel", "2"))
	}
	var trials, proposed, decided int
	for _, l := range loops {
		a, code, stderr := l.ended(t)
		if code != exitOK || a.NFailed > 0 || a.Ending != answer.EvolveBudget {
			t.Errorf("exit code %d, %+v: %s", code, a, stderr)
		}
		trials, proposed, decided = trials+a.NTrials, proposed+a.NProposed, decided+a.NAccepted+a.NRejected
	}
	if proposed != 8 || decided != 8 {
		t.Errorf("%d mutations and %d decisions, want 8 and 8", proposed, decided)
	}
	count := mustTrack(t, dir, "query", "--db", "track.db", "--format", "csv", "SELECT count(*), count(DISTINCT key) FROM v_execution")
	if _, rows, _ := strings.Cut(count, "\n"); strings.TrimSpace(rows) != fmt.Sprintf("%d,%d", trials, trials) {
		t.Errorf("%d trials were recorded, and there are %s", trials, rows)
	}
	evolvedLedger(t, dir)
}
