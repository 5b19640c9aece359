package lineages_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"track"
	"track/evolution"
	"track/internal/lineagetest"
	"track/store"
	"track/tracker/lineages"
)

// loop is a lineage under test.
type loop struct{ *lineagetest.Loop }

func newLoop(t testing.TB, st *store.Store, edit func(*evolution.Settings)) *loop {
	t.Helper()
	return &loop{lineagetest.New(t, st, edit)}
}

func pointer[T any](x T) *T { return &x }

// warned says whether a decision has a warning that contains a text.
func warned(r lineages.DecideResult, code evolution.Warning, message string) bool {
	for _, w := range r.Warnings {
		text := w.Message
		if w.Hint != nil {
			text += "; " + w.Hint.String()
		}
		if w.Code == code && strings.Contains(text, message) {
			return true
		}
	}
	return false
}

func wantHint(t testing.TB, err, sentinel error, message, hint string) {
	t.Helper()
	if !errors.Is(err, sentinel) || !strings.Contains(err.Error(), message) || !strings.Contains(fmt.Sprint(track.Hints(err)), hint) {
		t.Errorf("%v (hints %q), want %v: %q, hint %q", err, track.Hints(err), sentinel, message, hint)
	}
}

// task is an execution of another source with calls and a final text, which earns a score.
func task(key string, calls int) track.Execution {
	e := track.Execution{Key: key, Source: "codex", Lineage: "l", Version: "v1", Output: pointer("The answer is 42, because six times seven is that.")}
	for i := range calls {
		e.Calls = append(e.Calls, track.ToolCall{Key: fmt.Sprint("c", i), Tool: "Bash", Input: fmt.Sprint("ls ", i), Exit: pointer(0), Answered: true, Output: pointer("fine")})
	}
	return e
}

func wantError(t testing.TB, err, sentinel error) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Errorf("error %v, want %v", err, sentinel)
	}
}

// near lets two numbers differ by 1e-12, absolute or relative, whichever is looser. NaN equals NaN.
func near(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b))
}
