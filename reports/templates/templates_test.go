package templates_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"

	"track"
	"track/reports/chart"
	"track/reports/document"
	"track/reports/templates"
)

const hostile = "a|b `x` <script>alert(1)</script> [l](http://evil) **s** _e_ $x$ @me #1\n- item\n```\n<img src=x onerror=y>"

// report is a small one, whose answer has a value of each kind.
func report() sample {
	return sample{Report: templates.Report{
		Kind: "stability", Schema: 7, Version: 2, Command: "track report stability growth_plus@12ab --spec 2", PictureDir: "r_files/",
		Answer: []byte(`{"name":"growth_plus","hostile":` + quoted(hostile) + `,"n":10,"one":1,"mean":0.6623456789012345,"ci":[0.61,0.7],"none":null,"nan":"NaN","big":12345678901234567890,
			"million":1000000,"list":["a","b"],"params":{"theta":0.5},"estimate":{"value":0.5,"n":10,"ci":[0.4,0.6],"method":"t"},"yes":true,"rows":[{"name":"a","n":1},{"name":"b","n":2}]}`),
	}, Document: document.Document{Title: "Stability of growth_plus", Blocks: []document.Block{
		document.Paragraph{Text: document.T("first *words*")},
		document.Heading{Level: 2, Text: "Gate"}, document.Paragraph{Text: document.T("rules & such")},
		document.Heading{Level: 2, Text: "Scores over seeds (10 of 10)"},
		document.Picture{Name: "scores", Alt: "Scores [of] seeds", Chart: chart.Line{Title: "t", Series: []chart.Named{{Name: "c", Y: []float64{1, 2}}}}},
	}}}
}

// sample is a report before its document is taken apart.
type sample struct {
	templates.Report
	Document document.Document
}

// in returns the report for templates that give a format.
func (s sample) in(t testing.TB, format templates.Format) templates.Report {
	t.Helper()
	r, err := templates.NewReport(s.Document, format, s.PictureDir)
	if err != nil {
		t.Fatal(err)
	}
	s.Title, s.Sections, s.Pictures = r.Title, r.Sections, r.Pictures
	return s.Report
}

func quoted(s string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s) + `"`
}

