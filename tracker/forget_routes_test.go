package tracker_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/lineagetest"
	"track/internal/sizes"
	"track/internal/spool"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/lineages"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

// spoken is an execution of a log with a text, after so many calls.
func spoken(calls int) track.Execution {
	e := *grown(calls, false).Execution
	e.Output = pointer(spokenOf)
	return e
}

func (s *shard) importSpoken(calls int) {
	s.t.Helper()
	item := grown(calls, false)
	e := spoken(calls)
	item.Execution = &e
	runImport(s.t, s.st, exchange.ImportOptions{}, item)
}

// spokenLine is the line of an execution of a log.
func spokenLine(t *testing.T, calls int) string {
	t.Helper()
	e := spoken(calls)
	e.Lineage = "l"
	line, err := lines.AppendExecution(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// ingest records the lines of a file.
func (s *shard) ingest(text string) {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	entropy := trackertest.NewRecorder(s.st, seeds.Options{}).Entropy
	if _, _, err := exchange.Ingest(s.t.Context(), s.st, []spool.File{{Path: path}}, exchange.IngestOptions{Named: true}, entropy, silent{}); err != nil {
		s.t.Fatal(err)
	}
}

// export writes the database as lines, and returns the path of the file.
func (s *shard) export() string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "all.jsonl")
	out, err := os.Create(file)
	if err == nil {
		_, err = exchange.ExportLines(s.t.Context(), s.st, exchange.Parts{}, false, func(string) (io.Writer, error) { return out, nil })
	}
	if err = errors.Join(err, out.Close()); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// mergeFile merges a file of lines.
func (s *shard) mergeFile(file string) answer.MergedFile {
	s.t.Helper()
	open := func() (*store.Store, func(), error) { return s.st, func() {}, nil }
	a, err := exchange.MergeFiles(s.t.Context(), s.path, open, []string{file}, exchange.MergeOptions{Largest: sizes.Unpacked})
	if err != nil && !errors.Is(err, track.ErrConflict) {
		s.t.Fatal(err)
	}
	return a.Files[0]
}

func (s *shard) mergeLines(other *shard) { s.mergeFile(other.export()) }

// putTombstones tells a database what was forgotten elsewhere.
func (s *shard) putTombstones(list []store.Tombstone) {
	s.t.Helper()
	err := s.st.Update(s.t.Context(), func(tx *store.Tx) (err error) {
		for _, x := range list {
			err = errors.Join(err, tx.AddTombstone(x))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// A forgotten execution comes back on no route: neither as it was, nor as its source has grown since, neither where it
// was forgotten, nor where only its tombstone is known.
func TestForgottenComesBackOnNoRoute(t *testing.T) {
	const before, after = 2, 4 // calls
	imported := func(s *shard, calls int) { s.importSpoken(calls) }
	recorded := func(s *shard, calls int) { s.batch(spokenLine(t, calls)) }
	ingested := func(s *shard, calls int) { s.ingest(spokenLine(t, calls)) }
	for _, tt := range []struct {
		kind          string
		first, second func(s *shard, calls int)
	}{
		{"of a log", imported, imported}, {"of a line", recorded, recorded}, {"of a spool", ingested, ingested}, {"of a line, spooled", recorded, ingested},
	} {
		merged := func(s *shard, calls int) { from := newShard(t, 20); tt.second(from, calls); s.merge(from) }
		exported := func(s *shard, calls int) { from := newShard(t, 20); tt.second(from, calls); s.mergeLines(from) }
		for route, bring := range map[string]func(s *shard, calls int){"again": tt.second, "merge": merged, "lines": exported} {
			for _, calls := range []int{before, after} {
				here, elsewhere := newShard(t, 0), newShard(t, 10)
				tt.first(here, before)
				if _, kept := here.texts(); kept != 1 {
					t.Fatalf("%d texts to forget", kept)
				}
				here.forget()
				list, err := here.st.Tombstones(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				elsewhere.putTombstones(list)
				for name, to := range map[string]*shard{"here": here, "elsewhere": elsewhere} {
					bring(to, calls)
					if n, kept := to.texts(); n != 1 || kept != 0 {
						t.Errorf("%s, %s %s with %d calls: %d executions, %d with texts", tt.kind, route, name, calls, n, kept)
					}
				}
			}
		}
	}
}

// Who brings back what was forgotten is told how much of it was left out.
func TestForgottenIsCounted(t *testing.T) {
	s := newShard(t, 0)
	s.importSpoken(2)
	s.forget()
	e := spoken(4)
	item := grown(4, false)
	item.Execution = &e
	if got := runImport(t, s.st, exchange.ImportOptions{}, item); got.Forgotten != 1 {
		t.Errorf("import: %+v", got)
	}
	s = newShard(t, 0)
	s.batch(executionLine("k"))
	s.forget()
	if got := s.batch(executionLine("k") + executionLine("other")); got.Forgotten != 1 || got.Recorded != 1 {
		t.Errorf("batch: %+v", got)
	}
}

// A sweep that was withdrawn stays withdrawn, whoever still says how the sweep ended.
func TestWithdrawnSweepStaysWithdrawn(t *testing.T) {
	sweep := track.Sweep{
		ID: "01J9ZC5Q0D0000000000000000", Scenario: "s", Plan: `{"x": 1}`, StartedAt: testdb.Clock(), EndedAt: testdb.Clock(), Ending: track.SweepFinished,
		Planned: []track.PlannedSeeds{{Configuration: track.Configuration{Label: "a"}, Seeds: track.SeedRanges{{Last: 9}}}},
	}
	line, err := lines.AppendSweep(nil, sweep)
	if err != nil {
		t.Fatal(err)
	}
	add := func(s *shard, x track.Sweep) {
		t.Helper()
		if err := s.st.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.AddSweep(x); return err }); err != nil {
			t.Fatal(err)
		}
	}
	for route, bring := range map[string]func(to *shard){
		"its own end": func(to *shard) {
			if err := to.st.Update(t.Context(), func(tx *store.Tx) error { return tx.EndSweep(sweep) }); err != nil {
				t.Error(err)
			}
		},
		"batch":  func(to *shard) { to.batch(string(line)) },
		"ingest": func(to *shard) { to.ingest(string(line)) },
		"merge":  func(to *shard) { from := newShard(t, 20); add(from, sweep); to.merge(from) },
		"lines":  func(to *shard) { from := newShard(t, 20); add(from, sweep); to.mergeLines(from) },
	} {
		here := newShard(t, 0)
		running := sweep
		running.Ending = ""
		add(here, running)
		withdraw := answer.WithdrawSweepQuestion{ID: sweep.ID, Change: answer.Change{Reason: "too many seeds"}}
		if _, err := sweeps.Withdraw(t.Context(), here.st, withdraw); err != nil {
			t.Fatal(err)
		}
		bring(here)
		if list, err := here.st.Sweeps(t.Context(), store.SweepFilter{}); err != nil || len(list) != 1 || list[0].Withdrawn == nil {
			t.Errorf("%s: the sweep counts: %+v, %v", route, list, err)
		}
	}
}

// A baseline that was taken back does not come back from a copy that was made before.
func TestUnsetBaselineDoesNotComeBack(t *testing.T) {
	here := newShard(t, 0)
	here.seed(1, "a", map[string]float64{"a": 0.5}, seeds.Options{})
	if _, err := seeds.SetBaseline(t.Context(), here.st, pinned("a")); err != nil {
		t.Fatal(err)
	}
	early := newShard(t, 10)
	early.merge(here)
	if _, err := seeds.UnsetBaseline(t.Context(), here.st, answer.UnsetBaselineQuestion{Scenario: "s", Change: answer.Change{Reason: "a mistake", Actor: "me"}}); err != nil {
		t.Fatal(err)
	}
	here.merge(early)
	here.mergeLines(early)
	if b, err := here.st.Baseline(t.Context(), "s"); err != nil || b != nil {
		t.Errorf("the baseline is %+v, %v", b, err)
	}
}

// An exported lineage that is imported again brings back neither the texts of executions that were forgotten since, nor
// a seed that was withdrawn; elsewhere its tombstones come first.
func TestForgottenDoesNotComeBackByImportedLineage(t *testing.T) {
	here, elsewhere := newShard(t, 0), newShard(t, 10)
	origin := lineagetest.New(t, here.st, lineagetest.Calm)
	said := origin.Execution("v001", func(e *track.Execution) { e.Output = pointer(spokenOf) })
	origin.Record(said, false)
	here.batch(`{"kind":"seed","scenario":"s","seed":"1","configuration":{"label":"old"},"values":{"a":1}}` + "\n")
	exported, err := lineages.Export(t.Context(), here.st.Reader, origin.Name)
	if err != nil {
		t.Fatal(err)
	}
	here.forget()
	if err := here.withdrawSeed("old", 1); err != nil {
		t.Fatal(err)
	}
	list, err := here.st.Tombstones(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatalf("%d tombstones, error %v", len(list), err)
	}
	elsewhere.putTombstones(list)
	for name, to := range map[string]*shard{"here": here, "elsewhere": elsewhere} {
		if _, err := importLineage(t, to.st, exported); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		(&lineagetest.Loop{T: t, Store: to.st, Name: origin.Name}).Record(said, false)
		if n, kept := to.texts(); n != 1 || kept != 0 {
			t.Errorf("%s: %d executions, %d with texts", name, n, kept)
		}
	}
	if n := trackertest.Numbers(t, here.st, "s"); len(n) != 0 {
		t.Errorf("the withdrawn seed counts again: %v", n)
	}
	here.sound()
}
