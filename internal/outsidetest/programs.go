// Package outsidetest lets tests read reports with programs from outside: with the parser of Mermaid, and with a browser. Where these are missing a
// test is skipped, unless TRACK_OUTSIDE=required.
package outsidetest

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed mermaid
var mermaidSource embed.FS

// missing ends a test that needs a program from outside: it is skipped, unless TRACK_OUTSIDE=required, as in CI.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("TRACK_OUTSIDE") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf("SKIPPED, NOTHING WAS CHECKED: "+format, args...)
}

// mermaidDir is a folder outside of the tree in which Mermaid is installed, as the lock file says. The first test to ask installs it.
func mermaidDir(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		missing(t, "Mermaid is installed by npm, which is not there: make outside-tools installs it")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	hash := sha256.New()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := fs.ReadFile(mermaidSource, "mermaid/"+name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
		hash.Write(data)
	}
	dir := filepath.Join(cache, "track", fmt.Sprintf("mermaid-%x", hash.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "mermaid-new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(fresh, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = fresh
	if output, err := install.CombinedOutput(); err != nil {
		missing(t, "Mermaid could not be installed: npm ci: %v: %s", err, output)
	}
	if err := os.Rename(fresh, dir); err != nil && !exists(dir) { // unless another test was faster
		t.Fatal(err)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
