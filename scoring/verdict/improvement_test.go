package verdict_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// buffer_stock over growth_plus, as bam-engine computed it: see the README of the test data.
func TestCompareRealSeeds(t *testing.T) {
	data, err := os.ReadFile("../testdata/bam/buffer_stock_improvement_seeds_0_9.json")
	fatal(t, err)
	var want struct {
		Metrics []struct {
			Name       string
			Threshold  float64
			MeanDelta  float64 `json:"mean_delta"`
			Status     scoring.Status
			StatusLow  scoring.Status `json:"status_with_function_default_base_0.10"`
			Candidate  float64        `json:"mean_score_buffer_stock"`
			Baseline   float64        `json:"mean_score_growth_plus"`
			SeedDeltas []float64      `json:"seed_deltas"`
		}
	}
	fatal(t, json.Unmarshal(data, &want))
	candidate, _ := bamSeeds(t, "results_growth_plus_spec_on_buffer_stock_runs.jsonl")
	baseline, spec := bamSeeds(t, "results_growth_plus.jsonl")
	if len(want.Metrics) != 66 || len(spec.Metrics) != 66 {
		t.Fatalf("%d and %d metrics", len(want.Metrics), len(spec.Metrics))
	}
	for base, counts := range map[float64][3]int{0.25: {39, 27, 0}, 0.10: {39, 25, 2}} {
		o := options()
		o.Base = base
		got, err := verdict.Compare(spec, candidate, baseline, o)
		fatal(t, err)
		if got := [3]int{got.NPass, got.NWarn, got.NFail}; got != counts {
			t.Errorf("base %v: %v, want %v", base, got, counts)
		}
		if len(got.Degraded) != counts[2] || got.NPairs != 10 || got.MatchedShare() != 1 {
			t.Errorf("base %v: degraded %v, %d pairs", base, got.Degraded, got.NPairs)
		}
		at := map[string]verdict.MetricDelta{}
		for _, m := range got.Metrics {
			at[m.Name] = m
		}
		for _, w := range want.Metrics {
			m, status, threshold := at[w.Name], w.Status, w.Threshold
			if base == 0.10 {
				status, threshold = w.StatusLow, w.Threshold*0.10/0.25
			}
			if m.Status != status || !near(m.MeanDelta, w.MeanDelta, 1e-12) || !near(m.Threshold, threshold, 1e-12) ||
				!near(m.Candidate, w.Candidate, 1e-12) || !near(m.Baseline, w.Baseline, 1e-12) {
				t.Errorf("%s, base %v: %+v, want %+v", w.Name, base, m, w)
			}
			if m.Wins+m.Losses+m.Ties != 10 || m.IsDecided == (m.Interval.Lo < 0 && m.Interval.Hi > 0) {
				t.Errorf("%s: %+v", w.Name, m)
			}
			if interval, err := stats.TInterval(w.SeedDeltas, 1-0.05/66); err == nil && m.Wins > 0 && m.Losses > 0 && !m.IsDecided &&
				interval.Lo > -1 && interval.Hi < 1 && !near(m.Interval.Hi, max(0, interval.Hi), 1e-12) {
				t.Errorf("%s: %+v, want the interval %+v", w.Name, m, interval)
			}
		}
	}
}

// Ten pairs whose differences are 0.04 to 0.08.
func clearlyBetter() (candidate, baseline []verdict.JudgedSeed) {
	base := around(0.5, 10)
	better := slices.Clone(base)
	for i := range better {
		better[i] += 0.04 + 0.01*float64(i%5)
	}
	return seedsOf(better...), seedsOf(base...)
}

