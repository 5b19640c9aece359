package evolution_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"track/evolution"
)

// mutateDraw has a u below 0.8, or above.
func mutateDraw(t *testing.T, yes bool) evolution.Draw {
	t.Helper()
	for seed := range uint64(100) {
		if d := evolution.NewDraw(evolution.DrawKey{Seed: seed, Label: evolution.LabelMutate}); (d.U < 0.8) == yes {
			return d
		}
	}
	t.Fatal("no such draw")
	return evolution.Draw{}
}

func TestMayMutate(t *testing.T) {
	free := evolution.LoopState{SinceConsidered: 3, SinceMutation: 3, SinceRollback: -1, Scores: []float64{60, 70, 80}}
	mutations := func(n int, age time.Duration, risk evolution.Risk) (list []evolution.PastMutation) {
		for range n {
			list = append(list, evolution.PastMutation{At: epoch.Add(-age), Risk: risk})
		}
		return list
	}
	for name, c := range map[string]struct {
		edit func(s *evolution.LoopSettings, l *evolution.LoopState)
		no   bool // the draw says no
		hold evolution.Hold
	}{
		"free": {func(*evolution.LoopSettings, *evolution.LoopState) {}, false, evolution.HoldNone},
		"new lineage": {func(_ *evolution.LoopSettings, l *evolution.LoopState) {
			*l = evolution.LoopState{SinceConsidered: -1, SinceMutation: -1, SinceRollback: -1}
		}, false, evolution.HoldNone},
		"the draw says no":   {func(*evolution.LoopSettings, *evolution.LoopState) {}, true, evolution.HoldRate},
		"rate 1":             {func(s *evolution.LoopSettings, _ *evolution.LoopState) { s.MutationRate = 1 }, true, evolution.HoldNone},
		"rate 0":             {func(s *evolution.LoopSettings, _ *evolution.LoopState) { s.MutationRate = 0 }, false, evolution.HoldRate},
		"frozen":             {func(s *evolution.LoopSettings, _ *evolution.LoopState) { s.Frozen = true }, false, evolution.HoldFrozen},
		"2 executions since": {func(_ *evolution.LoopSettings, l *evolution.LoopState) { l.SinceConsidered = 2 }, false, evolution.HoldInterval},
		"2 since mutation":   {func(_ *evolution.LoopSettings, l *evolution.LoopState) { l.SinceMutation = 2 }, false, evolution.HoldBetween},
		"4 since rollback":   {func(_ *evolution.LoopSettings, l *evolution.LoopState) { l.SinceRollback = 4 }, false, evolution.HoldCooldown},
		"5 since rollback":   {func(_ *evolution.LoopSettings, l *evolution.LoopState) { l.SinceRollback = 5 }, false, evolution.HoldNone},
		"stable":             {func(_ *evolution.LoopSettings, l *evolution.LoopState) { l.Scores = []float64{90, 91, 92} }, false, evolution.HoldStable},
		"9 in a day": {func(_ *evolution.LoopSettings, l *evolution.LoopState) {
			l.Mutations = mutations(9, time.Hour, evolution.Low)
		}, false, evolution.HoldNone},
		"10 in a day": {func(_ *evolution.LoopSettings, l *evolution.LoopState) {
			l.Mutations = mutations(10, 23*time.Hour, evolution.Low)
		}, false, evolution.HoldDay},
		"10 the day before": {func(_ *evolution.LoopSettings, l *evolution.LoopState) {
			l.Mutations = mutations(10, 24*time.Hour, evolution.Low)
		}, false, evolution.HoldNone},
	} {
		settings, state := evolution.DefaultLoopSettings(), free
		c.edit(&settings, &state)
		p, err := settings.MayMutate(state, epoch, mutateDraw(t, !c.no))
		if err != nil || p.Hold != c.hold || p.Mutate != (c.hold == evolution.HoldNone) || p.Reason == "" {
			t.Errorf("%s: %v %+v", name, err, p)
		}
		if considered := c.hold == evolution.HoldNone || c.hold == evolution.HoldRate; p.DrawUsed != considered {
			t.Errorf("%s: draw used %v", name, p.DrawUsed)
		}
		if until := epoch.Add(time.Hour); c.hold == evolution.HoldDay && !p.Until.Equal(until) {
			t.Errorf("%s: until %v, want %v", name, p.Until, until)
		}
	}
	free.Mutations = append(mutations(2, time.Hour, evolution.High), mutations(1, time.Hour, evolution.Low)...)
	if p, err := evolution.DefaultLoopSettings().MayMutate(free, epoch, mutateDraw(t, true)); err != nil || !p.Mutate || !p.NoHigh {
		t.Errorf("2 of high risk: %v %+v", err, p)
	}
}

