package tracker_test

import (
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/internal/lineagetest"
	"track/internal/property"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// ticking is a clock on which a second passes with each look.
func ticking(from time.Time) func() time.Time {
	return func() time.Time {
		from = from.Add(time.Second)
		return from
	}
}

// shard is a database of its own, whose times begin at a minute.
type shard struct {
	t    testing.TB
	st   *store.Store
	path string
}

func newShard(t testing.TB, minute int) *shard {
	t.Helper()
	return newShardAt(t, testdb.Clock().Add(time.Duration(minute)*time.Minute))
}

func newShardAt(t testing.TB, at time.Time) *shard {
	t.Helper()
	s := openShard(t, emptyDatabase(t), at)
	t.Cleanup(func() {
		if err := s.st.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func emptyDatabase(t testing.TB) []byte {
	t.Helper()
	testdb.OnlySQLite(t, "its databases are files")
	empty, err := os.ReadFile(testdb.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	return empty
}

func openShard(t testing.TB, database []byte, at time.Time) *shard {
	t.Helper()
	path := filepath.Join(t.TempDir(), "track.db")
	if err := os.WriteFile(path, database, 0o666); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), path, ticking(at))
	if err != nil {
		t.Fatal(err)
	}
	return &shard{t, st, path}
}

func (s *shard) exec(statements ...string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range statements {
		if _, err := db.ExecContext(s.t.Context(), statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// merge brings others in, and returns the conflicts by what they are about.
func (s *shard) merge(others ...*shard) (reports []answer.MergedFile, conflicts []string) {
	s.t.Helper()
	for _, other := range others {
		r := answer.NewMergedFile("")
		if err := exchange.Merge(s.t.Context(), s.st, other.st, &r, exchange.MergeOptions{}); err != nil {
			s.t.Fatal(err)
		}
		reports = append(reports, r)
		for _, c := range r.Conflicts {
			conflicts = append(conflicts, strings.TrimSpace(fmt.Sprint(c.Kind, " ", c.Name, ": ", c.Reason)))
		}
	}
	return reports, conflicts
}

// refs are the columns that name a row of another table by its id.
var refs = map[string]string{
	"scenario_id": "scenario", "spec_id": "spec", "configuration_id": "configuration", "environment_id": "environment",
	"seed_id": "seed", "content_id": "series_content", "artifact_content_id": "artifact_content", "lineage_id": "lineage", "version_id": "version", "parent_id": "version",
	"head_id": "version", "child_id": "version", "execution_id": "execution", "sweep_id": "sweep", "changes_id": "attachment",
	"libraries_id": "attachment", "stderr_id": "attachment", "previous_id": "baseline", "mutation_id": "mutation",
}

// identities are the columns that tell the rows of a table apart, wherever they lie.
var identities = map[string][]string{
	"scenario": {"name"}, "spec": {"scenario_id", "hash"}, "configuration": {"hash"}, "environment": {"hash"}, "seed": {"ulid"},
	"series_content": {"hash"}, "artifact_content": {"hash"}, "lineage": {"name"}, "version": {"lineage_id", "name"}, "execution": {"ulid"},
	"sweep": {"ulid"}, "attachment": {"hash"}, "baseline": {"ulid"}, "mutation": {"lineage_id", "key"},
}

type row map[string]any

// leftOut returns the tables that no merge brings in, and why.
func leftOut() map[string]string {
	const index = "is made from the texts of executions when they are searched"
	return map[string]string{
		"text_index": index, "text_index_data": index, "text_index_idx": index, "text_index_docsize": index, "text_index_config": index,
		"hook_event":       "events become executions where the hooks reported them, and those are merged",
		"token":            "lets somebody ask one server",
		"spool":            "says what clients have sent to one server",
		"epoch":            "names one database",
		"hook_arrival":     "counts the events that the hooks of one machine reported",
		"goose_db_version": "describes the schema of the file itself",
	}
}

// tables returns the rows of all tables but those that no merge brings in.
func (s *shard) tables() map[string][]row {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	names, err := db.QueryContext(s.t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		s.t.Fatal(err)
	}
	tables := map[string][]row{}
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			s.t.Fatal(err)
		}
		tables[name] = []row{}
	}
	if err := names.Err(); err != nil {
		s.t.Fatal(err)
	}
	left := leftOut()
	for name := range left {
		if _, there := tables[name]; !there {
			s.t.Errorf("%s is left out, and there is no such table", name)
		}
		delete(tables, name)
	}
	for name := range tables {
		rows, err := db.QueryContext(s.t.Context(), "SELECT * FROM "+name)
		if err != nil {
			s.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			s.t.Fatal(err)
		}
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				s.t.Fatal(err)
			}
			r := row{}
			for i, column := range columns {
				r[column] = values[i]
			}
			tables[name] = append(tables[name], r)
		}
		if err := rows.Err(); err != nil {
			s.t.Fatal(err)
		}
	}
	return tables
}

// dump tells what a database holds without the ids of its rows.
func (s *shard) dump() map[string][]string {
	s.t.Helper()
	tables := s.tables()
	byID := map[string]map[int64]row{}
	for name, rows := range tables {
		byID[name] = map[int64]row{}
		for _, r := range rows {
			if id, ok := r["id"].(int64); ok {
				byID[name][id] = r
			}
		}
	}
	var text func(column string, value any) string
	text = func(column string, value any) string {
		table, isRef := refs[column]
		switch value := value.(type) {
		case nil:
			return "-"
		case []byte:
			return hex.EncodeToString(value)
		case float64:
			return fmt.Sprintf("%x", math.Float64bits(value))
		case int64:
			if !isRef {
				break
			}
			r, there := byID[table][value]
			if !there {
				return fmt.Sprintf("DANGLING %s %d", table, value)
			}
			var parts []string
			for _, key := range identities[table] {
				parts = append(parts, text(key, r[key]))
			}
			return strings.Join(parts, "/")
		}
		return fmt.Sprint(value)
	}
	dump := map[string][]string{}
	for name, rows := range tables {
		dump[name] = []string{}
		for _, r := range rows {
			var parts []string
			for _, column := range slices.Sorted(maps.Keys(r)) {
				if column != "id" && column != "checksum" && column != "assessed_at" && (name != "scenario" || column != "created_at") { // checksums cover ids, and Check compares them; seeds are judged again
					parts = append(parts, column+"="+text(column, r[column]))
				}
			}
			dump[name] = append(dump[name], strings.Join(parts, " "))
		}
		slices.Sort(dump[name])
	}
	return dump
}

func (s *shard) seed(number track.SeedNumber, label string, values map[string]float64, options seeds.Options) seeds.RecordResult {
	s.t.Helper()
	given := trackertest.Seed("s", number, values)
	given.Configuration.Label, given.Environment = label, track.Environment{"host": "a"}
	return trackertest.Record(s.t, s.st, options, given)
}

// full is a database with something in every table that is merged.
func full(t testing.TB) *shard {
	t.Helper()
	s := newShard(t, 0)
	spec := trackertest.Ranges("s", [2]float64{0, 1}, [2]float64{0, 2})
	spec.Metrics[1].From = &scoring.Reduction{Reduce: "mean", Series: "u"}
	trackertest.AddSpec(t, s.st, spec)
	with := trackertest.Seed("s", 1, map[string]float64{"a": 0.5, "extra": math.Inf(-1)})
	with.Series = []track.Series{{Name: "u", Values: []float64{1, math.NaN(), math.Copysign(0, -1)}}, {Name: "w", Values: []float64{}}}
	trackertest.Record(t, s.st, seeds.Options{}, with)
	s.seed(2, "v1", map[string]float64{"a": math.NaN(), "b": math.Copysign(0, -1)}, seeds.Options{})
	s.seed(2, "v1", map[string]float64{"a": 0.25, "b": 1}, seeds.Options{Replace: true})
	s.seed(math.MaxUint64, "v2", map[string]float64{"a": 7, "b": 1}, seeds.Options{})
	trackertest.Record(t, s.st, seeds.Options{}, track.Seed{Scenario: "waits", Number: 3, Outcome: track.OutcomeError, Message: "killed"})
	second := trackertest.Ranges("s", [2]float64{0, 0.3}, [2]float64{0, 2})
	trackertest.AddSpec(t, s.st, second)
	if _, err := seeds.Rescore(t.Context(), s.st, answer.RescoreQuestion{Scenario: "s", Spec: 2}); err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"v1", "v2"} {
		if _, err := seeds.SetBaseline(t.Context(), s.st, pinned(label)); err != nil {
			t.Fatal(err)
		}
	}
	s.annotate("v1", "published")
	if err := seeds.RecordLooks(t.Context(), s.st, []store.Look{{Kind: store.LookGate, N: 2, Plan: []int{2, 4}, Verdict: scoring.VerdictPass}}, rand.Reader); err != nil {
		t.Fatal(err)
	}
	l := lineagetest.New(t, s.st, nil)
	l.Run("v001", 60)
	first := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "step_reorder"})
	l.Run("v002", 62, 63)
	if r := l.Decide(first.Key, answer.DecideQuestion{}); !r.Record.Decision.Accepted {
		t.Fatalf("%+v", r.Record.Decision)
	}
	called := trackertest.Task("", 2)
	called.Lineage, called.Version, called.Truths = "other", "v1", map[string]float64{"reward": 1}
	called.Requests = []track.ModelRequest{{Model: "m", Tokens: &track.Tokens{Input: pointer(int64(1)), Reasoning: pointer(int64(0))}}, {}}
	called.Calls[1].Request = 2
	trackertest.RecordExecution(t, s.st, called, false)
	s.forget()
	s.seed(5, "v2", map[string]float64{"a": 1, "b": 1}, seeds.Options{})
	if err := s.withdrawSeed("v2", 5); err != nil {
		t.Fatal(err)
	}
	s.swept()
	plan := []track.Withdrawal{{Kind: track.WithdrawnSweep, Scenario: "s", Sweep: "SWEEP"}}
	if _, err := seeds.RecordWithdrawals(t.Context(), s.st, track.ActionWithdrawn, plan, because("too many seeds")); err != nil {
		t.Fatal(err)
	}
	s.exec(
		`INSERT INTO hook_event VALUES (1, 'session', '', 'Stop', 'k', 1, 1, 'l', '', '', NULL, '{}')`)
	return s
}

