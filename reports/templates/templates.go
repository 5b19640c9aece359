package templates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"text/template/parse"

	"track"
	"track/reports/document"
	"track/reports/escape"
)

// Format is what a template makes.
type Format int

// The formats.
const (
	Plain    Format = iota // nothing is escaped
	Markdown               // what is recorded is escaped for GitHub
	HTML                   // html/template, which escapes as it must where a value stands
)

// The bounds of what a template is, does and makes.
const (
	MaxSource = 256 << 10 // bytes of a template
	maxText   = 64 << 20  // bytes of a result, and of a text within a template
	maxSteps  = 5_000_000
	maxDepth  = 1000 // of templates within templates
	stepBytes = 64   // of text that count as a step
)

// pictureSuffix is that of the files of pictures.
const pictureSuffix = ".svg"

// Report is what a template tells of.
type Report struct {
	Kind       string // stability, improvement, scenario or lineage
	Document   document.Document
	Answer     []byte             // JSON, of the commands that answer the question
	Gate       []byte             // JSON of track gate; empty for none
	Schema     int                // of the database
	Version    int                // of the spec; 0 for none
	Command    string             // that gives the report
	PictureDir string             // where the pictures stand, from where the report stands, with a / at its end; empty where there is no place for any
	Told       []document.Picture // that Document had, and that are told in words for want of a place
}

// Result is a report as a template has it.
type Result struct {
	Text     []byte
	Pictures []document.Picture // that Text names, and that are to stand in Report.PictureDir
}

// Template is a template of a user.
type Template struct {
	file   string
	format Format
	trees  map[string]*parse.Tree
}

// Parse reads a template. file is its name in errors, which are of type [track.FieldError].
func Parse(file, source string, format Format) (*Template, error) {
	if len(source) > MaxSource {
		return nil, &track.FieldError{File: file, Message: fmt.Sprintf("a template has at most %d KB", MaxSource>>10)}
	}
	tree := parse.New(file)
	tree.Mode = parse.SkipFuncCheck // the rewriter says more
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(source, "", "", trees); err != nil {
		return nil, problem(file, err)
	}
	if trees[file] == nil || parse.IsEmptyTree(trees[file].Root) {
		return nil, &track.FieldError{File: file, Message: "the template writes nothing"}
	}
	names := slices.Concat(builtin, slices.Collect(maps.Keys((&run{}).functions())))
	slices.Sort(names)
	r := rewriter{file: file, source: source, escapes: format != HTML, known: names}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		if trees[name].Root != nil {
			r.template(trees[name].Root)
		}
	}
	return &Template{file, format, trees}, r.err
}

// Execute fills the template. It ends early when ctx does.
func (t *Template) Execute(ctx context.Context, report Report) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil { // a defect of a package for templates is not to lose the name of the file
			result, err = Result{}, &track.FieldError{File: t.file, Message: fmt.Sprintf("this template cannot be filled: %v", p)}
		}
	}()
	r := &run{ctx: ctx, template: t, format: t.format, report: report, used: map[string]bool{}, place: newPlace()}
	data, err := r.data()
	if err != nil {
		return result, err
	}
	if err := r.execute(data); err != nil {
		if canceled := ctx.Err(); canceled != nil {
			return result, canceled
		}
		return result, problem(t.file, err)
	}
	result.Text = r.out.Bytes()
	for _, p := range r.pictures {
		if r.used[p.Name] {
			result.Pictures = append(result.Pictures, p.Picture)
		}
	}
	return result, nil
}

// run is one execution of a template.
type run struct {
	ctx      context.Context
	template *Template
	format   Format
	report   Report
	sections []*section
	pictures []*picture
	used     map[string]bool // pictures that the result names
	out      bytes.Buffer
	place    *place
	steps    int
	depth    int
}

var (
	errLarge = fmt.Errorf("it makes more than %d MB", maxText>>20)
	errSteps = errors.New("it goes on and on: a template may repeat itself, but not for ever")
	errDepth = fmt.Errorf("templates stand more than %d deep within each other", maxDepth)
)

