package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/answer"
)

// A spec is added to a server as to a database, with a token that may, for a scenario that it is for.
func TestSpecOfServer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	spec := func(file, scenario, metric string) string {
		text := "scenario: " + scenario + "\ntitle: a title\nmetrics:\n- {name: " + metric + ", type: RANGE, min: 0, max: 1}\n"
		if err := os.WriteFile(filepath.Join(p.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	growth := spec("growth.yaml", "growth", "a")
	mustTrack(t, p.dir, "init", "--db", "local.db")
	want := mustTrack(t, p.dir, "spec", "add", growth, "--db", "local.db")
	p.record(p.address, "1")
	for _, tt := range []struct {
		file, want string
		code       int
	}{
		{growth, want, exitOK},
		{growth, "already has this content", exitOK},
		{spec("changed.yaml", "growth", "b"), "added growth version 2", exitOK},
		{spec("near.yaml", "grouwth", "b"), "growth", exitInvalid},
	} {
		if out, code := p.track(p.address, "spec", "add", tt.file); code != tt.code || !strings.Contains(out, strings.TrimSpace(tt.want)) {
			t.Errorf("%s: exit code %d: %s", tt.file, code, out)
		}
	}
	if got, want := mustTrack(t, p.dir, "spec", "show", "growth@1", "--document", "--db", p.db), mustTrack(t, p.dir, "spec", "show", "growth", "--document", "--db", "local.db"); got != want {
		t.Errorf("%s, not %s", got, want)
	}

	add := func(name string, args ...string) string {
		var added answer.AddedToken
		text := mustTrack(t, p.dir, append([]string{"token", "add", name, "--db", p.db, "--format", "json"}, args...)...)
		if err := json.Unmarshal([]byte(text), &added); err != nil {
			t.Fatal(err)
		}
		return string(added.Secret)
	}
	for _, tt := range []struct {
		name, want string
		args       []string
		code       int
	}{
		{"recorder", "it needs the scope spec", []string{"--scope", "record"}, exitInvalid},
		{"other", "is not for growth", []string{"--scope", "spec", "--scenario", "bam/*"}, exitInvalid},
		{"own", "already has this content", []string{"--scope", "spec", "--scenario", "gro*"}, exitOK},
	} {
		p.token = add(tt.name, tt.args...)
		if out, code := p.track(p.address+"/", "spec", "add", "changed.yaml"); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: exit code %d: %s", tt.name, code, out)
		}
	}
}
