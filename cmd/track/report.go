package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/internal/reportfiles"
	"track/reports/escape"
	"track/reports/files"
	"track/scoring/format"
)

// reportOptions say where a report is written, or which file it is compared with.
type reportOptions struct {
	output string // a file, or - for standard output
	check  string // a file
}

// flags say where a report goes.
func (o *reportOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, DefaultText: "standard output, as Markdown", Usage: "write to `FILE`.md or .html; pictures go into the folder FILE_files next to it", Destination: &o.output, Action: notEmpty("output")},
		&cli.StringFlag{Name: "check", Usage: "write nothing, and exit with 1 if `FILE` is out of date", Destination: &o.check, Action: notEmpty("check")},
	}
}

// notEmpty refuses a flag with an empty value, such as an unset variable: a check of nothing would always pass.
func notEmpty(name string) func(*cli.Context, string) error {
	return func(_ *cli.Context, value string) error {
		if value == "" {
			return usage("--%s is given, and empty: name a file", name)
		}
		return nil
	}
}

// validate refuses what cannot be written before anything is computed.
func (o reportOptions) validate(format string) error {
	if format != "table" && format != "md" {
		return usage("--format %s: a report is Markdown or HTML, as the name of its file says: -o report.html", format)
	}
	if o.output != "" && o.check != "" {
		return usage("--output and --check: a report is written or checked, not both")
	}
	for name, file := range map[string]string{"output": o.output, "check": o.check} {
		if file == "" || file == "-" && name == "output" {
			continue
		}
		if suffix := filepath.Ext(file); suffix != ".md" && suffix != ".html" {
			return usage("--%s %s: name a file that ends in .md or .html", name, file)
		}
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return usage("--%s %s is not a file; -o - writes to standard output", name, file)
		}
	}
	return nil
}

// toStandardOutput reports whether no file is written or checked, so there is no place for pictures.
func (o reportOptions) toStandardOutput() bool {
	return o.check == "" && (o.output == "" || o.output == "-")
}

// form returns how the report is asked for.
func (o reportOptions) form() answer.ReportForm {
	form := answer.ReportForm{Check: o.check != ""}
	if path := o.target(); path != "" {
		form.File = filepath.Base(path)
	}
	return form
}

// receivedFiles are the files of a report.
type receivedFiles struct {
	names []string
	data  []*bytes.Buffer
}

// create is an [ask.Create].
func (r *receivedFiles) create(name string) (io.Writer, error) {
	text := &bytes.Buffer{}
	r.names, r.data = append(r.names, name), append(r.data, text)
	return text, nil
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

// reportFiles returns the report, which comes first, and its pictures, with their places here.
func (o reportOptions) reportFiles(r receivedFiles) ([]reportfiles.File, error) {
	if len(r.names) == 0 {
		return nil, errors.New("the answer has no report")
	}
	list := []reportfiles.File{{Path: o.target(), Data: r.data[0].Bytes()}}
	folder := files.Folder(filepath.ToSlash(o.target()))
	for i, name := range r.names[1:] {
		base := path.Base(name)
		suffix := path.Ext(base)
		if strings.TrimSuffix(base, suffix) == "" || suffix != ".svg" {
			return nil, fmt.Errorf("%q is not the name of a picture", name)
		}
		list = append(list, reportfiles.File{Path: filepath.Join(filepath.FromSlash(folder), base), Data: r.data[i+1].Bytes()})
	}
	return list, nil
}

// writeReport writes the files of a report, or checks those that are there.
func (p *program) writeReport(files []reportfiles.File, o reportOptions) error {
	switch {
	case o.toStandardOutput():
		_, err := p.out.Write(files[0].Data)
		return err
	case o.check != "":
		return p.checkReport(files)
	}
	var staged reportfiles.Staged
	defer staged.Discard()
	if err := staged.Mkdir(filepath.Dir(files[0].Path)); err != nil {
		return err
	}
	if err := staged.Add(files); err != nil {
		return err
	}
	if err := staged.Place(); err != nil {
		return err
	}
	p.notice("wrote %s%s", o.output, picturesText(len(files)-1))
	return nil
}

func picturesText(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + format.Counted(n, "picture")
}

// checkReport exits 1 if a file differs from what would be written now, and names the first one that does.
func (p *program) checkReport(files []reportfiles.File) error {
	for i, f := range files {
		if _, err := os.Stat(f.Path); errors.Is(err, fs.ErrNotExist) && i == 0 {
			return p.missing(f.Path)
		}
		why, err := f.Outdated()
		if err != nil {
			return err
		}
		if why != "" {
			return p.outdated("%s", why)
		}
	}
	p.notice("%s is what the database says%s", files[0].Path, withPictures(len(files)-1))
	return nil
}

func withPictures(n int) string {
	if n == 0 {
		return ""
	}
	return ", and so " + map[bool]string{true: "is its picture", false: fmt.Sprintf("are its %d pictures", n)}[n == 1]
}

// outdated reports that a file is not what would be written now, and exits 1.
func (p *program) outdated(format string, args ...any) error {
	fmt.Fprintln(p.out, escape.Lines(fmt.Sprintf(format, args...)))
	p.notice("the same command with -o instead of --check writes it anew")
	return verdictExit(exitFail)
}

// missing reports that there is no file to check, and exits 1.
func (p *program) missing(path string) error {
	return p.outdated("%s is missing", path)
}
