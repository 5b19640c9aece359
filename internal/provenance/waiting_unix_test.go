//go:build unix

package provenance

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestKillsChildren gives a child of git a pipe to say that it outlived git. The pipe ends when all who hold it are
// gone.
func TestKillsChildren(t *testing.T) {
	dir := newRepo(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		content, err := os.ReadFile(pipe)
		if err != nil {
			content = []byte(err.Error())
		}
		said <- string(content)
	}()
	fakeGit(t, `(exec >'`+pipe+`'; tail -f /dev/null) & wait`)
	ctx, done := impatient.begin(t.Context())
	defer done()
	wantUnknown(t, findCode(ctx, dir), "")
	unblock, err := os.OpenFile(pipe, os.O_RDWR, 0) // should the child have been killed before it opened the pipe
	if err != nil {
		t.Fatal(err)
	}
	unblock.Close()
	if got := <-said; got != "" {
		t.Errorf("a child of git %s", got)
	}
}

// TestPipesInPlaceOfFilesOfGit makes git itself hang.
func TestPipesInPlaceOfFilesOfGit(t *testing.T) {
	for _, name := range []string{".git", ".git/HEAD", ".git/refs/heads/main", ".git/packed-refs", ".git/commondir"} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t)
			if name == ".git/packed-refs" {
				git(t, dir, "pack-refs", "--all")
			}
			makePipe(t, filepath.Join(dir, name))
			ctx, done := impatient.begin(t.Context())
			defer done()
			if code := findCode(ctx, dir); code.unknown == "" && code.notice == "" {
				t.Errorf("code = %+v, want a reason or a notice", code)
			}
		})
	}
}

// makePipe puts a named pipe in the place of a file or folder.
func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNonUTF8Name needs a file system that takes any bytes.
func TestNonUTF8Name(t *testing.T) {
	dir := newRepo(t)
	const name = "caf\xe9 \"quoted\"\n\ttabbed"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("one"), 0o644); err != nil {
		t.Skip("the file system refuses the name:", err)
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "--message=odd name")
	wantClean(t, dir)
	hashes := map[string]bool{}
	for _, content := range []string{"two", "three"} {
		write(t, dir, name, content)
		rev := revision(t, dir)
		if rev.DiffHash == "" || hashes[rev.DiffHash] {
			t.Errorf("content %q: %+v, want a hash of its own", content, rev)
		}
		hashes[rev.DiffHash] = true
	}
}
