package textdiff

import (
	"unicode"
	"unicode/utf8"
)

// Piece is a part of a text that the other text has too, or has not.
type Piece struct {
	Text    string
	Changed bool
}

// mostWords is the product of the numbers of words up to which two texts are compared.
const mostWords = 1_000_000

// Words compares two texts word by word, and returns the pieces of each. Texts that have little in common, or too many
// words, are one piece each: marking nearly all of a text helps nobody.
func Words(from, to string) (old, changed []Piece) {
	a, b := words(from), words(to)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	n, m := len(a)-start-end, len(b)-start-end
	if n*m > mostWords {
		return []Piece{{Text: from}}, []Piece{{Text: to}}
	}
	inA, inB := common(a[start:start+n], b[start:start+m])
	same := 0
	for i, word := range a {
		if i < start || i >= start+n || inA[i-start] {
			same += len(word)
		}
	}
	if 3*same < min(len(from), len(to)) {
		return []Piece{{Text: from}}, []Piece{{Text: to}}
	}
	return pieces(a, start, inA), pieces(b, start, inB)
}

// words cuts a text into words, runs of white space, and single other characters.
func words(text string) (list []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return 1
		case r != '\n' && unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	for text != "" {
		first, size := utf8.DecodeRuneInString(text)
		if of := kind(first); of != 0 {
			for size < len(text) {
				next, more := utf8.DecodeRuneInString(text[size:])
				if kind(next) != of {
					break
				}
				size += more
			}
		}
		list, text = append(list, text[:size]), text[size:]
	}
	return list
}

// weight is what a word counts in what two texts share: a word tells more than the space beside it.
func weight(word string) int32 {
	if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) || unicode.IsDigit(r) {
		return 4
	}
	return 1
}

// common says which words of two lists are in their heaviest common subsequence.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	row := len(b) + 1
	longest := make([]int32, (len(a)+1)*row) // weight of what begins at each pair
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i*row+j] = max(longest[(i+1)*row+j], longest[i*row+j+1])
			if a[i] == b[j] {
				longest[i*row+j] = max(longest[i*row+j], longest[(i+1)*row+j+1]+weight(a[i]))
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j] && longest[i*row+j] == longest[(i+1)*row+j+1]+weight(a[i]):
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case longest[(i+1)*row+j] >= longest[i*row+j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

// pieces joins words to pieces. All but the middle, of which is says what it shares, is common.
func pieces(list []string, start int, shared []bool) (joined []Piece) {
	for i, word := range list {
		changed := i >= start && i < start+len(shared) && !shared[i-start]
		if last := len(joined) - 1; last >= 0 && joined[last].Changed == changed {
			joined[last].Text += word
		} else {
			joined = append(joined, Piece{word, changed})
		}
	}
	return joined
}
