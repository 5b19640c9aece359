package store

import (
	"strconv"
	"strings"
)

const seedsOfPair = `FROM seed AS counted WHERE counted.scenario_id = scenario_configuration.scenario_id
	   AND counted.configuration_id = scenario_configuration.configuration_id AND counted.superseded_at IS NULL`

// words implements [engine].
func (postgresSchema) words(statement string) string {
	statement = strings.ReplaceAll(statement, "ORDERED JOIN", "JOIN")
	statement = strings.ReplaceAll(statement, "NOINDEX ", "")
	statement = forServers(statement, true)
	statement = strings.ReplaceAll(statement, "{has_seeds}", "EXISTS (SELECT 1 "+seedsOfPair+")")
	statement = strings.ReplaceAll(statement, "{n_seeds}", "(SELECT count(*) "+seedsOfPair+")")
	statement = strings.ReplaceAll(statement, "IN ()", "IN (NULL)") // of an empty list
	return numberPlaceholders(statement)
}

// numberPlaceholders gives each ? of a statement the number behind the largest one before it. Quoted texts are left
// alone.
func numberPlaceholders(statement string) string {
	if !strings.Contains(statement, "?") {
		return statement
	}
	var b strings.Builder
	largest, isQuoted := 0, false
	for i := 0; i < len(statement); i++ {
		c := statement[i]
		switch {
		case c == '\'':
			isQuoted = !isQuoted
		case isQuoted:
		case c == '$':
			end := i + 1
			for end < len(statement) && statement[end] >= '0' && statement[end] <= '9' {
				end++
			}
			if n, err := strconv.Atoi(statement[i+1 : end]); err == nil {
				largest = max(largest, n)
			}
		case c == '?':
			largest++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(largest))
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
