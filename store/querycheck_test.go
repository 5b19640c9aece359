package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
)

// escapes are statements that reach for more than the views, however they hide it. FORBIDDEN stands for tables and for
// what SQLite and PostgreSQL have besides.
var escapes = []string{
	"SELECT * FROM FORBIDDEN",
	"select*from/**/FORBIDDEN",
	"SELECT * FROM -- v_seed\n FORBIDDEN",
	"SELECT * FROM /* v_seed */ FORBIDDEN --",
	"SELECT * FROM \"FORBIDDEN\"",
	"SELECT * FROM v_seed, FORBIDDEN",
	"SELECT * FROM v_seed AS a, FORBIDDEN AS b",
	"SELECT * FROM v_seed a JOIN FORBIDDEN ON 1=1",
	"SELECT * FROM v_seed NATURAL JOIN FORBIDDEN",
	"SELECT * FROM v_seed CROSS JOIN (SELECT * FROM FORBIDDEN) AS x",
	"SELECT * FROM v_seed LEFT JOIN (FORBIDDEN) ON 1=1",
	"SELECT * FROM (FORBIDDEN)",
	"SELECT * FROM ((FORBIDDEN))",
	"SELECT * FROM (v_seed CROSS JOIN FORBIDDEN)",
	"SELECT * FROM (SELECT * FROM (SELECT * FROM FORBIDDEN) AS a) AS b",
	"SELECT (SELECT 1 FROM FORBIDDEN LIMIT 1)",
	"SELECT 1 WHERE EXISTS (SELECT 1 FROM FORBIDDEN)",
	"SELECT 1 WHERE 1 IN (SELECT 1 FROM FORBIDDEN)",
	"SELECT 1 WHERE 1 IN FORBIDDEN",
	"SELECT 1 WHERE 1 NOT IN FORBIDDEN",
	"SELECT 1 UNION SELECT 1 FROM FORBIDDEN",
	"SELECT 1 UNION ALL SELECT 1 FROM v_seed, FORBIDDEN",
	"SELECT scenario FROM v_seed WHERE 1=1 INTERSECT SELECT name FROM FORBIDDEN",
	"SELECT 1 EXCEPT (SELECT 1 FROM FORBIDDEN)",
	"VALUES ((SELECT count(*) FROM FORBIDDEN))",
	"SELECT * FROM v_seed ORDER BY (SELECT 1 FROM FORBIDDEN)",
	"SELECT * FROM v_seed LIMIT (SELECT count(*) FROM FORBIDDEN)",
	"SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM FORBIDDEN)) FROM v_seed",
	"SELECT 1 FROM v_seed WINDOW, FORBIDDEN",
	"SELECT 1 FROM v_seed offset, FORBIDDEN",
	"SELECT 1 FROM v_seed filter, FORBIDDEN",
	"SELECT 1 FROM v_seed \"where\", FORBIDDEN",
	"SELECT 1 FROM v_seed AS \"group\", FORBIDDEN",
	"SELECT 1 IS DISTINCT FROM 2, a FROM FORBIDDEN",
	"SELECT DISTINCT FROM FORBIDDEN",
	"SELECT NOT DISTINCT FROM FORBIDDEN",
	"SELECT 1 AS \"is\" FROM FORBIDDEN",
	"SELECT 1.FROM FORBIDDEN",
	"SELECT 1.5FROM FORBIDDEN",
	"SELECT 0x1FROM FORBIDDEN",
	"SELECT 'a'FROM FORBIDDEN",
	"SELECT \"a\"FROM FORBIDDEN",
	"SELECT '''' FROM FORBIDDEN --'",
	"SELECT '--' FROM FORBIDDEN",
	"SELECT '/*' FROM FORBIDDEN --*/",
	"SELECT \"'\" FROM FORBIDDEN --'",
	"SELECT '\\' FROM FORBIDDEN --'",
	"SELECT E'\\' FROM v_seed --' FROM FORBIDDEN",
	"SELECT U&'\\0027' FROM FORBIDDEN",
	"SELECT * FROM U&\"\\0074oken\"",
	"SELECT $$'$$ FROM FORBIDDEN --'",
	"SELECT $a$ ' $a$ FROM FORBIDDEN --'",
	"SELECT :a(')FROM/**/FORBIDDEN--')",
	"SELECT $a(')FROM/**/FORBIDDEN--')",
	"SELECT @a(')FROM/**/FORBIDDEN--')",
	"SELECT #a(')FROM/**/FORBIDDEN--')",
	"SELECT 1 /* /* */ FROM v_seed */ FROM FORBIDDEN",
	"SELECT 1 -- \r FROM FORBIDDEN",
	"SELECT 1 --\rFROM FORBIDDEN\n",
	"SELECT 1 FROM v_seed; SELECT 1 FROM FORBIDDEN",
	"SELECT 1;;SELECT 1 FROM FORBIDDEN",
	"SELECT 1\x00 FROM FORBIDDEN",
	"SELECT * FROM \ufeffFORBIDDEN",
	"WITH \"\ufeffFORBIDDEN\" AS (SELECT 1) SELECT * FROM \ufeffFORBIDDEN",
	"SELECT * FROM\u00a0FORBIDDEN",
	"SELECT * FROM\vFORBIDDEN",
	"SELECT * FROM\x01FORBIDDEN",
	"SELECT \xff FROM FORBIDDEN",
	"WITH a AS (SELECT * FROM FORBIDDEN) SELECT * FROM a",
	"WITH a AS (SELECT 1), b AS (SELECT * FROM a, FORBIDDEN) SELECT * FROM b",
	"WITH FORBIDDEN AS (SELECT * FROM FORBIDDEN) SELECT * FROM FORBIDDEN",
	"SELECT * FROM FORBIDDEN WHERE EXISTS (WITH FORBIDDEN AS (SELECT 1) SELECT * FROM FORBIDDEN)",
	"SELECT (WITH FORBIDDEN AS (SELECT 1) SELECT 1), (SELECT 1 FROM FORBIDDEN)",
	"(WITH FORBIDDEN AS (SELECT 1) SELECT 1) UNION SELECT 1 FROM FORBIDDEN",
	"WITH a AS (SELECT 1), FORBIDDEN AS (SELECT 2), b AS (SELECT * FROM other) SELECT 1",
	"WITH a(FORBIDDEN) AS (SELECT 1) SELECT * FROM FORBIDDEN",
	"WITH a AS (WITH FORBIDDEN AS (SELECT 1) SELECT 1) SELECT * FROM FORBIDDEN",
	"WITH \"Token\" AS (SELECT 1) SELECT * FROM FORBIDDEN",
	"WITH a AS (DELETE FROM FORBIDDEN RETURNING *) SELECT * FROM a",
	"WITH a AS (SELECT 1) DELETE FROM FORBIDDEN",
	"WITH a AS (SELECT 1) INSERT INTO FORBIDDEN SELECT * FROM a",
	"SELECT * FROM main.FORBIDDEN", "SELECT * FROM \"main\".\"FORBIDDEN\"", "SELECT * FROM public.FORBIDDEN", "SELECT * FROM main . /**/ FORBIDDEN",
	"TABLE FORBIDDEN", "SELECT * FROM (TABLE FORBIDDEN) AS x", "SELECT 1 UNION TABLE FORBIDDEN", "SELECT 1 WHERE 1 = ANY (TABLE FORBIDDEN)",
	"SELECT * FROM ONLY FORBIDDEN", "SELECT * FROM LATERAL FORBIDDEN", "SELECT * FROM v_seed, LATERAL (SELECT * FROM FORBIDDEN) AS x",
	"SELECT * INTO made FROM v_seed", "EXPLAIN SELECT * FROM FORBIDDEN", "EXPLAIN ANALYZE SELECT 1", "DELETE FROM FORBIDDEN", "PRAGMA table_info(FORBIDDEN)",
	"ATTACH 'x' AS y", "VACUUM INTO 'x'", "COPY FORBIDDEN TO '/tmp/x'", "BEGIN", "SET ROLE track", "DO $$ BEGIN END $$", "LISTEN x", "",
	";", "(", "SELECT (1", "SELECT 1)", "SELECT 'a", "SELECT \"a", "SELECT 1 /*", "SELECT $1", "SELECT :x",
	"SELECT * FROM " + strings.Repeat("(", 500) + "FORBIDDEN",
}

