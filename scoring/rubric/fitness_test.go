package rubric

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"track/scoring/stats"
)

// scored are executions with these scores, newest first, one hour apart, with ids e0, e1, ….
func scored(values ...float64) []ScoredExecution {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var list []ScoredExecution
	for i, v := range values {
		list = append(list, ScoredExecution{
			ID: fmt.Sprintf("e%d", i), At: now.Add(-time.Duration(i) * time.Hour), Score: Score{Rubric: V2, Value: v, Defined: true},
		})
	}
	return list
}

func used(f FitnessResult) string {
	var list []string
	for _, u := range f.Used {
		list = append(list, fmt.Sprintf("%s·%v", u.ID, u.Weight))
	}
	return strings.Join(list, " ")
}

func TestFitness(t *testing.T) {
	for _, c := range []struct {
		name         string
		values       []float64
		want         float64
		used         string
		worst, best  string
		old          string
		effectiveN   float64
		warnings     []stats.Warning
		intervalHalf float64 // 0 for none
	}{
		{
			name: "one", values: []float64{80}, want: 80, used: "e0·1", effectiveN: 1,
			warnings: []stats.Warning{stats.WarnSmallN, stats.WarnUntrimmed},
		},
		{ // (1·90 + 0.9·70)/1.9; t(.975, 1) = 12.706 times s/√2 = 10
			name: "two", values: []float64{90, 70}, want: 153 / 1.9, used: "e0·1 e1·0.9", effectiveN: 1.9 * 1.9 / 1.81,
			warnings: []stats.Warning{stats.WarnSmallN, stats.WarnUntrimmed}, intervalHalf: 127.0620473617471,
		},
		{ // Σw = 4, Σw² = 1 + .81 + .64 + .49 + .36 = 3.3; (90 + 72 + 56 + 42 + 30)/4; s = 15.811, t(.975, 4) = 2.7764
			name: "five", values: []float64{90, 80, 70, 60, 50}, want: 72.5, used: "e0·1 e1·0.9 e2·0.8 e3·0.7 e4·0.6", effectiveN: 16 / 3.3,
			warnings: []stats.Warning{stats.WarnUntrimmed}, intervalHalf: 19.632432872854,
		},
		{
			name: "nine trim none", values: []float64{0, 50, 50, 50, 50, 50, 50, 50, 100}, want: 37.5, used: "e0·1 e1·0.9 e2·0.8 e3·0.7 e4·0.6",
			old: "e5 e6 e7 e8", effectiveN: 16 / 3.3, warnings: []stats.Warning{stats.WarnUntrimmed}, intervalHalf: 27.7644510519779,
		},
		{ // the newest is the worst, the oldest the best
			name: "ten trim one each", values: []float64{0, 60, 50, 50, 50, 50, 50, 50, 50, 100}, want: 52.5, used: "e1·1 e2·0.9 e3·0.8 e4·0.7 e5·0.6",
			worst: "e0", best: "e9", old: "e6 e7 e8", effectiveN: 16 / 3.3, intervalHalf: 5.55289,
		},
		{ // equal scores: the oldest goes from below, the newest from above
			name: "ties", values: []float64{70, 70, 70, 70, 70, 70, 70, 70, 70, 70}, want: 70, used: "e1·1 e2·0.9 e3·0.8 e4·0.7 e5·0.6",
			worst: "e9", best: "e0", old: "e6 e7 e8", effectiveN: 16 / 3.3, warnings: []stats.Warning{stats.WarnZeroVariance},
		},
	} {
		f, err := Fitness(scored(c.values...), FitnessOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if math.Abs(f.Value-c.want) > 1e-9 || used(f) != c.used || f.N != len(c.values) || math.Abs(f.EffectiveN-c.effectiveN) > 1e-12 {
			t.Errorf("%s: %v from %s of %d, effective n %v", c.name, f.Value, used(f), f.N, f.EffectiveN)
		}
		for what, pair := range map[string][2]string{
			"worst": {strings.Join(f.TrimmedWorst, " "), c.worst}, "best": {strings.Join(f.TrimmedBest, " "), c.best}, "too old": {strings.Join(f.TooOld, " "), c.old},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s %q, want %q", c.name, what, pair[0], pair[1])
			}
		}
		if !slices.Equal(f.Warnings, c.warnings) {
			t.Errorf("%s: warns %v, want %v", c.name, f.Warnings, c.warnings)
		}
		if f.Grade != GradeOf(f.Value) || f.Rubric != V2 || f.Mean.N != len(f.Used) {
			t.Errorf("%s: %+v", c.name, f)
		}
		i := f.Mean.Interval
		if i.Defined() != (f.N > 1) || i.Method != stats.MethodT || i.Defined() && math.Abs((i.Hi-i.Lo)/2-c.intervalHalf) > 1e-4 {
			t.Errorf("%s: interval %+v, want ± %v", c.name, i, c.intervalHalf)
		}
	}
}

