package verdict_test

import (
	"strings"
	"testing"

	"track/scoring/verdict"
)

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
