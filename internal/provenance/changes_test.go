package provenance

import (
	"context"
	"strings"
	"testing"
)

func changes(t *testing.T, dir string, most int) string {
	t.Helper()
	text, err := Changes(t.Context(), dir, most, generous)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What is kept with a sweep applies to the commit, and gives what ran.
func TestChanges(t *testing.T) {
	dir := newRepo(t)
	if got := changes(t, dir, 1<<20); got != "" {
		t.Errorf("nothing differs, yet %q", got)
	}
	write(t, dir, "untracked.txt", "not ours\n")
	write(t, dir, "a.txt", "one\nand a half\n")
	write(t, dir, "staged.txt", "new\n")
	git(t, dir, "add", "staged.txt")
	remove(t, dir, "sub/b.txt")
	// Nothing that the user has configured runs, or colours.
	git(t, dir, "config", "diff.external", "/bin/false")
	git(t, dir, "config", "color.ui", "always")
	git(t, dir, "config", "core.fsmonitor", "/bin/false")
	got := changes(t, dir, 1<<20)
	for _, want := range []string{"+and a half", "+new", "-two", "deleted file"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "not ours") || strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
	other := t.TempDir()
	git(t, dir, "worktree", "add", "--quiet", "--detach", other+"/w", "HEAD")
	write(t, other, "changes.patch", got)
	git(t, other+"/w", "apply", "--index", other+"/changes.patch")
	if want, there := git(t, dir, "write-tree"), git(t, other+"/w", "write-tree"); want == there {
		t.Error("what is not staged is missing") // the index of dir has only what is staged
	}
	git(t, dir, "add", "a.txt", "sub")
	if want, there := git(t, dir, "write-tree"), git(t, other+"/w", "write-tree"); want != there {
		t.Errorf("applied it gives the tree %s, want %s", there, want)
	}
	if below := changes(t, dir+"/.", 1<<20); below != got {
		t.Errorf("staged as well it is\n%s\nwant\n%s", below, got)
	}
	if cut := changes(t, dir, 50); cut != got[:50]+"\n# cut after 50 bytes\n" {
		t.Errorf("cut it is %q", cut)
	}
}

func TestChangesRefused(t *testing.T) {
	needGit(t)
	if text, err := Changes(t.Context(), t.TempDir(), 100, generous); err == nil || text != "" {
		t.Errorf("without a repository: %q, error %v", text, err)
	}
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	if text, err := Changes(t.Context(), dir, 100, generous); err == nil || text != "" {
		t.Errorf("without a commit: %q, error %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := Changes(ctx, newRepo(t), 100, generous); err == nil || text != "" {
		t.Errorf("cancelled: %q, error %v", text, err)
	}
}

func TestLibraries(t *testing.T) {
	for _, tt := range []struct {
		command, want string
	}{
		{"echo numpy==2; echo scipy==1", "numpy==2\nscipy==1\n"},
		{"echo 0123456789abcdef", "0123456789\n# cut after 10 bytes\n"},
		{"echo only noise >&2", ""},
		{"printf %s \"$((6 * 7))\"", "42"},
	} {
		most := 1000
		if strings.Contains(tt.want, "cut") {
			most = 10
		}
		if got, err := Libraries(t.Context(), tt.command, most); err != nil || got != tt.want {
			t.Errorf("%s: %q, error %v, want %q", tt.command, got, err, tt.want)
		}
	}
	if got, err := Libraries(t.Context(), "echo some; echo why >&2; exit 3", 1000); got != "" || err == nil || !strings.Contains(err.Error(), "exit status 3 why") {
		t.Errorf("%q, error %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Libraries(ctx, "echo x", 1000); err == nil {
		t.Errorf("cancelled: %q", got)
	}
}
