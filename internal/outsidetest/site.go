package outsidetest

import (
	"bytes"
	_ "embed" // the page
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"
)

//go:embed site.html
var siteSource string

// Site is what a browser shows of the reports in a folder.
type Site struct {
	Pages    []SitePage
	Problems []string // errors on the console, pictures that are not shown, broken links
}

// SitePage is a report as a browser shows it.
type SitePage struct {
	Name     string // of the file, with slashes, within the folder
	Heading  string
	Drawings int // SVG in the page
	Images   int // in files next to it
	Links    []string
}

// shownPage is what the script finds in a page.
type shownPage struct {
	Address, Heading          string
	Drawings, Images, Scripts int
	Lost, Links, IDs          []string
	Policy                    bool
}

// OpenSite opens all reports of a folder: those in HTML as they are, those in Markdown as a code host renders them.
func OpenSite(t *testing.T, folder string) (s Site) {
	t.Helper()
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	folder, err = filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	const rendered = ".rendered.html"
	var names, addresses []string
	for _, suffix := range []string{"*.html", "*.md"} {
		found, err := filepath.Glob(filepath.Join(folder, suffix))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name := filepath.Base(path)
			names = append(names, name)
			if filepath.Ext(path) == ".md" {
				renderMarkdown(t, path, path+rendered)
				path += rendered
				defer os.Remove(path)
			}
			addresses = append(addresses, fileURL(path))
		}
	}
	if len(names) == 0 {
		t.Fatalf("no report in %s", folder)
	}
	problem := func(format string, args ...any) { s.Problems = append(s.Problems, fmt.Sprintf(format, args...)) }
	shown := showPages(t, addresses, problem)
	for i, page := range shown {
		s.Pages = append(s.Pages, SitePage{names[i], page.Heading, page.Drawings, page.Images, nil})
		if page.Heading == "" {
			problem("%s shows no heading", names[i])
		}
		if own := filepath.Ext(names[i]) == ".html"; page.Scripts > 0 || own && !page.Policy {
			problem("%s has %d scripts; a policy: %v", names[i], page.Scripts, page.Policy)
		}
		for _, lost := range page.Lost {
			problem("%s does not show %s", names[i], lost)
		}
		for _, link := range page.Links {
			target, why := leadsTo(folder, addresses[i], link, shown, addresses)
			if s.Pages[i].Links = append(s.Pages[i].Links, target); why != "" {
				problem("%s: %s", names[i], why)
			}
		}
	}
	return s
}

func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// renderMarkdown writes a page that shows what a code host makes of Markdown.
func renderMarkdown(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n")
	github := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markup.WithUnsafe()))
	if err := errors.Join(github.Convert(source, &b), os.WriteFile(to, b.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func showPages(t *testing.T, addresses []string, problem func(string, ...any)) (shown []shownPage) {
	t.Helper()
	list, err := json.Marshal(addresses)
	if err != nil {
		t.Fatal(err)
	}
	opened := OpenFile(t, "site.html", map[string]string{"site.html": siteSource, "pages.js": "const pages = " + string(list) + ";\n"})
	for _, says := range opened.Console {
		problem("the browser says: %s", says)
	}
	opened.result(t, &shown)
	if len(shown) != len(addresses) {
		t.Fatalf("%d pages are shown of %d", len(shown), len(addresses))
	}
	return shown
}

// leadsTo returns the file that a link leads to, and what is wrong with that.
func leadsTo(folder, from, link string, shown []shownPage, addresses []string) (target, why string) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return link, fmt.Sprintf("a link leads to %q, which is no file", link)
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	target, err = filepath.Rel(folder, filepath.FromSlash(u.Path))
	if target = filepath.ToSlash(target); err != nil || target == ".." || strings.HasPrefix(target, "../") {
		return target, fmt.Sprintf("a link leads out of the folder, to %q", u.Path)
	}
	if info, err := os.Stat(filepath.Join(folder, target)); err != nil || !info.Mode().IsRegular() {
		return target, fmt.Sprintf("a link leads to %s, which is not there", target)
	}
	if fragment != "" && path.Ext(target) == ".html" {
		at := slices.IndexFunc(addresses, func(address string) bool { return address == u.String() })
		if at < 0 || !slices.Contains(shown[at].IDs, fragment) {
			return target, fmt.Sprintf("a link leads to #%s of %s, which has no such place", fragment, target)
		}
	}
	return target, ""
}

// result reads the JSON that a script left in the page.
func (p Page) result(t *testing.T, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(html.UnescapeString(Between(p.DOM, `<pre id="result">`, "</pre>"))), to); err != nil {
		t.Fatalf("%v; console: %q", err, p.Console)
	}
}