// forget forgets the newest execution, if there is one.
func (s *shard) forget() {
	s.t.Helper()
	list, err := s.st.Executions(s.t.Context(), store.ExecutionFilter{Limit: 1})
	if err == nil && len(list) > 0 {
		err = s.st.Update(s.t.Context(), func(tx *store.Tx) error { return tx.Forget(list[0].ID) })
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// swept adds a sweep that ran a seed and repeated another one.
func (s *shard) swept() {
	s.t.Helper()
	cpu, bytes := 7*time.Microsecond, int64(8)
	sweep := track.Sweep{
		ID: "SWEEP", Scenario: "s", Plan: "{}", Shard: 1, NShards: 8, Environment: track.Environment{"host": "a"}, Changes: "diff", Libraries: "numpy",
		StartedAt: testdb.Clock(), Planned: []track.PlannedSeeds{{Configuration: track.Configuration{Label: "v1"}, Seeds: track.NewSeedRanges(track.SeedRange{Last: 9})}},
	}
	seed := trackertest.Seed("s", 4, map[string]float64{"a": 1, "b": 1})
	seed.Configuration.Label, seed.Environment = "v1", track.Environment{"host": "a"}
	err := s.st.Update(s.t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddSweep(sweep)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	seed.Artifacts = []track.Artifact{{Name: "run.log", Content: "it ran\n"}, {Name: "plot.png", Content: "\x89PNG\xff"}, {Name: "big.bin", LeftOut: "too large"}}
	seed.Run = &track.Run{Sweep: "SWEEP", Attempts: 2, Signal: "SIGKILL", Stderr: "out of memory", CPU: &cpu, MaxRSS: &bytes}
	trackertest.Record(s.t, s.st, seeds.Options{}, seed)
	seeds, err := s.st.Seeds(s.t.Context(), store.SeedFilter{Scenario: "s", Limit: 1})
	if err != nil || len(seeds) != 1 {
		s.t.Fatal(seeds, err)
	}
	repetition := track.Repetition{ID: "REPEATED", Sweep: "SWEEP", Digest: [32]byte{9}, Differences: []string{"a"}, RepeatedAt: testdb.Clock()}
	if err := s.st.Update(s.t.Context(), func(tx *store.Tx) error { return tx.AddRepetition(seeds[0].ID, repetition) }); err != nil {
		s.t.Fatal(err)
	}
}

// What a new database is merged from is what it is, table by table, and merging once more changes nothing. A table
// that is new to the schema fails here until it is merged, with a row above, or left out for a reason.
func TestMergeEverything(t *testing.T) {
	from, to := full(t), newShard(t, 60)
	want := from.dump()
	for table, rows := range want {
		if len(rows) == 0 {
			t.Errorf("%s is empty, so that nothing shows whether it is merged", table)
		}
	}
	for round := range 2 {
		reports, conflicts := to.merge(from)
		if diff := cmp.Diff(want, to.dump()); diff != "" || len(conflicts) > 0 {
			t.Fatalf("round %d: %v %s", round, conflicts, diff)
		}
		r := reports[0]
		if n := (answer.Count{Recorded: 7}); round == 0 && r.Seeds != n || round == 1 && r.Seeds.Recorded+r.Executions.Recorded+r.Specs.Recorded+r.Looks.Recorded+r.Entries.Recorded > 0 {
			t.Errorf("round %d: %+v", round, r)
		}
	}
	if diff := cmp.Diff(want, from.dump()); diff != "" {
		t.Error("the other database is another now: ", diff)
	}
	for _, o := range []answer.ReplayQuestion{{}, {Strict: true}} {
		if r, err := lineages.Replay(t.Context(), to.st.Reader, "l", o); err != nil || len(r.Differences) > 0 {
			t.Errorf("%v %v", err, r.Differences)
		}
	}
}

// answers are what people see of a database, which must not depend on the order in which it was brought together.
func (s *shard) answers() map[string]any {
	s.t.Helper()
	ctx := s.t.Context()
	list, err := s.st.Seeds(ctx, store.SeedFilter{})
	if err != nil {
		s.t.Fatal(err)
	}
	specs, err := s.st.Specs(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range specs {
		specs[i].ID = 0
	}
	answers := map[string]any{"seeds": list, "specs": specs}
	if len(list) > 0 {
		newest, total, err := s.st.Configurations(ctx, "s", -1)
		if err != nil {
			s.t.Fatal(err)
		}
		var labels []string
		for _, c := range newest {
			labels = append(labels, c.Label)
			report, err := seeds.Stability(ctx, s.st.Reader, answer.Selector{Scenario: "s", Configuration: c.Hash}, seeds.StabilityOptions{})
			text, _ := json.Marshal(report.Stability)
			answers["stability "+c.Label] = fmt.Sprintf("%s %v", text, err)
		}
		answers["history"], answers["configurations"] = labels, total
		last, err := s.st.NewestConfiguration(ctx, "s")
		if err != nil {
			s.t.Fatal(err)
		}
		answers["newest"] = last.Label
	}
	executions, err := s.st.Executions(ctx, store.ExecutionFilter{})
	if err != nil {
		s.t.Fatal(err)
	}
	answers["executions"] = executions
	pins, err := s.st.Baselines(ctx, "s")
	if err != nil {
		s.t.Fatal(err)
	}
	var held []string
	for _, pin := range pins {
		held = append(held, pin.ULID+" "+pin.Reason)
	}
	answers["baselines"] = held
	looks, err := s.st.Looks(ctx, [32]byte{})
	if err != nil {
		s.t.Fatal(err)
	}
	answers["looks"] = looks
	return answers
}

// something records a seed, an execution, a pin, a look or a judgement, of which several shards may record the same.
func (s *shard) something(rt *rapid.T) {
	s.t.Helper()
	ctx := s.t.Context()
	label := rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(rt, "label")
	number := track.SeedNumber(rapid.IntRange(0, 3).Draw(rt, "number"))
	switch rapid.SampledFrom([]string{"seed", "seed", "seed", "replace", "execution", "execution", "forget", "pin", "look", "rescore"}).Draw(rt, "what") {
	case "seed":
		s.seed(number, label, map[string]float64{"a": float64(number) / 4, "b": 1}, seeds.Options{})
	case "replace": // numbers that nobody else has
		number += 10 * track.SeedNumber(s.st.Now().UnixMilli()%10+1)
		s.seed(number, label, map[string]float64{"a": 0.1}, seeds.Options{})
		s.seed(number, label, map[string]float64{"a": 0.2}, seeds.Options{Replace: true})
	case "execution":
		e := trackertest.Task("", 1)
		e.Lineage, e.Version, e.Source, e.Key, e.StartedAt = "l", label, "log", fmt.Sprint(label, number), testdb.Clock().Add(time.Duration(number)*time.Hour+time.Duration(label[1])*time.Minute)
		trackertest.RecordExecution(s.t, s.st, e, number == 0 && rapid.Bool().Draw(rt, "open"))
	case "forget":
		s.forget()
	case "pin":
		_, err := seeds.SetBaseline(ctx, s.st, pinned(label))
		if err != nil && !errors.Is(err, track.ErrNotFound) {
			s.t.Fatal(err)
		}
	case "look":
		if err := seeds.RecordLooks(ctx, s.st, []store.Look{{Kind: store.LookGate, Evidence: [32]byte{byte(number)}, N: 1, Verdict: scoring.VerdictPass}}, rand.Reader); err != nil {
			s.t.Fatal(err)
		}
	case "rescore":
		_, err := seeds.Rescore(ctx, s.st, answer.RescoreQuestion{Scenario: "s"})
		if err != nil && !errors.Is(err, track.ErrNotFound) {
			s.t.Fatal(err)
		}
	}
}

// Whatever several databases recorded, alike or not, the order in which they are merged makes no difference where
// nothing is in conflict, and merging any of them again changes nothing.
func TestMergeAnyOrder(t *testing.T) {
	specs := []scoring.Spec{trackertest.Ranges("s", [2]float64{0, 1}), trackertest.Ranges("s", [2]float64{0, 0.5})}
	empty := emptyDatabase(t)
	property.Check(t, func(rt *rapid.T) {
		shards := make([]*shard, 3)
		for i := range shards {
			// The clocks of the shards run beside each other, and no two events are at the same time.
			at := testdb.Clock().Add(time.Duration(rapid.IntRange(0, 20).Draw(rt, "minute"))*time.Minute + time.Duration(i)*time.Millisecond)
			shards[i] = openShard(t, empty, at)
			defer func() { _ = shards[i].st.Close() }()
			for _, spec := range specs[:rapid.IntRange(0, len(specs)).Draw(rt, "specs")] {
				trackertest.AddSpec(t, shards[i].st, spec)
			}
			for range rapid.IntRange(0, 6).Draw(rt, "records") {
				shards[i].something(rt)
			}
		}
		var want map[string]any
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0, 1}, {1, 2, 0}} {
			to := openShard(t, empty, testdb.Clock().Add(time.Hour))
			defer func() { _ = to.st.Close() }()
			var conflicts []string
			for _, i := range order {
				_, told := to.merge(shards[i])
				conflicts = append(conflicts, told...)
			}
			if len(conflicts) > 0 {
				rt.Fatal(conflicts)
			}
			got := to.answers()
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("in the order %v: %s", order, diff)
			}
		}
	})
}

// seeds tells the seeds of s by number, with what they measured and whether another took their place.
func (s *shard) seeds() (list []string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(s.t.Context(), `SELECT number || ' ' || CAST(value AS REAL) || CASE WHEN superseded_at IS NULL THEN '' ELSE ' replaced' END
		  FROM seed, json_each(numbers) ORDER BY number, superseded_at IS NULL, value`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return list
}

// A seed that was replaced on one side is replaced on the other too, whichever is merged into which; what both
// replaced otherwise is a conflict.
func TestMergeSuperseded(t *testing.T) {
	a := func(x float64) map[string]float64 { return map[string]float64{"a": x} }
	replace := seeds.Options{Replace: true}
	for name, c := range map[string]struct {
		left, right func(s *shard)
		want        []string
		conflict    string // begins so; into the left one
	}{
		"the same measured": {
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}) }, func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}) }, []string{"1 1.0"}, "",
		},
		"replaced there": {
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}) },
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}); s.seed(1, "v", a(2), replace) }, []string{"1 1.0 replaced", "1 1.0 replaced", "1 2.0"}, "",
		},
		"replaced on both sides alike": {
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}); s.seed(1, "v", a(2), replace) },
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}); s.seed(1, "v", a(2), replace) }, []string{"1 1.0 replaced", "1 1.0 replaced", "1 2.0"}, "",
		},
		"another": {
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}) }, func(s *shard) { s.seed(1, "v", a(2), seeds.Options{}); s.seed(2, "v", a(2), seeds.Options{}) },
			[]string{"1 1.0", "2 2.0"}, "seed 1 of s@d954bcd9ee (v): a: recorded 1, now 2",
		},
		"replaced by each other": {
			func(s *shard) { s.seed(1, "v", a(1), seeds.Options{}); s.seed(1, "v", a(2), replace) },
			func(s *shard) { s.seed(1, "v", a(2), seeds.Options{}); s.seed(1, "v", a(1), replace) },
			[]string{"1 1.0 replaced", "1 2.0 replaced", "1 2.0"}, "seed 1 of s@d954bcd9ee (v): a: recorded 2, now 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			left, right := newShard(t, 0), newShard(t, 10)
			c.left(left)
			c.right(right)
			there := newShard(t, 20)
			there.merge(right)
			_, conflicts := left.merge(right, there)
			if diff := cmp.Diff(c.want, left.seeds()); diff != "" {
				t.Error(diff)
			}
			if c.conflict == "" != (len(conflicts) == 0) || len(conflicts) > 0 && conflicts[0] != c.conflict {
				t.Errorf("%q", conflicts)
			}
			if _, _ = there.merge(left); c.conflict == "" {
				if diff := cmp.Diff(c.want, there.seeds()); diff != "" {
					t.Error("the other way round: ", diff)
				}
			}
		})
	}
}

