package provenance

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

const (
	idA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

var id256 = strings.Repeat("c", 64)

// TestValidRefName takes its names from git-check-ref-format(1).
func TestValidRefName(t *testing.T) {
	for _, name := range []string{"refs/heads/x", "refs/heads/a/b", "refs/heads/ümlaut", "refs/heads/\xff", "refs/heads/a.b", "refs/x", "refs/heads/@", "refs/heads/-"} {
		if !validRefName(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{
		"", "HEAD", "refs", "refs/", "refs/heads/", "heads/x", "/refs/heads/x", "refs//x", "refs/heads/../x", "refs/heads/..",
		"refs/./x", "refs/.hidden", "refs/a..b", "refs/x.", "refs/x.lock", "refs/x.lock/y", "refs/a b", "refs/a\x00b", "refs/a\nb",
		"refs/a\x7f", "refs/a~1", "refs/a^", "refs/a:b", "refs/a?", "refs/a*", "refs/a[", `refs/a\b`, "refs/a@{1}",
	} {
		if validRefName(name) {
			t.Errorf("%q is let through", name)
		}
	}
}

func FuzzHead(f *testing.F) {
	for _, seed := range []string{idA + "\n", id256, "ref: refs/heads/main\n", "ref:", "ref: refs/../../x", "ref: /etc/passwd\r\n", "", "\x00\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		id, target, ok := parseRef(content)
		if ok && id == "" && target == "" {
			t.Fatalf("%q is fine but says nothing", content)
		}
		if id != "" && target != "" {
			t.Fatalf("%q is an id and a name", content)
		}
		if ok && id != "" {
			wantID(t, id)
		}
		if validRefName(target) {
			folder := filepath.FromSlash("/repo/.git")
			path := filepath.Join(folder, filepath.FromSlash(target))
			if !strings.HasPrefix(path, filepath.Join(folder, "refs")+string(filepath.Separator)) || strings.ContainsAny(target, "\x00\n") {
				t.Fatalf("%q leads to %q", content, path)
			}
		}
	})
}

func FuzzGitFile(f *testing.F) {
	for _, seed := range []string{"gitdir: ../.git/worktrees/x\n", "gitdir: /abs\r\n", "gitdir: ", "gitdir:", "", "gitdir: a\nb\x00\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path, ok := parseGitFile(content)
		if ok && (path == "" || strings.HasSuffix(path, "\n") || !bytes.Contains(content, []byte(path))) {
			t.Fatalf("parseGitFile(%q) = %q", content, path)
		}
		if resolved := resolveFrom(filepath.FromSlash("/repo"), path); resolved != filepath.Clean(resolved) {
			t.Fatalf("%q resolves to %q", path, resolved)
		}
	})
}

func wantID(t *testing.T, id string) {
	t.Helper()
	if len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
		t.Fatalf("%q is no object id", id)
	}
}
