package scoring

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seedLine is one line of a results file: what bam-engine measured with one seed, and its own judgement of it.
type seedLine struct {
	Seed       int
	Outcome    string     // "error" for a seed that crashed, which has no metrics; empty in one file
	TotalScore jsonNumber `json:"total_score"`
	NPass      int        `json:"n_pass"`
	NWarn      int        `json:"n_warn"`
	NFail      int        `json:"n_fail"`
	Metrics    []struct {
		Name   string
		Actual jsonNumber
		Status Status
		Score  jsonNumber
		Weight jsonNumber
	}
	ImprovementDeltas map[string]jsonNumber `json:"improvement_deltas"`
}

func (l seedLine) crashed() bool { return l.Outcome == "error" }

func (l seedLine) values() map[string]float64 {
	values := map[string]float64{}
	for _, m := range l.Metrics {
		values[m.Name] = float64(m.Actual)
	}
	return values
}

// judgement is what bam-engine says. The reason is track's own word for a NaN.
func (l seedLine) judgement() Assessment {
	a := Assessment{
		TotalScore: float64(l.TotalScore), Scored: true,
		NPass: l.NPass, NWarn: l.NWarn, NFail: l.NFail,
	}
	for _, m := range l.Metrics {
		a.Results = append(a.Results, Result{
			Name: m.Name, Value: float64(m.Actual), Status: m.Status, Score: float64(m.Score), Reason: reason(float64(m.Actual)),
		})
	}
	return a
}

// assessSeeds judges the seeds of a results file under a spec. A crashed seed has measured nothing, and nothing is
// assessed.
func assessSeeds(spec Spec, lines []seedLine) []Assessment {
	var list []Assessment
	for _, l := range lines {
		var a Assessment
		if !l.crashed() {
			a = Assess(spec, l.values())
		}
		list = append(list, a)
	}
	return list
}

// realRuns are the results files, each with ten seeds, and the aggregates that go with them.
var realRuns = []struct {
	spec, results, stability string // empty where bam-engine gives no aggregate
	nonFinite                int    // NaN or infinite values in the file
}{
	{"baseline", "results_baseline.jsonl", "stability_baseline_seeds_0_9.json", 0},
	{"growth_plus", "results_growth_plus.jsonl", "stability_growth_plus_seeds_0_9.json", 0},
	{"buffer_stock", "results_buffer_stock.jsonl", "stability_buffer_stock_seeds_0_9.json", 0},
	{"growth_plus", "results_growth_plus_spec_on_buffer_stock_runs.jsonl", "", 0},
	{
		"baseline", "variants/results_baseline__consumer_matching_random.jsonl",
		"variants/stability_baseline__consumer_matching_random_seeds_0_9.json", 0,
	},
	{
		"growth_plus", "variants/results_growth_plus__theta_14.jsonl",
		"variants/stability_growth_plus__theta_14_seeds_0_9.json", 0,
	},
	// In the four seeds that did not crash, Okun's correlation of a dead economy is NaN in both metrics that use it.
	{"growth_plus", "variants/results_growth_plus__small_economy.jsonl", "", 8},
}

func TestAssessRealSeeds(t *testing.T) {
	for _, run := range realRuns {
		t.Run(run.results, func(t *testing.T) {
			spec := readSpec(t, run.spec)
			if problems := spec.Problems(); len(problems) > 0 {
				t.Fatalf("the spec is refused: %v", problems)
			}
			lines := readLines[seedLine](t, "bam/"+run.results)
			if len(lines) != 10 { // seeds 0 to 9
				t.Fatalf("%d seeds, want 10", len(lines))
			}
			nonFinite := 0
			for i, l := range lines {
				if l.Seed != i {
					t.Fatalf("line %d holds seed %d", i+1, l.Seed)
				}
				if l.crashed() {
					continue
				}
				got := Assess(spec, l.values())
				if diff := cmp.Diff(l.judgement(), got, approx); diff != "" {
					t.Errorf("seed %d (-bam-engine +got):\n%s", l.Seed, diff)
				}
				for i, m := range l.Metrics {
					if float64(m.Weight) != spec.Metrics[i].Weight {
						t.Errorf("%s: weight %v in the results, %v in the spec", m.Name, m.Weight, spec.Metrics[i].Weight)
					}
					if got.Results[i].Reason == ReasonNonFinite {
						nonFinite++
						// Neither metric has hard bounds, so bam-engine says the same: these data depart from it nowhere.
						if m.Status != Fail || m.Score != 0 {
							t.Errorf("%s is %v, for which bam-engine says %s with %v", m.Name, m.Actual, m.Status, m.Score)
						}
					}
				}
			}
			if nonFinite != run.nonFinite {
				t.Errorf("%d values are not finite, want %d", nonFinite, run.nonFinite)
			}
		})
	}
}

