package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/answer"
	"track/importer/importertest"
)

// numbers runs a query that returns one row of numbers.
func numbers(t *testing.T, dir, query string, args ...any) []int {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "track.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatalf("no row: %v, %v", err, rows.Err())
	}
	list, targets := make([]int, len(columns)), make([]any, len(columns))
	for i := range list {
		targets[i] = &list[i]
	}
	if err := rows.Scan(targets...); err != nil {
		t.Fatal(err)
	}
	return list
}

// The counts of the README beside the real logs, which come from another reader, as the database has them after an
// import. Where they differ, the reason stands beside them.
func TestImportReal(t *testing.T) {
	t.Parallel()
	real, dir := importertest.RealFolder(t), t.TempDir()
	const (
		calls     = "count(*)"
		answered  = "coalesce(sum(call.answered), 0)"
		failed    = "coalesce(sum(call.error <> ''), 0)"
		exits     = "count(call.exit)"
		nonZero   = "coalesce(sum(call.exit <> 0), 0)"
		rejected  = "coalesce(sum(call.rejected), 0)"
		withInput = "coalesce(sum(call.input_bytes > 0), 0)"
	)
	for _, tt := range []struct {
		format, path string
		columns      string
		want         []int
		skips        bool
	}{
		{"claude-code", "claude-code-transcript/fasthooks-sample_main_transcript.jsonl", calls + "," + answered + "," + failed + "," + exits, []int{10, 10, 2, 2}, false},
		{"claude-code", "claude-code-transcript/spotter-short.jsonl", calls + "," + answered + "," + rejected, []int{2, 2, 2}, false},
		{"claude-code", "claude-code-transcript/spotter-tool_heavy.jsonl", calls + "," + answered + "," + failed, []int{6, 6, 0}, false},
		{"claude-code", "claude-code-transcript/spotter-subagent.jsonl", calls + "," + answered + "," + failed, []int{16, 16, 0}, false},
		{"claude-code", "claude-code-transcript/codemie-session-196820da.jsonl", calls + "," + answered + "," + failed + "," + exits, []int{65, 65, 2, 2}, false},
		{"claude-code", "claude-code-transcript/codemie-incremental-subagents-turn-2.jsonl", calls + "," + answered + "," + failed, []int{14, 14, 0}, false},
		{"claude-code", "claude-code-transcript/agentcmd-full-session.jsonl", calls + "," + answered + "," + failed, []int{23, 20, 0}, false},
		{"claude-code", "claude-code-transcript/claude-code-log-edge_cases.jsonl", calls + "," + answered + "," + failed, []int{3, 1, 1}, true}, // made with damage
		{"claude-code", "claude-code-transcript/claude-code-log-representative_messages.jsonl", calls + "," + answered + "," + failed, []int{2, 2, 0}, false},
		{"claude-code", "claude-code-transcript/spotter-8463c716-first.jsonl", calls + "," + answered + "," + failed, []int{28, 28, 1}, false},
		{"claude-hooks", "claude-code-hooks", calls + "," + answered, []int{4, 3}, false},
		// The README counts 102 and 118 calls. 54 and 2 of them are write_stdin, which polls a command that runs and is
		// none itself; the first file has 3 web searches besides, which the README's script did not see, since they
		// have no call_id.
		{"codex", "codex-rollout/codemie-0.125.0-rollout-2026-05-11T11-26-55.jsonl", calls + "," + exits + "," + nonZero, []int{102 - 54 + 3, 46, 4}, false},
		{"codex", "codex-rollout/localpush-0.104.0-rollout-2026-02-23T12-41-04.jsonl", calls + "," + answered + "," + exits, []int{118 - 2, 116, 0}, false},
		{"codex", "codex-rollout/localpush-0.104.0-rollout-2026-02-23T20-34-25.jsonl", calls + "," + answered + "," + exits, []int{5, 5, 0}, false},
		{"codex", "codex-rollout/agentcmd-0.40.0-rollout-2025-09-24T20-12-23.masked.jsonl", calls + "," + exits + "," + nonZero, []int{16, 16, 3}, false},
		{"tau-bench", "tau-bench", calls + "," + failed, []int{431, 50}, false},
		{"atif", "atif/rfc-example.atif-v1.4.json", calls + "," + answered, []int{2, 2}, false},
		{"atif", "atif/login-trace.atif-v1.7.json", calls + "," + answered, []int{6, 6}, false},
		{"swe-agent", "swe-agent-traj/pydicom-1458-gpt4.traj", calls + "," + answered, []int{12, 12}, false},
		{"swe-agent", "swe-agent-traj/mini-github_issue.traj.json", exits + "," + nonZero, []int{9, 2}, false},
		{"openhands", "openhands/multi_swe_bench-output-1.jsonl", exits + "," + nonZero, []int{13, 5}, false},
		{"openhands", "openhands/resolver-mock-output-1.jsonl", exits + "," + nonZero, []int{2, 0}, false},
		{"otlp", "claude-code-otel", calls + "," + failed, []int{5, 1}, false},
		{"inspect", "inspect-ai/browser.json", calls + "," + failed, []int{4, 0}, false},
		{"inspect", "inspect-ai/log_tool_call_error.json", calls + "," + failed, []int{11, 11}, false},
		{"inspect", "inspect-ai/log_message_deduplication.eval", calls + "," + failed, []int{5, 0}, false},
		{"sepa", "sepa", withInput + "," + answered + "," + exits, []int{222, 242, 0}, true}, // each pre is a call with an input, each post an answer
	} {
		lineage := tt.path
		stdout, stderr, code := runTrack(t, dir, "import", tt.format, filepath.Join(real, filepath.FromSlash(tt.path)), "--lineage", lineage, "--db", "track.db", "--format", "json")
		var d answer.Imported
		if err := json.Unmarshal([]byte(stdout), &d); err != nil || (code == exitInvalid) != tt.skips || code != exitOK && code != exitInvalid {
			t.Errorf("%s: exit code %d, %v\n%s", tt.path, code, err, stderr)
			continue
		}
		of := " FROM call JOIN execution ON execution.id = call.execution_id JOIN lineage ON lineage.id = execution.lineage_id WHERE lineage.name = ?"
		got := numbers(t, dir, "SELECT "+tt.columns+of, lineage)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.path, tt.columns, diff)
		}
		if all := numbers(t, dir, "SELECT count(*)"+of, lineage); all[0] != d.Calls {
			t.Errorf("%s: %d calls in the database, %d in the summary", tt.path, all[0], d.Calls)
		}
	}
	tau := "WHERE lineage.name = 'tau-bench'"
	want := []int{64, 14, 11} // episodes, with reward 1, without a tool call
	got := numbers(t, dir, `SELECT count(truths ->> 'reward'), sum(truths ->> 'reward' = 1), sum(n_calls = 0) FROM execution JOIN lineage ON lineage.id = lineage_id `+tau)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tau-bench (-want +got):\n%s", diff)
	}
	if got := numbers(t, dir, `SELECT tokens FROM (SELECT sum(tokens_cache_read) AS tokens FROM execution WHERE session LIKE '196820da%')`); got[0] != 2_560_506 {
		t.Errorf("%d tokens read from the cache, counted once for each message", got[0])
	}
	// All of it at once, then again: nothing is new.
	before := numbers(t, dir, "SELECT count(*), (SELECT count(*) FROM call) FROM execution")
	for round, wantNew := range []bool{true, false} {
		stdout, _, _ := runTrack(t, dir, "import", "auto", real, "--lineage", "all", "--db", "track.db", "--format", "json")
		var d answer.Imported
		if err := json.Unmarshal([]byte(stdout), &d); err != nil {
			t.Fatal(err)
		}
		after := numbers(t, dir, "SELECT count(*), (SELECT count(*) FROM call) FROM execution")
		if added := after[0] - before[0]; added != d.Executions || after[1]-before[1] != d.Calls || (added > 0) != wantNew || d.Files != 41 || d.Conflicts != 0 || !wantNew && d.Versions != 0 {
			t.Errorf("round %d: %d executions and %d calls more, summary %+v", round, added, after[1]-before[1], d)
		}
		before = after
	}
}

