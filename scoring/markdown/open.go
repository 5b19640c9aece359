package markdown

import "strings"

// openBlocks opens the blocks that begin in the rest of the line. It returns the depth that the line reaches, and
// whether the line was read to its end.
func (p *parser) openBlocks(depth int) (reached int, done bool) {
	matched := depth == len(p.stack) // the line continues all that is open: then a paragraph is interrupted by less
	for {
		columns, at := p.line.indent()
		if at == len(p.line.text) {
			return depth, false
		}
		if columns > 3 {
			return depth, p.openIndented(depth)
		}
		inProse := matched && p.inProse()
		switch rest := p.line.text[at:]; {
		case rest[0] == '>':
			depth = p.openContainer(depth, container{kind: quote})
			p.skipQuoteMark()
		case p.openItem(&depth, columns, rest, inProse):
		default:
			return depth, p.openOtherLeaf(depth, columns, rest, inProse)
		}
		matched = true
	}
}

// openOtherLeaf opens the leaf that rest begins, unless it is a paragraph.
func (p *parser) openOtherLeaf(depth, columns int, rest string, inProse bool) bool {
	switch rest[0] {
	case '#':
		return p.addHeading(depth, rest)
	case '`', '~':
		return p.openFence(depth, columns, rest)
	case '<':
		return p.openHTML(depth, rest)
	case '=', '-', '*', '_':
		if level := underline(rest); level > 0 && inProse {
			p.leaf.block.Kind, p.leaf.block.Level, p.leaf.block.Task = Heading, level, false
			p.closeLeaf()
			return true
		}
		if isThematicBreak(rest) {
			p.prepare(depth, false)
			return true
		}
	}
	return false
}

// openIndented opens indented code, which cannot interrupt a paragraph.
func (p *parser) openIndented(depth int) bool {
	if p.inProse() || p.line.isBlank() {
		return false
	}
	p.openLeaf(depth, Block{Kind: Code})
	p.line.skipColumns(4)
	p.addCode()
	return true
}

// addHeading adds a heading with its mark of one to six # before it.
func (p *parser) addHeading(depth int, rest string) bool {
	text := strings.TrimLeft(rest, "#")
	level := len(rest) - len(text)
	if level > 6 || text != "" && strings.IndexByte(white, text[0]) < 0 {
		return false
	}
	text = strings.Trim(text, white)
	if open := strings.TrimRight(text, "#"); open == "" || strings.IndexByte(white, open[len(open)-1]) >= 0 {
		text = strings.TrimRight(open, white)
	}
	p.openLeaf(depth, Block{Kind: Heading, Level: level})
	p.leaf.text.WriteString(text)
	p.closeLeaf()
	return true
}

// underline returns the level of the heading that a line under a paragraph makes of it; 0 for none.
func underline(rest string) int {
	switch rest = strings.TrimRight(rest, white); "" {
	case strings.Trim(rest, "="):
		return 1
	case strings.Trim(rest, "-"):
		return 2
	}
	return 0
}

// isThematicBreak reports whether a line is a rule: three or more of the same mark, and white space.
func isThematicBreak(rest string) bool {
	mark := rest[:1]
	return strings.Contains("-*_", mark) && strings.Trim(rest, mark+white) == "" && strings.Count(rest, mark) >= 3
}
