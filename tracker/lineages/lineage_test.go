package lineages_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/store"
)

// loop is a lineage under test.
type loop struct{ *lineagetest.Loop }

func newLoop(t testing.TB, st *store.Store, edit func(*evolution.Settings)) *loop {
	t.Helper()
	return &loop{lineagetest.New(t, st, edit)}
}

func pointer[T any](x T) *T { return &x }

// warned says whether a decision has a warning that contains a text.
func warned(list []answer.DecisionWarning, code evolution.Warning, message string) bool {
	for _, w := range list {
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
