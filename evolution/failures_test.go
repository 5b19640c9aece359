package evolution_test

import (
	"testing"
	"time"

	"track/evolution"
)

// A failed trial counts as the worst end of the scale; without ends, as worse than any score.
func TestFailuresCountAsWorst(t *testing.T) {
	bounded, err := evolution.BoundedScale(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	less, err := evolution.BoundedScale(-1, 3)
	if err != nil {
		t.Fatal(err)
	}
	less.Minimize = true
	trials := []evolution.Trial{{ID: "a", Score: ptr(0.6)}, {ID: "b", Score: ptr(0.8)}, {ID: "c", Failed: "timeout"}}
	for name, c := range map[string]struct {
		rule  evolution.FailureRule
		scale *evolution.Scale
		want  *float64
	}{
		"0 to 100":          {"", nil, ptr(0.0)},
		"0 to 1":            {evolution.FailuresAsWorst, bounded, ptr(0.0)},
		"less is better":    {"", less, ptr(3.0)},
		"without ends":      {"", &evolution.Scale{Points: 100}, ptr(0.0)},
		"least is the best": {"", &evolution.Scale{Minimize: true}, ptr(1.6)},
		"excluded":          {evolution.FailuresExclude, bounded, nil},
	} {
		got := c.rule.Worst(c.scale, trials)
		if (got == nil) != (c.want == nil) || got != nil && (*got-*c.want > 1e-9 || *c.want-*got > 1e-9) {
			t.Errorf("%s: %v", name, got)
		}
		last := evolution.WithFailures(trials, got)[2]
		if last.Score != got || last.Failed != "timeout" || trials[2].Score != nil {
			t.Errorf("%s: %+v", name, last)
		}
	}
	for _, ends := range [][2]float64{{1, 1}, {2, 1}} {
		if _, err := evolution.BoundedScale(ends[0], ends[1]); err == nil {
			t.Errorf("%v is a scale", ends)
		}
	}
}

// A level that moves is found task by task, however the tasks differ and are ordered.
func TestLevelShift(t *testing.T) {
	var trials []evolution.Trial
	add := func(round int, task string, score float64) {
		trials = append(trials, evolution.Trial{
			ID: task + string(rune('a'+round)), Key: task, At: time.Unix(int64(len(trials)), 0), Score: &score,
		})
	}
	for round, level := range []float64{0, 3} { // easy tasks first, then hard ones
		for i, task := range []string{"t1", "t2", "t3", "t4"} {
			add(round, task, 90-20*float64(i)+level+float64((i+round)%2)/4)
		}
	}
	s, err := evolution.NewLevelShift(trials, nil, 0.95)
	if err != nil || !s.Moved() || s.Tasks != 4 || s.N != 8 || s.Mean < 2.7 || s.Mean > 3.3 {
		t.Errorf("%v %+v", err, s)
	}
	s, err = evolution.NewLevelShift(trials[:4], nil, 0.95)
	if err != nil || s != nil || s.Moved() {
		t.Errorf("one round of tasks of different difficulty: %v %+v", err, s)
	}
}
