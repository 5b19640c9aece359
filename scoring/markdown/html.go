package markdown

import (
	"slices"
	"strings"

	"track/internal/lazyregexp"
)

// openHTML opens a block of HTML if rest begins one.
func (p *parser) openHTML(depth int, rest string) bool {
	end, ok := htmlEnd(rest)
	if !ok && (p.inProse() || !singleTag().MatchString(rest)) {
		return false
	}
	p.openLeaf(depth, Block{Kind: rawHTML})
	p.leaf.end = end
	p.continueHTML()
	return true
}

func (p *parser) continueHTML() bool {
	if p.leaf.end == nil && p.line.isBlank() {
		return false
	}
	p.addText(p.line.remainder())
	if p.leaf.end != nil && p.leaf.end(p.line.text) {
		p.closeLeaf()
	}
	return true
}

// htmlEnd reports whether rest begins HTML that may interrupt a paragraph, and what ends it; nil for a blank line.
func htmlEnd(rest string) (end func(string) bool, ok bool) {
	contains := func(mark string) func(string) bool {
		return func(line string) bool { return strings.Contains(line, mark) }
	}
	switch {
	case rawTag().MatchString(rest):
		return rawEnd().MatchString, true
	case strings.HasPrefix(rest, "<!--"):
		return contains("-->"), true
	case strings.HasPrefix(rest, "<?"):
		return contains("?>"), true
	case strings.HasPrefix(rest, "<![CDATA["):
		return contains("]]>"), true
	case declaration().MatchString(rest):
		return contains(">"), true
	}
	tag := blockTag().FindStringSubmatch(rest)
	return nil, tag != nil && slices.Contains(blockTags(), strings.ToLower(tag[1]))
}

// The beginnings of HTML as the specification has them.
var (
	rawTag      = lazyregexp.New(`(?i)^<(?:script|pre|style|textarea)(?:\s|>|$)`)
	rawEnd      = lazyregexp.New(`(?i)</(?:script|pre|style|textarea)>`)
	declaration = lazyregexp.New(`^<![A-Za-z]`)
	blockTag    = lazyregexp.New(`^</?([A-Za-z][A-Za-z0-9]*)(?:\s|/?>|$)`)
	singleTag   = lazyregexp.New(`^(?:<[A-Za-z][A-Za-z0-9-]*` +
		`(?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*` +
		`\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$`)
)

func blockTags() []string {
	return []string{
		"address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd",
		"details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
		"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
		"main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
		"summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
	}
}