func fill(t testing.TB, source string, format templates.Format, s sample) (string, []string, error) {
	t.Helper()
	template, err := templates.Parse("a.tmpl", source, format)
	if err != nil {
		return "", nil, err
	}
	result, err := template.Execute(context.Background(), s.in(t, format))
	return string(result.Text), result.Pictures, err
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`{{.Title}}|{{.Kind}}|{{.Schema}}|{{.Version}}|{{.Gate}}`, "Stability of growth_plus|stability|7|2|-"},
		{`{{.Command}}`, "track report stability growth_plus@12ab --spec 2"},
		{`{{.Answer.mean}} {{.Answer.million}} {{.Answer.big}} {{.Answer.none}} {{.Answer.nan}}`, "0.6623456789012345 1000000 12345678901234567890 - NaN"},
		{`{{.Answer.list}} {{.Answer.params}} {{.Answer.params.theta}} {{.Answer.yes}}`, `["a","b"] {"theta":0.5} 0.5 true`},
		{`{{number .Answer.mean}} {{number 2 .Answer.mean}} {{number .Answer.n}} {{number .Answer.none}} {{.Answer.mean | number 3}}`, "0.6623 0.66 10 - 0.662"},
		{`{{percent .Answer.mean}} {{signed .Answer.mean}} {{interval .Answer.ci}} {{interval .Answer.none}}`, "66.2% +0.6623 0.6100 to 0.7000 -"},
		{`{{estimate 2 .Answer.estimate}}`, "0.50 (0.40 to 0.60, n = 10, t)"},
		{`{{short "0123456789abcdef"}} {{icon "FAIL"}} {{shell "a b"}} {{json .Answer.list}} {{join "+" .Answer.list}} {{cut 3 "abcdef"}} {{cut 3 "abc"}}`, `0123456789 ❌ 'a b' ["a","b"] a+b ab… abc`},
		{`{{range first 1 .Answer.list}}{{.}}{{end}}{{range $i, $x := .Answer.list}}{{if $i}},{{end}}{{$x}}{{end}}{{range .Answer.none}}x{{end}}`, "aa,b"},
		{`{{range where "n" 2 .Answer.rows}}{{.name}}{{end}}{{len (where "name" "c" .Answer.rows)}}`, "b0"},
		// Whole numbers are compared with whatever there is.
		{`{{if eq .Answer.one 1}}a{{end}}{{if lt .Answer.mean 1}}b{{end}}{{if ge .Answer.n 10.0}}c{{end}}{{if lt .Answer.none 1}}d{{end}}{{if lt .Answer.nan 1}}e{{end}}{{if eq .Answer.none nil}}f{{end}}`, "abcf"},
		{`{{if eq .Answer.name "x" "growth_plus"}}a{{end}}{{if .Answer.none}}b{{end}}{{with .Answer.ci}}{{index . 0}}{{end}}{{index .Answer "name"}}{{len .Answer.list}}`, "a0.61growth_plus2"},
		{`{{printf "%.2f %d %5s|%q" .Answer.mean .Answer.n .Answer.name .Answer.none}}`, `0.66 10 growth_plus|"-"`},
		{`{{(index .Answer.list 1)}} {{$a := .Answer}}{{$a.params.theta}} {{($a.estimate).n}} {{with $x := .Answer.estimate}}{{$x.method}}{{.n}}{{end}}`, "b 0.5 10 t10"},
		{`{{define "row"}}<{{.n}}>{{end}}{{template "row" .Answer}}{{block "b" .Answer.params}}{{.theta}}{{end}}`, "<10>0.5"},
		{`{{range .Sections}}{{.Title}}#{{.Anchor}} {{end}}{{section "Gate"}}{{has "Gate"}}{{has "Nosuch"}}`, "Summary#summary Gate#gate Scores over seeds (10 of 10)#scores-over-seeds-10-of-10 rules &amp; suchtruefalse"},
		{`{{range .Pictures}}{{.Name}} {{.File}} {{.Alt}}{{end}}`, "scores r_files/scores.svg Scores [of] seeds"},
	} {
		got, _, err := fill(t, tt.source, templates.Plain, report())
		if err != nil || got != tt.want {
			t.Errorf("%s\n gives %q, %v\n want  %q", tt.source, got, err, tt.want)
		}
	}
}

// A picture stands beside the result where the result names it.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source, want string
		format       templates.Format
		nowhere      bool
		n            int
	}{
		{`{{.Answer.n}}{{range .Pictures}}{{.Name}}{{end}}`, "10scores", templates.Markdown, false, 0},
		{`{{section "Scores over seeds"}}`, "![Scores \\[of\\] seeds](r_files/scores.svg)", templates.Markdown, false, 1},
		{`{{picture "scores"}}`, "![Scores \\[of\\] seeds](r_files/scores.svg)", templates.Markdown, false, 1},
		{`{{range .Pictures}}![{{.Alt}}]({{.File}}){{end}}`, "![Scores \\[of\\] seeds](r_files/scores.svg)", templates.Markdown, false, 1},
		{`{{picture "scores"}}{{len .Pictures}}`, "Picture: Scores \\[of\\] seeds0", templates.Markdown, true, 0},
		{`{{range .Pictures}}<img src="{{.File}}" alt={{.Alt}}>{{end}}`, `<img src="r_files/scores.svg" alt=Scores&#32;[of]&#32;seeds>`, templates.HTML, false, 1},
	} {
		r := report()
		if tt.nowhere {
			r.PictureDir = ""
		}
		got, pictures, err := fill(t, tt.source, tt.format, r)
		if err != nil || got != tt.want || len(pictures) != tt.n {
			t.Errorf("%s\n gives %q with %d pictures, %v\n want  %q with %d", tt.source, got, len(pictures), err, tt.want, tt.n)
		}
	}
	got, pictures, err := fill(t, `{{picture "scores"}}`, templates.HTML, report())
	if err != nil || !strings.HasPrefix(got, "<figure") || !strings.Contains(got, "<svg") || len(pictures) != 0 {
		t.Errorf("a picture in HTML: %.200s, %d, %v", got, len(pictures), err)
	}
}

