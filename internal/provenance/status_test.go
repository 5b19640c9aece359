package provenance

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"track"
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

// TestNoAnswerFromGit wants the commit all the same, an unknown state, and the way out.
func TestNoAnswerFromGit(t *testing.T) {
	dir := newRepo(t)
	commit := git(t, dir, "rev-parse", "HEAD")
	cases := []struct {
		name, script string
		reasons      []string
	}{
		{"fails", "echo 'fatal: detected dubious ownership' >&2; exit 128", []string{"dubious ownership", "git status"}},
		{"fails in silence", "exit 3", []string{"exit status 3"}},
		{"fails after a good answer", `printf '# branch.oid ` + idA + `\000'; exit 1`, []string{"exit status 1"}},
		{"is killed", "kill -9 $$", []string{"killed"}},
		{"fails with control characters", `printf '\033[31mred\n' >&2; exit 1`, []string{"�[31mred"}},
		{"says nothing", "exit 0", []string{"cannot be read"}},
		{"says something else", "echo nothing to commit", []string{"cannot be read"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			fakeStatus(t, c.script)
			code := codeIn(t, dir)
			wantUnknown(t, code, commit, c.reasons...)
			if strings.ContainsAny(code.unknown, "\x1b\n") {
				t.Errorf("reason %q upsets a terminal", code.unknown)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		t.Setenv("PATH", "")
		wantUnknown(t, codeIn(t, dir), "", "install git")
	})
}

// TestGitHangs has a git that ends only when it is killed, in ways that differ in who holds its output.
func TestGitHangs(t *testing.T) {
	dir := newRepo(t)
	for name, script := range map[string]string{
		"itself":                 "exec tail -f /dev/null",
		"in a child":             "tail -f /dev/null; exit 0",
		"writes without end":     "while :; do echo '# x'; done",
		"leaves its output open": "tail -f /dev/null & wait",
	} {
		t.Run(name, func(t *testing.T) {
			fakeGit(t, script)
			ctx, done := impatient.begin(t.Context())
			defer done()
			wantUnknown(t, findCode(ctx, dir), "", "git did not answer within 50ms", "git status")
		})
	}
}

// TestSlowGit has a git that answers only after its user was told that it is slow: the answer is waited for.
func TestSlowGit(t *testing.T) {
	dir := newRepo(t)
	t.Chdir(dir)
	commit, told := git(t, dir, "rev-parse", "HEAD"), filepath.Join(t.TempDir(), "told")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	fakeGit(t, `while ! test -e '`+told+`'; do :; done; exec '`+real+`' "$@"`)
	notices := make(chan string, 1)
	patience := Patience{Limit: generous.Limit, NoticeAfter: 1, Notice: func(text string) {
		notices <- text
		write(t, filepath.Dir(told), "told", "")
	}}
	if o := Find(t.Context(), "", "test", patience); o.Revision != (track.Revision{Commit: commit}) || o.Notice != "" {
		t.Errorf("origin = %+v, want a clean commit %s", o, commit)
	}
	if text := <-notices; text != "waiting for git status" {
		t.Errorf("told %q", text)
	}
}

// TestUnknownStates wants another revision each time, with the reason in the environment.
func TestUnknownStates(t *testing.T) {
	dir := newRepo(t)
	t.Chdir(dir)
	commit := git(t, dir, "rev-parse", "HEAD")
	clean := Find(t.Context(), "", "test", generous).Revision
	fakeStatus(t, "exit 3")
	one, other := Find(t.Context(), "", "test", generous), Find(t.Context(), "", "test", generous)
	for _, o := range []Origin{one, other} {
		if o.Revision.Commit != commit || o.Revision.Unknown == "" || !strings.Contains(o.Environment["git_state"], "exit status 3") || !strings.Contains(o.Notice, "exit status 3") {
			t.Errorf("origin = %+v, want an unknown state at commit %s", o, commit)
		}
	}
	if one.Revision == other.Revision {
		t.Errorf("two unknown states are equal: %+v", one.Revision)
	}
	if changed, err := HasChanged(t.Context(), clean, generous); changed || err == nil {
		t.Errorf("whether the code has changed: %v, %v, want an error", changed, err)
	}
	f := findFiles(t, []string{"a.txt"})
	if _, err := f.Hash(t.Context(), Origin{tree: workTree(dir)}, generous); err == nil {
		t.Error("git ls-files failed, and no error says so")
	}
	if declared := Find(t.Context(), "v1", "test", generous); declared.Revision != (track.Revision{Commit: "v1"}) || declared.Notice != "" {
		t.Errorf("origin = %+v, want the declared commit", declared)
	}
}

// TestNoAnswerInLinkedWorkTree has .git as a file.
func TestNoAnswerInLinkedWorkTree(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, newRepo(t), "worktree", "add", "--quiet", "-b", "other", tree)
	git(t, tree, "commit", "--quiet", "--allow-empty", "--message=second")
	commit := git(t, tree, "rev-parse", "HEAD")
	fakeStatus(t, "exit 3")
	wantUnknown(t, codeIn(t, tree), commit)
}

// TestMoreChangesThanOutput has a list of changes that is cut: it could be that of other changes.
func TestMoreChangesThanOutput(t *testing.T) {
	dir := newRepo(t)
	commit := git(t, dir, "rev-parse", "HEAD")
	fakeStatus(t, `printf '# branch.oid `+idA+`\000'; head -c 17000000 /dev/zero`)
	wantUnknown(t, codeIn(t, dir), commit, "too many files are changed", "commit the changes")
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
		{"changed", head + "1 .M N... 100644 100644 100755" + ids + "a b\nc\xff\"\x00", treeStatus{commit: idA, dirty: true}, true},
		{"deleted and submodule", head + "1 D. N... 100644 000000 000000" + ids + "a\x001 .M SCM. 160000 160000 160000" + ids + "m\x00", treeStatus{commit: idA, dirty: true, modified: []string{"m"}}, true},
		{"unmerged", head + "u UU N... 100644 100644 100644 100644" + ids + idA + " a b\x00", treeStatus{commit: idA, dirty: true}, true},
		{"HEAD leads nowhere", "# branch.oid (initial)\x00# branch.head (unknown)\x00", treeStatus{damaged: true}, true},
		{"unknown header", head + "# stash 3\x00", treeStatus{commit: idA}, true},
		{"empty", "", treeStatus{}, false},
		{"no commit", "# branch.head main\x00", treeStatus{}, false},
		{"bad commit", "# branch.oid abc\x00", treeStatus{}, false},
		{"cut short", head + "1 .M N... 100644", treeStatus{}, false},
		{"too few fields", head + "1 .M N... 100644\x00", treeStatus{}, false},
		{"no path", head + "1 .M N... 100644 100644 100644" + ids + "\x00", treeStatus{}, false},
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
		if len(status.modified) > 0 && !status.dirty {
			t.Fatalf("parseStatus(%q) is clean with changed submodules %q", out, status.modified)
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
