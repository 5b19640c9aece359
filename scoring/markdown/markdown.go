// Package markdown reads the block structure of CommonMark: headings, prose, code, HTML and lists. It follows the
// parsing strategy in the appendix of the specification
// (https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy). Inline structure and link reference definitions
// are not parsed: no score depends on them.
//
// A library for Markdown builds tables of entities and patterns in every process that links it. This package has none.
package markdown

import "strings"

// Kind is the kind of a block.
type Kind int

const (
	Prose Kind = iota
	Heading
	Code
	rawHTML
)

// Block is a leaf of the tree of blocks.
type Block struct {
	Kind     Kind
	Text     string // as written, without the marks and the indentation of its kind and of the blocks around it
	Line     int    // number of its first line, from 1; of code, the first line of the code
	Top      int    // number of the block at the top level that it belongs to
	Level    int    // of a heading
	Fenced   bool   // code between fences
	Open     bool   // fenced, and never closed
	Language string // language that the fence names
	Task     bool   // item of a task list that is not checked
}

// Document is a text as its blocks.
type Document struct {
	Blocks   []Block
	Lists    int
	ListLine int // of the first list
}

// Parse reads the blocks of a text. Lines end with \n or \r\n. The time grows with the number of lines times the depth
// of nesting.
func Parse(source string) Document {
	p := parser{}
	for raw := range strings.Lines(source) {
		p.number++
		p.line = newLine(raw)
		p.readLine()
	}
	p.closeLeaf()
	return p.doc
}
