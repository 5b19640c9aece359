package store

import "strings"

const compactIndex = `INSERT INTO text_index (text_index) VALUES ('optimize')`

// textIndex implements [engine]. The index is a table of FTS5 without contents: the texts are in the rows of executions
// and calls. The row of a text is execution_id << 24 | its number.
func (sqliteFile) textIndex() textIndex {
	return textIndex{
		found:  `(SELECT rowid >> 24 AS execution_id, rowid & 16777215 AS number, -rank AS rank FROM text_index WHERE text_index MATCH $1)`,
		remove: `DELETE FROM text_index WHERE rowid >= $1 << 24 AND rowid < ($1 + 1) << 24`,
		insert: `INSERT INTO text_index (rowid, text) VALUES (($1 << 24) + $2, $3)`,
		empty:  `INSERT INTO text_index (text_index) VALUES ('delete-all')`,
		notIndexed: `
	SELECT DISTINCT 'row ' || execution_id || ' of execution' FROM (` + keptTexts + `) AS kept
	 WHERE execution_id IN (SELECT id FROM execution WHERE is_indexed = 1) AND (execution_id << 24) + number NOT IN (SELECT id FROM text_index_docsize)`,
		notKept: `
	SELECT DISTINCT 'row ' || (id >> 24) || ' of execution' FROM text_index_docsize
	 WHERE id NOT IN (SELECT (execution_id << 24) + number FROM (` + keptTexts + `) AS kept)`,
		match: quotedPhrases,
		words: func(text string) string { return text },
	}
}

// quotedPhrases returns phrases as a query of FTS5. A quoted phrase has no syntax that could be wrong.
func quotedPhrases(phrases []string) string {
	quoted := make([]string, len(phrases))
	for i, phrase := range phrases {
		quoted[i] = `"` + strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(phrase) + `"`
	}
	return strings.Join(quoted, " ")
}
