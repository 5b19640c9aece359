package templates

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"math"
	"regexp"
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

// function is one that templates call. It returns what they see, or an error in their words.
type function func(args []any) (any, error)

// Functions are the names of the functions that templates have beside those of Go: and, or, not, eq, ne, lt, le, gt, ge, index, slice, len,
// print, printf, println, js and urlquery.
func Functions() []string {
	return []string{
		"code", "cut", "estimate", "fence", "first", "has", "html", "icon", "interval", "join", "json", "md", "number", "percent", "picture", "raw", "section",
		"shell", "short", "signed", "where",
	}
}

// builtin are the functions of Go that stay as they are, for they are bounded and know no types.
var builtin = []string{"and", "or", "not", "slice", "len"}

func (r *run) functions() map[string]function {
	return map[string]function{
		"section": r.section, "has": r.has, "picture": r.picture,
		"md": r.md, "html": r.html, "raw": r.raw, "code": r.code, "fence": r.fence,
		"number": oneNumber("number", significant), "percent": oneNumber("percent", func(x float64, _ int) string { return format.Percent(x) }),
		"signed":   oneNumber("signed", func(x float64, _ int) string { return format.Signed(x) }),
		"interval": interval, "estimate": estimate, "short": short, "icon": icon, "shell": shell, "json": toJSON, "join": join, "first": first, "where": where, "cut": cut,
		"eq": eq, "ne": ne, "lt": ordered(func(sign int) bool { return sign < 0 }), "le": ordered(func(sign int) bool { return sign <= 0 }),
		"gt": ordered(func(sign int) bool { return sign > 0 }), "ge": ordered(func(sign int) bool { return sign >= 0 }),
		"index": index, "print": printed(fmt.Sprint), "println": printed(fmt.Sprintln), "printf": printf,
		"js": texts(texttemplate.JSEscapeString), "urlquery": texts(func(s string) string { return texttemplate.URLQueryEscaper(s) }),
	}
}

// text is a value as people read it.
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

func want(args []any, least, most int, usage string) error {
	if len(args) < least || len(args) > most {
		return errors.New("it is used as " + usage)
	}
	return nil
}

func (r *run) section(args []any) (any, error) {
	if err := want(args, 1, 1, `section "Title"`); err != nil {
		return nil, err
	}
	if s := r.find(text(args[0])); s != nil {
		return r.read(s, "Text"), nil
	}
	var titles []string
	for _, s := range r.sections {
		titles = append(titles, strconv.Quote(s.Title))
	}
	return nil, fmt.Errorf("there is no section %q; there are %s", brief(args[0]), known(titles))
}

func (r *run) has(args []any) (any, error) {
	if err := want(args, 1, 1, `has "Title"`); err != nil {
		return nil, err
	}
	return r.find(text(args[0])) != nil, nil
}

// find is the section of that title, or the first whose title begins with those words.
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
	if err := want(args, 1, 1, `picture "name"`); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range r.pictures {
		if p.Name == text(args[0]) {
			return r.show(p)
		}
		names = append(names, strconv.Quote(p.Name))
	}
	return nil, fmt.Errorf("there is no picture %q; there are %s", brief(args[0]), known(names))
}

func (r *run) show(p *picture) (any, error) {
	if r.format == HTML && p.told {
		return "Picture: " + p.Alt, nil // which html/template escapes
	}
	if r.format == HTML {
		page, err := p.HTML()
		return htmltemplate.HTML(page), err
	}
	if r.report.PictureDir == "" {
		return r.marked("Picture: " + escape.Markdown(p.Alt)), nil
	}
	r.used[p.Name] = true
	return r.marked(p.Markdown(document.MarkdownOptions{PictureDir: r.report.PictureDir, Suffix: pictureSuffix})), nil
}

// marked is text with the markup of the format.
func (r *run) marked(s string) any {
	switch r.format {
	case Markdown:
		return trusted(s)
	case HTML:
		return htmltemplate.HTML(s)
	}
	return s
}

func (r *run) md(args []any) (any, error) {
	if err := want(args, 1, 1, "md TEXT"); err != nil {
		return nil, err
	}
	if r.format == Markdown {
		return text(args[0]), nil // it is escaped where it stands
	}
	return escape.Markdown(text(args[0])), nil
}

func (r *run) html(args []any) (any, error) {
	if err := want(args, 1, 1, "html TEXT"); err != nil {
		return nil, err
	}
	if r.format == Markdown {
		return trusted(entities(text(args[0]), true, false)), nil
	}
	return r.marked(escape.HTML(text(args[0]))), nil
}

func (r *run) raw(args []any) (any, error) {
	if err := want(args, 1, 1, "raw TEXT"); err != nil {
		return nil, err
	}
	if r.format == Markdown {
		return raw(text(args[0])), nil
	}
	return r.marked(text(args[0])), nil
}