// A copy that goes on in two places: what was replaced in one of them is replaced, by its id, and its replacement
// comes.
func TestMergeCopies(t *testing.T) {
	first := newShard(t, 0)
	first.seed(1, "v", map[string]float64{"a": 1}, seeds.Options{})
	second := newShard(t, 10)
	second.merge(first)
	second.seed(1, "v", map[string]float64{"a": 2}, seeds.Options{Replace: true})
	want := []string{"1 1.0 replaced", "1 2.0"}
	for range 2 {
		if _, conflicts := second.merge(first); !cmp.Equal(want, second.seeds()) || len(conflicts) > 0 {
			t.Errorf("the old one into the new one: %q %q", second.seeds(), conflicts)
		}
		if _, conflicts := first.merge(second); !cmp.Equal(want, first.seeds()) || len(conflicts) > 0 {
			t.Errorf("the new one into the old one: %q %q", first.seeds(), conflicts)
		}
	}
}

// A ledger that went on there goes on here; one that is behind is known; one that diverges is a conflict, and its
// executions come.
func TestMergeLineages(t *testing.T) {
	here, there := newShard(t, 0), newShard(t, 30)
	l := lineagetest.New(t, here.st, nil)
	l.Run("v001", 60)
	there.merge(here)
	l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
	l.Run("v002", 70, 80)
	for _, round := range []struct{ entries, known int }{{1, 1}, {0, 2}} {
		reports, conflicts := there.merge(here)
		if got := reports[0].Entries; len(conflicts) > 0 || got != (answer.Count{Recorded: round.entries, Known: round.known}) {
			t.Errorf("%+v %q", got, conflicts)
		}
	}
	other := &lineagetest.Loop{T: t, Store: there.st, Name: "l", N: 50}
	m := other.Propose(lineagetest.Text("German"), answer.ProposeQuestion{})
	other.Run(m.Child, 50)
	l.Propose(lineagetest.Text("Italian"), answer.ProposeQuestion{})
	l.Run("v003", 75)
	_, conflicts := there.merge(here)
	want := []string{
		"lineage l: conflict: the histories of lineage l diverge at entry 3",
		"version v003 of l: it has other content here; its executions are left out",
		"execution e004 of l: its version v003 has other content here",
	}
	if diff := cmp.Diff(want, conflicts); diff != "" {
		t.Error(diff)
	}
	for _, s := range []*shard{here, there} {
		for _, strict := range []bool{false, true} {
			if r, err := lineages.Replay(t.Context(), s.st.Reader, "l", answer.ReplayQuestion{Strict: strict}); err != nil || len(r.Differences) > 0 {
				t.Errorf("%v %v", err, r.Differences)
			}
		}
	}
}

