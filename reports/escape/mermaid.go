package escape

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Mermaid makes a line of s that stands in a quoted label of a Mermaid diagram. All that Mermaid, or the Markdown or HTML it reads in
// labels, could make something of becomes the number of the character.
func Mermaid(s string) string {
	s = Line(s)
	var b strings.Builder
	for i, r := range s {
		if bare := inLabel(r) || strings.ContainsRune(".-+", r) && !ends(s[i+1:]); bare && !(r == ' ' && after(s[:i], "direction")) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r) // among others the space of "direction LR", which is a statement wherever it stands
		}
		if means(s[i:]) {
			b.WriteString("#8203;") // which has no width
		}
	}
	return b.String()
}

// inLabel says that r is but itself in a label.
func inLabel(r rune) bool {
	if r < unicode.MaxASCII {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ()/?!,", r)
	}
	return true
}

// ends says that nothing but a space, or no text at all, follows: a dot there makes a list of a number, and a dash an item.
func ends(rest string) bool { return rest == "" || rest[0] == ' ' }

// means says that s begins with characters that mean something even if they are written as numbers, because Mermaid looks for them after it
// has read these: a formula, an icon, the end of a line, and what Mermaid itself writes in the place of numbers.
func means(s string) bool {
	return slices.ContainsFunc([]string{"$$", ":fa-", `\n`, "ﬂ°", "¶ß"}, func(start string) bool { return strings.HasPrefix(s, start) })
}
