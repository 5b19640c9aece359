package verdict_test

import (
	"math"
	"testing"

	"track/scoring/stats"
	"track/scoring/verdict"
)

// points are accepted, but for NaN.
func points(means ...float64) []verdict.HistoryPoint {
	list := make([]verdict.HistoryPoint, len(means))
	for i, m := range means {
		list[i] = verdict.HistoryPoint{Mean: m, Accepted: true}
	}
	return list
}

func TestHistoryPredictsFromFiveAcceptedPoints(t *testing.T) {
	means := []float64{0.81, 0.80, 0.83, 0.82, 0.79}
	want, err := stats.NewPrediction(means, 0.95)
	fatal(t, err)
	list := points(means...)
	list = append(list, verdict.HistoryPoint{Mean: 0.1}, verdict.HistoryPoint{Mean: math.NaN(), Accepted: true}, verdict.HistoryPoint{Mean: math.Inf(1), Accepted: true})
	h := verdict.AnalyseHistory(list)
	if h.Prediction != want.Interval || h.NAccepted != 5 || h.NPoints != 6 || hasCode(h.Warnings, verdict.WarnFewAccepted) {
		t.Errorf("%+v, want %+v", h, want)
	}
	if h.Searched || h.Lag1 != nil || !hasCode(h.Warnings, verdict.WarnFewPoints) {
		t.Errorf("searched 6 points: %+v", h)
	}
	list[2].Accepted = false
	if h := verdict.AnalyseHistory(list); h.Prediction.Defined() || h.NAccepted != 4 || !hasCode(h.Warnings, verdict.WarnFewAccepted) {
		t.Errorf("4 accepted: %+v", h)
	}
	if h := verdict.AnalyseHistory(nil); h.Prediction.Defined() || !hasCode(h.Warnings, verdict.WarnFewAccepted) || !hasCode(h.Warnings, verdict.WarnFewPoints) {
		t.Errorf("none: %+v", h)
	}
	if h := verdict.AnalyseHistory(points(0.5, 0.5, 0.5, 0.5, 0.5)); !hasCode(h.Warnings, string(stats.WarnZeroVariance)) {
		t.Errorf("equal points: %+v", h)
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
		list = append(list, verdict.HistoryPoint{Mean: level + 0.01*r.NormFloat64(), Accepted: true})
		if i == 4 || i == 20 { // a configuration without a mean: the index counts it
			list = append(list, verdict.HistoryPoint{Mean: math.NaN()})
		}
	}
	h := verdict.AnalyseHistory(list)
	if !h.Searched || h.NPoints != 30 || len(h.ChangePoints) != 1 {
		t.Fatalf("%+v", h)
	}
	if c := h.ChangePoints[0]; c.Index != 15 || !c.Confirmed || !near(c.Before, 0.80, 0.01) || !near(c.After, 0.70, 0.01) {
		t.Errorf("%+v", c)
	}
	if hasCode(h.Warnings, verdict.WarnUnreliable) || !(math.Abs(*h.Lag1) < 0.3) {
		t.Errorf("independent noise: lag %v, %v", *h.Lag1, h.Warnings)
	}
	if h := verdict.AnalyseHistory(list[:20]); h.Searched { // 19 with a mean
		t.Errorf("searched 19 points: %+v", h)
	}
	if h := verdict.AnalyseHistory(list[:21]); !h.Searched || hasCode(h.Warnings, verdict.WarnFewPoints) {
		t.Errorf("did not search 20 points: %+v", h)
	}
}

func TestHistoryIsUnreliableUnderAutocorrelation(t *testing.T) {
	r, x := rng(), 0.0
	var list []verdict.HistoryPoint
	for range 100 {
		x = 0.8*x + 0.01*r.NormFloat64()
		list = append(list, verdict.HistoryPoint{Mean: 0.5 + x})
	}
	h := verdict.AnalyseHistory(list)
	if !(*h.Lag1 > stats.MaxLag1) || !hasCode(h.Warnings, verdict.WarnUnreliable) {
		t.Errorf("lag %v, %v", *h.Lag1, h.Warnings)
	}
}

func TestHistoryWithoutNoise(t *testing.T) {
	h := verdict.AnalyseHistory(points(append(make([]float64, 15), around(0.5, 5)...)...))
	if !hasCode(h.Warnings, verdict.WarnNoNoise) || len(h.ChangePoints) != 0 {
		t.Errorf("%+v", h)
	}
}
