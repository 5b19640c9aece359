package document_test

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"

	"track/internal/outsidetest"
	"track/reports/chart"
	"track/reports/document"
)

// A browser has nothing to say against the pages, and shows all of their drawings.
func TestBrowserReadsHTML(t *testing.T) {
	t.Parallel()
	for name, d := range documents() {
		page := outsidetest.OpenFile(t, "report.html", map[string]string{"report.html": written(t, "html", d)})
		if len(page.Console) > 0 {
			t.Errorf("%s: the browser says %q", name, page.Console)
		}
		drawings := len(d.Pictures())
		if n := strings.Count(page.DOM, "<svg "); n != drawings || strings.Count(page.DOM, "</svg>") != drawings {
			t.Errorf("%s: the browser shows %d drawings, want %d", name, n, drawings)
		}
		if !strings.Contains(page.DOM, "</main>") || strings.Contains(page.DOM, "<script") {
			t.Errorf("%s: the browser sees another page", name)
		}
	}
}

// What is wrong with a page would be noticed, and a page that somebody has tampered with runs and loads nothing.
func TestBrowserNotices(t *testing.T) {
	t.Parallel()
	good := written(t, "html", document.Document{Title: "Good"})
	for name, c := range map[string]struct{ page, says string }{
		"error":    {`<!DOCTYPE html><title>x</title><script>console.error("this is wrong")</script>`, "this is wrong"},
		"script":   {strings.Replace(good, "</main>", `<script>document.title = "run"</script></main>`, 1), "Content Security Policy"},
		"resource": {strings.Replace(good, "</main>", `<img src="missing.svg"/></main>`, 1), "Content Security Policy"},
	} {
		page := outsidetest.OpenFile(t, "report.html", map[string]string{"report.html": c.page})
		says := func(s string) bool { return strings.Contains(s, c.says) }
		if !slices.ContainsFunc(page.Console, says) || strings.Contains(page.DOM, "<title>run</title>") {
			t.Errorf("%s: the browser says %q, want %q", name, page.Console, c.says)
		}
	}
}

// imagesScript lists the pictures of a page that are not shown.
const imagesScript = `<pre id="result"></pre><script>onload = () => {
	document.getElementById("result").textContent = JSON.stringify([...document.images].filter((i) => i.naturalWidth === 0).map((i) => i.getAttribute("src")));
}</script>`

// The pictures beside Markdown are found where it says they are. The last document lacks one.
func TestBrowserFindsPictures(t *testing.T) {
	t.Parallel()
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markup.WithUnsafe()))
	for _, lost := range []string{"", "report files/noise.svg"} {
		d, files := rich(), map[string]string{}
		for _, p := range d.Pictures() {
			var b bytes.Buffer
			if err := chart.SVG(&b, p.Chart); err != nil {
				t.Fatal(err)
			}
			files[options.PictureDir+p.Name+options.Suffix] = b.String()
		}
		delete(files, lost)
		var b bytes.Buffer
		if err := markdown.Convert([]byte(written(t, "md", d)), &b); err != nil {
			t.Fatal(err)
		}
		files["report.html"] = "<!DOCTYPE html><meta charset=\"utf-8\">" + b.String() + imagesScript
		page := outsidetest.OpenFile(t, "report.html", files)
		var missing []string
		if err := json.Unmarshal([]byte(html.UnescapeString(outsidetest.Between(page.DOM, `<pre id="result">`, "</pre>"))), &missing); err != nil {
			t.Fatal(err)
		}
		want := 0
		if lost != "" {
			want = 1
		}
		if strings.Count(b.String(), "<img ") != 3 || len(missing) != want {
			t.Errorf("without %q, these pictures are missing: %q", lost, missing)
		}
	}
}

// overflowScript lists the cells of tables whose text is wider than they are.
const overflowScript = `<pre id="result"></pre><script>onload = () => {
	document.getElementById("result").textContent = JSON.stringify([...document.querySelectorAll("td")].filter((c) => c.scrollWidth > c.clientWidth + 1).map((c) => c.textContent.slice(0, 9)));
}</script>`

// No name is so long that it covers the next cell.
func TestBrowserWrapsCells(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	row := []document.Text{{{Text: long, Style: document.Monospace}}, document.T(long), {{Text: long, Style: document.Monospace, Href: "a.html"}}}
	table := document.Table{Columns: []document.Column{{Title: "a"}, {Title: "b"}, {Title: "c"}}, Rows: [][]document.Text{row}}
	page := written(t, "html", document.Document{Title: "Wide", Blocks: []document.Block{table}})
	// The policy of a page lets no script run, so this one goes without.
	page = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page, "")
	for name, tt := range map[string]struct {
		page string
		want int
	}{"as it is": {page, 0}, "without wrapping": {regexp.MustCompile("overflow-wrap: [a-z-]+").ReplaceAllString(page, ""), 3}} {
		shown := outsidetest.OpenFile(t, "report.html", map[string]string{"report.html": strings.Replace(tt.page, "</main>", overflowScript+"</main>", 1)})
		var wide []string
		if err := json.Unmarshal([]byte(html.UnescapeString(outsidetest.Between(shown.DOM, `<pre id="result">`, "</pre>"))), &wide); err != nil {
			t.Fatal(err)
		}
		if len(wide) != tt.want {
			t.Errorf("%s: %d cells are too narrow, want %d", name, len(wide), tt.want)
		}
	}
}

// widthScript measures the page: the width of the window, of prose, and of a table with what it stands in.
const widthScript = `<pre id="result"></pre><script>onload = () => {
	const wide = (s) => document.querySelector(s).getBoundingClientRect().width;
	document.getElementById("result").textContent = JSON.stringify([innerWidth, wide("main p"), wide(".scroll"), wide("table")].map(Math.round));
}</script>`

// A table with much to say takes the width of the page before it scrolls; prose does not.
func TestBrowserTablesTakeTheWidth(t *testing.T) {
	t.Parallel()
	sentence := document.T(strings.Repeat("several words ", 8))
	table := document.Table{Columns: []document.Column{{Title: "a"}, {Title: "b"}, {Title: "c"}}, Rows: [][]document.Text{{sentence, sentence, sentence}}}
	page := written(t, "html", document.Document{Title: "Wide", Blocks: []document.Block{document.Paragraph{Text: document.T(strings.Repeat("several words ", 50))}, table}})
	page = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page, "")
	// The window of the test is narrow: the page is as wide as on a desk.
	page = strings.Replace(page, "</main>", widthScript+"</main>", 1)
	shown := outsidetest.OpenFile(t, "report.html", map[string]string{"report.html": strings.Replace(page, "<html", "<html style=\"width: 1300px\"", 1)})
	var widths [4]float64
	if err := json.Unmarshal([]byte(html.UnescapeString(outsidetest.Between(shown.DOM, `<pre id="result">`, "</pre>"))), &widths); err != nil {
		t.Fatal(err)
	}
	if prose, room, wide := widths[1], widths[2], widths[3]; prose > 800 || room < 1200 || wide > room || wide < 1000 {
		t.Errorf("prose is %v wide, a table %v of %v", prose, wide, room)
	}
}
