package provenance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"track"
)

// generous is for a git that answers; impatient, for one that hangs.
var (
	generous  = Patience{Limit: 10 * time.Minute}
	impatient = Patience{Limit: 50 * time.Millisecond}
)

// TestMain shields the tests from the git configuration of their user, and from a git that runs them as a hook.
func TestMain(m *testing.M) {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Setenv("GIT_TEMPLATE_DIR", "") // no sample hooks, which would be copied often
	os.Exit(m.Run())
}

// git runs git in dir and returns its output without the last newline.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{
		"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false",
		"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main",
	}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: the test makes real repositories with it")
	}
}

// newRepo makes a repository with one commit that holds a.txt and sub/b.txt.
func newRepo(t testing.TB, initArgs ...string) string {
	t.Helper()
	needGit(t)
	dir := t.TempDir()
	git(t, dir, append([]string{"init", "--quiet"}, initArgs...)...)
	write(t, dir, "a.txt", "one\n")
	write(t, dir, "sub/b.txt", "two\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "--message=first")
	return dir
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// codeIn returns the code in a folder, as a patient caller sees it.
func codeIn(t testing.TB, dir string) codeState {
	t.Helper()
	ctx, done := generous.begin(t.Context())
	defer done()
	return findCode(ctx, dir)
}

// revision returns a revision whose state is known.
func revision(t testing.TB, dir string) track.Revision {
	t.Helper()
	code := codeIn(t, dir)
	if code.unknown != "" {
		t.Fatalf("the state of %s is unknown: %s", dir, code.unknown)
	}
	return code.revision
}

// wantClean checks for a clean work tree at the commit that git names.
func wantClean(t *testing.T, dir string) {
	t.Helper()
	want := track.Revision{Commit: git(t, dir, "rev-parse", "HEAD")}
	if got := revision(t, dir); got != want {
		t.Errorf("revision of %s = %+v, want %+v", dir, got, want)
	}
}

// wantUnknown checks for an unknown state at a commit, for a reason that has all texts.
func wantUnknown(t *testing.T, code codeState, commit string, texts ...string) {
	t.Helper()
	if code.unknown == "" || code.revision != (track.Revision{Commit: commit}) {
		t.Errorf("code = %+v, want an unknown state at commit %q", code, commit)
	}
	for _, text := range texts {
		if !strings.Contains(code.unknown, text) {
			t.Errorf("reason %q does not say %q", code.unknown, text)
		}
	}
}

func TestClean(t *testing.T) {
	cases := []struct {
		name    string
		prepare func(t *testing.T, dir string) string // changes a repository; returns the folder to ask about
	}{
		{"normal", func(_ *testing.T, dir string) string { return dir }},
		{"subfolder", func(_ *testing.T, dir string) string { return filepath.Join(dir, "sub") }},
		{"link to subfolder", func(t *testing.T, dir string) string {
			link := filepath.Join(t.TempDir(), "link")
			symlink(t, filepath.Join(dir, "sub"), link)
			return link
		}},
		{"detached", func(t *testing.T, dir string) string {
			git(t, dir, "checkout", "--quiet", "--detach")
			return dir
		}},
		{"nested branch", func(t *testing.T, dir string) string {
			git(t, dir, "checkout", "--quiet", "-b", "feature/very/deep")
			return dir
		}},
		{"symbolic branch", func(t *testing.T, dir string) string {
			git(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
			git(t, dir, "symbolic-ref", "HEAD", "refs/heads/alias")
			return dir
		}},
		{"packed", func(t *testing.T, dir string) string {
			git(t, dir, "tag", "--annotate", "--message=tag", "v1")
			git(t, dir, "pack-refs", "--all")
			mustBeAbsent(t, filepath.Join(dir, ".git/refs/heads/main"))
			return dir
		}},
		{"packed, with a folder where the ref was", func(t *testing.T, dir string) string {
			git(t, dir, "checkout", "--quiet", "-b", "x")
			git(t, dir, "pack-refs", "--all")
			if err := os.MkdirAll(filepath.Join(dir, ".git/refs/heads/x/empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			return dir
		}},
		{"packed, then moved on", func(t *testing.T, dir string) string {
			git(t, dir, "pack-refs", "--all")
			git(t, dir, "commit", "--quiet", "--allow-empty", "--message=second")
			return dir
		}},
		{"packed under a loose name alike", func(t *testing.T, dir string) string {
			git(t, dir, "commit", "--quiet", "--allow-empty", "--message=second")
			git(t, dir, "branch", "ma", "HEAD~")
			git(t, dir, "branch", "main2", "HEAD~")
			git(t, dir, "pack-refs", "--all")
			return dir
		}},
		{"worktree", func(t *testing.T, dir string) string {
			tree := filepath.Join(t.TempDir(), "tree")
			git(t, dir, "worktree", "add", "--quiet", "-b", "other", tree)
			git(t, tree, "commit", "--quiet", "--allow-empty", "--message=second")
			return tree
		}},
		{"worktree, packed", func(t *testing.T, dir string) string {
			tree := filepath.Join(t.TempDir(), "tree")
			git(t, dir, "worktree", "add", "--quiet", "-b", "other", tree)
			git(t, tree, "pack-refs", "--all")
			return tree
		}},
		{"worktree, detached, relative", func(t *testing.T, dir string) string {
			git(t, dir, "worktree", "add", "--quiet", "--detach", "tree")
			write(t, dir, "tree/.git", "gitdir: ../.git/worktrees/tree")
			return filepath.Join(dir, "tree")
		}},
		{"submodule", func(t *testing.T, _ string) string {
			dir := newModuleRepo(t)
			git(t, dir+"/module", "commit", "--quiet", "--allow-empty", "--message=own")
			return filepath.Join(dir, "module/sub")
		}},
		{"in a folder named .git that is no repository", func(t *testing.T, dir string) string {
			write(t, dir, "sub/.git/notes.txt", "")
			return filepath.Join(dir, "sub")
		}},
		{"in the folder of git itself", func(_ *testing.T, dir string) string { return filepath.Join(dir, ".git/refs") }},
		{"link as HEAD", func(t *testing.T, dir string) string {
			remove(t, dir, ".git/HEAD")
			symlink(t, "refs/heads/main", filepath.Join(dir, ".git/HEAD"))
			return dir
		}},
		{"untracked file", func(t *testing.T, dir string) string {
			write(t, dir, "results.json", "{}")
			write(t, dir, "sub/results.json", "{}")
			return dir
		}},
		{"untracked file in a submodule", func(t *testing.T, _ string) string {
			dir := newModuleRepo(t)
			write(t, dir, "module/results.json", "{}")
			return dir
		}},
		{"untracked repository", func(t *testing.T, dir string) string {
			git(t, dir, "init", "--quiet", "inner")
			return dir
		}},
		{"touched", func(t *testing.T, dir string) string {
			then := time.Unix(1_000_000_000, 0)
			if err := os.Chtimes(filepath.Join(dir, "a.txt"), then, then); err != nil {
				t.Fatal(err)
			}
			return dir
		}},
		{"configured to show everything", func(t *testing.T, dir string) string {
			for _, setting := range []string{
				"status.showUntrackedFiles=all", "status.branch=true", "status.showStash=true",
				"status.short=true", "color.ui=always", "status.relativePaths=true",
			} {
				key, value, _ := strings.Cut(setting, "=")
				git(t, dir, "config", key, value)
			}
			write(t, dir, "a.txt", "stashed\n")
			git(t, dir, "stash", "--quiet")
			write(t, dir, "results.json", "{}")
			return dir
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantClean(t, c.prepare(t, newRepo(t)))
		})
	}
}

func TestSHA256Repository(t *testing.T) {
	dir := newRepo(t, "--object-format=sha256")
	if n := len(git(t, dir, "rev-parse", "HEAD")); n != 64 {
		t.Fatalf("git made ids of %d digits", n)
	}
	wantClean(t, dir)
	git(t, dir, "pack-refs", "--all")
	wantClean(t, dir)
	write(t, dir, "a.txt", "edited\n")
	if rev := revision(t, dir); !rev.Dirty || len(rev.DiffHash) != 64 {
		t.Errorf("revision = %+v, want dirty with a hash", rev)
	}
}

func TestWorkingDirectory(t *testing.T) {
	dir := newRepo(t)
	t.Chdir(filepath.Join(dir, "sub"))
	for _, name := range []string{"", ".", "..", "../sub"} {
		if rev := revision(t, name); rev.Dirty || len(rev.Commit) != 40 {
			t.Errorf("revision of %q = %+v", name, rev)
		}
	}
}

func TestUnborn(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	if code := codeIn(t, dir); code.unknown != "" || code.revision != (track.Revision{}) || !strings.Contains(code.notice, "no commit yet") {
		t.Errorf("empty repository: %+v", code)
	}
	write(t, dir, "a.txt", "one\n")
	git(t, dir, "add", ".")
	code := codeIn(t, dir)
	if rev := code.revision; code.unknown != "" || rev.Commit != "" || !rev.Dirty || rev.DiffHash == "" || !strings.Contains(code.notice, "no commit yet") {
		t.Errorf("repository with a staged file: %+v", code)
	}
}

func TestNoRepository(t *testing.T) {
	code := codeIn(t, t.TempDir())
	if code.unknown != "" || code.revision != (track.Revision{}) || !strings.Contains(code.notice, "git init") {
		t.Errorf("code = %+v, want an empty revision and a notice", code)
	}
}

func TestNoFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "")
	for _, name := range []string{"gone", "file", "file/below", "nul\x00"} {
		wantUnknown(t, codeIn(t, filepath.Join(dir, name)), "")
	}
}

// TestDamaged wants an unknown state, no panic and no commit.
func TestDamaged(t *testing.T) {
	cases := []struct {
		name   string
		damage func(t *testing.T, dir string)
	}{
		{"HEAD garbage", func(t *testing.T, dir string) { write(t, dir, ".git/HEAD", "\x00\xffgarbage") }},
		{"HEAD empty", func(t *testing.T, dir string) { write(t, dir, ".git/HEAD", "") }},
		{"HEAD huge", func(t *testing.T, dir string) { write(t, dir, ".git/HEAD", strings.Repeat("a", 100_000)) }},
		{"HEAD zeros", func(t *testing.T, dir string) { write(t, dir, ".git/HEAD", strings.Repeat("0", 40)) }},
		{"HEAD leads out", func(t *testing.T, dir string) {
			write(t, dir, "outside", strings.Repeat("a", 40))
			write(t, dir, ".git/HEAD", "ref: refs/../../outside")
		}},
		{"HEAD absolute", func(t *testing.T, dir string) {
			write(t, dir, "outside", strings.Repeat("a", 40))
			write(t, dir, ".git/HEAD", "ref: "+filepath.Join(dir, "outside"))
		}},
		{"HEAD links out", func(t *testing.T, dir string) {
			write(t, dir, "outside", strings.Repeat("a", 40))
			remove(t, dir, ".git/HEAD")
			symlink(t, "refs/../../outside", filepath.Join(dir, ".git/HEAD"))
		}},
		{"branch garbage", func(t *testing.T, dir string) { write(t, dir, ".git/refs/heads/main", "garbage\n") }},
		{"branch short", func(t *testing.T, dir string) { write(t, dir, ".git/refs/heads/main", "abc123\n") }},
		{"loop", func(t *testing.T, dir string) { write(t, dir, ".git/refs/heads/main", "ref: refs/heads/main\n") }},
		{"HEAD a folder", func(t *testing.T, dir string) {
			remove(t, dir, ".git/HEAD")
			write(t, dir, ".git/HEAD/file", "")
		}},
		{"packed-refs a folder", func(t *testing.T, dir string) {
			git(t, dir, "pack-refs", "--all")
			remove(t, dir, ".git/packed-refs")
			write(t, dir, ".git/packed-refs/file", "")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := newRepo(t)
			c.damage(t, dir)
			wantUnknown(t, codeIn(t, dir), "", "git")
		})
	}
}

func TestDamagedGitFile(t *testing.T) {
	for _, content := range []string{"", "garbage", "gitdir:", "gitdir: ", "gitdir: \r\n", "gitdir: /nowhere\n", "gitdir: nul\x00\n", "gitdir: .git", "\xff\xfe"} {
		dir := t.TempDir()
		write(t, dir, ".git", content)
		write(t, dir, "sub/file", "")
		wantUnknown(t, codeIn(t, filepath.Join(dir, "sub")), "", "git")
	}
}

// TestOldGit has a git that does not know how the repository keeps its refs.
func TestOldGit(t *testing.T) {
	dir := newRepo(t)
	fakeGit(t, `echo "fatal: unknown repository extension found: refstorage" >&2; exit 128`)
	wantUnknown(t, codeIn(t, dir), "", "refstorage")
}

// TestForeignOwner has a repository that git status refuses to read. rev-parse runs nothing of the repository's choice.
func TestForeignOwner(t *testing.T) {
	dir := newRepo(t)
	commit := git(t, dir, "rev-parse", "HEAD")
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if out, err := tryGit(dir, "status"); err == nil {
		t.Skipf("this git reads it all the same: %s", out)
	}
	wantUnknown(t, codeIn(t, dir), commit, "dubious ownership")
}

// TestOuterRepository has a repository that git refuses, inside another one: the outer one has other code.
func TestOuterRepository(t *testing.T) {
	outer := newRepo(t)
	write(t, outer, "inner/.git/HEAD", "garbage")
	wantUnknown(t, codeIn(t, filepath.Join(outer, "inner")), "")
}

// TestRealReftable needs git 2.45.
func TestRealReftable(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	if out, err := tryGit(dir, "init", "--quiet", "--ref-format=reftable"); err != nil {
		t.Skipf("this git makes no reftable: %s", out)
	}
	git(t, dir, "commit", "--quiet", "--allow-empty", "--message=first")
	want := track.Revision{Commit: git(t, dir, "rev-parse", "HEAD")}
	if got := revision(t, dir); got != want {
		t.Errorf("revision = %+v, want %+v", got, want)
	}
}

// TestForeignGitEnvironment has the variables set that git sets for hooks.
func TestForeignGitEnvironment(t *testing.T) {
	dir, other := newRepo(t), newRepo(t)
	write(t, other, "a.txt", "edited\n")
	want := track.Revision{Commit: git(t, dir, "rev-parse", "HEAD")}
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git/index"))
	t.Setenv("GIT_TRACE", trace)
	if got := revision(t, dir); got != want {
		t.Errorf("revision = %+v, want %+v", got, want)
	}
	mustBeAbsent(t, trace)
}

// TestLeavesRepositoryAlone checks that neither the index is refreshed nor a command of the repository's choice is run.
func TestLeavesRepositoryAlone(t *testing.T) {
	dir := newModuleRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "monitor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: > '"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	then := time.Unix(1_000_000_000, 0)
	for _, tree := range []string{dir, filepath.Join(dir, "module")} {
		git(t, tree, "config", "core.fsmonitor", script)
		if err := os.Chtimes(filepath.Join(tree, "a.txt"), then, then); err != nil {
			t.Fatal(err)
		}
	}
	before := read(t, filepath.Join(dir, ".git/index"))
	if rev := revision(t, dir); rev.Dirty {
		t.Errorf("revision = %+v", rev)
	}
	if after := read(t, filepath.Join(dir, ".git/index")); !bytes.Equal(before, after) {
		t.Error("the index was written")
	}
	mustBeAbsent(t, ran)
}

func TestUnreadableRepository(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("the administrator may read everything")
	}
	dir := newRepo(t)
	gitDir := filepath.Join(dir, ".git")
	if err := os.Chmod(gitDir, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(gitDir, 0o755) })
	wantUnknown(t, codeIn(t, dir), "", "permission denied")
}

func TestCancelled(t *testing.T) {
	dir := newRepo(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed Ctrl-C"))
	wantUnknown(t, findCode(ctx, dir), "", "the user pressed Ctrl-C")
}

func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("no right to make links")
		}
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func truncate(t testing.TB, dir, name string, size int64) {
	t.Helper()
	if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
		t.Fatal(err)
	}
}

func mustBeAbsent(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s is there (%v)", path, err)
	}
}

func BenchmarkFindCode(b *testing.B) {
	dir := newRepo(b)
	measure := func(b *testing.B) {
		for b.Loop() {
			revision(b, dir)
		}
	}
	b.Run("clean", measure)
	write(b, dir, "a.txt", "edited\n")
	b.Run("dirty", measure)
}
