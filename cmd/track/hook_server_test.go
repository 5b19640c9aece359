package main

import (
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hooksFor returns what calls the hook for a server and what runs track for it, with settings of their own.
func hooksFor(t *testing.T, dir, address string) (hook func(payload string), track func(args ...string) string) {
	t.Helper()
	env := append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"), "TRACK_SERVER="+address, "CLAUDE_PROJECT_DIR=")
	run := func(payload string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "track", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(payload)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("track %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	hook = func(payload string) {
		t.Helper()
		if out := run(payload, "hook", "claude-code", "--lineage", "l"); out != "" {
			t.Errorf("the hook says: %s", out)
		}
	}
	return hook, func(args ...string) string { return run("", args...) }
}

const hookEnd = `{"session_id":"s","hook_event_name":"SessionEnd"}`

// Hooks for a server send each execution once it is final, without its secrets. While the server is away they keep it.
func TestHooksForServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	address, kill := startKilled(t, dir, db, "127.0.0.1:0")
	hook, track := hooksFor(t, dir, address)
	secret := "ghp_" + strings.Repeat("aB3dE6", 6)
	hook(hookPrompt)
	hook(strings.ReplaceAll(hookPayload("PostToolUse", "t1"), `"ls"`, `"git clone https://`+secret+`@example.org/x"`))
	hook(hookStop)
	if out := track("hook", "status", "--format", "json"); !strings.Contains(out, "PostToolUse") || !strings.Contains(out, "hook.db") {
		t.Errorf("status: %s", out)
	}
	kill()
	hook(strings.ReplaceAll(hookPrompt, "go", "again"))
	if out, err := exec.CommandContext(t.Context(), "grep", "-r", "-c", secret, filepath.Join(dir, "settings")).Output(); err == nil {
		t.Errorf("the secret is kept: %s", out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "settings", "track", "servers", "*", "spool", "*"))
	if err != nil || len(files) == 0 {
		t.Errorf("nothing waits for the server that is away: %v", err)
	}
	_, kill = startKilled(t, dir, db, strings.TrimPrefix(address, "http://"))
	hook(hookStop)
	hook(hookEnd)
	track("push")
	hook(hookEnd) // once more: nothing is doubled
	if out := track("push"); !strings.Contains(out, "nothing to send") {
		t.Errorf("push: %s", out)
	}
	kill()
	out := tables(t, dir, db, "SELECT count(*) AS n, count(DISTINCT key) AS keys, min(lineage.name) AS lineage FROM execution JOIN lineage ON lineage.id = execution.lineage_id")
	if !strings.Contains(out, "2,2,l") {
		t.Errorf("the server has %s", out)
	}
}

// A server that accepts connections and never answers keeps no agent from going on.
func TestHookForSilentServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	hook, track := hooksFor(t, t.TempDir(), "http://"+listener.Addr().String())
	hook(hookPrompt)
	hook(hookStop)
	hook(hookEnd)
	if out := track("hook", "status", "--format", "json"); !strings.Contains(out, "SessionEnd") {
		t.Errorf("status: %s", out)
	}
}
