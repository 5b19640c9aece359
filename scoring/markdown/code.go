package markdown

import "strings"

// continueLeaf reads a line that may belong to open code or HTML, and reports whether it does.
func (p *parser) continueLeaf() bool {
	switch {
	case p.leaf.block.Kind == rawHTML:
		return p.continueHTML()
	case p.leaf.block.Fenced:
		p.continueFenced()
		return true
	}
	return p.continueIndented()
}

func (p *parser) continueIndented() bool {
	columns, _ := p.line.indent()
	blank := p.line.isBlank()
	if columns < 4 && !blank {
		return false
	}
	p.line.skipColumns(4)
	if blank {
		p.leaf.blanks += p.line.remainder() + "\n"
		return true
	}
	p.leaf.text.WriteString(p.leaf.blanks)
	p.leaf.blanks = ""
	p.addCode()
	return true
}

func (p *parser) continueFenced() {
	columns, _ := p.line.indent()
	rest := strings.TrimRight(p.line.rest(), white)
	if columns < 4 && len(rest) >= len(p.leaf.fence) && strings.Trim(rest, p.leaf.fence[:1]) == "" {
		p.leaf.block.Open = false
		p.closeLeaf()
		return
	}
	if p.leaf.text.Len() == 0 {
		p.leaf.block.Line = p.number
	}
	p.line.skipColumns(p.leaf.indent)
	p.addCode()
}

// addCode adds what is left of the line. Code always ends with the end of a line.
func (p *parser) addCode() {
	if p.line.end == "" {
		p.line.end = "\n"
	}
	p.addText(p.line.remainder())
}

// openFence opens code if the line begins with a fence.
func (p *parser) openFence(depth, indent int, rest string) bool {
	info := strings.TrimLeft(rest, rest[:1])
	length := len(rest) - len(info)
	if length < 3 || rest[0] == '`' && strings.Contains(info, "`") {
		return false
	}
	language, _, _ := strings.Cut(strings.Trim(info, white), " ")
	p.openLeaf(depth, Block{Kind: Code, Fenced: true, Open: true, Language: language})
	p.leaf.fence, p.leaf.indent = rest[:length], indent
	return true
}
