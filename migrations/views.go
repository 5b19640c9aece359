package migrations

import (
	_ "embed" // of the views
	"regexp"
	"strings"
)

//go:embed views.sql
var views string

// SQLiteViews returns the statements that create the views in a file of SQLite. Constants of package scoring are named
// in braces.
func SQLiteViews() string {
	return inWordsOf(map[string]string{
		"time":     `strftime('%Y-%m-%dT%H:%M:%fZ', $1 / 1e6, 'unixepoch')`,
		"unsigned": `printf('%u', $1)`,
		"hex":      `lower(hex($1))`,
		"json":     `$1`,
		"infinity": `9e999`,
		"member":   `CASE json_extract($1, '$."' || $2 || '"') WHEN 'Infinity' THEN 9e999 WHEN '-Infinity' THEN -9e999 ELSE CAST(json_extract($1, '$."' || $2 || '"') AS REAL) END`,
		"text":     `$1 ->> '$.$2'`,
		"number":   `$1 ->> '$.$2'`,
		"integer":  `$1 ->> '$.$2'`,
		"flag":     `$1 ->> '$.$2'`,
		"object":   `$1 -> '$.$2'`,
	}, `param.value`, `CASE WHEN param.type IN ('integer', 'real') THEN CAST(param.value AS REAL) END`)
}

// PostgresViews returns the statements that create the views in a schema of PostgreSQL. Constants of package scoring
// are named in braces.
func PostgresViews() string {
	text := inWordsOf(map[string]string{
		"time":     `to_char(to_timestamp($1 / 1e6) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
		"unsigned": `CAST(CASE WHEN $1 < 0 THEN $1 + 18446744073709551616 ELSE $1 END AS text)`,
		"hex":      `encode($1, 'hex')`,
		"json":     `CAST($1 AS json)`,
		"infinity": `CAST('Infinity' AS double precision)`,
		"member":   `CAST(CAST($1 AS json) ->> CAST($2 AS text) AS double precision)`,
		"text":     `$1 #>> '{$2}'`,
		"number":   `CAST($1 #>> '{$2}' AS double precision)`,
		"integer":  `CAST($1 #>> '{$2}' AS bigint)`,
		"flag":     `CAST(CAST($1 #>> '{$2}' AS boolean) AS integer)`,
		"object":   `$1 #> '{$2}'`,
	}, `param.value #>> '{}'`, `CASE WHEN json_typeof(param.value) = 'number' THEN CAST(param.value #>> '{}' AS double precision) END`)
	return strings.ReplaceAll(text, "group_concat(", "string_agg(")
}

// inWordsOf replaces {word COLUMN PATH} by what a database says for it. A path such as decision.interval.lo leads to a
// member of a JSON object.
func inWordsOf(words map[string]string, paramValue, paramNumber string) string {
	word := regexp.MustCompile(`\{(\w+)(?: ([\w.]+))?(?: ([\w.]+))?\}`)
	return word.ReplaceAllStringFunc(views, func(found string) string {
		parts := word.FindStringSubmatch(found)
		path := parts[3]
		switch said, known := words[parts[1]]; {
		case found == "{param value}":
			return paramValue
		case found == "{param number}":
			return paramNumber
		case !known:
			return found
		default:
			if strings.Contains(said, "{$2}") {
				path = strings.ReplaceAll(path, ".", ",")
			}
			return strings.NewReplacer("$1", parts[2], "$2", path).Replace(said)
		}
	})
}
