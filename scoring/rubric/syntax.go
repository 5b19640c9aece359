package rubric

import (
	"errors"
	"fmt"
	"path"
	"strings"
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
