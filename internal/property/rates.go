package property

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limit is four Monte Carlo standard deviations of a rate that [Draws] draws estimate.
func Limit(rate float64) float64 { return 4 * math.Sqrt(rate*(1-rate)/Draws) }

// SameRates compares what a simulation found with testdata/simulations/TEST.golden: the draws are fixed, so that any
// other figure is a change of the method. UPDATE_GOLDEN=yes writes the file. A build with the tag nightly draws more
// often and compares nothing.
func SameRates(t *testing.T, rates map[string]float64) {
	t.Helper()
	if Draws != 200 {
		return
	}
	var lines []string
	for name, rate := range rates {
		lines = append(lines, fmt.Sprintf("%s: %.6g\n", name, rate))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	path := filepath.Join("testdata", "simulations", t.Name()+".golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the same draws gave other rates.\ngot:\n%s\nwant:\n%s", got, want)
	}
}
