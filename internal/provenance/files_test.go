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

func findFiles(t *testing.T, o Origin, words []string, patterns ...string) Files {
	t.Helper()
	f, err := FindFiles(t.Context(), o, words, patterns, generous)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *Files) fileNames() (names []string) {
	for _, file := range f.files {
		names = append(names, file.name)
	}
	return names
}

func TestFindFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, ".", "sim.py", "print(1)\n")
	write(t, ".", "a.conf", "x = 1\n")
	write(t, ".", "data/deep/b.csv", "1\n")
	if f := findFiles(t, Origin{}, []string{"python3", "no.py", "data", "-"}); f.Hash() != "" || f.fileNames() != nil {
		t.Errorf("no files: %q of %q", f.Hash(), f.fileNames())
	}
	words := []string{"python3", "sim.py", "--config=a.conf", "./sim.py"}
	f := findFiles(t, Origin{}, words, "da*")
	if want := []string{"a.conf", "data/deep/b.csv", "sim.py"}; !slices.Equal(f.fileNames(), want) {
		t.Errorf("names %q, want %q", f.fileNames(), want)
	}
	absolute := findFiles(t, Origin{}, []string{filepath.Join(dir, "sim.py"), "a.conf"}, "data/deep/*.csv")
	if absolute.Hash() != f.Hash() {
		t.Errorf("by another path: %s and %s", absolute.Hash(), f.Hash())
	}
	// Contents that are swapped, or moved into another name, are something else.
	for _, change := range [][2]string{{"sim.py", "x = 1\n"}, {"a.conf", "x = 2\n"}, {"data/deep/b.csv", ""}} {
		before, err := os.ReadFile(change[0])
		if err != nil {
			t.Fatal(err)
		}
		write(t, ".", change[0], change[1])
		if now := findFiles(t, Origin{}, words, "da*"); now.Hash() == f.Hash() {
			t.Errorf("%s changed, and the hash is the same", change[0])
		}
		write(t, ".", change[0], string(before))
	}
	if now := findFiles(t, Origin{}, words, "da*"); now.Hash() != f.Hash() {
		t.Error("the same contents have another hash")
	}
	for _, pattern := range []string{"[", "none/*"} {
		if _, err := FindFiles(t.Context(), Origin{}, words, []string{pattern}, generous); err == nil {
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
	_, err := FindFiles(t.Context(), Origin{}, []string{"./sim"}, nil, generous)
	if !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "sim: runs depend on it, and it cannot be read") || len(track.Hints(err)) != 1 {
		t.Errorf("error %v with hints %v", err, track.Hints(err))
	}
}

func TestFilesChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "sim.py", "print(1)\n")
	write(t, ".", "other.py", "print(2)\n")
	f := findFiles(t, Origin{}, []string{"sim.py", "other.py"})
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
	hashOf := func(content string) string {
		write(t, ".", "sim.sh", content)
		f := findFiles(t, Origin{}, []string{"sim.sh"})
		return f.Hash()
	}
	if hashOf("export DB_PASSWORD=hunter2hunter2\n") != hashOf("export DB_PASSWORD=another4secret\n") {
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
	if f := findFiles(t, Find(t.Context(), "", "test", generous), words); !slices.Equal(f.fileNames(), []string{"new.py"}) {
		t.Errorf("names %q: the commit holds %q", f.fileNames(), tracked)
	}
	// A declared revision says nothing of the files that are here.
	if f := findFiles(t, Find(t.Context(), git(t, dir, "rev-parse", "HEAD"), "test", generous), words); len(f.fileNames()) != len(words) {
		t.Errorf("names %q, want %q", f.fileNames(), words)
	}
	write(t, ".", tracked[0], "changed\n")
	dirty := Find(t.Context(), "", "test", generous)
	if f := findFiles(t, dirty, words); dirty.Revision.DiffHash == "" || !slices.Equal(f.fileNames(), []string{"new.py"}) {
		t.Errorf("names %q: the diff hash %q tells the others", f.fileNames(), dirty.Revision.DiffHash)
	}
	// Git was told to overlook a file, so git status says nothing of it.
	for _, overlook := range []string{"--assume-unchanged", "--skip-worktree"} {
		git(t, dir, "update-index", overlook, tracked[1])
		if f := findFiles(t, Find(t.Context(), "", "test", generous), words); !slices.Contains(f.fileNames(), tracked[1]) {
			t.Errorf("%s: names %q, want %s among them", overlook, f.fileNames(), tracked[1])
		}
		git(t, dir, "update-index", "--no"+overlook[1:], tracked[1])
	}
	// If the changes cannot be read, the state of all files is unknown.
	truncate(t, dir, tracked[0], maxContent+1)
	if f := findFiles(t, Find(t.Context(), "", "test", generous), words); len(f.fileNames()) != len(words) {
		t.Errorf("unknown state: names %q, want %q", f.fileNames(), words)
	}
}
