package seeds_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/internal/property"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

// numbers draws the values of one metric: of a common size, around a common offset, and now and then none that is
// finite.
func numbers(t *rapid.T) *rapid.Generator[float64] {
	offset := rapid.SampledFrom([]float64{0, 0, 1, -1, 1e9, 1e15, 1e-9}).Draw(t, "offset")
	scale := rapid.SampledFrom([]float64{1, 1, 1e-3, 1e6, 1e200, 0}).Draw(t, "scale")
	finite := rapid.Map(rapid.Float64Range(-1, 1), func(x float64) float64 { return offset + scale*x })
	awkward := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.SmallestNonzeroFloat64})
	if rapid.Bool().Draw(t, "all finite") {
		return finite
	}
	return rapid.OneOf(finite, finite, finite, finite, awkward)
}

// specs draws a spec of the metrics m0, m1, …
func specs(t *rapid.T, scenario string, n int) scoring.Spec {
	s := scoring.Spec{Scenario: scenario}
	small := rapid.Map(rapid.IntRange(-200, 200), func(n int) float64 { return float64(n) / 100 })
	for i := range n {
		low, high := small.Draw(t, "low"), small.Draw(t, "high")
		low, high = min(low, high), max(low, high)
		targets := []scoring.Target{
			scoring.MeanTolerance{Target: low, Tolerance: 0.01 + math.Abs(high)},
			scoring.MeanTolerance{Target: low, Tolerance: 1, Min: &low, Max: &high},
			scoring.Range{Min: low, Max: high},
			scoring.PctWithin{Target: high, Min: low},
			scoring.Outlier{MaxOutlier: math.Abs(low), PenaltyWeight: 2},
			scoring.Boolean{Threshold: low, Invert: rapid.Bool().Draw(t, "invert")},
		}
		s.Metrics = append(s.Metrics, scoring.Metric{
			Name: fmt.Sprint("m", i), Weight: rapid.SampledFrom([]float64{0.5, 1, 1.5, 3}).Draw(t, "weight"),
			Target: rapid.SampledFrom(targets).Draw(t, "target"), Format: scoring.FormatDefault,
		})
	}
	return s
}

// The aggregate that SQL takes over what is stored is the one that scoring takes over the same seeds in memory. All
// runs share a database, so whatever an aggregate takes in by mistake is there.
func TestStabilityIsAggregate(t *testing.T) {
	st := testdb.New(t)
	run := 0
	property.Check(t, func(rt *rapid.T) {
		run++
		scenario := fmt.Sprint("scenario", run)
		nMetrics := rapid.IntRange(1, 5).Draw(rt, "metrics")
		values := make([]*rapid.Generator[float64], nMetrics+1) // the last is one that no spec knows
		for i := range values {
			values[i] = numbers(rt)
		}
		draw := func(configuration track.Configuration, number track.SeedNumber) track.Seed {
			s := track.Seed{Scenario: scenario, Number: number, Configuration: configuration, Values: map[string]float64{}}
			s.Outcome = rapid.SampledFrom([]track.Outcome{"ok", "ok", "ok", "ok", "ok", "ok", "error", "timeout", "collapsed"}).Draw(rt, "outcome")
			present := rapid.Custom(func(t *rapid.T) bool { return rapid.IntRange(0, 9).Draw(t, "present") > 0 })
			for i := range values {
				if present.Draw(rt, "has") || s.Outcome == track.OutcomeOK && len(s.Values) == 0 {
					s.Values[fmt.Sprint("m", i)] = values[i].Draw(rt, "value")
				}
			}
			return s
		}
		first := specs(rt, scenario, nMetrics)
		late := rapid.Bool().Draw(rt, "spec comes late")
		if !late {
			trackertest.AddSpec(t, st, first)
		}
		recorded := map[string][]track.Seed{} // by label, in force
		for _, label := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(rt, "configurations")] {
			var list, replacements []track.Seed
			n := rapid.IntRange(1, 12).Draw(rt, "seeds")
			start := rapid.SampledFrom([]track.SeedNumber{0, math.MaxInt64 - 3}).Draw(rt, "first seed")
			for i := range n {
				s := draw(track.Configuration{Label: label}, start+track.SeedNumber(i))
				list = append(list, s)
				if rapid.IntRange(0, 5).Draw(rt, "replaced") == 0 {
					s = draw(s.Configuration, s.Number)
					replacements = append(replacements, s)
				}
				recorded[label] = append(recorded[label], s)
			}
			if _, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), trackertest.Lines(list...), exchange.BatchObserver{}); err != nil {
				rt.Fatal(err)
			}
			for _, s := range replacements {
				trackertest.Record(t, st, seeds.Options{Replace: true}, s)
			}
		}
		if late {
			trackertest.AddSpec(t, st, first)
		}
		versions := []scoring.Spec{first}
		if second := specs(rt, scenario, rapid.IntRange(1, nMetrics).Draw(rt, "metrics of version 2")); spec.Hash(second) != spec.Hash(first) {
			versions = append(versions, second)
			trackertest.AddSpec(t, st, second)
			if _, err := seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: scenario, Spec: 2}); err != nil {
				rt.Fatal(err)
			}
		}
		for label, list := range recorded {
			for i, s := range versions {
				compareAggregate(rt, st, s, i+1, label, list, nil)
				half := track.SeedRange{First: list[0].Number, Last: list[len(list)/2].Number}
				compareAggregate(rt, st, s, i+1, label, list[:len(list)/2+1], []track.SeedRange{half})
			}
		}
	})
}

