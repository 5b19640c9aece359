package migrations_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track/migrations"
)

// large are the tables of PostgreSQL with one row or more for each seed, execution or text of one, and the column that
// a cluster divides each by. What many seeds share is divided by its hash.
var large = map[string]string{
	"seed": "configuration_id", "packed_value": "configuration_id", "assessment": "configuration_id", "packed_result": "configuration_id",
	"seed_series": "configuration_id", "run": "configuration_id", "repetition": "configuration_id", "artifact": "configuration_id",
	"execution": "lineage_id", "call": "lineage_id", "request": "lineage_id", "truth": "lineage_id", "execution_score": "lineage_id", "score_document": "lineage_id", "component": "lineage_id",
	"text_index": "lineage_id", "unindexed": "lineage_id", "ledger": "lineage_id",
	"attachment": "hash", "series_content": "hash", "series_chunk": "hash", "artifact_content": "hash",
}

// small are the tables that every node of a cluster has whole. Proposals, and so versions, are far fewer than
// executions; events of hooks are removed with the end of their execution.
var small = []string{
	"actor", "annotation", "baseline", "claim", "configuration", "damage", "environment", "epoch", "hook_arrival", "hook_event", "lineage", "look", "metric", "mutation", "mutation_parent",
	"scenario", "scenario_configuration", "series_name", "spec", "spec_metric", "spool", "sweep", "sweep_configuration", "sweep_seeds", "token", "tombstone", "tool", "version", "withdrawal",
}

