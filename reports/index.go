package reports

import (
	"fmt"
	"slices"
	"strings"

	"track/answer"
	"track/reports/document"
	"track/scoring/format"
)

// IndexData is what the index of all reports tells: everything in a database, in the order of the names.
type IndexData struct {
	Scenarios []IndexedScenario
	Lineages  []IndexedLineage
	Agents    []answer.AgentReport
	Limit     int      // configurations of a scenario that have a report at most
	Pages     []string // the files of all reports, in the order in which they were made; none if there are none
	File      string   // the name of the index; empty if it has none
	Schema    int      // version of the database's schema
	isPreview bool     // without what would be interim analyses
}

// Index returns the page that leads to all reports.
func Index(d IndexData) document.Document {
	return document.Document{Title: "All reports", Blocks: d.blocks()}
}

func (d IndexData) blocks() []document.Block {
	return slices.Concat(d.summary(), d.scenarios(), d.configurations(), d.lineages(), d.agents(), d.pages(), d.reproduce())
}

// PartOf puts a link to the index at the top of a report that belongs to it.
func PartOf(index string, d document.Document) document.Document {
	back := document.Text{plain("Part of "), {Text: "all reports", Href: index}, plain(".")}
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

// linked returns a name that leads to its report, where there is one.
func linked(name, page string) document.Text {
	return document.Text{{Text: name, Style: document.Monospace, Href: page}}
}

// summary counts what there is.
func (d IndexData) summary() []document.Block {
	verdicts := map[string]int{}
	for _, s := range d.Scenarios {
		switch {
		case s.Problem != "":
			verdicts["without a report"]++
		case d.isPreview:
		default:
			verdicts[string(s.Gate)]++
		}
	}
	replayed, differing := 0, 0
	for _, l := range d.Lineages {
		switch {
		case l.Problem != "":
		case l.NDifferences > 0:
			differing++
		default:
			replayed++
		}
	}
	executions := 0
	for _, a := range d.Agents {
		executions += a.NExecutions
	}
	lineages := cell("%s with a ledger", format.Counted(len(d.Lineages), "lineage"))
	if len(d.Lineages) > 0 {
		lineages = append(lineages, plain(": %d replayed without a difference, %d with differences", replayed, differing))
	}
	return []document.Block{document.List{Items: []document.Text{
		cell("%s%s", format.Counted(len(d.Scenarios), "scenario"), kindsText(verdicts)), lineages,
		cell("%s without a ledger, with %s", format.Counted(len(d.Agents), "agent"), format.Counted(executions, "execution")),
	}}}
}

func kindsText(counts map[string]int) string {
	var words []string
	for _, kind := range []string{"PASS", "WARN", "FAIL", "INCONCLUSIVE", "without a report"} {
		if n := counts[kind]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// pages lists the files, each on a line of its own, which is how [LinkedPages] finds them again.
func (d IndexData) pages() []document.Block {
	if len(d.Pages) == 0 {
		return nil
	}
	var list document.List
	for _, name := range d.Pages {
		list.Items = append(list.Items, linked(name, name))
	}
	return []document.Block{heading("Pages"), document.Details{Summary: cell("%s beside this one", format.Counted(len(d.Pages), "file")), Blocks: []document.Block{list}}}
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
		if !IsPageName(name) {
			continue
		}
		if line == "- [`"+name+"`]("+name+")" || line == `<li><a href="`+name+`"><code>`+name+`</code></a></li>` {
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

func (d IndexData) reproduce() []document.Block {
	limit, file := fmt.Sprintf(" --limit %d", d.Limit), "index.md"
	if d.File != "" {
		file = shellWord(d.File)
	}
	return []document.Block{
		heading("How to reproduce"),
		document.Code{Language: "sh", Text: "track report index" + limit + " -o " + file + "\ntrack report index" + limit + " --check " + file + "\n"},
		paragraph(plain("Schema version %d. Each report has the commands that reproduce it.", d.Schema)),
	}
}