// transcript writes a transcript of so many executions, of some calls each.
func transcript(t *testing.T, path string, executions int) {
	t.Helper()
	var b bytes.Buffer
	for n := range executions {
		line := func(kind, id, content string) {
			fmt.Fprintf(&b, `{"type":%q,"uuid":"u-%d-%s","sessionId":"%s","timestamp":"2026-03-01T10:00:00Z","message":{"role":%q,"content":%s}}`+"\n", kind, n, id, filepath.Base(path), kind, content)
		}
		line("user", "p", `"go on"`)
		for c := range 4 {
			line("assistant", fmt.Sprint(c), fmt.Sprintf(`[{"type":"tool_use","id":"%s-%d-%d","name":"Bash","input":{"command":"make"}}]`, filepath.Base(path), n, c))
			line("user", fmt.Sprint(c, "r"), fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"%s-%d-%d","content":"%s"}]`, filepath.Base(path), n, c, strings.Repeat("built ", 300)))
		}
		line("assistant", "a", `[{"type":"text","text":"It is built."}]`)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Processes that import the same folder at once record each execution once.
func TestImportAtOnce(t *testing.T) {
	t.Parallel()
	const processes, files, each = 3, 3, 50
	dir := t.TempDir()
	for i := range files {
		transcript(t, filepath.Join(dir, "logs", fmt.Sprintf("%d.jsonl", i)), each)
	}
	summaries := make([]answer.Imported, processes)
	var all sync.WaitGroup
	for i := range summaries {
		all.Go(func() {
			stdout, stderr, code := runTrack(t, dir, "import", "claude-code", "logs", "--lineage", "l", "--db", "track.db", "--format", "json")
			if err := json.Unmarshal([]byte(stdout), &summaries[i]); err != nil || code != exitOK {
				t.Errorf("exit code %d, %v, %s", code, err, stderr)
			}
		})
	}
	all.Wait()
	recorded := 0
	for _, s := range summaries {
		recorded += s.Executions
		if s.Executions+s.Duplicates != files*each {
			t.Errorf("%d recorded and %d duplicates, want %d in total", s.Executions, s.Duplicates, files*each)
		}
	}
	if got := numbers(t, dir, "SELECT count(*), (SELECT count(*) FROM call) FROM execution"); recorded != files*each || got[0] != files*each || got[1] != 4*files*each {
		t.Errorf("%d are reported and %d with %d calls found, want %d", recorded, got[0], got[1], files*each)
	}
}

// An import that is killed leaves whole executions; the same again adds the rest.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	const each = 500
	dir := t.TempDir()
	transcript(t, filepath.Join(dir, "log.jsonl"), each)
	mustTrack(t, dir, "init", "--db", "track.db")
	command := exec.Command("track", "import", "claude-code", "log.jsonl", "--lineage", "l", "--db", "track.db")
	command.Dir = dir
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for seen == 0 && t.Context().Err() == nil {
		seen = numbers(t, dir, "SELECT count(*) FROM execution")[0]
	}
	if err := command.Process.Kill(); err != nil {
		t.Logf("it was done before: %v", err)
	}
	_ = command.Wait() // it was killed
	after := numbers(t, dir, "SELECT count(*), (SELECT count(*) FROM call), sum(n_calls) FROM execution")
	if after[0] < seen || after[1] != after[2] || after[1] != 4*after[0] {
		t.Errorf("%d executions were seen; left are %d, with %d calls of %d", seen, after[0], after[1], after[2])
	}
	if sound := integrityOf(t, filepath.Join(dir, "track.db")); sound != "ok" {
		t.Errorf("integrity check: %s", sound)
	}
	var again answer.Imported
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "import", "claude-code", "log.jsonl", "--lineage", "l", "--db", "track.db", "--format", "json")), &again); err != nil {
		t.Fatal(err)
	}
	if all := numbers(t, dir, "SELECT count(*), (SELECT count(*) FROM call) FROM execution"); again.Duplicates != after[0] || again.Executions != each-after[0] || all[0] != each || all[1] != 4*each {
		t.Errorf("after %d of %d: %d duplicates, %d recorded, %v in all", after[0], each, again.Duplicates, again.Executions, all)
	}
	t.Logf("killed after %d of %d", after[0], each)
}

// Not a byte of a secret gets into the files of the database, whether texts are kept or not. The secrets are made
// here, so that they stand in no file of the project.
func TestImportMasks(t *testing.T) {
	t.Parallel()
	secrets := []string{"sk-ant-" + "api03-" + strings.Repeat("Ab3x", 24), "gh" + "p_" + strings.Repeat("a1B2", 9), "AK" + "IA" + strings.Repeat("Q7", 8)}
	for _, keep := range []bool{false, true} {
		dir := t.TempDir()
		var b bytes.Buffer
		for i, secret := range secrets {
			fmt.Fprintf(&b, `{"type":"user","uuid":"p%d","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":"go on"}}
{"type":"assistant","uuid":"a%[1]d","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%[1]d","name":"Bash","input":{"command":"export KEY=%[2]s"}}]}}
{"type":"user","uuid":"r%[1]d","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%[1]d","is_error":true,"content":"Exit code 1\nbad key %[2]s"}]}}
{"type":"assistant","uuid":"b%[1]d","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","message":{"role":"assistant","content":[{"type":"text","text":"The key %[2]s does not work."}]}}
`, i, secret)
		}
		if err := os.WriteFile(filepath.Join(dir, "log.jsonl"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"import", "claude-code", "log.jsonl", "--lineage", "l", "--db", "data/track.db"}
		if keep {
			args = append(args, "--keep-text")
		}
		if stdout := mustTrack(t, dir, args...); !strings.Contains(stdout, "secrets masked") {
			t.Errorf("%s", stdout)
		}
		files, err := os.ReadDir(filepath.Join(dir, "data"))
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(filepath.Join(dir, "data", file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if keep && file.Name() == "track.db" && !bytes.Contains(content, []byte("[masked:")) {
				t.Error("the texts are not kept")
			}
			for i, secret := range secrets {
				if bytes.Contains(content, []byte(secret)) {
					t.Errorf("keep %v: secret %d stands in %s", keep, i, file.Name())
				}
			}
		}
	}
}

// A compressed log that is cut off gives what was whole.
func TestImportCutGzip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	transcript(t, filepath.Join(dir, "log.jsonl"), 300)
	text, err := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"whole.jsonl.gz": packed.Bytes(), "cut.jsonl.gz": packed.Bytes()[:packed.Len()/2]} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, code := runTrack(t, dir, "import", "claude-code", "cut.jsonl.gz", "--lineage", "l", "--db", "track.db")
	if code != exitInvalid || !strings.Contains(stderr, "cut.jsonl.gz:") || !strings.Contains(stderr, "unexpected EOF") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if got := numbers(t, dir, "SELECT count(*) FROM execution")[0]; got < 50 || got > 250 {
		t.Errorf("%d executions of the first half of 300", got)
	}
	mustTrack(t, dir, "import", "auto", "whole.jsonl.gz", "--lineage", "l", "--db", "track.db")
	if got := numbers(t, dir, "SELECT count(*), (SELECT count(*) FROM call) FROM execution"); got[0] != 300 || got[1] != 1200 {
		t.Errorf("%d executions, %d calls", got[0], got[1])
	}
}

// The runs of other evolvers: programs, versions, steps and evaluations as the README beside them counts them, and
// independent counts of the ids, contents and timeouts in the files. A timeout has no score, though the source
// carries 0.5 for it.
func TestImportRealRuns(t *testing.T) {
	t.Parallel()
	runs := importertest.RealRuns(t)
	for _, tt := range []struct {
		format, path                                                     string
		executions, failed, timeouts, versions, mutations, lost, inverse int
	}{
		// The README counts 66 programs and 19 timeouts; one more failed without a timeout. 62 contents, 2 parents that
		// no checkpoint has.
		{"openevolve", "openevolve-metagpt-mast", 66, 20, 19, 62, 65, 2, 0},
		{"shinka", "shinka-txn-gemini3pro-run5", 100, 2, 0, 99, 99, 0, 0},
		{"openevolve", "raw-openevolve-arc-checkpoint/checkpoint_100", 2, 0, 0, 2, 1, 0, 0},
		// 10 programs, each on 45 problems, and 33 minibatches; 24 proposals were rejected, and have no content.
		{"gepa", "gepa-aime-math", 10 + 450 + 33, 0, 0, 10, 33, 24, 0},
		{"gepa", "gepa-polynomial-0", 16 + 16 + 15, 0, 0, 16, 15, 0, 0},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for range 2 { // the second time, nothing is new
				mustTrack(t, dir, "import", tt.format, filepath.Join(runs, tt.path), "--lineage", "l", "--db", "track.db")
			}
			got := numbers(t, dir, `
				SELECT count(*), sum(status <> 'ok'), sum(status = 'timeout'), (SELECT count(*) FROM version WHERE content IS NOT NULL),
				       (SELECT count(*) FROM mutation), (SELECT count(*) FROM version WHERE content IS NULL),
				       (SELECT count(*) FROM execution WHERE status <> 'ok' AND id IN (SELECT execution_id FROM execution_score WHERE score IS NOT NULL))
				  FROM execution`)
			want := []int{tt.executions, tt.failed, tt.timeouts, tt.versions, tt.mutations, tt.lost, tt.inverse}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			mustTrack(t, dir, "replay", "--strict", "--db", "track.db")
			exported := mustTrack(t, dir, "export", "lineage", "l", "--db", "track.db")
			if err := os.WriteFile(filepath.Join(dir, "l.jsonl"), []byte(exported), 0o600); err != nil {
				t.Fatal(err)
			}
			mustTrack(t, dir, "merge", "l.jsonl", "--db", "other.db")
			if again := mustTrack(t, dir, "export", "lineage", "l", "--db", "other.db"); again != exported {
				t.Error("imported elsewhere, it is exported as other bytes")
			}
		})
	}
}

// Equal contents that were scored otherwise stay two evaluations of one version.
func TestImportRealTwins(t *testing.T) {
	t.Parallel()
	runs, dir := importertest.RealRuns(t), t.TempDir()
	mustTrack(t, dir, "import", "shinka", filepath.Join(runs, "shinka-txn-gemini3pro-run5"), "--lineage", "l", "--db", "track.db")
	got := mustTrack(t, dir, "query", "--db", "track.db", "--format", "csv", `
		SELECT group_concat(score, ' ') AS scores FROM (
		   SELECT version, score FROM v_execution ORDER BY score) GROUP BY version HAVING count(*) > 1`)
	if want := "scores\n4.27 4.44\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
