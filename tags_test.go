package track_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// make test-postgres and make test-browser choose tests by their names.
func TestTagsAreInNames(t *testing.T) {
	test, n := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`), 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		constraint, _, _ := strings.Cut(string(text), "\n")
		for tag, name := range map[string]string{"postgres": "Postgres", "browser": "Browser"} {
			if !strings.HasPrefix(constraint, "//go:build") || !strings.Contains(constraint, tag) {
				continue
			}
			for _, found := range test.FindAllSubmatch(text, -1) {
				if n++; !strings.Contains(string(found[1]), name) {
					t.Errorf("%s: %s: the name lacks %s", path, found[1], name)
				}
			}
		}
		return err
	})
	if err != nil || n < 30 {
		t.Errorf("%d tests, %v", n, err)
	}
}