var (
	created   = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?(TABLE|INDEX|VIEW) (\w+)`)
	comment   = regexp.MustCompile(`--.*`)
	widened   = regexp.MustCompile(`^\s*ALTER TABLE \w+ ADD COLUMN \w+ \w+;\s*$`)
	reference = regexp.MustCompile(`REFERENCES (\w+)`)
	uniqueKey = regexp.MustCompile(`(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)`)
	ownKey    = regexp.MustCompile(`(?m)^\s*(?:CREATE TABLE \w+ \()?(\w+) [^,(]*\b(?:PRIMARY KEY|UNIQUE)\b(?: *[^ (]|$)`)
	unique    = regexp.MustCompile(`CREATE UNIQUE INDEX \w+ ON (\w+) (?:USING \w+ )?\(([^)]*)\)`)
)

// The tables of PostgreSQL can be divided by a column: no key, sequence or foreign key of a large table crosses it.
func TestDistributed(t *testing.T) {
	files, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, name := range names(t, files) {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for statement := range strings.SplitAfterSeq(comment.ReplaceAllString(up, ""), ";\n") {
			for _, problem := range distributionProblems(statement) {
				t.Errorf("%s: %s %s", name, statement, problem)
			}
		}
		all += string(text)
	}
	for _, table := range small {
		if _, isLarge := large[table]; isLarge || !strings.Contains(all, "CREATE TABLE "+table+" ") {
			t.Errorf("the small table %s is large, or does not exist", table)
		}
	}
	for table := range large {
		if !strings.Contains(all, "CREATE TABLE "+table+" ") {
			t.Errorf("the large table %s does not exist", table)
		}
	}
}

func distributionProblems(statement string) (problems []string) {
	if strings.Contains(statement, "TRIGGER") {
		return append(problems, "has a trigger")
	}
	match := created.FindStringSubmatch(statement)
	switch {
	case strings.TrimSpace(statement) == "", widened.MatchString(statement):
		return problems
	case match == nil:
		return append(problems, "creates no table, index, view or plain column")
	case match[1] == "TABLE":
		return append(problems, tableProblems(match[2], statement)...)
	}
	if match := unique.FindStringSubmatch(statement); match != nil {
		problems = append(problems, keyProblems(match[1], match[2])...)
	}
	return problems
}

func tableProblems(table, statement string) (problems []string) {
	column, isLarge := large[table]
	if !isLarge {
		if !slices.Contains(small, table) {
			problems = append(problems, "creates "+table+", which is neither in the list of large tables nor in that of small ones")
		}
		return problems
	}
	if !regexp.MustCompile(`\b` + column + ` +(bigint|bytea) +NOT NULL`).MatchString(statement) {
		problems = append(problems, "has no column "+column)
	}
	if strings.Contains(statement, "IDENTITY") || strings.Contains(statement, "serial") || strings.Contains(statement, "nextval") {
		problems = append(problems, "has a sequence on a large table")
	}
	for _, r := range reference.FindAllStringSubmatch(statement, -1) {
		if large[r[1]] != "" {
			problems = append(problems, "refers from one large table to another, "+r[1])
		}
	}
	for _, key := range append(uniqueKey.FindAllStringSubmatch(statement, -1), ownKey.FindAllStringSubmatch(statement, -1)...) {
		problems = append(problems, keyProblems(table, key[1])...)
	}
	return problems
}

// keyProblems checks a unique key with the columns of a list.
func keyProblems(table, columns string) []string {
	column := large[table]
	if column == "" || slices.Contains(strings.Split(strings.ReplaceAll(columns, " ", ""), ","), column) {
		return nil
	}
	return []string{"has a unique key (" + columns + ") of " + table + " without " + column}
}

// The check finds what it is there for.
func TestDistributionProblems(t *testing.T) {
	for migration, want := range map[string]string{
		"CREATE TABLE seed (configuration_id bigint NOT NULL, id bigint GENERATED BY DEFAULT AS IDENTITY);":                                         "has a sequence on a large table",
		"CREATE TABLE run (configuration_id bigint NOT NULL, seed_id bigint REFERENCES seed);":                                                      "refers from one large table to another, seed",
		"CREATE TRIGGER a AFTER INSERT ON seed EXECUTE FUNCTION f();":                                                                               "has a trigger",
		"ALTER TABLE seed ADD UNIQUE (id);":                                                                                                         "creates no table, index, view or plain column",
		"CREATE TABLE scenario (id bigint GENERATED BY DEFAULT AS IDENTITY); -- a small one":                                                        "",
		"CREATE TABLE visit (id bigint);":                                                                                                           "creates visit, which is neither in the list of large tables nor in that of small ones",
		"CREATE TABLE packed_value (seed_id bigint NOT NULL);":                                                                                      "has no column configuration_id",
		"CREATE TABLE packed_result (\n    configuration_id bigint NOT NULL,\n    seed_id          bigint NOT NULL,\n    PRIMARY KEY (seed_id)\n);": "has a unique key (seed_id) of packed_result without configuration_id",
		"CREATE TABLE call (\n    lineage_id bigint NOT NULL,\n    key text NOT NULL,\n    UNIQUE (key)\n);":                                        "has a unique key (key) of call without lineage_id",
		"CREATE TABLE call (\n    lineage_id bigint NOT NULL,\n    key text COLLATE \"C\" PRIMARY KEY\n);":                                          "has a unique key (key) of call without lineage_id",
		"CREATE TABLE call (\n    lineage_id bigint NOT NULL,\n    key text NOT NULL UNIQUE,\n    tool_id bigint\n);":                               "has a unique key (key) of call without lineage_id",
		"CREATE TABLE truth (\n    lineage_id bigint NOT NULL,\n    name text NOT NULL,\n    PRIMARY KEY (name, lineage_id)\n);":                    "",
		"CREATE UNIQUE INDEX seed_number ON seed (scenario_id, number) WHERE superseded_at IS NULL;":                                                "has a unique key (scenario_id, number) of seed without configuration_id",
		"CREATE UNIQUE INDEX seed_number ON seed (scenario_id, configuration_id, number);":                                                          "",
		"CREATE UNIQUE INDEX series_bytes ON series_content (n);":                                                                                   "has a unique key (n) of series_content without hash",
		"CREATE INDEX seed_recorded ON seed (recorded_at);":                                                                                         "",
	} {
		if got := distributionProblems(migration); want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", migration, got, want)
		}
	}
}
