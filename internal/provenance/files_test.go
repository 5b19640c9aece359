package provenance

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
)

func findFiles(t *testing.T, words []string, patterns ...string) Files {
	t.Helper()
	f, err := FindFiles(t.Context(), [][]string{words}, nil, patterns)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func hashOf(t *testing.T, f Files, o Origin) string {
	t.Helper()
	hash, err := f.Hash(t.Context(), o, generous)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// hashed returns the hash of the files that words name, outside of a repository.
func hashed(t *testing.T, words []string, patterns ...string) string {
	t.Helper()
	return hashOf(t, findFiles(t, words, patterns...), Origin{})
}

func TestFindFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, ".", "sim.py", "print(1)\n")
	write(t, ".", "a.conf", "x = 1\n")
	write(t, ".", "data/deep/b.csv", "1\n")
	if f := findFiles(t, []string{"python3", "no.py", "data", "-"}); hashOf(t, f, Origin{}) != "" || f.Names() != nil {
		t.Errorf("no files: %q", f.Names())
	}
	words := []string{"python3", "sim.py", "--config=a.conf", "./sim.py"}
	f := findFiles(t, words, "da*")
	if want := []string{"a.conf", "data/deep/b.csv", "sim.py"}; !slices.Equal(f.Names(), want) {
		t.Errorf("names %q, want %q", f.Names(), want)
	}
	hash := hashOf(t, f, Origin{})
	if absolute := hashed(t, []string{filepath.Join(dir, "sim.py"), "sim.py", "a.conf"}, "data/deep/*.csv"); absolute != hash {
		t.Errorf("by another path: %s and %s", absolute, hash)
	}
	// Contents that are swapped, or moved into another name, are something else.
	for _, change := range [][2]string{{"sim.py", "x = 1\n"}, {"a.conf", "x = 2\n"}, {"data/deep/b.csv", ""}} {
		before, err := os.ReadFile(change[0])
		if err != nil {
			t.Fatal(err)
		}
		write(t, ".", change[0], change[1])
		if hashed(t, words, "da*") == hash {
			t.Errorf("%s changed, and the hash is the same", change[0])
		}
		if _, err := f.Hash(t.Context(), Origin{}, generous); !errors.Is(err, track.ErrConflict) {
			t.Errorf("%s changed before it was hashed: %v", change[0], err)
		}
		write(t, ".", change[0], string(before))
	}
	if hashed(t, words, "da*") != hash {
		t.Error("the same contents have another hash")
	}
	for _, pattern := range []string{"[", "none/*"} {
		if _, err := FindFiles(t.Context(), [][]string{words}, nil, []string{pattern}); err == nil {
			t.Errorf("pattern %q: no error", pattern)
		}
	}
}

// A program that may be run but not read ends the search with the name of the file and a way out.
func TestUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every file")
	}
	t.Chdir(t.TempDir())
	write(t, ".", "sim", "#!/bin/true\n")
	if err := os.Chmod("sim", 0o111); err != nil {
		t.Fatal(err)
	}
	_, err := FindFiles(t.Context(), [][]string{{"./sim"}}, nil, nil)
	if !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "sim: runs depend on it, and it cannot be read") || len(track.Hints(err)) != 1 {
		t.Errorf("error %v with hints %v", err, track.Hints(err))
	}
}

func TestFilesChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "sim.py", "print(1)\n")
	write(t, ".", "other.py", "print(2)\n")
	f := findFiles(t, []string{"sim.py", "other.py"})
	if name := f.Changed(t.Context()); name != "" {
		t.Errorf("%s changed at once", name)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes("sim.py", later, later); err != nil {
		t.Fatal(err)
	}
	if name := f.Changed(t.Context()); name != "" {
		t.Errorf("%s was touched, and not changed", name)
	}
	write(t, ".", "sim.py", "print(2)\n") // of the same length
	if err := os.Chtimes("sim.py", later.Add(time.Hour), later.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if name := f.Changed(t.Context()); name != "sim.py" {
		t.Errorf("%q changed, and not sim.py", name)
	}
	write(t, ".", "sim.py", "print(1)\n")
	if err := os.Remove("other.py"); err != nil {
		t.Fatal(err)
	}
	if name := f.Changed(t.Context()); name != "other.py" {
		t.Errorf("%q changed, and not other.py, which is gone", name)
	}
}

// Whoever knows a script but for a password in it cannot try passwords until the hash fits.
func TestFilesHashHidesSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	hashWith := func(content string) string {
		write(t, ".", "sim.sh", content)
		return hashed(t, []string{"sim.sh"})
	}
	if hashWith("export DB_PASSWORD=hunter2hunter2\n") != hashWith("export DB_PASSWORD=another4secret\n") {
		t.Error("the hash depends on a password")
	}
}

func TestFilesOfCommit(t *testing.T) {
	needGit(t)
	dir := newRepo(t)
	t.Chdir(dir)
	write(t, ".", "new.py", "print(1)\n")
	tracked := strings.Fields(git(t, dir, "ls-files"))
	words := append([]string{"new.py"}, tracked...)
	find := func(declared string) Origin { return Find(t.Context(), declared, "test", generous) }
	onlyNew, all := hashed(t, []string{"new.py"}), hashed(t, words)
	f := findFiles(t, words)
	if hash := hashOf(t, f, find("")); hash != onlyNew || len(f.Names()) != len(words) {
		t.Errorf("hash %s of %q, want %s, of new.py: the commit holds %q", hash, f.Names(), onlyNew, tracked)
	}
	// A declared revision says nothing of the files that are here.
	if hash := hashOf(t, f, find(git(t, dir, "rev-parse", "HEAD"))); hash != all {
		t.Errorf("hash %s, want %s, of all files", hash, all)
	}
	write(t, ".", tracked[0], "changed\n")
	if name := f.Changed(t.Context()); name != tracked[0] {
		t.Errorf("%q changed, and not %s, which the commit holds", name, tracked[0])
	}
	dirty := find("")
	if hash := hashOf(t, findFiles(t, words), dirty); dirty.Revision.DiffHash == "" || hash != onlyNew {
		t.Errorf("hash %s, want %s: the diff hash %q tells the others", hash, onlyNew, dirty.Revision.DiffHash)
	}
	// Git was told to overlook a file, so git status says nothing of it.
	for _, overlook := range []string{"--assume-unchanged", "--skip-worktree"} {
		git(t, dir, "update-index", overlook, tracked[1])
		if hash, want := hashOf(t, findFiles(t, words), find("")), hashed(t, []string{"new.py", tracked[1]}); hash != want {
			t.Errorf("%s: hash %s, want %s, of new.py and %s", overlook, hash, want, tracked[1])
		}
		git(t, dir, "update-index", "--no"+overlook[1:], tracked[1])
	}
	// If the changes cannot be read, the state of all files is unknown.
	truncate(t, dir, tracked[0], maxContent+1)
	if hash, want := hashOf(t, findFiles(t, words), find("")), hashed(t, words); hash != want {
		t.Errorf("unknown state: hash %s, want %s, of all files", hash, want)
	}
}
