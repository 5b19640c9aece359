package bam_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"track/internal/sizes"
	"track/series"
)

// covered is how many metrics of each spec say how their values follow from series.
var covered = map[string]int{"baseline": 23, "growth_plus": 47, "buffer_stock": 1}

func TestSpecsComputeFromSeries(t *testing.T) {
	for _, scenario := range scenarios {
		n := 0
		for _, m := range readSpec(t, scenario).Metrics {
			if m.From != nil {
				n++
			}
		}
		if n != covered[scenario] {
			t.Errorf("%s: %d metrics have from, want %d", scenario, n, covered[scenario])
		}
	}
}

// The values that the specs compute from the series of a run are those that bam-engine computed itself.
func TestSeries(t *testing.T) {
	for seed := range 2 {
		checkSeries(t, "baseline", seed, "series", ".csv.gz")
	}
}

// All series of bam-engine's runs take 4 MB; they are checked where their folder stands beside the project.
func TestAllSeries(t *testing.T) {
	const folder = "../../../shared/data/bam/series"
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the series of all seeds are not beside the project: no %s", folder)
	}
	for _, scenario := range scenarios {
		for seed := range 5 {
			checkSeries(t, scenario, seed, folder, ".csv")
		}
	}
}

func checkSeries(t *testing.T, scenario string, seed int, folder, suffix string) {
	t.Helper()
	found := readSeries(t, filepath.Join(folder, scenario, fmt.Sprintf("seed_%04d", seed)), suffix)
	want := originValues(t, scenario)[seed]
	for _, m := range readSpec(t, scenario).Metrics {
		if m.From == nil {
			continue
		}
		got, reason := m.From.Compute(func(name string) ([]float64, bool) {
			values, ok := found[name]
			return values, ok
		})
		if reason != "" || !near(got, want[m.Name]) {
			t.Errorf("%s, seed %d: %s is %v %s, want %v", scenario, seed, m.Name, got, reason, want[m.Name])
		}
	}
}

// readSeries reads the time series and the cross-section of a run.
func readSeries(t *testing.T, stem, suffix string) map[string][]float64 {
	t.Helper()
	found := map[string][]float64{}
	for _, file := range []string{stem + suffix, stem + "_cross_section" + suffix} {
		list, err := series.ReadFile(file, sizes.Unpacked)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			found[s.Name] = s.Values
		}
	}
	return found
}

// originValues returns the values that bam-engine measured, by metric, of each seed.
func originValues(t *testing.T, scenario string) []map[string]float64 {
	t.Helper()
	var seeds []map[string]float64
	lines := bufio.NewScanner(bytes.NewReader(readOrigin(t, "results_"+scenario+".jsonl")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Metrics []struct {
				Name   string
				Actual float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, m := range line.Metrics {
			values[m.Name] = m.Actual
		}
		seeds = append(seeds, values)
	}
	return seeds
}

// The series of a run take less than 60 % of their raw bytes when they are stored; those of all runs, 52 %.
func TestSeriesCompress(t *testing.T) {
	raw, stored := 0, 0
	for seed := range 2 {
		for _, values := range readSeries(t, filepath.Join("series", "baseline", fmt.Sprintf("seed_%04d", seed)), ".csv.gz") {
			for _, chunk := range series.Encode(values) {
				raw += 8 * chunk.N
				stored += len(chunk.Data)
			}
		}
	}
	if share := float64(stored) / float64(raw); share > 0.6 {
		t.Errorf("%d bytes of %d are %.2f", stored, raw, share)
	}
}
