package evolution_test

import (
	"slices"
	"testing"
	"time"

	"track/evolution"
)

// The looks of confirm, with 12 pairs at most: the screen after 1, and looks after 3, 6, 9 and 12. Of 9 pairs the
// smallest p-value is 2^-9 = 0.002, below 0.4 times an alpha of 0.05.
func TestConfirmLooks(t *testing.T) {
	p := policy(t, "confirm", `{"pairs":12}`)
	for name, c := range map[string]struct {
		differences []float64
		state       evolution.State
		label       evolution.Label
		pairs       int
	}{
		"nothing yet":                    {nil, evolution.Continue, evolution.NeedsEvidence, 0},
		"screened out":                   {[]float64{-2.01, 50, 50}, evolution.Reject, evolution.ScreenedOut, 1},
		"harm that the screen tolerates": {[]float64{-2, 9, 8}, evolution.Continue, evolution.NeedsEvidence, 3},
		"futile at the first look":       {[]float64{1, -2, -3}, evolution.Reject, evolution.Futile, 3},
		"no difference at all":           {repeat(0, 3), evolution.Reject, evolution.Futile, 3},
		"good, and not enough":           {alternating(9, 1, 8), evolution.Continue, evolution.NeedsEvidence, 8},
		"accepted at the third look":     {alternating(9, 1, 9), evolution.Accept, evolution.Improvement, 9},
		"equal differences":              {repeat(0.5, 9), evolution.Accept, evolution.Improvement, 9},
		"later pairs do not count":       {append(alternating(9, 1, 9), repeat(-50, 5)...), evolution.Accept, evolution.Improvement, 9},
		"not shown by all":               {[]float64{4, 3, 5, -4, 3, 5, 4, -3, 5, 4, -6, -9}, evolution.Reject, evolution.NoImprovement, 12},
		"shown by all":                   {[]float64{4, 3, 5, -1, 3, 5, -4, -3, 5, 4, 6, 6}, evolution.Accept, evolution.Improvement, 12},
	} {
		d := decide(t, p, pairs(c.differences...))
		if d.State != c.state || d.Label != c.label || d.NPairs != c.pairs {
			t.Errorf("%s: %s, %s after %d pairs: %s", name, d.State, d.Label, d.NPairs, asJSON(t, d.Rule))
		}
	}
}

// Trials of the parent from before the proposal are no controls.
func TestOldTrialsDoNotConfirm(t *testing.T) {
	e := pairs(alternating(9, 1, 9)...)
	e.Since = epoch.Add(3 * time.Minute) // the first three of the parent are older
	d := decide(t, policy(t, "confirm", `{"pairs":12}`), e)
	if d.State != evolution.Continue || d.NPairs != 6 || d.Need.Pairs != 3 || !slices.Equal(d.Need.ParentKeys, []string{"k0", "k1", "k2"}) || d.Need.Child != 0 || d.Need.Parent != 3 {
		t.Errorf("%d pairs, %+v", d.NPairs, d.Need)
	}
}

// A child that crashes on a task has the worst score there: it is not compared on the tasks that it survived.
func TestCrashesLose(t *testing.T) {
	e := evolution.Evidence{Child: trials("c", repeat(66, 20)...), Parent: trials("p", repeat(60, 20)...)}
	for i := 3; i < 20; i += 5 {
		e.Child[i].Score, e.Child[i].Failed = nil, "crash"
	}
	for name, want := range map[string]evolution.State{"confirm": evolution.Reject, "greedy": evolution.Reject} {
		if d := decide(t, policy(t, name, ""), e); d.State != want || d.FailedChild != 4 {
			t.Errorf("%s: %s, %d failed", name, d.State, d.FailedChild)
		}
	}
	e.Failures = evolution.FailuresExclude
	if d := decide(t, policy(t, "greedy", ""), e); d.State != evolution.Accept || *d.Delta != 6 || d.NPairs != 16 {
		t.Errorf("excluded: %s", asJSON(t, d))
	}
}

// On a scale without ends a failure is worse than any score: as far below the worst as the best is above it, or 0 if
// that is further.
func TestCrashesOnAnyScale(t *testing.T) {
	e := evolution.Evidence{Child: trialsOf("c", 1, 2, 3), Parent: trialsOf("p", 2, 2, 9), Scale: &evolution.Scale{Minimize: true, Points: 1}}
	for _, list := range [][]evolution.Trial{e.Child, e.Parent} {
		for i := range list {
			list[i].Key = string(rune('a' + i))
		}
	}
	e.Child[0].Score, e.Child[0].Failed = nil, "crash"
	d := decide(t, policy(t, "greedy", ""), e) // less is better: 18 for 2, 2 for 2, 3 for 9
	if d.State != evolution.Reject || *d.Delta != -3.333333333 || d.UsedChild[0].Score != 18 || d.UsedChild[0].Failed != "crash" {
		t.Errorf("%s", asJSON(t, d))
	}
}

// What confirm accepts waits until the gain was measured on all tasks; the decision is the same, whatever it is.
func TestGainIsMeasuredAfterwards(t *testing.T) {
	p := policy(t, "confirm", `{"pairs":12}`)
	e := pairs(alternating(9, 1, 9)...)
	e.Measurement = &evolution.Measurement{Tasks: []string{"a", "b", "c", "h", "i"}, Held: []string{"h", "i"}}
	d := decide(t, p, e)
	if d.State != evolution.Continue || d.Label != evolution.Measuring || !d.Need.Measure || d.Need.Child != 5 || !slices.Equal(d.Need.ParentKeys, e.Measurement.Tasks) {
		t.Fatalf("%s", asJSON(t, d))
	}
	for i, c := range [][2]float64{{51, 50}, {53, 50}, {52, 50}, {41, 50}, {42, 50}} {
		at := epoch.Add(time.Duration(100+i) * time.Minute)
		task := e.Measurement.Tasks[i]
		e.Measurement.Child = append(e.Measurement.Child, evolution.Trial{ID: "mc" + task, Key: task, At: at, Score: ptr(c[0])})
		e.Measurement.Parent = append(e.Measurement.Parent, evolution.Trial{ID: "mp" + task, Key: task, At: at, Score: ptr(c[1])})
	}
	d = decide(t, p, e)
	if d.State != evolution.Accept || d.Measured.Gain.Mean != 2 || d.Measured.Gain.N != 3 || d.Measured.Holdout.Mean != -8.5 || !d.Measured.Overfits() || *d.Delta == 2 || d.Interval != nil {
		t.Errorf("%s", asJSON(t, d))
	}
	// mean 2, s 1, t(0.975, 2) = 4.3027: half 2.484
	if i := d.Measured.Gain.Interval; i.Lo > -0.48 || i.Lo < -0.49 || i.N != 3 {
		t.Errorf("%+v", *i)
	}
	record, err := evolution.NewRecord(p, e, drawn(t, true))
	if err != nil || len(evolution.Replay(record)) > 0 {
		t.Errorf("%v %v", err, evolution.Replay(record))
	}
	for i := range e.Measurement.Child { // worse than its parent after all: that is reported, and decides nothing
		e.Measurement.Child[i].Score = ptr(40.0)
	}
	if d = decide(t, p, e); d.State != evolution.Accept || d.Measured.Gain.Mean != -10 {
		t.Errorf("%s", asJSON(t, d))
	}
}
