package provenance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// newRichRepo has a file for every kind of change, but no submodule, which makes git slow.
func newRichRepo(t testing.TB) string {
	dir := newRepo(t)
	symlink(t, "a.txt", filepath.Join(dir, "link"))
	for _, name := range []string{"with space", " leading", "-dash", "ümlaut", "a b/c d"} {
		write(t, dir, name, "one\n")
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "--message=rich")
	return dir
}

// newModuleRepo has a submodule.
func newModuleRepo(t testing.TB) string {
	dir := newRepo(t)
	git(t, dir, "submodule", "--quiet", "add", newRepo(t), "module")
	git(t, dir, "commit", "--quiet", "--message=module")
	return dir
}

// edits each leave the work tree in another state. Those of a submodule start from newModuleRepo, the others from
// newRichRepo.
var edits = []struct {
	name string
	edit func(t *testing.T, dir string)
}{
	{"edit", func(t *testing.T, dir string) { write(t, dir, "a.txt", "edited\n") }},
	{"other edit", func(t *testing.T, dir string) { write(t, dir, "a.txt", "editeD\n") }},
	{"emptied", func(t *testing.T, dir string) { write(t, dir, "a.txt", "") }},
	{"same edit of another file", func(t *testing.T, dir string) { write(t, dir, "sub/b.txt", "edited\n") }},
	{"both", func(t *testing.T, dir string) {
		write(t, dir, "a.txt", "edited\n")
		write(t, dir, "sub/b.txt", "edited\n")
	}},
	{"deletion", func(t *testing.T, dir string) { remove(t, dir, "a.txt") }},
	{"mode", func(t *testing.T, dir string) { chmod(t, dir, "a.txt", 0o755) }},
	{"mode and edit", func(t *testing.T, dir string) {
		write(t, dir, "a.txt", "edited\n")
		chmod(t, dir, "a.txt", 0o755)
	}},
	{"rename", func(t *testing.T, dir string) { git(t, dir, "mv", "a.txt", "z.txt") }},
	{"rename to another name", func(t *testing.T, dir string) { git(t, dir, "mv", "a.txt", "y.txt") }},
	{"new file, added", func(t *testing.T, dir string) {
		write(t, dir, "new.txt", "one\n")
		git(t, dir, "add", "new.txt")
	}},
	{"file to link", func(t *testing.T, dir string) {
		remove(t, dir, "a.txt")
		symlink(t, "sub/b.txt", filepath.Join(dir, "a.txt"))
	}},
	{"link to elsewhere", func(t *testing.T, dir string) {
		remove(t, dir, "link")
		symlink(t, "sub/b.txt", filepath.Join(dir, "link"))
	}},
	{"link to nowhere", func(t *testing.T, dir string) {
		remove(t, dir, "link")
		symlink(t, "/nowhere", filepath.Join(dir, "link"))
	}},
	{"link to file", func(t *testing.T, dir string) {
		remove(t, dir, "link")
		write(t, dir, "link", "a.txt") // the content that git stores for the link
	}},
	{"space", func(t *testing.T, dir string) { write(t, dir, "with space", "edited\n") }},
	{"leading space", func(t *testing.T, dir string) { write(t, dir, " leading", "edited\n") }},
	{"dash", func(t *testing.T, dir string) { write(t, dir, "-dash", "edited\n") }},
	{"umlaut", func(t *testing.T, dir string) { write(t, dir, "ümlaut", "edited\n") }},
	{"spaces in folders", func(t *testing.T, dir string) { write(t, dir, "a b/c d", "edited\n") }},
	{"submodule commit", func(t *testing.T, dir string) { commitFixed(t, dir+"/module", "second") }},
	{"submodule commit, another", func(t *testing.T, dir string) { commitFixed(t, dir+"/module", "third") }},
	{"submodule edit", func(t *testing.T, dir string) { write(t, dir, "module/a.txt", "edited\n") }},
	{"submodule edit, another", func(t *testing.T, dir string) { write(t, dir, "module/a.txt", "editeD\n") }},
	{"submodule commit and edit", func(t *testing.T, dir string) {
		commitFixed(t, dir+"/module", "second")
		write(t, dir, "module/a.txt", "edited\n")
	}},
	{"submodule deleted", func(t *testing.T, dir string) {
		if err := os.RemoveAll(filepath.Join(dir, "module")); err != nil {
			t.Fatal(err)
		}
	}},
	{"folder replaced by a file", func(t *testing.T, dir string) {
		remove(t, dir, "sub/b.txt")
		remove(t, dir, "sub")
		write(t, dir, "sub", "a file\n")
		git(t, dir, "add", "sub")
	}},
	{"conflict", func(t *testing.T, dir string) {
		git(t, dir, "checkout", "--quiet", "-b", "theirs")
		write(t, dir, "a.txt", "theirs\n")
		git(t, dir, "commit", "--quiet", "--all", "--message=theirs")
		git(t, dir, "checkout", "--quiet", "-b", "ours", "HEAD~")
		write(t, dir, "a.txt", "ours\n")
		git(t, dir, "commit", "--quiet", "--all", "--message=ours")
		tryGit(dir, "merge", "theirs")
		git(t, dir, "symbolic-ref", "HEAD", "refs/heads/main")
	}},
}

