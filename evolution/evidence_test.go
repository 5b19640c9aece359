package evolution_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"track/evolution"
)

func TestEvidenceIsRefused(t *testing.T) {
	for want, edit := range map[string]func(e *evolution.Evidence){
		"NaN":                   func(e *evolution.Evidence) { e.Child[1].Score = ptr(math.NaN()) },
		"+Inf":                  func(e *evolution.Evidence) { e.Child[1].Score = ptr(math.Inf(1)) },
		"-0.01 is not":          func(e *evolution.Evidence) { e.Parent[1].Score = ptr(-0.01) },
		"100.01 is not":         func(e *evolution.Evidence) { e.Parent[1].Score = ptr(100.01) },
		"that failed (timeout)": func(e *evolution.Evidence) { e.Child[0].Failed = "timeout" },
		"no reason":             func(e *evolution.Evidence) { e.Child[0].Score = nil },
		"id: empty":             func(e *evolution.Evidence) { e.Child[0].ID = "" },
		"is duplicated":         func(e *evolution.Evidence) { e.Child[0].ID = e.Parent[0].ID },
		"rubric/1":              func(e *evolution.Evidence) { e.Child[0].Under = "rubric/1" },
		"have no time":          func(e *evolution.Evidence) { e.Child[0].At = time.Time{} },
		"UTF-8":                 func(e *evolution.Evidence) { e.Child[0].Key = "\xff" },
		"every one":             func(e *evolution.Evidence) { e.Failures = "every one" },
	} {
		for _, name := range evolution.Policies() {
			e := pairs(1, 2, 3)
			edit(&e)
			_, err := evolution.Decide(policy(t, name, ""), e, drawn(t, true))
			if !errors.Is(err, evolution.ErrEvidence) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v", name, want, err)
			}
		}
	}
}

func TestDrawIsRefused(t *testing.T) {
	forged := drawn(t, false)
	forged.U = 0
	for name, d := range map[string]evolution.Draw{
		"none": {}, "forged": forged, "for an operator": evolution.NewDraw(evolution.DrawKey{Label: evolution.LabelOperator}),
	} {
		if _, err := evolution.Decide(policy(t, "threshold", ""), pairs(1), d); !errors.Is(err, evolution.ErrDraw) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of several trials of a task the oldest is paired with the oldest; trials without a key, or with one that the other
// side lacks, with none.
func TestPairing(t *testing.T) {
	e := evolution.Evidence{Child: trials("c", 61, 62, 63, 64, 65), Parent: trials("p", 50, 51, 52, 53)}
	for i, key := range []string{"a", "a", "b", "", "z"} {
		e.Child[i].Key = key
	}
	for i, key := range []string{"b", "a", "y", "a"} {
		e.Parent[i].Key = key
	}
	d := decide(t, policy(t, "confirm", `{"pairs":32}`), e)
	want := [][2]string{{"c000", "p001"}, {"c002", "p000"}, {"c001", "p003"}} // as they became complete
	for i, w := range want {
		if d.NPairs != 3 || d.UsedChild[i].ID != w[0] || d.UsedParent[i].ID != w[1] {
			t.Fatalf("%+v\n%+v", d.UsedChild, d.UsedParent)
		}
	}
	n := d.Need // one pair is missing, of which the parent has done half
	if n.Pairs != 1 || n.Child != 1 || n.Parent != 0 || !slices.Equal(n.ChildKeys, []string{"y"}) {
		t.Errorf("%+v", n)
	}
}

// Scores from 0 to 1 are not points of a hundred: a fall from 0.9 to 0.2 would count as nothing.
func TestUnitScoresAreRefused(t *testing.T) {
	e := evolution.Evidence{Child: trials("c", 0.2, 0.3), Parent: trials("p", 0.9, 1)}
	if _, err := evolution.Decide(policy(t, "greedy", ""), e, drawn(t, true)); !errors.Is(err, evolution.ErrUnitScores) || !errors.Is(err, evolution.ErrEvidence) {
		t.Error(err)
	}
	e.Child[0].Score = ptr(1.01)
	decide(t, policy(t, "greedy", ""), e)
	zeros := evolution.Evidence{Child: trials("c", 0, 0), Parent: trials("p", 0, 0)}
	decide(t, policy(t, "greedy", ""), zeros)
}

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