// failer is a test, or a run of a property.
type failer interface {
	Context() context.Context
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}

func assess(s scoring.Spec, list []track.Seed) []scoring.Assessment {
	assessments := make([]scoring.Assessment, len(list))
	for i, seed := range list {
		if seed.Outcome == track.OutcomeOK {
			assessments[i] = scoring.Assess(s, seed.Values)
		}
	}
	return assessments
}

// compareAggregate holds what is stored under a version and a label against the same seeds in memory.
func compareAggregate(t failer, st *store.Store, s scoring.Spec, version int, label string, list []track.Seed, ranges []track.SeedRange) {
	t.Helper()
	selector := answer.Selector{Scenario: s.Scenario, Configuration: label}
	report, err := seeds.Stability(t.Context(), st.Reader, selector, seeds.StabilityOptions{SpecVersion: version, Seeds: ranges})
	if err != nil {
		t.Fatal(err)
	}
	counting := distinct(list)
	want := scoring.Aggregate(s, assess(s, counting))
	want.NIdentical = len(list) - len(counting)
	if diff := cmp.Diff(want, report.Stability, asTotals, sameMoments, sameShape, approx, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s@%s, spec version %d, seeds %v (-scoring +SQL):\n%s", s.Scenario, label, version, ranges, diff)
	}
	if ranges == nil {
		compareView(t, st, s.Scenario, report.Configurations[0].Hash, version, scoring.Aggregate(s, assess(s, list)))
	}
	var failing []track.FailingSeed
	assessments := assess(s, list)
	for i, seed := range list {
		a := assessments[i]
		if a.Passed() {
			continue
		}
		f := track.FailingSeed{
			Number: seed.Number, Configuration: report.Configurations[0].Hash, Outcome: seed.Outcome, Reason: seed.Message,
		}
		for _, r := range a.Results {
			if r.Status != scoring.Fail {
				continue
			}
			m := track.FailingMetric{Name: r.Name, Value: r.Value, Missing: r.Missing()}
			if m.Missing {
				m.Value = math.NaN()
			}
			f.Metrics = append(f.Metrics, m)
		}
		failing = append(failing, f)
	}
	if diff := cmp.Diff(failing, report.Failing, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s@%s, spec version %d: failing seeds (-want +got):\n%s", s.Scenario, label, version, diff)
	}
}

// distinct returns the seeds without those that measured what an earlier one measured, if not whole numbers alone.
func distinct(list []track.Seed) (seeds []track.Seed) {
	known := map[[32]byte]bool{}
	for _, seed := range list {
		if repeats := known[seed.Digest()] && seed.Outcome == track.OutcomeOK && !measuresWhole(seed); !repeats {
			seeds = append(seeds, seed)
		}
		known[seed.Digest()] = known[seed.Digest()] || seed.Outcome == track.OutcomeOK
	}
	return seeds
}

func measuresWhole(seed track.Seed) bool {
	for _, x := range seed.Values {
		if x != math.Trunc(x) && !math.IsNaN(x) {
			return false
		}
	}
	return true
}

