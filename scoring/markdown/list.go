package markdown

import "strings"

// openItem opens an item if rest begins one, in the list at depth if it has the same marker, else in a new list. The
// line is then read up to the content of the item.
func (p *parser) openItem(depth *int, columns int, rest string, inProse bool) bool {
	length := markerLength(rest)
	if length == 0 || isThematicBreak(rest) || inProse && underline(rest) > 0 {
		return false
	}
	content := rest[length:]
	blank := strings.Trim(content, white) == ""
	if inProse && (blank || length > 1 && strings.TrimLeft(rest[:length-1], "0") != "1") {
		return false // in a paragraph only an item with content opens a list, and if it is numbered, as number 1
	}
	if !blank && content[0] != ' ' && content[0] != '\t' {
		return false
	}
	p.line.skipIndent()
	p.line.skipBytes(length)
	if spaces, _ := p.line.indent(); blank || spaces > 4 {
		p.line.skipColumns(1)
		length++
	} else {
		length += p.line.skipColumns(spaces)
	}
	p.openList(depth, rest[markerLength(rest)-1])
	*depth = p.openContainer(*depth, container{kind: item, width: columns + length, empty: true})
	p.begins = true
	return true
}

// openList opens a list, unless the list at depth has the same marker.
func (p *parser) openList(depth *int, marker byte) {
	if *depth > 0 && p.stack[*depth-1].kind == list && p.stack[*depth-1].marker == marker {
		return
	}
	*depth = p.openContainer(*depth, container{kind: list, marker: marker})
	if p.doc.Lists++; p.doc.Lists == 1 {
		p.doc.ListLine = p.number
	}
}

// markerLength returns the length of the marker of a list item that a text begins with: - + * or up to nine digits with
// . or ) after them; 0 for none.
func markerLength(s string) int {
	if strings.IndexByte("-+*", s[0]) >= 0 {
		return 1
	}
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 9 || digits == len(s) || s[digits] != '.' && s[digits] != ')' {
		return 0
	}
	return digits + 1
}
