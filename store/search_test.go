//go:build !race

package store

import (
	"crypto/sha256"
	"slices"
	"testing"

	"track"
)

// A check finds an index that differs from the texts, and making it anew mends it.
func TestCheckOfIndex(t *testing.T) {
	st := planStore(t)
	said := "eight pears"
	err := st.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.AddExecution(ExecutionRecord{
			Execution: track.Execution{ID: "E", Key: "k", Lineage: "searched", Version: "v", Status: track.ExecutionOK},
			Output:    track.NewRecordedText(said, true), Digest: sha256.Sum256([]byte("E")), RecordedAt: st.Now(),
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(int) {}
	problems := func() (list []string) {
		t.Helper()
		if err := st.CheckRows(t.Context(), func(d Damage) {
			if d.Table == "text_index" {
				list = append(list, d.Problem)
			}
		}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := problems(); len(list) > 0 {
		t.Errorf("before it is indexed: %q", list)
	}
	if err := st.IndexTexts(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	if list := problems(); len(list) > 0 {
		t.Errorf("indexed: %q", list)
	}
	for statement, want := range map[string]string{
		`DELETE FROM text_index WHERE rowid IN (SELECT (id << 24) + 1 FROM execution)`: "it lacks texts that are kept",
		`INSERT INTO text_index (rowid, text) VALUES (1 << 40, 'x')`:                   "it has texts that are not kept",
	} {
		if err := st.Update(t.Context(), func(tx *Tx) error { _, err := tx.exec(statement); return err }); err != nil {
			t.Fatal(err)
		}
		if list := problems(); !slices.Contains(list, want) {
			t.Errorf("%s: %q", statement, list)
		}
		if err := st.RebuildIndex(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
		if list := problems(); len(list) > 0 {
			t.Errorf("made anew: %q", list)
		}
	}
}
