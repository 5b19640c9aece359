package verdict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// minAccepted is how many accepted points a prediction needs.
const minAccepted = 5

// HistoryPoint is the mean of one configuration, NaN where it has none.
type HistoryPoint struct {
	Mean     float64
	Accepted bool // good enough to be what the next one is expected to be like
}

// History says what the points so far let expect of the next one, and where their level changed. It reports, and
// never decides.
type History struct {
	NAccepted    int                 `json:"n_accepted"`
	Prediction   stats.Interval      `json:"ci"`       // for the mean of one more configuration; not defined below 5 accepted points
	NPoints      int                 `json:"n_points"` // points with a mean
	ChangePoints []stats.ChangePoint `json:"change_points"`
	Searched     bool                `json:"searched"`             // there were enough points to look for changes
	Lag1         *float64            `json:"lag1_autocorrelation"` // that the changes leave; nil if not searched, or without noise
	Warnings     []Warning           `json:"warnings"`
}

// Codes of the warnings of a history.
const (
	warnFewAccepted = "too_short_a_history"
	warnUnreliable  = "unreliable_change_points"
	warnFewPoints   = "too_few_for_change_points"
	warnNoNoise     = "no_noise"
)

// AnalyseHistory predicts the next point by the t prediction interval over the accepted ones, and looks for changes
// of level among all of them from 20 points on. Change points are reported by the index of the first point of the new
// level among points.
func AnalyseHistory(points []HistoryPoint) History {
	h := History{Prediction: undefined(scoring.DefaultConfidence, stats.MethodPrediction)}
	var accepted, all []float64
	var index []int
	for i, p := range points {
		if math.IsNaN(p.Mean) || math.IsInf(p.Mean, 0) {
			continue
		}
		all, index = append(all, p.Mean), append(index, i)
		if p.Accepted {
			accepted = append(accepted, p.Mean)
		}
	}
	h.NAccepted, h.NPoints = len(accepted), len(all)
	if h.NAccepted < minAccepted {
		h.warn(warnFewAccepted, "%s: a prediction for the next one needs %d", format.Counted(h.NAccepted, "accepted point"), minAccepted)
	} else if p, err := stats.NewPrediction(accepted, scoring.DefaultConfidence); err == nil {
		h.Prediction = p.Interval
		if slices.Contains(p.Warnings, stats.WarnZeroVariance) {
			h.warn(string(stats.WarnZeroVariance), "all %d accepted points are equal: the prediction has no width", h.NAccepted)
		}
	}
	h.findChanges(all, index)
	return h
}

func (h *History) findChanges(all []float64, index []int) {
	found, err := stats.NewHistory(all, drawSeed)
	switch {
	case errors.Is(err, stats.ErrTooFew), errors.Is(err, stats.ErrEmpty):
		h.warn(warnFewPoints, "%s: change points are looked for from %d on", format.Counted(len(all), "point"), stats.HistoryMinValues)
		return
	case err != nil:
		return
	}
	h.Searched, h.Lag1 = true, ifDefined(found.Lag1)
	for _, c := range found.Points {
		c.Index = index[c.Index]
		h.ChangePoints = append(h.ChangePoints, c)
	}
	for _, w := range found.Warnings {
		switch w {
		case stats.WarnAutocorrelated:
			h.warn(warnUnreliable, "%s", w.Message())
		case stats.WarnZeroVariance:
			h.warn(warnNoNoise, "more than half of the points equal the one before: there is no noise to measure changes by")
		default:
			h.warn(string(w), "%s", w.Message())
		}
	}
}

func (h *History) warn(code, format string, args ...any) {
	h.Warnings = append(h.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}
