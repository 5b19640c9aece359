// Package files makes the files of a report: the report itself, and the pictures next to it. It also names the pages of
// an index.
package files

import (
	"bytes"
	"path"
	"strings"

	"track/reports"
	"track/reports/chart"
	"track/reports/document"
)

// File is a file of a report. Its name is relative to the folder of the report, with slashes.
type File struct {
	Name string
	Data []byte
}

// Folder returns the name of the folder for the pictures of a report.
func Folder(report string) string { return strings.TrimSuffix(report, path.Ext(report)) + "_files" }

// Of returns a report in the format of its suffix, and then its pictures. HTML contains its pictures. A report without
// a name is report.md, with the descriptions of pictures in their place.
func Of(d document.Document, name string) ([]File, error) {
	var report bytes.Buffer
	var err error
	html := path.Ext(name) == ".html"
	switch {
	case name == "":
		name, d = "report.md", reports.WithoutPictures(d)
		err = d.Markdown(&report, document.MarkdownOptions{})
	case html:
		err = d.HTML(&report)
	default:
		err = d.Markdown(&report, document.MarkdownOptions{PictureDir: Folder(name) + "/", Suffix: ".svg"})
	}
	if err != nil {
		return nil, err
	}
	list := []File{{name, report.Bytes()}}
	if html {
		return list, nil
	}
	pictures, err := Pictures(d.Pictures(), name)
	return append(list, pictures...), err
}

// Pictures returns the pictures of a report.
func Pictures(list []document.Picture, report string) (files []File, err error) {
	for _, p := range list {
		var drawn bytes.Buffer
		if err := chart.SVG(&drawn, p.Chart); err != nil {
			return nil, err
		}
		files = append(files, File{path.Join(Folder(report), p.Name) + ".svg", drawn.Bytes()})
	}
	return files, nil
}
