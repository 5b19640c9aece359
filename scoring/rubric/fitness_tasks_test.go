package rubric

import (
	"fmt"
	"math"
	"testing"
	"time"
)

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
