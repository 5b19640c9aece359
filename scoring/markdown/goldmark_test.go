package markdown

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	goldmark "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// parseWithGoldmark returns the blocks that goldmark finds, with the tests of which ours are compared.
func parseWithGoldmark(source string) Document {
	raw := []byte(source)
	root := goldmark.NewParser(goldmark.WithBlockParsers(goldmark.DefaultBlockParsers()...)).Parse(text.NewReader(raw))
	w := walker{source: raw, doc: &Document{}}
	for i := range raw {
		if raw[i] == '\n' {
			w.ends = append(w.ends, i)
		}
	}
	for child := root.FirstChild(); child != nil; child = child.NextSibling() {
		w.top++
		w.walk(child)
	}
	return *w.doc
}

type walker struct {
	source []byte
	ends   []int // offsets of line ends
	doc    *Document
	top    int
	last   int  // line of the block before
	task   bool // the next prose is the start of a list item
}

func (w *walker) walk(n ast.Node) {
	switch n := n.(type) {
	case *ast.List:
		w.doc.Lists++
		if w.doc.Lists == 1 {
			w.doc.ListLine = w.lineOf(n)
		}
	case *ast.ListItem:
		w.task = true
	case *ast.Heading:
		w.add(n, Block{Kind: Heading, Level: n.Level})
	case *ast.Paragraph, *ast.TextBlock:
		b := Block{Kind: Prose}
		if w.task {
			b.Task = n.Lines().Len() > 0 && bytes.HasPrefix(w.source[n.Lines().At(0).Start:], []byte("[ ] "))
		}
		w.add(n, b)
	case *ast.FencedCodeBlock:
		w.add(n, Block{Kind: Code, Fenced: true, Language: string(n.Language(w.source)), Open: w.neverClosed(n)})
	case *ast.CodeBlock:
		w.add(n, Block{Kind: Code})
	case *ast.HTMLBlock:
		w.add(n, Block{Kind: rawHTML})
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Type() == ast.TypeBlock {
			w.walk(child)
		}
	}
}

func (w *walker) add(n ast.Node, b Block) {
	var content strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		content.Write(segment.Value(w.source))
	}
	b.Text, b.Top = content.String(), w.top
	switch {
	case n.Lines().Len() > 0:
		b.Line = w.lineAt(n.Lines().At(0).Start)
	case n.Pos() >= 0:
		b.Line = w.lineAt(n.Pos())
	default:
		b.Line = w.last + 1
	}
	w.last, w.task = b.Line, false
	w.doc.Blocks = append(w.doc.Blocks, b)
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
