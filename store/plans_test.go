//go:build !race

package store_test

import (
	"database/sql"
	"regexp"
	"strings"
	"sync"
	"testing"

	"track/store"
	"track/store/storetest"
)

// big are the tables that grow with the seeds and the executions.
var big = regexp.MustCompile(
	`^SCAN (seed|rare|assessment|series_chunk|series_content|seed_series|artifact|artifact_content|look|baseline|execution|call|request|execution_score|ledger|mutation|mutation_parent|version|run|attachment)\b`)

// looksAtAll are parts of queries that nobody waits for, or that read all by what they are: they prune and list, or are
// the user's own.
var looksAtAll = regexp.MustCompile(`WITH ranked|FROM v_|lower\(version.name\)|lower\(mutation.key\)|FROM look ORDER BY id|countIndexed|superseded_at IS NOT NULL AND withdrawn_at IS NULL|is_open = 1| ORDER BY annotation.at|baseline.id = \(SELECT|execution.forgotten_at IS NULL|^\s*SELECT (DISTINCT )?'|AS kept|ulid IN \(.* OR digest IN`)

// No query of the suite looks at all seeds, values, assessments, executions, calls or entries.
func TestPlans(t *testing.T) {
	var mu sync.Mutex
	heard := map[string][]any{}
	storetest.Run(t, func(t *testing.T) *store.Store {
		st := openDatabase(t, newDatabase(t))
		st.Hear(func(query string, args []any) {
			mu.Lock()
			defer mu.Unlock()
			heard[query] = args
		})
		return st
	})
	db, err := sql.Open("sqlite", newDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if len(heard) < 100 {
		t.Errorf("%d queries were heard", len(heard))
	}
	for query, args := range heard {
		if looksAtAll.MatchString(query) || !strings.HasPrefix(strings.TrimSpace(query), "SELECT") {
			continue
		}
		rows, err := db.Query("EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var steps []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step)
		}
		all := strings.Join(steps, "\n\t")
		for i, step := range steps {
			walks := i == 0 && strings.Contains(step, " USING ") && !strings.Contains(all, "TEMP B-TREE FOR ORDER BY")
			if big.MatchString(step) && !walks {
				t.Errorf("%s:\n\t%s", query, all)
				break
			}
		}
	}
}
