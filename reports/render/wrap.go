package render

import (
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// displayWidth returns the number of columns that s takes on a terminal.
func displayWidth(s string) int { return text.StringWidthWithoutEscSequences(s) }

// wrap breaks a line so that no part is wider than width. It breaks at spaces, and within a word only if the word alone
// is too wide. Further parts of an indented line are indented by two more. What begins at byte kept, such as a command
// that a reader copies, stays together if it fits into a line; a negative number keeps nothing.
func wrap(line string, width, kept int) []string {
	if width <= 0 || displayWidth(line) <= width {
		return []string{line}
	}
	words, spaces := splitWords(line, kept, width)
	indent := ""
	if spaces[0] != "" {
		indent = strings.Repeat(" ", min(len(spaces[0])+2, width/2))
	}
	var lines []string
	current := spaces[0]
	for i, word := range words {
		joined := current + word
		if i > 0 {
			joined = current + spaces[i] + word
		}
		if displayWidth(joined) <= width {
			current = joined
			continue
		}
		if strings.TrimSpace(current) != "" {
			lines = append(lines, current)
			current = indent
		}
		parts := breakWord(word, width-displayWidth(current))
		for _, part := range parts[:len(parts)-1] {
			lines = append(lines, current+part)
			current = indent
		}
		current += parts[len(parts)-1]
	}
	return append(lines, current)
}

// splitWords returns the words of a line, and the spaces before each.
func splitWords(line string, kept, width int) (words, spaces []string) {
	tail := ""
	if kept >= 0 && kept < len(line) && displayWidth(line[kept:]) <= width {
		line, tail = line[:kept], line[kept:]
	}
	for {
		rest := strings.TrimLeft(line, " ")
		space := line[:len(line)-len(rest)]
		end := strings.IndexByte(rest, ' ')
		switch {
		case rest == "" && tail != "":
			return append(words, tail), append(spaces, space)
		case rest == "" && len(words) > 0:
			return words, spaces
		case end < 0:
			if words, spaces = append(words, rest), append(spaces, space); tail == "" {
				return words, spaces
			}
			return append(words, tail), append(spaces, "")
		}
		words, spaces = append(words, rest[:end]), append(spaces, space)
		line = rest[end:]
	}
}

// breakWord breaks a word into parts of at most width columns, after punctuation if there is some. A character and the
// marks on it stay together.
func breakWord(word string, width int) []string {
	const punctuation = "_-/.,:;=@&|+"
	width = max(width, 2) // of a wide character
	var parts []string
	for displayWidth(word) > width {
		end, after, taken := 0, 0, 0
		for i, r := range word {
			w := displayWidth(string(r))
			if taken+w > width && end > 0 {
				break
			}
			taken += w
			end = i + len(string(r))
			if strings.ContainsRune(punctuation, r) && taken > width/2 {
				after = end
			}
		}
		if after > 0 && after < len(word) {
			end = after
		}
		end = endOfCharacter(word, end)
		parts = append(parts, word[:end])
		word = word[end:]
	}
	if word == "" && len(parts) > 0 {
		return parts
	}
	return append(parts, word)
}

// endOfCharacter returns the first index from i on at which no mark without width belongs to the character before it.
func endOfCharacter(word string, i int) int {
	for j, r := range word[i:] {
		if !unicode.Is(unicode.M, r) && displayWidth(string(r)) > 0 {
			return i + j
		}
	}
	return len(word)
}
