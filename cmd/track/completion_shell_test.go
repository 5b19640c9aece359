//go:build unix

package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"track/internal/outsidetest"
)

// interactiveShell is how a shell is started and prepared for a person who types.
type interactiveShell struct {
	name    string
	args    []string
	prepare string // loads the completion; defines save, which writes its arguments but the first into a file of that name
}

func interactiveShells() []interactiveShell {
	const save = `save() { local file=$1; shift; printf '%s\n' "$@" > "$file"; }` + "\n"
	return []interactiveShell{
		{"bash", []string{"--norc", "--noprofile", "-i"}, "source <(track completion bash)\n" + save},
		{"zsh", []string{"-f", "-i"}, "bindkey -e; autoload -U compinit; compinit -D -u; source <(track completion zsh)\n" + save},
		{"fish", []string{"--no-config", "--private", "-i"}, "set -g fish_autosuggestion_enabled 0; track completion fish | source\n" +
			"function save; printf '%s\\n' $argv[2..] > $argv[1]; end\n"},
	}
}

// TestCompletionInShells has real shells on a terminal complete recorded names that would run commands if they were
// inserted as they are: each comes as one word, and nothing runs.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	for _, shell := range interactiveShells() {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell.name); err != nil {
				outsidetest.Missing(t, "%v", err)
			}
			testCompletion(t, shell)
		})
	}
}

func testCompletion(t *testing.T, shell interactiveShell) {
	names := map[string]string{ // by what is typed
		`\$`: "$(touch pwned)", "a": "a$(touch pwned)", "b": "b c", "d": "d'e", "f": "f`touch pwned`", "g": "g!h", "i": "i;touch pwned", "j": `j"k`,
		"l": `l\m`, "n": "n\ntouch pwned\n", "o": "o&touch pwned", "p": "p\x1b[31m", "q": "q*", "r": "r|touch pwned", "'s": "s $(touch pwned)", `"u`: "u $(touch pwned)!x",
		"v": "v>pwned", "w": "w(x)", `\~`: "~root", "y": "y$HOME", `\#`: "#z",
	}
	dir := t.TempDir()
	createScenarios(t, dir, names)
	lines := shell.prepare
	for typed := range names {
		const tab, home = "\t", "\x01"
		lines += "track seeds " + typed + tab + home + "save " + fileFor(typed) + " \n"
	}
	typeLines(t, dir, shell, lines+"exit\n")
	for typed, name := range names {
		got, err := os.ReadFile(filepath.Join(dir, fileFor(typed)))
		want := "track\nseeds\n" + name + "\n"
		if strings.ContainsAny(name, "\n\x1b") {
			want = "track\nseeds\n" + typed + "\n" // such a name is not offered
		}
		if err != nil || string(got) != want {
			t.Errorf("%s completes %s to %q, want %q: %v", shell.name, typed, got, want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a recorded name ran as a command: %v", err)
	}
}

// fileFor returns a name of a file that no shell reads otherwise.
func fileFor(typed string) string { return fmt.Sprintf("out-%x", typed) }

// createScenarios creates a database in which another program has put scenarios of any name.
func createScenarios(t *testing.T, dir string, names map[string]string) {
	t.Helper()
	if _, stderr, code := runTrack(t, dir, "init"); code != exitOK {
		t.Fatal(stderr)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, ".track", "track.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := db.Exec("INSERT INTO scenario (name, created_at) VALUES (?, 0)", name); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// typeLines types lines into a shell on a terminal, and waits until it ends.
func typeLines(t *testing.T, dir string, shell interactiveShell, lines string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), shell.name, shell.args...)
	command.Dir = dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", "LC_ALL=C.UTF-8", "PS1=$ ", "HISTFILE="}
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var shown bytes.Buffer
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(&shown, terminal) // ends with an error once nobody has the terminal open
		read <- err
	}()
	if _, err := io.WriteString(terminal, lines); err != nil {
		t.Fatal(err)
	}
	err = command.Wait()
	<-read
	if os.Getenv("TRACK_SHOW") != "" {
		t.Logf("%s showed %q: %v", shell.name, shown.String(), err)
	}
}
