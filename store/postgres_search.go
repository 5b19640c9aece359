package store

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// textIndex implements [engine]. The words of a text are cut here, as SQLite cuts them, so that both find the same.
func (postgresSchema) textIndex() textIndex {
	return textIndex{
		found:  `(SELECT execution_id, number, ts_rank(words, to_tsquery('simple', $1), 2) AS rank FROM text_index WHERE words @@ to_tsquery('simple', $1))`,
		remove: `DELETE FROM text_index WHERE execution_id = $1`,
		insert: `INSERT INTO text_index (execution_id, number, words) VALUES ($1, $2, to_tsvector('simple', $3))`,
		empty:  `DELETE FROM text_index`,
		notIndexed: `
	SELECT DISTINCT 'row ' || execution_id || ' of execution' FROM (` + keptTexts + `) AS kept
	 WHERE execution_id IN (SELECT id FROM execution WHERE is_indexed = 1)
	   AND NOT EXISTS (SELECT 1 FROM text_index WHERE text_index.execution_id = kept.execution_id AND text_index.number = kept.number)`,
		notKept: `
	SELECT DISTINCT 'row ' || execution_id || ' of execution' FROM text_index
	 WHERE NOT EXISTS (SELECT 1 FROM (` + keptTexts + `) AS kept WHERE text_index.execution_id = kept.execution_id AND text_index.number = kept.number)`,
		match: queryOfPhrases,
		words: func(text string) string { return strings.Join(indexedWords(text), " ") },
	}
}

// maxIndexed bounds the bytes of a text that are indexed: the words of one must fit into 1 MB, each with its places.
const maxIndexed = 256 << 10

// maxWord bounds the bytes of an indexed word.
const maxWord = 1000

// indexedWords returns the words of a text: letters and digits, in lower case, without marks.
func indexedWords(text string) []string {
	if len(text) > maxIndexed {
		text = strings.ToValidUTF8(text[:maxIndexed], "")
	}
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), text)
	if err != nil {
		plain = text
	}
	words := strings.FieldsFunc(strings.ToLower(plain), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return slices.DeleteFunc(words, func(word string) bool { return len(word) > maxWord })
}

// queryOfPhrases returns phrases as a query of tsquery, empty if there is no word in them.
func queryOfPhrases(phrases []string) string {
	var all []string
	for _, phrase := range phrases {
		if words := indexedWords(phrase); len(words) > 0 {
			all = append(all, "("+strings.Join(words, " <-> ")+")")
		}
	}
	return strings.Join(all, " & ")
}
