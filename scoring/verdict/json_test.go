package verdict_test

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track/answer"
	"track/scoring"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// encoded returns v as JSON.
func encoded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	fatal(t, answer.Encode(&b, v))
	return b.String()
}

// unread is what results keep for themselves.
var unread = cmp.Options{
	cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmp.Transformer("float64", func(v scoring.Value) float64 { return float64(v) }), cmpopts.IgnoreFields(verdict.ScenarioOutcome{}, "Improvement"),
	cmpopts.IgnoreUnexported(verdict.Improvement{}, verdict.MetricDelta{}, verdict.TotalDelta{}, verdict.Outcome{}, verdict.ScenarioOutcome{}),
}

// TestResultsSurviveJSON: decode(encode(x)) is x, and encodes to the same bytes.
func TestResultsSurviveJSON(t *testing.T) {
	candidate, spec := bamSeeds(t, "results_growth_plus_spec_on_buffer_stock_runs.jsonl")
	baseline, _ := bamSeeds(t, "results_growth_plus.jsonl")
	for k := range spec.Metrics {
		spec.Metrics[k].Target = scoring.Range{Max: 1}
	}
	improve := func(a, b []verdict.JudgedSeed, o verdict.Options) verdict.Improvement {
		i, err := verdict.Compare(spec, a, b, o)
		fatal(t, err)
		return i
	}
	planned := options()
	planned.Look = verdict.Look{Number: 2, Plan: []int{6, 10}, Late: true}
	broken := scoring.MetricTotals{NNotFailed: 1, NNaN: 1, NInfinite: 1, Score: scoring.NewMoments([]float64{0, math.Copysign(0, -1)})}
	odd := scoring.NewStability(oneMetric, scoring.SeedTotals{NSeeds: 3, NOK: 2, Score: scoring.NewMoments([]float64{math.Copysign(0, -1), 1})}, []scoring.MetricTotals{broken})
	coverage := verdict.Coverage{NPlanned: 4, NMissing: 1, Missing: "7", NRepeated: 2, NDiffering: 1, Differing: "seed 3: m", NCommands: 2, NCodeChanged: 1, Withdrawn: "a typo"}
	compared := improve(candidate, candidate[:7], options())
	for name, x := range map[string]any{
		"stability":              stability(5, 6, around(0.8, 6)),
		"stability, not finite":  odd,
		"stability, nothing":     stability(0, 0, nil),
		"judgement":              verdict.Judge(odd, coverage, 0.9),
		"judgement, one":         verdict.Judge(stability(1, 1, []float64{0.5}), verdict.Coverage{}, 0.95),
		"judgement, nothing":     verdict.Judge(stability(0, 0, nil), verdict.Coverage{}, 0.95),
		"improvement":            improve(candidate, baseline, options()),
		"improvement, planned":   improve(candidate, baseline, planned),
		"improvement, unmatched": compared,
		"improvement, nothing":   improve(nil, nil, options()),
		"improvement, one":       improve(candidate[:1], candidate[:1], options()),
		"gate": gate(t,
			verdict.GateInput{Name: "a", Rules: scoring.GateRules{Stable: true, MinScore: ptr(0.5), NoDegradation: true}, Stability: odd, Improvement: &compared, Coverage: coverage},
			verdict.GateInput{Name: "b", Rules: scoring.GateRules{MinSeeds: 3, FailOn: []scoring.Verdict{}}}),
		"noise":              noise(t, spec, candidate, verdict.NoiseOptions{Rules: scoring.GateRules{Stable: true}, Comparison: options(), Resamples: 5, Seed: math.MaxUint64, Sizes: []int{3}}),
		"history":            verdict.AnalyseHistory(points(append(around(0.2, 15), around(0.8, 15)...)...), verdict.HistoryOptions{}),
		"history, too short": verdict.AnalyseHistory(nil, verdict.HistoryOptions{}),
		"interval":           stats.Interval{Lo: math.Copysign(0, -1), Hi: math.Inf(1), Confidence: 0.9, Method: stats.MethodT},
		"no interval":        stats.Interval{},
		"fitness":            rubric.FitnessResult{Rubric: "rubric/2", Value: 50, Mean: stats.Mean{N: 1, Mean: 50, Interval: stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: 0.95, Method: "t"}}},
	} {
		t.Run(name, func(t *testing.T) {
			text := encoded(t, x)
			back := reflect.New(reflect.TypeOf(x))
			fatal(t, answer.Decode(strings.NewReader(text), back.Interface()))
			if diff := cmp.Diff(x, back.Elem().Interface(), unread); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := encoded(t, back.Elem().Interface()); again != text {
				t.Errorf("encoded again:\n%s\nwant\n%s", again, text)
			}
		})
	}
}

// TestUndefinedNumbersAreNull: a number that does not exist is null, one that was measured is a string.
func TestUndefinedNumbersAreNull(t *testing.T) {
	none := encoded(t, verdict.Judge(stability(0, 0, nil), verdict.Coverage{}, 0.95))
	if want := `"score":{"value":null,"n":0,"ci":{"lo":null,"hi":null,"confidence":0.95,"method":"t"},"assumption":"none"}`; !strings.Contains(none, want) {
		t.Errorf("%s, want %s", none, want)
	}
	totals := scoring.MetricTotals{NNaN: 1, Score: scoring.NewMoments([]float64{0})}
	broken := encoded(t, scoring.NewStability(oneMetric, scoring.SeedTotals{NSeeds: 1, NOK: 1, Score: scoring.NewMoments([]float64{0})}, []scoring.MetricTotals{totals}))
	if want := `"n":1,"n_nan":1,"n_infinite":0,"n_not_failed":0,"mean_value":null`; !strings.Contains(broken, want) {
		t.Errorf("%s, want %s", broken, want)
	}
	if numbers := encoded(t, verdict.SeedNumbers{0, math.MaxUint64}); numbers != `["0","18446744073709551615"]` {
		t.Errorf("seeds: %s", numbers)
	}
}
