package claudesettings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a JSON text with the places of its values.
type document struct {
	text []byte
	root *node
}

// node is a value: text[start:end]. That of a member of an object has a name, and begins with it at nameStart.
type node struct {
	kind       byte // of jsontext: { [ " 0 t f n
	start, end int
	nameStart  int
	name       string
	children   []*node
}

// member returns the value of a member of an object, nil where there is none.
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
	token, err := decoder.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n := &node{kind: byte(token.Kind()), end: int(decoder.InputOffset())}
	switch n.kind {
	case '{', '[':
		n.start = n.end - 1
	case '"', '0':
		n.start = n.end - d.lengthOfLast(n.end, n.kind)
		return n, nil
	default:
		n.start = n.end - len(token.String())
		return n, nil
	}
	for decoder.PeekKind() != '}' && decoder.PeekKind() != ']' {
		child, err := d.parseMember(decoder, n.kind == '{')
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	n.end = int(decoder.InputOffset())
	return n, nil
}

func (d *document) parseMember(decoder *jsontext.Decoder, named bool) (*node, error) {
	if !named {
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

// lengthOfLast returns how long the string or number is that ends here.
func (d *document) lengthOfLast(end int, kind byte) int {
	if kind == '0' {
		i := end
		for i > 0 && strings.IndexByte("0123456789+-.eE", d.text[i-1]) >= 0 {
			i--
		}
		return end - i
	}
	for i := end - 2; i >= 0; i-- {
		if d.text[i] != '"' {
			continue
		}
		slashes := 0
		for i-1-slashes >= 0 && d.text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end - i
		}
	}
	return 0
}

func (d *document) string(n *node) string {
	text, _ := jsontext.AppendUnquote(nil, d.text[n.start:n.end]) // it was read once
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
			style.newline = "" // its neighbours stand on one line
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

// remove takes a child out, with the comma that set it apart.
func (d *document) remove(from, child *node) []byte {
	for i, c := range from.children {
		switch {
		case c != child:
		case i > 0:
			return splice(d.text, from.children[i-1].end, child.end, "")
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

// layout is how a document is written: newline is empty where all stands on one line.
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
