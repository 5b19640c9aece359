package verdict_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// stability is an aggregate of one metric: passed of seeds that ran well, with these total scores.
func stability(passed, seeds int, scores []float64) scoring.Stability {
	totals := scoring.SeedTotals{NSeeds: seeds, NPassed: passed, NOK: seeds, Score: scoring.NewMoments(scores), Shape: scoring.NewShape(scores)}
	for _, x := range scores {
		if x == 0 || x == 1 {
			totals.NSaturated++
		}
	}
	value := scoring.NewMoments(make([]float64, seeds))
	return scoring.NewStability(oneMetric, totals, []scoring.MetricTotals{{NNotFailed: seeds, Value: value, Score: scoring.NewMoments(scores)}})
}

// crashed adds seeds that measured nothing.
func crashed(s scoring.Stability, n int) scoring.Stability {
	totals, metric := s.Totals(), s.Metrics[0].Totals()
	totals.NSeeds += n
	return scoring.NewStability(oneMetric, totals, []scoring.MetricTotals{metric})
}

// spread gives n scores around 0.5 with a population sd of sd; n is even.
func spread(sd float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = 0.5 + sd*float64(1-i%2*2)
	}
	return xs
}

func TestStability(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      scoring.Stability
		want    scoring.Verdict
		reasons []string
		need    string
	}{
		// The one-sided bound of Clopper and Pearson for n of n is 0.05^(1/n); it reaches 0.9 from n = 28.4 on, as in a gate.
		{"29 of 29", stability(29, 29, around(0.8, 29)), scoring.VerdictPass, []string{"is at least 90.0%: at least 90.2% with 95% confidence (Clopper–Pearson, one-sided)", "is at most 0.15"}, ""},
		{"28 of 28", stability(28, 28, around(0.8, 28)), scoring.VerdictWarn, []string{"is not shown to be at least 90.0%: at least 89.9%"}, "29 seeds would show 90.0% if all pass: 1 more"},
		{"5 of 5", stability(5, 5, around(0.8, 5)), scoring.VerdictWarn, []string{"(5 of 5) is not shown to be at least 90.0%: at least 54.9%"}, "if all pass: 24 more"},
		{"4 of 4", stability(4, 4, around(0.8, 4)), scoring.VerdictInconclusive, []string{"4 scored seeds: at least 5 are needed"}, "1 more scored seed"},
		{"none", stability(0, 0, nil), scoring.VerdictInconclusive, []string{"there are no seeds"}, ""},
		{"one", stability(1, 1, []float64{0.8}), scoring.VerdictInconclusive, []string{"1 scored seed:"}, "4 more scored seeds"},
		// With half of the error, the upper bound of 15 of 20 is 0.913, and that of 14 of 20 0.881.
		{"15 of 20", stability(15, 20, around(0.8, 20)), scoring.VerdictInconclusive, []string{"is not shown to be below 90.0%: at most 91.3% with 97.5% confidence"}, "a higher pass rate"},
		{"14 of 20", stability(14, 20, around(0.8, 20)), scoring.VerdictFail, []string{"is below 90.0%: at most 88.1%"}, ""},
		{"0 of 3", stability(0, 3, around(0.2, 3)), scoring.VerdictFail, []string{"is below 90.0%"}, ""},
		{"all crashed", crashed(stability(0, 0, nil), 20), scoring.VerdictFail, []string{"0.0% (0 of 20"}, ""},
		// n = 40: the bounds of the sample sd s are 0.819·s at 97.5 % and 1.498·s at 95 %, which allows for a tail that 40
		// scores hide.
		{"sd shown", stability(40, 40, spread(0.0985, 40)), scoring.VerdictPass, []string{"is at most 0.15"}, ""},
		{"sd not shown", stability(40, 40, spread(0.102, 40)), scoring.VerdictWarn, []string{"is not shown to be at most 0.15"}, ""},
		{"sd too large", stability(40, 40, spread(0.16, 40)), scoring.VerdictInconclusive, []string{"is not shown to be above 0.15"}, ""},
		{"sd refuted", stability(40, 40, spread(0.19, 40)), scoring.VerdictFail, []string{"is above 0.15"}, ""},
		{"no spread", stability(40, 40, make([]float64, 40)), scoring.VerdictWarn, []string{"all 40 scores are equal"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := verdict.Judge(c.in, verdict.Coverage{}, 0.95)
			if got.Verdict != c.want {
				t.Errorf("%s, want %s: %q", got.Verdict, c.want, got.Reasons)
			}
			for _, reason := range c.reasons {
				if !strings.Contains(strings.Join(got.Reasons, "; "), reason) {
					t.Errorf("reasons %q, want %q", got.Reasons, reason)
				}
			}
			if needs := strings.Join(got.Needs, "; "); !strings.Contains(needs, c.need) || c.need == "" && needs != "" {
				t.Errorf("needs %q, want %q", needs, c.need)
			}
		})
	}
}

