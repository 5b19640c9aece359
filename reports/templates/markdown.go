package templates

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"regexp"
	"track/reports/document"
	"track/reports/escape"
)

// place knows of the Markdown written so far what decides how the next value is escaped.
type place struct {
	line    []byte // the current one, so far
	fenced  bool   // a block of code is open
	html    bool   // the paragraph has a line that begins with a tag, behind which backslashes mean nothing
	tag     bool   // the last < of the paragraph has no > behind it
	address []byte // the end of the paragraph
}

var (
	fence      = regexp.MustCompile("^ {0,3}(```|~~~)")
	startsHTML = regexp.MustCompile(`^[\s>*+\-.)0-9]*<`)
	startsLine = regexp.MustCompile(`^[\s>*+\-.)0-9|:]*$`)                                 // nothing but marks of lists, quotations and tables
	inAddress  = regexp.MustCompile(`(?i)(\]\(|\]:|(href|src)\s*=)\s*[<"']?[^\s()<>"']*$`) // of a link or a picture
)

var (
	errFence     = errors.New(`a value stands in a block of code: {{fence "sh" VALUE}} writes the block`)
	errBackticks = errors.New("a value stands behind a single backtick: {{code VALUE}} writes both")
)

// follow takes in what is written.
func (p *place) follow(text []byte) {
	for line := range bytes.Lines(text) {
		p.line = append(p.line, line...)
		if at := bytes.LastIndexAny(line, "<>"); at >= 0 {
			p.tag = line[at] == '<'
		}
		p.html = p.html || startsHTML.Match(p.line)
		p.address = append(p.address, line...)
		const most = 4096
		p.address = p.address[max(0, len(p.address)-most):]
		if !bytes.HasSuffix(line, []byte("\n")) {
			return
		}
		if fence.Match(p.line) {
			p.fenced = !p.fenced
		}
		if len(bytes.TrimSpace(p.line)) == 0 { // no inline markup goes on after an empty line
			p.html, p.tag, p.address = false, false, nil
		}
		p.line = p.line[:0]
	}
}

// escape returns a value as text that stays text in this place. Nothing can be escaped in spans and blocks of code, so
// a value there is an error.
func (p *place) escape(s string) (string, error) {
	s = escape.Line(s)
	behind := func(mark string) bool { return bytes.HasSuffix(p.line, []byte(mark)) }
	switch {
	case p.fenced:
		return "", errFence
	case bytes.Count(p.line, []byte("`"))%2 == 1:
		return "", errBackticks
	case inAddress.Match(p.address):
		return document.Reference(s), nil
	case behind("<"):
		return references(s, ""), nil
	case p.tag:
		return references(s, alphanumeric), nil
	case p.html:
		return references(s, alphanumeric+" "), nil
	}
	text := strings.ReplaceAll(escape.Markdown(s), "\\`", references("`", ""))
	switch {
	case strings.TrimSpace(s) == "" && behind("`"): // or backticks on both sides would become one mark
		return escape.Apart, nil
	case behind(`\`): // which would escape the first character
		return escape.Apart + text, nil
	case startsLine.Match(p.line):
		if text = escape.Start(text); strings.HasPrefix(text, ":") {
			text = `\` + text
		}
	}
	return text, nil
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// references writes the characters of a line as references such as &#42;, but for those in bare and letters beyond
// ASCII.
func references(s, bare string) string {
	var b strings.Builder
	for _, r := range escape.Line(s) {
		if bare != "" && (r >= 0x80 || strings.ContainsRune(bare, r)) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
