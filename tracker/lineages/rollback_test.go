package lineages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/lineages"
)

func TestRollback(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	_, err := lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", Best: true})
	wantHint(t, err, track.ErrInvalid, "has a score", "to=VERSION")
	_, err = lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", Previous: true})
	wantHint(t, err, track.ErrInvalid, "no version was active before v001", "to=VERSION")
	l.Run("v001", 60)
	_, err = lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", Best: true})
	wantHint(t, err, track.ErrConflict, "v001 is already active", "")
	l.Evolve("French", 70)
	l.Evolve("German", 80)
	l.Evolve("Dutch", 85)
	candidate := l.Propose(lineagetest.Text("Danish"), answer.ProposeQuestion{})
	if l.Head() != "v004" {
		t.Fatal(l.Head())
	}
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil || r.Head != "v004" || r.Number != 0 {
		t.Errorf("no trigger applies: %+v", r)
	}
	// The previous one, twice: further back each time.
	for _, want := range []string{"v003", "v002"} {
		r := l.Rollback(answer.RollbackQuestion{Previous: true})
		if r.Head != want || l.Head() != want || r.Event.Trigger != evolution.TriggerHand || r.Event.Reason != "by hand" || r.Event.State != nil {
			t.Errorf("%+v", r)
		}
	}
	if r := l.Rollback(answer.RollbackQuestion{Best: true, Reason: "it was better"}); r.Head != "v004" || *r.Event.ToScore != 85 || *r.Event.FromScore != 70 || r.Event.Reason != "it was better" {
		t.Errorf("%+v", r.Event)
	}
	// To a candidate that was never active, and to what nobody proposed, which the ledger then names.
	_, err = lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", To: candidate.Child})
	wantHint(t, err, track.ErrInvalid, "v005 was never tried: it has no trial, and was never active", "untested")
	if l.Head() != "v004" {
		t.Errorf("%s is active", l.Head())
	}
	r := l.Rollback(answer.RollbackQuestion{To: candidate.Child, Untested: true})
	if r.Head != "v005" || r.Event.ToScore != nil || len(r.Warnings) != 1 || r.Warnings[0].Message != "v005 was never tried" {
		t.Errorf("%+v, %v", r.Event, r.Warnings)
	}
	// What was measured of a proposal that was taken back is no trial.
	gone := l.Propose(lineagetest.Text("Swedish"), answer.ProposeQuestion{})
	l.Record(track.Execution{Lineage: "l", Version: gone.Child, Source: "test", Key: "minibatch", Status: track.ExecutionOK}, false)
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", gone.Key, "rejected by its source", time.Time{}); err != nil {
		t.Fatal(err)
	}
	_, err = lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", To: gone.Child})
	wantHint(t, err, track.ErrInvalid, "v006 was never tried", "untested")
	l.Run("elsewhere", 50)
	if r := l.Rollback(answer.RollbackQuestion{To: "elsewhere"}); r.Head != "elsewhere" || r.Event.Version == nil || *r.Event.Version != (evolution.VersionRef{Label: "elsewhere"}) {
		t.Errorf("%+v", r.Event)
	}
	l.Rollback(answer.RollbackQuestion{To: "v005"})
	_, err = lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", To: "nosuch"})
	trackertest.WantError(t, err, track.ErrNotFound)
	_, err = lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", To: "v005"})
	trackertest.WantError(t, err, track.ErrConflict)
	// Below a share of the best, it goes there.
	l.Run("v005", 40)
	r = l.Rollback(answer.RollbackQuestion{IfTriggered: true})
	if r.Event == nil || r.Event.Trigger != evolution.TriggerBelowBest || r.Head != "v004" || r.Event.State == nil || r.Event.Executions != 7 || r.Event.Version != nil {
		t.Errorf("%+v", r.Event)
	}
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil {
		t.Errorf("once more: %+v", r.Event)
	}
	l.CheckReplay()
}

