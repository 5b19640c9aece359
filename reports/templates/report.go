package templates

import (
	"encoding/json"

	"track/reports"
	"track/reports/document"
	"track/reports/escape"
)

// Report is the data of a template. It has what a template can read, so that the template can be filled elsewhere.
type Report struct {
	Kind       string          `json:"kind"` // stability, improvement, scenario or lineage
	Title      string          `json:"title"`
	Sections   []Section       `json:"sections"`
	Pictures   []Picture       `json:"pictures"`
	PictureDir string          `json:"picture_dir"` // relative to the report, ending in /; empty if no pictures can be written
	Answer     json.RawMessage `json:"answer"`
	Gate       json.RawMessage `json:"gate"`    // the answer of track gate; null if the report has no gate
	Schema     int             `json:"schema"`  // of the database
	Version    int             `json:"version"` // of the spec; 0 if there is none
	Command    string          `json:"command"` // that writes the report
}

// Section is a part of the document, written in the format of the template.
type Section struct {
	Title    string   `json:"title"`
	Anchor   string   `json:"anchor"`
	Text     string   `json:"text"`
	Pictures []string `json:"pictures"` // names of those in Text
}

// Picture is a picture of the document.
type Picture struct {
	Name string `json:"name"`
	Alt  string `json:"alt"`
	Text string `json:"text"` // that shows the picture, in the format of the template
}

const (
	pictureSuffix = ".svg"
	summary       = "Summary" // the title of the part before the first heading
)

// NewReport returns the parts of a document, for a template that gives this format. Without a folder, the pictures are
// described.
func NewReport(d document.Document, format Format, pictureDir string) (Report, error) {
	options := document.MarkdownOptions{PictureDir: pictureDir, Suffix: pictureSuffix}
	r := Report{Title: escape.Code(d.Title), PictureDir: pictureDir, Sections: []Section{}, Pictures: []Picture{}}
	for _, p := range d.Pictures() {
		p.Alt = escape.Code(p.Alt)
		text, err := "Picture: "+escape.Markdown(p.Alt), error(nil)
		switch {
		case pictureDir == "":
		case format == HTML:
			text, err = p.HTML()
		default:
			text = p.Markdown(options)
		}
		if err != nil {
			return Report{}, err
		}
		r.Pictures = append(r.Pictures, Picture{p.Name, p.Alt, text})
	}
	if pictureDir == "" {
		d = reports.WithoutPictures(d)
	}
	sections := d.HTMLSections
	if format != HTML {
		sections = func() ([]document.Section, error) { return d.MarkdownSections(options) }
	}
	list, err := sections()
	for _, s := range list {
		if s.Title == "" {
			s.Title, s.Anchor = summary, document.Anchor(summary)
		}
		part := Section{escape.Code(s.Title), s.Anchor, s.Text, []string{}}
		for _, p := range s.Pictures {
			part.Pictures = append(part.Pictures, p.Name)
		}
		r.Sections = append(r.Sections, part)
	}
	return r, err
}
