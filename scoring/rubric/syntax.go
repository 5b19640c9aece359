package rubric

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// syntaxDetail is what [syntaxValid] was computed from.
type syntaxDetail struct {
	OK        int            `json:"ok"`
	Errors    int            `json:"errors"`
	Unchecked int            `json:"unchecked"`
	Results   []syntaxResult `json:"results"` // the first of them; errors are all counted
}

// syntaxResult is what a parser said of one block of the final text, or of one file that the agent wrote.
type syntaxResult struct {
	File     string `json:"file,omitempty"` // empty for a block
	Line     int    `json:"line,omitempty"` // of the final text: where the code of a block begins; 0 for a file
	Language string `json:"language"`
	Checker  string `json:"checker,omitempty"`
	Result   string `json:"result"` // ok, error or unchecked
	// ErrorLine is the line of the error, of the final text for a block, of the file for a file; 0 where it is not known.
	ErrorLine int    `json:"error_line,omitempty"`
	Message   string `json:"message,omitempty"` // the error, or why it was not checked
}

// The results of a syntax check.
const (
	resultOK        = "ok"
	resultError     = "error"
	resultUnchecked = "unchecked"
)

// ErrUnchecked says that a checker cannot judge some code; wrap it with the reason.
var ErrUnchecked = errors.New("unchecked")

// syntaxError says where code is not valid.
type syntaxError struct {
	Line    int // from 1; 0 where it is not known
	Message string
}

func (e syntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

func unchecked(why string) error { return fmt.Errorf("%w: %s", ErrUnchecked, why) }

// syntaxValid parses every fenced block whose language has a parser, and the files that the agent wrote. One error is
// enough to fail; where nothing was checked, nothing can be wrong.
func (s *scorer) syntaxValid() Component {
	d := syntaxDetail{Results: []syntaxResult{}}
	budget := budget{total: maxCodeTotal, slow: maxCodeTotal / 2}
	var first *syntaxResult
	add := func(r syntaxResult) {
		switch r.Result {
		case resultOK:
			d.OK++
		case resultError:
			d.Errors++
			if first == nil {
				first = &r
			}
		default:
			d.Unchecked++
		}
		if len(d.Results) < maxListed {
			d.Results = append(d.Results, r)
		}
	}
	for _, b := range s.doc.blocks {
		if b.Kind == codeBlock && b.Fenced {
			r := s.check(canonicalLanguage(b.Language), b.Text, true, &budget)
			r.Line = b.Line
			if r.ErrorLine > 0 {
				r.ErrorLine += b.Line - 1
			}
			add(r)
		}
	}
	for _, f := range s.e.Files {
		r := s.check(fileLanguage(f.Name), f.Content, false, &budget)
		r.File = f.Name
		add(r)
	}
	if d.OK+d.Errors == 0 {
		reason := "vacuous: no code"
		if d.Unchecked > 0 {
			reason = fmt.Sprintf("vacuous: none of %s of code could be checked, the first: %s", plural(d.Unchecked, "piece"), d.Results[0].Message)
		}
		c := holds(syntaxValid, true, d, "%s", reason)
		c.Vacuous = true
		return c
	}
	counts := fmt.Sprintf("%d ok, %s, %d unchecked", d.OK, plural(d.Errors, "error"), d.Unchecked)
	if first != nil {
		return holds(syntaxValid, false, d, "%s; the first: %s", counts, first.describe())
	}
	return holds(syntaxValid, true, d, "%s", counts)
}

func (r syntaxResult) describe() string {
	where := r.Language
	if r.File != "" {
		where = r.File
	}
	if r.ErrorLine > 0 {
		where += fmt.Sprintf(" line %d", r.ErrorLine)
	}
	return where + ": " + r.Message
}

// budget is how much code may still be parsed, in bytes; slow of it by parsers whose worst case is slow.
type budget struct{ total, slow int }

// check parses code. A fragment need not be a whole file.
func (s *scorer) check(language, code string, fragment bool, left *budget) syntaxResult {
	r := syntaxResult{Language: language, Result: resultUnchecked}
	given, hasGiven := s.o.Checkers[language]
	builtin, hasBuiltin := checkerOf(language, fragment)
	switch {
	case language == "":
		r.Message = "the language is not named"
		return r
	case !hasGiven && !hasBuiltin:
		r.Message = "no parser for " + language
		return r
	case strings.TrimSpace(code) == "":
		r.Message = "empty"
		return r
	case len(code) > maxCode:
		r.Message = fmt.Sprintf("longer than %d bytes", maxCode)
		return r
	case len(code) > left.total || !hasGiven && builtin.slow && len(code) > left.slow:
		r.Message = "too much code in one execution"
		return r
	}
	left.total -= len(code)
	var err error
	if hasGiven {
		r.Checker, err = given.Name, contained(given.Check, code)
	} else {
		if builtin.slow {
			left.slow -= len(code)
		}
		if r.Checker = builtin.name; builtin.recursive && deeperThan(code, maxNesting) {
			err = unchecked(fmt.Sprintf("brackets nest deeper than %d", maxNesting))
		} else {
			err = contained(builtin.check, code)
		}
	}
	r.settle(err)
	lines := 1 + strings.Count(strings.TrimRight(code, "\n"), "\n")
	r.ErrorLine = min(r.ErrorLine, lines) // what is missing at the end is missing after the last line
	return r
}

func (r *syntaxResult) settle(err error) {
	var at syntaxError
	switch {
	case err == nil:
		r.Result = resultOK
	case errors.Is(err, ErrUnchecked):
		r.Message = strings.TrimPrefix(err.Error(), ErrUnchecked.Error()+": ")
	case errors.As(err, &at):
		r.Result, r.ErrorLine, r.Message = resultError, max(0, at.Line), excerpt(at.Message)
	default:
		r.Result, r.Message = resultError, excerpt(err.Error())
	}
}

// contained turns a panic of a parser into a result: code that crashes a parser was not checked.
func contained(check func(string) error, code string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = unchecked(fmt.Sprintf("the parser gave up: %v", p))
		}
	}()
	return check(code)
}