func (r *run) code(args []any) (any, error) {
	if err := want(args, 1, 1, "code TEXT"); err != nil {
		return nil, err
	}
	s := text(args[0])
	if r.format == HTML {
		return htmltemplate.HTML("<code>" + escape.HTML(s) + "</code>"), nil
	}
	return r.marked(escape.Span(s, r.format == Plain || !strings.ContainsAny(s, "|`@"))), nil
}

func (r *run) fence(args []any) (any, error) {
	if err := want(args, 1, 2, `fence TEXT or fence "sh" TEXT`); err != nil {
		return nil, err
	}
	language := ""
	if len(args) == 2 {
		language = text(args[0])
	}
	d := document.Document{Blocks: []document.Block{document.Code{Language: language, Text: text(args[len(args)-1])}}}
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

// oneNumber is a function of a number, and of the number of its digits before it.
func oneNumber(name string, write func(x float64, digits int) string) function {
	return func(args []any) (any, error) {
		if err := want(args, 1, 2, name+" NUMBER or "+name+" DIGITS NUMBER"); err != nil {
			return nil, err
		}
		digits, err := digitsOf(args[:len(args)-1])
		if err != nil {
			return nil, err
		}
		v := args[len(args)-1]
		if isNull(v) {
			return "-", nil
		}
		x, ok := numeric(v)
		if !ok {
			return nil, fmt.Errorf("%q is not a number", brief(v))
		}
		return write(x, digits), nil
	}
}

func digitsOf(args []any) (int, error) {
	const most, usual = 17, 4
	if len(args) == 0 {
		return usual, nil
	}
	x, ok := numeric(args[0])
	if !ok || x != math.Trunc(x) || x < 1 || x > most {
		return 0, fmt.Errorf("%q is not a number of digits, 1 to %d", brief(args[0]), most)
	}
	return int(x), nil
}

// significant writes a number with so many significant digits; whole ones as they are.
func significant(x float64, digits int) string {
	abs := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return format.Fixed(x, 0)
	case abs < 1e15 && x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case abs < 1e-4 || abs >= 1e9:
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, digits-1-int(math.Floor(math.Log10(abs)))), 64)
}

func interval(args []any) (any, error) {
	if err := want(args, 1, 2, "interval CI or interval DIGITS CI"); err != nil {
		return nil, err
	}
	digits, err := digitsOf(args[:len(args)-1])
	if err != nil {
		return nil, err
	}
	return ends(args[len(args)-1], digits)
}

func ends(v any, digits int) (string, error) {
	if isNull(v) {
		return "-", nil
	}
	if pair, ok := v.(list); ok && len(pair) == 2 {
		lo, isLo := numeric(pair[0])
		hi, isHi := numeric(pair[1])
		if isLo && isHi {
			return significant(lo, digits) + " to " + significant(hi, digits), nil
		}
	}
	return "", fmt.Errorf("%q is not an interval, such as .ci", brief(v))
}

// estimate writes a number with all that it takes to trust it.
func estimate(args []any) (any, error) {
	if err := want(args, 1, 2, "estimate ESTIMATE or estimate DIGITS ESTIMATE"); err != nil {
		return nil, err
	}
	digits, err := digitsOf(args[:len(args)-1])
	if err != nil {
		return nil, err
	}
	v := args[len(args)-1]
	if isNull(v) {
		return "-", nil
	}
	e, _ := v.(object)
	x, isNumber := numeric(e["value"])
	n, hasN := numeric(e["n"])
	if !hasN || !isNumber && !isNull(e["value"]) {
		return nil, fmt.Errorf("%q is not an estimate, with value, n, ci and method", brief(v))
	}
	if !isNumber {
		return fmt.Sprintf("- (n = %.0f)", n), nil
	}
	if isNull(e["ci"]) {
		return fmt.Sprintf("%s (no interval, n = %.0f)", significant(x, digits), n), nil
	}
	both, err := ends(e["ci"], digits)
	if err != nil {
		return nil, err
	}
	s := fmt.Sprintf("%s (%s, n = %.0f", significant(x, digits), both, n)
	if method, ok := e["method"].(string); ok && method != "" {
		s += ", " + method
	}
	return s + ")", nil
}

func short(args []any) (any, error) {
	if err := want(args, 1, 1, "short HASH"); err != nil {
		return nil, err
	}
	return track.ShortHash(text(args[0])), nil
}

func icon(args []any) (any, error) {
	if err := want(args, 1, 1, "icon VERDICT"); err != nil {
		return nil, err
	}
	return reports.Icon(text(args[0])), nil
}

func shell(args []any) (any, error) {
	if err := want(args, 1, 1, "shell WORD"); err != nil {
		return nil, err
	}
	return reports.ShellWord(text(args[0])), nil
}

