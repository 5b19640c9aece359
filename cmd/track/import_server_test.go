package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Logs that have ended are sent to a server, where their executions are those of an import into its database, with the
// same scores. A log that may go on is left out, and named.
func TestImportForServer(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	for _, log := range []struct {
		from, to string
		age      time.Duration
	}{
		{"../../importer/claudecode/testdata/session.jsonl", "logs/claude.jsonl", 3 * time.Hour},
		{"../../importer/codex/testdata/rollout.jsonl", "logs/codex.jsonl", 3 * time.Hour},
		{"../../importer/codex/testdata/oldest.jsonl", "logs/fresh.jsonl", 0},
	} {
		text, err := os.ReadFile(log.from)
		to, written := filepath.Join(m.dir, log.to), time.Now().Add(-log.age)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o600), os.Chtimes(to, written, written)); err != nil {
			t.Fatal(err)
		}
	}
	server := func(args ...string) (out string, code int) {
		t.Helper()
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env = m.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(m.dir, "settings"), "TRACK_SERVER="+m.address)
		text, _ := cmd.CombinedOutput()
		return string(text), cmd.ProcessState.ExitCode()
	}
	arguments := []string{"import", "auto", "logs", "--lineage", "mixed", "--version", "v1"}
	const executions = `SELECT execution.source, execution.key, hex(execution.digest) AS digest, execution_score.rubric, execution_score.score
		FROM execution LEFT JOIN execution_score ON execution_score.execution_id = execution.id ORDER BY 1, 2, 4`
	if out, code := server(append(arguments, "--dry-run")...); code != exitOK || !strings.Contains(out, "dry run, nothing recorded: 2 files") {
		t.Errorf("dry run: exit code %d: %s", code, out)
	}
	out, code := server(arguments...)
	if code != exitOK || !strings.Contains(out, "1 file written within the last hour and left out") || !strings.Contains(out, "fresh.jsonl") || !strings.Contains(out, "sent to "+m.address) {
		t.Fatalf("exit code %d: %s", code, out)
	}
	sent := m.query(m.to, executions)
	if out, code := server(arguments...); code != exitOK || m.query(m.to, executions) != sent {
		t.Errorf("again: exit code %d: %s", code, out)
	}
	if err := os.Remove(filepath.Join(m.dir, "logs/fresh.jsonl")); err != nil {
		t.Fatal(err)
	}
	m.record(arguments...)
	if diff := cmp.Diff(m.query(m.from, "SELECT key FROM execution WHERE is_open = 0 ORDER BY key"), m.query(m.to, "SELECT key FROM execution ORDER BY key")); diff != "" {
		t.Errorf("executions (-imported +sent):\n%s", diff)
	}
	mustTrack(t, m.dir, append(arguments, "--db", m.to)...)
	if diff := cmp.Diff(m.query(m.from, executions), m.query(m.to, executions)); diff != "" {
		t.Errorf("with what was open (-imported +sent):\n%s", diff)
	}
	if out, code := server("import", "sepa", "logs", "--lineage", "l"); code == exitOK {
		t.Errorf("sepa: %s", out)
	}
	if out, code := server(append(arguments, "--keep-text")...); code != exitUsage || !strings.Contains(out, "--keep-text is for a database") {
		t.Errorf("--keep-text: exit code %d: %s", code, out)
	}
}