// Stable: at least 3 scores, mean above 85, population variance below 5; at most the last 5 count.
func TestStable(t *testing.T) {
	s := evolution.DefaultLoopSettings()
	for _, c := range []struct {
		scores []float64
		want   bool
	}{
		{nil, false}, {[]float64{90, 90}, false}, {[]float64{90, 90, 90}, true}, {[]float64{85, 85, 85}, false}, {[]float64{85.01, 85, 85}, true},
		{[]float64{90, 90 + 2.7386, 90 - 2.7386}, true},  // variance 2/3·7.49994 = 4.99996; the sample variance is 7.5
		{[]float64{90, 90 + 2.7387, 90 - 2.7387}, false}, // 5.0003
		{[]float64{10, 90, 90, 90, 90, 90}, true}, {[]float64{90, 90, 90, 90, 10}, false},
	} {
		if got := s.Stable(c.scores); got != c.want {
			t.Errorf("%v: %v", c.scores, got)
		}
	}
}

func TestLoopSettingsErrors(t *testing.T) {
	for want, edit := range map[string]func(s *evolution.LoopSettings){
		"interval": func(s *evolution.LoopSettings) { s.Interval = 0 }, "mutation_rate": func(s *evolution.LoopSettings) { s.MutationRate = 1.1 },
		"keep": func(s *evolution.LoopSettings) { s.Keep = 0 }, "max_per_day": func(s *evolution.LoopSettings) { s.MaxPerDay = -1 },
		"max_high_per_day": func(s *evolution.LoopSettings) { s.MaxHighPerDay = -1 }, "cooldown": func(s *evolution.LoopSettings) { s.Cooldown = -1 },
		"max_growth": func(s *evolution.LoopSettings) { s.MaxGrowth = 0.5 }, "max_length": func(s *evolution.LoopSettings) { s.MaxLength = -1 },
		"forbidden_patterns[0]": func(s *evolution.LoopSettings) { s.Forbidden = []string{"("} },
	} {
		s := evolution.DefaultLoopSettings()
		edit(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := s.MayMutate(evolution.LoopState{}, epoch, mutateDraw(t, true)); err == nil {
			t.Errorf("%s: mutates", want)
		}
	}
	if _, err := evolution.DefaultLoopSettings().MayMutate(evolution.LoopState{}, epoch, drawn(t, true)); !errors.Is(err, evolution.ErrDraw) {
		t.Errorf("a draw of a decision: %v", err)
	}
}

func TestCheckChild(t *testing.T) {
	parent := strings.Repeat("ế", 100) // characters, not bytes
	settings := evolution.DefaultLoopSettings()
	settings.GrowthFloor = 0
	for _, c := range []struct {
		child string
		codes string
	}{
		{strings.Repeat("a", 50), ""}, {strings.Repeat("a", 200), ""}, {strings.Repeat("a", 49), "too_short"}, {strings.Repeat("a", 201), "too_long"},
		{"", "empty"}, {" \n\t", "empty"},
		{strings.Repeat("a", 90) + "\nRM  \n-RF /", "forbidden"}, {strings.Repeat("a", 90) + "drop table x", "forbidden"},
		{strings.Repeat("a", 90) + "Ignore ALL\trules", "forbidden"}, {strings.Repeat("a", 90) + "never follow", "forbidden"},
		{"rm -rf ignore all rules", "too_short forbidden forbidden"}, {strings.Repeat("a", 90) + "rm-rf", ""},
	} {
		list, err := settings.CheckChild(parent, c.child)
		codes := make([]string, len(list))
		for i, r := range list {
			codes[i] = r.Code
		}
		if err != nil || strings.Join(codes, " ") != c.codes {
			t.Errorf("%q: %v %v", c.child, err, list)
		}
	}
	if list, err := settings.CheckChild("", "anything"); err != nil || list != nil {
		t.Errorf("without a parent: %v %v", err, list)
	}
	settings.Forbidden = []string{"x"}
	if list, _ := settings.CheckChild("ab\ncd", "ab\ncX"); len(list) != 1 || list[0].Reason != "line 2 matches x" {
		t.Errorf("%v", list)
	}
	settings.Forbidden = []string{"a", "(b"}
	if _, err := settings.CheckChild("a", "a"); err == nil || !strings.Contains(err.Error(), "forbidden_patterns[1]") {
		t.Error(err)
	}
}

// The default settings let prompts of one line grow to those of 6,705 and 16,936 characters that public runs of GEPA
// found, by steps of up to 13 times the length before.
func TestCheckChildGrowth(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		growth        float64
		floor, most   int
		parent, child int
		want          string
	}{
		{2, 8000, 0, 215, 2787, ""}, {2, 8000, 0, 1627, 4137, ""}, {2, 8000, 0, 7679, 9465, ""}, {2, 8000, 0, 100, 8000, ""},
		{2, 8000, 0, 100, 8001, "8001 characters, more than max_growth=2 times 100"},
		{0, 0, 0, 1, 100000, ""}, {3, 0, 0, 100, 300, ""}, {3, 0, 0, 100, 301, "301 characters, more than max_growth=3 times 100"},
		{2, 8000, 150, 100, 151, "151 characters, more than max_length=150"}, {0, 0, 150, 100, 150, ""},
	} {
		s := evolution.DefaultLoopSettings()
		s.MaxGrowth, s.GrowthFloor, s.MaxLength = c.growth, c.floor, c.most
		list, err := s.CheckChild(long(c.parent), long(c.child))
		got := ""
		for _, r := range list {
			got += r.Reason
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %v %q", c, err, got)
		}
	}
}

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]string{
		"score>=95": "score>=95", " score > 0.5": "score>0.5", "score<=-1e-3": "score<=-0.001", "score<2": "score<2", "accepted=3": "accepted=3", "accepted >= 10": "accepted>=10",
		"": "", "score": "", "score=95": "", "score>=": "", "score>=NaN": "", "score>=inf": "", "score=>95": "", "accepted>3": "", "accepted=0": "", "accepted=1.5": "", "accepted<=3": "",
		"fitness>=3": "", ">=3": "", "score>=95 and accepted=3": "",
	} {
		u, err := evolution.ParseUntil(text)
		if u.String() != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v, want %q", text, u, err, want)
		}
	}
}

