package lines_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/importer/lines"
)

// What is written is read as the same files, text or not.
func TestArtifactsOfLines(t *testing.T) {
	want := []track.Artifact{
		{Name: "a.log", Content: "one\ntwo \"quoted\" \\ \u00e4\n"}, {Name: "b.bin", Content: "\x00\xff\xfe"}, {Name: "c/empty"}, {Name: "d", LeftOut: "too large"},
		{Name: "control", Content: "\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19"},
	}
	text, err := lines.AppendSeed(nil, track.Seed{Scenario: "s", Outcome: track.OutcomeError, Artifacts: want})
	if err != nil {
		t.Fatal(err)
	}
	seed, problem := lines.ParseSeed(text)
	if problem != nil {
		t.Fatal(problem)
	}
	if diff := cmp.Diff(want, seed.Artifacts); diff != "" {
		t.Error(diff)
	}
}
