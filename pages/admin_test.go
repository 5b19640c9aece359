package pages_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"track/internal/outsidetest"
	"track/internal/sample"
	"track/pages"
)

// TestAdminPages adds a token and revokes it, in light and dark: the pages have no violation, and the secret is in no
// address.
func TestAdminPages(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	tab := outsidetest.NewTab(t)
	for _, scheme := range []string{"light", "dark"} {
		tab.View(360, 900, scheme)
		for _, address := range []string{"/status", "/token/list"} {
			tab.Open(base + address)
			checkPage(t, tab, base, address)
			checkWidth(t, tab, address)
		}
		outsidetest.Evaluate[bool](tab, `(document.querySelector("#token-name").value = "ci-`+scheme+`", true)`)
		tab.Click(`form[action="/token/add"] > button`)
		tab.Wait(`document.querySelector("code.command + button.copy")?.dataset.copy.startsWith("trk_")`)
		if address := tab.Address(); strings.Contains(address, "trk_") {
			t.Errorf("the secret is in the address %s", address)
		}
		checkPage(t, tab, base, "/token/add")
		tab.Open(base + "/token/list")
		tab.Click("#change summary")
		checkPage(t, tab, base, "/token/list")
		checkWidth(t, tab, "/token/list")
		tab.Picture("token-set-" + scheme)
		tab.Click("#revoke summary")
		checkPage(t, tab, base, "/token/list")
		outsidetest.Evaluate[bool](tab, `(document.querySelector("#token-revoked").value = "ci-`+scheme+`", true)`)
		tab.Click("#token-sure")
		tab.Click(`form[action="/token/revoke"] button`)
		tab.Wait(`location.pathname === "/token/list" && [...document.querySelectorAll("#tokens tbody tr")].some((row) => row.textContent.includes("ci-` + scheme + `") && row.textContent.includes("revoked"))`)
	}
}

// mostScript is how many bytes all scripts may have together, compressed.
const mostScript = 12 << 10

// The module is small, and holds every file of its folder.
func TestModule(t *testing.T) {
	t.Parallel()
	module := asset(t, "track.js")
	if n := compressed(t, module); n > mostScript {
		t.Errorf("the module has %d bytes compressed, more than %d", n, mostScript)
	}
	holdsScripts(t, module)
	holdsFiles(t, asset(t, "track.css"), "assets/style/*.css", bytes.Clone)
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

// textInScript is a text that a script has as it is written.
var textInScript = regexp.MustCompile(`"([a-zA-Z][\w .,:-]+)"`)

// holdsScripts holds that the module has all scripts, base.js first: it has the longest text of each.
func holdsScripts(t *testing.T, module []byte) {
	t.Helper()
	names, err := filepath.Glob("assets/script/*.js")
	if err != nil || len(names) < 2 {
		t.Fatalf("%d scripts, %v", len(names), err)
	}
	for i, name := range names {
		script, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var longest []byte
		for _, found := range textInScript.FindAllSubmatch(script, -1) {
			if len(found[1]) > len(longest) {
				longest = found[1]
			}
		}
		if at := bytes.Index(module, longest); len(longest) < 6 || at < 0 {
			t.Errorf("the module has no %q of %s", longest, name)
		} else if isBase := filepath.Base(name) == "base.js"; isBase != (i == 0) || isBase && at > len(module)/4 {
			t.Errorf("base.js is not the first script: %s", name)
		}
	}
}

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
