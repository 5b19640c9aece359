package outsidetest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/internal/outsidetest"
)

const goodPage = `<!DOCTYPE html><html><head><meta charset="utf-8"/><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/>
<link rel="icon" href="data:,"/></head><body><main><h1 id="top">Page</h1><a href="index.md">back</a><a href="#top">up</a></main></body></html>`

const (
	picture      = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>`
	goodMarkdown = "# Index\n\n- [page](page.html#top)\n\n![x](index_files/p.svg)\n"
)

// write puts files into a new folder.
func write(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Nothing is said against a folder in which nothing is wrong.
func TestOpenSite(t *testing.T) {
	t.Parallel()
	s := outsidetest.OpenSite(t, write(t, map[string]string{"index.md": goodMarkdown, "index_files/p.svg": picture, "page.html": goodPage}))
	if len(s.Problems) > 0 || len(s.Pages) != 2 {
		t.Errorf("%+v", s)
	}
	if index := s.Pages[1]; index.Name != "index.md" || index.Images != 1 || !slices.Equal(index.Links, []string{"page.html"}) {
		t.Errorf("%+v", index)
	}
}

// What is wrong is found, each thing with the name of its page.
func TestOpenSiteFindsProblems(t *testing.T) {
	t.Parallel()
	files := map[string]string{"index.md": goodMarkdown, "index_files/p.svg": picture, "page.html": goodPage, "index_files/broken.svg": strings.TrimSuffix(picture, "</svg>")}
	faults := []struct{ file, old, new, problem string }{
		{"script.html", "</main>", `<script>console.error("wrong")</script></main>`, "the browser says: \"Executing inline script"},
		{"script.html", "", "", "script.html has 1 scripts"},
		{"resource.html", "</main>", `<img src="missing.svg"/></main>`, "resource.html does not show missing.svg"},
		{"missing.md", "p.svg", "q.svg", "missing.md does not show index_files/q.svg"},
		{"broken.md", "p.svg", "broken.svg", "broken.md does not show index_files/broken.svg"},
		{"dangling.md", "(page.html#top)", "(gone.html)", "dangling.md: a link leads to gone.html, which is not there"},
		{"nowhere.html", "#top", "#bottom", "nowhere.html: a link leads to #bottom of nowhere.html, which has no such place"},
		{"network.md", "(page.html#top)", "(https://example.org/)", `network.md: a link leads to "https://example.org/", which is no file`},
		{"out.html", `"index.md"`, `"../index.md"`, "out.html: a link leads out of the folder"},
		{"heading.md", "# Index", "Index", "heading.md shows no heading"},
		{"policy.html", "Content-Security-Policy", "x", "policy.html has 0 scripts; a policy: false"},
	}
	for _, f := range faults {
		good := map[string]string{".md": goodMarkdown, ".html": goodPage}[filepath.Ext(f.file)]
		if !strings.Contains(good, f.old) {
			t.Fatalf("nothing to spoil in %s", f.file)
		}
		if f.old != "" {
			files[f.file] = strings.Replace(good, f.old, f.new, 1)
		}
	}
	s := outsidetest.OpenSite(t, write(t, files))
	for _, f := range faults {
		if !slices.ContainsFunc(s.Problems, func(p string) bool { return strings.HasPrefix(p, f.problem) }) {
			t.Errorf("not found: %s", f.problem)
		}
	}
	for _, problem := range s.Problems {
		for _, good := range []string{"index.md", "page.html"} {
			if strings.HasPrefix(problem, good) {
				t.Errorf("found in a page in which nothing is wrong: %s", problem)
			}
		}
	}
}
