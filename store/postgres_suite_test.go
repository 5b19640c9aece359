//go:build postgres

package store_test

import (
	"testing"

	"track/store"
	"track/store/storetest"
)

func TestSuitePostgres(t *testing.T) {
	server := startServer(t)
	storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, postgres(t, server)) })
}