func TestCompareDecides(t *testing.T) {
	better, base := clearlyBetter() // mean difference 0.06, sd 0.0149: interval 0.0493 to 0.0707
	noisy := seedsOf(0.9, 0.1, 0.6, 0.3, 0.8, 0.2, 0.7, 0.4, 0.5, 0.5)
	shift := func(seeds []verdict.JudgedSeed, by float64) []verdict.JudgedSeed {
		list := slices.Clone(seeds)
		for i := range list {
			list[i].Total += by
			list[i].Scores = []float64{list[i].Total}
		}
		return list
	}
	for _, c := range []struct {
		name                string
		candidate, baseline []verdict.JudgedSeed
		margin              float64
		difference          verdict.Difference
		verdict             scoring.Verdict
	}{
		{"better by a little", better, base, 0, verdict.Better, scoring.VerdictWarn},
		// ((1 - 0)/(1 + 0.45))¹⁰ = 0.024: whatever other seeds do, the mean gain is above 0.
		{"better by a lot", shift(base, 0.45), base, 0, verdict.Better, scoring.VerdictPass},
		{"worse", base, better, 0, verdict.Worse, scoring.VerdictFail},
		{"better than the margin", better, base, 0.049, verdict.Better, scoring.VerdictWarn},
		{"the margin is inside the interval", better, base, 0.05, verdict.Undecided, scoring.VerdictInconclusive},
		{"worse than the margin", base, better, 0.049, verdict.Worse, scoring.VerdictFail},
		{"the margin is inside the other interval", base, better, 0.05, verdict.Undecided, scoring.VerdictInconclusive},
		{"within the margins", better, base, 0.071, verdict.Equivalent, scoring.VerdictInconclusive},
		{"within the other margins", base, better, 0.071, verdict.Equivalent, scoring.VerdictInconclusive},
		{"not quite within", better, base, 0.0705, verdict.Undecided, scoring.VerdictInconclusive},
		{"noise", noisy, base, 0, verdict.Undecided, scoring.VerdictInconclusive},
		{"identical", base, base, 0, verdict.Undecided, scoring.VerdictInconclusive},
		// Not equivalent: no differences at all say nothing about other seeds.
		{"identical with margins", base, base, 0.01, verdict.Undecided, scoring.VerdictInconclusive},
		// 2/2⁶ = 0.031 decides six equal differences.
		{"six equal differences", shift(base[:6], 0.1), base[:6], 0, verdict.Better, scoring.VerdictWarn},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			o.Margin = c.margin
			got := compare(t, c.candidate, c.baseline, o)
			if got.Difference != c.difference || got.Verdict != c.verdict || len(got.Reasons) == 0 {
				t.Errorf("%s, %s, want %s, %s; %v", got.Difference, got.Verdict, c.difference, c.verdict, got.Reasons)
			}
		})
	}
	o := options()
	o.Confidence = 0.98
	if got := compare(t, shift(base[:6], 0.1), base[:6], o); got.Difference != verdict.Undecided || !slices.Equal(got.Needs, []string{"1 more pair"}) {
		t.Errorf("equal differences with p = 0.031 at level 0.02: %s, needs %v", got.Difference, got.Needs)
	}
}

// Better in the total, while one metric of two is degraded beyond its threshold.
func TestCompareWarnsOfDegradedMetrics(t *testing.T) {
	spec := scoring.Spec{Metrics: []scoring.Metric{{Name: "heavy", Weight: 3}, {Name: "light", Weight: 1}}}
	var candidate, baseline []verdict.JudgedSeed
	for i, x := range around(0.3, 8) {
		baseline = append(baseline, verdict.JudgedSeed{Number: uint64(i), Total: x, Scores: []float64{x, 0.9}})
		candidate = append(candidate, verdict.JudgedSeed{Number: uint64(i), Total: x + 0.3 + x/10, Scores: []float64{0.9, 0.6}})
	}
	got, err := verdict.Compare(spec, candidate, baseline, options())
	fatal(t, err)
	if got.Difference != verdict.Better || got.Verdict != scoring.VerdictWarn || !slices.Equal(got.Degraded, []string{"light"}) {
		t.Errorf("%s, %s, degraded %v", got.Difference, got.Verdict, got.Degraded)
	}
}

