//go:build postgres

package store_test

import (
	"testing"

	"track/store"
	"track/store/storetest"
)

func TestSuitePostgres(t *testing.T) {
	server, rows := startServer(t), map[string]int64{}
	storetest.Run(t, func(t *testing.T) *store.Store {
		st := openDatabase(t, postgres(t, server))
		t.Cleanup(func() { checkDistribution(t, st, rows) })
		return st
	})
	for table := range ownedBy {
		if rows[table] == 0 {
			t.Errorf("no test stores anything in %s", table)
		}
	}
}
