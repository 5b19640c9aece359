package ask_test

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/internal/property"
	"track/reports/render"
)

// hostileTexts are what somebody may have recorded to steer a terminal, or to put markup into a report.
func hostileTexts() []string {
	return []string{
		"\x1b[31mred", "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b]0;title\a", "\u009b2J", "\u009d52;c;eA==\u009c", "a\x7f\bb", "\x00",
		"\u202eevil\u2066", "\u061c", "zero\u200bwidth\ufeff", "two\nlines", "\n\n    code", "\rtrack: all is well", "\r\n# heading", "tab\there", "\xff\xfe", "\xc2",
		"```", "~~~\n<b>", "a `code` b", "](javascript:alert(1))", "[a](javascript:alert(1))", "![](http://evil.example/x.png)", "<script>alert(1)</script>",
		"<http://evil.example>", "https://evil.example www.evil.example a@evil.example", "[x]: http://evil.example", "[x]", "&lt;b&gt; &#60;", "**bold** _it_ ~~no~~",
		"# heading", "> quote", "- item", "+ item", "1. item", "===", "---", "|a|b|", `\`, `a\`, "!", "- [ ] task", "$x$", "@ann #1 :tada:", "=1+1", "+1+1", "-2+3", "@SUM(A1)", "\u2028",
	}
}

// TestHostileTexts holds that no text that is recorded steers the terminal or becomes markup, whichever field of
// whichever answer it is in.
func TestHostileTexts(t *testing.T) {
	for _, named := range allAnswers() {
		t.Run(named.Name, func(t *testing.T) {
			property.Check(t, func(rt *rapid.T) {
				drawn := reflect.New(reflect.TypeOf(named.Value))
				drawInto(rt, drawn.Elem(), 0)
				replaceTexts(rt, drawn.Elem())
				a := drawn.Elem().Interface().(answer.Answer)
				checkText(rt, written(rt, a, render.Table), "\n\t")
				checkText(rt, written(rt, a, render.Markdown), "\n\t")
				checkMarkdown(rt, written(rt, a, render.Markdown))
				checkCSV(rt, a)
				checkJSON(rt, written(rt, a, render.JSON), written(rt, a, render.JSONL))
			})
		})
	}
}

// replaceTexts replaces every text in v by a hostile one.
func replaceTexts(t *rapid.T, v reflect.Value) {
	hostile := func() string { return rapid.SampledFrom(hostileTexts()).Draw(t, "hostile") }
	switch p := v.Addr().Interface().(type) {
	case *jsontext.Value:
		*p, _ = json.Marshal(map[string]string{hostile(): hostile()})
		return
	case *json.RawMessage:
		*p, _ = json.Marshal(hostile())
		return
	case *track.Params:
		text, _ := json.Marshal(map[string]string{hostile(): hostile()})
		*p = track.Params(text)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replaceTexts(t, v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			replaceTexts(t, v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			replaceTexts(t, v.Index(i))
		}
	case reflect.Map:
		replaced := reflect.MakeMap(v.Type())
		for _, key := range v.MapKeys() {
			newKey, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			newKey.Set(key)
			element.Set(v.MapIndex(key))
			replaceTexts(t, newKey)
			replaceTexts(t, element)
			replaced.SetMapIndex(newKey, element)
		}
		v.Set(replaced)
	}
}

// checkText fails the test if a text holds anything but visible characters and those allowed.
func checkText(t failer, s, allowed string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Fatalf("not UTF-8: %q", s)
	}
	for _, r := range s {
		if (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028') && !strings.ContainsRune(allowed, r) {
			t.Fatalf("%U in %q", r, s)
		}
	}
}

// checkCSV fails the test unless an answer is a table of CSV in which no text begins like a formula.
func checkCSV(t failer, a answer.Answer) {
	t.Helper()
	checkText(t, written(t, a, render.CSV), "\n\t")
	var b strings.Builder
	if err := render.Write(&b, a, render.Options{Format: render.CSV, SafeCSV: true}); err != nil {
		t.Fatalf("%v", err)
	}
	reader := csv.NewReader(strings.NewReader(b.String()))
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatalf("%v in %q", err, b.String())
	}
	formula := regexp.MustCompile(`(?s)^[=+@\t\n-]`)
	number := regexp.MustCompile(`^[+-](Infinity|[0-9.]+(e[+-][0-9]+)?)$`)
	for _, cell := range slices.Concat(records...) {
		if formula.MatchString(cell) && !number.MatchString(cell) {
			t.Fatalf("the cell %q is a formula", cell)
		}
	}
}

func checkJSON(t failer, whole, lines string) {
	t.Helper()
	checkText(t, whole, "\n")
	checkText(t, lines, "\n")
	if !json.Valid([]byte(whole)) {
		t.Fatalf("not JSON: %s", whole)
	}
	for line := range strings.Lines(lines) {
		if !json.Valid([]byte(line)) {
			t.Fatalf("not JSON: %s", line)
		}
	}
}

// checkMarkdown fails the test if a reader of Markdown finds anything but paragraphs, titles of tables, tables and
// differences.
func checkMarkdown(t failer, s string) {
	t.Helper()
	source := []byte(s)
	_ = ast.Walk(goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.Text, *ast.String, *extast.Table, *extast.TableHeader, *extast.TableRow, *extast.TableCell:
			return ast.WalkContinue, nil
		case *ast.Heading:
			if n.Level == 3 {
				return ast.WalkContinue, nil
			}
		case *ast.FencedCodeBlock:
			if string(n.Language(source)) == "diff" {
				return ast.WalkContinue, nil
			}
		case *ast.RawHTML:
			if tag := string(n.Segments.Value(source)); tag == "<span>" || tag == "</span>" { // around dollar signs
				return ast.WalkContinue, nil
			}
		}
		t.Fatalf("%s in the Markdown\n%s", n.Kind(), s)
		return ast.WalkStop, nil
	})
}
