package tracker_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"track/answer"
	"track/importer/lines"
	"track/internal/lineagetest"
	"track/internal/sizes"
	"track/internal/testdb"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/lineages"
)

// A long ledger arrives whole. One that was cut off goes on where it ended.
func TestLongLedgers(t *testing.T) {
	there := testdb.Open(t, testdb.NewFile(t))
	loop := lineagetest.New(t, there, nil)
	first := loop.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
	var early lines.Lineage
	for i := range 298 {
		loop.Propose(lineagetest.Text(fmt.Sprint("language ", i)), answer.ProposeQuestion{})
		if i == 18 {
			var err error
			if early, err = lineages.Export(t.Context(), there.Reader, "l"); err != nil {
				t.Fatal(err)
			}
		}
	}
	loop.Run("v001", 60, 61, 62)
	loop.Run(first.Child, 90, 91, 92)
	if d := loop.Decide(first.Key, answer.DecideQuestion{}); d.Entry.Number != 301 { // in a later transaction than its proposal
		t.Fatalf("the decision is entry %d", d.Entry.Number)
	}
	x, err := lineages.Export(t.Context(), there.Reader, "l")
	if err != nil {
		t.Fatal(err)
	}
	for name, bring := range map[string]func(*store.Store) (entries, known int, err error){
		"merged": func(st *store.Store) (entries, known int, err error) {
			merged := answer.NewMergedFile("")
			err = exchange.Merge(t.Context(), st, there, &merged, exchange.MergeOptions{})
			return merged.Entries.Recorded, merged.Entries.Known, err
		},
		"imported": func(st *store.Store) (entries, known int, err error) {
			a, err := importLineage(t, st, x)
			return a.Recorded, a.Known, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			here := testdb.New(t)
			if a, err := importLineage(t, here, early); err != nil || a.Recorded != 21 || a.Known != 0 {
				t.Fatalf("the beginning: %+v %v", a, err)
			}
			for _, want := range [][2]int{{280, 21}, {0, 301}} {
				if entries, known, err := bring(here); err != nil || [2]int{entries, known} != want {
					t.Fatalf("%d entries and %d known, %v; want %d", entries, known, err, want)
				}
			}
			checkLongLedger(t, here, there)
		})
	}
}

// importLineage merges an exported lineage, and counts the entries of its ledger.
func importLineage(t testing.TB, st *store.Store, x lines.Lineage) (answer.Count, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lineage.jsonl")
	out, err := os.Create(file)
	if err == nil {
		err = errors.Join(lines.WriteLineage(out, x), out.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	open := func() (*store.Store, func(), error) { return st, func() {}, nil }
	a, err := exchange.MergeFiles(t.Context(), "", open, []string{file}, exchange.MergeOptions{Largest: sizes.Unpacked})
	if len(a.Files) == 0 {
		return answer.Count{}, err
	}
	return a.Files[0].Entries, err
}

func checkLongLedger(t *testing.T, here, there *store.Store) {
	t.Helper()
	var exports [2]string
	for i, st := range []*store.Store{here, there} {
		export, err := exchange.ExportLineage(t.Context(), st.Reader, "l", false)
		if err != nil {
			t.Fatal(err)
		}
		exports[i] = string(export)
	}
	if exports[0] != exports[1] {
		t.Error("the ledgers differ")
	}
	if r, err := lineages.Replay(t.Context(), here.Reader, "l", answer.ReplayQuestion{}); err != nil || len(r.Differences) > 0 {
		t.Errorf("%v %v", err, r.Differences)
	}
}
