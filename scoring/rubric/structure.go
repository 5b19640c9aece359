package rubric

import (
	"strings"
)

// matchDetail is where something was found.
type matchDetail struct {
	Matched string `json:"matched,omitempty"` // the text that counts
	Line    int    `json:"line,omitempty"`    // of the final text, from 1
	Words   int    `json:"words,omitempty"`   // of prose in the final text
}

// structure is headings 0.4 + lists 0.3 + code blocks 0.3: under rubric/1 lines that look like them, else what the
// Markdown tree has.
func (s *scorer) structure() Component {
	if why := s.noText(); why != "" {
		return missing(StructureScore, why)
	}
	if s.rubric.literal {
		return s.whole(StructureScore, []Component{
			linePart(headings, matchingLine(s.text, headingLine), "line matches "+headingPattern),
			linePart(hasLists, matchingLine(s.text, listLine), "line matches "+listPattern),
			linePart(codeBlocks, lineOf(s.text, "```"), "line has three backticks"),
		})
	}
	heading, hasHeading := s.doc.first(headingBlock)
	code, hasCode := s.doc.first(codeBlock)
	lists := holds(hasLists, false, nil, "no list")
	if s.doc.lists > 0 {
		lists = holds(hasLists, true, matchDetail{Line: s.doc.listLine}, "%s, the first at line %d", plural(s.doc.lists, "list"), s.doc.listLine)
	}
	return s.whole(StructureScore, []Component{
		blockPart(headings, "heading", heading, hasHeading), lists, blockPart(codeBlocks, "code block", code, hasCode),
	})
}

// noText says why nothing can be said about the final text; empty where something can.
func (s *scorer) noText() string {
	switch {
	case s.e.Output == nil:
		return "the final text is not known"
	case s.doc == nil && !s.rubric.literal:
		return warnUnparsed.Message()
	}
	return ""
}

func linePart(name string, line int, what string) Component {
	if line == 0 {
		return holds(name, false, nil, "no %s", what)
	}
	return holds(name, true, matchDetail{Line: line}, "%s: line %d", what, line)
}

func blockPart(name, what string, b block, found bool) Component {
	if !found {
		return holds(name, false, nil, "no %s", what)
	}
	text, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
	return holds(name, true, matchDetail{Line: b.Line, Matched: excerpt(text)}, "%s at line %d", what, b.Line)
}

// lineOf is the number, from 1, of the first line that contains a text; 0 for none.
func lineOf(s, text string) int {
	at := strings.Index(s, text)
	if at < 0 {
		return 0
	}
	return 1 + strings.Count(s[:at], "\n")
}