// Of an execution, the state that has come further counts; what was forgotten anywhere is forgotten; complete ones
// that differ are a conflict.
func TestMergeExecutions(t *testing.T) {
	short, long := trackertest.Task("", 1), trackertest.Task("", 2)
	for _, e := range []*track.Execution{&short, &long} {
		e.Lineage, e.Version, e.Source, e.Key, e.Output = "l", "v1", "log", "k", pointer("the answer")
	}
	used := short // the same execution, from a build that knows requests
	used.Calls = slices.Clone(short.Calls)
	used.Calls[0].Request, used.Requests = 1, []track.ModelRequest{{Tokens: &track.Tokens{Input: pointer(int64(5))}}}
	for name, c := range map[string]struct {
		here, there         track.Execution
		openHere, openThere bool
		forget              bool
		calls, conflicts    int
		forgotten           bool
	}{
		"complete there":  {short, long, true, false, false, 2, 0, false},
		"complete here":   {long, short, false, true, false, 2, 0, false},
		"further there":   {short, long, true, true, false, 2, 0, false},
		"further here":    {long, short, true, true, false, 2, 0, false},
		"another":         {short, long, false, false, false, 1, 1, false},
		"forgotten there": {short, short, false, false, true, 1, 0, true},
		"requests there":  {short, used, false, false, false, 1, 0, false},
		"requests here":   {used, short, false, false, false, 1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := newShard(t, 0), newShard(t, 10)
			trackertest.RecordExecution(t, here.st, c.here, c.openHere)
			trackertest.RecordExecution(t, there.st, c.there, c.openThere)
			if c.forget {
				list, err := there.st.Executions(t.Context(), store.ExecutionFilter{})
				if err == nil {
					err = there.st.Forget(t.Context(), list[0].ID)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				_, conflicts := here.merge(there)
				list, err := here.st.Executions(t.Context(), store.ExecutionFilter{})
				if err != nil || len(list) != 1 || list[0].NCalls != c.calls || len(conflicts) != c.conflicts || list[0].ForgottenAt.IsZero() == c.forgotten {
					t.Errorf("%v %+v %q", err, list, conflicts)
				}
				dump := here.dump()
				if n := len(dump["call"]); n != c.calls {
					t.Errorf("%d calls", n)
				}
				if n := len(dump["request"]); n != len(c.here.Requests)+len(c.there.Requests) || n > 0 && !strings.Contains(dump["call"][0], "request=1") {
					t.Errorf("requests %q of calls %q", dump["request"], dump["call"])
				}
				if _, err := here.st.Execution(t.Context(), list[0].ID); err != nil { // or its checksum is wrong
					t.Error(err)
				}
				if kept := strings.Contains(dump["execution"][0], "output=the answer"); kept == c.forgotten {
					t.Error(dump["execution"])
				}
			}
		})
	}
}