// asTotals shows aggregates by what they were derived from, which sameMoments can compare, and the rest of them.
var asTotals = cmp.Options{
	cmp.Transformer("Stability", func(s scoring.Stability) any {
		return struct {
			scoring.SeedTotals
			NFailed            int
			PassRate, Combined float64
			Stable             bool
			Metrics            []scoring.MetricStability
		}{s.Totals(), s.NFailed, orNaN(s.PassRate), orNaN(s.CombinedScore), s.Stable, s.Metrics}
	}),
	cmp.Transformer("MetricStability", func(m scoring.MetricStability) any {
		return struct {
			scoring.MetricInfo
			scoring.MetricTotals
			PassRate float64
			Flag     scoring.Flag
		}{m.MetricInfo, m.Totals(), orNaN(m.PassRate), m.Flag}
	}),
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// sameMoments measures the distance of means by the largest of the numbers: where they cancel, the mean keeps the
// rounding of what was added up. Standard deviations are held to their own size, however far from 0 the numbers are.
// sameShape allows for the digits that scores lose which differ by little of what they are.
var sameShape = cmp.Comparer(func(a, b scoring.Shape) bool {
	near := func(x, y float64) bool { return trackertest.Near(x, y) || math.Abs(x-y) <= 1e-6*max(1, math.Abs(x)) }
	return near(a.Skewness, b.Skewness) && near(a.Kurtosis, b.Kurtosis)
})

var sameMoments = cmp.Comparer(func(a, b scoring.Moments) bool {
	largest := max(math.Abs(a.Min), math.Abs(a.Max))
	sameMean := trackertest.Near(a.Mean, b.Mean) || math.Abs(a.Mean-b.Mean) <= 1e-12*largest
	// Where squares of the values are about the largest float, their sum overflows on one way and not on the other.
	const rootOfLargest = 1e153
	sameStd := trackertest.Near(a.Std, b.Std) || largest > rootOfLargest && (math.IsInf(a.Std, 1) || math.IsInf(b.Std, 1))
	return a.N == b.N && sameMean && sameStd && trackertest.Near(a.Min, b.Min) && trackertest.Near(a.Max, b.Max)
})

func compareView(t failer, st *store.Store, scenario, hash string, version int, want scoring.Stability) {
	t.Helper()
	query := fmt.Sprintf(`SELECT n_seeds, n_scored, n_failed, pass_rate, score_of_seeds_that_ran, std_score, min_score, max_score, combined_score, stable
	  FROM v_stability WHERE scenario = '%s' AND configuration = '%s' AND spec_version = %d`, scenario, hash, version)
	var got [][]any
	_, err := st.Query(t.Context(), query, func(_ []string, row []any) error {
		got = append(got, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	orNull := func(x *float64) any { // as SQL shows NaN
		if x == nil || math.IsNaN(*x) {
			return nil
		}
		return *x
	}
	stable := int64(0)
	if want.Stable {
		stable = 1
	}
	row := []any{
		int64(want.NSeeds), int64(want.NScored), int64(want.NFailed), orNull(want.PassRate), orNull(want.MeanScore), orNull(want.StdScore),
		orNull(want.MinScore), orNull(want.MaxScore), orNull(want.CombinedScore), stable,
	}
	if diff := cmp.Diff([][]any{row}, got, approx); diff != "" {
		t.Errorf("v_stability of %s, spec version %d (-want +got):\n%s", scenario, version, diff)
	}
}

// The real data of examples/bam, in all scenarios and variants, against the figures of bam-engine.
func TestStabilityOfRealData(t *testing.T) {
	st := testdb.New(t)
	parsed := map[string]scoring.Spec{}
	for _, scenario := range []string{"baseline", "growth_plus", "buffer_stock"} {
		parsed[scenario] = addExampleSpec(t, st, scenario)
	}
	recorded := map[string][]track.Seed{}
	files := []string{
		"baseline", "growth_plus", "buffer_stock", "baseline__consumer_matching_random",
		"growth_plus__theta_14", "growth_plus__small_economy",
	}
	unknown := map[string]int{"buffer_stock": 66} // those of growth_plus, which it is compared with
	for _, file := range files {
		recorded[file] = exampleSeeds(t, file)
		summary, err := exchange.RecordAll(t.Context(), trackertest.NewRecorder(st, seeds.Options{}), trackertest.Lines(recorded[file]...), exchange.BatchObserver{})
		if err != nil || summary.Recorded != 10 || len(summary.UnknownMetrics) != unknown[file] || len(summary.WithoutSpec) > 0 {
			t.Fatalf("%s: %+v, %v", file, summary, err)
		}
	}
	for _, file := range files { // all are in the database by now
		list := recorded[file]
		s := parsed[list[0].Scenario]
		compareAggregate(t, st, s, 1, list[0].Configuration.Label, list, nil)
	}

	// The figures of the reference, to the four digits that it prints.
	for _, tt := range []struct {
		selector string
		want     string
	}{
		{"baseline@bam-engine-0.10.2", "0.8915 0.0062 1.0 0.8859"},
		{"growth_plus@bam-engine-0.10.2", "0.8543 0.0078 1.0 0.8476"},
		{"buffer_stock", "0.8679 0.0198 1.0 0.8507"},
	} {
		s := stabilityOf(t, st, tt.selector)
		if got := fmt.Sprintf("%.4f %.4f %.1f %.4f", *s.MeanScore, *s.StdScore, *s.PassRate, *s.CombinedScore); got != tt.want || !s.Stable {
			t.Errorf("%s: %s, want %s and stable", tt.selector, got, tt.want)
		}
	}
	// And to the last, those that bam-engine computed itself. Of the crashed seeds it knows nothing.
	for selector, file := range map[string]string{
		"baseline@bam-engine-0.10.2":        "stability_baseline_seeds_0_9",
		"growth_plus@bam-engine-0.10.2":     "stability_growth_plus_seeds_0_9",
		"buffer_stock":                      "stability_buffer_stock_seeds_0_9",
		"baseline@consumer-matching-random": "variants/stability_baseline__consumer_matching_random_seeds_0_9",
		"growth_plus@theta-14":              "variants/stability_growth_plus__theta_14_seeds_0_9",
	} {
		compareOrigin(t, stabilityOf(t, st, selector), filepath.Join("..", "..", "scoring", "testdata", "bam", file+".json"))
	}
	small := stabilityOf(t, st, "growth_plus@small-economy")
	if small.NSeeds != 10 || small.NScored != 4 || small.NFailed != 6 || *small.PassRate != 0 || len(small.Failing) != 10 {
		t.Errorf("small economy: %+v with %d failing, want 4 of 10 scored", small.Stability, len(small.Failing))
	}
}

// addExampleSpec adds the spec of a scenario of examples/bam.
func addExampleSpec(t testing.TB, st *store.Store, scenario string) scoring.Spec {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", "bam", scenario+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(scenario, data)
	if err != nil {
		t.Fatal(err)
	}
	trackertest.AddSpec(t, st, s)
	return s
}

// exampleSeeds reads the seeds of a file of examples/bam.
func exampleSeeds(t testing.TB, file string) (list []track.Seed) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", "bam", file+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range lines.Read(file, bytes.NewReader(data)) {
		if err = errors.Join(err, errorOf(line.Err)); err != nil {
			t.Fatal(err)
		}
		list = append(list, line.Seed)
	}
	return list
}

func errorOf(err *track.FieldError) error {
	if err == nil {
		return nil
	}
	return err
}

func stabilityOf(t *testing.T, st *store.Store, selector string) seeds.StabilityReport {
	t.Helper()
	sel, err := answer.ParseSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	report, err := seeds.Stability(t.Context(), st.Reader, sel, seeds.StabilityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func compareOrigin(t *testing.T, got seeds.StabilityReport, file string) {
	t.Helper()
	var want struct {
		NSeeds   int     `json:"n_seeds"`
		Mean     float64 `json:"mean_score"`
		Std      float64 `json:"std_score"`
		Min      float64 `json:"min_score"`
		Max      float64 `json:"max_score"`
		PassRate float64 `json:"pass_rate"`
		Combined float64 `json:"combined_score"`
		Stable   bool    `json:"is_stable"`
		Metrics  map[string]struct {
			MeanValue float64 `json:"mean_value"`
			StdValue  float64 `json:"std_value"`
			MeanScore float64 `json:"mean_score"`
			StdScore  float64 `json:"std_score"`
			PassRate  float64 `json:"pass_rate"`
			Flag      string  `json:"report_flag"`
		} `json:"metric_stats"`
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	type totals struct {
		N                                       int
		Mean, Std, Min, Max, PassRate, Combined float64
		Stable                                  bool
	}
	if diff := cmp.Diff(
		totals{want.NSeeds, want.Mean, want.Std, want.Min, want.Max, want.PassRate, want.Combined, want.Stable},
		totals{got.NSeeds, orNaN(got.MeanScore), orNaN(got.StdScore), orNaN(got.MinScore), orNaN(got.MaxScore), orNaN(got.PassRate), orNaN(got.CombinedScore), got.Stable}, approx,
	); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
	if len(want.Metrics) != len(got.Metrics) {
		t.Errorf("%s: %d metrics, want %d", file, len(got.Metrics), len(want.Metrics))
	}
	for _, m := range got.Metrics {
		w := want.Metrics[m.Name]
		want := []float64{w.MeanValue, w.StdValue, w.MeanScore, w.StdScore, w.PassRate}
		got := []float64{m.Totals().Value.Mean, m.Totals().Value.Std, orNaN(m.MeanScore), orNaN(m.StdScore), orNaN(m.PassRate)}
		if diff := cmp.Diff(want, got, approx); diff != "" || w.Flag != string(m.Flag) {
			t.Errorf("%s: %s is flagged %q, want %q (-want +got):\n%s", file, m.Name, m.Flag, w.Flag, diff)
		}
	}
}
