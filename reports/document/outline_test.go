package document_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strings"

	"track/reports/document"
	"track/reports/escape"
)

// An outline has a line for each thing that a reader sees: a heading, an item, a cell, a block of code, with styles
// written as S(…).

// styles are how an outline writes them, and the elements for them.
var (
	styleLetters  = map[document.Style]string{document.Strong: "S", document.Monospace: "C", document.Faint: "F"}
	styleElements = map[string]string{"strong": "S", "b": "S", "code": "C", "sub": "F", "span faint": "F", "a": "A"}
)

// expected is the outline of blocks: in Markdown, within a note or not, or in HTML.
func expected(blocks []document.Block, markdown, noted bool) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, b := range blocks {
		switch b := b.(type) {
		case document.Heading:
			add("h%d: %s", b.Level, squeeze(escape.Line(b.Text)))
		case document.Paragraph:
			if text := shown(b.Text); text != "" {
				add("p: %s", text)
			}
		case document.List:
			for _, item := range b.Items {
				add("li %v: %s", b.Ordered, shown(item))
			}
		case document.Table:
			for _, c := range b.Columns {
				add("th %v: %s", c.Numeric, squeeze(escape.Line(c.Title)))
			}
			for _, row := range b.Rows {
				for i, cell := range row {
					add("td %v: %s", b.Columns[i].Numeric, shown(cell))
				}
			}
		case document.Code:
			add("pre: %q", strings.TrimSuffix(escape.Code(b.Text), "\n"))
		case document.Picture:
			if markdown {
				add("img: %s %s", squeeze(escape.Line(b.Alt)), "report%20files/"+b.Name+".svg")
			} else {
				add("figure: %s", squeeze(escape.Line(b.Alt)))
				add("svg")
			}
		case document.Details:
			add("summary: %s", shown(b.Summary))
			list = append(append(list, expected(b.Blocks, markdown, noted)...), "end of details")
		case document.Note:
			within := expected(b.Blocks, markdown, true)
			switch title := string(b.Kind[:1]) + strings.ToLower(string(b.Kind[1:])); {
			case len(within) == 0 && (markdown || len(b.Blocks) == 0) && !(markdown && noted):
				continue
			case !markdown:
				add("p: %s", title)
			case noted:
				add("p: S(%s)", title)
			default:
				add("p: [!%s]", b.Kind)
			}
			list = append(append(list, within...), "end of note")
		}
	}
	return list
}

// shown is a text in an outline. Neighbours of one style are one.
func shown(t document.Text) string {
	var b strings.Builder
	before, end := document.Span{Style: -1}, ""
	for _, s := range t {
		if s.Text == "" {
			continue
		}
		if s.Style != before.Style || s.Href != before.Href {
			b.WriteString(end)
			end = ""
			if s.Href != "" {
				b.WriteString("A(")
				end = ")"
			}
			if letter := styleLetters[s.Style]; letter != "" {
				b.WriteString(letter + "(")
				end += ")"
			}
		}
		b.WriteString(escape.Line(s.Text))
		before = s
	}
	return squeeze(b.String() + end)
}

// reader reads the outline of a well-formed page.
type reader struct {
	failer
	*xml.Decoder
	source string
	list   []string
	nested []string
	inline strings.Builder
	ids    map[string]bool
}

// elements are all that there may be in a page, with their attributes.
var elements = map[string]string{
	"html": "lang", "head": "", "meta": "charset name content http-equiv", "link": "rel href", "title": "", "style": "", "body": "", "main": "", "nav": "aria-label",
	"h1": "id", "h2": "id", "h3": "id", "h4": "id", "h5": "id", "h6": "id", "p": "class", "ul": "", "ol": "start", "li": "", "a": "href", "strong": "", "b": "", "code": "class", "sub": "", "span": "class",
	"div": "class tabindex role", "table": "", "thead": "", "tbody": "", "tr": "", "th": "scope class align", "td": "class align", "pre": "tabindex", "img": "src alt",
	"figure": "class tabindex aria-label", "details": "", "summary": "", "blockquote": "",
}

// outline reads a page: HTML of ours, or what became of Markdown. It fails for what is not well formed, unknown
// elements and attributes, and links that lead to other hosts.
func outline(t failer, source string) []string {
	t.Helper()
	r := reader{failer: t, source: source, Decoder: xml.NewDecoder(strings.NewReader(source)), ids: map[string]bool{}}
	for {
		token, err := r.Token()
		if err == io.EOF {
			return r.list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, source)
		}
		switch token := token.(type) {
		case xml.StartElement:
			r.start(token)
		case xml.EndElement:
			r.end()
		case xml.CharData:
			r.inline.Write(token)
		case xml.Comment:
			t.Fatalf("a comment: %s", token)
		}
	}
}

