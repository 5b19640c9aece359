package lineages_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/lineages"
)

// Without new evidence a decision is returned as it was; with more it is the next attempt, which says so.
func TestDecideAgain(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 60, 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	if r := l.Decide(m, answer.DecideQuestion{}); r.Record.Decision.State != evolution.Continue || r.Record.Attempt != 0 || r.Mutation.State != evolution.MutationContinued {
		t.Errorf("without a trial of the child: %+v", r.Record.Decision)
	}
	l.Run("v002", 50)
	first := l.Decide(m, answer.DecideQuestion{})
	if d := first.Record; d.Attempt != 1 || d.Decision.State != evolution.Reject || first.Repeated || first.Mutation.NAttempts != 2 || len(first.Warnings) == 0 || warned(first.Warnings, lineages.WarnAttempts, "") {
		t.Errorf("%+v %v", first.Record, first.Warnings)
	}
	again := l.Decide(m, answer.DecideQuestion{})
	if !again.Repeated || again.Hash != first.Hash || again.Number != first.Number || again.Mutation.NAttempts != 2 {
		t.Errorf("again: %+v", again)
	}
	dry := l.Decide(m, answer.DecideQuestion{DryRun: true})
	if !dry.Repeated || dry.Hash != first.Hash {
		t.Errorf("dry: %+v", dry)
	}
	n := len(l.Entries())
	l.Run("v002", 90, 95, 99)
	if r := l.Decide(m, answer.DecideQuestion{DryRun: true}); r.Repeated || r.Record.Attempt != 2 || !r.Record.Decision.Accepted || r.HeadAfter != "v002" || r.Now != "v001" || len(l.Entries()) != n || l.Head() != "v001" {
		t.Errorf("a dry run: %+v", r)
	}
	r := l.Decide(m, answer.DecideQuestion{})
	if r.Record.Attempt != 2 || !r.Record.Decision.Accepted || r.HeadBefore != "v001" || r.HeadAfter != "v002" || r.Now != "v002" || l.Head() != "v002" {
		t.Errorf("%+v", r)
	}
	if !warned(r.Warnings, lineages.WarnAttempts, "decided before, once") { // the one that asked for more does not count
		t.Errorf("%v", r.Warnings)
	}
	if r.Record.Draw.Attempt != 2 || r.Record.Draw.U == first.Record.Draw.U {
		t.Errorf("draws %+v and %+v", first.Record.Draw, r.Record.Draw)
	}
	// What was accepted and is worse now stays active, and says so.
	l.Run("v002", 1, 2, 3, 4, 5)
	if r := l.Decide(m, answer.DecideQuestion{}); r.Record.Decision.Accepted || l.Head() != "v002" || r.Mutation.State != evolution.MutationRejected || !warned(r.Warnings, lineages.WarnWasAccepted, "v002 stays active; leave it: rollback l") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
		if r := l.Decide(m, answer.DecideQuestion{}); !r.Repeated || !warned(r.Warnings, lineages.WarnWasAccepted, "v002 stays active") {
			t.Errorf("asked again: %+v", r)
		}
	}
	l.CheckReplay()
}

// Loops that share a lineage see the same mutation to decide. The one that comes second, after further trials were
// recorded, leaves it decided once.
func TestDecideIfOpen(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 60, 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	open := answer.DecideQuestion{IfOpen: true}
	if r := l.Decide(m, open); r.Repeated || r.Record.Decision.State != evolution.Continue {
		t.Errorf("without a trial of the child: %+v", r.Record.Decision)
	}
	l.Run("v002", 50)
	first := l.Decide(m, open)
	if first.Repeated || first.Record.Decision.State != evolution.Reject {
		t.Errorf("an open mutation: %+v", first.Record.Decision)
	}
	l.Run("v002", 90, 95, 99)
	if r := l.Decide(m, open); !r.Repeated || r.Hash != first.Hash || l.Head() != "v001" {
		t.Errorf("a rejected one: %+v", r)
	}
	second := l.Decide(m, answer.DecideQuestion{})
	if r := l.Decide(m, open); !second.Record.Decision.Accepted || !r.Repeated || r.Hash != second.Hash {
		t.Errorf("an accepted one: %+v, after %+v", r, second)
	}
}

