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
		"step -1":               func(e *evolution.Evidence) { e.Step = -1 },
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

// A trap of other stores: a timeout that keeps a partial score becomes the best of the run. Here a failed trial has no
// score, a child with nothing but failures has no fitness, and is given up after three.
func TestFailedTrialsHaveNoScore(t *testing.T) {
	fail := func(n int) (list []evolution.Trial) {
		list = trials("c", repeat(0, n)...)
		for i := range list {
			list[i].Score, list[i].Failed = nil, "timeout"
		}
		return list
	}
	parent := trials("p", 50, 51, 52)
	for _, name := range evolution.Policies() {
		p := policy(t, name, "")
		d := decide(t, p, evolution.Evidence{Child: fail(2), Parent: parent})
		if d.State != evolution.Continue || d.NewScore != nil || d.Fitness != nil || d.FailedChild != 2 {
			t.Errorf("%s, 2 failures: %s, %v", name, d.State, d.NewScore)
		}
		d = decide(t, p, evolution.Evidence{Child: fail(8), Parent: parent})
		if d.State != evolution.Reject || d.Label != evolution.ChildFailed || d.Fitness != nil {
			t.Errorf("%s, 8 failures: %s, %s", name, d.State, d.Label)
		}
	}
	if d := decide(t, policy(t, "poi", ""), evolution.Evidence{Child: fail(7), Parent: parent}); d.State != evolution.Continue {
		t.Errorf("7 failures of the 8 trials that poi asks for: %s", d.State)
	}
	mixed := evolution.Evidence{Child: append(fail(4), trialsFrom("c", 10, 60)...), Parent: parent}
	d := decide(t, policy(t, "threshold", ""), mixed)
	if *d.NewScore != 60 || d.NChild != 1 || !slices.Contains(d.Warnings, evolution.WarnFailures) {
		t.Errorf("%v of %d, %v", *d.NewScore, d.NChild, d.Warnings)
	}
}

// Sequential policies do not try a child for ever that mostly fails: failures count against n_max.
func TestFailuresCostPairs(t *testing.T) {
	e := pairs(alternating(1, 8, 30)...)
	for i := range 10 {
		failed := trialsFrom("x", 500+i, 0)[0]
		failed.Score, failed.Failed = nil, "crash"
		e.Child = append(e.Child, failed)
	}
	for _, name := range []string{"sprt", "cs"} {
		if d := decide(t, policy(t, name, ""), e); d.Label != evolution.Undecided || !slices.Contains(d.Warnings, evolution.WarnNMax) {
			t.Errorf("%s: %s, %v", name, d.Label, d.Warnings)
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
	d := decide(t, policy(t, "poi", ""), e)
	want := [][2]string{{"c000", "p001"}, {"c002", "p000"}, {"c001", "p003"}} // as they became complete
	for i, w := range want {
		if d.NPairs != 3 || d.UsedChild[i].ID != w[0] || d.UsedParent[i].ID != w[1] {
			t.Fatalf("%+v\n%+v", d.UsedChild, d.UsedParent)
		}
	}
	// 5 pairs are missing: y and z lack one side, 3 are wholly new.
	n := d.Need
	if n.Pairs != 5 || n.Child != 4 || n.Parent != 4 || !slices.Equal(n.ChildKeys, []string{"y"}) || !slices.Equal(n.ParentKeys, []string{"z"}) {
		t.Errorf("%+v", n)
	}
	if !slices.Contains(d.Warnings, evolution.WarnUnpaired) {
		t.Errorf("%v", d.Warnings)
	}
}

// Sequential policies look after every pair, and say when they would decide if all went on as it began.
func TestNeedOfSequentialPolicies(t *testing.T) {
	d := decide(t, policy(t, "sprt", ""), pairs(alternating(1.2, 1, 8)...)) // LLR = 0.4·n/(8/7) reaches 2.890 at n = 9
	if d.Need.Pairs != 1 || d.Need.Expected != 1 {
		t.Errorf("sprt: %+v", d.Need)
	}
	d = decide(t, policy(t, "cs", ""), pairs(alternating(0.6, 1, 20)...)) // h/s = 0.5848 at n = 22; 0.6/s is 0.5848 too: 23
	if d.Need.Pairs != 1 || d.Need.Expected < 2 || d.Need.Expected > 3 {
		t.Errorf("cs: %+v", d.Need)
	}
	d = decide(t, policy(t, "cs", ""), pairs())
	if d.Need.Pairs != 5 || d.Need.Child != 5 || d.Need.Parent != 5 || d.Need.Expected != 5 {
		t.Errorf("nothing yet: %+v", d.Need)
	}
}
