package templates

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"unicode/utf8"

	"track"
	"track/reports"
	"track/reports/document"
	"track/reports/escape"
	"track/scoring/format"
)

// function is one that templates call. Its errors are read by the author of the template.
type function func(args []any) (any, error)

// Functions returns the names of the functions that templates have in addition to those of Go: and, or, not, eq, ne,
// lt, le, gt, ge, index, slice, len, print, printf, println, js and urlquery.
func Functions() []string {
	return []string{
		"code", "cut", "estimate", "fence", "first", "has", "html", "icon", "interval", "join", "json", "md", "number", "percent", "picture", "raw", "section",
		"shell", "short", "signed", "where",
	}
}

// builtin are the functions of Go that stay as they are: they are bounded and do not depend on types.
var builtin = []string{"and", "or", "not", "slice", "len"}

func (r *run) functions() map[string]function {
	return map[string]function{
		"section": takes(1, 1, `section "Title"`, r.section), "has": takes(1, 1, `has "Title"`, r.has), "picture": takes(1, 1, `picture "name"`, r.picture),
		"md": onText("md TEXT", r.md), "html": onText("html TEXT", r.html), "raw": onText("raw TEXT", r.raw), "code": onText("code TEXT", r.code),
		"fence": takes(1, 2, `fence TEXT or fence "sh" TEXT`, r.fence),

		"number":   withDigits("number NUMBER", onNumber(significant)),
		"percent":  withDigits("percent NUMBER", onNumber(func(x float64, _ int) string { return format.Percent(x) })),
		"signed":   withDigits("signed NUMBER", onNumber(func(x float64, _ int) string { return format.Signed(x) })),
		"interval": withDigits("interval CI", ends), "estimate": withDigits("estimate ESTIMATE", estimate),
		"short": onText("short HASH", func(s string) any { return track.ShortHash(s) }), "icon": onText("icon VERDICT", func(s string) any { return reports.Icon(s) }),
		"shell": onText("shell WORD", func(s string) any { return reports.ShellWord(s) }),
		"json":  takes(1, 1, "json VALUE", toJSON), "cut": takes(2, 2, "cut NUMBER TEXT", cut),
		"join": takes(2, 2, `join ", " LIST`, join), "first": takes(2, 2, "first NUMBER LIST", first), "where": takes(3, 3, `where "field" VALUE LIST`, where),

		"eq": takes(2, math.MaxInt, "eq A B", eq), "ne": takes(2, 2, "ne A B", ne),
		"lt": ordered("lt A B", func(sign int) bool { return sign < 0 }), "le": ordered("le A B", func(sign int) bool { return sign <= 0 }),
		"gt": ordered("gt A B", func(sign int) bool { return sign > 0 }), "ge": ordered("ge A B", func(sign int) bool { return sign >= 0 }),
		"index": takes(2, math.MaxInt, "index VALUE KEY", index), "print": printed(fmt.Sprint), "println": printed(fmt.Sprintln),
		"printf": takes(1, math.MaxInt, `printf "FORMAT" VALUES`, printf),
		"js":     texts(texttemplate.JSEscapeString), "urlquery": texts(func(s string) string { return texttemplate.URLQueryEscaper(s) }),
	}
}

// errUsage is replaced by how the function is used.
var errUsage = errors.New("usage")

// takes checks the number of arguments of a function, and says how it is used if they are wrong.
func takes(least, most int, usage string, f function) function {
	return func(args []any) (result any, err error) {
		if err = errUsage; len(args) >= least && len(args) <= most {
			result, err = f(args)
		}
		if errors.Is(err, errUsage) {
			return nil, errors.New("it is used as " + usage)
		}
		return result, err
	}
}

// onText returns a function of one text.
func onText(usage string, f func(string) any) function {
	return takes(1, 1, usage, func(args []any) (any, error) { return f(text(args[0])), nil })
}

// withDigits returns a function of one value, with the number of its digits before it if it is given. Null gives "-".
func withDigits(usage string, f func(v any, digits int) (string, error)) function {
	name, value, _ := strings.Cut(usage, " ")
	return takes(1, 2, usage+" or "+name+" DIGITS "+value, func(args []any) (any, error) {
		const most, usual = 17, 4
		digits := usual
		if len(args) == 2 {
			x, ok := numeric(args[0])
			if !ok || x != math.Trunc(x) || x < 1 || x > most {
				return nil, fmt.Errorf("%q is not a number of digits, 1 to %d", brief(args[0]), most)
			}
			digits = int(x)
		}
		v := args[len(args)-1]
		if isNull(v) {
			return "-", nil
		}
		return f(v, digits)
	})
}

func onNumber(write func(x float64, digits int) string) func(any, int) (string, error) {
	return func(v any, digits int) (string, error) {
		x, ok := numeric(v)
		if !ok {
			return "", fmt.Errorf("%q is not a number", brief(v))
		}
		return write(x, digits), nil
	}
}

// text returns a value as people read it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return v
	case trusted:
		return string(v)
	case raw:
		return string(v)
	case htmltemplate.HTML:
		return string(v)
	}
	return fmt.Sprint(v)
}

func (r *run) section(args []any) (any, error) {
	if s := r.find(text(args[0])); s != nil {
		return r.read(s, "Text"), nil
	}
	var titles []string
	for _, s := range r.sections {
		titles = append(titles, strconv.Quote(s.Title))
	}
	return nil, fmt.Errorf("there is no section %q; there are %s", brief(args[0]), listed(titles))
}

