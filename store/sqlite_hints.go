package store

import "strings"

// hinted returns a statement in the words of SQLite's planner. Statements say ORDERED JOIN for a join in the order in
// which it is written, and NOINDEX before a column that is not to choose the index.
func hinted(statement string) string {
	statement = strings.ReplaceAll(statement, "ORDERED JOIN", "CROSS JOIN")
	return strings.ReplaceAll(statement, "NOINDEX ", "+")
}

// inList returns n placeholders, separated by commas. They have no numbers: SQLite takes numbered ones for names, and
// looks up each of a thousand names among all of them, which takes longer than the query.
func inList(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// rowList returns n rows of three placeholders.
func rowList(n int) string { return strings.TrimSuffix(strings.Repeat("(?,?,?),", n), ",") }
