package evolution_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

// Equal arguments give equal decisions, and Decide changes none of them.
func TestDecideIsAFunction(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, e, draw := somePolicies.Draw(t, "policy"), evidences.Draw(t, "evidence"), someDraws.Draw(t, "draw")
		before := asJSON(t, e)
		first, err := evolution.Decide(p, e, draw)
		if err != nil {
			t.Fatal(err)
		}
		second, err := evolution.Decide(p, e, draw)
		if err != nil || asJSON(t, first) != asJSON(t, second) {
			t.Fatalf("%v\n%s\n%s", err, asJSON(t, first), asJSON(t, second))
		}
		if asJSON(t, e) != before {
			t.Fatal("the evidence was changed")
		}
	})
}

func TestOrderOfTrialsDoesNotMatter(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, e, draw := somePolicies.Draw(t, "policy"), evidences.Draw(t, "evidence"), someDraws.Draw(t, "draw")
		other := e
		other.Child = rapid.Permutation(e.Child).Draw(t, "child in another order")
		other.Parent = rapid.Permutation(e.Parent).Draw(t, "parent in another order")
		a, errA := evolution.Decide(p, e, draw)
		b, errB := evolution.Decide(p, other, draw)
		if errA != nil || errB != nil || asJSON(t, a) != asJSON(t, b) {
			t.Fatalf("%v %v\n%s\n%s", errA, errB, asJSON(t, a), asJSON(t, b))
		}
	})
}

// What is said of a decision agrees with itself.
func TestDecisionIsConsistent(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, e, draw := somePolicies.Draw(t, "policy"), evidences.Draw(t, "evidence"), someDraws.Draw(t, "draw")
		d, err := evolution.Decide(p, e, draw)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case d.Accepted != (d.State == evolution.Accept), (d.Need != nil) != (d.State == evolution.Continue):
			t.Fatalf("%s", asJSON(t, d))
		case d.Accepted != (draw.U < d.P), d.DrawUsed != (d.P > 0 && d.P < 1):
			t.Fatalf("u %v: %s", draw.U, asJSON(t, d))
		case d.Accepted && d.Fitness == nil, d.State == evolution.Continue && d.Fitness != nil:
			t.Fatalf("fitness: %s", asJSON(t, d))
		case d.Label == "", len(d.Rule) == 0 && d.State != evolution.Continue && d.Label != evolution.ChildFailed:
			t.Fatalf("no reason: %s", asJSON(t, d))
		}
		if f := d.Noise.FalseAccept; f != nil && !(*f >= 0 && *f <= 1) {
			t.Fatalf("false accepts: %v", *f)
		}
		if n := d.Need; n != nil && (n.Child < 0 || n.Parent < 0 || n.Child+n.Parent == 0) {
			t.Fatalf("need: %+v", *n)
		}
		if i := d.Interval; i != nil && (d.Delta == nil || !(i.Lo < i.Estimate && i.Estimate < i.Hi) || i.Method == "welch t" && i.Estimate != *d.Delta) {
			t.Fatalf("interval: %s", asJSON(t, d))
		}
		if i, f := d.Noise.FalseAcceptCI, d.Noise.FalseAccept; i != nil && !(0 <= i.Lo && i.Lo <= *f && *f <= i.Hi && i.Hi <= 1) {
			t.Fatalf("interval of the false accepts: %s", asJSON(t, d))
		}
	})
}

// With the sides swapped, everything that compares them is mirrored. confirm is left out: it stops at other looks.
func TestSwapMirrors(t *testing.T) {
	names := []string{"threshold", "greedy"}
	property.Check(t, func(t *rapid.T) {
		p, err := evolution.DefaultPolicy(rapid.SampledFrom(names).Draw(t, "policy"))
		if err != nil {
			t.Fatal(err)
		}
		e, draw := evidences.Draw(t, "evidence"), someDraws.Draw(t, "draw")
		a, errA := evolution.Decide(p, e, draw)
		b, errB := evolution.Decide(p, evolution.Evidence{Child: e.Parent, Parent: e.Child}, draw)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if a.NChild != b.NParent || a.NParent != b.NChild || a.FailedChild != b.FailedParent {
			t.Fatalf("counts of\n%s\n%s", asJSON(t, a), asJSON(t, b))
		}
		if a.Label == evolution.ChildFailed || b.Label == evolution.ChildFailed {
			return // only a child is given up
		}
		mirrored := same(a.OldScore, b.NewScore, 1) && same(a.NewScore, b.OldScore, 1) && same(a.Delta, b.Delta, -1)
		if !mirrored || (a.Interval == nil) != (b.Interval == nil) || (a.PImprove == nil) != (b.PImprove == nil) || a.NPairs != b.NPairs {
			t.Fatalf("%s\n%s", asJSON(t, a), asJSON(t, b))
		}
		if a.Interval != nil && (!near(a.Interval.Lo, -b.Interval.Hi) || !near(a.Interval.Hi, -b.Interval.Lo)) {
			t.Fatalf("%+v\n%+v", *a.Interval, *b.Interval)
		}
		if q := b.PImprove; q != nil && (!near(a.PImprove.Value, 1-q.Value) || a.PImprove.Wins != q.Losses || a.PImprove.Ties != q.Ties) {
			t.Fatalf("%+v\n%+v", *a.PImprove, *q)
		}
		if a.Accepted && b.Accepted && !a.DrawUsed && !b.DrawUsed && *a.Delta != 0 {
			t.Fatalf("each is better than the other:\n%s\n%s", asJSON(t, a), asJSON(t, b))
		}
	})
}

func same(a, b *float64, sign float64) bool {
	return (a == nil) == (b == nil) && (a == nil || near(*a, sign**b))
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8*max(1, math.Abs(a)) }

// A better child is never a reason to reject what was accepted: scores are raised, all else stays.
func TestMoreIsNoWorse(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"threshold", "greedy"}).Draw(t, "policy")
		p, err := evolution.DefaultPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		e, draw, by := evidences.Draw(t, "evidence"), someDraws.Draw(t, "draw"), rapid.Float64Range(0, 20).Draw(t, "by")
		better := e
		better.Child = append([]evolution.Trial{}, e.Child...)
		for i, c := range better.Child {
			if c.Score != nil {
				better.Child[i].Score = ptr(*c.Score + by)
			}
		}
		a, errA := evolution.Decide(p, e, draw)
		b, errB := evolution.Decide(p, better, draw)
		if errA != nil || errB != nil || a.Accepted && !b.Accepted || a.P > b.P {
			t.Fatalf("%v %v, by %v:\n%s\n%s", errA, errB, by, asJSON(t, a), asJSON(t, b))
		}
	})
}
