package lineages_test

import (
	"fmt"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/tracker/lineages"
)

// label records an execution of a version for each value of a label, with its own score, on tasks t1 and so on.
func (l *loop) label(version, name string, own float64, values ...float64) {
	l.T.Helper()
	for i, value := range values {
		l.Record(l.Execution(version, func(e *track.Execution) {
			e.Task, e.Score, e.Truths = fmt.Sprint("t", i+1), &own, map[string]float64{name: value}
		}), false)
	}
}

// A ground-truth label decides against the caller's scores. What lacks it is left out and counted.
func TestDecideByTruth(t *testing.T) {
	st := testdb.New(t)
	l := newLoop(t, st, nil)
	l.label("v001", "reward", 90, 0, 1, 0)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	l.label("v002", "reward", 10, 1, 1, 1)
	l.Run("v002", 99)
	if r := l.Decide(m, answer.DecideQuestion{DryRun: true}); r.Record.Decision.Accepted || r.Record.Score.From != "own" {
		t.Errorf("by own scores: %+v", r.Record.Score)
	} else if a := r.Record.Score.Agreement; len(a) != 1 || a[0].Truth != "reward" || a[0].NSuccess != 4 || a[0].NFailure != 2 || a[0].AUC != 0.125 {
		t.Errorf("the scores 90 of one success and two failures, and 10 of three successes, agree so: %+v", a)
	}
	l.Set(func(s *evolution.Settings) { s.ScoreFrom = "truth:reward" })
	r := l.Decide(m, answer.DecideQuestion{})
	use, d := r.Record.Score, r.Record.Decision
	if !d.Accepted || d.NChild != 3 || d.NParent != 3 || *d.NewScore != 100 || use.From != "truth:reward" || use.Times != 100 || use.WithoutChild != 1 || use.WithoutParent != 0 {
		t.Errorf("%+v %+v", use, d)
	}
	if len(use.Agreement) != 0 {
		t.Errorf("a label agrees with itself: %+v", use.Agreement)
	}
	// The kind of later settings changes nothing about this decision.
	l.Set(func(s *evolution.Settings) { s.ScoreFrom = "own" })
	l.CheckReplay()
	one, err := lineages.ReplayLineages(t.Context(), st.Reader, answer.ReplayQuestion{Lineage: "l", Decision: r.ID(), Strict: true})
	if err != nil || len(one.Items[0].Differences) > 0 {
		t.Errorf("%v %v", err, one.Items[0].Differences)
	}
	// Another policy judges the same labels.
	again, err := lineages.Replay(t.Context(), st.Reader, "l", answer.ReplayQuestion{Counterfactual: evolution.Greedy{}})
	if err != nil || len(again.Alternatives) != 1 || again.Alternatives[0].Was != evolution.Accept {
		t.Errorf("%v %+v", err, again.Alternatives)
	}
}

// A label beyond the scale is refused with the two ways out, and both work.
func TestDecideByTruthOfAnotherScale(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) { s.ScoreFrom = "truth:points" })
	l.label("v001", "points", 0, 3, 3)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	l.label("v002", "points", 0, 7, 8)
	_, err := lineages.Decide(t.Context(), l.Store, "l", m, answer.DecideQuestion{})
	wantHint(t, err, track.ErrInvalid, "score: 700 is not between 0 and 100", "score-times=FACTOR")
	ten := 10.0
	l.Set(func(s *evolution.Settings) { s.ScoreTimes = &ten })
	if r := l.Decide(m, answer.DecideQuestion{DryRun: true}); *r.Record.Decision.OldScore != 30 || r.Record.Score.Times != 10 {
		t.Errorf("%+v", r.Record)
	}
	l.Set(func(s *evolution.Settings) { *s = s.WithScale(evolution.Scale{Points: 1}); s.ScoreTimes = nil })
	if r := l.Decide(m, answer.DecideQuestion{}); *r.Record.Decision.OldScore != 3 || r.Record.Score.Times != 1 {
		t.Errorf("%+v", r.Record)
	}
	l.CheckReplay()
}

// A component of a rubric decides as a share of 100.
func TestDecideByComponent(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) { s.ScoreFrom = "component:tool_success_rate@rubric/2" })
	run := func(version string, exits ...int) {
		l.Record(l.Execution(version, func(e *track.Execution) {
			for _, exit := range exits {
				e.Calls = append(e.Calls, track.ToolCall{Tool: "Bash", Exit: &exit, Answered: true})
			}
		}), false)
	}
	run("v001", 0, 1, 1, 1)
	run("v001")
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	run("v002", 0, 0, 0, 1)
	r := l.Decide(m, answer.DecideQuestion{})
	if d := r.Record.Decision; *d.OldScore != 25 || *d.NewScore != 75 || r.Record.Score.WithoutParent != 1 {
		t.Errorf("%+v %+v", d, r.Record.Score)
	}
	l.CheckReplay()
}

