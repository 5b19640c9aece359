//go:build postgres

package store_test

import (
	crand "crypto/rand"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"track"
	"track/internal/testdb"
	"track/internal/testpostgres"
	"track/store"
	"track/tracker/agents"
	"track/tracker/seeds"
)

// faultSeed is the seed of the faults that the suite meets; TRACK_FAULT_SEED names another one.
func faultSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("TRACK_FAULT_SEED")
	if text == "" {
		return 2026
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// randomFaults are faults at random places: at one COMMIT in commits, and one message within a transaction in messages.
type randomFaults struct {
	*rand.Rand
	seed              uint64
	commits, messages int
	met               [4]int
	within, inARow    int
}

func newRandomFaults(t *testing.T, commits, messages int) *randomFaults {
	seed := faultSeed(t)
	return &randomFaults{Rand: rand.New(rand.NewPCG(seed, 1)), seed: seed, commits: commits, messages: messages}
}

// mostFaults is how many faults follow each other at most.
const mostFaults = 3

func (f *randomFaults) commit() (fault testpostgres.Fault) {
	if f.IntN(f.commits) == 0 && f.inARow < mostFaults {
		fault = testpostgres.Fault(1 + f.IntN(3))
	}
	if f.met[fault]++; fault == testpostgres.None {
		f.inARow = 0
	} else {
		f.inARow++
	}
	return fault
}

func (f *randomFaults) isLostWithin() bool {
	isLost := f.IntN(f.messages) == 0 && f.inARow < mostFaults
	if isLost {
		f.within++
		f.inARow++
	}
	return isLost
}

func (f *randomFaults) report(t *testing.T) {
	t.Helper()
	t.Logf("seed %d: %d commits: %d conflicts, %d connections lost before and %d after; %d lost within", f.seed, f.met[0], f.met[1], f.met[2], f.met[3], f.within)
	if min(f.met[1], f.met[2], f.met[3], f.within) < 5 {
		t.Error("want more faults")
	}
}

// Seeds and executions without keys are there once, whatever happens to the connections of their transactions.
func TestFaultsPostgres(t *testing.T) {
	const n = 60
	server := startServer(t)
	faults := newRandomFaults(t, 3, 60)
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Commit: faults.commit, Statement: faults.isLostWithin})
	schema := postgres(t, server)
	st := openDatabase(t, proxy.Through(t, schema))
	recordSeeds := seeds.NewRecorder(st, seeds.Options{}, crand.Reader)
	recordExecutions := agents.NewRecorder(st, agents.Options{}, crand.Reader)
	for i := range n {
		result, err := recordSeeds.Record(t.Context(), track.Seed{Scenario: "s", Number: track.SeedNumber(i), Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}})
		if err != nil || result.Disposition != track.Recorded {
			t.Fatalf("seed %d: %s, error %v", i, result.Disposition, err)
		}
		results, err := recordExecutions.Record(t.Context(), []track.Execution{{Lineage: "l", Version: "v", Task: strconv.Itoa(i)}}, false)
		if err != nil || results[0].Disposition != track.Recorded {
			t.Fatalf("execution %d: %+v, error %v", i, results, err)
		}
	}
	faults.report(t)
	counts := testdb.Rows(t, openDatabase(t, schema), `SELECT count(*), count(DISTINCT number), (SELECT count(*) FROM execution), (SELECT count(DISTINCT task) FROM execution) FROM seed`)
	if want := []any{int64(n), int64(n), int64(n), int64(n)}; !slices.Equal(counts[0], want) {
		t.Errorf("%v seeds and executions, want %v", counts[0], want)
	}
}

// A server that crashes after COMMIT and before its answer has forgotten the number of the transaction. Its record
// tells: nothing is recorded again.
func TestCrashAfterCommitPostgres(t *testing.T) {
	for _, relaxed := range []bool{false, true} {
		server := startServer(t, "wal_writer_delay=10s")
		fault, attempts := testpostgres.None, 0
		proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{
			Commit: func() testpostgres.Fault {
				defer func() { fault = testpostgres.None }()
				return fault
			},
			Committed: func() { crash(t, server) },
		})
		schema := postgres(t, server)
		st := openDatabase(t, proxy.Through(t, schema))
		update := st.Update
		if relaxed {
			update = st.UpdateRelaxed
		}
		fault = testpostgres.LostAfter
		err := update(t.Context(), func(tx *store.Tx) error {
			attempts++
			_, err := tx.AddExecution(store.ExecutionRecord{Execution: track.Execution{ID: ulid.Make().String(), Lineage: "l", Version: "v", Key: ulid.Make().String(), Status: track.ExecutionOK}})
			return err
		})
		want := 1 // a relaxed COMMIT is lost with the server
		if relaxed {
			want = 2
		}
		if err != nil || attempts != want {
			t.Errorf("relaxed %v: %d attempts, error %v, want %d", relaxed, attempts, err, want)
		}
		if err := st.Sync(); err != nil {
			t.Error(err)
		}
		if n := testdb.Rows(t, openDatabase(t, schema), "SELECT count(*) FROM execution")[0][0]; n != int64(1) {
			t.Errorf("relaxed %v: %v executions, want 1", relaxed, n)
		}
	}
}

// A transaction whose connection is lost is there once, whether the server had committed it or not.
func TestLostConnectionPostgres(t *testing.T) {
	server := startServer(t)
	const statisticsReset = "after COMMIT, statistics reset by hand"
	for _, test := range []struct {
		name         string
		fault        testpostgres.Fault
		relaxed      bool
		wantAttempts int
	}{
		{"before COMMIT", testpostgres.LostBefore, false, 2},
		{"after COMMIT", testpostgres.LostAfter, false, 1},
		{statisticsReset, testpostgres.LostAfter, false, 1},
		{"after relaxed COMMIT", testpostgres.LostAfter, true, 1},
		{"after relaxed COMMIT, before another", testpostgres.LostBefore, true, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			fault := testpostgres.None
			proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Commit: func() testpostgres.Fault {
				defer func() { fault = testpostgres.None }()
				return fault
			}})
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
			if test.name == statisticsReset {
				if err := testpostgres.Exec(server, "SELECT pg_stat_reset_shared('bgwriter')"); err != nil {
					t.Fatal(err)
				}
			}
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
func TestCrashedServerPostgres(t *testing.T) {
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
func TestServerGonePostgres(t *testing.T) {
	server := startServer(t)
	fault := testpostgres.None
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Commit: func() testpostgres.Fault { return fault }})
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
func TestAbortedTransactionPostgres(t *testing.T) {
	st := openDatabase(t, postgres(t, startServer(t)))
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		_, _ = tx.AddLook(store.Look{ULID: ulid.Make().String(), Kind: "guess", N: 1, LookedAt: clock()})
		return nil
	})
	if err == nil {
		t.Error("a transaction without its statements was acknowledged")
	}
}

// A process that is stopped within a transaction loses it after its lease, so that nobody waits for its rows for ever.
// Once it goes on, it runs the transaction again.
func TestSilentTransactionPostgres(t *testing.T) {
	t.Parallel()
	database := postgres(t, startServer(t))
	stopped, other := openDatabase(t, database), openDatabase(t, database)
	stopped.SetLease(time.Second)
	recorded := make(chan error)
	times := 0
	err := stopped.Update(t.Context(), func(tx *store.Tx) error {
		times++
		if err := addAny(tx, "s"); err != nil {
			return err
		}
		if times == 1 {
			go func() { recorded <- recordAny(t, other, "s") }()
			if err := <-recorded; err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil || times != 2 {
		t.Errorf("error %v after %d runs, want none after 2", err, times)
	}
}