// Another policy is another question, and visible as such; that of the settings, named, is none.
func TestDecideOverride(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	l.Run("v002", 70)
	threshold, err := evolution.DefaultPolicy("threshold")
	if err != nil {
		t.Fatal(err)
	}
	first := l.Decide(m, answer.DecideQuestion{Policy: evolution.Greedy{Eps: 20}})
	if !first.Record.Override || first.Record.Policy != "greedy" || string(first.Record.Params) != `{"eps":20}` || !warned(first.Warnings, lineages.WarnOverridden, "decided by greedy; the policy of the lineage is") {
		t.Errorf("%+v %v", first.Record, first.Warnings)
	}
	if r := l.Decide(m, answer.DecideQuestion{Policy: evolution.Greedy{Eps: 20}}); !r.Repeated || !warned(r.Warnings, lineages.WarnOverridden, "") {
		t.Errorf("the same again: %+v", r)
	}
	second := l.Decide(m, answer.DecideQuestion{Policy: threshold})
	if second.Record.Override || second.Record.Attempt != 1 || !second.Record.Decision.Accepted || warned(second.Warnings, lineages.WarnOverridden, "") || !warned(second.Warnings, lineages.WarnAttempts, "once") {
		t.Errorf("%+v %v", second.Record, second.Warnings)
	}
	if r := l.Decide(m, answer.DecideQuestion{}); !r.Repeated || r.Number != second.Number {
		t.Errorf("without a policy: %+v", r)
	}
	l.CheckReplay()
	history, err := lineages.ShowMutation(t.Context(), l.Store.Reader, answer.MutationQuestion{Lineage: "l", Mutation: m})
	if err != nil || len(history.Decisions) != 2 || !warned(history.Decisions[0].Warnings, lineages.WarnOverridden, "") || !warned(history.Decisions[1].Warnings, lineages.WarnAttempts, "") {
		t.Errorf("%v %+v", err, history.Decisions)
	}
}

// A child that was compared with a version that is no longer active does not take the place of another one.
func TestDecideStaleParent(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 60)
	a, b := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key, l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{}).Key
	l.Run("v002", 70)
	l.Run("v003", 80)
	if _, err := lineages.Decide(t.Context(), l.Store, "l", a, answer.DecideQuestion{ExpectHead: "v003"}); err == nil {
		t.Error("another head than was expected")
	} else {
		wantHint(t, err, track.ErrConflict, "v001 is active in lineage l, not v003", "lineage show l")
	}
	l.Decide(a, answer.DecideQuestion{ExpectHead: "v001"})
	r := l.Decide(b, answer.DecideQuestion{})
	if !r.Record.Decision.Accepted || r.HeadBefore != "v002" || r.HeadAfter != "v002" || l.Head() != "v002" || !warned(r.Warnings, lineages.WarnStaleParent, "mutation propose lineage=l parent=v002") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	again := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{Parents: []string{"v002"}})
	if again.Key == b || again.Child != "v003" || again.NewChild {
		t.Errorf("%+v", again)
	}
	if r := l.Decide(again.Key, answer.DecideQuestion{}); r.HeadAfter != "v003" || warned(r.Warnings, lineages.WarnStaleParent, "") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	l.CheckReplay()
}

// A failed trial counts as the worst score, however much it had; what is open, or was not measured, is left out, and
// that is said.
func TestDecideLeavesOut(t *testing.T) {
	st := testdb.New(t)
	l := newLoop(t, st, func(s *evolution.Settings) { s.ScoreFrom = "" })
	l.Run("v001", 60, 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	l.Run("v002", 70)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Status, e.Score = track.ExecutionTimeout, pointer(100.0) }), false)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Score, e.Source = pointer(100.0), "codex" }), true)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Score = nil }), false)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Score = nil }), false)
	r := l.Decide(m, answer.DecideQuestion{})
	d := r.Record.Decision
	if *d.NewScore != 33.157894737 || d.NChild != 2 || d.FailedChild != 1 || len(r.Record.Evidence.Child) != 2 {
		t.Errorf("%+v", d)
	}
	if !warned(r.Warnings, lineages.WarnLeftOut, "left out of the child: 1 execution that may not have ended, 2 executions without a score") || warned(r.Warnings, lineages.WarnLeftOut, "of the parent") {
		t.Errorf("%v", r.Warnings)
	}
	for _, trial := range r.Record.Evidence.Child {
		if trial.Failed != "" && (trial.Score != nil || trial.Failed != "timeout") {
			t.Errorf("%+v", trial)
		}
	}
	// Failures are left out by a setting. Three of them, and no score at all: given up.
	l.Set(func(s *evolution.Settings) { s.Failures = evolution.FailuresExclude })
	given := l.Propose(lineagetest.Text("Dutch"), answer.ProposeQuestion{Parents: []string{"v001"}})
	l.Fail(given.Child, track.ExecutionInvalid, 2)
	if r := l.Decide(given.Key, answer.DecideQuestion{}); r.Record.Decision.State != evolution.Continue {
		t.Errorf("%+v", r.Record.Decision)
	}
	l.Fail(given.Child, track.ExecutionError, 1)
	if r := l.Decide(given.Key, answer.DecideQuestion{}); r.Record.Decision.Label != evolution.ChildFailed || r.Record.Decision.State != evolution.Reject || r.Mutation.Delta != nil {
		t.Errorf("%+v", r.Record.Decision)
	}
	l.CheckReplay()
}