// A seed that crashed scores 0 on its side, in the total and in every metric; one that lacks a metric scores 0 there.
func TestCompareFailedSeeds(t *testing.T) {
	candidate, baseline := seedsOf(around(0.5, 8)...), seedsOf(around(0.5, 8)...)
	candidate[2] = verdict.JudgedSeed{Number: 2, Failed: "timeout"}
	baseline[3] = verdict.JudgedSeed{Number: 3, Failed: "missing m", Scores: []float64{math.NaN()}}
	lost, won := baseline[2].Total, candidate[3].Total
	got := compare(t, candidate, baseline, options())
	if got.NPairs != 8 || got.Differences[2] != -lost || got.Differences[3] != won {
		t.Errorf("%d pairs, differences %v", got.NPairs, got.Differences)
	}
	if diff := cmp.Diff([]verdict.FailedSeed{{2, "timeout"}}, got.Failed.Candidate); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]verdict.FailedSeed{{3, "missing m"}}, got.Failed.Baseline); diff != "" {
		t.Error(diff)
	}
	if m := got.Metrics[0]; m.Wins != 1 || m.Losses != 1 || m.Ties != 6 || !near(m.MeanDelta, (won-lost)/8, 1e-15) {
		t.Errorf("%+v", m)
	}
	if !hasCode(got.Warnings, verdict.WarnFailedPair) {
		t.Errorf("warnings %v", got.Warnings)
	}
}

func TestCompareUnmatchedSeeds(t *testing.T) {
	candidate, baseline := clearlyBetter()
	for i, c := range []struct {
		candidate, baseline []verdict.JudgedSeed
		pairs               int
		share               float64
		decided             bool
	}{
		{candidate, baseline, 10, 1, true},
		{candidate[:8], baseline, 8, 0.8, true},      // exactly 80 %
		{candidate[:8], baseline[1:], 7, 0.7, false}, // 7 pairs of 10 seeds
		{candidate, baseline[:7], 7, 0.7, false},     // 7 of 10
		{candidate[:5], baseline[5:], 0, 0, false},   // none
		{nil, nil, 0, 0, false},                      // no seeds at all
		{candidate[:6], baseline[:6], 6, 1, true},
		{candidate[:5], baseline[:5], 5, 1, false},
	} {
		got := compare(t, c.candidate, c.baseline, options())
		if got.NPairs != c.pairs || got.MatchedShare() != c.share || (got.Difference == verdict.Better) != c.decided {
			t.Errorf("%d: %d pairs, share %v, %s", i, got.NPairs, got.MatchedShare(), got.Verdict)
		}
		if !c.decided && (got.Verdict != scoring.VerdictInconclusive || got.Difference != verdict.Undecided || len(got.Reasons) != 1 || len(got.Needs) != 1) {
			t.Errorf("%d: %s, %s, %v, %v", i, got.Verdict, got.Difference, got.Reasons, got.Needs)
		}
		if (got.Unpaired != nil) != (c.share < 0.8 && len(c.candidate) > 1) {
			t.Errorf("%d: unpaired %+v", i, got.Unpaired)
		}
	}
	got := compare(t, candidate[:8], baseline[1:], options())
	if !slices.Equal(got.Unmatched.Candidate, []uint64{0}) || !slices.Equal(got.Unmatched.Baseline, []uint64{8, 9}) || !hasCode(got.Warnings, verdict.WarnUnmatched) {
		t.Errorf("unmatched %v and %v, warnings %v", got.Unmatched.Candidate, got.Unmatched.Baseline, got.Warnings)
	}
	if u := got.Unpaired; u.NCandidate != 8 || u.NBaseline != 9 || !u.Interval.Contains(u.MeanDelta) || !(u.P > 0 && u.P < 1) {
		t.Errorf("unpaired %+v", u)
	}
	if got := compare(t, candidate[:5], baseline[:5], options()); !hasCode(got.Warnings, verdict.WarnFewPairs) || got.Needs[0] != "1 more pair" {
		t.Errorf("5 pairs: warnings %v, needs %v", got.Warnings, got.Needs)
	}
}

