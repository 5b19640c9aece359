package templates

import (
	"fmt"
	"strings"

	"track/reports/document"
	"track/reports/escape"
)

// place follows Markdown as it is written, and knows where the next value would stand. Values are escaped everywhere but between backticks
// and within a block of code whose fence begins in the first column, which cannot be mistaken for anything else. Where place errs otherwise,
// a value looks odd, but it is text.
type place struct {
	skip int // bytes to come that are whole by themselves
	line int // of the result

	start  []byte // of the line, without spaces before it; a few bytes
	indent int    // spaces before it
	lead   bool   // the line has nothing yet but spaces and marks of lists and quotations
	blank  bool
	last   byte

	run     byte // ` or ~ that is being repeated
	length  int
	leading bool // the run begins the line

	fence          byte // of the block of code; 0 outside
	fenceLength    int
	opening        bool // the line opens it
	closing        bool // the line closes it, if nothing follows
	unclear        bool // a fence stood where a block may end without one, so that no later one is sure
	html           bool // the line before, or this one, began with a tag: Markdown may not be read up to an empty line
	code           int  // length of the backticks that opened a span; 0 outside
	filled         bool // a value stands in that span
	escaped        bool
	tag            bool // within <…>
	address        bool // within ](…), or after ]:
	addressStarted bool
}

func newPlace() *place { return &place{line: 1, lead: true, blank: true} }

// Write follows what is written. It is an error where a value turns out to stand between backticks that do not end.
func (p *place) Write(text []byte) (int, error) {
	if n := min(p.skip, len(text)); n > 0 {
		p.skip -= n
		p.line += strings.Count(string(text[:n]), "\n")
		p.lead, p.blank, p.run, p.last = false, false, 0, text[n-1]
		text = text[n:]
	}
	for _, c := range text {
		if err := p.next(c); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

func (p *place) next(c byte) error {
	if p.run != 0 && c == p.run {
		p.length++
		return nil
	}
	p.endRun()
	if c == '\n' {
		return p.endLine()
	}
	space := c == ' ' || c == '\t' || c == '\r'
	switch {
	case p.blank && c == ' ':
		p.indent++
	case p.blank && c == '\t':
		p.indent += 4
	case !space:
		p.blank = false
	}
	if !p.blank && len(p.start) < len("<textarea") {
		p.start = append(p.start, c|0x20)
	}
	switch {
	case c == '`' && !p.escaped && !p.tag, c == '~' && p.lead:
		p.run, p.length, p.leading = c, 1, p.lead
		if p.opening && c == p.fence { // what follows a fence of backticks has none
			p.fence, p.opening, p.unclear = 0, false, true
		}
		return nil
	case p.closing && !space:
		p.closing = false
	}
	if p.fence == 0 {
		if c == '|' && p.code > 0 && p.last != '\\' {
			if err := p.endSpan(); err != nil {
				return err
			}
		}
		p.inline(c)
	}
	p.lead = p.lead && strings.IndexByte(" \t>-*+.)0123456789", c) >= 0
	p.last = c
	return nil
}

// inline follows the marks within a line of text.
func (p *place) inline(c byte) {
	if p.lead && c == '<' {
		p.html = true
	}
	switch {
	case p.code > 0:
	case p.escaped:
		p.escaped = false
	case c == '\\':
		p.escaped = true
	case p.tag && c == '>':
		p.tag = false
	case c == '<':
		p.tag = true
	case p.tag && p.last == '<' && !markOfTag(c):
		p.tag = false
	case (c == '(' || c == ':') && p.last == ']':
		p.address, p.addressStarted = true, false
	case p.address && (c == ')' || c == ' ' && p.addressStarted):
		p.address = false
	case p.address && c != ' ':
		p.addressStarted = true
	}
}

// markOfTag says that < and c may begin a tag.
func markOfTag(c byte) bool {
	return c == '/' || c == '!' || c == '?' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// endRun decides what backticks or tildes were.
func (p *place) endRun() {
	if p.run == 0 {
		return
	}
	run, length, first := p.run, p.length, p.leading && len(p.start) == 1
	p.run, p.last, p.lead = 0, run, false
	switch {
	case p.fence != 0:
		p.closing = first && p.indent < 4 && run == p.fence && length >= p.fenceLength
	case p.leading && length >= 3 && (!first || p.indent > 0 || p.html || p.unclear):
		p.unclear = true
	case p.leading && length >= 3:
		p.fence, p.fenceLength, p.opening = run, length, true
	case run != '`':
	case p.code == 0:
		p.code, p.filled = length, false
	case p.code == length:
		p.code = 0
	}
}

// endSpan ends a span of code that has no end.
func (p *place) endSpan() error {
	open := p.code > 0 && p.filled
	p.code, p.filled = 0, false
	if !open {
		return nil
	}
	return fmt.Errorf("line %d of the result: a value stands behind a backtick that no other one follows on that line: {{code …}} writes both", p.line)
}

func (p *place) endLine() error {
	if p.closing {
		p.fence = 0
	}
	if p.blank && p.fence == 0 {
		p.tag, p.html = false, false
	}
	for _, tag := range []string{"<pre", "<script", "<style", "<textarea", "<!", "<?"} {
		if p.fence == 0 && strings.HasPrefix(string(p.start), tag) { // an empty line does not end it
			p.unclear = true
		}
	}
	err := p.endSpan()
	p.line++
	p.start, p.indent, p.lead, p.blank, p.last = p.start[:0], 0, true, true, '\n'
	p.opening, p.closing, p.escaped, p.address = false, false, false, false
	return err
}

// escape makes text of s where it would stand.
func (p *place) escape(s string) string {
	lead, ticks := p.lead, p.run != 0
	p.endRun()
	switch {
	case s == "" && p.code > 0 && p.fence == 0:
		return " " // or the backticks would be others
	case s == "":
		return ""
	}
	switch {
	case p.fence != 0 && !p.opening:
		s = escape.Line(s)
		if lead && strings.HasPrefix(strings.TrimLeft(s, " "), string(p.fence)) {
			return "    " + s // or it would end the block
		}
		return s
	case p.tag || p.html || p.opening:
		return entities(s, p.tag, p.tag && p.last == '<')
	case p.code > 0: // where nothing can be escaped
		p.filled = true
		return strings.NewReplacer("`", "ˋ", "|", "∣").Replace(escape.Line(s))
	case p.address:
		return document.Reference(s)
	}
	s = escape.Markdown(s)
	if p.escaped { // a backslash of the template would be taken for the first character's
		return "&#8203;" + s
	}
	if lead && !ticks {
		if s = escape.Start(s); strings.HasPrefix(s, ":") {
			s = `\` + s
		}
	}
	return s
}

// entities writes a text so that it is one in an attribute as well as outside of it: nothing but letters, digits and spaces stays; where they
// are set, not even spaces, or nothing at all.
func entities(s string, spaces, all bool) string {
	var b strings.Builder
	for _, r := range escape.Line(s) {
		plain := r >= 0x80 || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r == ' ' && !spaces
		if plain && !all {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
