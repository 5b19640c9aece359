package series

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHash(t *testing.T) {
	// printf '\x00\x00\x00\x00\x00\x00\xf8\x3f\x01\x00\x00\x00\x00\x00\xf8\x7f' | sha256sum
	const want = "f4ec1dddd6d6c4ac57d876fe283f34d70d6531dc13b4d3a53f88d4811f193daf"
	if got := fmt.Sprintf("%x", Hash([]float64{1.5, math.NaN()})); got != want {
		t.Errorf("Hash = %s, want %s", got, want)
	}
	if Hash([]float64{math.Float64frombits(0xFFF0000000000001)}) != Hash([]float64{math.NaN()}) {
		t.Error("the hash tells one NaN from another")
	}
	if Hash([]float64{0}) == Hash([]float64{math.Copysign(0, -1)}) {
		t.Error("the hash does not tell 0 from -0")
	}
	if Hash(nil) != sha256.Sum256(nil) {
		t.Error("the hash of nothing is not that of no bytes")
	}
	long := make([]float64, 5000)
	if Hash(long) != sha256.Sum256(make([]byte, 40000)) {
		t.Error("the hash of a long series is not that of its bytes")
	}
}

func TestSummarize(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		values []float64
		want   Summary
	}{
		{"nothing", nil, Summary{0, 0, nan, nan, nan, nan}},
		{"one", []float64{3}, Summary{1, 0, 3, 3, 3, 3}},
		{"some", []float64{3, 1, 5, 3}, Summary{4, 0, 1, 3, 5, 3}},
		{"with NaN", []float64{nan, 1, 3, nan}, Summary{4, 2, 1, 2, 3, nan}},
		{"only NaN", []float64{nan, nan}, Summary{2, 2, nan, nan, nan, nan}},
		{"infinite", []float64{1, inf, 2}, Summary{3, 0, 1, inf, inf, 2}},
		{"lost digits", []float64{1, 1e100, 1, -1e100}, Summary{4, 0, -1e100, 0.5, 1e100, -1e100}}, // a plain sum is 0
	} {
		if diff := cmp.Diff(c.want, Summarize(c.values), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