// Contents that were pruned on one side are there again.
func TestMergePruned(t *testing.T) {
	with := trackertest.Seed("s", 1, map[string]float64{"a": 1})
	with.Series = []track.Series{{Name: "u", Values: []float64{1, 2, 3}}}
	with.Artifacts = []track.Artifact{{Name: "a.txt", Content: "kept"}}
	alike := trackertest.Seed("s", 2, map[string]float64{"a": 2}) // its contents are the same ones
	alike.Series, alike.Artifacts = with.Series, with.Artifacts
	pruned, whole := newShard(t, 0), newShard(t, 10)
	for _, s := range []*shard{pruned, whole} {
		trackertest.Record(t, s.st, seeds.Options{}, with)
		trackertest.Record(t, s.st, seeds.Options{}, alike)
	}
	if _, err := pruned.st.PruneSeries(t.Context(), store.PruneRule{Before: testdb.Clock().Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := pruned.st.PruneArtifacts(t.Context(), store.PruneRule{Before: testdb.Clock().Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	want := whole.dump()["series_chunk"]
	for _, merge := range [][2]*shard{{whole, pruned}, {pruned, whole}, {pruned, whole}} {
		merge[0].merge(merge[1])
	}
	for _, s := range []*shard{pruned, whole} {
		if diff := cmp.Diff(want, s.dump()["series_chunk"]); diff != "" {
			t.Error(diff)
		}
	}
}

// pinned asks to pin a configuration of scenario s.
func pinned(label string) answer.SetBaselineQuestion {
	return answer.SetBaselineQuestion{Of: answer.Selector{Scenario: "s", Configuration: label}, Change: answer.Change{Reason: "because", Actor: "me"}}
}

func pointer[T any](x T) *T { return &x }
