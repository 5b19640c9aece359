package store_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"track"
	"track/internal/testpostgres"
	"track/store"
	"track/store/storetest"
)

// Whatever is committed may fail because of another transaction, and runs again.
func TestSuitePostgresConflicts(t *testing.T) {
	server := startServer(t)
	random := rand.New(rand.NewPCG(19, 2))
	var conflicts atomic.Int64
	proxy := testpostgres.NewProxy(t, server, func() testpostgres.Fault {
		if random.IntN(3) > 0 {
			return testpostgres.None
		}
		conflicts.Add(1)
		return testpostgres.Conflict
	})
	storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, proxy.Through(t, postgres(t, server))) })
	if n := conflicts.Load(); n < 50 {
		t.Errorf("%d conflicts in the suite, want more", n)
	}
}

// A transaction whose connection is lost is there once, whether the server had committed it or not.
func TestLostConnection(t *testing.T) {
	server := startServer(t)
	for _, test := range []struct {
		name         string
		fault        testpostgres.Fault
		relaxed      bool
		wantAttempts int
	}{
		{"before COMMIT", testpostgres.LostBefore, false, 2},
		{"after COMMIT", testpostgres.LostAfter, false, 1},
		{"after relaxed COMMIT", testpostgres.LostAfter, true, 1},
		{"after relaxed COMMIT, before another", testpostgres.LostBefore, true, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			fault := testpostgres.None
			proxy := testpostgres.NewProxy(t, server, func() testpostgres.Fault {
				defer func() { fault = testpostgres.None }()
				return fault
			})
			st := openDatabase(t, proxy.Through(t, postgres(t, server)))
			attempts := 0
			record := func(number track.SeedNumber) {
				t.Helper()
				update := st.Update
				if test.relaxed {
					update = st.UpdateRelaxed
				}
				attempts = 0
				err := update(t.Context(), func(tx *store.Tx) error {
					attempts++
					seed := track.Seed{ID: ulid.Make().String(), Scenario: "s", Number: number, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}, RecordedAt: clock()}
					_, existing, err := tx.AddSeed(seed, seed.Digest())
					if existing != nil {
						t.Errorf("attempt %d: seed %s is recorded already", attempts, number)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			record(1)
			fault = test.fault
			record(2)
			if attempts != test.wantAttempts {
				t.Errorf("%d attempts, want %d", attempts, test.wantAttempts)
			}
			record(3) // on the new connection
			if err := st.Sync(); err != nil {
				t.Error(err)
			}
			for number := range track.SeedNumber(3) {
				if _, others, err := st.SeedByNumber(t.Context(), "s", number+1, 0); err != nil || len(others) > 0 {
					t.Errorf("seed %s: %d more, error %v, want it once", number+1, len(others), err)
				}
			}
		})
	}
}

// A server that crashes loses what was not on its disk yet, and gives the numbers of lost transactions to others.
func TestCrashedServer(t *testing.T) {
	server := startServer(t, "wal_writer_delay=10s")
	database := postgres(t, server)
	st := openDatabase(t, database)
	seed := track.Seed{ID: ulid.Make().String(), Scenario: "s", Number: 1, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}, RecordedAt: clock()}
	err := st.UpdateRelaxed(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.AddSeed(seed, seed.Digest())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	crash(t, server)
	for range 20 {
		if err := testpostgres.Exec(server, "SELECT pg_current_xact_id()"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := st.SeedByNumber(t.Context(), "s", 1, 0); err == nil {
		t.Fatal("the seed is there: the server lost nothing")
	}
	if err := st.Sync(); !errors.Is(err, track.ErrDatabase) {
		t.Errorf("error %v of a sync after a crash, want one of the database", err)
	}
}

// crash kills a process of a server, and waits until the server has started again as after a crash.
func crash(t *testing.T, server string) {
	t.Helper()
	started := func() (at time.Time, err error) {
		conn, err := pgx.Connect(t.Context(), server)
		if err != nil {
			return at, err
		}
		defer func() { _ = conn.Close(t.Context()) }()
		err = conn.QueryRow(t.Context(), "SELECT backend_start FROM pg_stat_activity WHERE backend_type = 'checkpointer'").Scan(&at)
		return at, err
	}
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	before, err := started()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(int(conn.PgConn().PID()))
	if err := errors.Join(err, process.Kill()); err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil {
		if now, err := started(); err == nil && now.After(before) {
			return
		}
	}
}

// A server that is gone is named in an error, and recording goes on once it is back.
func TestServerGone(t *testing.T) {
	server := startServer(t)
	fault := testpostgres.None
	proxy := testpostgres.NewProxy(t, server, func() testpostgres.Fault { return fault })
	st := openDatabase(t, proxy.Through(t, postgres(t, server)))
	fault = testpostgres.LostBefore
	write := func(*store.Tx) error { return nil }
	if err := st.Update(t.Context(), write); !errors.Is(err, track.ErrDatabase) {
		t.Errorf("error %v, want one of the database", err)
	}
	fault = testpostgres.None
	if err := st.Update(t.Context(), write); err != nil {
		t.Error(err)
	}
}

// A failed statement that nobody minds fails the transaction: nothing of it is acknowledged.
func TestAbortedTransaction(t *testing.T) {
	st := openDatabase(t, postgres(t, startServer(t)))
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		_ = tx.AddLook(store.Look{ULID: ulid.Make().String(), Kind: "guess", N: 1, LookedAt: clock()})
		return nil
	})
	if err == nil {
		t.Error("a transaction without its statements was acknowledged")
	}
}
