package pages_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track/ask"
	"track/internal/outsidetest"
	"track/internal/sample"
)

var filePattern = regexp.MustCompile(`href="(/[^"]*(?:file\.page|as)=[^"]*)"`)

// figureFiles are the files of figures that a crawl has seen, by page and name.
type figureFiles map[string]bool

// check gets the files of the figures of a page, each kind once: an SVG that is whole with a title.
func (f figureFiles) check(t *testing.T, base, page, body string) {
	t.Helper()
	_, body, _ = strings.Cut(body, "<section")
	for _, found := range filePattern.FindAllStringSubmatch(body, -1) {
		address := html.UnescapeString(found[1])
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		kind := at.Path + " " + at.Query().Get("file.page") + at.Query().Get("as")
		if f[kind] || strings.HasPrefix(at.Query().Get("as"), "text/") || at.Query().Get("as") == "application/json" {
			continue
		}
		f[kind] = true
		response, content := file(t, base+address)
		media, named := response.Header.Get("Content-Type"), response.Header.Get("Content-Disposition")
		if response.StatusCode != http.StatusOK || !strings.HasPrefix(named, "attachment; filename=") {
			t.Errorf("%s of %s: %d, %q", address, page, response.StatusCode, named)
			continue
		}
		switch media {
		case "image/svg+xml":
			if title, err := titleOf(content); err != nil || title == "" || !bytes.Contains(content, []byte("<style>")) {
				t.Errorf("%s of %s is no SVG with a title and colors of its own: %q, %v", address, page, title, err)
			}
		default:
			t.Errorf("%s of %s is %s", address, page, media)
		}
	}
}

// missing returns the files of figures that no page has had.
func (f figureFiles) missing() (list []string) {
	for _, name := range []string{
		"/lineage/tree tree", "/series/bands bands", "/lineage/show scores", "/download/lineage/front ", "/stability scores", "/compare pairs", "/compare forest",
		"/params plot", "/params means", "/download/matrix ", "/download/history ", "/download/series/show ",
	} {
		if !f[name+".svg"] && !f[name+ask.SVG] {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// checkDownloads reports a page that shows something and cannot be kept as JSON or as a document.
func checkDownloads(t *testing.T, page, body string) {
	t.Helper()
	path, _, _ := strings.Cut(page, "?")
	if !strings.Contains(body, "<table") && !strings.Contains(body, "<figure") {
		return
	}
	_, menu, _ := strings.Cut(body, `id="downloads"`)
	menu, _, _ = strings.Cut(menu, "</div>")
	if !strings.Contains(menu, "JSON</a>") && !(strings.HasPrefix(path, "/report/") && strings.Contains(menu, "HTML</a>")) {
		t.Errorf("%s cannot be downloaded: %s", page, menu)
	}
}

func file(t *testing.T, address string) (*http.Response, []byte) {
	t.Helper()
	response, err := http.Get(address) //nolint:noctx // of this process
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, content
}

// titleOf reads XML to its end, and returns the text of its first title.
func titleOf(content []byte) (title string, err error) {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return title, nil
		}
		if err != nil {
			return "", err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "title" && title == "" {
			if err := decoder.DecodeElement(&title, &start); err != nil {
				return "", err
			}
		}
	}
}

// checkDrawn has the browser draw the SVG files of the figures of a page that it has not seen: they need no style of the
// page.
func checkDrawn(t *testing.T, tab *outsidetest.Tab, address string) {
	t.Helper()
	bad := outsidetest.Evaluate[[]string](tab, `(async () => {
		const bad = [];
		for (const link of document.querySelectorAll(".files a")) {
			if (link.textContent !== "SVG") continue;
			const image = new Image();
			image.src = link.href;
			await image.decode().catch(() => {});
			if (image.naturalWidth < 300 || image.naturalHeight < 100) bad.push(link.href);
		}
		return bad;
	})()`)
	for _, file := range bad {
		t.Errorf("%s: the browser cannot draw %s", address, file)
	}
}

// A chart of a query is a file of its page, and a file that a page has not is not found.
func TestFilesOfPages(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	base := serve(t, st)
	page := "/query?sql=" + url.QueryEscape("SELECT 1 AS n, 2 AS m") + "&x.chart=n&y.chart=m"
	seen := figureFiles{}
	for _, kind := range []string{"bar", "line"} {
		seen.check(t, base, page, get(t, base+page+"&kind.chart="+kind))
	}
	if !seen["/query chart.svg"] {
		t.Errorf("the chart of a query is not a file: %v", seen)
	}
	response, content := file(t, base+"/status?file.page=server.json")
	if media := response.Header.Get("Content-Type"); media != "application/json" || !bytes.Contains(content, []byte(`"kind":"SQLite"`)) || !bytes.Contains(content, []byte(`"began_at":"20`)) {
		t.Errorf("the state of the server is %s as %s", content, media)
	}
	if response, content := file(t, base+page+"&file.page=other.svg"); response.StatusCode != http.StatusNotFound || !bytes.Contains(content, []byte("no file")) {
		t.Errorf("a file that is not there: %d", response.StatusCode)
	}
}