// canonicalLanguage is the name of the language that a fence names.
func canonicalLanguage(lang string) string {
	lang = strings.ToLower(strings.Trim(lang, "{}.,;: \t"))
	switch lang {
	case "golang":
		return "go"
	case "sh", "shell", "zsh":
		return "bash"
	case "js", "mjs", "cjs", "node":
		return "javascript"
	case "ts", "mts", "cts":
		return "typescript"
	case "yml":
		return "yaml"
	case "py", "python3":
		return "python"
	case "ndjson":
		return "jsonl"
	case "svg":
		return "xml"
	case "sqlite3":
		return "sqlite"
	}
	return lang
}

// fileLanguage is the language of a file, by its extension.
func fileLanguage(name string) string {
	return canonicalLanguage(strings.TrimPrefix(path.Ext(strings.ReplaceAll(name, `\`, "/")), "."))
}

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

// esbuildChecker parses with the JavaScript and CSS parsers of esbuild, which contain their own panics. In CSS it
// reports what it cannot read as a warning.
func esbuildChecker(language string) checker {
	loader := api.LoaderJSX // JavaScript in answers often is JSX
	switch language {
	case "typescript":
		loader = api.LoaderTS
	case "tsx":
		loader = api.LoaderTSX
	case "css":
		loader = api.LoaderCSS
	}
	return checker{name: "esbuild", recursive: true, slow: true, check: func(code string) error {
		if why := esbuildTrap(code); why != "" {
			return unchecked(why)
		}
		// What the code may use is no matter of syntax; nothing is lowered.
		result := api.Transform(code, api.TransformOptions{
			Loader: loader, LogLevel: api.LogLevelSilent, Target: api.ESNext, JSX: api.JSXPreserve,
			TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
		})
		for _, m := range result.Errors {
			return messageError(m)
		}
		for _, m := range result.Warnings {
			if m.ID == "css-syntax-error" {
				return messageError(m)
			}
		}
		return nil
	}}
}

func messageError(m api.Message) error {
	if strings.HasPrefix(m.Text, "panic: ") {
		return unchecked("the parser gave up: " + m.Text)
	}
	e := syntaxError{Message: m.Text}
	if m.Location != nil {
		e.Line = m.Location.Line
	}
	return e
}

// esbuildTrap says why esbuild must not see code: nesting without brackets (x=>x=>…, !!!…, if(a)if(a)…) takes it time
// that grows with the square or cube of the depth. A stretch is what no semicolon, comma or brace interrupts.
func esbuildTrap(code string) string {
	const longest, mostArrows = 8 << 10, 64
	stretch, arrows := 0, 0
	for i := 0; i < len(code); i++ {
		switch stretch++; code[i] {
		case ';', ',', '{', '}':
			stretch, arrows = 0, 0
		case '>':
			if i > 0 && code[i-1] == '=' {
				arrows++
			}
		}
		if stretch > longest || arrows > mostArrows {
			return "one expression is too long or nests too deeply"
		}
	}
	return ""
}