func TestHTML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`<script>var a = {{.Answer.estimate}}, n = {{.Answer.none}}, x = {{.Answer.mean}};</script>`, `<script>var a = {"ci":[0.4,0.6],"method":"t","n":10,"value":0.5}, n =  null , x =  0.6623456789012345 ;</script>`},
		{`<b title="{{.Answer.rows}}">{{.Answer.none}}</b>`, `<b title="[{&#34;n&#34;:1,&#34;name&#34;:&#34;a&#34;},{&#34;n&#34;:2,&#34;name&#34;:&#34;b&#34;}]">-</b>`},
		{`{{section "Gate"}}{{code "<b>"}}{{html "<b>"}}{{"<b>"}}{{raw "<b>"}}`, `<p>rules &amp; such</p><code>&lt;b&gt;</code>&lt;b&gt;&lt;b&gt;<b>`},
		{`<a href="{{"javascript:alert(1)"}}">x</a>`, `<a href="#ZgotmplZ">x</a>`},
	} {
		got, _, err := fill(t, tt.source, templates.HTML, report())
		if err != nil || got != tt.want {
			t.Errorf("%s\n gives %q, %v\n want  %q", tt.source, got, err, tt.want)
		}
	}
	if got, _, err := fill(t, "<style>{{.Style}}</style>", templates.HTML, report()); err != nil || !strings.Contains(got, ":root") {
		t.Errorf("%.200s, %v", got, err)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{"x\n{{.Answer.nosuch}}", `a.tmpl:2: .Answer.nosuch: there is no field "nosuch"; there are big, ci, estimate, `},
		{"{{.answer}}", `a.tmpl:1: .answer: there is no field "answer"; there are Answer, Command, Gate, `},
		{"{{range .Answer.list}}{{.name}}{{end}}", "a.tmpl:1: .name: it is a text, which has no fields"},
		{"{{.Answer.none.x}}", "a.tmpl:1: .Answer.none.x: it is null here, which has no fields"},
		{"{{.Answer.list.x}}", "it is a list, which has no fields"},
		{"{{.Answer.n.x}}", "it is a number, which has no fields"},
		{"{{$a := .Answer}}\n\n{{if $a.nosuch}}{{end}}", `a.tmpl:3: $a.nosuch: there is no field "nosuch"`},
		{"{{(index .Answer.list 0).x}}", "a.tmpl:1: (index .Answer.list 0).x: it is a text"},
		{"{{range .Sections}}{{.Body}}{{end}}", `there is no field "Body"; there are Anchor, Text, Title`},
		{"\n{{section \"Gat\"}}", `a.tmpl:2: section "Gat": there is no section "Gat"; there are "Summary", "Gate", "Scores over seeds (10 of 10)"`},
		{`{{picture "x"}}`, `there is no picture "x"; there are "scores"`},
		{"\n\n{{if}}{{end}}", "a.tmpl:3: missing value for if"},
		{"{{nosuch .x}}", "a.tmpl:1: nosuch: there is no such function; there are and, code, cut, "},
		{"{{_field . `x`}}", "a.tmpl:1: _field: there is no such function"},
		{"{{range .Answer.list}}", "a.tmpl:1: unexpected EOF"},
		{`{{template "x"}}`, "a.tmpl:1: "},
		{"", "a.tmpl: the template writes nothing"},
		{"{{number .Answer.name}}", `a.tmpl:1: number .Answer.name: "growth_plus" is not a number`},
		{"{{number 99 .Answer.n}}", "is not a number of digits"},
		{"{{interval .Answer.list}}", "is not an interval"},
		{"{{estimate .Answer.params}}", "is not an estimate"},
		{"{{index .Answer.list 7}}", "is not an index of a list of 2"},
		{"{{lt .Answer.name 3}}", "numbers are compared with numbers"},
		{"{{.Answer.n | .Answer.n}}", "a.tmpl:1: \"n\": can't give argument to non-function .Answer.n"},
		{"{{printf `%9999d` 1}}", "a width has at most three digits"},
		{"{{range .Answer.n}}{{end}}", "range can't iterate over 10"},
		{strings.Repeat("x", templates.MaxSource+1), "at most 256 KB"},
		{"{{" + strings.Repeat("(", templates.MaxSource-4), "a.tmpl:1: "},
		{strings.Repeat("{{if 1}}", templates.MaxSource/8), "a.tmpl:1: unexpected EOF"},
	} {
		for _, format := range []templates.Format{templates.Plain, templates.Markdown, templates.HTML} {
			_, _, err := fill(t, tt.source, format, report())
			var field *track.FieldError
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &field) || field.File != "a.tmpl" {
				t.Errorf("%.200s, format %d:\n%v, want\n%s", tt.source, format, err, tt.want)
			}
		}
	}
	_, _, err := fill(t, "a `{{.Answer.name}} b", templates.Markdown, report())
	if err == nil || !strings.Contains(err.Error(), "a value stands behind a single backtick") {
		t.Errorf("a value between backticks: %v", err)
	}
}

