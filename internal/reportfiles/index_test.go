package reportfiles

import (
	"os"
	"path/filepath"
	"testing"
)

// The names of files come from a server. None of them leads to a file that is not part of the index.
func TestIndexNames(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	x, err := NewIndex(filepath.Join(folder, "index.md"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Discard()
	if _, err := x.Create("scenario-a_files/scores.svg"); err == nil {
		t.Error("a picture comes before its page")
	}
	for _, name := range []string{"scenario-a.md", "scenario-a_files/scores.svg", "stability-a.md"} {
		if _, err := x.Create(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{
		"scenario-a.md", "readme.md", "Makefile.md", ".profile", "a.html", "../b.md", "sub/b.md", "scenario-a_files/scores.svg", "stability-a_files/.svg", "stability-a_files/x.png", "stability-a_files/x.sh",
		"stability-a_files/../x.svg", "stability-a_files/", "/etc/x.md",
	} {
		if _, err := x.Create(name); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := x.Create("index.md"); err != nil {
		t.Error(err)
	}
	if err := x.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := x.Place(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 4 {
		t.Error(entries, err)
	}
}
