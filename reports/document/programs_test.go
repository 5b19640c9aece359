package document_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// missing ends a test that needs a program from outside: it is skipped, unless TRACK_OUTSIDE=required, as in CI.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("TRACK_OUTSIDE") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf("SKIPPED, NOTHING WAS CHECKED: "+format, args...)
}

// mermaidFiles say what to install.
var mermaidFiles = []string{"package.json", "package-lock.json"}

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
	for _, name := range mermaidFiles {
		data, err := os.ReadFile(filepath.Join("testdata", "mermaid", name))
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

// page is what a browser made of a file.
type page struct {
	dom     string
	console []string // errors and warnings
}

// console is how Chromium logs what a page says.
var console = regexp.MustCompile(`CONSOLE[(:]\d+\)?\] (.*)`)

// open opens an address in a Chromium of its own, without network. Scripts have until the page is at rest.
func open(t *testing.T, address string, flags ...string) page {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		missing(t, "there is no Chromium: make outside-tools installs it")
	}
	profile, err := os.MkdirTemp("", "track-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile)
	flags = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--user-data-dir=" + profile, "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files",
		"--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom",
	}, flags...)
	command := exec.CommandContext(t.Context(), path, append(flags, address)...)
	command.WaitDelay = time.Minute
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v: %s", path, err, log.String())
	}
	if out.Len() == 0 {
		t.Fatalf("%s shows nothing of %s: %s", path, address, log.String())
	}
	p := page{dom: out.String()}
	for _, found := range console.FindAllStringSubmatch(log.String(), -1) {
		p.console = append(p.console, found[1])
	}
	return p
}

// openFile writes files into a new folder, and opens the first of them.
func openFile(t *testing.T, name string, files map[string]string) page {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, "file://"+filepath.ToSlash(filepath.Join(dir, name)))
}

// between is the text between two others.
func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}
