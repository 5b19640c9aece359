package rubric

import (
	"bytes"
	"fmt"
	"regexp"
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

// shallowListParser opens no list below [maxNesting] items. The time of a line grows with its depth, and indentation
// nests items deeper than the beginning of any line shows.
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

// finding is something wrong at one place.
type finding struct {
	Kind string `json:"kind"`
	Line int    `json:"line,omitempty"` // of the final text, from 1; 0 where it is about the whole
	Text string `json:"text,omitempty"`
}

// findingsDetail is what [noObviousErrors] found.
type findingsDetail struct {
	Found    int       `json:"found"`
	Findings []finding `json:"findings"` // the first of them
	// NotKnown names what could not be looked for.
	NotKnown []string `json:"not_known,omitempty"`
}

// obviousErrors looks for anchored crash patterns, a fence that is never closed, an output cut off at the token
// limit, placeholders, and a claim of success while the last test or build call of the execution failed.
func (s *scorer) obviousErrors() Component {
	d := findingsDetail{Findings: []finding{}}
	add := func(f finding) {
		d.Found++
		if len(d.Findings) < maxListed {
			d.Findings = append(d.Findings, f)
		}
	}
	n := 0
	for line := range strings.Lines(s.text) {
		n++
		if pattern := crash(line); pattern != "" {
			add(finding{Kind: "crash", Line: n, Text: pattern})
		}
		if text := placeholder(line); text != "" {
			add(finding{Kind: "placeholder", Line: n, Text: text})
		}
	}
	for _, b := range s.doc.blocks {
		if b.Open {
			add(finding{Kind: "odd number of fences", Line: b.Line, Text: "a fence is never closed"})
		}
	}
	switch {
	case s.e.Truncated == nil:
		d.NotKnown = append(d.NotKnown, "whether the output was cut off")
	case *s.e.Truncated:
		add(finding{Kind: "truncated", Text: "cut off at the token limit"})
	}
	if s.e.CallsUnknown {
		d.NotKnown = append(d.NotKnown, "how the last test or build ended")
	} else if f, ok := s.falseClaim(); ok {
		add(f)
	}
	reason := "none found"
	if d.Found > 0 {
		f := d.Findings[0]
		reason = fmt.Sprintf("%s, the first: %s (%s)", plural(d.Found, "finding"), f.Kind, f.Text)
		if f.Line > 0 {
			reason += fmt.Sprintf(" at line %d", f.Line)
		}
	} else if len(d.NotKnown) > 0 {
		reason += "; not known: " + strings.Join(d.NotKnown, ", ")
	}
	return holds(noObviousErrors, d.Found == 0, d, "%s", reason)
}

// placeholder returns the first placeholder in a line: YOUR_API_KEY and its like, INSERT_…_HERE, REPLACE_ME, CHANGE_ME.
func placeholder(line string) string {
	for rest := line; rest != ""; {
		start := strings.IndexFunc(rest, upperWord)
		if start < 0 {
			return ""
		}
		rest = rest[start:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !upperWord(r) })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if len(word) > len("YOUR_") && strings.HasPrefix(word, "YOUR_") ||
			strings.HasPrefix(word, "INSERT_") && strings.HasSuffix(word, "_HERE") ||
			among(word, "REPLACE_ME", "CHANGE_ME", "CHANGEME") {
			return excerpt(word)
		}
		rest = rest[end:]
	}
	return ""
}

func upperWord(r rune) bool { return r == '_' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }

// falseClaim finds a claim of success where the last call that ran tests or a build failed. A sentence that also has
// a word of negation or condition claims nothing.
func (s *scorer) falseClaim() (finding, bool) {
	claim, line := s.claim()
	if claim == "" {
		return finding{}, false
	}
	for i := len(s.e.Calls) - 1; i >= 0; i-- {
		if !testsOrBuilds(s.e.Calls[i]) {
			continue
		}
		if s.verdicts[i].outcome != failed {
			return finding{}, false
		}
		text := fmt.Sprintf("%q, but call %d failed (%s): %s", claim, i+1, s.verdicts[i].why, excerpt(s.e.Calls[i].Command))
		return finding{Kind: "claim of success", Line: line, Text: text}, true
	}
	return finding{}, false
}

func (s *scorer) claim() (phrase string, line int) {
	for _, b := range s.doc.blocks {
		if b.Kind != proseBlock && b.Kind != headingBlock {
			continue
		}
		if contains(b.plain, successes) == "" {
			continue
		}
		for _, sentence := range sentences(b.Text) {
			text := plain(sentence)
			if phrase := contains(text, successes); phrase != "" && contains(affirmations.Replace(text), negations) == "" {
				return phrase, b.Line
			}
		}
	}
	return "", 0
}

// The patterns of rubric/1, as they are written. The first two are matched against each line alone.
const (
	headingPattern = `^#+\s`
	listPattern    = `^[\-\*\d\.]\s`
	errorPattern   = `(?i)error|exception|traceback|failed|fatal`
)

var (
	errorWord   = regexp.MustCompile(errorPattern)
	headingLine = regexp.MustCompile(headingPattern)
	listLine    = regexp.MustCompile(listPattern)
)

// crashes are how a crash begins its line.
var crashes = [...]string{"Traceback (most recent call last)", "panic: ", "npm ERR!", "error[E"}

// crash returns the crash pattern that a line begins with, after white space; empty for none.
func crash(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, pattern := range crashes {
		if strings.HasPrefix(line, pattern) {
			return pattern
		}
	}
	return ""
}

// anchoredFailure returns how the output of a call shows that it failed: a line begins like a crash, or the output
// itself with "Error" or with a non-zero exit code. Empty where it does not.
func anchoredFailure(output string) string {
	start := strings.TrimLeft(output, " \t\r\n")
	for _, word := range [...]string{"Error", "error", "ERROR"} {
		if rest, ok := strings.CutPrefix(start, word); ok && (rest == "" || rest[0] == ':' || rest[0] == ' ') {
			return word
		}
	}
	if code, ok := strings.CutPrefix(start, "Exit code "); ok && code != "" && code[0] >= '1' && code[0] <= '9' {
		return "Exit code " + code[:1]
	}
	for line := range strings.Lines(output) {
		if pattern := crash(line); pattern != "" {
			return pattern
		}
	}
	return ""
}

// matchingLine returns the number, from 1, of the first line that matches, without its line end; 0 for none.
func matchingLine(text string, pattern *regexp.Regexp) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if pattern.MatchString(strings.TrimSuffix(line, "\n")) {
			return n
		}
	}
	return 0
}
