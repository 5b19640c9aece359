package store

import "strings"

// words implements [engine].
func (sqliteFile) words(statement string) string {
	statement = strings.ReplaceAll(statement, "ORDERED JOIN", "CROSS JOIN")
	statement = forServers(statement, false)
	statement = strings.ReplaceAll(statement, "{has_seeds}", "scenario_configuration.n_seeds > 0")
	statement = strings.ReplaceAll(statement, "{n_seeds}", "scenario_configuration.n_seeds")
	return strings.ReplaceAll(statement, "NOINDEX ", "+")
}

// inList returns n placeholders, separated by commas. They have no numbers: SQLite takes numbered ones for names, and
// looks up each of a thousand names among all of them, which takes longer than the query.
func inList(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }
