package pages_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"track/pages"
)

// mostScript is how many bytes all scripts may have together, compressed.
const mostScript = 12 << 10

// The module is small, and holds every file of its folder.
func TestModule(t *testing.T) {
	t.Parallel()
	module := asset(t, "track.js")
	if n := compressed(t, module); n > mostScript {
		t.Errorf("the module has %d bytes compressed, more than %d", n, mostScript)
	}
	holdsFiles(t, spaces.ReplaceAll(module, nil), "assets/script/*.js", code)
	holdsFiles(t, asset(t, "track.css"), "assets/style/*.css", bytes.Clone)
	if base, err := os.ReadFile("assets/script/base.js"); err != nil || !bytes.HasPrefix(spaces.ReplaceAll(module, nil), code(base)) {
		t.Errorf("the module does not begin with base.js: %v", err)
	}
	if _, _, err := pages.Asset("base.js"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part of the module is a file of its own: %v", err)
	}
}

func asset(t *testing.T, name string) []byte {
	t.Helper()
	content, _, err := pages.Asset(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// comments are lines that are one; spaces are those between words, and in words of the page.
var (
	comments = regexp.MustCompile(`(?m)^\s*//.*\n`)
	spaces   = regexp.MustCompile(`\s+`)
)

// code returns what a browser runs of a script.
func code(script []byte) []byte { return spaces.ReplaceAll(comments.ReplaceAll(script, nil), nil) }

func holdsFiles(t *testing.T, joined []byte, pattern string, served func([]byte) []byte) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	for _, name := range names {
		if part, err := os.ReadFile(name); err != nil || !bytes.Contains(joined, served(part)) {
			t.Errorf("%s is not served: %v", name, err)
		}
	}
}

func compressed(t *testing.T, content []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