func (r *run) has(args []any) (any, error) { return r.find(text(args[0])) != nil, nil }

// find returns the section of that title, or the first whose title begins with those words.
func (r *run) find(title string) *section {
	for _, s := range r.sections {
		if s.Title == title {
			return s
		}
	}
	for _, s := range r.sections {
		if rest, ok := strings.CutPrefix(s.Title, title); ok && title != "" && strings.ContainsAny(rest[:1], " ,:") {
			return s
		}
	}
	return nil
}

func (r *run) picture(args []any) (any, error) {
	var names []string
	for _, p := range r.pictures {
		if p.Name == text(args[0]) {
			return r.show(p), nil
		}
		names = append(names, strconv.Quote(p.Name))
	}
	return nil, fmt.Errorf("there is no picture %q; there are %s", brief(args[0]), listed(names))
}

func (r *run) show(p *picture) any {
	isFile := r.report.PictureDir != ""
	if r.format == HTML && !isFile {
		return "Picture: " + p.Alt // which html/template escapes
	}
	r.used[p.Name] = r.used[p.Name] || r.format != HTML && isFile
	return r.marked(p.Text)
}

// marked returns text with the markup of the format.
func (r *run) marked(s string) any {
	switch r.format {
	case Markdown:
		return trusted(s)
	case HTML:
		return htmltemplate.HTML(s)
	}
	return s
}

func (r *run) md(s string) any {
	if r.format == Markdown {
		return s // which is escaped when it is written
	}
	return escape.Markdown(s)
}

func (r *run) html(s string) any {
	if r.format == Markdown {
		return trusted(references(s, alphanumeric))
	}
	return r.marked(escape.HTML(s))
}

func (r *run) raw(s string) any {
	if r.format == Markdown {
		return raw(s)
	}
	return r.marked(s)
}

func (r *run) code(s string) any {
	if r.format == HTML {
		return htmltemplate.HTML("<code>" + escape.HTML(s) + "</code>")
	}
	return r.marked(escape.Span(s, r.format == Plain || !strings.ContainsAny(s, "|`@")))
}

func (r *run) fence(args []any) (any, error) {
	code := document.Code{Text: text(args[len(args)-1])}
	if len(args) == 2 {
		code.Language = text(args[0])
	}
	d := document.Document{Blocks: []document.Block{code}}
	write := d.HTMLSections
	if r.format != HTML {
		write = func() ([]document.Section, error) { return d.MarkdownSections(document.MarkdownOptions{}) }
	}
	sections, err := write()
	if err != nil {
		return nil, err
	}
	return r.marked(sections[0].Text), nil
}

func toJSON(args []any) (any, error) {
	if args[0] == nil {
		return "null", nil
	}
	return jsonText(args[0]), nil
}

func join(args []any) (any, error) {
	list, ok := items(args[1])
	if !ok {
		return nil, errUsage
	}
	var parts []string
	size := 0
	for _, item := range list {
		parts = append(parts, text(item))
		size += len(text(item)) + len(text(args[0]))
	}
	if size > maxText {
		return nil, errLarge
	}
	return strings.Join(parts, text(args[0])), nil
}

// items returns those of a list; null has none.
func items(v any) (list, bool) {
	if isNull(v) {
		return list{}, true
	}
	l, ok := v.(list)
	return l, ok
}

func first(args []any) (any, error) {
	n, isNumber := numeric(args[0])
	list, isList := items(args[1])
	if !isNumber || !isList || !(n >= 0) {
		return nil, errUsage
	}
	return list[:int(min(n, float64(len(list))))], nil
}

// where returns the items of a list whose field has a value.
func where(args []any) (any, error) {
	all, ok := items(args[2])
	if !ok {
		return nil, errUsage
	}
	found := list{}
	for _, item := range all {
		v, problem := field(item, text(args[0]))
		if problem != "" {
			return nil, errors.New(problem)
		}
		if equal(v, args[1]) {
			found = append(found, item)
		}
	}
	return found, nil
}

func cut(args []any) (any, error) {
	n, ok := numeric(args[0])
	if !ok || !(n >= 1) {
		return nil, errUsage
	}
	s := text(args[1])
	if float64(utf8.RuneCountInString(s)) <= n {
		return s, nil
	}
	return string([]rune(s)[:int(n)-1]) + "…", nil
}

func eq(args []any) (any, error) {
	return slices.ContainsFunc(args[1:], func(b any) bool { return equal(args[0], b) }), nil
}

func ne(args []any) (any, error) { return !equal(args[0], args[1]), nil }

func ordered(usage string, holds func(sign int) bool) function {
	return takes(2, 2, usage, func(args []any) (any, error) {
		sign, isOrdered, err := order(args[0], args[1])
		return isOrdered && holds(sign), err
	})
}

func index(args []any) (any, error) {
	v := args[0]
	for _, key := range args[1:] {
		items, isList := v.(list)
		if !isList {
			result, problem := field(v, text(key))
			if problem != "" {
				return nil, errors.New(problem)
			}
			v = result
			continue
		}
		i, ok := numeric(key)
		if !ok || i != math.Trunc(i) || i < 0 || i >= float64(len(items)) {
			return nil, fmt.Errorf("%q is not an index of a list of %d, which begins with 0", brief(key), len(items))
		}
		v = items[int(i)]
	}
	return v, nil
}
