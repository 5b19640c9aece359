package templates

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"text/template/parse"

	"track"
)

// Format is the format of the result of a template.
type Format int

// The formats.
const (
	Plain    Format = iota // nothing is escaped
	Markdown               // values are escaped for GitHub
	HTML                   // values are escaped by html/template
)

// The limits of a template.
const (
	MaxSource = 256 << 10 // bytes of its source
	maxText   = 64 << 20  // bytes of its result, and of each text in between
	maxSteps  = 5_000_000
	maxDepth  = 1000 // nested templates
	stepBytes = 64   // so many bytes of text count as one step
)

// Result is the text that a template made.
type Result struct {
	Text     []byte
	Pictures []string // names of those that Text names; they belong into Report.PictureDir
}

// Template is a template of a user.
type Template struct {
	file   string
	format Format
	trees  map[string]*parse.Tree
}

// Parse reads a template. Errors are of type [track.FieldError] and name the file.
func Parse(file, source string, format Format) (*Template, error) {
	if len(source) > MaxSource {
		return nil, &track.FieldError{File: file, Message: fmt.Sprintf("a template has at most %d KB", MaxSource>>10)}
	}
	tree := parse.New(file)
	tree.Mode = parse.SkipFuncCheck // the rewriter has a better error
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(source, "", "", trees); err != nil {
		return nil, problem(file, err)
	}
	if trees[file] == nil || parse.IsEmptyTree(trees[file].Root) {
		return nil, &track.FieldError{File: file, Message: "the template writes nothing"}
	}
	names := slices.Concat(builtin, slices.Collect(maps.Keys((&run{}).functions())))
	slices.Sort(names)
	r := rewriter{file: file, source: source, escapes: format != HTML, functions: names}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		if trees[name].Root != nil {
			r.template(trees[name].Root)
		}
	}
	return &Template{file, format, trees}, r.err
}

// Execute fills the template. It stops when ctx is done.
func (t *Template) Execute(ctx context.Context, report Report) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil { // a panic of a template package still names the file
			result, err = Result{}, &track.FieldError{File: t.file, Message: fmt.Sprintf("this template cannot be filled: %v", p)}
		}
	}()
	r := &run{ctx: ctx, template: t, format: t.format, report: report, used: map[string]bool{}}
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
			result.Pictures = append(result.Pictures, p.Name)
		}
	}
	return result, nil
}