func TestCompareWarnings(t *testing.T) {
	candidate, baseline := clearlyBetter()
	with := func(look verdict.Look) verdict.Options {
		o := options()
		o.Look = look
		return o
	}
	offset := slices.Clone(baseline)
	for i := range offset { // 0.1 more, but for rounding
		offset[i].Total = baseline[i].Total + 0.1
	}
	for name, c := range map[string]struct {
		candidate []verdict.JudgedSeed
		options   verdict.Options
		want      []string
	}{
		"none":                   {candidate, options(), nil},
		"identical":              {baseline, options(), []string{verdict.WarnIdentical}},
		"constant":               {offset, options(), []string{string(stats.WarnZeroVariance)}},
		"unplanned look":         {candidate, with(verdict.Look{Number: 3}), []string{verdict.WarnLooks}},
		"planned look":           {candidate, with(verdict.Look{Number: 3, Plan: []int{6, 10}}), nil},
		"anytime":                {candidate, with(verdict.Look{Number: 3, Anytime: true}), nil},
		"plan after a bare look": {candidate, with(verdict.Look{Number: 3, Plan: []int{6, 10}, Late: true}), []string{verdict.WarnLatePlan}},
	} {
		got := compare(t, c.candidate, baseline, c.options)
		var codes []string
		for _, w := range got.Warnings {
			codes = append(codes, w.Code)
		}
		if !slices.Equal(codes, c.want) {
			t.Errorf("%s: %v, want %v", name, got.Warnings, c.want)
		}
	}
}

// However many metrics there are, 10 pairs of the same sign have p 2/2¹⁰, and 6 have 2/2⁶; Holm would multiply them by
// 400.
func TestCompareTestsMetricsJointly(t *testing.T) {
	var spec scoring.Spec
	for k := range 400 {
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprint(k), Weight: 1})
	}
	for n, want := range map[int]float64{6: 2. / 64, 10: 2. / 1024, 30: 1. / 10_001} {
		var a, b []verdict.JudgedSeed
		for i := range n {
			a = append(a, verdict.JudgedSeed{Number: uint64(i), Total: 0.5, Scores: slices.Repeat([]float64{0.5 + float64(i)/100}, 400)})
			b = append(b, verdict.JudgedSeed{Number: uint64(i), Total: float64(i) / 100, Scores: slices.Repeat([]float64{0.4}, 400)})
		}
		got, err := verdict.Compare(spec, a, b, options())
		fatal(t, err)
		if m := got.Metrics[0]; !m.IsDecided || !near(m.PMaxT, want, 1e-12) || m.Interval.Lo < 0 {
			t.Errorf("%d pairs: p %v, want %v: %+v", n, m.PMaxT, want, m)
		}
	}
}

// Without a margin nobody has said which difference matters, and the answer says only what so many pairs detect.
func TestCompareWithoutMarginPlansNothing(t *testing.T) {
	base := around(0.5, 10)
	got := compare(t, seedsOf(shiftedBy(base, 0.01)...), seedsOf(base...), options())
	if got.Total.SeedsNeeded != nil || got.Total.Sought != nil || len(got.Needs) > 0 {
		t.Errorf("%v pairs for %v, needs %q", got.Total.SeedsNeeded, got.Total.Sought, got.Needs)
	}
	if reasons := strings.Join(got.Reasons, "\n"); !strings.Contains(reasons, "10 pairs detect a difference of") || strings.Contains(reasons, "observed difference") {
		t.Errorf("reasons %q", reasons)
	}
	// dz 1.00 at n = 10 for the t test alone, as in tables of power; the exact test takes a little.
	if !near(*got.Total.DetectableDz, 1.017, 0.005) || !near(*got.Total.Detectable, *got.Total.DetectableDz**got.Total.SD, 1e-15) {
		t.Errorf("detectable %v, %v", *got.Total.DetectableDz, *got.Total.Detectable)
	}
}

// shiftedBy adds a difference to each score, and a pattern of -0.05, 0 and 0.05.
func shiftedBy(scores []float64, by float64) []float64 {
	other := slices.Clone(scores)
	for i := range other {
		other[i] += 0.05*float64(i%3-1) + by
	}
	return other
}

