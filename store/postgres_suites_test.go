//go:build nightly && postgres

package store_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"track/internal/testpostgres"
	"track/store"
	"track/store/storetest"
)

// Whatever is committed may fail because of another transaction, and runs again.
func TestSuitePostgresConflicts(t *testing.T) {
	server := startServer(t)
	random := rand.New(rand.NewPCG(19, 2))
	var conflicts atomic.Int64
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Commit: func() testpostgres.Fault {
		if random.IntN(3) > 0 {
			return testpostgres.None
		}
		conflicts.Add(1)
		return testpostgres.Conflict
	}})
	storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, proxy.Through(t, postgres(t, server))) })
	if n := conflicts.Load(); n < 50 {
		t.Errorf("%d conflicts in the suite, want more", n)
	}
}

// Connections are lost before COMMIT, after it, and within transactions, and commits meet others: the suite finds
// everything once.
func TestSuitePostgresFaults(t *testing.T) {
	server := startServer(t)
	faults := newRandomFaults(t, 8, 200)
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Commit: faults.commit, Statement: faults.isLostWithin})
	storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, proxy.Through(t, postgres(t, server))) })
	faults.report(t)
}
