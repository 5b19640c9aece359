package remote

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/internal/spool"
)

// All lines that a server refuses are kept, also those of which its answer has only the numbers.
func TestPushKeepsUnlistedLines(t *testing.T) {
	const answered = `{"recorded":1,"duplicates":0,"conflicts":0,"rejected":2,"errors":[{"line":1,"field":"seed","message":"wrong"}],"errors_omitted":1,"lines_omitted":[3]}`
	c := clientOf(t, func(r *http.Request) (*http.Response, error) {
		return answering(r, http.StatusOK, strings.NewReader(answered)), nil
	})
	dir := filepath.Join(t.TempDir(), "spool")
	w, err := spool.Create(dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := w.Add(fmt.Appendf(nil, "line %d\n", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := (&Pusher{Client: c, Dir: dir, Attempts: 1}).Push(t.Context())
	if err != nil || a.Refused != 1 || a.ErrorsOmitted != 1 || len(a.Errors) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	lines, err := os.ReadFile(filepath.Join(spool.RefusedFolder(dir), "a.jsonl"))
	if string(lines) != "line 1\nline 3\n" {
		t.Errorf("kept are %q, %v", lines, err)
	}
	reasons, err := os.ReadFile(filepath.Join(spool.RefusedFolder(dir), "a.txt"))
	if got := string(reasons); !strings.HasPrefix(got, "line 1: seed: wrong\nline 2: the server gave the reasons of earlier lines alone") {
		t.Errorf("reasons %q, %v", got, err)
	}
}