// forbiddenTables are names of tables, of each kind.
var forbiddenTables = []string{"token", "seed", "sqlite_master", "sqlite_schema", "sqlite_dbpage", "dbstat", "text_index", "text_index_data", "pragma_table_list",
	"pg_authid", "pg_catalog", "information_schema", "goose_db_version", "[token]", "`token`"}

// forbiddenCalls are calls of functions, each of which goes in the place of an expression and of a table.
var forbiddenCalls = []string{
	"load_extension('x')", "readfile('/etc/passwd')", "writefile('x', 'y')", "edit('x')", "sqlite_compileoption_get(1)", "fts5(1)", "snippet(text_index, 0, '', '', '', 1)",
	"LOAD_EXTENSION ('x')", "load_extension/**/('x')", "load_extension\n--\n('x')", "\"load_extension\"('x')", "`load_extension`('x')",
	"pragma_table_info('token')", "\"pragma_table_info\"('token')", "pragma_database_list()", "main.pragma_table_info('token')",
	"pg_terminate_backend(1)", "pg_catalog.pg_sleep(1)", "pg_sleep(1)", "\"pg_sleep\"(1)", "PG_SLEEP(1)", "pg_read_file('/etc/passwd')", "lo_import('/etc/passwd')",
	"lo_create(0)", "pg_advisory_lock(1)", "set_config('role', 'track', false)", "current_setting('data_directory')", "dblink('x')", "query_to_xml('SELECT 1', true, true, '')",
	"nextval('x')", "pg_ls_dir('/')", "has_table_privilege('token', 'select')", "public.lower('x')", "inet_server_addr()", "version()", "pg_notify('a', 'b')",
	"xmlparse('x')", "txid_current()",
}

