package store

import "strings"

// hinted returns a statement in the words of SQLite's planner. Statements say ORDERED JOIN for a join in the order in which it is written, and
// NOINDEX before a column that is not to choose the index.
func hinted(statement string) string {
	statement = strings.ReplaceAll(statement, "ORDERED JOIN", "CROSS JOIN")
	return strings.ReplaceAll(statement, "NOINDEX ", "+")
}
