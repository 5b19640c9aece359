package rubric

import "strings"

// block is a block of Markdown, with its words.
type block struct {
	markdownBlock
	plain string // of prose and headings, its words as [plain] gives them
	words int    // of prose
}

// document is a text as Markdown.
type document struct {
	blocks   []block
	words    int // of prose, outside of headings and code
	lists    int
	listLine int // of the first list
}

// parseMarkdown reads the block structure of a text; ok is false if a line opens more than [maxNesting] blocks, or if
// there are more than maxBlank empty lines: then it is no document that somebody wrote to be read.
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
	return readMarkdown(source), true
}

func (d *document) add(read markdownBlock) {
	b := block{markdownBlock: read}
	if b.Kind == proseBlock || b.Kind == headingBlock {
		b.plain = plain(b.Text)
	}
	if b.Kind == proseBlock {
		b.words = countWords(b.Text)
		d.words += b.words
	}
	d.blocks = append(d.blocks, b)
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

// first returns the first block of a kind.
func (d *document) first(kind blockKind) (block, bool) {
	for _, b := range d.blocks {
		if b.Kind == kind {
			return b, true
		}
	}
	return block{}, false
}
