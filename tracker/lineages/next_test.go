package lineages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/tracker/lineages"
)

func (l *loop) nextAt(at time.Time) lineages.NextStep {
	l.T.Helper()
	s, err := lineages.Next(l.T.Context(), l.Store, l.Name, false, at)
	if err != nil {
		l.T.Fatal(err)
	}
	return s
}

// A loop from one step to the next: what is open comes first, and what was drawn is answered until somebody acts on it.
func TestNextOrder(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	first := l.WantNext(answer.ActionMutate, "", 0, "mutates below 1")
	if first.Entry.Number != 2 || first.Considered.Number != 1 || first.Operator.Name == "" || first.Head != "v001" {
		t.Errorf("%+v", first)
	}
	for range 2 {
		s := l.Next()
		if s.Entry.Number != 0 || s.Operator != first.Operator || s.Considered.Draw != first.Considered.Draw || len(l.Entries()) != 2 {
			t.Errorf("asked again: %+v", s)
		}
	}
	if dry, err := lineages.Next(t.Context(), l.Store, "l", true, time.Time{}); err != nil || dry.Operator != first.Operator {
		t.Errorf("dry: %v %+v", err, dry)
	}
	p := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{})
	if p.Operator != first.Operator.Name {
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
	second := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{Parents: []string{"v001"}})
	if s := l.Next(); s.Mutation != p.Key {
		t.Errorf("%+v", s)
	}
	if r := l.Decide(p.Key, lineages.DecideOptions{}); r.HeadAfter != "v002" {
		t.Fatalf("%+v", r)
	}
	if s := l.WantNext(answer.ActionRun, "", 1, "needs 1 more of v003"); s.Mutation != second.Key {
		t.Errorf("%+v", s)
	}
	// A trigger comes before all but a freeze.
	l.Run("v002", 1, 1, 1, 1, 1)
	if s := l.WantNext(answer.ActionRollback, "", 0, "below_best: "); s.Rollback == nil || s.Rollback.To != "v001" || s.Rollback.From != "v002" {
		t.Errorf("%+v", s)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Frozen = true })
	l.WantNext(answer.ActionStop, evolution.HoldFrozen, 0, "frozen by hand")
	if _, err := l.Try(lineagetest.Text("Dutch"), lineages.ProposeOptions{}); err == nil {
		t.Error("a frozen lineage took a proposal")
	} else {
		wantHint(t, err, track.ErrConflict, "lineage l is frozen", "lineage unfreeze l")
	}
	if again := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{Parents: []string{"v001"}}); !again.Known {
		t.Errorf("what was proposed before the freeze: %+v", again)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Frozen = false })
	l.Rollback(lineages.RollbackOptions{IfTriggered: true})
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
	l := newLoop(t, newStore(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Loop.MutationRate, s.Loop.StableMean = 0, 85
	})
	if s := l.WantNext(answer.ActionWait, evolution.HoldRate, 3, "mutates below 0"); s.Entry.Number != 2 || s.Considered.Choice != nil {
		t.Errorf("%+v", s)
	}
	for _, step := range []struct{ since, missing int }{{0, 3}, {1, 2}, {2, 1}} {
		if s := l.WantNext(answer.ActionWait, evolution.HoldInterval, step.missing, "since mutation was considered"); s.Entry.Number != 0 {
			t.Errorf("%+v", s)
		}
		l.Run("v001", 60)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.MutationRate, s.Loop.MinBetween = 1, 4 })
	if s := l.WantNext(answer.ActionMutate, "", 0, ""); s.Considered.Number != 2 || s.Considered.Settings != 2 {
		t.Errorf("%+v", s.Considered)
	}
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
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
	l := newLoop(t, newStore(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Loop.MaxPerDay, s.Loop.MaxHighPerDay, s.Loop.Interval = 3, 1, 1
		s.Operators = []evolution.Operator{{Name: "bold", Risk: evolution.High}, {Name: "timid", Risk: evolution.Low}}
	})
	start := clock()
	propose := func(child string, risk evolution.Risk, at time.Time) {
		t.Helper()
		m, err := l.Try(child, lineages.ProposeOptions{Operator: "by_hand", Risk: risk, At: at})
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
	if s.Action != answer.ActionMutate || s.Operator.Name != "timid" || !s.Considered.Permission.NoHigh {
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
	l := newLoop(t, newStore(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Loop.MaxPerDay, s.Loop.MaxHighPerDay = 2, 1
	})
	at := func(hour int) time.Time { return clock().Add(time.Duration(hour) * time.Hour) }
	const day, high = "in 24 hours with this one, where max_per_day is 2; the loop would have waited until ", "2 mutations of high risk in 24 hours with this one, where max_high_per_day is 1; the loop would have made none before "
	for i, c := range []struct {
		child string
		o     lineages.ProposeOptions
		want  []string
	}{
		{"French", lineages.ProposeOptions{Risk: evolution.High, Note: "n", At: at(1)}, nil},
		{"x", lineages.ProposeOptions{At: at(2)}, nil}, // is refused, and counts for nothing
		{"German", lineages.ProposeOptions{Risk: evolution.High, At: at(3)}, []string{high + at(25).Format(time.RFC3339)}},
		{"Dutch", lineages.ProposeOptions{Operator: "nosuch", At: at(4)}, []string{
			"operator nosuch is not in the settings: its risk is assumed to be MEDIUM", "3 mutations " + day + at(25).Format(time.RFC3339),
		}},
		{"Danish", lineages.ProposeOptions{At: at(5)}, []string{"4 mutations " + day + at(27).Format(time.RFC3339)}},
		{"Czech", lineages.ProposeOptions{At: at(50)}, nil},
		{"French", lineages.ProposeOptions{Risk: evolution.Low, Note: "m", CostUSD: pointer(0.5), At: at(51)}, []string{
			`is recorded with the note "n": "m" is not recorded`, "is recorded with the risk HIGH: LOW is not recorded", "is recorded with the cost none: 0.5 is not recorded",
		}},
		{"French", lineages.ProposeOptions{Note: "n", At: at(52)}, nil},
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

func TestRollback(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	_, err := lineages.Rollback(t.Context(), l.Store, "l", lineages.RollbackOptions{Best: true})
	wantHint(t, err, track.ErrInvalid, "has a score", "to=VERSION")
	_, err = lineages.Rollback(t.Context(), l.Store, "l", lineages.RollbackOptions{Previous: true})
	wantHint(t, err, track.ErrInvalid, "no version was active before v001", "to=VERSION")
	l.Run("v001", 60)
	_, err = lineages.Rollback(t.Context(), l.Store, "l", lineages.RollbackOptions{Best: true})
	wantHint(t, err, track.ErrConflict, "v001 is already active", "")
	l.Evolve("French", 70)
	l.Evolve("German", 80)
	l.Evolve("Dutch", 85)
	candidate := l.Propose(lineagetest.Text("Danish"), lineages.ProposeOptions{})
	if l.Head() != "v004" {
		t.Fatal(l.Head())
	}
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil || r.Head != "v004" || r.Number != 0 {
		t.Errorf("no trigger applies: %+v", r)
	}
	// The previous one, twice: further back each time.
	for _, want := range []string{"v003", "v002"} {
		r := l.Rollback(lineages.RollbackOptions{Previous: true})
		if r.Head != want || l.Head() != want || r.Event.Trigger != evolution.TriggerHand || r.Event.Reason != "by hand" || r.Event.State != nil || r.HeadAfter != want {
			t.Errorf("%+v", r)
		}
	}
	if r := l.Rollback(lineages.RollbackOptions{Best: true, Reason: "it was better"}); r.Head != "v004" || *r.Event.ToScore != 85 || *r.Event.FromScore != 70 || r.Event.Reason != "it was better" {
		t.Errorf("%+v", r.Event)
	}
	// To a candidate that was never active, and to what nobody proposed, which the ledger then names.
	if r := l.Rollback(lineages.RollbackOptions{To: candidate.Child}); r.Head != "v005" || r.Event.ToScore != nil {
		t.Errorf("%+v", r.Event)
	}
	l.Run("elsewhere", 50)
	if r := l.Rollback(lineages.RollbackOptions{To: "elsewhere"}); r.Head != "elsewhere" || r.Event.Version == nil || *r.Event.Version != (evolution.VersionRef{Label: "elsewhere"}) {
		t.Errorf("%+v", r.Event)
	}
	l.Rollback(lineages.RollbackOptions{To: "v005"})
	_, err = lineages.Rollback(t.Context(), l.Store, "l", lineages.RollbackOptions{To: "nosuch"})
	wantError(t, err, track.ErrNotFound)
	_, err = lineages.Rollback(t.Context(), l.Store, "l", lineages.RollbackOptions{To: "v005"})
	wantError(t, err, track.ErrConflict)
	// Below a share of the best, it goes there.
	l.Run("v005", 40)
	r := l.Rollback(lineages.RollbackOptions{IfTriggered: true})
	if r.Event == nil || r.Event.Trigger != evolution.TriggerBelowBest || r.Head != "v004" || r.Event.State == nil || r.Event.Executions != 6 || r.Event.Version != nil {
		t.Errorf("%+v", r.Event)
	}
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil {
		t.Errorf("once more: %+v", r.Event)
	}
	l.CheckReplay()
}

// What is forbidden is never gone back to, whoever chooses; what was rejected is, with a warning.
func TestRollbackForbidden(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	l.Run("v001", 60)
	l.Evolve("French", 90)
	l.Evolve("German", 95)
	l.Evolve("Dutch", 100)
	rejected := l.Propose(lineagetest.Text("Danish"), lineages.ProposeOptions{})
	l.Run("v005", 10)
	l.Decide(rejected.Key, lineages.DecideOptions{})
	refused := l.Propose("x", lineages.ProposeOptions{})
	l.Set(func(s *evolution.Settings) { s.Loop.Forbidden = []string{"french", "german"} })
	for version, pattern := range map[string]string{"v002": "french", "v003": "german"} {
		_, err := lineages.Rollback(t.Context(), l.Store, "l", lineages.RollbackOptions{To: version})
		wantHint(t, err, track.ErrConflict, version+" is forbidden in lineage l: line 1 matches "+pattern, "lineage set l forbidden=@FILE")
	}
	if r := l.Rollback(lineages.RollbackOptions{Previous: true}); r.Head != "v001" || len(r.Warnings) > 0 {
		t.Errorf("before v004: %s, %v", r.Head, r.Warnings)
	}
	for _, m := range []lineages.ProposeResult{rejected, refused} {
		r := l.Rollback(lineages.RollbackOptions{To: m.Child})
		if len(r.Warnings) != 1 || r.Warnings[0].Code != lineages.WarnNotAccepted || !strings.Contains(fmt.Sprint(r.Warnings[0].Hint), "mutation show "+m.Key) {
			t.Errorf("%s: %v", m.Child, r.Warnings)
		}
	}
	if r := l.Rollback(lineages.RollbackOptions{Best: true}); r.Head != "v004" {
		t.Errorf("the best: %s", r.Head)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Forbidden = []string{"french", "german", "dutch"} })
	l.Rollback(lineages.RollbackOptions{To: "v005"})
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event == nil || r.Head != "v001" {
		t.Errorf("the best that is allowed: %+v", r.Event)
	}
	l.Rollback(lineages.RollbackOptions{To: "v005"})
	if r := l.Rollback(lineages.RollbackOptions{Best: true}); r.Head != "v001" {
		t.Errorf("the best that is allowed: %s", r.Head)
	}
	l.CheckReplay()
}

// Two drops in a row lead back to the best; scores from before the last rollback do not count.
func TestRollbackDrops(t *testing.T) {
	l := newLoop(t, newStore(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Policy, s.Params = "threshold", []byte(`{"explore":-50,"explore_p":1,"marginal":0,"significant":5}`)
	})
	l.Run("v001", 80)
	l.Evolve("French", 79)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil || l.Head() != "v002" {
		t.Fatalf("after one drop: %+v", r.Event)
	}
	l.Evolve("German", 78)
	r := l.Rollback(lineages.RollbackOptions{IfTriggered: true})
	if r.Event == nil || r.Event.Trigger != evolution.TriggerDrops || r.Head != "v001" || !slices.Equal(r.Event.State.Scores, []float64{80, 79, 78}) {
		t.Errorf("%+v", r.Event)
	}
	l.Evolve("Dutch", 77)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil {
		t.Errorf("one drop since the rollback: %+v", r.Event)
	}
	reports, err := lineages.Operators(t.Context(), l.Store.Reader, "l")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(reports, func(r lineages.OperatorReport) bool { return r.Operator.Name == answer.OperatorByHand })
	if o := reports[i]; o.Tried != 3 || o.Accepted != 3 || o.RolledBack != 2 || o.Gain != -5 || o.CostPerPoint() != nil || o.Listed {
		t.Errorf("%+v", o)
	}
	l.CheckReplay()
}

// A rollback starts the count of drops again, also where it goes down itself.
func TestRollbackStartsAgain(t *testing.T) {
	l := newLoop(t, newStore(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Policy, s.Params = "threshold", []byte(`{"explore":-50,"explore_p":1,"marginal":0,"significant":5}`)
	})
	l.Run("v001", 70)
	l.Evolve("French", 80)
	l.Rollback(lineages.RollbackOptions{To: "v001"})
	l.Evolve("German", 69)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil || l.Head() != "v003" {
		t.Errorf("%+v", r.Event)
	}
	l.Evolve("Dutch", 68)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event == nil || r.Event.Trigger != evolution.TriggerDrops || r.Head != "v002" || !slices.Equal(r.Event.State.Scores, []float64{70, 69, 68}) {
		t.Errorf("%+v", r.Event)
	}
	l.CheckReplay()
}

// Errors of the newest executions lead back to the version before.
func TestRollbackErrors(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	l.Run("v001", 60, 60, 60)
	l.Evolve("French", 70, 70)
	l.Fail("v002", track.ExecutionError, 2)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil {
		t.Errorf("two of four: %+v", r.Event)
	}
	l.Fail("v002", track.ExecutionTimeout, 1)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event == nil || r.Event.Trigger != evolution.TriggerErrorRate || r.Head != "v001" || !near(*r.Event.State.ErrorRate, 0.6) {
		t.Errorf("%+v", r.Event)
	}
	l.CheckReplay()
}

// How operators did: tried, accepted, refused, withdrawn, with what they cost and gained.
func TestOperators(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	l.Run("v001", 60)
	step := func(child, operator string, cost float64, score float64) {
		t.Helper()
		p := l.Propose(lineagetest.Text(child), lineages.ProposeOptions{Operator: operator, CostUSD: &cost})
		l.Run(p.Child, score)
		l.Decide(p.Key, lineages.DecideOptions{})
	}
	step("French", "step_reorder", 1, 70)
	step("German", "step_reorder", 3, 50)
	step("Dutch", "example_inject", 2, 80)
	l.Propose(lineagetest.Text("Danish"), lineages.ProposeOptions{Operator: "zoo"})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", l.Propose(lineagetest.Text("Czech"), lineages.ProposeOptions{Operator: "ant"}).Key, "no", time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Propose("x", lineages.ProposeOptions{Operator: "step_reorder"})
	l.Rollback(lineages.RollbackOptions{To: "v002"})
	reports, err := lineages.Operators(t.Context(), l.Store.Reader, "l")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]lineages.OperatorReport{}
	var names []string
	for _, r := range reports {
		byName[r.Operator.Name], names = r, append(names, r.Operator.Name)
	}
	if want := []string{"ant", "zoo"}; !slices.Equal(names[len(names)-2:], want) || len(names) != len(evolution.DefaultOperators())+2 {
		t.Errorf("%v", names)
	}
	o := byName["step_reorder"]
	if o.Tried != 2 || o.Accepted != 1 || o.Rejected != 1 || o.Refused != 1 || o.RolledBack != 0 || o.CostUSD != 4 || o.Gain != 10 || *o.CostPerPoint() != 0.4 || o.AcceptRate.Value != 0.5 || o.Delta.Mean != -5 || !o.Listed {
		t.Errorf("%+v", o)
	}
	if want := (1 - 5.0/100) * 0.5; !near(o.Weight, want) { // it improved once, and its mean is below 0
		t.Errorf("weight %v, want %v", o.Weight, want)
	}
	if o := byName["example_inject"]; o.Tried != 1 || o.Accepted != 1 || o.RolledBack != 1 || o.Gain != 10 {
		t.Errorf("%+v", o)
	}
	if z, a := byName["zoo"], byName["ant"]; z.Open != 1 || a.Withdrawn != 1 || z.Delta != nil || a.AcceptRate != nil {
		t.Errorf("%+v %+v", z, a)
	}
	if u := byName["persona_adjust"]; u.Tried != 0 || u.Weight != 1.5 {
		t.Errorf("%+v", u)
	}
	// What would be drawn next is what is drawn.
	suggested, err := lineages.SuggestOperator(t.Context(), l.Store.Reader, "l")
	if err != nil || suggested.Pending {
		t.Fatal(suggested, err)
	}
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", l.Entries()[len(l.Entries())-5].Mutation, "no", time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Cooldown = 0 })
	s := l.Next()
	if s.Action != answer.ActionMutate || s.Operator != suggested.Operator || s.Considered.Operator.Raw != suggested.Draw.Raw {
		t.Errorf("suggested %+v, %+v", suggested, s)
	}
	if again, err := lineages.SuggestOperator(t.Context(), l.Store.Reader, "l"); err != nil || !again.Pending || again.Operator != suggested.Operator {
		t.Errorf("%+v %v", again, err)
	}
	l.CheckReplay()
}

// Where two versions both fail too often, triggers do not go back and forth between them; a person may, and what is
// accepted later is trusted anew.
func TestTriggersDoNotGoBackAndForth(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	l.Run("v001", 60)
	l.Evolve("French", 70)
	l.Fail("v001", track.ExecutionTimeout, 5)
	l.Fail("v002", track.ExecutionTimeout, 5)
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event == nil || r.Event.Trigger != evolution.TriggerErrorRate || r.Head != "v001" {
		t.Fatalf("%+v", r.Event)
	}
	for range 2 {
		if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event != nil || l.Head() != "v001" {
			t.Fatalf("back to what was just left: %+v", r.Event)
		}
	}
	if s := l.Next(); s.Action == answer.ActionRollback {
		t.Errorf("%+v", s)
	}
	if r := l.Rollback(lineages.RollbackOptions{To: "v002"}); r.Head != "v002" {
		t.Errorf("by hand: %+v", r.Event)
	}
	if r := l.Rollback(lineages.RollbackOptions{IfTriggered: true}); r.Event == nil || r.Head != "v001" {
		t.Errorf("after somebody went back by hand the triggers look again: %+v", r.Event)
	}
	l.CheckReplay()
}
