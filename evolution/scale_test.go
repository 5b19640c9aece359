package evolution_test

import (
	"errors"
	"testing"

	"track/evolution"
)

// trialsOf returns trials with these scores.
func trialsOf(side string, scores ...float64) (list []evolution.Trial) {
	for i, score := range scores {
		list = append(list, evolution.Trial{ID: side + string(rune('a'+i)), Score: &score, Under: "own"})
	}
	return list
}

// Scores of another scale are judged in points, and reported as they are.
func TestScale(t *testing.T) {
	threshold := evolution.Threshold{Significant: 5, Explore: -3, ExploreP: 0.2}
	for _, c := range []struct {
		name          string
		scale         evolution.Scale
		child, parent float64
		accepted      bool
		delta         float64
	}{
		{"points", evolution.Scale{Points: 100}, 1.00037, 0.96, true, 4.037},
		{"worse", evolution.Scale{Points: 100}, -0.45, 0.96, false, -141},
		{"less is better", evolution.Scale{Points: 1, Minimize: true}, 12.5, 21.1, true, 8.6},
		{"more is worse", evolution.Scale{Points: 1, Minimize: true}, 21.1, 12.5, false, -8.6},
	} {
		scale := c.scale
		e := evolution.Evidence{Child: trialsOf("c", c.child, c.child, c.child), Parent: trialsOf("p", c.parent, c.parent, c.parent), Scale: &scale}
		d, err := evolution.Decide(threshold, e, drawn(t, false))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if d.Accepted != c.accepted || *d.Delta != c.delta || *d.NewScore != c.child || *d.OldScore != c.parent || d.UsedChild[0].Score != c.child {
			t.Errorf("%s: accepted %v, delta %v, %v after %v", c.name, d.Accepted, *d.Delta, *d.NewScore, *d.OldScore)
		}
		record, err := evolution.NewRecord(threshold, e, drawn(t, false))
		if err != nil {
			t.Fatal(err)
		}
		if differences := evolution.Replay(record); len(differences) > 0 {
			t.Errorf("%s: %v", c.name, differences)
		}
	}
}

// Without points, only a policy that has no parameter in points decides; the others say which parameters are points.
func TestScaleWithoutPoints(t *testing.T) {
	e := evolution.Evidence{Child: trialsOf("c", -2.5), Parent: trialsOf("p", -21.1), Scale: &evolution.Scale{}}
	for _, name := range evolution.Policies() {
		p, err := evolution.DefaultPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = evolution.Decide(p, e, drawn(t, false))
		if points, found := errors.AsType[*evolution.PointsError](err); found != (name != "greedy") || found && len(points.Params) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.Scale = nil
	if _, err := evolution.Decide(evolution.Greedy{}, e, drawn(t, false)); !errors.Is(err, evolution.ErrEvidence) {
		t.Errorf("below 0 on the scale of a rubric: %v", err)
	}
}
