package rubric

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockKind is the kind of a block.
type blockKind int

const (
	proseBlock blockKind = iota
	headingBlock
	codeBlock
	htmlBlock
)

// markdownBlock is a block of Markdown that holds text.
type markdownBlock struct {
	Kind     blockKind
	Text     string // as written, without the marks and the indentation of its kind and of the blocks around it
	Line     int    // number of its first line, from 1; of code, the first line of the code
	Top      int    // number of the block at the top level that it belongs to
	Level    int    // of a heading
	Fenced   bool   // code between fences
	Open     bool   // fenced, and never closed
	Language string // language that the fence names
	Task     bool   // item of a task list that is not checked
}

// markdownParser reads blocks only: no score depends on inline structure or on link reference definitions.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallowListParser{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(fenceParser{parser.NewFencedCodeBlockParser()}, 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
})

// fenceParser marks the fenced blocks that a closing fence ends. The tree alone does not tell them from blocks that
// end with the text or with the block around them.
type fenceParser struct{ parser.BlockParser }

const closedByFence = "closed by fence"

func (p fenceParser) Continue(n ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := p.BlockParser.Continue(n, reader, pc)
	if state == parser.Close {
		n.SetAttributeString(closedByFence, true)
	}
	return state
}

// shallowListParser opens no list below [maxNesting] items. The time of a line grows with its depth, and indentation nests items
// deeper than the beginning of any line shows.
type shallowListParser struct{ parser.BlockParser }

func (p shallowListParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= 2*maxNesting { // a list and its item are two blocks
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// markdownReader collects the blocks of a tree.
type markdownReader struct {
	source []byte
	ends   []int // offsets of line ends
	doc    *document
	top    int
	item   bool // a list item began, and no block in it yet
}

func readMarkdown(source string) *document {
	r := markdownReader{source: []byte(source), doc: &document{}}
	for i, c := range r.source {
		if c == '\n' {
			r.ends = append(r.ends, i)
		}
	}
	root := markdownParser().Parse(text.NewReader(r.source))
	for child := root.FirstChild(); child != nil; child = child.NextSibling() {
		r.top++
		r.read(child)
	}
	return r.doc
}

// read adds the blocks of a node and of the nodes below it.
func (r *markdownReader) read(n ast.Node) {
	switch n := n.(type) {
	case *ast.List:
		if r.doc.lists++; r.doc.lists == 1 {
			r.doc.listLine = r.lineAt(n.Pos())
		}
	case *ast.ListItem:
		r.item = true
	case *ast.Heading:
		r.add(n, markdownBlock{Kind: headingBlock, Level: n.Level})
	case *ast.Paragraph, *ast.TextBlock:
		first := r.source[n.Lines().At(0).Start:]
		r.add(n, markdownBlock{Kind: proseBlock, Task: r.item && bytes.HasPrefix(first, []byte("[ ] "))})
	case *ast.FencedCodeBlock:
		_, closed := n.AttributeString(closedByFence)
		r.add(n, markdownBlock{Kind: codeBlock, Fenced: true, Open: !closed, Language: string(n.Language(r.source))})
	case *ast.CodeBlock:
		r.add(n, markdownBlock{Kind: codeBlock})
	case *ast.HTMLBlock:
		r.add(n, markdownBlock{Kind: htmlBlock})
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Type() == ast.TypeBlock {
			r.read(child)
		}
	}
}

func (r *markdownReader) add(n ast.Node, b markdownBlock) {
	var content strings.Builder
	start := n.Pos()
	for i, segment := range n.Lines().Sliced(0, n.Lines().Len()) {
		if i == 0 {
			start = segment.Start
		}
		content.Write(segment.Value(r.source))
	}
	b.Text, b.Line, b.Top = content.String(), r.lineAt(start), r.top
	r.item = false
	r.doc.add(b)
}

// lineAt returns the number of the line that holds an offset.
func (r *markdownReader) lineAt(offset int) int {
	line, _ := slices.BinarySearch(r.ends, offset)
	return 1 + line
}
