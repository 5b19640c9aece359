package markdown

import "strings"

type containerKind int

const (
	quote containerKind = iota
	list
	item
)

// container is an open block that holds blocks. A list holds items alone.
type container struct {
	kind   containerKind
	marker byte // of a list: - + * . or )
	width  int  // of an item: columns by which its content is indented
	empty  bool // of an item: it holds nothing yet
}

// leaf is the open block that takes lines of text.
type leaf struct {
	open   bool
	block  Block
	text   strings.Builder
	blanks string                 // of indented code: blank lines that belong to it if code follows
	fence  string                 // of fenced code: the fence that opened it
	indent int                    // of fenced code: columns before the fence
	end    func(line string) bool // of HTML: whether a line ends it; nil for HTML that a blank line ends
}

// parser reads line after line into a document.
type parser struct {
	doc    Document
	stack  []container
	leaf   leaf
	line   line
	number int  // of the line
	top    int  // blocks at the top level so far
	begins bool // an item began, and no leaf after it
}

// readLine takes the blocks that the line continues, then the blocks that it opens; what is left is text.
func (p *parser) readLine() {
	depth := 0
	for depth < len(p.stack) && p.continues(&p.stack[depth]) {
		depth++
	}
	whole := depth == len(p.stack)
	if whole && p.leaf.open && p.leaf.block.Kind != Prose && p.continueLeaf() {
		return
	}
	depth, done := p.openBlocks(depth)
	if done {
		return
	}
	switch blank := p.line.isBlank(); {
	case p.inProse() && !blank: // also a line that leaves out the marks of the blocks around the paragraph
		p.addText(strings.TrimLeft(p.line.remainder(), white))
	case blank:
		p.closeTo(depth)
	default:
		p.openLeaf(depth, Block{Kind: Prose, Task: p.begins && strings.HasPrefix(p.line.rest(), "[ ] ")})
		p.addText(strings.TrimLeft(p.line.remainder(), white))
	}
}

func (p *parser) inProse() bool { return p.leaf.open && p.leaf.block.Kind == Prose }

// continues reads what a line must begin with to belong to a container, and reports whether it does.
func (p *parser) continues(c *container) bool {
	columns, at := p.line.indent()
	switch c.kind {
	case list:
		return true // until something else than an item follows
	case quote:
		if columns > 3 || at == len(p.line.text) || p.line.text[at] != '>' {
			return false
		}
		p.skipQuoteMark()
		return true
	}
	if p.line.isBlank() {
		p.line.skipIndent()
		return !c.empty
	}
	if columns < c.width {
		return false
	}
	p.line.skipColumns(c.width)
	return true
}

func (p *parser) skipQuoteMark() {
	p.line.skipIndent()
	p.line.skipBytes(1)
	p.line.skipColumns(1)
}

// closeTo closes the leaf, and the containers below depth.
func (p *parser) closeTo(depth int) {
	p.closeLeaf()
	p.stack = p.stack[:depth]
}

// prepare closes what a new block ends: the leaf, the containers below depth, and a list that does not continue.
func (p *parser) prepare(depth int, isItem bool) int {
	p.closeTo(depth)
	if depth > 0 && p.stack[depth-1].kind == list && !isItem {
		depth--
		p.stack = p.stack[:depth]
	}
	if depth == 0 {
		p.top++
	} else {
		p.stack[depth-1].empty = false
	}
	return depth
}

// openContainer opens a container at depth, and returns the depth below it.
func (p *parser) openContainer(depth int, c container) int {
	depth = p.prepare(depth, c.kind == item)
	p.stack = append(p.stack, c)
	return depth + 1
}

// openLeaf opens a leaf at depth. Only leaves that have text of their own line are open after it.
func (p *parser) openLeaf(depth int, b Block) {
	p.prepare(depth, false)
	b.Line, b.Top = p.number, p.top
	p.leaf = leaf{open: true, block: b}
	p.begins = false
}

func (p *parser) addText(text string) {
	p.leaf.text.WriteString(text)
	p.leaf.text.WriteString(p.line.end)
}

// closeLeaf adds the open leaf to the document.
func (p *parser) closeLeaf() {
	if !p.leaf.open {
		return
	}
	b := p.leaf.block
	if b.Text = p.leaf.text.String(); b.Kind == Prose || b.Kind == Heading {
		b.Text = strings.TrimRight(b.Text, white+"\n")
	}
	p.doc.Blocks = append(p.doc.Blocks, b)
	p.leaf = leaf{}
}