// What is forbidden is never gone back to, whoever chooses; what was rejected is, with a warning.
func TestRollbackForbidden(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	l.Run("v001", 60)
	l.Evolve("French", 90)
	l.Evolve("German", 95)
	l.Evolve("Dutch", 100)
	rejected := l.Propose(lineagetest.Text("Danish"), answer.ProposeQuestion{})
	l.Run("v005", 10)
	l.Decide(rejected.Key, answer.DecideQuestion{})
	refused := l.Propose("x", answer.ProposeQuestion{})
	l.Set(func(s *evolution.Settings) { s.Loop.Forbidden = []string{"french", "german"} })
	for version, pattern := range map[string]string{"v002": "french", "v003": "german"} {
		_, err := lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", To: version})
		wantHint(t, err, track.ErrConflict, version+" is forbidden in lineage l: line 1 matches "+pattern, "lineage set l forbidden=@FILE")
	}
	if r := l.Rollback(answer.RollbackQuestion{Previous: true}); r.Head != "v001" || len(r.Warnings) > 0 {
		t.Errorf("before v004: %s, %v", r.Head, r.Warnings)
	}
	for _, m := range []lineages.ProposeResult{rejected, refused} {
		r := l.Rollback(answer.RollbackQuestion{To: m.Child, Untested: m.Child == refused.Child})
		if n := len(r.Warnings); m.Child == refused.Child {
			r.Warnings = r.Warnings[1:] // it was never tried
		} else if n != 1 {
			t.Errorf("%s: %v", m.Child, r.Warnings)
		}
		if len(r.Warnings) != 1 || r.Warnings[0].Code != lineages.WarnNotAccepted || !strings.Contains(fmt.Sprint(r.Warnings[0].Hint), "mutation show "+m.Key) {
			t.Errorf("%s: %v", m.Child, r.Warnings)
		}
	}
	if r := l.Rollback(answer.RollbackQuestion{Best: true}); r.Head != "v004" {
		t.Errorf("the best: %s", r.Head)
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Forbidden = []string{"french", "german", "dutch"} })
	l.Rollback(answer.RollbackQuestion{To: "v005"})
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event == nil || r.Head != "v001" {
		t.Errorf("the best that is allowed: %+v", r.Event)
	}
	l.Rollback(answer.RollbackQuestion{To: "v005"})
	if r := l.Rollback(answer.RollbackQuestion{Best: true}); r.Head != "v001" {
		t.Errorf("the best that is allowed: %s", r.Head)
	}
	l.CheckReplay()
}

// gains are the differences of versions that were active one after the other.
func gains(steps []evolution.Step) (list []float64) {
	for _, s := range steps {
		list = append(list, s.Against.Gain())
	}
	return list
}

// Two drops in a row lead back to the best; scores from before the last rollback do not count.
func TestRollbackDrops(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Policy, s.Params = "threshold", []byte(`{"explore":-50,"explore_p":1,"marginal":0,"significant":5}`)
	})
	l.Run("v001", 80)
	l.Evolve("French", 79)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil || l.Head() != "v002" {
		t.Fatalf("after one drop: %+v", r.Event)
	}
	l.Evolve("German", 78)
	r := l.Rollback(answer.RollbackQuestion{IfTriggered: true})
	if r.Event == nil || r.Event.Trigger != evolution.TriggerDrops || r.Head != "v001" || !slices.Equal(gains(r.Event.State.Steps), []float64{-1, -1}) {
		t.Errorf("%+v", r.Event)
	}
	l.Evolve("Dutch", 77)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil {
		t.Errorf("one drop since the rollback: %+v", r.Event)
	}
	reports, err := lineages.ShowOperators(t.Context(), l.Store.Reader, answer.OperatorsQuestion{Lineage: "l"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(reports.Operators, func(r answer.Operator) bool { return r.Operator == answer.OperatorByHand })
	if o := reports.Operators[i]; o.Proposed != 3 || o.Accepted != 3 || o.RolledBack != 2 || o.Gain != -5 || o.CostPerPoint != nil || o.Listed {
		t.Errorf("%+v", o)
	}
	l.CheckReplay()
}

// A rollback starts the count of drops again, also where it goes down itself.
func TestRollbackStartsAgain(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Policy, s.Params = "threshold", []byte(`{"explore":-50,"explore_p":1,"marginal":0,"significant":5}`)
	})
	l.Run("v001", 70)
	l.Evolve("French", 80)
	l.Rollback(answer.RollbackQuestion{To: "v001"})
	l.Evolve("German", 69)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil || l.Head() != "v003" {
		t.Errorf("%+v", r.Event)
	}
	l.Evolve("Dutch", 68)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event == nil || r.Event.Trigger != evolution.TriggerDrops || r.Head != "v002" || !slices.Equal(gains(r.Event.State.Steps), []float64{-1, -1}) {
		t.Errorf("%+v", r.Event)
	}
	l.CheckReplay()
}

