package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"track/ask"
	"track/internal/reportfiles"
	"track/reports"
	"track/reports/templates"
	"track/store"
)

// templateData is a report with the data of templates.
type templateData struct {
	ask.Composed
	kind   string
	answer any // as --format json has it; nil if no template is filled
	gate   any // nil if there is none
}

// target returns the file that a report is written to or compared with; empty for standard output.
func (o reportOptions) target() string {
	switch {
	case o.check != "":
		return o.check
	case o.output == "-":
		return ""
	}
	return o.output
}

// templateFormat returns the format of the file. On standard output the name of the template decides, as in
// comment.md.tmpl.
func (o reportOptions) templateFormat() templates.Format {
	file := o.target()
	if file == "" {
		file = strings.TrimSuffix(strings.TrimSuffix(o.template, ".tmpl"), ".gotmpl")
	}
	switch suffix := filepath.Ext(file); {
	case suffix == ".html":
		return templates.HTML
	case suffix == ".md" || o.toStandardOutput() && suffix == "":
		return templates.Markdown
	}
	return templates.Plain
}

// validateTemplate refuses to write a report over its template.
func (o reportOptions) validateTemplate() error {
	there, err := os.Stat(o.template)
	if err != nil {
		return notFound(err)
	}
	if there.IsDir() {
		return usage("--template %s is a folder, not a file", o.template)
	}
	if to, err := os.Stat(o.target()); err == nil && os.SameFile(there, to) {
		return usage("--template %s is the file that the report would be written to", o.template)
	}
	return nil
}

// readTemplate reads the template that was named; nil for none.
func (o reportOptions) readTemplate() (*templates.Template, error) {
	if o.template == "" {
		return nil, nil
	}
	if err := o.validateTemplate(); err != nil {
		return nil, err
	}
	file, err := os.Open(o.template)
	if err != nil {
		return nil, notFound(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, templates.MaxSource+1))
	if err != nil {
		return nil, err
	}
	return templates.Parse(o.template, string(text), o.templateFormat())
}

// fill makes the files of a report from a template: the report and the pictures that it shows.
func (o reportOptions) fill(ctx context.Context, t *templates.Template, d templateData) ([]reportfiles.File, error) {
	r := templates.Report{Kind: d.kind, Document: d.Document, Schema: store.SchemaVersion, Version: d.Version, Command: d.Command}
	path := o.target()
	folder := strings.TrimSuffix(path, filepath.Ext(path)) + "_files"
	if path == "" {
		r.Document, r.Described = reports.WithoutPictures(d.Document), d.Document.Pictures()
	} else {
		r.PictureDir = filepath.ToSlash(filepath.Base(folder)) + "/"
	}
	var err error
	if r.Answer, err = answerJSON(d.answer); err == nil && d.gate != nil {
		r.Gate, err = answerJSON(d.gate)
	}
	if err != nil {
		return nil, err
	}
	result, err := t.Execute(ctx, r)
	if err != nil {
		return nil, err
	}
	files := []reportfiles.File{{Path: path, Data: result.Text}}
	for _, p := range result.Pictures {
		pictures, err := reportfiles.RenderPicture(p, filepath.Join(folder, p.Name), true, o.png)
		if err != nil {
			return nil, err
		}
		files = append(files, pictures...)
	}
	return files, nil
}
