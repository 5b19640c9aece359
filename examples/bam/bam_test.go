// Package bam_test holds the example specs and batches against the results that bam-engine computed itself.
package bam_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track"
	"track/importer/lines"
	"track/scoring"
	"track/spec"
)

// origin is where the results of bam-engine are.
const origin = "../../scoring/testdata/bam"

// batches are the batch files, the scenario whose spec judges them, and the results they hold.
var batches = []struct{ file, scenario, results string }{
	{"baseline.jsonl", "baseline", "results_baseline.jsonl"},
	{"growth_plus.jsonl", "growth_plus", "results_growth_plus.jsonl"},
	{"buffer_stock.jsonl", "buffer_stock", "results_buffer_stock.jsonl"},
	{"baseline__consumer_matching_random.jsonl", "baseline", "variants/results_baseline__consumer_matching_random.jsonl"},
	{"growth_plus__theta_14.jsonl", "growth_plus", "variants/results_growth_plus__theta_14.jsonl"},
	{"growth_plus__small_economy.jsonl", "growth_plus", "variants/results_growth_plus__small_economy.jsonl"},
}

var scenarios = []string{"baseline", "growth_plus", "buffer_stock"}

func readOrigin(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(origin, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the results of bam-engine are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readSpec(t *testing.T, scenario string) scoring.Spec {
	t.Helper()
	data, err := os.ReadFile(scenario + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(scenario+".yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readBatch(t *testing.T, file string) []track.Seed {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []track.Seed
	for record, err := range lines.Read(file, bytes.NewReader(data)) {
		if err != nil || record.Err != nil {
			t.Fatal(errors.Join(err, record.Err))
		}
		seeds = append(seeds, record.Seed)
	}
	return seeds
}

// The hash of a spec is what databases know it by.
func TestSpecs(t *testing.T) {
	tests := map[string]struct {
		metrics int
		weight  float64
		hash    string
	}{
		"baseline":     {25, 32.75, "efd650d1f0a9863bb395e4c132d46364245d9e197b532a694b9ab4d1cb615c8c"},
		"growth_plus":  {66, 86.75, "df23b634f6db5ebfa6e0cc95393a5e9107d85b9a41ed8450b89348bb6bb9a342"},
		"buffer_stock": {8, 16.5, "38fcdb6d21a87cf42775eb3d69d413bc888ef553ad8c24a0241c7cb5ce101de9"},
	}
	for scenario, want := range tests {
		s := readSpec(t, scenario)
		weight := 0.0
		for _, m := range s.Metrics {
			weight += m.Weight
		}
		if s.Scenario != scenario || len(s.Metrics) != want.metrics || weight != want.weight {
			t.Errorf("%s: scenario %s, %d metrics of weight %v", scenario, s.Scenario, len(s.Metrics), weight)
		}
		if got := spec.Hash(s); got != want.hash {
			t.Errorf("%s: hash %s, want %s", scenario, got, want.hash)
		}
		if warnings := spec.Lint(s); len(warnings) > 0 {
			t.Errorf("%s: %v", scenario, warnings)
		}
	}
}

// The specs say what bam-engine's metric specifications say, metric by metric, but for the titles and for where
// values come from.
func TestSpecsAreThoseOfBamEngine(t *testing.T) {
	for _, scenario := range scenarios {
		got, want := readSpec(t, scenario), originSpec(t, scenario)
		want.Title = got.Title
		for i := range got.Metrics {
			got.Metrics[i].From = nil
		}
		if changes := spec.Diff(want, got); len(changes) > 0 {
			t.Errorf("%s: %v", scenario, changes)
		}
	}
}

// originSpec reads a metric specification of bam-engine, in which the fields of the type stand in params.
func originSpec(t *testing.T, scenario string) scoring.Spec {
	t.Helper()
	var file struct {
		Metrics     []map[string]any
		Improvement *struct {
			MaxDegradationBase float64 `json:"max_degradation_base"`
		}
	}
	if err := json.Unmarshal(readOrigin(t, "metric_spec_"+scenario+".json"), &file); err != nil {
		t.Fatal(err)
	}
	document := map[string]any{"scenario": scenario}
	var metrics []map[string]any
	for _, m := range file.Metrics {
		metric, _ := m["params"].(map[string]any)
		for _, field := range []string{"name", "type", "weight", "group", "format", "target_desc"} {
			metric[field] = m[field]
		}
		metrics = append(metrics, metric)
	}
	document["metrics"] = metrics
	if file.Improvement != nil {
		document["improvement"] = map[string]any{
			"baseline": "growth_plus", "max_degradation_base": file.Improvement.MaxDegradationBase,
		}
	}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(scenario, data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// originResult is a line of bam-engine's results.
type originResult struct {
	Seed       int
	Outcome    string // absent where all runs ended well
	Error      string
	TotalScore float64 `json:"total_score"`
	NPass      int     `json:"n_pass"`
	NWarn      int     `json:"n_warn"`
	NFail      int     `json:"n_fail"`
	Metrics    []struct {
		Name   string
		Status scoring.Status
		Score  float64
	}
}

// Each seed of each batch, judged under the spec of its scenario, has the statuses and scores that bam-engine gave
// it; and so do those of buffer_stock under the spec of growth_plus, which they are compared with.
func TestBatchesScoreAsBamEngine(t *testing.T) {
	across := struct{ file, scenario, results string }{"buffer_stock.jsonl", "growth_plus", "results_growth_plus_spec_on_buffer_stock_runs.jsonl"}
	for _, tt := range append(batches[:len(batches):len(batches)], across) {
		t.Run(tt.file+" under "+tt.scenario, func(t *testing.T) {
			s, seeds := readSpec(t, tt.scenario), readBatch(t, tt.file)
			scanner := bufio.NewScanner(bytes.NewReader(readOrigin(t, tt.results)))
			scanner.Buffer(nil, 1<<20)
			for i := 0; scanner.Scan(); i++ {
				var want originResult
				if err := json.Unmarshal(scanner.Bytes(), &want); err != nil {
					t.Fatal(err)
				}
				if i >= len(seeds) {
					t.Fatalf("%d seeds, but bam-engine has more results", len(seeds))
				}
				seed := seeds[i]
				if own := strings.HasPrefix(tt.file, seed.Scenario); !own || seed.Number.String() != fmt.Sprint(want.Seed) {
					t.Fatalf("line %d is seed %s of %s, want seed %d", i+1, seed.Number, seed.Scenario, want.Seed)
				}
				compare(t, s, seed, want)
			}
			if len(seeds) != 10 {
				t.Errorf("%d seeds, want 10", len(seeds))
			}
		})
	}
}

func compare(t *testing.T, s scoring.Spec, seed track.Seed, want originResult) {
	t.Helper()
	if want.Outcome == "error" {
		if seed.Outcome != track.OutcomeError || seed.Message != want.Error || len(seed.Values) > 0 {
			t.Errorf("seed %s: %s %q with %d values, want the error %q", seed.Number, seed.Outcome, seed.Message, len(seed.Values), want.Error)
		}
		return
	}
	got := scoring.Assess(s, seed.Values)
	if seed.Outcome != track.OutcomeOK || !got.Scored || !near(got.TotalScore, want.TotalScore) {
		t.Errorf("seed %s: %s, total score %v, want %v", seed.Number, seed.Outcome, got.TotalScore, want.TotalScore)
	}
	if got.NPass != want.NPass || got.NWarn != want.NWarn || got.NFail != want.NFail {
		t.Errorf("seed %s: %d PASS, %d WARN, %d FAIL, want %d, %d, %d",
			seed.Number, got.NPass, got.NWarn, got.NFail, want.NPass, want.NWarn, want.NFail)
	}
	if len(got.Results) != len(want.Metrics) || len(seed.Values) < len(want.Metrics) {
		t.Fatalf("seed %s: %d values, %d results, want %d", seed.Number, len(seed.Values), len(got.Results), len(want.Metrics))
	}
	for i, r := range got.Results {
		w := want.Metrics[i]
		if r.Name != w.Name || r.Status != w.Status || !near(r.Score, w.Score) {
			t.Errorf("seed %s: %s %s %v, want %s %s %v", seed.Number, r.Name, r.Status, r.Score, w.Name, w.Status, w.Score)
		}
	}
}

// near allows for exp, which differs between mathematics libraries in its last bit.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }

// The table of README.md: what the batches come to.
func TestStability(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range batches {
		s := readSpec(t, tt.scenario)
		var assessments []scoring.Assessment
		scored := 0
		for _, seed := range readBatch(t, tt.file) {
			var a scoring.Assessment // of a seed that crashed
			if seed.Outcome == track.OutcomeOK {
				a = scoring.Assess(s, seed.Values)
				scored++
			}
			assessments = append(assessments, a)
		}
		got := scoring.Aggregate(s, assessments)
		row := fmt.Sprintf("| `%s` | %s | %d of 10 | %.4f | %.4f | %.1f | %.4f |", tt.file, tt.scenario,
			scored, *got.MeanScore, *got.StdScore, *got.PassRate, *got.CombinedScore)
		if !strings.Contains(string(readme), row+"\n") {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}
