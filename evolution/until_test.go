package evolution_test

import (
	"testing"

	"track/evolution"
)

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