// Errors of the newest executions lead back to the version before.
func TestRollbackErrors(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Rollback.BestShare = 0 // failures lower the fitness, too
	})
	l.Run("v001", 60, 60, 60)
	l.Evolve("French", 70, 70)
	l.Fail("v002", track.ExecutionError, 2)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil {
		t.Errorf("two of four: %+v", r.Event)
	}
	l.Fail("v002", track.ExecutionTimeout, 1)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event == nil || r.Event.Trigger != evolution.TriggerErrorRate || r.Head != "v001" || !trackertest.Near(*r.Event.State.ErrorRate, 0.6) {
		t.Errorf("%+v", r.Event)
	}
	l.CheckReplay()
}

// Where two versions both fail too often, triggers do not go back and forth between them; a person may, and what is
// accepted later is trusted anew.
func TestTriggersDoNotGoBackAndForth(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	l.Run("v001", 60)
	l.Evolve("French", 70)
	l.Fail("v001", track.ExecutionTimeout, 5)
	l.Fail("v002", track.ExecutionTimeout, 5)
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event == nil || r.Event.Trigger != evolution.TriggerErrorRate || r.Head != "v001" {
		t.Fatalf("%+v", r.Event)
	}
	for range 2 {
		if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil || l.Head() != "v001" {
			t.Fatalf("back to what was just left: %+v", r.Event)
		}
	}
	if s := l.Next(); s.Action == answer.ActionRollback {
		t.Errorf("%+v", s)
	}
	if r := l.Rollback(answer.RollbackQuestion{To: "v002"}); r.Head != "v002" {
		t.Errorf("by hand: %+v", r.Event)
	}
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event == nil || r.Head != "v001" {
		t.Errorf("after somebody went back by hand the triggers look again: %+v", r.Event)
	}
	l.CheckReplay()
}

// A version that was tried on harder tasks than the best is compared on the tasks that both have.
func TestRollbackComparesCommonTasks(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	run := func(version, task string, score float64) {
		l.Record(l.Execution(version, func(e *track.Execution) { e.Task, e.Score = task, &score }), false)
	}
	run("v001", "easy", 90)
	run("v001", "hard", 20)
	p := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
	run(p.Child, "hard", 30)
	l.Rollback(answer.RollbackQuestion{To: p.Child})
	if r := l.Rollback(answer.RollbackQuestion{IfTriggered: true}); r.Event != nil {
		t.Errorf("it is better on the common task, and %+v", r.Event)
	}
	_, err := lineages.RollBack(t.Context(), l.Store, answer.RollbackQuestion{Lineage: "l", Best: true})
	wantHint(t, err, track.ErrConflict, p.Child+" is already active", "")
	run(p.Child, "easy", 9)
	r := l.Rollback(answer.RollbackQuestion{IfTriggered: true})
	if r.Event == nil || r.Event.Trigger != evolution.TriggerBelowBest || r.Head != "v001" || r.Event.Tasks != 2 || *r.Event.FromScore != 19.5 || *r.Event.ToScore != 55 {
		t.Errorf("%+v", r.Event)
	}
	l.CheckReplay()
}