func TestAggregateRealSeeds(t *testing.T) {
	for _, run := range realRuns {
		if run.stability == "" {
			continue
		}
		t.Run(run.stability, func(t *testing.T) {
			spec := readSpec(t, run.spec)
			got := Aggregate(spec, assessSeeds(spec, readLines[seedLine](t, "bam/"+run.results)))
			want := readJSON[stabilityFigures](t, "bam/"+run.stability)
			if diff := cmp.Diff(want, figuresOf(got), approx); diff != "" {
				t.Errorf("Aggregate (-bam-engine +got):\n%s", diff)
			}
			if got.NFailed != 0 { // seeds with a FAIL are scored all the same
				t.Errorf("%d failed seeds, want 0", got.NFailed)
			}
		})
	}
}

// TestAggregateReferenceTable holds the figures that the reference prints, to its four digits.
func TestAggregateReferenceTable(t *testing.T) {
	for _, want := range []struct {
		scenario                      string
		mean, std, passRate, combined float64
	}{
		{"baseline", .8915, .0062, 1, .8859},
		{"growth_plus", .8543, .0078, 1, .8476},
		{"buffer_stock", .8679, .0198, 1, .8507},
	} {
		t.Run(want.scenario, func(t *testing.T) {
			spec := readSpec(t, want.scenario)
			got := Aggregate(spec, assessSeeds(spec, readLines[seedLine](t, "bam/results_"+want.scenario+".jsonl")))
			for _, f := range []struct {
				name      string
				got, want float64
			}{
				{"mean", *got.MeanScore, want.mean},
				{"std", *got.StdScore, want.std},
				{"pass rate", *got.PassRate, want.passRate},
				{"combined", *got.CombinedScore, want.combined},
			} {
				if math.Round(f.got*1e4) != math.Round(f.want*1e4) {
					t.Errorf("%s %v, want %v", f.name, f.got, f.want)
				}
			}
		})
	}
}

// TestSmallEconomy is the run on which bam-engine's own stability test dies: six of ten seeds crashed. They stay in
// every denominator and enter no mean.
func TestSmallEconomy(t *testing.T) {
	spec := readSpec(t, "growth_plus")
	lines := readLines[seedLine](t, "bam/variants/results_growth_plus__small_economy.jsonl")
	got := Aggregate(spec, assessSeeds(spec, lines))

	notFailed := map[string]int{} // seeds in which bam-engine does not fail the metric
	for _, l := range lines {
		for _, m := range l.Metrics {
			if m.Status != Fail {
				notFailed[m.Name]++
			}
		}
	}
	type totals struct {
		NSeeds, NScored, NFailed, NPassed int
		PassRate, Combined                float64
		Score                             Moments
		Stable                            bool
	}
	want := totals{
		NSeeds: 10, NScored: 4, NFailed: 6,
		// Of the four survivors, the total scores of the file: .6458, .4820, .5864, .6168; each has at least six FAILs.
		Score: Moments{
			N: 4, Mean: 0.5827284746044292, Std: 0.061827670638034925, Min: 0.48200497989646823, Max: 0.6457518040741242,
		},
	}
	if diff := cmp.Diff(want, totals{
		got.NSeeds, got.NScored, got.NFailed, got.NPassed, *got.PassRate, *got.CombinedScore, got.Totals().Score, got.Stable,
	}, approx); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	for _, m := range got.Metrics {
		if want := float64(notFailed[m.Name]) / 10; *m.PassRate != want {
			t.Errorf("%s: pass rate %v, want %v", m.Name, *m.PassRate, want)
		}
		if m.Flag != FlagUnstable { // at most 4 of 10
			t.Errorf("%s: flag %q, want unstable", m.Name, m.Flag)
		}
		if m.N != 4 {
			t.Errorf("%s: %d values, want 4", m.Name, m.N)
		}
	}
}