// A difference of twice the margin is beyond the margin by the margin: that is what the pairs needed are for.
func TestCompareSeedsNeeded(t *testing.T) {
	base := around(0.5, 10)
	o := options()
	o.Margin = 0.02
	got := compare(t, seedsOf(shiftedBy(base, 0.01)...), seedsOf(base...), o)
	want, err := stats.Design{Alpha: 0.05, Alternative: stats.TwoSided, Confirmed: true}.SeedsFromPilot(got.Differences, 0.02, 0.8)
	fatal(t, err)
	if *got.Total.SeedsNeeded != want.N || want.N <= 10 || *got.Total.Sought != 0.04 {
		t.Errorf("%d pairs for %v, want %d", *got.Total.SeedsNeeded, *got.Total.Sought, want.N)
	}
	if len(got.Needs) != 1 || !strings.HasPrefix(got.Needs[0], fmt.Sprintf("about %d more pairs to show that a difference of 0.0400, twice the margin", want.N-10)) {
		t.Errorf("needs %q", got.Needs)
	}
	if !near(*got.Total.Detectable, 0.02+*got.Total.DetectableDz**got.Total.SD, 1e-15) {
		t.Errorf("detectable %v", *got.Total.Detectable)
	}
	other := slices.Clone(base)
	for i := range other { // 0.3 to both sides, and 0.005 on average: tens of thousands
		other[i] += 0.005 + 0.3*float64(1-2*(i%2))
	}
	o.Margin = 0.004
	if got := compare(t, seedsOf(other...), seedsOf(base...), o); *got.Total.SeedsNeeded < 10_000 || !strings.HasPrefix(got.Needs[0], "more than 10000 pairs") {
		t.Errorf("%d pairs, needs %q", *got.Total.SeedsNeeded, got.Needs)
	}
}

// Each look of a plan needs so many pairs that the exact test can reach the level of a look.
func TestCheckLooks(t *testing.T) {
	for _, c := range []struct {
		plan       []int
		confidence float64
		says       string // empty if every look can decide
	}{
		{[]int{6, 10, 20, 30}, 0.95, "at least 7 pairs for that; 7,10,20,30 would work"}, // 2⁻⁶ = 0.0156 <= 0.0172
		{[]int{7, 10, 20, 30}, 0.95, ""},
		{[]int{2, 7, 20}, 0.95, "7,20 would work"},
		{[]int{6}, 0.95, ""},
		{[]int{5}, 0.95, "6 would work"},
		{[]int{6}, 0.99, "8 would work"}, // 2⁻⁷ <= 0.01
		{[]int{20}, 0.9999, ""},
		{[]int{21}, 0.9999, "plan fewer looks, or lower the confidence"}, // drawn signs: 2/10 001
		{[]int{10}, 0.9999999, "plan fewer looks, or lower the confidence"},
		{nil, 0.95, ""},
	} {
		err := verdict.CheckLooks(c.plan, c.confidence)
		if (err == nil) != (c.says == "") || err != nil && !strings.HasSuffix(err.Error(), c.says) {
			t.Errorf("%v at %v: %v", c.plan, c.confidence, err)
		}
	}
	candidate, baseline := clearlyBetter()
	o := options()
	o.Look.Plan = []int{6, 10, 20, 30} // stored before dead looks were refused
	got := compare(t, candidate[:6], baseline[:6], o)
	if got.Verdict != scoring.VerdictInconclusive || got.Needs[0] != "4 more pairs" || !strings.Contains(got.Reasons[0], "needs 7 pairs to reach 0.0172") {
		t.Errorf("%s, %q, needs %q", got.Verdict, got.Reasons, got.Needs)
	}
}

func TestComparePlan(t *testing.T) {
	candidate, baseline := clearlyBetter()
	o := options()
	o.Look.Plan = []int{6, 10, 20, 30}
	got := compare(t, candidate, baseline, o)
	want, err := stats.TInterval(got.Differences, 1-stats.PocockAlpha(0.05, o.Look.Plan))
	fatal(t, err)
	if got.Difference != verdict.Better || !near(got.Total.Interval.Lo, want.Lo, 1e-12) || got.Total.Interval.Confidence != want.Confidence || got.Alpha() <= 0.05/4 {
		t.Errorf("%s, %+v, want %+v", got.Verdict, got.Total.Interval, want)
	}
	for n, need := range map[int]string{7: "3 more pairs, for the planned look at 10", 9: "1 more pair, for the planned look at 10"} {
		got := compare(t, candidate[:n], baseline[:n], o)
		if got.Verdict != scoring.VerdictInconclusive || !slices.Equal(got.Needs, []string{need}) {
			t.Errorf("%d pairs: %s, %v", n, got.Verdict, got.Needs)
		}
	}
	o.Look.Plan = []int{6, 8}
	if got := compare(t, candidate, baseline, o); got.Verdict != scoring.VerdictInconclusive || !strings.Contains(got.Reasons[0], "the plan has ended") {
		t.Errorf("after the plan: %s, %v", got.Verdict, got.Reasons)
	}
	for _, plan := range [][]int{{1, 5}, {5, 5}, {6, 4}, {0}} {
		if verdict.CheckPlan(plan) == nil {
			t.Errorf("plan %v is accepted", plan)
		}
	}
	for _, plan := range [][]int{nil, {2}, {6, 10}} {
		if err := verdict.CheckPlan(plan); err != nil {
			t.Errorf("plan %v: %v", plan, err)
		}
	}
}