// No statement that reaches for more than the views passes, on either database.
func TestEscapes(t *testing.T) {
	for _, isServer := range []bool{false, true} {
		refused := func(query string) {
			t.Helper()
			if err := checkQuery(query, isServer); !errors.Is(err, track.ErrInvalid) {
				t.Errorf("server %t: %q passes: %v", isServer, query, err)
			}
		}
		for _, escape := range escapes {
			for _, table := range forbiddenTables {
				refused(strings.ReplaceAll(strings.ReplaceAll(escape, `"FORBIDDEN"`, `"`+strings.Trim(table, "[]`")+`"`), "FORBIDDEN", table))
			}
		}
		for _, call := range forbiddenCalls {
			for _, form := range []string{"SELECT %s", "SELECT * FROM %s", "SELECT * FROM v_seed, %s AS x", "SELECT * FROM v_seed WHERE %s > 0", "SELECT 1 ORDER BY %s",
				"WITH a AS (SELECT %s) SELECT * FROM a", "SELECT abs(%s)", "VALUES (%s)", "SELECT (CASE WHEN 1 THEN %s END)", "SELECT 1 AS a, %s"} {
				refused(fmt.Sprintf(form, call))
			}
		}
	}
	for _, query := range []string{"SELECT ?", "SELECT @x", "SELECT [load_extension]('x')", "SELECT [pragma_table_info]('x') FROM [token]"} { // operators, and an array
		if err := checkQuery(query, false); !errors.Is(err, track.ErrInvalid) {
			t.Errorf("%q: %v", query, err)
		}
	}
	for _, query := range []string{"SELECT 'token'::regclass", "SELECT CAST('token' AS pg_catalog.regclass)", "SELECT session_user", "SELECT current_catalog"} {
		if err := checkQuery(query, true); !errors.Is(err, track.ErrForbidden) {
			t.Errorf("%q: %v", query, err)
		}
	}
}

