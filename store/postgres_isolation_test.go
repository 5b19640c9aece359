package store_test

import (
	"os"
	"testing"

	"track/store"
	"track/store/storetest"
)

// The store says itself how its transactions are isolated, whatever a server does by default.
func TestSuitePostgresIsolation(t *testing.T) {
	if os.Getenv("TRACK_POSTGRES_MORE") == "" {
		t.Skip("make test-postgres-more runs it")
	}
	for _, level := range []string{"serializable", "read committed"} {
		t.Run(level, func(t *testing.T) {
			server := startServer(t, "default_transaction_isolation="+level)
			storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, postgres(t, server)) })
		})
	}
}
