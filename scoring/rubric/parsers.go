package rubric

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"
)

// checker is a parser that comes with the package.
type checker struct {
	name  string
	check func(code string) error
	// recursive parsers have no limit of their own on how deep code may nest; slow ones have inputs on which their time
	// grows with the square of the length.
	recursive, slow bool
}

// checkerOf returns the parser of a language.
func checkerOf(language string, fragment bool) (checker, bool) {
	switch language {
	case "go":
		if fragment {
			return checker{name: "go/parser", check: checkGoFragment, recursive: true}, true
		}
		return checker{name: "go/parser", check: func(code string) error { return checkGo(code, "", "") }, recursive: true}, true
	case "bash":
		return checker{name: "mvdan.cc/sh/v3/syntax", check: checkBash, recursive: true, slow: true}, true
	case "javascript", "jsx", "typescript", "tsx", "css":
		return esbuildChecker(language), true
	case "json":
		return checker{name: "encoding/json", check: checkJSON}, true
	case "jsonl":
		return checker{name: "encoding/json", check: checkJSONLines}, true
	case "yaml":
		return checker{name: "go.yaml.in/yaml/v3", check: checkYAML}, true
	case "toml":
		return checker{name: "BurntSushi/toml", check: checkTOML, recursive: true}, true
	case "xml":
		return checker{name: "encoding/xml", check: checkXML}, true
	case "python":
		return checker{name: "lexical (brackets, strings, indentation)", check: checkPython}, true
	}
	return checker{}, false
}

// checkGoFragment accepts what gofmt accepts: a file, a list of declarations, or a list of statements.
func checkGoFragment(code string) error {
	err := checkGo(code, "", "")
	if err == nil || !strings.Contains(err.Error(), "expected 'package'") {
		return err
	}
	// On one line with the code, so that line numbers stay.
	declarations := checkGo(code, "package p; ", "")
	if declarations == nil {
		return nil
	}
	if !strings.Contains(declarations.Error(), "expected declaration") {
		return declarations
	}
	return checkGo(code, "package p; func _() { ", "\n}")
}

func checkGo(code, before, after string) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", before+code+after, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		lines := 1 + strings.Count(code, "\n")
		return syntaxError{Line: min(list[0].Pos.Line, lines), Message: list[0].Msg}
	}
	return err
}

func checkBash(code string) error {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(code), "")
	if at := (syntax.ParseError{}); errors.As(err, &at) {
		return syntaxError{Line: int(at.Pos.Line()), Message: at.Text}
	}
	if at := (syntax.LangError{}); errors.As(err, &at) {
		return unchecked("not bash: " + at.Error())
	}
	return err
}

func checkJSON(code string) error {
	var raw json.RawMessage
	err := json.Unmarshal([]byte(code), &raw)
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		return syntaxError{Line: lineAtOffset(code, int(at.Offset)), Message: at.Error()}
	}
	return err
}

func checkJSONLines(code string) error {
	n := 0
	for line := range strings.Lines(code) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := checkJSON(strings.TrimSpace(line)); err != nil {
			return syntaxError{Line: n, Message: strings.TrimPrefix(err.Error(), "line 1: ")}
		}
	}
	return nil
}

func lineAtOffset(code string, offset int) int {
	offset = max(0, min(offset-1, len(code)))
	return 1 + strings.Count(code[:offset], "\n")
}

// checkYAML reads documents into nodes, in which aliases stay unexpanded.
func checkYAML(code string) error {
	decoder := yaml.NewDecoder(strings.NewReader(code))
	for {
		var n yaml.Node
		switch err := decoder.Decode(&n); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return yamlError(err)
		}
	}
}

// yamlError finds the line in "yaml: line 3: …".
func yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if n, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil && n == 1 {
		_, text, _ = strings.Cut(text, ": ")
	}
	return syntaxError{Line: line, Message: text}
}

func checkTOML(code string) error {
	var table map[string]any
	_, err := toml.Decode(code, &table)
	if at := (toml.ParseError{}); errors.As(err, &at) {
		return syntaxError{Line: at.Position.Line, Message: at.Message}
	}
	return err
}

func checkXML(code string) error {
	decoder := xml.NewDecoder(strings.NewReader(code))
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is UTF-8 by now
	elements := 0
	for {
		t, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if at := (*xml.SyntaxError)(nil); errors.As(err, &at) {
			return syntaxError{Line: at.Line, Message: at.Msg}
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			elements++
		case xml.CharData:
			if elements == 0 && len(bytes.TrimSpace(t)) > 0 {
				return syntaxError{Line: 1, Message: "text before the first element"}
			}
		}
	}
	if elements == 0 {
		return syntaxError{Line: 1, Message: "no element"}
	}
	return nil
}
