//go:build postgres

package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oklog/ulid/v2"

	"track"
	"track/internal/testpostgres"
	"track/store"
)

// Writers of one configuration change no row in common: none runs a transaction again because of another. A writer that
// knows the names stores a seed with its values in one statement.
func TestWritersOfOneConfigurationPostgres(t *testing.T) {
	server := startServer(t)
	path := postgres(t, server)
	var attempts atomic.Int64
	record := func(st *store.Store, number track.SeedNumber) error {
		return st.Update(t.Context(), func(tx *store.Tx) error {
			attempts.Add(1)
			seed := track.Seed{ID: ulid.Make().String(), Scenario: "s", Number: number, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}, RecordedAt: clock()}
			_, _, err := tx.AddSeed(seed, seed.Digest())
			return err
		})
	}
	if err := record(openDatabase(t, path), 0); err != nil { // makes what they share
		t.Fatal(err)
	}
	var messages atomic.Int64
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Statement: func() bool { messages.Add(1); return false }})
	counted := openDatabase(t, proxy.Through(t, path))
	for i, want := range []int64{37, 6} { // messages: statements are prepared by the first, the second asks for withdrawals, and inserts

		messages.Store(0)
		if err := record(counted, track.SeedNumber(1<<32+i)); err != nil {
			t.Fatal(err)
		}
		if n := messages.Load(); n != want {
			t.Errorf("transaction %d sent %d messages, want %d", i+1, n, want)
		}
	}
	attempts.Store(1)
	const writers, each = 32, 20
	var all sync.WaitGroup
	for i := range writers {
		st := openDatabase(t, path)
		all.Go(func() {
			for k := range each {
				if err := record(st, track.SeedNumber(1+i*each+k)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := attempts.Load(); n != 1+writers*each {
		t.Errorf("%d transactions for %d seeds", n, 1+writers*each)
	}
}

// Writers that add the same names at once come in each other's way, and all of them record.
func TestWritersOfNewNamesPostgres(t *testing.T) {
	path := postgres(t, startServer(t))
	const writers = 8
	var attempts atomic.Int64
	var begun, all sync.WaitGroup
	begun.Add(writers)
	for i := range writers {
		st := openDatabase(t, path)
		wait := sync.OnceFunc(func() { begun.Done(); begun.Wait() }) // none sees what another adds
		all.Go(func() {
			err := st.Update(t.Context(), func(tx *store.Tx) error {
				attempts.Add(1)
				wait()
				seed := track.Seed{ID: ulid.Make().String(), Scenario: "s", Number: track.SeedNumber(i), Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1, "b": 2}, RecordedAt: clock()}
				_, _, err := tx.AddSeed(seed, seed.Digest())
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	st := openDatabase(t, path)
	names, err := st.Scenarios(t.Context())
	list, seedsErr := st.Seeds(t.Context(), store.SeedFilter{})
	if err != nil || seedsErr != nil || len(list) != writers || len(names) != 1 {
		t.Errorf("%d seeds of %q, %v %v; want %d of one scenario", len(list), names, err, seedsErr, writers)
	}
	if n := attempts.Load(); n <= writers {
		t.Errorf("%d transactions: none came in the way of another", n)
	}
}
