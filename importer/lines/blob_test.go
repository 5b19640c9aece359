package lines_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/importer/lines"
)

func largeSeed(t *testing.T) (seed track.Seed, line []byte) {
	t.Helper()
	numbers := make([]float64, 1000)
	for i := range numbers {
		numbers[i] = 1 / float64(i+3)
	}
	copy(numbers, []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64})
	seed = track.Seed{
		Scenario: "s", Number: math.MaxUint64, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 0.1, "b": math.NaN()},
		Series: []track.Series{{Name: "large", Values: numbers}, {Name: "small", Values: []float64{1, 2}}},
		Artifacts: []track.Artifact{
			{Name: "a.log", Content: strings.Repeat("line é\n", 1000)}, {Name: "b.bin", Content: strings.Repeat("\x00\xff", 3000)},
			{Name: "c", Content: "short"}, {Name: "d", LeftOut: "too large"},
		},
	}
	line, err := lines.AppendSeed(nil, seed)
	if err != nil {
		t.Fatal(err)
	}
	return seed, line
}

// readSent reads the only line that was sent with blobs.
func readSent(line []byte, blobs []lines.Blob) (record lines.Record, err error) {
	blob := func(digest string) ([]byte, error) {
		for _, b := range blobs {
			if b.Digest == digest {
				return b.Content, nil
			}
		}
		return nil, fmt.Errorf("%w: %s", lines.ErrNoBlob, digest)
	}
	for record, err = range lines.ReadSent(strings.NewReader(string(line)), blob) {
	}
	return record, err
}

// A line without its large contents, and these, are the same seed as the line was.
func TestDetach(t *testing.T) {
	want, line := largeSeed(t)
	rest, blobs := lines.Detach(line, 4000)
	if len(blobs) != 3 || len(rest) > 1500 || strings.Count(string(rest), "\n") != 1 || !strings.HasSuffix(string(rest), "\n") {
		t.Fatalf("%d blobs, and %d bytes: %s", len(blobs), len(rest), rest)
	}
	record, err := readSent(rest, blobs)
	if err != nil || record.Err != nil {
		t.Fatal(err, record.Err)
	}
	byName := cmpopts.SortSlices(func(a, b track.Series) bool { return a.Name < b.Name })
	if diff := cmp.Diff(want, record.Seed, byName, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if got, none := lines.Detach(line, 1<<20); string(got) != string(line) || len(none) > 0 {
		t.Errorf("a line of short contents became %s", got)
	}
	if got, none := lines.Detach([]byte("{\n"), 1); string(got) != "{\n" || len(none) > 0 {
		t.Errorf("a broken line became %s", got)
	}
	for i := range blobs {
		if _, err := readSent(rest, append(blobs[:i:i], blobs[i+1:]...)); !errors.Is(err, lines.ErrNoBlob) {
			t.Errorf("without blob %d: %v", i, err)
		}
	}
}

func TestBlobsOfLines(t *testing.T) {
	numbers := lines.Blob{Digest: lines.BlobDigest([]byte("seven b")), Content: []byte("seven b")}
	for line, want := range map[string]string{
		`{"kind":"seed","scenario":"s","seed":"1","series_blobs":{"u":"` + numbers.Digest + `"}}`:                 "7 bytes are not numbers of 8 bytes",
		`{"kind":"seed","scenario":"s","seed":"1","series_blobs":{"u":"sha256:0"}}`:                               "is not a digest",
		`{"kind":"seed","scenario":"s","seed":"1","artifacts":[{"name":"a","blob":"x"}]}`:                         "is not a digest",
		`{"kind":"seed","scenario":"s","seed":"1","artifacts":[{"name":"a","text":"b","blob":"sha256:0"}]}`:       "needs one of",
		`{"kind":"seed","scenario":"s","seed":"1","artifacts":[{"name":"../a","blob":"` + numbers.Digest + `"}]}`: "is not a relative path",
	} {
		record, err := readSent([]byte(line), []lines.Blob{numbers})
		if err != nil || record.Err == nil || !strings.Contains(record.Err.Error(), want) {
			t.Errorf("%s: %v, %v, not %q", line, err, record.Err, want)
		}
		_, problem := lines.ParseSeed([]byte(line)) // of a file, which has no blobs
		if problem == nil {
			t.Errorf("%s is taken from a file", line)
		}
	}
}
