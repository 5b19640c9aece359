package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/internal/property"
)

// callHook runs track hook claude-code as a process in dir.
func callHook(t *testing.T, dir, payload string) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := hookCommand(dir, payload)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil || out.Len()+errOut.Len() > 0 {
		t.Errorf("%s: %v, %s%s", payload, err, &out, &errOut)
	}
}

func hookCommand(dir, payload string) *exec.Cmd {
	cmd := exec.Command("track", "hook", "claude-code", "--lineage", "l")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(payload)
	cmd.Env = append(environ(), "CLAUDE_PROJECT_DIR=")
	return cmd
}

func hookStatus(t *testing.T, dir string) (d answer.HookStatus) {
	t.Helper()
	if err := answer.Decode(strings.NewReader(mustTrack(t, dir, "hook", "status", "--format", "json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func eventCounts(d answer.HookStatus) string {
	var words []string
	for _, e := range d.Events {
		words = append(words, fmt.Sprintf("%d %s", e.N, e.Name))
	}
	return strings.Join(words, ", ")
}

func hookPayload(name, id string) string {
	return fmt.Sprintf(`{"session_id":"s","hook_event_name":"%s","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"%s","tool_response":{"stdout":"","stderr":""}}`, name, id)
}

const (
	hookPrompt = `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go"}`
	hookStop   = `{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"That is done, because it was asked for."}`
)

// TestHooksAtOnce has twenty hooks call at once, in a folder without a database, each twice: none is lost, none
// counts twice.
func TestHooksAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	callHook(t, dir, hookPrompt)
	var all sync.WaitGroup
	for i := range 10 {
		for _, name := range []string{"PreToolUse", "PostToolUse"} {
			all.Go(func() { callHook(t, dir, hookPayload(name, fmt.Sprint("t", i))) })
		}
	}
	all.Wait()
	for i := range 10 {
		all.Go(func() { callHook(t, dir, hookPayload("PreToolUse", fmt.Sprint("t", i))) })
	}
	all.Wait()
	callHook(t, dir, hookStop)
	d := hookStatus(t, dir)
	for range 20 { // what came too late for a busy machine waits for the next call
		if d.Waiting == 0 {
			break
		}
		callHook(t, dir, `{"session_id":"s","hook_event_name":"Notification"}`)
		d = hookStatus(t, dir)
	}
	if got := eventCounts(d); !strings.Contains(got, "10 PostToolUse, 10 PreToolUse, 1 Stop, 1 UserPromptSubmit") || d.Waiting > 0 {
		t.Errorf("%s; %d wait; %q", got, d.Waiting, d.Log)
	}
	list, err := executionsOf(t, dir, "l")
	if err != nil || len(list) != 1 || list[0].NCalls != 10 || list[0].NFailed != 0 || list[0].Score == nil {
		t.Errorf("%+v, %v", list, err)
	}
	if sound := integrityOf(t, filepath.Join(dir, ".track", "track.db")); sound != "ok" {
		t.Error(sound)
	}
}

// TestFirstHooksAtOnce has many hooks find no database at all.
func TestFirstHooksAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { callHook(t, dir, hookPayload("PreToolUse", fmt.Sprint("t", i))) })
	}
	all.Wait()
	callHook(t, dir, hookPayload("PreToolUse", "t20"))
	if d := hookStatus(t, dir); eventCounts(d) != "21 PreToolUse" || d.Waiting > 0 {
		t.Errorf("%s; %d wait; %q", eventCounts(d), d.Waiting, d.Log)
	}
}

// TestKilledHooks kills hooks while they work: each event is there whole, or not at all, and comes in when it is sent
// again.
func TestKilledHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	callHook(t, dir, hookPrompt)
	payloads := []string{}
	for i := range 8 {
		payloads = append(payloads, hookPayload("PreToolUse", fmt.Sprint("t", i)), hookPayload("PostToolUse", fmt.Sprint("t", i)))
	}
	payloads = append(payloads, hookStop)
	for i, payload := range payloads {
		killAtChange(t, hookCommand(dir, payload), filepath.Join(dir, ".track"), i%4)
	}
	if sound := integrityOf(t, filepath.Join(dir, ".track", "track.db")); sound != "ok" {
		t.Error(sound)
	}
	for _, payload := range payloads {
		callHook(t, dir, payload)
	}
	if got := eventCounts(hookStatus(t, dir)); !strings.HasPrefix(got, "8 PostToolUse, 8 PreToolUse, ") {
		t.Error(got)
	}
	list, err := executionsOf(t, dir, "l")
	if err != nil || len(list) != 1 || list[0].NCalls != 8 || list[0].NFailed != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// killAtChange starts a command and kills it when it has changed something in a folder for the nth time, or lets it