// TestFitnessOrder: the order of the list does not matter where there are times; equal times are in the order of ids.
func TestFitnessOrder(t *testing.T) {
	list := scored(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 50, 50)
	for i := range list[:4] {
		list[i].At = list[0].At
	}
	want, err := Fitness(list, FitnessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Used[0].ID != "e3" { // e0, the worst, is trimmed; of those of one time the greatest id is newest
		t.Errorf("used %s", used(want))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		got, err := Fitness(list, FitnessOptions{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v\n%+v", err, got, want)
		}
	}
	untimed := scored(10, 20, 30)
	for i := range untimed {
		untimed[i].At = time.Time{}
	}
	if f, err := Fitness(untimed, FitnessOptions{}); err != nil || used(f) != "e0·1 e1·0.9 e2·0.8" {
		t.Errorf("%v: %s", err, used(f))
	}
}

func TestFitnessRefuses(t *testing.T) {
	change := func(f func([]ScoredExecution)) []ScoredExecution {
		list := scored(10, 20, 30)
		f(list)
		return list
	}
	for _, c := range []struct {
		name string
		list []ScoredExecution
		o    FitnessOptions
		want error // nil for any
	}{
		{"none", nil, FitnessOptions{}, ErrNoScores},
		{"none with a score", change(func(l []ScoredExecution) {
			for i := range l {
				l[i].Score.Defined = false
			}
		}), FitnessOptions{}, ErrNoScores},
		{"mixed rubrics", change(func(l []ScoredExecution) { l[1].Score.Rubric = v1 }), FitnessOptions{}, errMixedRubrics},
		{"NaN", change(func(l []ScoredExecution) { l[1].Score.Value = math.NaN() }), FitnessOptions{}, nil},
		{"101", change(func(l []ScoredExecution) { l[1].Score.Value = 101 }), FitnessOptions{}, nil},
		{"an id twice", change(func(l []ScoredExecution) { l[1].ID = "e0" }), FitnessOptions{}, nil},
		{"one time missing", change(func(l []ScoredExecution) { l[1].At = time.Time{} }), FitnessOptions{}, nil},
		{"cut of a half", scored(1), FitnessOptions{Cut: ptr(0.5)}, stats.ErrBadParam},
		{"weight 0", scored(1), FitnessOptions{Weights: []float64{0}}, stats.ErrBadParam},
		{"confidence", scored(1), FitnessOptions{Confidence: 95}, stats.ErrBadParam},
	} {
		f, err := Fitness(c.list, c.o)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || f.Value != 0 {
			t.Errorf("%s: %v %v", c.name, f.Value, err)
		}
	}
}

// TestFitnessOfPartlyScored: an execution without a score is a status, never a 0; a component counts where it was
// measured.
func TestFitnessOfPartlyScored(t *testing.T) {
	list := scored(80, 60, 0)
	list[2].Score = Score{Rubric: V2}
	list[0].Score.Components = []Component{{Name: "a", Value: ptr(0.5)}, {Name: "b"}}
	list[1].Score.Components = []Component{{Name: "a", Value: ptr(1.0)}, {Name: "b"}}
	f, err := Fitness(list, FitnessOptions{})
	if err != nil || f.N != 2 || !slices.Equal(f.NotScored, []string{"e2"}) {
		t.Fatalf("%v %+v", err, f)
	}
	if a := f.Components[0]; a.Name != "a" || a.N != 2 || !near(*a.Mean, (0.5+0.9)/1.9) {
		t.Errorf("%+v", a)
	}
	if b := f.Components[1]; b.Name != "b" || b.N != 0 || b.Mean != nil {
		t.Errorf("%+v", b)
	}
	f, err = Fitness(scored(80, 60, 10), FitnessOptions{Weights: []float64{1, 1}})
	if err != nil || f.Value != 70 || f.EffectiveN != 2 || !slices.Equal(f.TooOld, []string{"e2"}) {
		t.Errorf("%v %+v", err, f)
	}
}

// Task a has the scores 10 and 30, b 80, c 0: the mean is (20 + 80 + 0)/3, whatever the order in time. The weights are
// 1/2, 1/2, 1 and 1, so that the effective n is 3²/2.5. The interval is that of 20, 80 and 0: s = 41.633, t(.975, 2) =
// 4.3027.
func TestFitnessByTask(t *testing.T) {
	list := []ScoredExecution{}
	for i, e := range []struct {
		task  string
		score float64
	}{{"c", 0}, {"a", 30}, {"b", 80}, {"a", 10}} {
		at := time.Date(2026, 1, 1, 0, 0, -i, 0, time.UTC)
		list = append(list, ScoredExecution{ID: fmt.Sprint("e", i), At: at, Task: e.task, Score: Score{Rubric: "own", Value: e.score, Defined: true}})
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	f, err := Fitness(list, FitnessOptions{ByTask: true})
	if err != nil {
		t.Fatal(err)
	}
	if !near(f.Value, 100.0/3) || f.Measure != ByTask || f.NTasks != 3 || f.N != 4 || !near(f.EffectiveN, 3.6) || used(f) != "e0·1 e1·0.5 e2·1 e3·0.5" {
		t.Errorf("%+v", f)
	}
	if i := f.Mean.Interval; f.Mean.N != 3 || !near(f.Mean.Mean, 100.0/3) || math.Abs(i.Hi-f.Mean.Mean-4.302652729*41.633319989/math.Sqrt(3)) > 1e-6 {
		t.Errorf("mean %+v", f.Mean)
	}
	newest, err := Fitness(list, FitnessOptions{})
	if err != nil || newest.Measure != byRecency || newest.NTasks != 3 || !near(newest.Value, (0+0.9*30+0.8*80+0.7*10)/3.4) {
		t.Errorf("by recency: %+v, %v", newest, err)
	}
	list[1].Task = ""
	mixed, err := Fitness(list, FitnessOptions{ByTask: true})
	if err != nil || mixed.Measure != byRecency || mixed.NTasks != 0 {
		t.Errorf("one without a task: %+v, %v", mixed, err)
	}
	for i := range list {
		list[i].Task = "a"
	}
	same, err := Fitness(list, FitnessOptions{ByTask: true})
	if err != nil || same.Measure != byRecency || same.NTasks != 1 || !near(same.Value, newest.Value) {
		t.Errorf("of one task: %+v, %v", same, err)
	}
}
