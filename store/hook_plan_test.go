//go:build !race

package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A call of a hook looks at no event but those of its turn; only the status of all looks at all that is not final.
func TestHookPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "track.db")
	if _, err := Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st, err := Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for _, q := range []struct {
		text string
		args []any
		want string
	}{
		{findHookBoundary, []any{"s", "", 1}, "USING INDEX hook_event"},
		{findPromptBefore, []any{"s", "", 1}, "USING INDEX hook_event"},
		{findPromptAfter, []any{"s", "", 1}, "USING INDEX hook_event"},
		{listHookEvents, []any{"s", "", 1, 2}, "USING INDEX hook_event_at"},
		{listHookThreads, []any{"s"}, "USING INDEX hook_event_open"},
		{listSilentThreads, []any{1, 5}, "USING INDEX hook_event_open"},
		{pruneHookEvents, []any{1}, "INDEX hook_event_settled"},
		{listHookTurns, nil, "USING INDEX hook_event_open"},
	} {
		steps := strings.Join(plan(t, st, q.text, q.args...), "\n")
		if !strings.Contains(steps, q.want) {
			t.Errorf("%s\n%s", q.text, steps)
		}
	}
}