// Another judge, or another prompt of the same judge, is another kind of score.
func TestDecideByJudge(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) { s.ScoreFrom = "" })
	first, second := track.Judge{Model: "m", Prompt: track.TextDigest{1}}, track.Judge{Model: "m", Prompt: track.TextDigest{2}}
	judge := func(version string, by track.Judge, score float64) {
		l.Record(l.Execution(version, func(e *track.Execution) { e.Score, e.Judge = &score, &by }), false)
	}
	judge("v001", first, 50)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	judge("v002", second, 90)
	_, err := lineages.Decide(t.Context(), l.Store, "l", m, answer.DecideQuestion{})
	wantHint(t, err, track.ErrInvalid, second.Rubric(), "score-from=KIND")
	judge("v002", first, 60)
	l.Set(func(s *evolution.Settings) { s.ScoreFrom = evolution.ScoreSource(first.Rubric()) })
	r := l.Decide(m, answer.DecideQuestion{})
	if d := r.Record.Decision; *d.NewScore != 60 || d.NChild != 1 || r.Record.Score.WithoutChild != 1 || !strings.HasPrefix(string(r.Record.Score.From), "judge:m@01") {
		t.Errorf("%+v %+v", d, r.Record.Score)
	}
	l.CheckReplay()
}

// Holdout tasks, and executions that were recorded so, count in no decision, fitness, rollback, signal or plan.
func TestHoldoutNeverDecides(t *testing.T) {
	st := testdb.New(t)
	l := newLoop(t, st, func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Holdout = s.Holdout.With("t3")
	})
	l.Run("v001", 50, 50, 100)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	l.Run("v002", 60, 60, 0)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Holdout = true }), false)
	r := l.Decide(m, answer.DecideQuestion{})
	if d, use := r.Record.Decision, r.Record.Score; *d.OldScore != 50 || *d.NewScore != 60 || !d.Accepted || use.HoldoutChild != 2 || use.HoldoutParent != 1 || use.WithoutChild != 0 {
		t.Errorf("%+v %+v", d, use)
	}
	for _, trial := range append(r.Record.Evidence.Child, r.Record.Evidence.Parent...) {
		if trial.Key == "t3" {
			t.Errorf("evidence of a holdout task: %+v", trial)
		}
	}
	l.CheckReplay()
	v, err := lineages.ShowVersion(t.Context(), st.Reader, answer.VersionQuestion{Of: answer.VersionSelector{Lineage: "l", Version: "v002"}})
	if err != nil || *v.Fitness != 60 {
		t.Errorf("%v %+v", err, v)
	}
	// The newest executions of the active version say what an operator is for, but for those that are held out.
	for range 30 {
		l.Record(l.Execution("v002", func(e *track.Execution) {
			e.Task, e.Calls = "t3", []track.ToolCall{{Tool: "Bash", Error: "boom", Answered: true}}
		}), false)
	}
	s := l.Next()
	if s.Rollback != nil || s.Considered == nil || s.Considered.Signals.ErrorRate != nil && *s.Considered.Signals.ErrorRate > 0 {
		t.Errorf("%+v", s)
	}
	// A policy that wants pairs of the same tasks asks for no holdout task.
	third := l.Propose(lineagetest.Text("Dutch"), answer.ProposeQuestion{})
	plan := l.Decide(third.Key, answer.DecideQuestion{Policy: evolution.Confirm{Effect: 2, Alpha: 0.05, Beta: 0.2, Pairs: 16}, DryRun: true})
	need := plan.Record.Decision.Need
	if need == nil || len(need.ChildKeys) != 2 {
		t.Fatalf("%+v", need)
	}
	for _, key := range need.ChildKeys {
		if key == "t3" {
			t.Errorf("%+v", need)
		}
	}
}

// A fitness that was stored under another holdout or kind of score is computed again.
func TestHoldoutChangesFitness(t *testing.T) {
	st := testdb.New(t)
	l := newLoop(t, st, nil)
	l.label("v001", "reward", 20, 1, 1, 0)
	fitness := func() float64 {
		t.Helper()
		v, err := lineages.ShowVersion(t.Context(), st.Reader, answer.VersionQuestion{Of: answer.VersionSelector{Lineage: "l", Version: "v001"}})
		if err != nil || v.Fitness == nil {
			t.Fatalf("%v %+v", err, v)
		}
		return *v.Fitness
	}
	if fitness() != 20 {
		t.Errorf("%v", fitness())
	}
	l.Set(func(s *evolution.Settings) { s.ScoreFrom, s.Holdout = "truth:reward", s.Holdout.With("t3") })
	l.Set(func(s *evolution.Settings) { s.Loop.Interval = 7 }) // a change stores the fitness
	if fitness() != 100 {
		t.Errorf("%v", fitness())
	}
	l.Set(func(s *evolution.Settings) { s.Holdout = nil })
	if got := fitness(); got == 100 {
		t.Errorf("%v", got)
	}
}