// end before that.
func killAtChange(t *testing.T, cmd *exec.Cmd, dir string, nth int) {
	t.Helper()
	before := fileStates(t, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed, or not
		close(ended)
	}()
	for changes := 0; changes < nth; {
		select {
		case <-ended:
			return
		default:
		}
		if now := fileStates(t, dir); now != before {
			before = now
			changes++
		}
	}
	_ = cmd.Process.Kill() // it may be done already
	<-ended
}

// fileStates says which files a folder holds, how long they are and when they were written.
func fileStates(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it is gone again
			fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// TestRealHookLog replays a real log, one process for a line. The counts are those of the README beside it.
func TestRealHookLog(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile(filepath.FromSlash("../../../shared/data/agents/claude-code-hooks/fasthooks-hook_logs-first-20.jsonl"))
	if err != nil {
		t.Skipf("the real log is not here: %v", err)
	}
	dir := t.TempDir()
	for line := range strings.Lines(string(log)) {
		callHook(t, dir, line)
	}
	want := "3 PostToolUse, 4 PreToolUse, 1 SessionStart, 4 Stop, 4 SubagentStop, 4 UserPromptSubmit"
	if got := eventCounts(hookStatus(t, dir)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := strings.Count(mustTrack(t, dir, "executions", "l", "--format", "jsonl"), "\n"); n != 4 {
		t.Errorf("%d executions", n)
	}
}

// TestBusyDatabase holds the lock that every writer needs: the hook ends while it is held.
func TestBusyDatabase(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the lock is another")
	}
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("flock is not installed")
	}
	dir := t.TempDir()
	callHook(t, dir, hookPrompt)
	holder := exec.Command("flock", filepath.Join(dir, ".track", "track.db.lock"), "cat")
	input, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(input, "locked\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	callHook(t, dir, hookPayload("PreToolUse", "t1"))
	_ = input.Close()
	if err := holder.Wait(); err != nil {
		t.Fatal(err)
	}
	if d := hookStatus(t, dir); d.Waiting != 1 || len(d.Log) != 1 || !strings.Contains(d.Log[0], "PreToolUse: not done after 2s; the event waits") {
		t.Errorf("%+v", d)
	}
	callHook(t, dir, hookStop)
	if d := hookStatus(t, dir); d.Waiting != 0 || eventCounts(d) != "1 PreToolUse, 1 Stop, 1 UserPromptSubmit" {
		t.Errorf("%+v", d)
	}
}

// Whatever it is handed, the hook ends with 0 and prints nothing on standard output. Its reader of payloads is fuzzed
// where it is.
func TestHookTakesAnything(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	payloads := rapid.SampledFrom([]string{
		"", "{", "null", hookPrompt, hookStop, hookPayload("PreToolUse", "t1"), hookPayload("PostToolUse", "t1"), hookPayload("PostToolUseFailure", ""),
		`{"session_id":"s","hook_event_name":"SessionEnd","transcript_path":"."}`, `{"session_id":"s","hook_event_name":"SubagentStop","agent_id":"../x","transcript_path":"/dev/null"}`,
		`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x","ts":"0001-01-01T00:00:00Z","cwd":"\u0000"}`,
	})
	pieces := rapid.SampledFrom([]string{"", "x", `"`, `\u0000`, "\xff", "\n", "null", "[]", "{", "}", ",", "1e999", "../", "/dev/null", "Stop", "SubagentStop", "PreToolUse"})
	environment := func(name string) (string, bool) { return filepath.Join(dir, "track.db"), name == "TRACK_DB" }
	property.Check(t, func(r *rapid.T) {
		payload := payloads.Draw(r, "payload")
		from := rapid.IntRange(0, len(payload)).Draw(r, "from")
		to := rapid.IntRange(from, min(len(payload), from+30)).Draw(r, "to")
		payload = payload[:from] + pieces.Draw(r, "piece") + payload[to:]
		var out bytes.Buffer
		if code := run(t.Context(), []string{"track", "hook", "claude-code"}, strings.NewReader(payload), &out, io.Discard, environment); code != exitOK || out.Len() > 0 {
			r.Fatalf("%q: exit code %d, %q", payload, code, &out)
		}
	})
}

func executionsOf(t *testing.T, dir, lineage string) ([]track.RecordedExecution, error) {
	t.Helper()
	var a answer.Executions
	err := answer.Decode(strings.NewReader(mustTrack(t, dir, "executions", lineage, "--format", "json")), &a)
	return a.Items, err
}