func toJSON(args []any) (any, error) {
	if err := want(args, 1, 1, "json VALUE"); err != nil {
		return nil, err
	}
	if args[0] == nil {
		return "null", nil
	}
	return jsonText(args[0]), nil
}

func join(args []any) (any, error) {
	const usage = `join ", " LIST`
	if err := want(args, 2, 2, usage); err != nil {
		return nil, err
	}
	items, ok := items(args[1])
	if !ok {
		return nil, errors.New("it is used as " + usage)
	}
	var parts []string
	for _, item := range items {
		parts = append(parts, text(item))
	}
	size := 0
	for _, part := range parts {
		size += len(part) + len(text(args[0]))
	}
	if size > maxText {
		return nil, errLarge
	}
	return strings.Join(parts, text(args[0])), nil
}

// items are those of a list; null has none.
func items(v any) (list, bool) {
	if isNull(v) {
		return list{}, true
	}
	l, ok := v.(list)
	return l, ok
}

func first(args []any) (any, error) {
	const usage = "first NUMBER LIST"
	if err := want(args, 2, 2, usage); err != nil {
		return nil, err
	}
	n, isNumber := numeric(args[0])
	items, isList := items(args[1])
	if !isNumber || !isList || !(n >= 0) {
		return nil, errors.New("it is used as " + usage)
	}
	return items[:int(min(n, float64(len(items))))], nil
}

// where are the items of a list whose field is a value.
func where(args []any) (any, error) {
	const usage = `where "field" VALUE LIST`
	if err := want(args, 3, 3, usage); err != nil {
		return nil, err
	}
	items, ok := items(args[2])
	if !ok {
		return nil, errors.New("it is used as " + usage)
	}
	found := list{}
	for _, item := range items {
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
	const usage = "cut NUMBER TEXT"
	if err := want(args, 2, 2, usage); err != nil {
		return nil, err
	}
	n, ok := numeric(args[0])
	if !ok || !(n >= 1) {
		return nil, errors.New("it is used as " + usage)
	}
	s := text(args[1])
	if float64(utf8.RuneCountInString(s)) <= n {
		return s, nil
	}
	return string([]rune(s)[:int(n)-1]) + "…", nil
}

func eq(args []any) (any, error) {
	if len(args) < 2 {
		return nil, errors.New("it is used as eq A B")
	}
	return slices.ContainsFunc(args[1:], func(b any) bool { return equal(args[0], b) }), nil
}

func ne(args []any) (any, error) {
	if err := want(args, 2, 2, "ne A B"); err != nil {
		return nil, err
	}
	return !equal(args[0], args[1]), nil
}

func ordered(holds func(sign int) bool) function {
	return func(args []any) (any, error) {
		if err := want(args, 2, 2, "lt A B, le A B, gt A B or ge A B"); err != nil {
			return nil, err
		}
		sign, known, err := order(args[0], args[1])
		return known && holds(sign), err
	}
}

func index(args []any) (any, error) {
	if len(args) < 2 {
		return nil, errors.New("it is used as index VALUE KEY")
	}
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

// texts is a function of texts, which may make each of their bytes longer.
func texts(change func(string) string) function {
	return func(args []any) (any, error) {
		const longest = 12
		var b strings.Builder
		for _, arg := range args {
			if b.Len()+longest*len(text(arg)) > maxText {
				return nil, errLarge
			}
			b.WriteString(change(text(arg)))
		}
		return b.String(), nil
	}
}

func printed(write func(...any) string) function {
	return func(args []any) (any, error) {
		size, shown := shownArgs(args)
		if size > maxText {
			return nil, errLarge
		}
		return write(shown...), nil
	}
}

// shownArgs are values as package fmt is to see them, and how long they are together.
func shownArgs(args []any) (size int, shown []any) {
	shown = make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case number, int, float64, bool:
			shown[i] = arg
		default:
			shown[i] = text(arg)
		}
		size += len(text(arg)) + 1
	}
	return size, shown
}

var (
	verb = regexp.MustCompile(`%[^%a-zA-Z]*[a-zA-Z]`)
	wide = regexp.MustCompile(`\*|[0-9]{4}`)
)

func printf(args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New(`it is used as printf "FORMAT" VALUES`)
	}
	format := text(args[0])
	longest := 0
	_, shown := shownArgs(args[1:])
	for _, arg := range shown {
		longest = max(longest, len(text(arg)))
	}
	verbs := verb.FindAllString(format, -1)
	for _, v := range verbs {
		if wide.MatchString(v) {
			return nil, fmt.Errorf("%q: a width has at most three digits", brief(v))
		}
	}
	const quoting, width = 10, 1000 // what %q makes of a byte, and the widest padding
	if len(format)+strings.Count(format, "%")*(quoting*longest+width) > maxText {
		return nil, errLarge
	}
	return fmt.Sprintf(format, shown...), nil
}
