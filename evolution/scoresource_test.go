package evolution_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"track/evolution"
)

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
