package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// assessedSeed is a seed as the aggregating functions of the origin take it.
type assessedSeed struct {
	TotalScore jsonNumber `json:"total_score"`
	Metrics    []struct {
		Name   string
		Status Status
		Actual jsonNumber
		Score  jsonNumber
	}
	ImprovementDeltas map[string]jsonNumber `json:"improvement_deltas"`
}

// collapsed seeds have no metrics, and NaN for their total score.
func (s assessedSeed) collapsed() bool { return len(s.Metrics) == 0 }

func (s assessedSeed) assessment() Assessment {
	if s.collapsed() {
		return Assessment{}
	}
	a := Assessment{TotalScore: float64(s.TotalScore), Scored: true}
	for _, m := range s.Metrics {
		a.Results = append(a.Results, Result{
			Name: m.Name, Value: float64(m.Actual), Status: m.Status, Score: float64(m.Score), Reason: reason(float64(m.Actual)),
		})
	}
	return count(a)
}

// aggregateSeeds returns the aggregate under a spec that names the metrics and, as aggregates do not use them, has no
// targets.
func aggregateSeeds(seeds []assessedSeed) Stability {
	spec := Spec{Scenario: "vectors"}
	var assessments []Assessment
	for _, s := range seeds {
		if len(spec.Metrics) == 0 {
			for _, m := range s.Metrics {
				spec.Metrics = append(spec.Metrics, Metric{Name: m.Name})
			}
		}
		assessments = append(assessments, s.assessment())
	}
	return Aggregate(spec, assessments)
}

// noFlags leaves out the flags, which the functions of the origin do not return.
var noFlags = cmp.Options{approx, cmpopts.IgnoreFields(metricFigures{}, "ReportFlag")}

// noSeeds is the aggregate of no seeds at all: rates of 0/0 are NaN, and nothing shows that the configuration is
// stable.
var noSeeds = stabilityFigures{
	MeanScore: nan, StdScore: nan, MinScore: nan, MaxScore: nan, PassRate: nan, CombinedScore: nan,
	MetricStats: map[string]metricFigures{},
}

var nan = jsonNumber(math.NaN())

func checkStabilityTest(t *testing.T, v vector) {
	seeds := decode[struct{ Seeds []assessedSeed }](t, v.Args).Seeds
	want := noSeeds
	if v.raises() {
		if len(seeds) != 0 { // the only reason to raise
			t.Fatalf("the origin raises an exception with %d seeds", len(seeds))
		}
	} else {
		want = decode[stabilityFigures](t, v.Expected)
	}
	if diff := cmp.Diff(want, figuresOf(aggregateSeeds(seeds)), noFlags); diff != "" {
		t.Errorf("Aggregate (-want +got):\n%s", diff)
	}
}

// collapsedSeeds lists the cases with collapsed seeds, and their number. The origin leaves such seeds out of the
// denominator of every pass rate; track keeps them in. All other cases agree.
var collapsedSeeds = map[string]int{
	"buffer_stock_stability_test/h0005": 1,
	"buffer_stock_stability_test/h0006": 1,
	"buffer_stock_stability_test/h0007": 2, // all of them: the origin gives zeros, track NaN for what no seed measured
	"buffer_stock_stability_test/h0010": 0, // no seeds: the origin gives zeros, track NaN
	"buffer_stock_stability_test/h0012": 2,
	"buffer_stock_stability_test/h0014": 1,
	"buffer_stock_stability_test/h0016": 2,
	"buffer_stock_stability_test/h0018": 1,
	"buffer_stock_stability_test/h0023": 4,
	"buffer_stock_stability_test/h0029": 1,
	"buffer_stock_stability_test/h0030": 1,
	"buffer_stock_stability_test/h0034": 4,
	"buffer_stock_stability_test/h0043": 2,
	"buffer_stock_stability_test/h0059": 2,
}

// checkBufferStockStabilityTest checks the aggregate and the check of the mean score changes. What fails a gate
// because of a degraded metric is decided elsewhere.
func checkBufferStockStabilityTest(t *testing.T, v vector) {
	args := decode[struct {
		Seeds   []assessedSeed
		Weights map[string]jsonNumber
		Base    jsonNumber `json:"max_degradation_base"`
	}](t, v.Args)
	expected := decode[struct {
		DegradedMetrics   []string              `json:"degraded_metrics"`
		MeanDeltas        map[string]jsonNumber `json:"mean_deltas"`
		ImprovementStatus map[string]Status     `json:"improvement_status"`
	}](t, v.Expected)

	collapsed := 0
	for _, s := range args.Seeds {
		if s.collapsed() {
			collapsed++
		}
	}
	if collapsed != collapsedSeeds[v.ID] {
		t.Fatalf("%d collapsed seeds, listed %d", collapsed, collapsedSeeds[v.ID])
	}
	want := keepCollapsed(decode[stabilityFigures](t, v.Expected), collapsed)
	if diff := cmp.Diff(want, figuresOf(aggregateSeeds(args.Seeds)), noFlags); diff != "" {
		t.Errorf("Aggregate (-want +got):\n%s", diff)
	}

	degraded := []string{}
	for name, wantMean := range expected.MeanDeltas {
		var deltas []float64
		for _, s := range args.Seeds {
			if d, ok := s.ImprovementDeltas[name]; ok {
				deltas = append(deltas, float64(d))
			}
		}
		mean := NewMoments(deltas).Mean
		if !near(mean, float64(wantMean)) {
			t.Errorf("%s: mean delta %v, want %v", name, mean, wantMean)
		}
		weight, ok := args.Weights[name]
		if !ok {
			weight = 1 // the default of the origin for a metric without one
		}
		status := CheckImprovement(mean, float64(weight), float64(args.Base))
		if status != expected.ImprovementStatus[name] {
			t.Errorf("%s: %s, want %s", name, status, expected.ImprovementStatus[name])
		}
		if status == Fail {
			degraded = append(degraded, name)
		}
	}
	sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	if diff := cmp.Diff(expected.DegradedMetrics, degraded, sorted); diff != "" {
		t.Errorf("degraded metrics (-want +got):\n%s", diff)
	}
}

// keepCollapsed turns an aggregate that leaves collapsed seeds out of its pass rates into one that keeps them in.
func keepCollapsed(f stabilityFigures, collapsed int) stabilityFigures {
	if f.NSeeds == collapsed { // no seed was scored
		f.MeanScore, f.StdScore, f.MinScore, f.MaxScore, f.CombinedScore = nan, nan, nan, nan, nan
		f.PassRate = jsonNumber(0 / float64(f.NSeeds)) // NaN for no seeds
		return f
	}
	if collapsed == 0 {
		return f
	}
	kept := func(rate jsonNumber) jsonNumber {
		passed := math.Round(float64(rate) * float64(f.NSeeds-collapsed))
		return jsonNumber(passed / float64(f.NSeeds))
	}
	f.PassRate = kept(f.PassRate)
	f.CombinedScore = f.MeanScore * f.PassRate * (1 - f.StdScore)
	f.IsStable = f.PassRate >= 0.9 && f.StdScore <= 0.15
	for name, m := range f.MetricStats {
		m.PassRate = kept(m.PassRate)
		f.MetricStats[name] = m
	}
	return f
}