// Scores under different rubrics are not compared; the way out is named, and works.
func TestDecideMixedRubrics(t *testing.T) {
	st := testdb.New(t)
	l := newLoop(t, st, func(s *evolution.Settings) { s.ScoreFrom = "" })
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	e := trackertest.Task("k", 3)
	e.Version = "v002"
	l.Record(e, false)
	if _, err := lineages.Decide(t.Context(), st, "l", m, answer.DecideQuestion{}); err == nil {
		t.Error("two rubrics were compared")
	} else {
		wantHint(t, err, track.ErrInvalid, "under:", "lineage set l score-from=")
	}
	if n := len(l.Entries()); n != 2 {
		t.Errorf("%d entries", n)
	}
	own := trackertest.Task("k2", 3)
	own.Version, own.Score = "v001", pointer(99.0)
	l.Record(own, false)
	l.Set(func(s *evolution.Settings) { s.ScoreFrom = "rubric/2" })
	r := l.Decide(m, answer.DecideQuestion{})
	if d := r.Record.Decision; d.NChild != 1 || d.NParent != 1 || r.Record.Evidence.Child[0].Under != "rubric/2" || r.Record.Settings != 2 || !warned(r.Warnings, lineages.WarnLeftOut, "left out of the parent: 1 execution without a score") {
		t.Errorf("%+v %v", r.Record, r.Warnings)
	}
	l.CheckReplay()
}

// A generator of the loop's own: the draw is one of its numbers, goes on from state to state, and replays.
func TestDecidePCG(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	state, err := rand.NewPCG(1, 2).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	l.Run("v002", 59)
	r := l.Decide(m, answer.DecideQuestion{PCGState: state})
	generator := rand.NewPCG(1, 2)
	if d := r.Record.Draw; uint64(d.Raw) != generator.Uint64() || d.Algorithm != evolution.PCGDXSM || d.StateBefore != hex.EncodeToString(state) || !r.Record.Decision.DrawUsed {
		t.Errorf("%+v", d)
	}
	after, err := r.Record.Draw.PCGState()
	if err != nil {
		t.Fatal(err)
	}
	l.Run("v002", 59)
	if r := l.Decide(m, answer.DecideQuestion{PCGState: after}); uint64(r.Record.Draw.Raw) != generator.Uint64() || r.Record.Attempt != 1 {
		t.Errorf("%+v", r.Record.Draw)
	}
	if _, err := lineages.Decide(t.Context(), l.Store, "l", m, answer.DecideQuestion{PCGState: []byte("x"), Policy: evolution.Greedy{}}); err == nil {
		t.Error("no state of a generator")
	} else {
		trackertest.WantError(t, err, track.ErrInvalid)
	}
	l.CheckReplay()
	draws, err := lineages.ListDraws(t.Context(), l.Store.Reader, answer.OptionalLineageQuestion{Lineage: "l"})
	if err != nil || len(draws.Items) != 2 || *draws.Items[0].P != 0.2 || !draws.Items[0].Used || draws.Items[0].Draw.Algorithm != evolution.PCGDXSM {
		t.Errorf("%v %+v", err, draws)
	}
}

func simulation(t testing.TB) *loop {
	t.Helper()
	return &loop{lineagetest.Simulation(t, testdb.New(t))}
}

