package claudesettings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a JSON text with the positions of its values.
type document struct {
	text []byte
	root *node
}

// node is a value: text[start:end]. A member of an object also has a name, which begins at nameStart.
type node struct {
	kind       byte // of jsontext: { [ " 0 t f n
	start, end int
	nameStart  int
	name       string
	children   []*node
}

// member returns the value of a member of an object, or nil if it has none of that name.
func (n *node) member(name string) *node {
	if n.kind != '{' {
		return nil
	}
	for _, child := range n.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

func parseDocument(text []byte) (*document, error) {
	d := &document{text: text}
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	var err error
	if d.root, err = d.parseValue(decoder); err != nil {
		return nil, d.explain(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("something follows the settings")
		}
		return nil, d.explain(err)
	}
	return d, nil
}

// explain says on which line an error is.
func (d *document) explain(err error) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return err
	}
	line := 1 + bytes.Count(d.text[:min(len(d.text), int(syntactic.ByteOffset))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, syntactic.Err)
}

func (d *document) parseValue(decoder *jsontext.Decoder) (*node, error) {
	n := &node{kind: byte(decoder.PeekKind())}
	if n.kind != '{' && n.kind != '[' {
		value, err := decoder.ReadValue()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		n.end = int(decoder.InputOffset())
		n.start = n.end - len(value)
		return n, err
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	n.start = int(decoder.InputOffset()) - 1
	for decoder.PeekKind() != '}' && decoder.PeekKind() != ']' {
		child, err := d.parseMember(decoder, n.kind == '{')
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	_, err := decoder.ReadToken()
	n.end = int(decoder.InputOffset())
	return n, err
}

func (d *document) parseMember(decoder *jsontext.Decoder, isNamed bool) (*node, error) {
	if !isNamed {
		n, err := d.parseValue(decoder)
		if err == nil {
			n.nameStart = n.start
		}
		return n, err
	}
	name, err := d.parseValue(decoder)
	if err != nil {
		return nil, err
	}
	n, err := d.parseValue(decoder)
	if err == nil {
		n.nameStart, n.name = name.start, d.string(name)
	}
	return n, err
}

func (d *document) string(n *node) string {
	text, _ := jsontext.AppendUnquote(nil, d.text[n.start:n.end]) // the text has been read before
	return string(text)
}

// member is a member of an object that is to be written, and object is one, in order.
type member struct {
	name  string
	value any // string, int, object or []any
}
type object []member

// insertMember adds a member at the end of an object.
func (d *document) insertMember(to *node, name string, value any) []byte {
	return d.insert(to, func(style layout, depth int) string {
		return quoted(name) + ": " + style.write(value, depth)
	})
}

// insertElement adds an element at the end of an array.
func (d *document) insertElement(to *node, value any) []byte {
	return d.insert(to, func(style layout, depth int) string { return style.write(value, depth) })
}

func (d *document) insert(to *node, write func(style layout, depth int) string) []byte {
	style := d.layout()
	depth := d.depth(d.root, to, 0)
	if len(to.children) > 0 {
		last := to.children[len(to.children)-1]
		space := d.spaceBefore(last.nameStart)
		if !strings.Contains(space, "\n") {
			style.newline = "" // its neighbours are on one line
		}
		if space == "" && len(to.children) == 1 && style.newline == "" {
			space = " "
		}
		return splice(d.text, last.end, last.end, ","+space+write(style, depth+1))
	}
	inner := string(d.text[to.start+1 : to.end-1])
	if style.newline != "" && !strings.Contains(inner, "\n") {
		inner += style.newline + strings.Repeat(style.unit, depth)
	}
	if style.newline == "" {
		return splice(d.text, to.start+1, to.start+1, write(style, depth+1))
	}
	return splice(d.text, to.start+1, to.end-1, style.newline+strings.Repeat(style.unit, depth+1)+write(style, depth+1)+inner)
}

// remove returns the text without a child and the comma before it, or after it if it is the first.
func (d *document) remove(from, child *node) []byte {
	for i, c := range from.children {
		switch {
		case c != child:
		case i > 0:
			before := from.children[i-1].end
			return splice(d.text, before+bytes.IndexByte(d.text[before:], ','), child.end, "")
		case len(from.children) > 1:
			return splice(d.text, child.nameStart, from.children[1].nameStart, "")
		default:
			return splice(d.text, from.start+1, from.end-1, "")
		}
	}
	return d.text
}

func (d *document) spaceBefore(at int) string {
	start := at
	for start > 0 && strings.IndexByte(" \t\r\n", d.text[start-1]) >= 0 {
		start--
	}
	return string(d.text[start:at])
}

func (d *document) depth(n, to *node, depth int) int {
	if n == to {
		return depth
	}
	for _, child := range n.children {
		if to.start >= child.start && to.end <= child.end {
			return d.depth(child, to, depth+1)
		}
	}
	return depth
}

// layout is how a document is written; newline is empty if it is on one line.
type layout struct{ newline, unit string }

// layout looks at the first member of the document.
func (d *document) layout() layout {
	style := layout{"\n", "  "}
	if len(d.root.children) == 0 {
		return style
	}
	space := d.spaceBefore(d.root.children[0].nameStart)
	if !strings.Contains(space, "\n") {
		return layout{}
	}
	if strings.Contains(space, "\r\n") {
		style.newline = "\r\n"
	}
	if unit := space[strings.LastIndex(space, "\n")+1:]; unit != "" {
		style.unit = unit
	}
	return style
}

func (l layout) write(value any, depth int) string {
	switch value := value.(type) {
	case string:
		return quoted(value)
	case object:
		parts := make([]string, len(value))
		for i, m := range value {
			parts[i] = quoted(m.name) + ": " + l.write(m.value, depth+1)
		}
		return l.enclose("{", parts, "}", depth)
	case []any:
		parts := make([]string, len(value))
		for i, element := range value {
			parts[i] = l.write(element, depth+1)
		}
		return l.enclose("[", parts, "]", depth)
	}
	return fmt.Sprint(value)
}

func (l layout) enclose(open string, parts []string, end string, depth int) string {
	if l.newline == "" {
		return open + strings.Join(parts, ", ") + end
	}
	inner := l.newline + strings.Repeat(l.unit, depth+1)
	return open + inner + strings.Join(parts, ","+inner) + l.newline + strings.Repeat(l.unit, depth) + end
}