// commitFixed commits at a fixed time, so that the id depends on the message alone.
func commitFixed(t *testing.T, dir, message string) {
	t.Setenv("GIT_AUTHOR_DATE", "2000-01-01T00:00:00Z")
	t.Setenv("GIT_COMMITTER_DATE", "2000-01-01T00:00:00Z")
	git(t, dir, "commit", "--quiet", "--allow-empty", "--message="+message)
}

func chmod(t *testing.T, dir, name string, mode os.FileMode) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
		t.Fatal(err)
	}
}

// TestDiffHash makes every edit twice, each time in a copy of its own: the same edit has the same hash, and no other
// has it.
func TestDiffHash(t *testing.T) {
	rich, withModule := newRichRepo(t), newModuleRepo(t)
	seen := map[string]string{}
	for _, e := range edits {
		original := rich
		if strings.HasPrefix(e.name, "submodule") {
			original = withModule
		}
		commit := git(t, original, "rev-parse", "HEAD")
		t.Run(e.name, func(t *testing.T) {
			var hashes []string
			for range 2 {
				dir := copyTree(t, original)
				e.edit(t, dir)
				rev := revision(t, dir)
				if rev.Commit != commit || !rev.Dirty || len(rev.DiffHash) != 64 {
					t.Errorf("revision = %+v, want %s, dirty, with a hash", rev, commit)
				}
				hashes = append(hashes, rev.DiffHash)
			}
			if hashes[0] != hashes[1] {
				t.Errorf("the same edit has hashes %s and %s", hashes[0], hashes[1])
			}
			if other, ok := seen[hashes[0]]; ok {
				t.Errorf("has the hash of %q", other)
			}
			seen[hashes[0]] = e.name
		})
	}
}

// TestStagingKeepsDiffHash stages each edit: the files are the same.
func TestStagingKeepsDiffHash(t *testing.T) {
	original := newRichRepo(t)
	for _, e := range edits {
		if strings.HasPrefix(e.name, "submodule") || e.name == "conflict" {
			continue // what a submodule holds cannot be staged, and staging settles a conflict
		}
		t.Run(e.name, func(t *testing.T) {
			dir := copyTree(t, original)
			e.edit(t, dir)
			before := revision(t, dir)
			git(t, dir, "add", "--update")
			if after := revision(t, dir); after != before || !after.Dirty {
				t.Errorf("revision is %+v, staged %+v", before, after)
			}
		})
	}
}

// TestRemovedFromIndex keeps a file on disk that git no longer tracks: what it holds no longer counts.
func TestRemovedFromIndex(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "rm", "--quiet", "--cached", "a.txt")
	before := revision(t, dir)
	write(t, dir, "a.txt", "written by the run\n")
	if after := revision(t, dir); after != before || !after.Dirty {
		t.Errorf("revision was %+v and is %+v", before, after)
	}
}

// TestUntrackedKeepsDiffHash is about results files: each run writes one.
func TestUntrackedKeepsDiffHash(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "edited\n")
	before := revision(t, dir)
	write(t, dir, "results.json", "{}")
	if after := revision(t, dir); after != before {
		t.Errorf("revision was %+v and is %+v", before, after)
	}
}

// TestLongContentIsMasked edits a long file: a secret in it does not change the hash, another line does.
func TestLongContentIsMasked(t *testing.T) {
	dir := newRepo(t)
	lines := strings.Repeat("an ordinary line of a long file\n", 5<<20/32)
	hash := func(line string) string {
		write(t, dir, "a.txt", lines+line+"\n"+lines)
		return revision(t, dir).DiffHash
	}
	one, other := hash("DB_PASSWORD=hun"+"ter2hunter2"), hash("DB_PASSWORD=cor"+"rectbattery7")
	if one == "" || one != other || one == hash("DB_PORT=5432") {
		t.Errorf("hashes %s and %s, and that of another line", one, other)
	}
}

// TestMoreThanLimit has one byte more than is read. The file takes no room on disk.
func TestMoreThanLimit(t *testing.T) {
	dir := newRepo(t)
	commit := git(t, dir, "rev-parse", "HEAD")
	truncate(t, dir, "a.txt", maxContent+1)
	wantUnknown(t, codeIn(t, dir), commit, "larger than 32 MiB", "commit")
}

// TestDiffTakesTooLong has the time end while the changes are read.
func TestDiffTakesTooLong(t *testing.T) {
	dir := newRepo(t)
	tree, err := findWorkTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.txt", "edited\n")
	status := treeStatus{commit: git(t, dir, "rev-parse", "HEAD"), dirty: true}
	late, done := Patience{}.begin(t.Context())
	defer done()
	if hash, err := tree.diffHash(late, status); hash != "" || !errors.Is(err, errLate) {
		t.Errorf("time is up: %q, %v, want an error that says so", hash, err)
	}
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	if hash, err := tree.diffHash(interrupted, status); hash != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %q, %v, want context.Canceled", hash, err)
	}
}

// copyTree copies a repository, so that all copies have one history.
func copyTree(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
