package escape

import (
	"fmt"
	"strings"
	"unicode"
)

// Mermaid makes a line of s that stands in a quoted label of a Mermaid diagram. All that Mermaid, or the Markdown or HTML it reads in
// labels, could make something of becomes the number of the character.
func Mermaid(s string) string {
	s = Line(s)
	var b strings.Builder
	for i, r := range s {
		if inLabel(r) || strings.ContainsRune(".-+,", r) && !ends(s[i+1:]) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// inLabel says that r is but itself in a label. Mermaid holds the places of characters written as numbers with ﬂ, °, ¶ and ß.
func inLabel(r rune) bool {
	switch {
	case r == 'ﬂ' || r == '°' || r == '¶' || r == 'ß':
		return false
	case r < unicode.MaxASCII:
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ()/?!", r)
	}
	return unicode.IsGraphic(r)
}

// ends says that nothing but a space, or no text at all, follows: a dot there makes a list of a number, and a dash an item.
func ends(rest string) bool { return rest == "" || rest[0] == ' ' }
