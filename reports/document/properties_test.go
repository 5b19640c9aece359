package document_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"

	"track/internal/property"
	"track/reports/chart"
	"track/reports/document"
	"track/reports/escape"
)

var github = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(html.WithUnsafe(), html.WithXHTML()))

// checkOutlines reads both forms of a document back, and finds what is in it and nothing else.
func checkOutlines(t failer, d document.Document) {
	t.Helper()
	for _, suffix := range []string{"md", "html"} {
		markdown := suffix == "md"
		source := written(t, suffix, d)
		read := source
		if markdown {
			var b bytes.Buffer
			if err := github.Convert([]byte(source), &b); err != nil {
				t.Fatalf("%v", err)
			}
			read = b.String()
		}
		want := append([]string{"h1: " + squeeze(escape.Line(d.Title))}, expected(d.Blocks, markdown, false)...)
		for i, line := range want {
			want[i] = trimmed(line)
		}
		if diff := gocmp.Diff(want, outline(t, read)); diff != "" {
			_, body, _ := strings.Cut(source, "</style>")
			t.Fatalf("%s: %s\n%s", suffix, diff, cmp.Or(body, source))
		}
	}
}

func trimmed(s string) string { return string(bytes.TrimRight([]byte(s), " ")) }

func TestOutlines(t *testing.T) {
	for _, d := range documents() {
		checkOutlines(t, d)
	}
}

// names are what comes from outside.
var names = rapid.OneOf(
	rapid.String(),
	rapid.SampledFrom([]string{"", " ", "a", "v12", hostile, "- a", "1. a", "# a", "> a", "```", "~~~", "===", "---", "***", "| a |", "    a", "\ta", "[^1]: a", "[a]: b", "<b>", "&lt;", "\\", "`", "a`", "https://a.b", "www.a.b", "a@b.c", "[ ] a", "[!NOTE]", "a  ", "*", "**"}),
	rapid.StringOf(rapid.RuneFrom([]rune("a1.)|`<>&\\\"'\n\r]\u202e[!*_#~$ :@-+=/^{}()wé\u00a0\u3000😀"))),
	rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"http://", "www.", "a", ".b", "@", "#1", "`", "``", "|", "\\", "**", "__", "~~", "<", ">", "</details>", "<summary>", "&amp;", "\n\n", "$$", " ", "!", "[", "](", ")", "- ", "1. "}), 0, 8), func(parts []string) (s string) {
		for _, p := range parts {
			s += p
		}
		return s
	}),
)

var spans = rapid.Custom(func(t *rapid.T) document.Span {
	s := document.Span{Text: names.Draw(t, "text"), Style: document.Style(rapid.IntRange(0, 3).Draw(t, "style"))}
	if rapid.IntRange(0, 4).Draw(t, "link") == 0 {
		s.Href = names.Draw(t, "href")
	}
	return s
})

var anyText = rapid.Map(rapid.SliceOfN(spans, 0, 4), func(s []document.Span) document.Text { return s })

// blocks draws blocks, with others in them down to a depth.
func blocks(t *rapid.T, depth int, pictures *int) (list []document.Block) {
	for range rapid.IntRange(0, 4).Draw(t, "blocks") {
		list = append(list, block(t, depth, pictures))
	}
	return list
}

func block(t *rapid.T, depth int, pictures *int) document.Block {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if kind > 5 && depth == 0 {
		kind = 1
	}
	switch kind {
	case 0:
		return document.Heading{Level: rapid.IntRange(2, 6).Draw(t, "level"), Text: names.Draw(t, "heading")}
	case 2:
		return document.List{Ordered: rapid.Bool().Draw(t, "ordered"), Items: rapid.SliceOfN(anyText, 0, 3).Draw(t, "items")}
	case 3:
		return table(t)
	case 4:
		return document.Code{Language: rapid.SampledFrom([]string{"", "diff", "sh", "`"}).Draw(t, "language"), Text: names.Draw(t, "code")}
	case 5:
		*pictures++
		return document.Picture{Name: fmt.Sprint("p", *pictures), Alt: names.Draw(t, "alt"), Chart: chart.Line{Title: names.Draw(t, "title")}}
	case 6:
		return document.Details{Summary: anyText.Draw(t, "summary"), Blocks: blocks(t, depth-1, pictures)}
	case 7:
		kinds := []document.NoteKind{document.NoteInfo, document.NoteImportant, document.NoteWarning, document.NoteCaution}
		return document.Note{Kind: rapid.SampledFrom(kinds).Draw(t, "note"), Blocks: blocks(t, depth-1, pictures)}
	}
	return document.Paragraph{Text: anyText.Draw(t, "paragraph")}
}

func table(t *rapid.T) document.Table {
	var b document.Table
	for range rapid.IntRange(1, 3).Draw(t, "columns") {
		b.Columns = append(b.Columns, document.Column{Title: names.Draw(t, "column"), Numeric: rapid.Bool().Draw(t, "numeric")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		b.Rows = append(b.Rows, rapid.SliceOfN(anyText, len(b.Columns), len(b.Columns)).Draw(t, "row"))
	}
	return b
}

// Whatever the texts, both forms have the structure of the document, and each text in its place.
func TestAnyDocument(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		checkOutlines(t, document.Document{Title: names.Draw(t, "title"), Blocks: blocks(t, 2, new(int))})
	})
}

func FuzzDocument(f *testing.F) {
	for _, text := range []string{"", "a", hostile, "```", "\n\n# a", "</details>", "\\|`"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkOutlines(t, hostileDocument(text)) })
}