func TestEstimates(t *testing.T) {
	scores := []float64{1, 1, 1, 0.5, 0.7, 0.9}
	s := crashed(stability(5, 6, scores), 2)
	e := verdict.NewEstimates(s, 0.9)
	rate, err := stats.ClopperPearsonEnds(5, 8, 0.9)
	fatal(t, err)
	summary, err := stats.Summarize(scores)
	fatal(t, err)
	combined := summary.Mean * rate.Value * (1 - summary.PopulationSD)
	for name, c := range map[string]struct {
		value, want  float64
		interval, at stats.Interval
	}{
		"mean":      {e.OfRan.Value, summary.Mean, e.OfRan.Interval, stats.Interval{Lo: summary.MeanInterval(0.9).Lo, Hi: 1, Method: stats.MethodT}}, // cut
		"sd":        {e.SD.Value, summary.SD(), e.SD.Interval, summary.SDInterval(0.9)},
		"pass rate": {e.PassRate.Value, rate.Value, e.PassRate.Interval, rate.Interval},
		"combined":  {e.Combined.Value, combined, e.Combined.Interval, summary.CombinedInterval(5, 8, 0.9)},
	} {
		if !near(c.value, c.want, 1e-14) || !near(c.interval.Lo, c.at.Lo, 1e-12) || !near(c.interval.Hi, c.at.Hi, 1e-12) || c.interval.Method != c.at.Method {
			t.Errorf("%s: %v %+v, want %v %+v", name, c.value, c.interval, c.want, c.at)
		}
	}
	if e.NSeeds != 8 || e.NScored != 6 || e.NPassed != 5 {
		t.Errorf("%d seeds, %d scored, %d passed", e.NSeeds, e.NScored, e.NPassed)
	}
	identical := stability(5, 5, around(0.5, 5))
	identical.NIdentical = 2
	for code, s := range map[string]scoring.Stability{
		verdict.WarnNoSeeds: stability(0, 0, nil), verdict.WarnNoScores: crashed(stability(0, 0, nil), 3), verdict.WarnFailedSeeds: s,
		string(stats.WarnSaturated): s, string(stats.WarnSmallN): stability(4, 4, around(0.5, 4)),
		string(stats.WarnZeroVariance): stability(6, 6, make([]float64, 6)), verdict.WarnIdenticalSeeds: identical,
	} {
		if e := verdict.Judge(s, verdict.Coverage{}, 0.95); !hasCode(e.Warnings, code) {
			t.Errorf("%v, want %s", e.Warnings, code)
		}
	}
	if e := verdict.Judge(stability(9, 9, around(0.5, 9)), verdict.Coverage{}, 0.95); len(e.Warnings) != 0 {
		t.Errorf("nothing to warn of, and %v", e.Warnings)
	}
	none := verdict.NewEstimates(stability(0, 0, nil), 0.95)
	for _, x := range []verdict.Estimate{none.OfRan, none.SD, none.PassRate, none.Combined} {
		if !math.IsNaN(x.Value) {
			t.Errorf("of no seeds: %+v", none)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.0%", 1: "100.0%", 0.95: "95.0%", 0.9995: "99.9%", 0.99999: "99.9%", 0.99949: "99.9%", 1e-9: "0.1%", 0.0004: "0.1%", 0.0006: "0.1%", 0.056: "5.6%",
	} {
		if got := format.Share(x); got != want {
			t.Errorf("Percent(%v) = %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0.0000", 0.25: "0.2500", -0.5: "-0.5000", 0.00001234: "1.23e-05", 2e9: "2e+09", 0.0001: "0.0001"} {
		if got := format.Short(x); got != want {
			t.Errorf("Short(%v) = %s, want %s", x, got, want)
		}
	}
	if got := fmt.Sprint(format.Share(math.NaN()), format.Short(math.NaN())); got != "--" {
		t.Errorf("NaN: %s", got)
	}
}

// points are accepted means of 10 seeds each.
func points(means ...float64) []verdict.HistoryPoint {
	list := make([]verdict.HistoryPoint, len(means))
	for i, m := range means {
		list[i] = verdict.HistoryPoint{N: 10, Mean: m, SD: 0.05, Accepted: true}
	}
	return list
}

func TestHistoryPredictsFromFiveAcceptedPoints(t *testing.T) {
	list := points(0.81, 0.80, 0.83, 0.82, 0.79)
	var samples []stats.SampleMean
	for _, p := range list {
		samples = append(samples, stats.SampleMean{N: p.N, Mean: p.Mean, SD: p.SD})
	}
	list = append(list, verdict.HistoryPoint{N: 7, Mean: 0.1, SD: 0.1}, verdict.HistoryPoint{N: 0, Mean: math.NaN(), Accepted: true},
		verdict.HistoryPoint{N: 3, Mean: math.Inf(1), Accepted: true})
	for _, c := range []struct{ asked, next int }{{0, 7}, {3, 3}} { // by default, as many as the newest point with a mean has
		want, err := stats.PredictMean(samples, c.next, 0.95)
		fatal(t, err)
		h := verdict.AnalyseHistory(list, verdict.HistoryOptions{Next: c.asked})
		if h.Prediction != want.Interval || h.NAccepted != 5 || h.NPoints != 6 || h.NNext != c.next || !near(*h.WithinSD, 0.05, 1e-12) || hasCode(h.Warnings, verdict.WarnFewAccepted) {
			t.Errorf("%+v, want %+v", h, want)
		}
		if h.Searched || h.Lag1 != nil || !hasCode(h.Warnings, verdict.WarnFewPoints) {
			t.Errorf("searched 6 points: %+v", h)
		}
	}
	list[2].Accepted = false
	if h := verdict.AnalyseHistory(list, verdict.HistoryOptions{}); h.Prediction.Defined() || h.NAccepted != 4 || !hasCode(h.Warnings, verdict.WarnFewAccepted) {
		t.Errorf("4 accepted: %+v", h)
	}
	if h := verdict.AnalyseHistory(nil, verdict.HistoryOptions{}); h.Prediction.Defined() || !hasCode(h.Warnings, verdict.WarnFewAccepted) || !hasCode(h.Warnings, verdict.WarnFewPoints) {
		t.Errorf("none: %+v", h)
	}
}

func TestHistorySaysWhatItCannotPredict(t *testing.T) {
	list := points(0.5, 0.5, 0.5, 0.5, 0.5)
	for i := range list {
		list[i].SD = 0
	}
	if h := verdict.AnalyseHistory(list, verdict.HistoryOptions{}); h.Prediction.Defined() || !hasCode(h.Warnings, string(stats.WarnZeroVariance)) {
		t.Errorf("equal values: %+v", h)
	}
	single := points(0.5, 0.6, 0.55, 0.45, 0.52)
	for i := range single {
		single[i].N, single[i].SD = 1, math.NaN()
	}
	h := verdict.AnalyseHistory(single, verdict.HistoryOptions{Next: 10})
	if h.NNext != 1 || !h.Prediction.Defined() || h.WithinSD != nil || !hasCode(h.Warnings, verdict.WarnOneValue) {
		t.Errorf("one value each: %+v", h)
	}
	h = verdict.AnalyseHistory(points(0.99, 0.98, 0.97, 0.99, 0.9), verdict.HistoryOptions{Next: 1, Scores: true})
	if h.Prediction.Hi != 1 || h.Prediction.Lo < 0 {
		t.Errorf("scores above 1: %+v", h)
	}
}

func TestChangeBetweenPoints(t *testing.T) {
	a, b := points(0.9)[0], points(0.7)[0]
	c := verdict.ChangeBetween(a, b, verdict.HistoryOptions{})
	half := 2.1009 * math.Sqrt(2*0.05*0.05/10) // t(.975, 18)
	if !near(c.Value, -0.2, 1e-12) || !near(c.Interval.Lo, -0.2-half, 1e-5) || !near(c.Interval.Hi, -0.2+half, 1e-5) || c.Interval.Method != stats.MethodWelch {
		t.Errorf("%+v", c)
	}
	one := verdict.HistoryPoint{N: 1, Mean: 0.5, SD: math.NaN()}
	if c := verdict.ChangeBetween(a, one, verdict.HistoryOptions{}); c == nil || c.Interval.Defined() {
		t.Errorf("to one seed: %+v", c)
	}
	if c := verdict.ChangeBetween(verdict.HistoryPoint{}, a, verdict.HistoryOptions{}); c != nil {
		t.Errorf("from nothing: %+v", c)
	}
	wide := verdict.HistoryPoint{N: 2, Mean: 0.5, SD: 0.5}
	if c := verdict.ChangeBetween(wide, wide, verdict.HistoryOptions{Scores: true}); c.Interval.Lo != -1 || c.Interval.Hi != 1 {
		t.Errorf("impossible change: %+v", c)
	}
}

func TestHistoryFindsAStep(t *testing.T) {
	r := rng()
	var list []verdict.HistoryPoint
	for i := range 30 {
		level := 0.80
		if i >= 14 {
			level = 0.70
		}
		list = append(list, verdict.HistoryPoint{N: 10, Mean: level + 0.01*r.NormFloat64(), SD: 0.03, Accepted: true})
		if i == 4 || i == 20 { // a configuration without a mean: the index counts it
			list = append(list, verdict.HistoryPoint{Mean: math.NaN()})
		}
	}
	h := verdict.AnalyseHistory(list, verdict.HistoryOptions{})
	if !h.Searched || h.NPoints != 30 || len(h.ChangePoints) != 1 {
		t.Fatalf("%+v", h)
	}
	if c := h.ChangePoints[0]; c.Index != 15 || c.P > 0.01 || !near(c.Before, 0.80, 0.01) || !near(c.After, 0.70, 0.01) {
		t.Errorf("%+v", c)
	}
	if hasCode(h.Warnings, verdict.WarnUnreliable) || !(math.Abs(*h.Lag1) < 0.3) {
		t.Errorf("independent noise: lag %v, %v", *h.Lag1, h.Warnings)
	}
	if h := verdict.AnalyseHistory(list[:20], verdict.HistoryOptions{}); h.Searched { // 19 with a mean
		t.Errorf("searched 19 points: %+v", h)
	}
	if h := verdict.AnalyseHistory(list[:21], verdict.HistoryOptions{}); !h.Searched || hasCode(h.Warnings, verdict.WarnFewPoints) {
		t.Errorf("did not search 20 points: %+v", h)
	}
}

func TestHistoryIsUnreliableUnderAutocorrelation(t *testing.T) {
	r, x := rng(), 0.0
	var list []verdict.HistoryPoint
	for range 100 {
		x = 0.95*x + 0.01*r.NormFloat64()
		list = append(list, verdict.HistoryPoint{N: 1, Mean: 0.5 + x})
	}
	h := verdict.AnalyseHistory(list, verdict.HistoryOptions{})
	if !(*h.Lag1 > stats.MaxLag1) || !hasCode(h.Warnings, verdict.WarnUnreliable) || len(h.ChangePoints) > 0 {
		t.Errorf("lag %v, %v", *h.Lag1, h.Warnings)
	}
}

// A steady slide is a trend, and never "no change of level": its residuals hide the changes.
func TestHistoryFindsASlide(t *testing.T) {
	r := rng()
	var list []verdict.HistoryPoint
	for i := range 20 {
		list = append(list, verdict.HistoryPoint{N: 10, Mean: 0.95 - 0.02*float64(i) + 0.01*r.NormFloat64(), SD: 0.03, Line: "a"})
	}
	h := verdict.AnalyseHistory(list, verdict.HistoryOptions{})
	if tr := h.Trend; tr == nil || !tr.Found || tr.N != 20 || !near(tr.Slope, -0.02, 0.003) || tr.PAdjusted > 0.001 {
		t.Errorf("%+v", tr)
	}
	if len(h.ChangePoints) > 0 && !hasCode(h.Warnings, verdict.WarnDependent) {
		t.Errorf("a slide counts as steps: %+v", h)
	}
	h = verdict.AnalyseHistory(list[:10], verdict.HistoryOptions{})
	if h.Searched || !h.Trend.Found || h.Trend.PAdjusted != h.Trend.P { // one test, and nothing to correct for
		t.Errorf("10 points: %+v", h)
	}
	if h := verdict.AnalyseHistory(list[:7], verdict.HistoryOptions{}); h.Trend != nil || !hasCode(h.Warnings, verdict.WarnFewForTrend) {
		t.Errorf("7 points: %+v", h)
	}
	for i := range list {
		list[i].Line = string(rune('a' + i%4)) // other parameters each: the order of a grid is no trend
	}
	if h := verdict.AnalyseHistory(list, verdict.HistoryOptions{}); h.Trend != nil || !hasCode(h.Warnings, verdict.WarnFewForTrend) {
		t.Errorf("5 points of the newest parameters: %+v", h.Trend)
	}
}

// falseAlarms returns the share of histories of a constant level that show a trend or a change.
func falseAlarms(draws int) float64 {
	r, alarms := rng(), 0
	for range draws {
		var list []verdict.HistoryPoint
		for range 30 {
			list = append(list, verdict.HistoryPoint{N: 10, Mean: 0.8 + 0.01*r.NormFloat64(), SD: 0.03})
		}
		if h := verdict.AnalyseHistory(list, verdict.HistoryOptions{}); len(h.ChangePoints) > 0 || h.Trend.Found {
			alarms++
		}
	}
	return float64(alarms) / float64(draws)
}

// The binomial range of 200 draws at 5 % is 1.5 % to 9 % (p = 0.98).
func TestFalseAlarmsOfHistories(t *testing.T) {
	if share := falseAlarms(200); share < 0.015 || share > 0.09 {
		t.Errorf("%v of histories without a change show one, want 0.05", share)
	}
}
