package jsonl_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track/importer/jsonl"
)

// checkWritten reads a line, writes what it says, and reads that again.
func checkWritten(t *testing.T, line []byte) {
	t.Helper()
	execution, failure := jsonl.ParseLine(line)
	if failure != nil {
		return
	}
	written, err := jsonl.Append(nil, execution)
	if err != nil {
		t.Fatal(err)
	}
	again, failure := jsonl.ParseLine(written)
	if failure != nil {
		t.Fatalf("%s: %v", written, failure)
	}
	if diff := cmp.Diff(execution, again, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
		t.Fatalf("written and read again (-want +got):\n%s", diff)
	}
}

func TestAppend(t *testing.T) {
	lines := 0
	for line := range bytes.Lines(fixture(t)) {
		if _, failure := jsonl.ParseLine(line); failure == nil {
			lines++
		}
		checkWritten(t, line)
	}
	if lines < 4 {
		t.Errorf("only %d lines were written", lines)
	}
}

func FuzzAppend(f *testing.F) {
	for line := range bytes.Lines(fixture(f)) {
		f.Add(line)
	}
	f.Fuzz(checkWritten)
}
