package templates

import (
	htmltemplate "html/template"

	"track/reports/document"
)

// Fields returns the names of the fields that every template has at its top level.
func Fields() []string {
	return []string{"Answer", "Command", "Gate", "Kind", "Pictures", "Schema", "Sections", "Style", "Title", "Version"}
}

// data returns the top-level fields of the template.
func (r *run) data() (object, error) {
	r.readParts()
	answer, err := decode(r.report.Answer)
	if err != nil {
		return nil, err
	}
	gate, err := decode(r.report.Gate)
	if err != nil {
		return nil, err
	}
	data := object{
		"Kind": r.report.Kind, "Title": r.report.Title, "Answer": answer, "Gate": gate, "Command": r.report.Command,
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

func (r *run) readParts() {
	for _, s := range r.report.Sections {
		r.sections = append(r.sections, &section{s, r.marked(s.Text)})
	}
	for _, p := range r.report.Pictures {
		shown := &picture{Picture: p}
		if r.report.PictureDir != "" {
			shown.file = r.report.PictureDir + p.Name + pictureSuffix
		}
		r.pictures = append(r.pictures, shown)
	}
}
