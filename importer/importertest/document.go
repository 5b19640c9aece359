package importertest

import (
	"bytes"
	"testing"

	"track"
)

// DamageDocument cuts and flips a fixture that is one document with one main execution, and checks that nothing panics,
// that what is read is valid, that damage is reported, and that the calls before a cut are those of the whole.
func DamageDocument(t *testing.T, read Reader, fixture []byte) {
	t.Helper()
	whole, err := ReadBytes(t, read, fixture)
	if err != nil || len(Skips(whole)) > 0 || len(mainCalls(Executions(whole))) == 0 {
		t.Fatalf("%d items, %v", len(whole), err)
	}
	want := mainCalls(Executions(whole))
	t.Run("cut off", func(t *testing.T) {
		most := 0
		for end := 1; end < len(bytes.TrimSpace(fixture)); end += stride(fixture, 300) {
			items, err := ReadBytes(t, read, fixture[:end])
			if err != nil {
				continue // too little to tell the format
			}
			if len(Skips(items)) == 0 {
				t.Fatalf("cut at byte %d, and nothing said", end)
			}
			got := mainCalls(Executions(items))
			if len(got) < most || len(got) > len(want) {
				t.Fatalf("cut at byte %d: %d calls, and %d of less", end, len(got), most)
			}
			for i := range max(0, len(got)-2) { // the last may lack their results
				if got[i].Key != want[i].Key || got[i].Input != want[i].Input {
					t.Fatalf("cut at byte %d: call %d is %+v, want %+v", end, i, got[i], want[i])
				}
			}
			most = len(got)
		}
		if most < len(want)-1 {
			t.Errorf("at most %d of %d calls", most, len(want))
		}
	})
	t.Run("flipped", func(t *testing.T) {
		said := 0
		for at := 0; at < len(fixture); at += stride(fixture, 800) {
			text := bytes.Clone(fixture)
			text[at] ^= 1 << (at % 7)
			if items, err := ReadBytes(t, read, text); err == nil {
				said += len(Skips(items))
			}
		}
		if said == 0 {
			t.Error("nothing was ever said to be left out")
		}
	})
}

// mainCalls returns the calls of the execution that has most.
func mainCalls(executions []track.Execution) (calls []track.ToolCall) {
	for _, e := range executions {
		if len(e.Calls) > len(calls) {
			calls = e.Calls
		}
	}
	return calls
}