// Write is where the result goes.
func (r *run) Write(text []byte) (int, error) {
	if r.out.Len()+len(text) > maxText {
		return 0, errLarge
	}
	if r.format == Markdown {
		if n, err := r.place.Write(text); err != nil {
			return n, err
		}
	}
	return r.out.Write(text)
}

func (r *run) step(n int) error {
	if r.steps += n; r.steps > maxSteps {
		return errSteps
	}
	return r.ctx.Err()
}

// Fields are the names of what every template finds at its beginning.
func Fields() []string {
	return []string{"Answer", "Command", "Gate", "Kind", "Pictures", "Schema", "Sections", "Style", "Title", "Version"}
}

// data is what the template finds at its beginning.
func (r *run) data() (object, error) {
	if err := r.readParts(); err != nil {
		return nil, err
	}
	answer, err := decode(r.report.Answer)
	if err != nil {
		return nil, err
	}
	gate, err := decode(r.report.Gate)
	if err != nil {
		return nil, err
	}
	data := object{
		"Kind": r.report.Kind, "Title": escape.Code(r.report.Document.Title), "Answer": answer, "Gate": gate, "Command": r.report.Command,
		"Schema": number(r.report.Schema), "Version": any(null(nil)), "Style": "",
	}
	if r.report.Version > 0 {
		data["Version"] = number(r.report.Version)
	}
	if r.format == HTML {
		data["Style"] = htmltemplate.CSS(document.StyleSheet())
	}
	sections, pictures := list{}, list{}
	for _, s := range r.sections {
		sections = append(sections, s)
	}
	for _, p := range r.pictures {
		if p.file != "" {
			pictures = append(pictures, p)
		}
	}
	data["Sections"], data["Pictures"] = sections, pictures
	return data, nil
}

// summary is the title of what stands before the first heading.
const summary = "Summary"

func (r *run) readParts() error {
	write := r.report.Document.HTMLSections
	if r.format != HTML {
		write = func() ([]document.Section, error) {
			return r.report.Document.MarkdownSections(document.MarkdownOptions{PictureDir: r.report.PictureDir, Suffix: pictureSuffix})
		}
	}
	sections, err := write()
	if err != nil {
		return err
	}
	for _, s := range sections {
		if s.Title == "" {
			s.Title, s.Anchor = summary, document.Anchor(summary)
		}
		s.Title = escape.Code(s.Title)
		r.sections = append(r.sections, &section{s, r.marked(s.Text)})
	}
	for _, p := range r.report.Document.Pictures() {
		shown := &picture{Picture: p}
		shown.Alt = escape.Code(p.Alt)
		if r.report.PictureDir != "" {
			shown.file = r.report.PictureDir + p.Name + pictureSuffix
		}
		r.pictures = append(r.pictures, shown)
	}
	for _, p := range r.report.Told {
		told := &picture{Picture: p, told: true}
		told.Alt = escape.Code(p.Alt)
		r.pictures = append(r.pictures, told)
	}
	return nil
}

func (r *run) execute(data object) error {
	functions := map[string]any{
		callField: r.field, callPrint: r.print,
		callStep: func(weight int, deeper ...int) (bool, error) {
			if r.depth += len(deeper); r.depth > maxDepth {
				return false, errDepth
			}
			return false, r.step(weight)
		},
		callLeave: func() bool { r.depth--; return false },
	}
	for name, f := range r.functions() {
		functions[name] = r.charged(f)
	}
	if r.format == HTML {
		t := htmltemplate.New(r.template.file).Funcs(functions)
		for _, name := range slices.Sorted(maps.Keys(r.template.trees)) {
			if _, err := t.AddParseTree(name, r.template.trees[name].Copy()); err != nil { // escaping changes it
				return err
			}
		}
		return t.Lookup(r.template.file).Execute(r, data)
	}
	t := texttemplate.New(r.template.file).Funcs(functions)
	for _, name := range slices.Sorted(maps.Keys(r.template.trees)) {
		if _, err := t.AddParseTree(name, r.template.trees[name]); err != nil {
			return err
		}
	}
	if err := t.Execute(r, data); err != nil || r.format != Markdown {
		return err
	}
	return r.place.next('\n')
}

