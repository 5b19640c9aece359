package reports

import (
	"fmt"
	"slices"
	"strings"

	"track/answer"
	"track/reports/document"
	"track/reports/render"
	"track/scoring/format"
)

// Index is what the index of all reports tells.
type Index struct {
	Reports []Indexed
	Others  Report // parts that follow, and the commands
}

// Indexed is a report of an index.
type Indexed struct {
	Kind     string // scenario, stability or lineage
	Name     string
	About    string // what people call it
	Problem  string // why there is no report
	Page     string // its file; empty if there is none
	Verdicts []Finding
}

// Finding is a verdict of a report, or its first sentence.
type Finding struct {
	Of   string // the part of the report
	Text answer.Sentence
}

// Findings returns the verdicts of a report; if it has none, its first sentence.
func (r Report) Findings() (list []Finding) {
	for _, p := range r.Parts {
		if p.Answer == nil {
			continue
		}
		for _, s := range p.Answer.Lead() {
			if s.Kind == answer.Verdict {
				list = append(list, Finding{p.Title, s})
			}
		}
		if lead := p.Answer.Lead(); len(list) == 0 && len(lead) > 0 {
			return []Finding{{"", lead[0]}}
		}
	}
	return list
}

// Document returns the page that leads to all reports.
func (x Index) Document() document.Document {
	counts := map[string]int{}
	for _, r := range x.Reports {
		counts[r.Kind]++
	}
	d := Report{Title: "All reports", Preview: x.Others.Preview}.Document()
	d.Blocks = append(d.Blocks, document.Paragraph{Text: document.T(fmt.Sprintf("Reports on %s, %s of them, and %s with a ledger.",
		format.Counted(counts["scenario"], "scenario"), format.Counted(counts["stability"], "configuration"), format.Counted(counts["lineage"], "lineage")))})
	t := document.Table{Columns: []document.Column{{Title: "report"}, {Title: "of"}, {Title: "part"}, {Title: "finding"}}}
	for _, r := range x.Reports {
		name := document.Text{{Text: r.Name, Style: document.Monospace, Href: r.Page}}
		if r.About != "" {
			name = append(name, document.Span{Text: " " + r.About})
		}
		if r.Problem != "" {
			t.Rows = append(t.Rows, []document.Text{name, document.T(r.Kind), document.T("-"), document.T("no report: " + r.Problem)})
		}
		for _, f := range r.Verdicts {
			t.Rows = append(t.Rows, []document.Text{name, document.T(r.Kind), document.T(format.OrDash(f.Of)), render.SentenceText(f.Text, ShellHint)})
		}
	}
	if len(t.Rows) > 0 {
		d.Blocks = append(d.Blocks, t)
	}
	var pages document.List
	for _, r := range x.Reports {
		if r.Page != "" {
			pages.Items = append(pages.Items, document.Text{{Text: r.Page, Style: document.Monospace, Href: r.Page}})
		}
	}
	x.Others.Title, x.Others.Preview = "", ""
	d.Blocks = append(d.Blocks, x.Others.Document().Blocks...)
	if n := len(pages.Items); n > 0 {
		d.Blocks = append(d.Blocks, document.Heading{Level: 2, Text: "Pages"}, document.Details{Summary: document.T(format.Counted(n, "file") + " beside this one"), Blocks: []document.Block{pages}})
	}
	return d
}

// PartOf puts a link to the index at the top of a report that belongs to it.
func PartOf(index string, d document.Document) document.Document {
	back := document.Text{{Text: "Part of "}, {Text: "all reports", Href: index}, {Text: "."}}
	d.Blocks = slices.Concat([]document.Block{document.Paragraph{Text: back}}, d.Blocks)
	return d
}

// IndexOf returns the address of the index that a report belongs to, given the report as it was written; empty if it
// belongs to none. The link that PartOf puts there is the first line of the text; whatever else looks like it comes
// later.
func IndexOf(report []byte) string {
	for line := range strings.Lines(string(report)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "Part of [all reports]("); ok {
			return strings.TrimSuffix(rest, ").")
		}
		if rest, ok := strings.CutPrefix(line, `<p>Part of <a href="`); ok {
			return strings.TrimSuffix(rest, `">all reports</a>.</p>`)
		}
	}
	return ""
}

// LinkedPages returns the files that an index lists, given the index as it was written. A line that is a link and
// nothing else, from the name of a page to that page, is what no name or note in an index can look like: it has no
// line to itself.
func LinkedPages(index []byte) (names []string) {
	for line := range strings.Lines(string(index)) {
		line = strings.TrimSuffix(line, "\n")
		name := between(line, "- [`", "`](")
		if name == "" {
			name = between(line, `<li><a href="`, `"><code>`)
		}
		if IsPageName(name) && (line == "- [`"+name+"`]("+name+")" || line == `<li><a href="`+name+`"><code>`+name+`</code></a></li>`) {
			names = append(names, name)
		}
	}
	return names
}

// IsPageName reports whether a file may be a page of an index: a name that is written as it is wherever it stands, and
// that leads nowhere else.
func IsPageName(s string) bool {
	return s != "" && s[0] != '.' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_.~-") == ""
}

func between(s, before, after string) string {
	s, ok := strings.CutPrefix(s, before)
	if s, _, found := strings.Cut(s, after); ok && found {
		return s
	}
	return ""
}
