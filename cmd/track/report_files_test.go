package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report goes through a link to where it leads, also where nothing is there yet, and its folder is made.
func TestReportThroughLink(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	folder := t.TempDir()
	target, link := filepath.Join(mkdir(t, folder, "elsewhere"), "a.md"), filepath.Join(folder, "link.md")
	if err := os.Symlink(filepath.Join("elsewhere", "a.md"), link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"nothing is there", "something is there"} {
		in.must("", "report", "stability", "baseline@bam-engine-0.10.2", "-o", link)
		if to, err := os.Readlink(link); err != nil || to != filepath.Join("elsewhere", "a.md") {
			t.Fatalf("%s: the link leads to %q: %v", name, to, err)
		}
		if data, err := os.ReadFile(target); err != nil || !strings.Contains(string(data), "# Stability") {
			t.Errorf("%s: %v", name, err)
		}
	}
	in.must("", "report", "stability", "baseline@bam-engine-0.10.2", "--check", link)
	in.must("", "report", "stability", "baseline@bam-engine-0.10.2", "-o", filepath.Join(folder, "new", "a.md"))
}

// Where a report cannot be written, the reason names the file as it was given, and nothing is left.
func TestReportFolderProblems(t *testing.T) {
	t.Parallel()
	in := exampleDatabase(t, asTheyAre)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	sealed := mkdir(t, folder, "sealed")
	if err := os.Chmod(sealed, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"stability", "baseline@bam-engine-0.10.2"}, {"index"}} {
		for _, tt := range []struct {
			path, want string
			code       int
		}{
			{"new/deep/x.md", "new: no such folder; make it first", exitNotFound},
			{"file/x.md", "file: is a file, not a folder", exitInvalid},
			{"sealed/x.md", ": permission denied", exitInvalid},
		} {
			if os.Getuid() == 0 && strings.Contains(tt.path, "sealed") {
				continue // root may write everywhere
			}
			_, problem, code := in.run("", append(append([]string{"report"}, command...), "-o", filepath.Join(folder, filepath.FromSlash(tt.path)))...)
			if code != tt.code || !strings.Contains(problem, tt.want) || strings.Contains(problem, ".track-") {
				t.Errorf("%v to %s: exit %d, want %d and %q: %s", command, tt.path, code, tt.code, tt.want, problem)
			}
		}
	}
	if files := readFolder(t, folder); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}
