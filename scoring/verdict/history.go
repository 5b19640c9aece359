package verdict

import (
	"errors"
	"fmt"
	"math"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// minAccepted is how many accepted points a prediction needs.
const minAccepted = 5

// HistoryPoint is the mean of one configuration, NaN where it has none.
type HistoryPoint struct {
	N        int // values that the mean is of
	Mean     float64
	SD       float64 // sample standard deviation of these values; NaN for one value
	Accepted bool    // good enough to be what the next one is expected to be like
	Line     string  // points of one line follow each other, such as those of the same parameters
}

func (p HistoryPoint) exists() bool { return p.N > 0 && !math.IsNaN(p.Mean) && !math.IsInf(p.Mean, 0) }

// summary is what an interval of a difference needs to know of the point.
func (p HistoryPoint) summary() stats.Summary {
	s := stats.Summary{N: p.N, Mean: p.Mean, PopulationSD: math.NaN()}
	if p.N > 1 {
		s.PopulationSD = p.SD * math.Sqrt(float64(p.N-1)/float64(p.N))
		s.Constant = p.SD == 0
	}
	return s
}

// HistoryOptions say what is known of the points, and what is asked of them.
type HistoryOptions struct {
	Next   int  // values of the next point; 0 for as many as the newest point has
	Scores bool // the values lie in [0, 1]
}

// History says what the points so far let expect of the next one, and where their level changed. It reports, and
// never decides.
type History struct {
	NAccepted    int                 `json:"n_accepted"`
	Prediction   stats.Interval      `json:"ci"`        // for the mean of one more configuration; not defined below 5 accepted points
	NNext        int                 `json:"n_next"`    // seeds or executions of that configuration
	WithinSD     *float64            `json:"within_sd"` // pooled sd of single values; nil if each point has one
	NPoints      int                 `json:"n_points"`  // points with a mean
	ChangePoints []stats.ChangePoint `json:"change_points"`
	Searched     bool                `json:"searched"`             // there were enough points to look for changes
	Lag1         *float64            `json:"lag1_autocorrelation"` // that the changes leave; nil if not searched, or without noise
	Trend        *HistoryTrend       `json:"trend"`                // nil if there were too few points
	Warnings     []Warning           `json:"warnings"`
}

// HistoryTrend is the test for a trend over the points that have the line of the newest.
type HistoryTrend struct {
	stats.Trend `json:",embed"`
	PAdjusted   float64 `json:"p_corrected"` // for the test of the changes of level, if that was done
	Found       bool    `json:"found"`       // p_corrected ≤ 0.05
}

// Parts of the level of two tests that both may reject. Of 4,800 series of 20 to 150 exchangeable values, 4.8 % to 5.0
// % show a trend or a change with p ≤ 0.65·0.05, whatever the distribution: the tests are of the same ranks, and
// Bonferroni's half would leave 4 %. If one rejects, the other has the whole level (Marcus, Peritz and Gabriel 1976).
const (
	eachOfSame  = 0.65
	eachOfOther = 0.5 // the trend is that of some of the points
)

// Codes of the warnings of a history.
const (
	warnFewForTrend = "too_few_for_trend"
	warnWandering   = "unreliable_trend" // a trend is given, and may be false
	warnFewAccepted = "too_short_a_history"
	warnUnreliable  = "unreliable_change_points" // none are given
	warnDependent   = "dependent_points"         // change points are given, and may be false
	warnFewPoints   = "too_few_for_change_points"
	warnOneValue    = "one_value_per_point"
)

// AnalyseHistory predicts the next point from the accepted ones ([stats.PredictMean]). It looks for changes of level
// among all of them from 20 points on ([stats.NewHistory]), and for a trend of the newest line from 8 on
// ([stats.NewTrend]). Both are corrected for each other, so that 5 % of histories without either show one. Change
// points are reported by the index of the first point of the new level among points.
func AnalyseHistory(points []HistoryPoint, o HistoryOptions) History {
	h := History{Prediction: undefined(scoring.DefaultConfidence, stats.MethodNextMean), NNext: o.Next}
	var accepted []stats.SampleMean
	var all []float64
	var index []int
	lines := map[string][]float64{}
	newest := ""
	for i, p := range points {
		if !p.exists() {
			continue
		}
		all, index = append(all, p.Mean), append(index, i)
		lines[p.Line], newest = append(lines[p.Line], p.Mean), p.Line
		if o.Next == 0 {
			h.NNext = p.N
		}
		if p.Accepted {
			accepted = append(accepted, stats.SampleMean{N: p.N, Mean: p.Mean, SD: p.SD})
		}
	}
	h.NAccepted, h.NPoints = len(accepted), len(all)
	h.predict(accepted, o)
	each := eachOfSame
	if len(lines[newest]) < len(all) {
		each = eachOfOther
	}
	h.findTrend(lines[newest])
	h.findChanges(all, index, each)
	h.correctTrend(each)
	return h
}

func (h *History) predict(accepted []stats.SampleMean, o HistoryOptions) {
	if len(accepted) < minAccepted {
		h.warn(warnFewAccepted, "%s: a prediction for the next one needs %d", format.Counted(len(accepted), "accepted point"), minAccepted)
		return
	}
	p, err := stats.PredictMean(accepted, h.NNext, scoring.DefaultConfidence)
	if errors.Is(err, stats.ErrTooFew) {
		h.warn(warnOneValue, "each accepted point has one value, which tells nothing of their spread: the prediction is for a point of one value, not of %d", h.NNext)
		h.NNext = 1
		p, err = stats.PredictMean(accepted, 1, scoring.DefaultConfidence)
	}
	if err != nil {
		return
	}
	if p.DFWithin > 0 {
		h.WithinSD = &p.Within
	}
	if h.Prediction = p.Interval; o.Scores {
		h.Prediction = cut(h.Prediction, 0, 1)
	}
	for _, w := range p.Warnings {
		h.warn(string(w), "all values of the %d accepted points are equal: nothing is known of the spread of the next one", h.NAccepted)
	}
}

// cut returns the part of an interval that is possible.
func cut(i stats.Interval, lo, hi float64) stats.Interval {
	if i.Defined() {
		i.Lo, i.Hi = min(max(i.Lo, lo), hi), max(min(i.Hi, hi), lo)
	}
	return i
}

// HistoryChange is the difference of the means of two points.
type HistoryChange struct {
	Value    float64        `json:"value"`
	Interval stats.Interval `json:"ci"` // Welch's; not defined if a point has one value, or if none differ
}

// ChangeBetween returns how the mean changed from one point to another; nil if one has none. The points count as
// independent: a paired comparison of equal seeds can show more.
func ChangeBetween(before, after HistoryPoint, o HistoryOptions) *HistoryChange {
	if !before.exists() || !after.exists() {
		return nil
	}
	c := HistoryChange{Value: after.Mean - before.Mean, Interval: stats.WelchInterval(before.summary(), after.summary(), scoring.DefaultConfidence)}
	if o.Scores {
		c.Interval = cut(c.Interval, -1, 1)
	}
	return &c
}

func (h *History) findTrend(line []float64) {
	t, err := stats.NewTrend(line, drawSeed)
	switch {
	case errors.Is(err, stats.ErrTooFew), errors.Is(err, stats.ErrEmpty):
		h.warn(warnFewForTrend, "trend not tested: %s with the newest one's parameters, and %d are needed", format.Counted(len(line), "point"), stats.TrendMinValues)
	case err == nil:
		h.Trend = &HistoryTrend{Trend: t}
	}
}

// correctTrend corrects the p of the trend for the test of changes of level, and warns of a trend that a level that
// wanders shows as well.
func (h *History) correctTrend(each float64) {
	t := h.Trend
	if t == nil {
		return
	}
	if t.PAdjusted = t.P; h.Searched {
		if t.PAdjusted = min(1, t.P/each); len(h.ChangePoints) > 0 {
			t.PAdjusted = min(t.PAdjusted, max(t.P, h.pOfChanges()/each))
		}
	}
	if t.Found = t.PAdjusted <= stats.HistoryMaxP; t.Found && t.Lag1 > stats.MaxLag1 && len(h.ChangePoints) == 0 {
		h.warn(warnWandering, "what the trend leaves has a lag-1 autocorrelation above %v: a level that wanders shows a trend too", stats.MaxLag1)
	}
}

// pOfChanges is the largest p of a change of level.
func (h *History) pOfChanges() (p float64) {
	for _, c := range h.ChangePoints {
		p = max(p, c.P)
	}
	return p
}

func (h *History) findChanges(all []float64, index []int, each float64) {
	maxP := stats.HistoryMaxP
	if h.Trend != nil && h.Trend.P > float64(each*maxP) {
		maxP = float64(maxP * each)
	}
	found, err := stats.NewHistory(all, maxP, drawSeed)
	switch {
	case errors.Is(err, stats.ErrTooFew), errors.Is(err, stats.ErrEmpty):
		h.warn(warnFewPoints, "change of level not tested: %s, and %d are needed", format.Counted(len(all), "point"), stats.HistoryMinValues)
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
		code := warnUnreliable
		if len(found.Points) > 0 {
			code = warnDependent
		}
		h.warn(code, "%s", w.Message())
	}
}

func (h *History) warn(code, format string, args ...any) {
	h.Warnings = append(h.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}
