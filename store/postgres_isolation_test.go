//go:build nightly && postgres

package store_test

import (
	"testing"

	"track/store"
	"track/store/storetest"
)

// The store says itself how its transactions are isolated, whatever a server does by default.
func TestSuitePostgresIsolation(t *testing.T) {
	for _, level := range []string{"serializable", "read committed"} {
		t.Run(level, func(t *testing.T) {
			server := startServer(t, "default_transaction_isolation="+level)
			storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, postgres(t, server)) })
		})
	}
}
