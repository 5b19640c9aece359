package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"track/ask"
	"track/internal/reportfiles"
	"track/reports/templates"
)

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
func (o reportOptions) fill(ctx context.Context, t *templates.Template, received receivedFiles) ([]reportfiles.File, error) {
	var r templates.Report
	if len(received.names) == 0 || received.names[0] != ask.PartsFile {
		return nil, errors.New("the answer has nothing to fill a template with")
	}
	if err := json.Unmarshal(received.data[0].Bytes(), &r); err != nil {
		return nil, fmt.Errorf("read what the template is filled with: %w", err)
	}
	result, err := t.Execute(ctx, r)
	if err != nil {
		return nil, err
	}
	received.data[0] = bytes.NewBuffer(result.Text)
	return o.reportFiles(received, func(picture string) bool { return slices.Contains(result.Pictures, picture) })
}
