package rubric

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
	"track/scoring/stats"
)

func trial(task string, success bool, score float64) Trial {
	return Trial{Task: task, Success: success, Score: score}
}

func checkTruth(t rapid.TB, trials []Trial) Check {
	t.Helper()
	r, err := ByName(V2)
	if err != nil {
		t.Fatal(err)
	}
	check, err := CheckTruth(r, trials, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if len(check.Separations) != 1+len(r.Parts) || check.Separations[0].Name != "score" {
		t.Fatalf("%+v", check.Separations)
	}
	return check
}

func TestCheckTruth(t *testing.T) {
	half, whole := 0.5, 1.0
	trials := []Trial{
		trial("a", true, 80), trial("a", false, 60), trial("a", true, 70), // mean 70, squares 100 + 100 + 0, differences 20, 10, 10
		trial("b", false, 70), trial("b", false, 50), // mean 60, squares 200, difference 20
		trial("c", true, 90), trial("", false, 10), trial("", false, 10), // no pairs
	}
	trials[0].Components = map[string]*float64{Efficiency: &whole, toolSuccessRate: nil}
	trials[1].Components = map[string]*float64{Efficiency: &half}
	trials[3].Components = map[string]*float64{Efficiency: &half}
	c := checkTruth(t, trials)
	if c.NTrials != 8 || c.NSuccess != 3 || c.NTasks != 2 || c.NPairs != 4 {
		t.Errorf("%d trials, %d successes, %d tasks, %d pairs, want 8, 3, 2 and 4", c.NTrials, c.NSuccess, c.NTasks, c.NPairs)
	}
	// Within: 400 over (3-1) + (2-1) degrees of freedom. Between: the means 70 and 60. Differences: 60 over 4 pairs.
	for name, x := range map[string][2]float64{
		"within": {c.WithinSD, math.Sqrt(400.0 / 3)}, "between": {c.BetweenSD, math.Sqrt(50)}, "difference": {c.MeanAbsDifference, 15},
		// 80, 70, 90 against 60, 70, 50, 10, 10: of 15 pairs 80 and 90 win all 10, 70 wins 4 and ties with one.
		"auc": {c.Separations[0].AUC.Value, 14.5 / 15}, "mean of successes": {c.Separations[0].Success, 80}, "mean of failures": {c.Separations[0].Failure, 40},
	} {
		if !near(x[0], x[1]) {
			t.Errorf("%s: %v, want %v", name, x[0], x[1])
		}
	}
	for _, s := range c.Separations[1:] {
		switch s.Name {
		case Efficiency:
			if s.NSuccess != 1 || s.NFailure != 2 || s.AUC.Value != 1 || math.IsNaN(s.AUC.Value) || s.AUC.Interval.Defined() {
				t.Errorf("efficiency: %+v", s)
			}
		default:
			if s.NSuccess+s.NFailure != 0 || !math.IsNaN(s.AUC.Value) || !math.IsNaN(s.Success) {
				t.Errorf("%s: %+v, want nothing", s.Name, s)
			}
		}
	}
}

// Trials of one task under two versions of the agent differ for a reason.
func TestCheckTruthVersions(t *testing.T) {
	trials := []Trial{trial("a", true, 80), trial("a", false, 60), trial("a", true, 20)}
	trials[2].Version = "v2"
	if c := checkTruth(t, trials); c.NTasks != 1 || c.NPairs != 1 || c.MeanAbsDifference != 20 || !math.IsNaN(c.BetweenSD) {
		t.Errorf("%+v, want one pair that differs by 20", c)
	}
}

func TestCheckTruthOfLittle(t *testing.T) {
	for name, trials := range map[string][]Trial{
		"nothing": nil, "no failure": {trial("a", true, 50), trial("b", true, 60)}, "no success": {trial("a", false, 50), trial("b", false, 60)},
	} {
		c := checkTruth(t, trials)
		if c.NTasks != 0 || c.NPairs != 0 || !math.IsNaN(c.WithinSD) || !math.IsNaN(c.MeanAbsDifference) || !math.IsNaN(c.BetweenSD) {
			t.Errorf("%s: %+v, want no pairs", name, c)
		}
		if s := c.Separations[0]; !math.IsNaN(s.AUC.Value) || s.NSuccess+s.NFailure != len(trials) {
			t.Errorf("%s: %+v, want nothing measured", name, s)
		}
	}
	r, err := ByName(V2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CheckTruth(r, []Trial{trial("", true, 1), trial("", false, 2)}, 1); err == nil {
		t.Error("a confidence of 1 is accepted")
	}
}

// Calling successes failures mirrors how well each number separates them, and leaves the noise as it is.
func TestCheckTruthMirrored(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		trials := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Trial {
			x := trial(fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "task")), rapid.Bool().Draw(t, "success"), float64(rapid.IntRange(0, 20).Draw(t, "score")))
			if rapid.Bool().Draw(t, "measured") {
				efficiency := rapid.Float64Range(0, 1).Draw(t, "efficiency")
				x.Components = map[string]*float64{Efficiency: &efficiency}
			}
			return x
		}), 0, 30).Draw(t, "trials")
		c := checkTruth(t, trials)
		for i := range trials {
			trials[i].Success = !trials[i].Success
		}
		m := checkTruth(t, trials)
		if m.NSuccess != c.NTrials-c.NSuccess || m.NPairs != c.NPairs || c.NPairs > 0 && (m.WithinSD != c.WithinSD || m.MeanAbsDifference != c.MeanAbsDifference) {
			t.Fatalf("%+v against %+v", m, c)
		}
		for i, s := range c.Separations {
			o := m.Separations[i]
			if math.IsNaN(s.AUC.Value) != math.IsNaN(o.AUC.Value) || s.NSuccess != o.NFailure || !math.IsNaN(s.AUC.Value) && (!near(o.AUC.Value, 1-s.AUC.Value) || !mirrored(s.AUC.Interval, o.AUC.Interval)) {
				t.Fatalf("%s: %+v against %+v", s.Name, s, o)
			}
		}
	})
}

func mirrored(a, b stats.Interval) bool {
	return a.Defined() == b.Defined() && (!a.Defined() || near(a.Lo, 1-b.Hi) && near(a.Hi, 1-b.Lo))
}