// Ten wins of ten: E is at least 1/0.025 on one side, and the p-value is that of package stats.
func TestCompareAnytime(t *testing.T) {
	candidate, baseline := clearlyBetter()
	o := options()
	o.Look.Anytime = true
	got := compare(t, candidate, baseline, o)
	e, err := stats.SymmetricEValue(got.Differences)
	fatal(t, err)
	if got.Difference != verdict.Better || got.Total.P != 2*e.AnytimeP().Greater || got.Total.Interval.Method != stats.MethodSymmetric || got.Total.Interval.Lo <= 0 || !got.Total.Interval.Contains(0.06) {
		t.Errorf("%s, %+v", got.Difference, got.Total)
	}
	if back := compare(t, baseline, candidate, o); back.Difference != verdict.Worse {
		t.Errorf("the other way round: %s", back.Difference)
	}
	o.Margin = 0.06 // half of the differences are below
	if got := compare(t, candidate, baseline, o); got.Difference != verdict.Undecided {
		t.Errorf("with a margin: %s", got.Difference)
	}
	o.Margin = 0
	if got := compare(t, candidate[:6], baseline[:6], o); got.Difference != verdict.Undecided { // E = 2⁶/2·… is below 40
		t.Errorf("six pairs: %s, p %v", got.Difference, got.Total.P)
	}
}

// Under "no difference" the chance that any of four looks decides is at most alpha: here, 0.2.
func TestCompareAnytimeFalseDecisions(t *testing.T) {
	const repetitions = 100
	r, n := rng(), 0
	o := options()
	o.Look.Anytime, o.Confidence = true, 0.8
	for range repetitions {
		a, b := make([]float64, 30), make([]float64, 30)
		for i := range a {
			a[i], b[i] = 0.2+0.6*r.Float64(), 0.2+0.6*r.Float64()
		}
		for _, k := range []int{6, 10, 20, 30} {
			if got := compare(t, seedsOf(a[:k]...), seedsOf(b[:k]...), o); got.Difference != verdict.Undecided {
				n++
				break
			}
		}
	}
	// Four standard deviations above 0.2; not never either, or nothing would ever be decided.
	if rate := float64(n) / repetitions; rate > 0.36 || n == 0 {
		t.Errorf("%.3f false decisions", rate)
	}
}

func TestCompareProperties(t *testing.T) {
	score := rapid.OneOf(rapid.Map(rapid.IntRange(0, 4), func(k int) float64 { return float64(k) / 4 }), rapid.Float64Range(0, 1))
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := seedsOf(rapid.SliceOfN(score, n, n).Draw(t, "candidate")...)
		b := seedsOf(rapid.SliceOfN(score, n, n).Draw(t, "baseline")...)
		if drop := rapid.IntRange(0, 2).Draw(t, "unmatched"); drop < n {
			b = b[drop:]
		}
		o := options()
		o.Margin = rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "margin")
		o.Look.Anytime = rapid.Bool().Draw(t, "anytime")
		there := compare(t, a, b, o)
		mixed := rapid.Permutation(b).Draw(t, "mixed")
		if diff := cmp.Diff(plain(there), plain(compare(t, a, mixed, o))); diff != "" {
			t.Fatalf("the order of the baseline matters: %s", diff)
		}
		back := compare(t, b, a, o)
		opposite := map[verdict.Difference]verdict.Difference{
			verdict.Better: verdict.Worse, verdict.Worse: verdict.Better, verdict.Equivalent: verdict.Equivalent, verdict.Undecided: verdict.Undecided,
		}
		if back.Difference != opposite[there.Difference] || !near(back.Total.MeanDelta, -there.Total.MeanDelta, 1e-12) || !near(back.Total.P, there.Total.P, 1e-12) {
			t.Fatalf("%+v, and back %+v", there.Total, back.Total)
		}
		if there.Total.Interval.Defined() && !(near(back.Total.Interval.Lo, -there.Total.Interval.Hi, 1e-9) && near(back.Total.Interval.Hi, -there.Total.Interval.Lo, 1e-9)) {
			t.Fatalf("%+v, and back %+v", there.Total.Interval, back.Total.Interval)
		}
		if there.NPairs > 0 && (back.Metrics[0].Wins != there.Metrics[0].Losses || !near(back.Metrics[0].PMaxT, there.Metrics[0].PMaxT, 1e-12)) {
			t.Fatalf("%+v, and back %+v", there.Metrics[0], back.Metrics[0])
		}
		if there.NPairs < stats.LeastPairs(0.05) && there.Verdict != scoring.VerdictInconclusive {
			t.Fatalf("%d pairs: %s", there.NPairs, there.Verdict)
		}
	})
}

