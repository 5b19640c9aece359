package tracker_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/importer"
	"track/importer/lines"
	"track/internal/spool"
	"track/internal/trackertest"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

const spokenOf = "the secret plan"

// texts counts the executions, and those of them that keep the text.
func (s *shard) texts() (executions, kept int) {
	s.t.Helper()
	for _, row := range s.dump()["execution"] {
		executions++
		if strings.Contains(row, spokenOf) {
			kept++
		}
	}
	return executions, kept
}

// executionLine is a line of an execution with a text. One without a key has its content as key.
func executionLine(key string) string {
	if key != "" {
		key = `"key":"` + key + `",`
	}
	return `{"kind":"execution","lineage":"l","version":"v1",` + key + `"task":"t","output":"` + spokenOf + `"}` + "\n"
}

func (s *shard) batch(text string) exchange.BatchSummary {
	s.t.Helper()
	summary, err := exchange.RecordAll(s.t.Context(), trackertest.NewRecorder(s.st, seeds.Options{}), lines.Read("f.jsonl", strings.NewReader(text)), exchange.BatchObserver{})
	if err != nil {
		s.t.Fatal(err)
	}
	return summary
}

// A forgotten execution does not come back from a copy that was made before, and copies forget it, whatever is merged
// into which.
func TestForgottenDoesNotComeBackByMerge(t *testing.T) {
	here, early, fresh := newShard(t, 0), newShard(t, 10), newShard(t, 20)
	here.batch(executionLine("k") + executionLine("other"))
	early.merge(here)
	here.forget()
	for name, c := range map[string]struct {
		to   *shard
		from []*shard
	}{
		"back":             {here, []*shard{early}},
		"a copy, first":    {newShard(t, 30), []*shard{early, here}},
		"a copy, last":     {newShard(t, 40), []*shard{here, early}},
		"with a copy of a": {fresh, []*shard{here, early, here}},
		"the copy itself":  {newShard(t, 50), []*shard{early, here, early}},
	} {
		_, conflicts := c.to.merge(c.from...)
		if n, kept := c.to.texts(); n != 2 || kept != 1 || len(conflicts) > 0 || len(c.to.dump()["tombstone"]) != 1 {
			t.Errorf("%s: %d executions, %d with texts, conflicts %q", name, n, kept, conflicts)
		}
	}
	if reports, _ := early.merge(here, here); reports[0].Forgotten.Recorded != 1 || reports[1].Forgotten.Recorded != 0 {
		t.Errorf("%+v", reports)
	}
}

// Lines written before do not bring it back either, and those written after carry what was forgotten.
func TestForgottenDoesNotComeBackByExport(t *testing.T) {
	here, there := newShard(t, 0), newShard(t, 10)
	here.batch(executionLine("k"))
	there.batch(executionLine("k"))
	before := here.export()
	here.forget()
	after := here.export()
	here.mergeFile(before)
	there.mergeFile(after)
	for name, s := range map[string]*shard{"here": here, "there": there} {
		if n, kept := s.texts(); n != 1 || kept != 0 {
			t.Errorf("%s: %d executions, %d with texts", name, n, kept)
		}
	}
}

// Lines that come again, in a batch or from a spool, are known. The same said under another key is recorded without
// its texts.
func TestForgottenDoesNotComeBackFromLines(t *testing.T) {
	s := newShard(t, 0)
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(executionLine("k")), 0o666); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		a, _, err := exchange.Ingest(t.Context(), s.st, []spool.File{{Path: path}}, exchange.IngestOptions{Named: true}, trackertest.NewRecorder(s.st, seeds.Options{}).Entropy, silent{})
		if err != nil || a.Recorded != 1-round || a.Duplicates != round {
			t.Fatalf("round %d: %+v, %v", round, a, err)
		}
		s.forget()
	}
	if n, kept := s.texts(); n != 1 || kept != 0 {
		t.Errorf("%d executions, %d with texts", n, kept)
	}
	e := trackertest.Task("", 0)
	e.Source, e.Lineage, e.Version, e.Task, e.Output = importer.JSONL, "l", "v1", "t", pointer(spokenOf)
	trackertest.RecordExecution(t, s.st, e, false) // its key is its ID
	s.forget()
	record, err := lines.AppendExecution(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	if summary := s.batch(string(record)); summary.Recorded != 1 {
		t.Errorf("%+v", summary)
	}
	if n, kept := s.texts(); n != 3 || kept != 0 {
		t.Errorf("%d executions, %d with texts", n, kept)
	}
}

// Only the owner makes a database forget.
func TestForgettingNeedsRights(t *testing.T) {
	here, there := newShard(t, 0), newShard(t, 10)
	here.batch(executionLine("k"))
	there.merge(here)
	there.forget()
	text, err := os.ReadFile(there.export())
	if err != nil {
		t.Fatal(err)
	}
	if summary := here.batch(string(text)); summary.Recorded != 0 || summary.Rejected == 0 {
		t.Errorf("%+v", summary)
	}
	if _, kept := here.texts(); kept != 1 {
		t.Errorf("%d with texts", kept)
	}
}

// silent is an observer of an ingestion that shows nothing.
type silent struct{}

func (silent) File(_ string, _ int64, text io.Reader) (io.Reader, exchange.BatchObserver) {
	return text, exchange.BatchObserver{Problem: func(exchange.BatchProblem) {}}
}

func (silent) FileDone(exchange.BatchSummary) {}
