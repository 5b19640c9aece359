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

func findFiles(t *testing.T, r track.Revision, words []string, patterns ...string) Files {
	t.Helper()
	f, err := FindFiles(t.Context(), r, words, patterns)
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
	if f := findFiles(t, track.Revision{}, []string{"python3", "no.py", "data", "-"}); f.Hash() != "" || f.fileNames() != nil {
		t.Errorf("no files: %q of %q", f.Hash(), f.fileNames())
	}
	words := []string{"python3", "sim.py", "--config=a.conf", "./sim.py"}
	f := findFiles(t, track.Revision{}, words, "da*")
	if want := []string{"a.conf", "data/deep/b.csv", "sim.py"}; !slices.Equal(f.fileNames(), want) {
		t.Errorf("names %q, want %q", f.fileNames(), want)
	}
	absolute := findFiles(t, track.Revision{}, []string{filepath.Join(dir, "sim.py"), "a.conf"}, "data/deep/*.csv")
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
		if now := findFiles(t, track.Revision{}, words, "da*"); now.Hash() == f.Hash() {
			t.Errorf("%s changed, and the hash is the same", change[0])
		}
		write(t, ".", change[0], string(before))
	}
	if now := findFiles(t, track.Revision{}, words, "da*"); now.Hash() != f.Hash() {
		t.Error("the same contents have another hash")
	}
	for _, pattern := range []string{"[", "none/*"} {
		if _, err := FindFiles(t.Context(), track.Revision{}, words, []string{pattern}); err == nil {
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
	_, err := FindFiles(t.Context(), track.Revision{}, []string{"./sim"}, nil)
	if !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "sim: runs depend on it, and it cannot be read") || len(track.Hints(err)) != 1 {
		t.Errorf("error %v with hints %v", err, track.Hints(err))
	}
}

func TestFilesChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "sim.py", "print(1)\n")
	write(t, ".", "other.py", "print(2)\n")
	f := findFiles(t, track.Revision{}, []string{"sim.py", "other.py"})
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
		f := findFiles(t, track.Revision{}, []string{"sim.sh"})
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
	clean := Find(t.Context(), "", "test").Revision
	words := append([]string{"new.py"}, tracked...)
	if f := findFiles(t, clean, words); !slices.Equal(f.fileNames(), []string{"new.py"}) {
		t.Errorf("names %q: the commit holds %q", f.fileNames(), tracked)
	}
	// A declared revision says nothing of the files that are here.
	if f := findFiles(t, track.Revision{Commit: "v1"}, words); len(f.fileNames()) != len(words) {
		t.Errorf("names %q, want %q", f.fileNames(), words)
	}
	write(t, ".", tracked[0], "changed\n")
	dirty := Find(t.Context(), "", "test").Revision
	if f := findFiles(t, dirty, words); dirty.DiffHash == "" || !slices.Equal(f.fileNames(), []string{"new.py"}) {
		t.Errorf("names %q: the diff hash %q tells the others", f.fileNames(), dirty.DiffHash)
	}
	dirty.DiffHash = ""
	if f := findFiles(t, dirty, words); len(f.fileNames()) != len(words) {
		t.Errorf("without a diff hash: names %q, want %q", f.fileNames(), words)
	}
}