// plain is what of a comparison can be compared: all but the order of the unmatched seeds.
func plain(i verdict.Improvement) string {
	slices.Sort(i.Unmatched.Baseline)
	total, err := json.Marshal(i.Total)
	return fmt.Sprintf("%s %v %v %v %v %v", total, err, i.Difference, i.Differences, i.Reasons, i.Unmatched.Baseline)
}

// Equal scores in each pair are said to be identical. Nothing else is: not equal totals of metrics that differ.
func TestIdenticalSidesAreSaidToBe(t *testing.T) {
	for _, c := range []struct {
		name        string
		differences [][]float64
		want        bool
	}{
		{"equal", [][]float64{make([]float64, 8), make([]float64, 8)}, true},
		{"one pair of one metric", [][]float64{make([]float64, 8), {0, 0, 0, 0, 0.1, 0, 0, 0}}, false},
		{"a constant loss", [][]float64{{-0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1}}, false},
	} {
		spec, candidate, baseline := pairsOf(0.9, c.differences...)
		i, err := verdict.Compare(spec, candidate, baseline, options())
		fatal(t, err)
		said := slices.ContainsFunc(i.Reasons, func(r string) bool {
			return strings.HasPrefix(r, "all 8 pairs have equal scores, in total and in each metric")
		})
		if i.IsIdentical() != c.want || said != c.want {
			t.Errorf("%s: identical %v, %q", c.name, i.IsIdentical(), i.Reasons)
		}
		if c.want && i.Verdict != open {
			t.Errorf("%s: the verdict changed to %s", c.name, i.Verdict)
		}
	}
}

func TestOddBaseline(t *testing.T) {
	around := points(0.61, 0.60, 0.59, 0.60, 0.62, 0.58)
	w := verdict.OddBaseline(points(0.93)[0], around)
	if w == nil || w.Code != "odd_baseline" || !strings.HasPrefix(w.Message, "the baseline stands out from its neighbours: its mean score is 0.9300, and 6 configurations") {
		t.Errorf("%+v", w)
	}
	if w := verdict.OddBaseline(points(0.61)[0], around); w != nil {
		t.Errorf("an ordinary baseline: %+v", w)
	}
	if w := verdict.OddBaseline(points(0.93)[0], around[:4]); w != nil {
		t.Errorf("4 neighbours: %+v", w)
	}
	if w := verdict.OddBaseline(verdict.HistoryPoint{}, around); w != nil {
		t.Errorf("no scores: %+v", w)
	}
}

// A baseline that is like its neighbours stands out in about 1 % of comparisons.
func TestOrdinaryBaselinesSeldomStandOut(t *testing.T) {
	r, odd, draws := rng(), 0, 1000
	for range draws {
		var list []verdict.HistoryPoint
		for range 12 {
			list = append(list, points(0.6+0.02*r.NormFloat64())...)
		}
		if verdict.OddBaseline(list[0], list[1:]) != nil {
			odd++
		}
	}
	if odd > 20 {
		t.Errorf("%d of %d stand out, want about 10", odd, draws)
	}
}