func (r *reader) start(e xml.StartElement) {
	r.Helper()
	name, attributes := e.Name.Local, map[string]string{}
	for _, a := range e.Attr {
		attributes[a.Name.Local] = a.Value
	}
	switch name {
	case "svg":
		r.skip()
		return
	case "head", "nav":
		if err := r.Skip(); err != nil {
			r.Fatalf("%v", err)
		}
		return
	}
	allowed, known := elements[name]
	for a := range attributes {
		if !known || !strings.Contains(" "+allowed+" ", " "+a+" ") {
			r.Fatalf("element %s with %v", name, attributes)
		}
	}
	if id := attributes["id"]; id != "" {
		if r.ids[id] {
			r.Fatalf("two elements have the id %q", id)
		}
		r.ids[id] = true
	}
	if href, ok := attributes["href"]; ok {
		if u, err := url.Parse(href); err != nil || u.IsAbs() || u.Host != "" || strings.HasPrefix(href, "/") {
			r.Fatalf("a link to %q in %s", href, r.source)
		}
	}
	class := strings.TrimSpace(name + " " + attributes["class"])
	if letter := styleElements[class]; letter != "" && (len(r.nested) == 0 || r.nested[len(r.nested)-1] != "pre") {
		r.inline.WriteString(letter + "(")
		r.nested = append(r.nested, "style")
		return
	}
	numeric := attributes["class"] == "n" || attributes["align"] == "right"
	switch name {
	case "img":
		r.list = append(r.list, "img: "+squeeze(attributes["alt"])+" "+attributes["src"])
	case "figure":
		r.list = append(r.list, trimmed("figure: "+squeeze(attributes["aria-label"])))
	case "p", "li", "details", "blockquote", "div":
		r.flush("")
	case "th", "td":
		name += fmt.Sprintf(" %v", numeric)
	}
	switch name {
	case "code", "span":
	default:
		r.inline.Reset()
	}
	if strings.HasPrefix(class, "div note") {
		name = class
	}
	r.nested = append(r.nested, name)
}

// flush ends the text of a block that another one is in.
func (r *reader) flush(what string) {
	if text := squeeze(strings.ReplaceAll(r.inline.String(), "\n", " ")); text != "" || what != "" {
		r.list = append(r.list, trimmed(what+": "+text))
	}
	r.inline.Reset()
}

func (r *reader) end() {
	r.Helper()
	name := r.nested[len(r.nested)-1]
	r.nested = r.nested[:len(r.nested)-1]
	switch kind, _, _ := strings.Cut(name, " "); kind {
	case "style":
		r.inline.WriteString(")")
	case "h1", "h2", "h3", "h4", "h5", "h6", "summary", "th", "td":
		r.flush(name)
	case "p":
		if squeeze(r.inline.String()) != "" { // there was more than a picture
			r.flush(name)
		}
	case "li":
		r.flush(fmt.Sprintf("li %v", r.nested[len(r.nested)-1] == "ol"))
	case "pre":
		r.list = append(r.list, fmt.Sprintf("pre: %q", strings.TrimSuffix(r.inline.String(), "\n")))
		r.inline.Reset()
	case "details":
		r.list = append(r.list, "end of details")
	case "blockquote":
		r.list = append(r.list, "end of note")
	case "div":
		if strings.HasPrefix(name, "div note") {
			r.list = append(r.list, "end of note")
		}
	}
}

// skip notes a drawing, which has no ids and refers to nothing, so that several may stand in a page.
func (r *reader) skip() {
	r.Helper()
	r.list = append(r.list, "svg")
	for depth := 1; depth > 0; {
		token, err := r.Token()
		if err != nil {
			r.Fatalf("%v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			for _, a := range token.Attr {
				if strings.Contains(" id href clip-path mask filter style onload ", " "+a.Name.Local+" ") || strings.Contains(a.Value, "url(") {
					r.Fatalf("%s=%q in a drawing", a.Name.Local, a.Value)
				}
			}
			if strings.Contains(" script foreignObject image use a ", " "+token.Name.Local+" ") {
				r.Fatalf("element %s in a drawing", token.Name.Local)
			}
		case xml.EndElement:
			depth--
		}
	}
}

// squeeze is what is to be seen of a text: lines without the spaces that browsers leave out, and without what has no
// width.
func squeeze(s string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\u200b", ""), "\n") {
		lines = append(lines, strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' }), " "))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
