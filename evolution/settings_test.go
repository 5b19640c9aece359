package evolution_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"track/evolution"
)

// Settings are checked, compared but for their number, and copied whole.
func TestSettings(t *testing.T) {
	s := evolution.DefaultSettings()
	if err := s.Validate(); err != nil || s.Number != 1 || s.Policy != "confirm" {
		t.Fatalf("%v %+v", err, s)
	}
	other := s.Clone()
	if other.Number = 9; !s.Equal(other) {
		t.Error("the number makes a difference")
	}
	for name, c := range map[string]struct {
		edit  func(*evolution.Settings)
		wrong string // what Validate says; empty for nothing
	}{
		"policy":       {func(s *evolution.Settings) { s.Policy = "coin" }, `unknown policy "coin"`},
		"params":       {func(s *evolution.Settings) { s.Params = []byte(`{"marginal":9}`) }, "marginal"},
		"no operator":  {func(s *evolution.Settings) { s.Operators = nil }, "no operator"},
		"operators":    {func(s *evolution.Settings) { s.Operators[1].Name = s.Operators[0].Name }, "is duplicated"},
		"risk":         {func(s *evolution.Settings) { s.Operators[0].Risk = "low" }, "LOW, MEDIUM or HIGH"},
		"loop":         {func(s *evolution.Settings) { s.Loop.Interval = 0 }, "interval"},
		"pattern":      {func(s *evolution.Settings) { s.Loop.Forbidden[0] = "(" }, "forbidden_patterns[0]"},
		"rollback":     {func(s *evolution.Settings) { s.Rollback.BestShare = 2 }, "best_share"},
		"other policy": {func(s *evolution.Settings) { s.Policy, s.Params = "greedy", []byte(`{"eps":0}`) }, ""},
		"score":        {func(s *evolution.Settings) { s.ScoreFrom = "own" }, ""},
		"frozen":       {func(s *evolution.Settings) { s.Loop.Frozen = true }, ""},
		"other risk":   {func(s *evolution.Settings) { s.Operators[0].Risk = evolution.High }, ""},
		"no pattern":   {func(s *evolution.Settings) { s.Loop.Forbidden = s.Loop.Forbidden[:0] }, ""},
		"params byte":  {func(s *evolution.Settings) { s.Params[len(s.Params)-3] = '2' }, ""},
	} {
		edited := s.Clone()
		c.edit(&edited)
		if err := edited.Validate(); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", name, err, c.wrong)
		}
		if s.Equal(edited) || edited.Equal(s) {
			t.Errorf("%s makes no difference", name)
		}
		if asJSON(t, s) != asJSON(t, evolution.DefaultSettings()) {
			t.Fatalf("%s: the copy shares something", name)
		}
	}
}

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

func TestParseScoreSource(t *testing.T) {
	for text, want := range map[string]string{
		"rubric": "rubric/2", "rubric/1": "rubric/1", "own": "own", "active": "", "": "", "truth:reward": "truth:reward", "truth:a@b": "truth:a@b",
		"component:efficiency": "component:efficiency@rubric/2", "component:efficiency@rubric/1": "component:efficiency@rubric/1", "judge:m@0a": "judge:m@0a",
		"truth:": "!names no", "component:nosuch": "!has no such component: use tool_success_rate", "component:efficiency@rubric/9": "!rubric/9", "judge:m": "!use judge:MODEL@HASH",
		"judge:@0a": "!use judge:MODEL@HASH", "gut": "!use rubric/1, rubric/2, own, truth:NAME",
	} {
		got, err := evolution.ParseScoreSource(text)
		if refuse, wrong := strings.CutPrefix(want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), refuse) {
				t.Errorf("%q: %v, want %s", text, err, refuse)
			}
		} else if err != nil || string(got) != want {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}

// Only labels and components, which are 0 to 1, are multiplied, and only on a scale of 0 to 100.
func TestTimes(t *testing.T) {
	ten, nan := 10.0, math.NaN()
	for _, c := range []struct {
		from   evolution.ScoreSource
		times  *float64
		scale  *evolution.Scale
		want   float64
		refuse string
	}{
		{"", nil, nil, 1, ""}, {"own", nil, nil, 1, ""}, {"truth:r", nil, nil, 100, ""}, {"component:efficiency@rubric/2", nil, nil, 100, ""},
		{"truth:r", nil, &evolution.Scale{}, 1, ""}, {"truth:r", &ten, nil, 10, ""}, {"own", &ten, nil, 10, "only ground-truth labels and components"}, {"truth:r", &nan, nil, nan, "NaN"},
	} {
		s := evolution.DefaultSettings()
		s.ScoreFrom, s.ScoreTimes, s.Scale = c.from, c.times, c.scale
		if got := s.Times(); got != c.want && !math.IsNaN(c.want) {
			t.Errorf("%+v: %v", c, got)
		}
		if err := s.Validate(); (err == nil) != (c.refuse == "") || err != nil && !strings.Contains(err.Error(), c.refuse) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A share of the tasks is chosen by their names alone; the number of 10,000 names has a standard deviation of 40.
func TestHoldout(t *testing.T) {
	var none *evolution.Holdout
	h := none.With("b", "a", "b")
	h.Share = 0.2
	n := 0
	for i := range 10_000 {
		if h.Has(fmt.Sprint("task ", i)) {
			n++
		}
	}
	if n < 1840 || n > 2160 {
		t.Errorf("%d of 10000", n)
	}
	if !h.Has("a") || !h.Has("b") || h.Has("") || none.Has("a") || strings.Join(h.Tasks, " ") != "a b" {
		t.Errorf("%+v", h)
	}
	s := evolution.DefaultSettings()
	for _, wrong := range []evolution.Holdout{{Share: 1}, {Share: math.NaN()}, {Tasks: []string{"b", "a"}}, {Tasks: []string{"a", "a"}}, {Tasks: []string{""}}} {
		if s.Holdout = &wrong; s.Validate() == nil {
			t.Errorf("%+v", wrong)
		}
	}
}

// Whoever forges the kind of a decision's scores, or adds evidence of a holdout task, and makes all hashes good, is
// found.
func TestReplayChecksScores(t *testing.T) {
	entries, _ := wholeLedger(t)
	for i, e := range entries {
		var r evolution.Record
		if e.Kind != evolution.KindDecision || e.Decode(&r) != nil {
			continue
		}
		for field, edit := range map[string]func(*evolution.Record){
			"score.from":  func(r *evolution.Record) { r.Score.From = "own!" },
			"score.times": func(r *evolution.Record) { r.Score.Times = 100 },
		} {
			forged := r
			edit(&forged)
			e.Body = []byte(asJSON(t, forged))
			list, end := rehash(t, with(entries, i, e))
			if !naming(evolution.ReplayLedger(list, end).Differences, e.Number, field) {
				t.Errorf("entry %d: %s", e.Number, field)
			}
		}
		return
	}
	t.Fatal("no decision")
}
