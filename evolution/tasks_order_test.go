package evolution_test

import (
	"fmt"
	"slices"
	"testing"

	"track/evolution"
)

// All tasks come round: after any number of mutations that use the first ones of their order, no task was used twice
// more than another. The order depends on the draw, and on nothing but it and the counts.
func TestTasksComeRound(t *testing.T) {
	var tasks []string
	for i := range 20 {
		tasks = append(tasks, fmt.Sprintf("t%02d", i))
	}
	used, orders := evolution.TaskCounts{}, map[string]bool{}
	for i := range 60 {
		draw := evolution.NewDraw(evolution.DrawKey{Seed: 7, Lineage: "l", Mutation: fmt.Sprint("m", i), Label: evolution.LabelTasks})
		order := evolution.NewTaskOrder(tasks, used, draw)
		if again := evolution.NewTaskOrder(tasks, used, draw); !slices.Equal(again.Tasks, order.Tasks) {
			t.Fatal("another order by the same draw")
		}
		orders[order.Tasks[0]] = true
		for pair := 1; pair <= 3; pair++ {
			used[order.Task(pair)]++
		}
		least, most := 60, 0
		for _, task := range tasks {
			least, most = min(least, used[task]), max(most, used[task])
		}
		if most > least+1 {
			t.Fatalf("after %d mutations: %v", i+1, used)
		}
	}
	if len(orders) < 10 {
		t.Errorf("only %d tasks ever came first", len(orders))
	}
}

// The sides take turns in who comes first, and the draw says who begins.
func TestSidesAlternate(t *testing.T) {
	for _, u := range []float64{0.1, 0.9} {
		o := evolution.TaskOrder{Draw: evolution.Draw{U: u}, Tasks: []string{"a", "b", "c"}}
		var first []bool
		for pair := 1; pair <= 4; pair++ {
			first = append(first, o.ParentFirst(pair))
		}
		if want := []bool{u > 0.5, u < 0.5, u > 0.5, u < 0.5}; !slices.Equal(first, want) || o.Task(4) != "a" {
			t.Errorf("u %v: %v, pair 4 on %s", u, first, o.Task(4))
		}
	}
}
