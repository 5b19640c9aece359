package main

import (
	"strings"
	"testing"
	"time"
)

// A line that takes long shows that something goes on.
func TestProgressWhileNothingIsCounted(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	bar := &progress{out: &out, verb: "recording", noun: "lines", total: 200, began: now, counted: now, now: func() time.Time { return now }}
	bar.read.Store(100)
	shows := func(want string) {
		t.Helper()
		if got := out.String(); got != want {
			t.Errorf("drew %q, want %q", got, want)
		}
		out.Reset()
	}
	now = now.Add(999 * time.Millisecond)
	bar.redraw()
	shows("")
	now = now.Add(2001 * time.Millisecond)
	bar.redraw()
	shows("\r\x1b[Krecording 0 lines, 0/s ████████████░░░░░░░░░░░░  50%, 3 s since the last")
	bar.update(6)
	shows("")
	now = now.Add(time.Second)
	bar.redraw()
	shows("\r\x1b[Krecording 6 lines, 2/s ████████████░░░░░░░░░░░░  50%, 1 s since the last")
	bar.clear()
	shows("\r\x1b[K")
	bar.redraw() // something else was written just now
	shows("")
}
