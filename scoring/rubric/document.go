package rubric

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

type blockKind int

const (
	proseBlock blockKind = iota
	headingBlock
	codeBlock
	otherBlock // HTML
)

// block is a leaf of the Markdown tree.
type block struct {
	kind   blockKind
	text   string
	plain  string // of prose and headings, its words as [plain] gives them
	words  int    // of prose
	line   int    // number of its first line, from 1; of code, the first line of the code
	top    int    // number of the block at the top level that it belongs to
	level  int    // of a heading
	fenced bool   // code between fences
	open   bool   // fenced, and never closed
	lang   string // language that the fence names
	task   bool   // item of a task list that is not checked
}

// document is a text as Markdown.
type document struct {
	blocks   []block
	words    int // of prose, outside of headings and code
	lists    int
	listLine int // of the first list
}

// parseMarkdown reads the block structure (CommonMark) of a text; ok is false where a line opens more than
// [maxNesting] blocks, because the parser's time grows with the square of the depth, and where there are more than
// maxBlank empty lines, because its memory grows with their number times the depth.
//
// Neither inline structure nor link reference definitions are parsed: nothing depends on them, and both can be made
// to take long.
func parseMarkdown(source string) (doc *document, ok bool) {
	blank := 0
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			blank++
		}
		if blank > maxBlank || opens(line) > maxNesting {
			return nil, false
		}
	}
	defer func() {
		if recover() != nil { // a bug in the parser is no reason to fail a score
			doc, ok = nil, false
		}
	}()
	raw := []byte(source)
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(text.NewReader(raw))
	w := walker{source: raw, doc: &document{}}
	for i := range raw {
		if raw[i] == '\n' {
			w.ends = append(w.ends, i)
		}
	}
	for child := root.FirstChild(); child != nil; child = child.NextSibling() {
		w.walk(child)
		w.top++
	}
	return w.doc, true
}

// opens counts the block quotes and list items that the beginning of a line may open.
func opens(line string) int {
	n, broken := 0, false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '>':
			n++
			i++
		case (c == '-' || c == '*') && !broken:
			if broken = true; strings.Trim(line[i:], string(c)+" \t\r\n") == "" {
				return n // a thematic break, not items in items
			}
		case strings.IndexByte("-*+", c) >= 0 && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			n++
			i += 2
		case c >= '0' && c <= '9':
			for i < len(line) && line[i] >= '0' && line[i] <= '9' {
				i++
			}
			if i+1 >= len(line) || line[i] != '.' && line[i] != ')' || line[i+1] != ' ' && line[i+1] != '\t' {
				return n
			}
			n++
			i += 2
		default:
			return n
		}
	}
	return n
}

type walker struct {
	source []byte
	ends   []int // offsets of line ends
	doc    *document
	top    int
	last   int  // line of the block before
	task   bool // the next prose is the start of a list item
}

func (w *walker) walk(n ast.Node) {
	switch n := n.(type) {
	case *ast.List:
		w.doc.lists++
		if w.doc.lists == 1 {
			w.doc.listLine = w.lineOf(n)
		}
	case *ast.ListItem:
		w.task = true
	case *ast.Heading:
		w.add(n, block{kind: headingBlock, level: n.Level})
	case *ast.Paragraph, *ast.TextBlock:
		b := block{kind: proseBlock}
		if w.task {
			b.task = n.Lines().Len() > 0 && bytes.HasPrefix(w.source[n.Lines().At(0).Start:], []byte("[ ] "))
		}
		w.add(n, b)
	case *ast.FencedCodeBlock:
		w.add(n, block{kind: codeBlock, fenced: true, lang: string(n.Language(w.source)), open: w.neverClosed(n)})
	case *ast.CodeBlock:
		w.add(n, block{kind: codeBlock})
	case *ast.HTMLBlock:
		w.add(n, block{kind: otherBlock})
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Type() == ast.TypeBlock {
			w.walk(child)
		}
	}
}

func (w *walker) add(n ast.Node, b block) {
	var content strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		content.Write(segment.Value(w.source))
	}
	b.text, b.top = content.String(), w.top
	switch {
	case n.Lines().Len() > 0:
		b.line = w.lineAt(n.Lines().At(0).Start)
	case n.Pos() >= 0:
		b.line = w.lineAt(n.Pos())
	default:
		b.line = w.last + 1
	}
	if b.kind == proseBlock || b.kind == headingBlock {
		b.plain = plain(b.text)
	}
	if b.kind == proseBlock {
		b.words = countWords(b.text)
		w.doc.words += b.words
	}
	w.last, w.task = b.line, false
	w.doc.blocks = append(w.doc.blocks, b)
}

// lineOf is the line of the first text in n.
func (w *walker) lineOf(n ast.Node) int {
	for ; n != nil; n = n.FirstChild() {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			return w.lineAt(n.Lines().At(0).Start)
		}
	}
	return w.last + 1
}

func (w *walker) lineAt(offset int) int { return 1 + sort.SearchInts(w.ends, offset) }

// neverClosed says that what follows the code of a fence is no closing fence.
func (w *walker) neverClosed(n *ast.FencedCodeBlock) bool {
	start := n.Pos()
	switch lines := n.Lines().Len(); {
	case lines > 0:
		start = n.Lines().At(lines - 1).Stop
	case start < 0:
		return false // no way to tell
	default:
		end := bytes.IndexByte(w.source[start:], '\n')
		if end < 0 {
			return true // the opening fence is the last line
		}
		start += end + 1
	}
	next := w.source[min(start, len(w.source)):]
	if end := bytes.IndexByte(next, '\n'); end >= 0 {
		next = next[:end]
	}
	next = bytes.TrimLeft(next, " \t>")
	return !bytes.HasPrefix(next, []byte("```")) && !bytes.HasPrefix(next, []byte("~~~"))
}

// first returns the first block of a kind.
func (d *document) first(kind blockKind) (block, bool) {
	for _, b := range d.blocks {
		if b.kind == kind {
			return b, true
		}
	}
	return block{}, false
}