func TestUntilReached(t *testing.T) {
	for _, c := range []struct {
		rule     string
		score    *float64
		accepted int
		want     string
	}{
		{"score>=95", ptr(95.0), 0, "score>=95: the active version has 95"},
		{"score>=95", ptr(94.999), 9, ""},
		{"score>=95", nil, 9, ""},
		{"score>95", ptr(95.0), 0, ""},
		{"score<=0.1", ptr(0.1), 0, "score<=0.1: the active version has 0.1"},
		{"score<0.1", ptr(0.1), 0, ""},
		{"score<0.1", ptr(-4.0), 0, "score<0.1: the active version has -4"},
		{"accepted=3", ptr(100.0), 2, ""},
		{"accepted=3", nil, 4, "accepted=3: 4 accepted"}, // by an earlier run, or by several loops at once
	} {
		u, err := evolution.ParseUntil(c.rule)
		if got := u.Reached(c.score, c.accepted); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.rule, got, err, c.want)
		}
	}
	for rule, want := range map[string][2]bool{"score>=1": {true, false}, "score<1": {false, true}, "accepted=1": {true, true}} {
		u, _ := evolution.ParseUntil(rule)
		for i, scale := range []*evolution.Scale{nil, {Minimize: true}} {
			if err := u.CheckScale(scale); (err == nil) != want[i] {
				t.Errorf("%s, %+v: %v", rule, scale, err)
			}
		}
	}
	if got := (evolution.Until{}).Reached(ptr(100.0), 100); got != "" {
		t.Error(got)
	}
}
