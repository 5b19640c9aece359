package spec

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonParser builds a tree from JSON and counts lines as it goes.
type jsonParser struct {
	data    []byte
	decoder *jsontext.Decoder
	line    int // of the last token read
	offset  int // up to which lines are counted
}

func jsonTree(data []byte) (node, *Problem) {
	// The reader refuses duplicate names, with the words it has for YAML.
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	p := &jsonParser{data: data, decoder: decoder, line: 1}
	root, err := p.value()
	if err != nil {
		return node{}, p.syntaxProblem(err)
	}
	switch _, err := p.token(); {
	case err == nil:
		return node{}, secondDocument(p.line)
	case err != io.EOF:
		return node{}, p.syntaxProblem(err)
	}
	return root, nil
}

// token reads the next token; no token spans lines, so its line is the one where it ends.
func (p *jsonParser) token() (jsontext.Token, error) {
	t, err := p.decoder.ReadToken()
	if err == nil {
		p.countLines(int(p.decoder.InputOffset()))
	}
	return t, err
}

func (p *jsonParser) countLines(offset int) {
	p.line += bytes.Count(p.data[p.offset:offset], []byte("\n"))
	p.offset = offset
}

func (p *jsonParser) value() (node, error) {
	t, err := p.token()
	if err != nil {
		return node{}, err
	}
	n := node{line: p.line}
	switch t.Kind() {
	case 'n':
		n.kind = kindNull
	case 't', 'f':
		n.kind, n.text = kindBool, t.String()
	case '0':
		n.kind, n.text = kindNumber, t.String()
	case '"':
		n.kind, n.text = kindText, t.String()
	case '[':
		n.kind = kindList
		n.fields, err = p.items()
	case '{':
		n.kind = kindMapping
		n.fields, err = p.fields()
	}
	return n, err
}

func (p *jsonParser) items() ([]field, error) {
	var items []field
	for p.decoder.PeekKind() != ']' {
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, field{value: item})
	}
	_, err := p.token()
	return items, err
}

func (p *jsonParser) fields() ([]field, error) {
	fields := make([]field, 0, 8)
	for p.decoder.PeekKind() != '}' {
		key, err := p.token()
		if err != nil {
			return nil, err
		}
		f := field{key: key.String(), line: p.line}
		if f.value, err = p.value(); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	_, err := p.token()
	return fields, err
}

func (p *jsonParser) syntaxProblem(err error) *Problem {
	message := err.Error()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		p.countLines(max(p.offset, min(int(syntax.ByteOffset), len(p.data))))
		message = syntax.Err.Error()
	}
	return &Problem{
		Line:    p.line,
		Message: "not valid JSON: " + strings.TrimPrefix(message, "jsontext: "),
		Hint:    "a file that starts with { is read as JSON, any other as YAML",
	}
}
