package answer

import (
	"fmt"
	"path"
	"strings"

	"track/answer/param"
	"track/scoring/format"
)

// ReportForm says how a report is written as files.
type ReportForm struct {
	File  string // the name that the report will have; empty for Markdown without pictures
	Check bool   // the files are compared with those that exist
}

func (f *ReportForm) Params() param.List {
	return param.List{
		{Name: "file", Unit: "NAME", Help: "the `NAME` that the report will have, such as report.md or report.html; Markdown shows pictures in the folder NAME_files without the suffix (default: Markdown, with pictures in words)", Value: param.Text(&f.File)},
		{Name: "check", Help: "record no interim analysis, because the files are compared with those that exist", Value: param.Switch(&f.Check)},
	}
}

// Validate returns a [param.Error] for a name that no report has.
func (f *ReportForm) Validate() error {
	const longest = 255
	suffix := path.Ext(f.File)
	switch {
	case f.File == "":
		return nil
	case len(f.File) > longest || strings.ContainsAny(f.File, "/\x00") || f.File == "." || f.File == "..":
		return &param.Error{Param: "file", Message: fmt.Sprintf("must be a name of at most %d bytes, without a folder", longest)}
	case suffix != ".md" && suffix != ".html":
		return &param.Error{Param: "file", Message: "must end in .md or .html"}
	}
	return nil
}

// ReportFiles says that the files of a report were written.
type ReportFiles struct {
	NFiles      int    `json:"n_files"`
	NotRecorded string `json:"not_recorded,omitempty"` // why this interim analysis is not recorded; empty if it is, or if there is none
}

func (a ReportFiles) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: "wrote " + format.Counted(a.NFiles, "file")}}
	if a.NotRecorded != "" {
		lead = append(lead, Sentence{Kind: Warning, Text: "this look is not recorded, so later ones will not count it: " + a.NotRecorded})
	}
	return lead
}

func (a ReportFiles) Tables() []Table { return nil }
