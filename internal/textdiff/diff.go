// Package textdiff compares texts line by line.
package textdiff

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Unified returns the unified difference of two texts, without the line that names a command, and the numbers of
// added and removed lines. It is empty if the texts are equal.
func Unified(fromName, from, toName, to string) (text string, added, removed int) {
	text = string(diff.Diff(fromName, []byte(from), toName, []byte(to)))
	_, text, _ = strings.Cut(text, "\n")
	_, body, _ := strings.Cut(text, "\n@@")
	for line := range strings.Lines(body) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return text, added, removed
}