// What would never end, or be too large, ends soon.
func TestBounds(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct{ source, want string }{
		{"{{range 10000000000}}{{end}}", "a.tmpl:1: it takes more than 5 million steps"},
		{"{{define `x`}}{{template `x`}}{{end}}{{template `x`}}", "nested more than 1000 deep"},
		{"{{$x := `abcdefgh`}}{{range 60}}{{$x = print $x $x}}{{end}}", "it makes more than 64 MB"},
		{"{{range 10000}}{{range 10000}}{{range 10000}}x{{end}}{{end}}{{end}}", "it "},
		{"{{define `x`}}{{if .}}{{template `x` (slice . 1)}}{{template `x` (slice . 1)}}{{end}}{{end}}{{template `x` `" + strings.Repeat("a", 60) + "`}}", "it takes more than 5 million steps"},
		{"{{$x := `abcdefgh`}}{{range 60}}{{$x = js (printf `%q` $x)}}{{end}}", "it makes more than 64 MB"},
		{"{{range 1000}}{{section `Gate`}}{{printf `%999d` 1}}{{printf `%999d` 1}}{{range 100}}{{printf `%999d` 1}}{{end}}{{end}}", "more than 64 MB"},
	} {
		if testing.Short() && i > 2 { // the same bounds, reached in other ways, each of which takes a second
			break
		}
		if _, _, err := fill(t, tt.source, templates.Plain, report()); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "a.tmpl") {
			t.Errorf("%.200s:\n%v, want\n%s", tt.source, err, tt.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tmpl, err := templates.Parse("a.tmpl", "{{range 10000000000}}{{end}}", templates.Plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tmpl.Execute(ctx, report().in(t, templates.Plain)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// places are where people put values in Markdown.
var places = []string{
	"{{.Answer.hostile}}", "text {{.Answer.hostile}} text", "# {{.Answer.hostile}}", "- {{.Answer.hostile}}", "> {{.Answer.hostile}}", "text\n{{.Answer.hostile}}",
	"| a | b |\n|---|---|\n| {{.Answer.hostile}} | x |", "| a | b |\n|---|---|\n| {{code .Answer.hostile}} | x |", "| a | b |\n| {{.Answer.hostile}} | {{.Answer.hostile}} |",
	"``{{.Answer.hostile}}``", "{{code .Answer.hostile}}", "{{fence .Answer.hostile}}\n\n{{.Answer.hostile}}",
	"[x]({{.Answer.hostile}})", "[x](#{{.Answer.hostile}})", "[{{.Answer.hostile}}](y)", "[x]: {{.Answer.hostile}}\n\n[x]", "<{{.Answer.hostile}}>",
	"<b title=\"{{.Answer.hostile}}\">x</b>", "<b title='{{.Answer.hostile}}'>x</b>", "<b title={{.Answer.hostile}}>x</b>", "<details><summary>{{.Answer.hostile}}</summary>\n\n{{.Answer.hostile}}\n\n</details>",
	"<div>\n{{.Answer.hostile}}\n</div>", "<a href=\"{{.Answer.hostile}}\">x</a>", "\\{{.Answer.hostile}}",
	"{{printf `**%s**` .Answer.hostile}}", "{{.Answer}}", "{{html .Answer.hostile}}", "{{md .Answer.hostile}}", "{{join `, ` .Answer.list}}{{json .Answer.hostile}}",
}

// codePlaces are where no value can be escaped.
var codePlaces = []string{
	"`{{.Answer.hostile}}`", "text `a` and `{{.Answer.hostile}}`", "| a | b |\n|---|---|\n| `{{.Answer.hostile}}` | x |", "```sh\n{{.Answer.hostile}}\n```\n", "```\nx {{.Answer.hostile}}\n```",
	"- a\n  ```\n  {{.Answer.hostile}}\n  ```\n\n{{.Answer.hostile}}\n", "~~~\n{{.Answer.hostile}}\n~~~\n{{.Answer.hostile}}", "<div>\n```\n{{.Answer.hostile}}\n```\n</div>\n",
	"<pre>\n\n```\n{{.Answer.hostile}}\n```\n</pre>", "```{{.Answer.hostile}}\nx\n```\n", "``` a`b\n{{.Answer.hostile}}\n", "{{fence .Answer.hostile}}\n\n```\n{{.Answer.hostile}}\n```\n",
}

// A value in a span or a block of code is an error that names the function for it.
func TestCodeOfTemplates(t *testing.T) {
	t.Parallel()
	for _, place := range codePlaces {
		if _, _, err := filled(t, place, "harmless"); err == nil || !strings.Contains(err.Error(), "{{code VALUE}}") && !strings.Contains(err.Error(), `{{fence "sh" VALUE}}`) {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// What is recorded is text wherever people put it in Markdown: the page has no tags beyond those of the template
// itself, which a harmless value shows.
func TestHostileTextInMarkdown(t *testing.T) {
	t.Parallel()
	texts := []string{
		hostile, "```", "````\n<script>", "`", "``", "|", "\\", "\\`", "a\\", "- x", "1. x", "# x", "> x", "===", "---", ":-:", "[x] y", "<b>x</b>", "*a*", "__a__", "](http://evil) [", "![i](http://evil)",
		"javascript:alert(1)", "http://evil.example", "www.evil.example", "\" onmouseover=\"x", "' onmouseover='x", "x onmouseover=x", "script>x", "!--", "~~~", "~~~\n<b>", "    <b>x</b>", "\t*x*", "&lt;b&gt;", "| a `b` | <b>c</b>",
		"`x` <b>y</b> `z`",
	}
	for _, place := range places {
		want, err := tags(t, place, "harmless")
		if err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		for _, text := range texts {
			got, err := tags(t, place, text)
			if err != nil {
				t.Errorf("%s: %v", place, err)
			} else if got != want {
				source, _, _ := filled(t, place, text)
				t.Errorf("%q in\n%s\nhas the tags %s, not %s:\n%s", text, place, got, want, source)
			}
		}
	}
}

func filled(t testing.TB, place, text string) (string, []string, error) {
	t.Helper()
	r := report()
	r.Answer = []byte(`{"list":["a"],"hostile":` + strings.ReplaceAll(strings.ReplaceAll(quoted(strings.ReplaceAll(text, `\`, `\\`)), "\t", `\t`), "\r", `\r`) + `}`)
	return fill(t, place, templates.Markdown, r)
}

// tags are the names of the tags of the page, with those of their attributes, that a template makes with a text.
func tags(t *testing.T, place, text string) (string, error) {
	t.Helper()
	source, _, err := filled(t, place, text)
	if err != nil {
		return "", err
	}
	var page bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
	if err := markdown.Convert([]byte(source), &page); err != nil {
		t.Fatal(err)
	}
	return tagNames(page.String()), nil
}
