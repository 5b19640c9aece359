package verdict_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/scoring"
	"track/scoring/verdict"
)

func fatal(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func ptr(x float64) *float64 { return &x }

// resultLine is a seed as bam-engine judged it.
type resultLine struct {
	Seed       uint64
	TotalScore float64 `json:"total_score"`
	NFail      int     `json:"n_fail"`
	Metrics    []struct {
		Name          string
		Score, Weight float64
	}
}

// bamSeeds reads the judged seeds of a results file, and what a comparison needs of the spec they were judged by.
func bamSeeds(t *testing.T, file string) ([]verdict.JudgedSeed, scoring.Spec) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "bam", file))
	fatal(t, err)
	var seeds []verdict.JudgedSeed
	var spec scoring.Spec
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var r resultLine
		fatal(t, json.Unmarshal([]byte(line), &r))
		seed := verdict.JudgedSeed{Number: r.Seed, Passed: r.NFail == 0, Total: r.TotalScore}
		spec.Metrics = nil
		for _, m := range r.Metrics {
			seed.Scores = append(seed.Scores, m.Score)
			spec.Metrics = append(spec.Metrics, scoring.Metric{Name: m.Name, Weight: m.Weight})
		}
		seeds = append(seeds, seed)
	}
	return seeds, spec
}

// oneMetric is a spec whose total score is that of its one metric. At base 0.25 it may lose 0.25.
var oneMetric = scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 1}}}}

// seedsOf gives seeds 0, 1, 2 … with these scores of one metric; NaN is a seed that crashed.
func seedsOf(scores ...float64) []verdict.JudgedSeed {
	list := make([]verdict.JudgedSeed, len(scores))
	for i, x := range scores {
		list[i] = verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: x, Scores: []float64{x}}
		if math.IsNaN(x) {
			list[i] = verdict.JudgedSeed{Number: uint64(i), Failed: "error: out of memory"}
		}
	}
	return list
}

// options are those of a comparison at base 0.25.
func options() verdict.Options {
	return verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase}
}

func compare(t rapid.TB, candidate, baseline []verdict.JudgedSeed, o verdict.Options) verdict.Improvement {
	t.Helper()
	i, err := verdict.Compare(oneMetric, candidate, baseline, o)
	fatal(t, err)
	return i
}

func hasCode(warnings []verdict.Warning, code string) bool {
	for _, w := range warnings {
		if w.Code == code && w.Message != "" {
			return true
		}
	}
	return false
}

// around gives scores around a level that vary a little, and not by chance.
func around(level float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = level + 0.01*float64(i%5-2) + 0.001*float64(i%3)
	}
	return xs
}
