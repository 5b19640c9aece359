package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"track"
	"track/internal/sizes"
	"track/scoring"
	trackseries "track/series"
	"track/spec"
)

// TestSpec: the spec is one without remarks, a run has each of its metrics and no other, and what the spec computes
// from the series is what the run says. A dead economy (seed 18, theta 14) fails it, a living one does not.
func TestSpec(t *testing.T) {
	const file = "market.spec.yaml"
	s, err := spec.Parse(file, readFile(t, file))
	if err != nil {
		t.Fatal(err)
	}
	if remarks := spec.Lint(s); len(remarks) > 0 {
		t.Errorf("remarks: %v", remarks)
	}
	if s.Gate == nil || !s.Gate.Judges() || s.Improvement == nil {
		t.Errorf("gate %+v, improvement %+v", s.Gate, s.Improvement)
	}
	for _, c := range []struct {
		seed   uint64
		theta  float64
		passes bool
	}{{7, 8, true}, {18, 14, false}} {
		course, err := simulate(defaults(c.seed, c.theta))
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]float64{}
		for _, m := range course.metrics() {
			given[m.name] = m.value
		}
		path := filepath.Join(t.TempDir(), "series.csv")
		if err := os.WriteFile(path, seriesCSV(course.series()), 0o666); err != nil {
			t.Fatal(err)
		}
		columns, err := trackseries.ReadFile(path, sizes.Unpacked)
		if err != nil {
			t.Fatal(err)
		}
		find := func(name string) ([]float64, bool) {
			i := slices.IndexFunc(columns, func(s track.Series) bool { return s.Name == name })
			if i < 0 {
				return nil, false
			}
			return columns[i].Values, true
		}
		computed := 0
		for _, m := range s.Metrics {
			want, ok := given[m.Name]
			if !ok {
				t.Errorf("seed %d: no %s", c.seed, m.Name)
			}
			delete(given, m.Name)
			if m.From == nil {
				continue
			}
			computed++
			got, reason := m.From.Compute(find)
			if reason != "" || math.Abs(got-want) > scoring.ContradictionTolerance*max(1, math.Abs(want)) {
				t.Errorf("seed %d: %s is %v from the series (%s), and %v from the run", c.seed, m.Name, got, reason, want)
			}
		}
		if len(given) > 0 || computed < 10 {
			t.Errorf("seed %d: not in the spec: %v; computed from series: %d", c.seed, given, computed)
		}
		values := map[string]float64{}
		for _, m := range course.metrics() {
			values[m.name] = m.value
		}
		if a := scoring.Assess(s, values); (a.NFail == 0) != c.passes {
			t.Errorf("seed %d, theta %v: %d metrics fail", c.seed, c.theta, a.NFail)
		}
	}
}
