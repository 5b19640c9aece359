package integrity_test

import (
	"crypto/rand"
	"testing"
	"time"

	"track"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

func pointer[T any](x T) *T { return &x }

// everything records something in each table, and a lineage with a decision and a rollback.
func everything(t *testing.T) (path string) {
	t.Helper()
	path = newDatabase(t)
	st := testdb.Open(t, path)
	evolve(t, st)
	err := st.Update(t.Context(), func(tx *store.Tx) error { return sweepAndAnnotate(t, tx) })
	if err != nil {
		t.Fatal(err)
	}
	execute(t, path, `
	INSERT INTO hook_event (session, agent, name, key, at, received_at, lineage, version, execution, settled_at, body)
	VALUES ('s', 'a', 'Stop', 'k', 1, 2, 'l', 'v001', '01EXEC', 3, '{}')`,
		"INSERT INTO damage VALUES (randomblob(32))", "INSERT INTO hook_arrival VALUES ('Stop', 3, 4)",
		"INSERT INTO actor (name) VALUES ('another')", "INSERT INTO scenario (name, created_at) VALUES ('another', 1)", "INSERT INTO metric (name) VALUES ('another')",
		"INSERT INTO tool (name) VALUES ('another')",
		"INSERT INTO token (name, hash, scopes, scenarios, lineages, created_at, expires_at, revoked_at, used_at) VALUES ('ci', x'00', '[\"read\"]', '[]', '[]', 1, 2, 3, 4)",
		"INSERT INTO token_quota (token_id, max_records, max_bytes) VALUES (1, 2, 3)", "INSERT INTO token_use (token_id, day, writer, records, bytes) VALUES (1, 2, 'w', 3, 4)",
		"INSERT INTO spool (ulid, through, refused, actor_id, changed_at) VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 3, 1, 1, 2)", "INSERT INTO epoch VALUES (1, 'e', 2)")
	return path
}

// evolve decides on mutations of the lineage l.
func evolve(t *testing.T, st *store.Store) {
	t.Helper()
	l := lineagetest.New(t, st, func(s *evolution.Settings) { s.Loop.MinBetween, s.Loop.StableMean = 0, 101 })
	l.Next()
	first := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Note: "a note", CostUSD: pointer(0.5), Operator: "step_reorder"})
	l.Run("v001", 60, 61)
	l.Run("v002", 62)
	e := l.Execution("v002", func(e *track.Execution) {
		e.Score, e.CostUSD, e.Message, e.Task, e.TaskType, e.Complexity, e.Session = pointer(63.0), pointer(0.5), "slow", "t2", "coding", "simple", "one"
		e.Truths, e.Model, e.Duration = map[string]float64{"reward": 1}, "a model", pointer(time.Second)
		e.Tokens = &track.Tokens{Input: pointer(int64(1)), Output: pointer(int64(2)), CacheRead: pointer(int64(3)), CacheWrite: pointer(int64(4)), Reasoning: pointer(int64(5))}
		e.Output = pointer("Forty-two.")
		e.Calls = trackertest.Task("x", 2).Calls
		e.Requests = []track.ModelRequest{{Model: "another model", Tokens: e.Tokens}}
		e.Calls[0].Request = 1
		e.Calls[1].Error, e.Calls[1].StartedAt, e.Calls[1].Duration = "it broke", testdb.Clock(), pointer(time.Second)
	})
	if _, err := agents.NewRecorder(st, agents.Options{KeepText: true}, rand.Reader).Record(t.Context(), []track.Execution{e}, false); err != nil {
		t.Fatal(err)
	}
	l.Decide(first.Key, lineages.DecideOptions{})
	second := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{Parents: []string{"v002", "v001"}})
	l.Run("v003", 50, 51)
	l.Decide(second.Key, lineages.DecideOptions{})
	l.Rollback(lineages.RollbackOptions{To: "v001", Reason: "by way of trial"})
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddVersion(track.Version{
			Lineage: "l", Name: "v002", Status: "active", Note: "by hand", Source: "sepa", SourceScore: pointer(60.0), SourceParentScore: pointer(50.0), CreatedAt: testdb.Clock(),
		}, false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	forgotten := l.Execution("v003", func(e *track.Execution) { e.Output = pointer("secret") })
	l.Record(forgotten, false)
	ulid := testdb.Rows(t, st, "SELECT ulid FROM execution WHERE key = '"+forgotten.Key+"'")[0][0].(string)
	if err := st.Forget(t.Context(), ulid); err != nil {
		t.Fatal(err)
	}
}

// sweepAndAnnotate records what belongs to seeds, besides them.
func sweepAndAnnotate(t *testing.T, tx *store.Tx) error {
	t.Helper()
	const ulid = "01ARZ3NDEKTSV4RRFFQ69G5F0"
	at := testdb.Clock()
	configurations, _, err := tx.Configurations(t.Context(), "s", 1)
	if err != nil {
		return err
	}
	configuration := configurations[0]
	sweep := track.Sweep{
		ID: ulid + "A", Scenario: "s", Plan: `{"command":["x"]}`, Environment: track.Environment{"host": "a"}, Changes: "a diff", Libraries: "a list", StartedAt: at,
		EndedAt: at, Ending: track.SweepFinished, Planned: []track.PlannedSeeds{{Configuration: configuration.Configuration, Seeds: track.SeedRanges{{First: 0, Last: 39}}}},
	}
	if _, err := tx.AddSweep(sweep); err != nil {
		return err
	}
	if err := tx.AddRun(3, track.Run{Sweep: sweep.ID, Attempts: 1, ExitCode: pointer(0), Stderr: "a warning", CPU: pointer(time.Second), MaxRSS: pointer(int64(9))}); err != nil {
		return err
	}
	seeds, err := tx.Seeds(t.Context(), store.SeedFilter{Scenario: "s", Limit: 1})
	if err != nil {
		return err
	}
	if err := tx.AddRepetition(seeds[0].ID, track.Repetition{ID: ulid + "B", Sweep: sweep.ID, Differences: []string{"all"}, RepeatedAt: at}); err != nil {
		return err
	}
	if err := tx.AddLook(store.Look{ULID: ulid + "C", Kind: store.LookGate, N: 3, Plan: []int{3}, Verdict: scoring.VerdictPass, LookedAt: at}); err != nil {
		return err
	}
	if err := tx.SetBaseline(store.Baseline{ULID: ulid + "D", Scenario: "s", Configuration: &configuration, Reason: "it is good", Actor: "me", SetAt: at}); err != nil {
		return err
	}
	note := track.Annotation{ID: ulid + "E", Kind: track.AnnotationNote, Scenario: "s", Configuration: configuration.Configuration, Subject: ulid + "E", Text: "a note", Actor: "me", At: at}
	if _, err := tx.AddAnnotation(note); err != nil {
		return err
	}
	_, err = tx.AddWithdrawals([]track.Withdrawal{{
		ID: ulid + "F", Kind: track.WithdrawnSweep, Action: track.ActionWithdrawn, Scenario: "s", Sweep: sweep.ID, Reason: "a mistake", Actor: "me", At: at,
	}})
	return err
}
