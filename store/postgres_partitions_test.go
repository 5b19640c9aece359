//go:build nightly && postgres

package store_test

import (
	"fmt"
	"strings"
	"testing"

	"track/internal/testpostgres"
	"track/store"
	"track/store/storetest"
)

// partitionTable moves a table to partitions. PostgreSQL refuses keys that do not contain the column, as a cluster
// does.
const partitionTable = `
	ALTER TABLE %[1]s RENAME TO %[1]s_whole;
	CREATE TABLE %[1]s (LIKE %[1]s_whole INCLUDING ALL) PARTITION BY HASH (%[2]s);
	CREATE TABLE %[1]s_0 PARTITION OF %[1]s FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE %[1]s_1 PARTITION OF %[1]s FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE %[1]s_2 PARTITION OF %[1]s FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	DROP TABLE %[1]s_whole CASCADE;`

// Everything works on tables that are divided by the column that every key of them contains.
func TestSuitePostgresPartitions(t *testing.T) {
	server := startServer(t)
	tables := map[string]string{"seed": "configuration_id", "execution": "lineage_id", "series_content": "hash", "artifact_content": "hash", "attachment": "hash", "ledger": "lineage_id"}
	for table, of := range ownedBy {
		tables[table] = of.column
	}
	var statements strings.Builder
	for table, column := range tables {
		fmt.Fprintf(&statements, partitionTable, table, column)
	}
	storetest.Run(t, func(t *testing.T) *store.Store {
		path := postgres(t, server)
		text := `CREATE TEMPORARY TABLE kept AS SELECT viewname, pg_get_viewdef(CAST(quote_ident(viewname) AS regclass)) AS definition FROM pg_views WHERE schemaname = current_schema();` +
			statements.String() + viewsAgain
		if err := testpostgres.Exec(path, text); err != nil {
			t.Fatal(err)
		}
		return openDatabase(t, path)
	})
}

// viewsAgain creates the views that are gone with their tables, those that others are made of first.
const viewsAgain = `
	DO $$ DECLARE gone record; BEGIN
	  FOR gone IN SELECT * FROM kept ORDER BY viewname LIKE 'v\_%', viewname LOOP
	    IF to_regclass(quote_ident(gone.viewname)) IS NULL THEN
	      EXECUTE 'CREATE VIEW ' || quote_ident(gone.viewname) || ' AS ' || gone.definition;
	    END IF;
	  END LOOP;
	END $$`
