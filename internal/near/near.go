// Package near finds names that were probably meant.
package near

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// maxEdits is the largest number of edits between two names that are near each other.
const maxEdits = 2

// Nearest returns the known name that was probably meant: the nearest one, or else the first with name as its
// beginning. It returns nothing if there is none.
func Nearest(name string, known []string) string {
	given, best, fewest := newName(name), "", maxEdits+1
	for _, candidate := range known {
		if candidate == name {
			return candidate
		}
		if edits, near := given.edits(newName(candidate)); near && edits < fewest {
			best, fewest = candidate, edits
		}
	}
	const shortest = 3 // beginning of a name
	if best != "" || len(name) < shortest {
		return best
	}
	for _, candidate := range known {
		if candidate != name && strings.HasPrefix(candidate, name) {
			return candidate
		}
	}
	return ""
}

// name is a name with what is compared of it.
type name struct {
	text     string
	folded   []rune
	rest     string // without counters
	counters string
	seen     uint64 // which letters there are, as bits; an edit changes at most two
}

func newName(text string) name {
	n := name{text: text, folded: []rune(strings.ToLower(text))}
	for _, r := range n.folded {
		if !unicode.IsDigit(r) {
			n.seen |= 1 << (uint(r) % 64)
		}
	}
	n.split()
	return n
}

// split parts the name into counters, each with a separator next to it, and the rest.
func (n *name) split() {
	var rest, counters []rune
	for i := 0; i < len(n.folded); {
		end := i + 1
		for kind := kindOf(n.folded[i]); kind != separator && end < len(n.folded) && kindOf(n.folded[end]) == kind; {
			end++
		}
		run := n.folded[i:end]
		i = end
		if kind := kindOf(run[0]); kind == separator || kind == letter && len(run) > 1 {
			rest = append(rest, run...)
			continue
		}
		counters = append(append(counters, run...), ' ')
		switch {
		case len(rest) > 0 && kindOf(rest[len(rest)-1]) == separator:
			rest = rest[:len(rest)-1]
		case len(rest) == 0 && i < len(n.folded) && kindOf(n.folded[i]) == separator:
			i++
		}
	}
	n.rest, n.counters = string(rest), string(counters)
}

// kind is a kind of character.
type kind int

const (
	separator kind = iota
	letter
	digit
)

func kindOf(r rune) kind {
	switch {
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r):
		return letter
	}
	return separator
}

// edits returns the number of letters to insert, delete, replace or exchange with the next one that make one name of
// the other. Names are near if this number is at most two and at most a third of the shorter name. Upper and lower case
// are one edit together, in a name of any length. Names that differ in their counters alone are not near: they are
// different on purpose. Counters are numbers, and letters that stand alone, as in theta2 and arm_b. A name is not near
// itself. The number is 0 for names that are not near.
func (n name) edits(other name) (edits int, near bool) {
	limit := min(maxEdits, len(n.folded)/3, len(other.folded)/3)
	if n.text != other.text && slices.Equal(n.folded, other.folded) {
		return 1, true
	}
	if limit == 0 || n.text == other.text || bits.OnesCount64(n.seen^other.seen) > 2*limit || n.rest == other.rest && n.counters != other.counters {
		return 0, false
	}
	if edits = max(1, distance(n.folded, other.folded, limit)); edits > limit {
		return 0, false
	}
	return edits, true
}

// distance returns the number of letters to insert, delete, replace or exchange with the next one, each letter once; a
// greater number than limit if there are more. Source: Boytsov, Indexing methods for approximate dictionary searching,
// 2011, section 2.1 (restricted Damerau-Levenshtein distance).
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		fewest := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j-1]+cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			fewest = min(fewest, row[j])
		}
		if fewest > limit+1 { // an exchange reaches back over one row
			return limit + 1
		}
	}
	return row[len(b)]
}

// mostNames bounds the names that a name is compared with. Nobody types names of so many.
const mostNames = 20_000

// Index finds the names that are near a name, among many.
type Index struct{ names []name }

// NewIndex returns an index of names.
func NewIndex(names []string) *Index {
	x := &Index{}
	for _, text := range names {
		x.Add(text)
	}
	return x
}

// Add adds a name.
func (x *Index) Add(text string) { x.names = append(x.names, newName(text)) }

// Near returns the names that are near a name, the nearest ones first.
func (x *Index) Near(text string) []string {
	if len(x.names) > mostNames {
		return nil
	}
	n := newName(text)
	var found [maxEdits + 1][]string
	for _, other := range x.names {
		if edits, near := n.edits(other); near {
			found[edits] = append(found[edits], other.text)
		}
	}
	return slices.Concat(found[:]...)
}
