package rubric

import "strings"

// checkPython looks at Python as a lexer does: brackets close in order, strings end, and indentation fits. It accepts
// much that Python refuses, and says so by its name; sources: the Python reference, "Lexical analysis", 2.1.8 and
// 2.4.1.
func checkPython(code string) error {
	if strings.HasPrefix(strings.TrimLeft(code, " \t\n"), ">>>") {
		return unchecked("an interactive session")
	}
	p := pythonLexer{code: strings.ReplaceAll(code, "\r\n", "\n"), line: 1}
	return p.run()
}

type openBracket struct {
	char byte
	line int
}

type pythonLexer struct {
	code    string
	at      int
	line    int
	open    []openBracket
	indents []int
	begun   bool // a logical line has been seen
	colon   bool // the last token of the logical line before is a colon, so a block must follow
	last    byte // last character of the logical line, outside of comments and white space
}

func (p *pythonLexer) run() error {
	fresh := true // at the start of a logical line
	for p.at < len(p.code) {
		if fresh {
			blank, err := p.indentation()
			if err != nil {
				return err
			}
			if blank {
				continue
			}
			fresh = false
		}
		switch c := p.code[p.at]; {
		case c == '\n':
			p.line++
			p.at++
			if len(p.open) == 0 {
				fresh, p.colon, p.last = true, p.last == ':', 0
			}
		case c == '#':
			p.skipComment()
		case c == '\\' && p.at+1 < len(p.code) && p.code[p.at+1] == '\n': // joins lines
			p.line++
			p.at += 2
		case c == '"' || c == '\'':
			if err := p.stringLiteral(c); err != nil {
				return err
			}
			p.last = c
		default:
			if err := p.character(c); err != nil {
				return err
			}
		}
	}
	if n := len(p.open); n > 0 {
		return syntaxError{Line: p.open[n-1].line, Message: "'" + string(p.open[n-1].char) + "' was never closed"}
	}
	if p.last == ':' || p.last == 0 && p.colon {
		return syntaxError{Line: p.line, Message: "expected an indented block"}
	}
	return nil
}

// indentation reads the white space of a new line. A line without a token is skipped.
func (p *pythonLexer) indentation() (blank bool, err error) {
	column := 0
	for p.at < len(p.code) && (p.code[p.at] == ' ' || p.code[p.at] == '\t' || p.code[p.at] == '\f') {
		if p.code[p.at] == '\t' {
			column += 8 - column%8
		} else {
			column++
		}
		p.at++
	}
	if p.at < len(p.code) && p.code[p.at] == '#' {
		p.skipComment()
	}
	if p.at >= len(p.code) {
		return true, nil
	}
	if p.code[p.at] == '\n' {
		p.at++
		p.line++
		return true, nil
	}
	return false, p.indent(column)
}

func (p *pythonLexer) indent(column int) error {
	if !p.begun { // a snippet may be indented as a whole
		p.begun, p.indents = true, []int{column}
		return nil
	}
	top := p.indents[len(p.indents)-1]
	switch {
	case p.colon && column <= top:
		return syntaxError{Line: p.line, Message: "expected an indented block"}
	case p.colon:
		p.indents = append(p.indents, column)
		return nil
	case column > top:
		return syntaxError{Line: p.line, Message: "unexpected indent"}
	}
	for len(p.indents) > 0 && p.indents[len(p.indents)-1] > column {
		p.indents = p.indents[:len(p.indents)-1]
	}
	if len(p.indents) == 0 || p.indents[len(p.indents)-1] != column {
		return syntaxError{Line: p.line, Message: "unindent does not match any outer indentation level"}
	}
	return nil
}

func (p *pythonLexer) skipComment() {
	for p.at < len(p.code) && p.code[p.at] != '\n' {
		p.at++
	}
}

func (p *pythonLexer) character(c byte) error {
	p.at++
	switch c {
	case ' ', '\t', '\f', '\r':
		return nil
	case '(', '[', '{':
		p.open = append(p.open, openBracket{c, p.line})
	case ')', ']', '}':
		n := len(p.open)
		if n == 0 {
			return syntaxError{Line: p.line, Message: "unmatched '" + string(c) + "'"}
		}
		if opened := p.open[n-1]; !pairs(opened.char, c) {
			return syntaxError{Line: p.line, Message: "'" + string(c) + "' does not match '" + string(opened.char) + "'"}
		}
		p.open = p.open[:n-1]
	}
	p.last = c
	if len(p.open) > 0 {
		p.last = ',' // whatever is within brackets, it does not end in a block's colon
	}
	return nil
}

func pairs(opening, closing byte) bool {
	return opening == '(' && closing == ')' || opening == '[' && closing == ']' || opening == '{' && closing == '}'
}

// stringLiteral reads a string that starts with the quote at the current place. A backslash hides the next character
// from the end of a string, in raw strings too.
func (p *pythonLexer) stringLiteral(quote byte) error {
	started := p.line
	triple := strings.Repeat(string(quote), 3)
	end := triple[:1]
	if strings.HasPrefix(p.code[p.at:], triple) {
		end = triple
	}
	for p.at += len(end); p.at < len(p.code); p.at++ {
		switch c := p.code[p.at]; {
		case c == '\\' && p.at+1 < len(p.code):
			p.at++
			if p.code[p.at] == '\n' {
				p.line++
			}
		case strings.HasPrefix(p.code[p.at:], end):
			p.at += len(end)
			return nil
		case c == '\n' && len(end) == 1:
			return syntaxError{Line: started, Message: "unterminated string literal"}
		case c == '\n':
			p.line++
		}
	}
	if len(end) == 3 {
		return syntaxError{Line: started, Message: "unterminated triple-quoted string literal"}
	}
	return syntaxError{Line: started, Message: "unterminated string literal"}
}