// charged counts what a function reads and makes.
func (r *run) charged(f function) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		result, err := f(args)
		if err != nil {
			return nil, &callError{err}
		}
		n := size(result)
		for _, arg := range args {
			n += size(arg)
		}
		return result, r.step(1 + n/stepBytes)
	}
}

// size is about how many bytes a value has.
func size(v any) int {
	switch v := v.(type) {
	case list:
		return 16 * len(v)
	case object:
		return 16 * len(v)
	}
	if isText(v) {
		return len(text(v))
	}
	return 0
}

// callError is what a function says, without what package template says of it.
type callError struct{ error }

func (e *callError) Unwrap() error { return e.error }

// field looks up fields, one within another.
func (r *run) field(of any, where ...any) (any, error) {
	names := make([]string, len(where))
	for i, arg := range where {
		name, ok := arg.(string)
		if !ok || len(where) < 3 {
			return nil, &callError{errors.New("a field takes no value")}
		}
		names[i] = name
	}
	for _, name := range names[2:] {
		result, problem := field(of, name)
		if problem != "" {
			line, _ := strconv.Atoi(names[0])
			return nil, &track.FieldError{File: r.template.file, Line: line, Field: names[1], Message: problem}
		}
		switch part := of.(type) {
		case *section:
			result = r.read(part, name)
		case *picture:
			r.used[part.Name] = r.used[part.Name] || name == "File"
		}
		of = result
	}
	return of, r.step(1)
}

// read is a field of a section, whose text may name pictures.
func (r *run) read(s *section, name string) any {
	if name == "Text" && r.format != HTML && r.report.PictureDir != "" {
		for _, p := range s.Pictures {
			r.used[p.Name] = true
		}
	}
	result, _ := field(s, name)
	return result
}

// raw is Markdown of whoever wrote the template.
type raw string

// print is what is written of a value, where it stands.
func (r *run) print(v any) (string, error) {
	s := text(v)
	if err := r.step(1 + len(s)/stepBytes); err != nil {
		return "", err
	}
	if r.format != Markdown {
		return s, nil
	}
	switch v.(type) {
	case trusted:
		r.place.endRun()
		r.place.skip = len(s)
		return s, nil
	case raw:
		return s, nil
	}
	return r.place.escape(s), nil
}

var (
	inTemplate = regexp.MustCompile(`^:(\d+)(?::\d+)?: (?s)(.*)$`)
	executing  = regexp.MustCompile(`(?s)^executing ".*?" at <(.*?)>: (.*)$`)
	calling    = regexp.MustCompile(`^error calling \w+: `)
	lookup     = regexp.MustCompile(`\(?` + callField + ` .*? "\d+" "((?:[^"\\]|\\.)*)"(?: "\w+")+\)?`)
	added      = regexp.MustCompile(` \| ` + callPrint + `|^` + callStep + `[ \d]*$`)
)

// asWritten is what a template says where it was rewritten.
func asWritten(s string) string { return added.ReplaceAllString(lookup.ReplaceAllString(s, "$1"), "") }

// problem puts an error of a package for templates into the words of users.
func problem(file string, err error) error {
	var known *track.FieldError
	if errors.As(err, &known) {
		return known.Shorten()
	}
	p := &track.FieldError{File: file, Message: err.Error()}
	var unsafe *htmltemplate.Error
	if errors.As(err, &unsafe) {
		p.Line, p.Message = unsafe.Line, unsafe.Description
		return p.Shorten()
	}
	rest, ok := strings.CutPrefix(p.Message, "template: "+file)
	if parts := inTemplate.FindStringSubmatch(rest); ok && parts != nil {
		p.Line, _ = strconv.Atoi(parts[1])
		p.Message = parts[2]
		if parts := executing.FindStringSubmatch(p.Message); parts != nil {
			p.Field, p.Message = parts[1], calling.ReplaceAllString(parts[2], "")
		}
	}
	p.Field, p.Message = asWritten(p.Field), asWritten(p.Message)
	var called *callError
	if errors.As(err, &called) {
		p.Message = called.Error()
	}
	return p.Shorten()
}
