package answer

import (
	"strings"
	"testing"

	"track/evolution"
)

// Scores of a rubric have two decimals; on other scales nothing significant is cut off.
func TestNumbers(t *testing.T) {
	rubric, unbounded := Numbers{}, Numbers{&evolution.Scale{Minimize: true, Points: 2000}}
	for x, want := range map[float64][2]string{
		0.0004: {"0.0004", "0.0004000"}, 0.0098677: {"0.009868", "0.009868"}, 1.00037: {"1.00", "1.0004"}, 88: {"88.00", "88.0000"}, -0.45: {"-0.45", "-0.4500"}, 0: {"0.00", "0.0000"},
		1.23456e-7: {"1.235e-07", "1.235e-07"},
	} {
		if rubric.Score(x) != want[0] {
			t.Errorf("%v on the scale of a rubric: %s, want %s", x, rubric.Score(x), want[0])
		}
		if got := unbounded.Score(x); got != want[1] {
			t.Errorf("%v: %s, want %s", x, got, want[1])
		}
	}
	if got := unbounded.gainWithUnit(-0.5); got != "-0.5000 points" {
		t.Error(got)
	}
	if rubric.Units() != "" || !strings.Contains(unbounded.Units(), "less is better") || !strings.Contains(unbounded.Units(), "2000 points") {
		t.Errorf("%q, %q", rubric.Units(), unbounded.Units())
	}
}
