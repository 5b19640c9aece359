package provenance

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// fakeGit puts a shell script in the place of git; the rest of the PATH stays for what it calls.
func fakeGit(t testing.TB, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// fakeStatus puts a shell script in the place of git status; other commands of git work.
func fakeStatus(t testing.TB, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	fakeGit(t, `case "$*" in *rev-parse*) exec '`+real+`' "$@" ;; esac
`+script)
}

// TestNoAnswerFromGit wants the commit all the same, an unknown state, and a notice with the way out.
func TestNoAnswerFromGit(t *testing.T) {
	dir := newRepo(t)
	commit := git(t, dir, "rev-parse", "HEAD")
	cases := []struct {
		name, script string
		notices      []string
	}{
		{"hangs", "exec sleep 10", []string{"in time", "git status"}},
		{"hangs in a child", "sleep 10; exit 0", []string{"in time"}},
		{"ends but leaves its output open", "sleep 10 & exit 0", []string{"in time"}},
		{"writes without end", "while :; do echo '# x'; done", []string{"in time"}},
		{"fails", "echo 'fatal: detected dubious ownership' >&2; exit 128", []string{"dubious ownership", "git status"}},
		{"fails in silence", "exit 3", []string{"exit status 3"}},
		{"fails with control characters", `printf '\033[31mred\n' >&2; exit 1`, []string{"�[31mred"}},
		{"says nothing", "exit 0", []string{"cannot be read"}},
		{"says something else", "echo nothing to commit", []string{"cannot be read"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			fakeStatus(t, c.script)
			limits := generous
			if slices.Contains(c.notices, "in time") {
				limits = impatient
			}
			rev, err := gitRevision(t.Context(), dir, limits)
			if err != nil || rev.Commit != commit || rev.Dirty != dirtyUnknown || rev.DiffHash != "" {
				t.Errorf("revision = %+v, %v, want commit %s and nothing else known", rev, err, commit)
			}
			wantNotice(t, rev, c.notices...)
			if strings.ContainsAny(rev.Notice, "\x1b\n") {
				t.Errorf("notice %q upsets a terminal", rev.Notice)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		t.Setenv("PATH", "")
		rev, err := gitRevision(t.Context(), dir, defaultLimits)
		if err != nil || rev.Commit != "" || rev.Dirty != dirtyUnknown {
			t.Errorf("revision = %+v, %v, want unknown", rev, err)
		}
		wantNotice(t, rev, "install git")
	})
}

// TestNoAnswerInLinkedWorkTree has .git as a file.
func TestNoAnswerInLinkedWorkTree(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, newRepo(t), "worktree", "add", "--quiet", "-b", "other", tree)
	git(t, tree, "commit", "--quiet", "--allow-empty", "--message=second")
	commit := git(t, tree, "rev-parse", "HEAD")
	fakeStatus(t, "exit 3")
	if rev := revision(t, tree); rev.Commit != commit || rev.Dirty != dirtyUnknown {
		t.Errorf("revision = %+v, want commit %s alone", rev, commit)
	}
}

func TestMoreChangesThanOutput(t *testing.T) {
	dir := newRepo(t)
	write(t, dir, "a.txt", "edited\n")
	write(t, dir, "sub/b.txt", "edited\n")
	few := generous
	few.output = len("# branch.oid "+idA) + 1 + len("# branch.head main") + 1 + 20
	rev, err := gitRevision(t.Context(), dir, few)
	if err != nil || rev.Dirty != dirtyYes || rev.DiffHash != "" {
		t.Errorf("revision = %+v, %v, want dirty without a hash", rev, err)
	}
	wantNotice(t, rev, "too many", "commit the changes")
}

func TestParseStatus(t *testing.T) {
	const head = "# branch.oid " + idA + "\x00# branch.head main\x00"
	const ids = " " + idA + " " + idB + " "
	cases := []struct {
		name, out string
		want      treeStatus
		ok        bool
	}{
		{"clean", head, treeStatus{commit: idA}, true},
		{"unborn", "# branch.oid (initial)\x00", treeStatus{}, true},
		{"changed", head + "1 .M N... 100644 100644 100755" + ids + "a b\nc\xff\"\x00", treeStatus{commit: idA, changes: []change{
			{path: "a b\nc\xff\"", mode: "100755"},
		}}, true},
		{"deleted and submodule", head + "1 D. N... 100644 000000 000000" + ids + "a\x001 .M SCM. 160000 160000 160000" + ids + "m\x00", treeStatus{commit: idA, changes: []change{
			{path: "a", mode: "000000"}, {path: "m", mode: "160000", modified: true},
		}}, true},
		{"unmerged", head + "u UU N... 100644 100644 100644 100644" + ids + idA + " a b\x00", treeStatus{commit: idA, changes: []change{
			{path: "a b", mode: "100644"},
		}}, true},
		{"HEAD leads nowhere", "# branch.oid (initial)\x00# branch.head (unknown)\x00", treeStatus{damaged: true}, true},
		{"unknown header", head + "# stash 3\x00", treeStatus{commit: idA}, true},
		{"empty", "", treeStatus{}, false},
		{"no commit", "# branch.head main\x00", treeStatus{}, false},
		{"bad commit", "# branch.oid abc\x00", treeStatus{}, false},
		{"cut short", head + "1 .M N... 100644", treeStatus{}, false},
		{"too few fields", head + "1 .M N... 100644\x00", treeStatus{}, false},
		{"no path", head + "1 .M N... 100644 100644 100644" + ids + "\x00", treeStatus{}, false},
		{"bad mode", head + "1 .M N... 100644 100644 10064x" + ids + "a\x00", treeStatus{}, false},
		{"bad submodule", head + "1 .M N 100644 100644 100644" + ids + "a\x00", treeStatus{}, false},
		{"rename, which is not asked for", head + "2 R. N... 100644 100644 100644" + ids + "R100 b\x00a\x00", treeStatus{}, false},
		{"empty record", head + "\x00", treeStatus{}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := parseStatus([]byte(c.out))
			if ok != c.ok || ok && !reflect.DeepEqual(got, c.want) {
				t.Errorf("parseStatus(%q) = %+v, %v, want %+v, %v", c.out, got, ok, c.want, c.ok)
			}
		})
	}
}

// TestObjectID refuses everything but whole ids.
func TestObjectID(t *testing.T) {
	for text, want := range map[string]string{
		idA: idA, strings.ToUpper(idB): idB, strings.Repeat("c", 64): strings.Repeat("c", 64),
		"": "", "abc": "", strings.Repeat("0", 40): "", strings.Repeat("g", 40): "", idA + " ": "",
	} {
		if got, ok := objectID([]byte(text)); ok != (want != "") || ok && got != want {
			t.Errorf("objectID(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func FuzzStatus(f *testing.F) {
	const head = "# branch.oid " + idA + "\x00"
	f.Add([]byte(head + "1 .M N... 100644 100644 100755 " + idA + " " + idB + " a b\x00"))
	f.Add([]byte(head + "u UU N... 100644 100644 100644 100644 " + idA + " " + idA + " " + idB + " a\x00"))
	f.Add([]byte(head + "2 R. N... 100644 100644 100644 " + idA + " " + idB + " R100 b\x00a\x00"))
	f.Add([]byte("# branch.oid (initial)\x00? x\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		status, ok := parseStatus(out)
		if !ok {
			return
		}
		if status.commit != "" {
			wantID(t, status.commit)
		}
		for _, c := range status.changes {
			if c.path == "" || len(c.mode) != 6 || strings.Contains(c.path, "\x00") {
				t.Fatalf("parseStatus(%q) has change %+v", out, c)
			}
		}
	})
}

const (
	idA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func wantID(t *testing.T, id string) {
	t.Helper()
	if len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
		t.Fatalf("%q is not an object id", id)
	}
}
