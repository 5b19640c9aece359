package outsidetest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Page is what a browser made of a file.
type Page struct {
	DOM     string
	Console []string // errors and warnings
}

// consoleLine is how Chromium logs what a page says.
var consoleLine = regexp.MustCompile(`CONSOLE[(:]\d+\)?\] (.*)`)

// open opens an address in a Chromium of its own, without network. Scripts have until the page is at rest.
func open(t *testing.T, address string, flags ...string) Page {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		Missing(t, "there is no Chromium")
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
	p := Page{DOM: out.String()}
	for _, found := range consoleLine.FindAllStringSubmatch(log.String(), -1) {
		p.Console = append(p.Console, found[1])
	}
	return p
}

// OpenFile writes files into a new folder, and opens the first of them.
func OpenFile(t *testing.T, name string, files map[string]string) Page {
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

// Between returns the text between two others.
func Between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}
