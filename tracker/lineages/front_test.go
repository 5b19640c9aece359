package lineages_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/tracker/lineages"
)

// TestShowFront compares versions by the score and the cost of failed executions, by ground truth, and by two tasks.
func TestShowFront(t *testing.T) {
	t.Parallel()
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 50, 60, 55)
	l.Evolve("German", 70, 80, 75)
	ask := func(q answer.FrontQuestion) answer.LineageFront {
		t.Helper()
		a, err := lineages.ShowFront(t.Context(), l.Store.Reader, q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(answer.FrontQuestion{}); a.X.Name != "task:t1" || a.Y.Name != "task:t2" || a.NFront() != 1 || len(a.Items) != 2 || a.Items[0].Version != "v002" {
		t.Errorf("two tasks: %+v", a)
	}
	l.Evolve("Dutch", 20, 10, 15)
	if a := ask(answer.FrontQuestion{}); a.Chosen == "" || !strings.Contains(a.Chosen, "3 values in 3 versions") || !strings.Contains(fmt.Sprint(a.About()), "no version has two values of task:t1") {
		t.Errorf("why tasks: %q, %v", a.Chosen, a.About())
	}
	spend := func(version string, cost, truth float64) {
		l.Record(l.Execution(version, func(e *track.Execution) {
			took := time.Duration(cost * float64(time.Second))
			e.Status, e.Score, e.CostUSD, e.Duration, e.Truths = track.ExecutionError, nil, &cost, &took, map[string]float64{"recall": truth}
		}), false)
	}
	spend("v001", 1, 0.5)
	spend("v001", 3, 0.7)
	spend("v002", 4, 0.1)
	spend("v003", 3, 0.1)
	a := ask(answer.FrontQuestion{Lineage: "l"})
	if a.X.Name != "cost" || !a.X.Minimize || a.Y.Name != "score" || a.Y.Minimize || a.NWithout != 0 {
		t.Errorf("axes: %+v", a)
	}
	// v001 costs 2 and scores 55; v002 costs 4 and scores 75; v003 costs 3 and scores 15, which v001 beats in both.
	for i, want := range []answer.FrontVersion{{Version: "v002", Front: true, Active: true}, {Version: "v001", Front: true, Root: true}, {Version: "v003"}} {
		if v := a.Items[i]; v.Version != want.Version || v.Front != want.Front || v.Root != want.Root || v.Active != want.Active {
			t.Errorf("version %d is %+v, want %+v", i, v, want)
		}
	}
	if x := a.Items[1].X; x.Value != 2 || x.N != 2 || !x.Interval.Defined() || a.Items[0].X.Interval.Defined() {
		t.Errorf("costs: %+v", a.Items)
	}
	spend("v002", 4, 0.1)
	if x := ask(answer.FrontQuestion{Lineage: "l"}).Items[0].X; x.N != 2 || x.Interval.Defined() {
		t.Errorf("two equal costs have the interval %+v", x)
	}
	if a := ask(answer.FrontQuestion{X: "truth:recall"}); !a.X.Assumed || !strings.HasSuffix(a.X.Label(), ", more is better") || !strings.Contains(fmt.Sprint(a.Directions()), "more truth:recall is better, unless minimize names it") {
		t.Errorf("nobody said that more is better: %+v, %v", a.X, a.Directions())
	}
	if a := ask(answer.FrontQuestion{X: "truth:recall", Minimize: []string{"truth:recall"}}); a.X.Assumed || !a.X.Minimize {
		t.Errorf("less is better: %+v", a.X)
	}
	var names []string
	for _, o := range a.Objectives {
		names = append(names, o.Name)
	}
	if got := strings.Join(names, " "); got != "score cost duration truth:recall task:t1 task:t2 task:t3" {
		t.Errorf("objectives %s", got)
	}
	less := ask(answer.FrontQuestion{Lineage: "l", X: "truth:recall", Minimize: []string{"truth:recall"}})
	if more := ask(answer.FrontQuestion{Lineage: "l", X: "truth:recall"}); more.NFront() != 2 || less.NFront() != 1 {
		t.Errorf("recall: %d on the front if more is better, %d if less is", more.NFront(), less.NFront())
	}
	// Three more executions have ground truth and no costs, so ground truth has the most values.
	for range 3 {
		l.Record(l.Execution("v002", func(e *track.Execution) {
			e.Status, e.Score, e.Truths = track.ExecutionError, nil, map[string]float64{"recall": 0.2}
		}), false)
	}
	if a := ask(answer.FrontQuestion{}); a.X.Name != "truth:recall" || a.X.NValues != 8 || a.Y.Name != "score" || !strings.HasPrefix(a.Chosen, "truth:recall has 8 values in 3 versions with score; no other") {
		t.Errorf("the objective with the most values: %+v", a)
	}
	if a := ask(answer.FrontQuestion{X: "cost"}); a.Chosen != "" || a.Y.Name != "score" || strings.Contains(fmt.Sprint(a.About()), "no interval") {
		t.Errorf("axes that were asked for: %+v, %v", a, a.About())
	}
	for _, q := range []answer.FrontQuestion{{Lineage: "l", X: "nosuch"}, {Lineage: "l", X: "cost", Y: "cost"}} {
		if _, err := lineages.ShowFront(t.Context(), l.Store.Reader, q); !errors.Is(err, track.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