// What a reader may not name is told from SQL that is wrong.
func TestForbiddenNames(t *testing.T) {
	for query, isForbidden := range map[string]bool{
		"SELECT * FROM token": true, "SELECT load_extension('x')": true, "SELECT * FROM pragma_table_info('token')": true, "SELECT * FROM main.v_seed": true,
		"DELETE FROM seed": false, "SELECT * FROM v_sed": false, "SELECT 1; SELECT 2": false, "SELECT 'x": false,
	} {
		if err := checkQuery(query, false); !errors.Is(err, track.ErrInvalid) || errors.Is(err, track.ErrForbidden) != isForbidden {
			t.Errorf("%s: %v, forbidden %t", query, err, isForbidden)
		}
	}
}

// Plain queries pass, and SQLite understands them.
func TestPlainQueriesPass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "track.db")
	if _, err := Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st, err := Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	for _, query := range []string{
		"SELECT 1", "VALUES (1), (2)", "SELECT * FROM v_seed;", "SELECT s.seed FROM V_SEED AS s, v_value v WHERE s.id = v.id -- a comment\n", "SELECT 'it''s; -- no comment', x'00ff'",
		"SELECT * FROM v_seed s LEFT JOIN v_param p USING (configuration) WHERE p.number BETWEEN 1 AND 2 ORDER BY s.seed, p.param LIMIT 5, 10",
		"SELECT head_before IS DISTINCT FROM head_after, head_before IS NOT DISTINCT FROM head_after FROM v_ledger",
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i, sum(i) OVER (ORDER BY i ROWS 2 PRECEDING) FROM n",
		"WITH a AS (SELECT seed FROM v_seed), b (x) AS MATERIALIZED (SELECT seed FROM a) SELECT count(*) FILTER (WHERE x IN ('1', '2')) FROM a JOIN b ON (b.x = a.seed)",
		"SELECT key, value FROM v_seed, json_each(v_seed.params)", "SELECT body ->> '$.trigger', body -> '$.a' FROM v_ledger WHERE kind = 'rollback'",
		"SELECT avg(total_score) OVER w FROM v_seed WINDOW w AS (PARTITION BY scenario)", "SELECT CASE WHEN 1 THEN (SELECT max(score) FROM v_result) ELSE coalesce(NULL, 2) END",
		"SELECT CAST(1 AS DECIMAL(10, 2)), \"seed\", [label], `scenario` FROM \"v_seed\"", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM v_seed GROUP BY label HAVING count(*) > 1)",
		"SELECT scenario FROM v_seed UNION SELECT lineage FROM v_execution EXCEPT SELECT 'x' ORDER BY 1", "SELECT .5, 1e3, 0x1F, 1.5e-3, -1", "SELECT group_concat(DISTINCT metric) FROM v_result",
	} {
		if _, err := st.QueryViews(t.Context(), query, func([]string, []any) error { return nil }); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, query := range []string{
		"(SELECT 1) UNION (SELECT 2)", "SELECT extract(epoch FROM to_timestamp(started_at, 'YYYY')), substring(seed FROM 1 FOR 2), trim(both ' ' FROM label) FROM v_seed",
		"SELECT seed::numeric(10, 2), params::json ->> 'a', ARRAY[1, 2] FROM v_seed", "SELECT * FROM generate_series(1, 3) AS n(i)", "SELECT x FROM v_seed, LATERAL (SELECT 1 AS x) AS y",
		"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM v_value", "SELECT array_agg(seed ORDER BY seed) FROM v_seed GROUP BY GROUPING SETS ((label), ())",
	} {
		if err := checkQuery(query, true); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// The page of SQL lists the views and the functions.
func TestPageListsFunctions(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "reference", "sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n## Functions\n")
	list, _, _ = strings.Cut(list, "\n## ")
	got := regexp.MustCompile(`[a-z0-9_]+`).FindAllString(strings.Join(regexp.MustCompile("(?m)^    .*$").FindAllString(list, -1), " "), -1)
	want := slices.Sorted(slices.Values(slices.Concat(queryFunctions, tableFunctions)))
	if !slices.Equal(got, want) {
		t.Errorf("the page lists %d functions, want %s", len(got), strings.Join(want, " "))
	}
}
