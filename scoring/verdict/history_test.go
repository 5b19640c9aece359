package verdict_test

import (
	"math"
	"testing"

	"track/scoring/stats"
	"track/scoring/verdict"
)

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
