package lineages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/tracker/lineages"
)

func (l *loop) nextAt(at time.Time) answer.Next {
	l.T.Helper()
	s, err := lineages.NextAction(l.T.Context(), l.Store, answer.NextQuestion{Lineage: l.Name, At: at})
	if err != nil {
		l.T.Fatal(err)
	}
	return s
}

// A loop from one step to the next: what is open comes first, and what was drawn is answered until somebody acts on it.
func TestNextOrder(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Failures = evolution.FailuresExclude
	})
	first := l.WantNext(answer.ActionMutate, "", 0, "mutates below 1")
	if len(l.Entries()) != 2 || first.Considered.Number != 1 || first.Operator == "" || first.Head != "v001" {
		t.Errorf("%+v", first)
	}
	for range 2 {
		s := l.Next()
		if s.Operator != first.Operator || s.Considered.Draw != first.Considered.Draw || len(l.Entries()) != 2 {
			t.Errorf("asked again: %+v", s)
		}
	}
	if dry, err := lineages.NextAction(t.Context(), l.Store, answer.NextQuestion{Lineage: "l", DryRun: true, At: time.Time{}}); err != nil || dry.Operator != first.Operator {
		t.Errorf("dry: %v %+v", err, dry)
	}
	p := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
	if p.Operator != first.Operator {
		t.Errorf("%+v", p)
	}
	s := l.WantNext(answer.ActionRun, "", 2, "threshold needs 1 more of v002 and 1 of v001")
	if s.Mutation != p.Key || !cmp.Equal(s.Trials, []answer.PlannedTrial{{Side: "child", Version: "v002"}, {Side: "parent", Version: "v001"}}) {
		t.Errorf("%+v", s)
	}
	l.Run("v001", 60)
	l.Run("v002", 70)
	l.WantNext(answer.ActionRun, "", 2, "1 of 3 trials of v002; threshold would already decide")
	l.Fail("v002", track.ExecutionTimeout, 1)
	l.WantNext(answer.ActionRun, "", 1, "2 of 3 trials")
	l.Run("v002", 71)
	if s := l.WantNext(answer.ActionDecide, "", 0, "has enough evidence: 2 trials of the child, 1 of the parent"); s.Mutation != p.Key {
		t.Errorf("%+v", s)
	}
	// A second proposal waits for the first.
	second := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{Parents: []string{"v001"}})
	if s := l.Next(); s.Mutation != p.Key {
		t.Errorf("%+v", s)
	}
	if r := l.Decide(p.Key, answer.DecideQuestion{}); r.HeadAfter != "v002" {
		t.Fatalf("%+v", r)
	}
	if s := l.WantNext(answer.ActionRun, "", 1, "needs 1 more of v003"); s.Mutation != second.Key {
		t.Errorf("%+v", s)
	}
	// A trigger comes before all but a freeze.
	for range 3 {
		l.Run("v002", 1) // on the task of v001
	}
	if s := l.WantNext(answer.ActionRollback, "", 0, "below_best: "); s.Rollback == nil || s.Rollback.To != "v001" || s.Rollback.From != "v002" {
		t.Errorf("%+v", s)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Frozen = true })
	l.WantNext(answer.ActionStop, evolution.HoldFrozen, 0, "frozen by hand")
	if _, err := l.Try(lineagetest.Text("Dutch"), answer.ProposeQuestion{}); err == nil {
		t.Error("a frozen lineage took a proposal")
	} else {
		wantHint(t, err, track.ErrConflict, "lineage l is frozen", "lineage unfreeze l")
	}
	if again := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{Parents: []string{"v001"}}); !again.Known {
		t.Errorf("what was proposed before the freeze: %+v", again)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Frozen = false })
	l.Rollback(answer.RollbackQuestion{IfTriggered: true})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", second.Key, "enough", time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.WantNext(answer.ActionWait, evolution.HoldCooldown, 5, "0 of 5 executions since the rollback")
	l.Run("v001", 60, 60, 60, 60)
	l.WantNext(answer.ActionWait, evolution.HoldCooldown, 1, "4 of 5")
	l.Run("v001", 60)
	if s := l.WantNext(answer.ActionMutate, "", 0, ""); s.Considered.Number != 2 || s.Considered.State.SinceRollback != 5 {
		t.Errorf("%+v", s.Considered)
	}
	l.CheckReplay()
}

// What holds a mutation back: the draw and the interval after it, the last mutation, scores that are good enough, the
// limits of a day.
func TestNextHolds(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Loop.MutationRate, s.Loop.StableMean = 0, 85
	})
	if s := l.WantNext(answer.ActionWait, evolution.HoldRate, 3, "mutates below 0"); len(l.Entries()) != 2 || s.Considered.Choice != nil {
		t.Errorf("%+v", s)
	}
	for _, step := range []struct{ since, missing int }{{0, 3}, {1, 2}, {2, 1}} {
		if s := l.WantNext(answer.ActionWait, evolution.HoldInterval, step.missing, "since mutation was considered"); len(l.Entries()) != 2 {
			t.Errorf("%+v", s)
		}
		l.Run("v001", 60)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.MutationRate, s.Loop.MinBetween = 1, 4 })
	if s := l.WantNext(answer.ActionMutate, "", 0, ""); s.Considered.Number != 2 || s.Considered.Settings != 2 {
		t.Errorf("%+v", s.Considered)
	}
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", m, "no", time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Interval = 1 })
	l.Run("v001", 60)
	l.WantNext(answer.ActionWait, evolution.HoldBetween, 3, "1 of 4 executions since the mutation")
	l.Run("v001", 90, 90, 90, 90, 90)
	l.WantNext(answer.ActionStop, evolution.HoldStable, 0, "mean above 85")
	l.Run("v001", 10) // 90 90 90 90 10
	if s := l.WantNext(answer.ActionMutate, "", 0, ""); s.Considered.Number != 3 {
		t.Errorf("%+v", s.Considered)
	}
	l.CheckReplay()
}

