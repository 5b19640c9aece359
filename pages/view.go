package pages

import (
	"fmt"
	"hash/fnv"
	"html/template"
	"strconv"

	"track/answer/param"
)

// view is what the templates show.
type view struct {
	Base, Title string
	Path        string // of the page, without its base
	Who         string
	Assets      assetAddresses
	Places      []link        // the main pages
	Trail       []link        // what the page is a part of
	Heading     string        // a name, not a sentence
	Subtitle    string        // the rest of what the heading of an answer says
	About       []about       // what is too long for both, folded
	Verdict     template.HTML // of a report, above the lead
	Lead        []sentence    // verdict first
	Facts       []fact
	Tabs        []link
	Terms       []term // that the page explains
	Sections    []section
	Form        *form
	Command     string // that gives the same answer
	Gives       string // what Command gives, if not the same answer
	Downloads   []link
	Charts      bool // that a script draws
	Live        bool
	Shows       string // names of scenarios and lineages, as JSON; events about others do not matter
	Again       bool   // it shows processes, whose end no event tells
	Error       bool
}

// link leads to another page.
type link struct {
	Text, Href string
	Here       bool // it leads to this page
}

// sentence is a line of the lead.
type sentence struct {
	Class   string // what it is for, see [answer.SentenceKind]
	Verdict string
	Status  string // class of Verdict; empty if Verdict is one
	Text    string
	Href    string // where Text leads; empty for nowhere
	Command string // for the shell
}

// fact is a number with what it rests on.
type fact struct{ Name, Value, Interval, Basis string }

// about is a name with a value that may be long, such as parameters in JSON.
type about struct {
	Name, Value string
	Time        string // RFC 3339, if the value is a time
	Href        string // where the value leads; empty for nowhere
}

// section is a part of a page that an address can name.
type section struct {
	ID, Title string
	Table     *table
	HTML      template.HTML // of a report, which escapes what it holds
	Sentences []sentence
	Commands  []string
	Diff      []diffLine
	Folded    bool   // it opens at a click
	Link      link   // to a page about this
	Code      string // a text as it is
	Later     *later // where the section is; nil if it is here
}

// Sum changes with what the section shows; it is empty for a table, of which a script compares the rows.
func (s section) Sum() string {
	if s.Table != nil {
		return ""
	}
	sum := fnv.New64a()
	_, _ = fmt.Fprint(sum, s.Title, s.HTML, s.Sentences, s.Commands, s.Diff, s.Link, s.Code) // it returns no error
	return strconv.FormatUint(sum.Sum64(), 36)
}

// table is a table with the addresses that sort and filter it.
type table struct {
	Name, Caption string
	Heads         []head
	Groups        []group
	Filter        filter
	Columns       []choice // all that there are
	N, NShown     int      // rows
	Open          bool     // there are more than N
	Small         bool     // a filter would be in the way
	Where         []link   // values that rows must have; each leads to the page without it
	Long          bool     // it scrolls for itself, below its head
	Compact       bool
	GroupBy       []link // what groups the rows; none if nothing can
	Density       string // address of the other density
	From          int    // first row, from 1
	First, More   string // addresses of the first page and of the next; empty for none
	Empty         string
	Compare       *comparison // of ticked rows; nil if there are no two that can be compared
}

// comparison is a page that compares rows, with the parameter that names each.
type comparison struct{ Action, Name string }

type head struct {
	Text, Name string
	Sort       string // address that sorts by this column
	Sorted     string // ascending or descending; empty if it is not
	Numeric    bool
	Term       *term // that explains the column; nil for none
}

type group struct {
	Title string
	Rows  []row
}

type row struct {
	Href  string // where Enter leads
	Key   string // what compares it: a configuration
	Cells []cell
}

type cell struct {
	Text, Href string
	Only       string // address of the rows with this value
	Status     string // class of a verdict or a status
	Numeric    bool
	Time       string // RFC 3339
	Bar        *bar
	Picture    template.HTML // beside the text
	Marked     []piece       // a text of which parts are marked
	Full       string        // what the text shortens
	Long       bool          // the text may take several lines
}

type piece struct {
	Text string
	Mark bool
}

// bar draws a score.
type bar struct{ Width float64 }

// filter is the text that rows must have.
type filter struct {
	Name, Value string
	Keep        []field // the rest of the address
}

type field struct{ Name, Value string }

type choice struct {
	Name, Text string
	Shown      bool
	Href       string
}

// form asks for the parameters of a question.
type form struct {
	Action string
	Open   bool // something must be given
	Fields []input
}

type input struct {
	Name, Label, Help, Value, Kind string
	Options                        []string
	Required, Checked              bool
}

// inputOf returns the field for a parameter.
func inputOf(p param.Param, values []string) input {
	i := input{Name: p.Name, Label: p.Name, Help: p.Help, Kind: p.Value.Type(), Options: p.Enum, Required: p.Required}
	if len(values) > 0 {
		i.Value = values[0]
	} else {
		i.Value = p.Value.String()
	}
	i.Checked = i.Kind == "boolean" && i.Value == "true"
	return i
}
