//go:build !race

package store

import "testing"

// Documents of databases that are older than schema 10 are not compressed.
func TestScoreDocument(t *testing.T) {
	long := `{"reason":"` + string(make([]byte, 5000)) + `"}`
	var c compressor
	for range 2 { // the second time with the writer of the first
		compressed, err := c.compress(long)
		if err != nil || len(compressed) > 200 {
			t.Fatalf("%d bytes, error %v", len(compressed), err)
		}
		for stored, want := range map[string]string{"": "{}", `{"a":1}`: `{"a":1}`, string(compressed): long} {
			if got, err := scoreDocument([]byte(stored)); err != nil || string(got) != want {
				t.Errorf("%.20q is read as %.20q, error %v", stored, got, err)
			}
		}
		if got, err := scoreDocument(compressed[:len(compressed)-9]); err == nil {
			t.Errorf("a cut document is read as %.20q", got)
		}
	}
}