func ids(trials []evolution.Trial) string {
	var list []string
	for _, t := range trials {
		score := t.Failed
		if t.Score != nil {
			score = fmt.Sprintf("%.0f", *t.Score)
		}
		list = append(list, t.Key+":"+score)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// The trials of a simulation are the seeds under its parameters, of one revision of the code, judged under the active
// spec.
func TestDecideSeeds(t *testing.T) {
	l := simulation(t)
	good, bad := map[string]float64{"a": 0.5, "b": 0.5}, map[string]float64{"a": 0.5, "b": 90}
	m := l.Propose(`{"theta": 12}`, answer.ProposeQuestion{}).Key
	if p := l.Propose(`{"theta":12.5}`, answer.ProposeQuestion{}); len(p.Refusals) > 0 {
		t.Errorf("%+v", p.Refusals)
	}
	if _, err := l.Try("theta: 12", answer.ProposeQuestion{}); err == nil {
		t.Error("no JSON object of parameters")
	} else {
		trackertest.WantError(t, err, track.ErrInvalid)
	}
	l.Simulate(`{"theta":10}`, "old", map[track.SeedNumber]map[string]float64{1: bad, 2: bad, 3: bad, 18446744073709551615: good})
	l.Simulate(`{"theta":10.0}`, "new", map[track.SeedNumber]map[string]float64{1: bad, 2: good, 3: nil, 4: {"a": 0.5}})
	l.Simulate(`{"theta":12}`, "new", map[track.SeedNumber]map[string]float64{1: good, 2: good, 5: good})
	l.Simulate(`{"theta":12}`, "newer", map[track.SeedNumber]map[string]float64{7: bad}) // which the parent has not run
	r := l.Decide(m, answer.DecideQuestion{})
	if got := ids(r.Record.Evidence.Child); got != "1:100 2:100 5:100" {
		t.Errorf("child %s", got)
	}
	if got := ids(r.Record.Evidence.Parent); !strings.HasPrefix(got, "1:") || !strings.HasSuffix(got, " 2:100 3:collapsed 4:incomplete") {
		t.Errorf("parent %s", got)
	}
	if d := r.Record.Decision; d.NPairs != 2 || !d.Accepted || d.FailedParent != 2 || l.Head() != "v002" {
		t.Errorf("%+v", d)
	}
	if !warned(r.Warnings, lineages.WarnLeftOut, "left out of the child: 1 seed under another revision") || !warned(r.Warnings, lineages.WarnLeftOut, "left out of the parent: 4 seeds under another revision") {
		t.Errorf("%v", r.Warnings)
	}
	l.CheckReplay()
	// Of several revisions that both sides have, the most recent one.
	l.Simulate(`{"theta":10}`, "newer", map[track.SeedNumber]map[string]float64{7: good, 8: good})
	r = l.Decide(m, answer.DecideQuestion{Policy: evolution.Greedy{}})
	if child, parent := ids(r.Record.Evidence.Child), ids(r.Record.Evidence.Parent); !strings.HasPrefix(child, "7:") || strings.Contains(child, " ") || parent != "7:100 8:100" {
		t.Errorf("child %s, parent %s", child, parent)
	}
	// A new spec judges nothing by itself: what it has not judged is left out until a rescore.
	l.Simulate(`{"theta":12.5}`, "new", map[track.SeedNumber]map[string]float64{1: good})
	other := l.Propose(`{"theta":12.5}`, answer.ProposeQuestion{Parents: []string{"v002"}})
	lineagetest.AddSpec(t, l.Store, [2]float64{0, 1}, [2]float64{0, 100})
	r = l.Decide(other.Key, answer.DecideQuestion{})
	if r.Record.Decision.State != evolution.Continue || !warned(r.Warnings, lineages.WarnLeftOut, "never judged under the active spec") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	// What is planned are seeds that neither side has; nothing is recorded.
	before := len(l.Entries())
	plan, err := lineages.PlanDecision(t.Context(), l.Store.Reader, answer.PlanQuestion{Lineage: "theta", Mutation: other.Key, Policy: evolution.Confirm{Effect: 2, Alpha: 0.05, Beta: 0.2, Pairs: 16}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range plan.Need.Trials {
		if seen[p.Side+p.Key] || p.Key == "" {
			t.Errorf("%+v", plan.Need.Trials)
		}
		seen[p.Side+p.Key] = true
	}
	if len(plan.Need.Trials) == 0 || len(l.Entries()) != before {
		t.Errorf("%+v", plan)
	}
}
