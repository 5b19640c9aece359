package agents

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"track/answer"
)

// beforeMatch and behindMatch are how much of a text is shown before and behind the beginning of what was found, in
// bytes.
const beforeMatch, behindMatch = 60, 140

// snippet returns the part of a text around the first of the phrases that is in it, in one line, and where in the part
// the phrases are.
func snippet(text string, phrases []string) (part string, matches []answer.TextRange) {
	start, end := 0, min(len(text), behindMatch)
	words := cutWords(text)
	for _, phrase := range phrases {
		if found := findPhrase(words, cutWords(phrase)); len(found) > 0 {
			at := found[0]
			start, end = max(0, at.Start-beforeMatch), min(len(text), max(at.Start+behindMatch, at.End))
			break
		}
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	part = strings.Join(strings.Fields(text[start:end]), " ")
	if start > 0 {
		part = "…" + part
	}
	if end < len(text) {
		part += "…"
	}
	return part, matchesIn(part, phrases)
}

// matchesIn returns where phrases are in a text, in order; phrases that overlap or touch are one match.
func matchesIn(text string, phrases []string) []answer.TextRange {
	found, words := []answer.TextRange{}, cutWords(text)
	for _, phrase := range phrases {
		found = append(found, findPhrase(words, cutWords(phrase))...)
	}
	slices.SortFunc(found, func(a, b answer.TextRange) int { return a.Start - b.Start })
	matches := found[:0]
	for _, m := range found {
		if last := len(matches) - 1; last >= 0 && m.Start <= matches[last].End {
			matches[last].End = max(matches[last].End, m.End)
		} else {
			matches = append(matches, m)
		}
	}
	return matches
}

// word is a word of a text, as the index has it.
type word struct {
	answer.TextRange
	folded string
}

// cutWords returns the words of a text as the index cuts them: letters, digits and the marks on them.
func cutWords(text string) (words []word) {
	start := -1
	add := func(end int) {
		if start >= 0 {
			words = append(words, word{answer.TextRange{Start: start, End: end}, fold(text[start:end])})
			start = -1
		}
	}
	for i, r := range text {
		switch isWord := unicode.IsLetter(r) || unicode.IsNumber(r) || start >= 0 && unicode.Is(unicode.Mn, r); {
		case !isWord:
			add(i)
		case start < 0:
			start = i
		}
	}
	add(len(text))
	return words
}

// fold returns a word in lower case and without marks, as the index has it.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}

// findPhrase returns where the words of a phrase follow one another.
func findPhrase(words, phrase []word) (found []answer.TextRange) {
	if len(phrase) == 0 {
		return nil
	}
	for i := 0; i+len(phrase) <= len(words); i++ {
		part := words[i : i+len(phrase)]
		if slices.EqualFunc(part, phrase, func(a, b word) bool { return a.folded == b.folded }) {
			found = append(found, answer.TextRange{Start: part[0].Start, End: part[len(part)-1].End})
		}
	}
	return found
}
