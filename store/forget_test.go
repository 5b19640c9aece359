//go:build !race

package store_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"track"
	"track/store"
)

// needle is in every text of addTexts.
const needle = "NEEDLE "

// addTexts records executions with texts of many sizes, so that SQLite moves them from page to page.
func addTexts(t testing.TB, st *store.Store, n int) (ids []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() *track.RecordedText {
		s := strings.Repeat(needle, 1+random.IntN(60))
		if random.IntN(4) == 0 {
			s = strings.Repeat(s, 30)
		}
		return &track.RecordedText{Digest: sha256.Sum256([]byte(s)), Bytes: len(s), Text: &s}
	}
	for i := range n {
		id := fmt.Sprintf("%026d", i)
		ids = append(ids, id)
		e := store.ExecutionRecord{Execution: track.Execution{ID: id, Lineage: "l", Key: fmt.Sprint(random.Uint64()), Status: track.ExecutionOK, Message: needle}, RecordedAt: st.Now()}
		e.Output = text()
		for range random.IntN(20) {
			e.Calls = append(e.Calls, track.ToolCall{Tool: "Bash", Answered: true, Error: needle})
			e.Inputs, e.Outputs = append(e.Inputs, *text()), append(e.Outputs, text())
		}
		e.Scores = append(e.Scores, track.RecordedScore{Rubric: "rubric/2", Detail: []byte(*text().Text), ScoredAt: st.Now()})
		err := st.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddExecution(e)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// found counts the needles in the files of a database.
func found(t testing.TB, path string) (n int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		n += bytes.Count(data, []byte(needle))
	}
	return n
}

// Forgetting leaves no copy in the files, though SQLite moves what it stores about; what stays tells when it was first
// forgotten.
func TestForgetBytes(t *testing.T) {
	path := newDatabase(t)
	now := clock()
	st, err := store.Open(t.Context(), path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	ids := addTexts(t, st, 200)
	if n := found(t, path); n < 10_000 {
		t.Fatalf("%d copies before, so that nothing is tested", n)
	}
	if err := st.Forget(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	if n := found(t, path); n != 0 {
		t.Errorf("%d copies are left while the database is open", n)
	}
	now = now.Add(time.Hour)
	if err := st.Forget(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	d, err := st.Execution(t.Context(), ids[0])
	if err != nil || !d.ForgottenAt.Equal(clock().Truncate(time.Microsecond)) {
		t.Errorf("forgotten at %v, error %v, want the first time", d.ForgottenAt, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if n := found(t, path); n != 0 {
		t.Errorf("%d copies are left after the database was closed", n)
	}
}