// TestImprovementRealSeeds compares buffer_stock with its baseline growth_plus: the same 66 metrics on the runs of
// both, seed by seed.
func TestImprovementRealSeeds(t *testing.T) {
	spec := readSpec(t, "growth_plus")
	candidate := assessSeeds(spec, readLines[seedLine](t, "bam/results_growth_plus_spec_on_buffer_stock_runs.jsonl"))
	baseline := assessSeeds(spec, readLines[seedLine](t, "bam/results_growth_plus.jsonl"))
	want := readJSON[struct {
		Metrics []struct {
			Name             string
			Threshold        jsonNumber
			MeanDelta        jsonNumber   `json:"mean_delta"`
			StdDelta         jsonNumber   `json:"std_delta_population"`
			Status           Status       `json:"status"`
			StatusBase010    Status       `json:"status_with_function_default_base_0.10"`
			ScoreImprovement jsonNumber   `json:"score_improvement"`
			SeedDeltas       []jsonNumber `json:"seed_deltas"`
		}
	}](t, "bam/buffer_stock_improvement_seeds_0_9.json").Metrics

	counts := map[Status]int{}
	var degraded010 []string // with the base that the function has by default, 0.10
	for i, m := range spec.Metrics {
		w := want[i]
		if w.Name != m.Name {
			t.Fatalf("metric %d is %s, want %s", i, m.Name, w.Name)
		}
		var deltas []float64
		for seed := range candidate {
			deltas = append(deltas, candidate[seed].Results[i].Score-baseline[seed].Results[i].Score)
			if !near(deltas[seed], float64(w.SeedDeltas[seed])) {
				t.Errorf("%s, seed %d: delta %v, want %v", m.Name, seed, deltas[seed], w.SeedDeltas[seed])
			}
		}
		delta := NewMoments(deltas)
		for _, f := range []struct {
			name string
			got  float64
			want jsonNumber
		}{
			{"mean delta", delta.Mean, w.MeanDelta},
			{"std of deltas", delta.Std, w.StdDelta},
			{"threshold", DegradationThreshold(m.Weight, DefaultMeanDegradationBase), w.Threshold},
			{"score", scoreImprovement(delta.Mean), w.ScoreImprovement},
		} {
			if !near(f.got, float64(f.want)) {
				t.Errorf("%s: %s %v, want %v", m.Name, f.name, f.got, f.want)
			}
		}
		status := CheckImprovement(delta.Mean, m.Weight, DefaultMeanDegradationBase)
		status010 := CheckImprovement(delta.Mean, m.Weight, defaultDegradationBase)
		if status != w.Status || status010 != w.StatusBase010 {
			t.Errorf("%s: %s, and %s with base 0.10; want %s and %s", m.Name, status, status010, w.Status, w.StatusBase010)
		}
		counts[status]++
		if status010 == Fail {
			degraded010 = append(degraded010, m.Name)
		}
	}
	// Of 66 metrics, base 0.25 finds none degraded; base 0.10 finds two.
	if want := map[Status]int{Pass: 39, Warn: 27}; !maps.Equal(counts, want) {
		t.Errorf("statuses %v, want %v", counts, want)
	}
	// Mean deltas -0.0536 with weight 2, beyond 0.10/2; and -0.0868 with weight 1.5, beyond 0.10/1.5.
	if want := []string{"beveridge_correlation", "firm_size_skewness"}; !slices.Equal(degraded010, want) {
		t.Errorf("degraded with base 0.10: %v, want %v", degraded010, want)
	}
}

// TestImprovementDeltasRealSeeds holds the deltas that bam-engine itself wrote into the results of buffer_stock.
func TestImprovementDeltasRealSeeds(t *testing.T) {
	spec := readSpec(t, "growth_plus")
	candidate := assessSeeds(spec, readLines[seedLine](t, "bam/results_growth_plus_spec_on_buffer_stock_runs.jsonl"))
	baseline := assessSeeds(spec, readLines[seedLine](t, "bam/results_growth_plus.jsonl"))
	for seed, l := range readLines[seedLine](t, "bam/results_buffer_stock.jsonl") {
		got := map[string]jsonNumber{}
		for i, r := range candidate[seed].Results {
			got[r.Name] = jsonNumber(r.Score - baseline[seed].Results[i].Score)
		}
		if diff := cmp.Diff(l.ImprovementDeltas, got, approx); diff != "" {
			t.Errorf("seed %d (-bam-engine +got):\n%s", seed, diff)
		}
	}
}

// TestMetricOrderRealSeeds holds that metrics are matched by name: the values of a seed mean the same under a spec in
// reverse.
func TestMetricOrderRealSeeds(t *testing.T) {
	spec := readSpec(t, "baseline")
	reversed := spec
	reversed.Metrics = slices.Clone(spec.Metrics)
	slices.Reverse(reversed.Metrics)
	for _, l := range readLines[seedLine](t, "bam/results_baseline.jsonl") {
		got := Assess(reversed, l.values())
		slices.Reverse(got.Results)
		if diff := cmp.Diff(l.judgement(), got, approx); diff != "" {
			t.Errorf("seed %d (-bam-engine +got):\n%s", l.Seed, diff)
		}
	}
}
