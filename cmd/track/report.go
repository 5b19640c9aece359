package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track/reports"
	"track/reports/chart"
	"track/reports/document"
	"track/scoring/format"
)

// reportOptions say where a report goes, or what it is held against.
type reportOptions struct {
	output   string // a file, or - for standard output
	check    string // a file
	template string // a file; empty for the report as it is
	png      bool
}

// flags are those of a single report.
func (o *reportOptions) flags() []cli.Flag {
	return append(o.fileFlags(),
		&cli.StringFlag{Name: "template", Usage: "fill this `FILE`, a Go text/template, instead: docs/reports.md has its fields", Destination: &o.template, Action: notEmpty("template")})
}

// fileFlags say where a report goes.
func (o *reportOptions) fileFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, DefaultText: "standard output, as Markdown", Usage: "write to `FILE`.md or .html; pictures go into FILE_files beside it", Destination: &o.output, Action: notEmpty("output")},
		&cli.StringFlag{Name: "check", Usage: "write nothing, and exit 1 where `FILE` is no longer what the database says", Destination: &o.check, Action: notEmpty("check")},
		&cli.BoolFlag{Name: "png", Usage: "pictures as PNG too", Destination: &o.png},
	}
}

// notEmpty refuses a flag that is given without a value, as by a variable that is not set: a check that checks nothing would always be green.
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
	if o.png && o.toStandardOutput() {
		return usage("--png: standard output has no place for pictures; name a file for the report, as -o report.md, and they go beside it")
	}
	for name, file := range map[string]string{"output": o.output, "check": o.check} {
		if file == "" || file == "-" && name == "output" {
			continue
		}
		if suffix := filepath.Ext(file); o.template == "" && suffix != ".md" && suffix != ".html" {
			return usage("--%s %s: name a file that ends in .md or .html", name, file)
		}
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return usage("--%s %s is not a file; -o - writes to standard output", name, file)
		}
	}
	return nil
}

// toStandardOutput says that no file is written or checked, so there is no place for pictures.
func (o reportOptions) toStandardOutput() bool {
	return o.check == "" && (o.output == "" || o.output == "-")
}

// makeReport makes the files of a report; on standard output there is one, which has no path.
func makeReport(d document.Document, o reportOptions) ([]reportFile, error) {
	if !o.toStandardOutput() {
		return reportFiles(d, o.target(), o.png)
	}
	var report bytes.Buffer
	err := reports.WithoutPictures(d).Markdown(&report, document.MarkdownOptions{})
	return []reportFile{{"", report.Bytes()}}, err
}

// writeReport writes the files of a report, or checks those that are there.
func (p *program) writeReport(files []reportFile, o reportOptions) error {
	switch {
	case o.toStandardOutput():
		_, err := p.out.Write(files[0].data)
		return err
	case o.check != "":
		return p.checkReport(files)
	}
	var staged stagedFiles
	defer staged.discard()
	if err := staged.mkdir(filepath.Dir(files[0].path)); err != nil {
		return err
	}
	if err := staged.add(files); err != nil {
		return err
	}
	if err := staged.place(); err != nil {
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

// reportFile is a file of a report with its bytes.
type reportFile struct {
	path string
	data []byte
}

// reportFiles are the report in the format of its suffix, and then its pictures. HTML has them within.
func reportFiles(d document.Document, path string, png bool) ([]reportFile, error) {
	folder := strings.TrimSuffix(path, filepath.Ext(path)) + "_files"
	var report bytes.Buffer
	var err error
	html := filepath.Ext(path) == ".html"
	if html {
		err = d.HTML(&report)
	} else {
		err = d.Markdown(&report, document.MarkdownOptions{PictureDir: filepath.ToSlash(filepath.Base(folder)) + "/", Suffix: ".svg"})
	}
	if err != nil {
		return nil, err
	}
	files := []reportFile{{path, report.Bytes()}}
	for _, picture := range d.Pictures() {
		pictures, err := pictureFiles(picture, filepath.Join(folder, picture.Name), !html, png)
		if err != nil {
			return nil, err
		}
		files = append(files, pictures...)
	}
	return files, nil
}

// pictureFiles are a picture in the formats that are wanted.
func pictureFiles(p document.Picture, name string, svg, png bool) (files []reportFile, err error) {
	var drawn, pixels bytes.Buffer
	if svg {
		err = chart.SVG(&drawn, p.Chart)
		files = append(files, reportFile{name + ".svg", drawn.Bytes()})
	}
	if png && err == nil {
		err = chart.PNG(&pixels, p.Chart)
		files = append(files, reportFile{name + ".png", pixels.Bytes()})
	}
	return files, err
}

// replaceFiles writes files beside their places, and only then puts them there.
func replaceFiles(files []reportFile) error {
	var staged stagedFiles
	defer staged.discard()
	if err := staged.add(files); err != nil {
		return err
	}
	return staged.place()
}

// checkReport exits 1 where a file is not what it would be if it was written now, and says which one is the first.
func (p *program) checkReport(files []reportFile) error {
	for i, f := range files {
		if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) && i == 0 {
			return p.missing(f.path)
		}
		why, err := f.outdated()
		if err != nil {
			return err
		}
		if why != "" {
			return p.outdated("%s", why)
		}
	}
	p.notice("%s is what the database says%s", files[0].path, withPictures(len(files)-1))
	return nil
}

func withPictures(n int) string {
	if n == 0 {
		return ""
	}
	return ", and so " + map[bool]string{true: "is its picture", false: fmt.Sprintf("are its %d pictures", n)}[n == 1]
}

// outdated is the answer that a report is no longer true.
func (p *program) outdated(format string, args ...any) error {
	fmt.Fprintln(p.out, printableLines(fmt.Sprintf(format, args...)))
	p.notice("the same command with -o instead of --check writes it anew")
	return verdictExit(exitFail)
}

// missing is the answer that there is no report to check.
func (p *program) missing(path string) error {
	return p.outdated("%s is missing", path)
}

// firstDifference tells the first line in which a text differs, around the first character that does.
func firstDifference(there, now []byte) string {
	const most, before = 160, 40
	a, b := bytes.Split(there, []byte("\n")), bytes.Split(now, []byte("\n"))
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("line %d differs\n  file      %s\n  database  %s", i+1, fileEnds, cutLine(string(b[i]), most))
		case i >= len(b):
			return fmt.Sprintf("line %d differs\n  file      %s\n  database  %s", i+1, cutLine(string(a[i]), most), fileEnds)
		case !bytes.Equal(a[i], b[i]):
			file, database := []rune(string(a[i])), []rune(string(b[i]))
			from, where := 0, ""
			if n := equalRunes(file, database); n >= most-1 {
				from, where = n-before, fmt.Sprintf(" from character %d on", n+1)
			}
			return fmt.Sprintf("line %d differs%s\n  file      %s\n  database  %s", i+1, where, window(file, from, most), window(database, from, most))
		}
	}
	return "it differs"
}

const fileEnds = "(nothing: the file ends)"

// equalRunes counts those with which both begin.
func equalRunes(a, b []rune) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// window is a part of a line, with … where something stands before and after it.
func window(line []rune, from, most int) string {
	if from == 0 {
		return cutLine(string(line), most)
	}
	return "…" + cutLine(string(line[from:]), most-1)
}

// cutLine keeps a line readable.
func cutLine(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
