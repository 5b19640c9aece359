package pages

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strings"

	"track"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/reports/document"
)

// fileParam names a file that is asked for instead of the page: what one of its figures shows, in another form.
const fileParam = "file.page"

// File is what a page gives to be kept.
type File struct {
	Name, Media string
	Content     []byte
}

// IsFile reports whether an address asks for a file of a page.
func IsFile(in url.Values) bool { return in.Get(fileParam) != "" }

// pageFile is a file that a page can give.
type pageFile struct {
	media string
	write func(w io.Writer) error
}

// File returns the file that the address names. The page is made for it: a file shows what the page shows.
func (p Page) File(ctx context.Context, r Request) (File, error) {
	b := newBuilder(p, r)
	name := r.In.Get(fileParam)
	if b.missing() == nil {
		if err := p.compose(ctx, b); err != nil {
			return File{}, err
		}
	}
	made, found := b.files[name]
	if !found {
		return File{}, fmt.Errorf("%w: this page has no file %q", track.ErrNotFound, name)
	}
	var content bytes.Buffer
	err := made.write(&content)
	return File{strings.ReplaceAll(strings.Trim(b.view.Path, "/"), "/", "-") + "-" + name, made.media, content.Bytes()}, err
}

// addFile lets the page give a file, and returns its address.
func (b *builder) addFile(name string, file pageFile) string {
	if b.files == nil {
		b.files = map[string]pageFile{}
	}
	b.files[name] = file
	return b.here(fileParam, name)
}

// keepDocument offers the document of the page as a file.
func (b *builder) keepDocument(d document.Document) {
	html := pageFile{ask.HTML, d.HTML}
	markdown := pageFile{"text/markdown; charset=utf-8", func(w io.Writer) error { return reports.WithoutPictures(d).Markdown(w, document.MarkdownOptions{}) }}
	b.view.Downloads = []link{{Text: "HTML", Href: b.addFile("preview.html", html)}, {Text: "Markdown", Href: b.addFile("preview.md", markdown)}}
}

// figureLinks are the links below a figure: to what it shows, as files.
type figureLinks struct {
	Name  string
	Links []link
}

// keepChart returns a link to a chart as SVG. Each figure of a page has them, whatever draws it there.
func (b *builder) keepChart(name string, c chart.Chart) (template.HTML, error) {
	file := pageFile{ask.SVG, func(w io.Writer) error { return chart.SVG(w, c) }}
	return fragment("figure-links", figureLinks{Name: name, Links: []link{{Text: "SVG", Href: b.addFile(name+".svg", file)}}})
}

// answerPicture returns an image of the answer to a question that has one, and links to it and to its data as files.
func (b *builder) answerPicture(q ask.Question, in url.Values, text string) (figure, links template.HTML, err error) {
	if figure, err = fragment("picture", picture{b.request.Base + "/api/v1/" + q.Path + "?" + in.Encode(), text}); err != nil {
		return "", "", err
	}
	links, err = fragment("figure-links", b.answerFiles(q, in, text))
	return figure, links, err
}

// answerFiles returns links to the picture of an answer and to its data.
func (b *builder) answerFiles(q ask.Question, in url.Values, name string) figureLinks {
	list := figureLinks{Name: name}
	for _, f := range []link{{Text: "SVG", Href: ask.SVG}, {Text: "CSV", Href: "text/csv"}, {Text: "JSON", Href: "application/json"}} {
		list.Links = append(list.Links, link{Text: f.Text, Href: b.download(q, in, f.Href)})
	}
	return list
}
