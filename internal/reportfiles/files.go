// Package reportfiles writes reports to files and compares files with what would be written. All files of a report are
// written next to their places first, and then put in place together.
package reportfiles

import (
	"bytes"
	"path/filepath"
	"strings"

	"track/reports/chart"
	"track/reports/document"
)

// File is a file of a report.
type File struct {
	Path string
	Data []byte
}

// Render returns the report in the format of its suffix, and then its pictures. HTML contains its pictures.
func Render(d document.Document, path string, png bool) ([]File, error) {
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
	files := []File{{path, report.Bytes()}}
	for _, picture := range d.Pictures() {
		pictures, err := RenderPicture(picture, filepath.Join(folder, picture.Name), !html, png)
		if err != nil {
			return nil, err
		}
		files = append(files, pictures...)
	}
	return files, nil
}

// RenderPicture returns a picture in the formats that are wanted.
func RenderPicture(p document.Picture, name string, svg, png bool) (files []File, err error) {
	var drawn, pixels bytes.Buffer
	if svg {
		err = chart.SVG(&drawn, p.Chart)
		files = append(files, File{name + ".svg", drawn.Bytes()})
	}
	if png && err == nil {
		err = chart.PNG(&pixels, p.Chart)
		files = append(files, File{name + ".png", pixels.Bytes()})
	}
	return files, err
}