// In any 24 hours so many mutations, and so many of high risk; refused ones do not count.
func TestNextDay(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Loop.MaxPerDay, s.Loop.MaxHighPerDay, s.Loop.Interval = 3, 1, 1
		s.Operators = []evolution.Operator{{Name: "bold", Risk: evolution.High}, {Name: "timid", Risk: evolution.Low}}
	})
	start := testdb.Clock()
	propose := func(child string, risk evolution.Risk, at time.Time) {
		t.Helper()
		m, err := l.Try(child, answer.ProposeQuestion{Operator: "by_hand", Risk: risk, At: at})
		if err != nil {
			t.Fatal(err)
		}
		if m.State == evolution.MutationRefused {
			return
		}
		if _, err := lineages.Withdraw(t.Context(), l.Store, "l", m.Key, "no", at); err != nil {
			t.Fatal(err)
		}
	}
	propose(lineagetest.Text("French"), evolution.High, start)
	propose("x", evolution.High, start) // refused
	s := l.nextAt(start.Add(time.Hour))
	if s.Action != answer.ActionMutate || s.Operator != "timid" || !s.Considered.Permission.NoHigh {
		t.Errorf("%+v", s)
	}
	propose(lineagetest.Text("German"), evolution.Low, start.Add(time.Hour))
	propose(lineagetest.Text("Dutch"), evolution.Low, start.Add(2*time.Hour))
	l.Run("v001", 60)
	s = l.nextAt(start.Add(3 * time.Hour))
	if s.Action != answer.ActionWait || s.Hold != evolution.HoldDay || !s.Until.Equal(start.Add(24*time.Hour)) || !strings.Contains(s.Reason, "3 of 3") {
		t.Errorf("%+v", s)
	}
	if s := l.nextAt(start.Add(24*time.Hour - time.Microsecond)); s.Hold != evolution.HoldDay {
		t.Errorf("%+v", s)
	}
	if s := l.nextAt(start.Add(24 * time.Hour)); s.Action != answer.ActionMutate || s.Considered.Permission.NoHigh {
		t.Errorf("%+v", s)
	}
	// Operators of high risk alone: they have to wait for the day.
	propose(lineagetest.Text("Danish"), evolution.High, start.Add(24*time.Hour))
	l.Set(func(s *evolution.Settings) {
		s.Operators, s.Loop.MaxPerDay = s.Operators[:1], 10
	})
	l.Run("v001", 60)
	n := len(l.Entries())
	s = l.nextAt(start.Add(30 * time.Hour))
	if s.Action != answer.ActionWait || s.Hold != evolution.HoldDay || !s.Until.Equal(start.Add(48*time.Hour)) || !strings.Contains(s.Reason, "no operator of less") || len(l.Entries()) != n {
		t.Errorf("%+v", s)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.MaxPerDay = 0 })
	if s := l.nextAt(start.Add(50 * time.Hour)); s.Action != answer.ActionStop || s.Hold != evolution.HoldDay {
		t.Errorf("%+v", s)
	}
	l.CheckReplay()
}

// Going back: to a version, to the best, to the previous one, and where a trigger says so.
// The limits of a day bind the loop; what is proposed beyond them is recorded, with a warning.
func TestProposeWarns(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Loop.MaxPerDay, s.Loop.MaxHighPerDay = 2, 1
	})
	at := func(hour int) time.Time { return testdb.Clock().Add(time.Duration(hour) * time.Hour) }
	const day, high = "in 24 hours with this one, where max_per_day is 2; the loop would have waited until ", "2 mutations of high risk in 24 hours with this one, where max_high_per_day is 1; the loop would have made none before "
	for i, c := range []struct {
		child string
		o     answer.ProposeQuestion
		want  []string
	}{
		{"French", answer.ProposeQuestion{Risk: evolution.High, Note: "n", At: at(1)}, nil},
		{"x", answer.ProposeQuestion{At: at(2)}, nil}, // is refused, and counts for nothing
		{"German", answer.ProposeQuestion{Risk: evolution.High, At: at(3)}, []string{high + at(25).Format(time.RFC3339)}},
		{"Dutch", answer.ProposeQuestion{Operator: "nosuch", At: at(4)}, []string{
			"operator nosuch is not in the settings: its risk is assumed to be MEDIUM", "3 mutations " + day + at(25).Format(time.RFC3339),
		}},
		{"Danish", answer.ProposeQuestion{At: at(5)}, []string{"4 mutations " + day + at(27).Format(time.RFC3339)}},
		{"Czech", answer.ProposeQuestion{At: at(50)}, nil},
		{"French", answer.ProposeQuestion{Risk: evolution.Low, Note: "m", CostUSD: pointer(0.5), At: at(51)}, []string{
			`is recorded with the note "n": "m" is not recorded`, "is recorded with the risk HIGH: LOW is not recorded", "is recorded with the cost none: 0.5 is not recorded",
		}},
		{"French", answer.ProposeQuestion{Note: "n", At: at(52)}, nil},
	} {
		content := lineagetest.Text(c.child)
		if c.child == "x" {
			content = c.child
		}
		r := l.Propose(content, c.o)
		if r.Mutation.Key == "" || len(r.Warnings) != len(c.want) {
			t.Errorf("%d, %s: %v, want %q", i, c.child, r.Warnings, c.want)
			continue
		}
		for j, w := range r.Warnings {
			if !strings.Contains(w.Message, c.want[j]) {
				t.Errorf("%d, %s: %s, want %s", i, c.child, w.Message, c.want[j])
			}
		}
	}
}
