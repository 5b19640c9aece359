package evolution_test

import (
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
