package templates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"maps"
	"slices"
	"strconv"
	texttemplate "text/template"

	"track"
)

// run is one execution of a template.
type run struct {
	ctx      context.Context // of this one execution
	template *Template
	format   Format
	report   Report
	sections []*section
	pictures []*picture
	used     map[string]bool // names of the pictures that the result shows
	out      bytes.Buffer
	place    place
	trusted  bool // the next text has markup that is complete in itself
	steps    int
	depth    int
}

var (
	errLarge = fmt.Errorf("it makes more than %d MB", maxText>>20)
	errSteps = errors.New("it takes more than 5 million steps: does a loop or a template never end?")
	errDepth = fmt.Errorf("templates are nested more than %d deep", maxDepth)
)

// Write takes the result.
func (r *run) Write(text []byte) (int, error) {
	if r.out.Len()+len(text) > maxText {
		return 0, errLarge
	}
	switch {
	case r.format != Markdown:
	case r.trusted:
		r.trusted = false
		r.place.follow([]byte("x"))
	default:
		r.place.follow(text)
	}
	return r.out.Write(text)
}

func (r *run) step(n int) error {
	if r.steps += n; r.steps > maxSteps {
		return errSteps
	}
	return r.ctx.Err()
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
	return t.Execute(r, data)
}

// charged counts the steps of a function by the size of its arguments and its result.
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

// size returns roughly how many bytes a value has.
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

// callError is an error of a function, without the words that package template puts around it.
type callError struct{ error }

func (e *callError) Unwrap() error { return e.error }

// field looks up nested fields.
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

// read returns a field of a section, and notes the pictures that its text names.
func (r *run) read(s *section, name string) any {
	if name == "Text" && r.format != HTML && r.report.PictureDir != "" {
		for _, name := range s.Pictures {
			r.used[name] = true
		}
	}
	result, _ := field(s, name)
	return result
}

// raw is Markdown by the author of the template.
type raw string

// print returns the text that is written of a value.
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
		r.trusted = true
		return s, nil
	case raw:
		return s, nil
	}
	s, err := r.place.escape(s)
	if err != nil {
		return "", &callError{err}
	}
	return s, nil
}
