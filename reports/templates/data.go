package templates

import (
	htmltemplate "html/template"

	"track/reports/document"
	"track/reports/escape"
)

// Fields returns the names of the fields that every template has at its top level.
func Fields() []string {
	return []string{"Answer", "Command", "Gate", "Kind", "Pictures", "Schema", "Sections", "Style", "Title", "Version"}
}

// data returns the top-level fields of the template.
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

// summary is the title of the part before the first heading.
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
	for _, p := range r.report.Described {
		described := &picture{Picture: p, described: true}
		described.Alt = escape.Code(p.Alt)
		r.pictures = append(r.pictures, described)
	}
	return nil
}
