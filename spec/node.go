package spec

import (
	"bytes"
	"fmt"
)

// maxSize keeps a file given by mistake, a database or a log, out of the parsers. A spec of 10,000 metrics has 1.5 MB.
const maxSize = 16 << 20

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindList
	kindMapping
	kindRefused // what YAML has and spec files have not, such as an alias
)

// node is a value of the file and its place: the one form that YAML and JSON become before they are read.
type node struct {
	kind   kind
	line   int
	text   string  // of a text, number or bool, as written; of a refused node, why
	fields []field // of a mapping, in the order of the file, duplicates included; of a list, its items, without keys
}

type field struct {
	key   string
	line  int // of the key
	value node
}

// describe names the node in a message.
func (n node) describe() string {
	switch n.kind {
	case kindNull:
		return "nothing"
	case kindNumber:
		return "the number " + printable(n.text)
	case kindText:
		return "the text " + quote(n.text)
	case kindList:
		return "a list"
	case kindMapping:
		return "a mapping"
	}
	return n.text
}

var byteOrderMark = []byte("\uFEFF")

// parseTree reads the one document of a file.
func parseTree(data []byte) (node, *Problem) {
	if len(data) > maxSize {
		return node{}, &Problem{Message: fmt.Sprintf("%d bytes are too many for a spec file: the limit is %d", len(data), maxSize)}
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return jsonTree(data)
	}
	return yamlTree(data)
}

func emptyFile() *Problem {
	return &Problem{Line: 1, Message: "the file is empty", Hint: "a spec has at least scenario and metrics"}
}

func secondDocument(line int) *Problem {
	return &Problem{Line: line, Message: "a second document begins here", Hint: "write one spec per file"}
}
