package lineages_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	cryptorand "crypto/rand"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/store"
	"track/tracker/lineages"
)

// Without new evidence a decision is returned as it was; with more it is the next attempt, which says so.
func TestDecideAgain(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.Run("v001", 60, 60)
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	if r := l.Decide(m, lineages.DecideOptions{}); r.Record.Decision.State != evolution.Continue || r.Record.Attempt != 0 || r.Mutation.State != evolution.MutationContinued {
		t.Errorf("without a trial of the child: %+v", r.Record.Decision)
	}
	l.Run("v002", 50)
	first := l.Decide(m, lineages.DecideOptions{})
	if d := first.Record; d.Attempt != 1 || d.Decision.State != evolution.Reject || first.Repeated || first.Mutation.NAttempts != 2 || len(first.Warnings) == 0 || warned(first, lineages.WarnAttempts, "") {
		t.Errorf("%+v %v", first.Record, first.Warnings)
	}
	again := l.Decide(m, lineages.DecideOptions{})
	if !again.Repeated || again.Hash != first.Hash || again.Number != first.Number || again.Mutation.NAttempts != 2 {
		t.Errorf("again: %+v", again)
	}
	dry := l.Decide(m, lineages.DecideOptions{DryRun: true})
	if !dry.Repeated || dry.Hash != first.Hash {
		t.Errorf("dry: %+v", dry)
	}
	n := len(l.Entries())
	l.Run("v002", 90, 95, 99)
	if r := l.Decide(m, lineages.DecideOptions{DryRun: true}); r.Repeated || r.Record.Attempt != 2 || !r.Record.Decision.Accepted || r.HeadAfter != "v002" || r.Now != "v001" || len(l.Entries()) != n || l.Head() != "v001" {
		t.Errorf("a dry run: %+v", r)
	}
	r := l.Decide(m, lineages.DecideOptions{})
	if r.Record.Attempt != 2 || !r.Record.Decision.Accepted || r.HeadBefore != "v001" || r.HeadAfter != "v002" || r.Now != "v002" || l.Head() != "v002" {
		t.Errorf("%+v", r)
	}
	if !warned(r, lineages.WarnAttempts, "decided before, once") { // the one that asked for more does not count
		t.Errorf("%v", r.Warnings)
	}
	if r.Record.Draw.Attempt != 2 || r.Record.Draw.U == first.Record.Draw.U {
		t.Errorf("draws %+v and %+v", first.Record.Draw, r.Record.Draw)
	}
	// What was accepted and is worse now stays active, and says so.
	l.Run("v002", 1, 2, 3, 4, 5)
	if r := l.Decide(m, lineages.DecideOptions{}); r.Record.Decision.Accepted || l.Head() != "v002" || r.Mutation.State != evolution.MutationRejected || !warned(r, lineages.WarnWasAccepted, "v002 stays active; leave it: rollback l") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
		if r := l.Decide(m, lineages.DecideOptions{}); !r.Repeated || !warned(r, lineages.WarnWasAccepted, "v002 stays active") {
			t.Errorf("asked again: %+v", r)
		}
	}
	l.CheckReplay()
}

// Another policy is another question, and visible as such; that of the settings, named, is none.
func TestDecideOverride(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	l.Run("v002", 70)
	threshold, err := evolution.DefaultPolicy("threshold")
	if err != nil {
		t.Fatal(err)
	}
	first := l.Decide(m, lineages.DecideOptions{Policy: evolution.Strict{Eps: 20}})
	if !first.Record.Override || first.Record.Policy != "strict" || string(first.Record.Params) != `{"eps":20}` || !warned(first, lineages.WarnOverridden, "decided by strict; the policy of the lineage is") {
		t.Errorf("%+v %v", first.Record, first.Warnings)
	}
	if r := l.Decide(m, lineages.DecideOptions{Policy: evolution.Strict{Eps: 20}}); !r.Repeated || !warned(r, lineages.WarnOverridden, "") {
		t.Errorf("the same again: %+v", r)
	}
	second := l.Decide(m, lineages.DecideOptions{Policy: threshold})
	if second.Record.Override || second.Record.Attempt != 1 || !second.Record.Decision.Accepted || warned(second, lineages.WarnOverridden, "") || !warned(second, lineages.WarnAttempts, "once") {
		t.Errorf("%+v %v", second.Record, second.Warnings)
	}
	if r := l.Decide(m, lineages.DecideOptions{}); !r.Repeated || r.Number != second.Number {
		t.Errorf("without a policy: %+v", r)
	}
	l.CheckReplay()
	story, err := lineages.LoadMutation(t.Context(), l.Store.Reader, "l", m)
	if err != nil || len(story.Decisions) != 2 || !warned(story.Decisions[0], lineages.WarnOverridden, "") || !warned(story.Decisions[1], lineages.WarnAttempts, "") {
		t.Errorf("%v %+v", err, story.Decisions)
	}
}

// A child that was compared with a version that is no longer active does not take the place of another one.
func TestDecideStaleParent(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.Run("v001", 60)
	a, b := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key, l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{}).Key
	l.Run("v002", 70)
	l.Run("v003", 80)
	if _, err := lineages.Decide(t.Context(), l.Store, "l", a, lineages.DecideOptions{ExpectHead: "v003"}); err == nil {
		t.Error("another head than was expected")
	} else {
		wantHint(t, err, track.ErrConflict, "v001 is active in lineage l, not v003", "lineage show l")
	}
	l.Decide(a, lineages.DecideOptions{ExpectHead: "v001"})
	r := l.Decide(b, lineages.DecideOptions{})
	if !r.Record.Decision.Accepted || r.HeadBefore != "v002" || r.HeadAfter != "v002" || l.Head() != "v002" || !warned(r, lineages.WarnStaleParent, "mutation propose lineage=l parent=v002") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	again := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{Parents: []string{"v002"}})
	if again.Key == b || again.Child != "v003" || again.NewChild {
		t.Errorf("%+v", again)
	}
	if r := l.Decide(again.Key, lineages.DecideOptions{}); r.HeadAfter != "v003" || warned(r, lineages.WarnStaleParent, "") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	l.CheckReplay()
}

// A failed trial never scores, however much it had; what is open, or was not measured, is left out, and that is said.
func TestDecideLeavesOut(t *testing.T) {
	st := newStore(t)
	l := newLoop(t, st, func(s *evolution.Settings) { s.Rubric = "" })
	l.Run("v001", 60, 60)
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	l.Run("v002", 70)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Status, e.Score = track.ExecutionTimeout, pointer(100.0) }), false)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Score, e.Source = pointer(100.0), "codex" }), true)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Score = nil }), false)
	l.Record(l.Execution("v002", func(e *track.Execution) { e.Score = nil }), false)
	r := l.Decide(m, lineages.DecideOptions{})
	d := r.Record.Decision
	if *d.NewScore != 70 || d.NChild != 1 || d.FailedChild != 1 || len(r.Record.Evidence.Child) != 2 {
		t.Errorf("%+v", d)
	}
	if !warned(r, lineages.WarnLeftOut, "left out of the child: 1 execution that may not have ended, 2 executions without a score") || warned(r, lineages.WarnLeftOut, "of the parent") {
		t.Errorf("%v", r.Warnings)
	}
	for _, trial := range r.Record.Evidence.Child {
		if trial.Failed != "" && (trial.Score != nil || trial.Failed != "timeout") {
			t.Errorf("%+v", trial)
		}
	}
	// Three failures, and no score at all: given up.
	given := l.Propose(lineagetest.Text("Dutch"), lineages.ProposeOptions{Parents: []string{"v001"}})
	l.Fail(given.Child, track.ExecutionInvalid, 2)
	if r := l.Decide(given.Key, lineages.DecideOptions{}); r.Record.Decision.State != evolution.Continue {
		t.Errorf("%+v", r.Record.Decision)
	}
	l.Fail(given.Child, track.ExecutionError, 1)
	if r := l.Decide(given.Key, lineages.DecideOptions{}); r.Record.Decision.Label != evolution.ChildFailed || r.Record.Decision.State != evolution.Reject || r.Mutation.Delta != nil {
		t.Errorf("%+v", r.Record.Decision)
	}
	l.CheckReplay()
}

// Scores under different rubrics are not compared; the way out is named, and works.
func TestDecideMixedRubrics(t *testing.T) {
	st := newStore(t)
	l := newLoop(t, st, func(s *evolution.Settings) { s.Rubric = "" })
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	e := task("k", 3)
	e.Version = "v002"
	l.Record(e, false)
	if _, err := lineages.Decide(t.Context(), st, "l", m, lineages.DecideOptions{}); err == nil {
		t.Error("two rubrics were compared")
	} else {
		wantHint(t, err, track.ErrInvalid, "under:", "lineage set l rubric=")
	}
	if n := len(l.Entries()); n != 2 {
		t.Errorf("%d entries", n)
	}
	own := task("k2", 3)
	own.Version, own.Score = "v001", pointer(99.0)
	l.Record(own, false)
	l.Set(func(s *evolution.Settings) { s.Rubric = "rubric/2" })
	r := l.Decide(m, lineages.DecideOptions{})
	if d := r.Record.Decision; d.NChild != 1 || d.NParent != 1 || r.Record.Evidence.Child[0].Under != "rubric/2" || r.Record.Settings != 2 || !warned(r, lineages.WarnLeftOut, "left out of the parent: 1 execution without a score") {
		t.Errorf("%+v %v", r.Record, r.Warnings)
	}
	l.CheckReplay()
}

// A generator of the loop's own: the draw is one of its numbers, goes on from state to state, and replays.
func TestDecidePCG(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	state, err := rand.NewPCG(1, 2).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	l.Run("v002", 59)
	r := l.Decide(m, lineages.DecideOptions{PCGState: state})
	generator := rand.NewPCG(1, 2)
	if d := r.Record.Draw; uint64(d.Raw) != generator.Uint64() || d.Algorithm != evolution.PCGDXSM || d.StateBefore != hex.EncodeToString(state) || !r.Record.Decision.DrawUsed {
		t.Errorf("%+v", d)
	}
	after, err := r.Record.Draw.PCGState()
	if err != nil {
		t.Fatal(err)
	}
	l.Run("v002", 59)
	if r := l.Decide(m, lineages.DecideOptions{PCGState: after}); uint64(r.Record.Draw.Raw) != generator.Uint64() || r.Record.Attempt != 1 {
		t.Errorf("%+v", r.Record.Draw)
	}
	if _, err := lineages.Decide(t.Context(), l.Store, "l", m, lineages.DecideOptions{PCGState: []byte("x"), Policy: evolution.Strict{}}); err == nil {
		t.Error("no state of a generator")
	} else {
		wantError(t, err, track.ErrInvalid)
	}
	l.CheckReplay()
	draws, err := lineages.Draws(t.Context(), l.Store.Reader, "l")
	if err != nil || len(draws) != 2 || *draws[0].P != 0.2 || !draws[0].Used || draws[0].Draw.Algorithm != evolution.PCGDXSM {
		t.Errorf("%v %+v", err, draws)
	}
}

func simulation(t testing.TB) *loop {
	t.Helper()
	return &loop{lineagetest.Simulation(t, newStore(t))}
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
	m := l.Propose(`{"theta": 12}`, lineages.ProposeOptions{}).Key
	if p := l.Propose(`{"theta":12.5}`, lineages.ProposeOptions{}); len(p.Refusals) > 0 {
		t.Errorf("%+v", p.Refusals)
	}
	if _, err := l.Try("theta: 12", lineages.ProposeOptions{}); err == nil {
		t.Error("no JSON object of parameters")
	} else {
		wantError(t, err, track.ErrInvalid)
	}
	l.Simulate(`{"theta":10}`, "old", map[track.SeedNumber]map[string]float64{1: bad, 2: bad, 3: bad, 18446744073709551615: good})
	l.Simulate(`{"theta":10.0}`, "new", map[track.SeedNumber]map[string]float64{1: bad, 2: good, 3: nil, 4: {"a": 0.5}})
	l.Simulate(`{"theta":12}`, "new", map[track.SeedNumber]map[string]float64{1: good, 2: good, 5: good})
	l.Simulate(`{"theta":12}`, "newer", map[track.SeedNumber]map[string]float64{7: bad}) // which the parent has not run
	r := l.Decide(m, lineages.DecideOptions{})
	if got := ids(r.Record.Evidence.Child); got != "1:100 2:100 5:100" {
		t.Errorf("child %s", got)
	}
	if got := ids(r.Record.Evidence.Parent); !strings.HasPrefix(got, "1:") || !strings.HasSuffix(got, " 2:100 3:collapsed 4:incomplete") {
		t.Errorf("parent %s", got)
	}
	if d := r.Record.Decision; d.NPairs != 2 || !d.Accepted || d.FailedParent != 2 || l.Head() != "v002" {
		t.Errorf("%+v", d)
	}
	if !warned(r, lineages.WarnLeftOut, "left out of the child: 1 seed under another revision") || !warned(r, lineages.WarnLeftOut, "left out of the parent: 4 seeds under another revision") {
		t.Errorf("%v", r.Warnings)
	}
	l.CheckReplay()
	// Of several revisions that both sides have, that which was recorded to last.
	l.Simulate(`{"theta":10}`, "newer", map[track.SeedNumber]map[string]float64{7: good, 8: good})
	r = l.Decide(m, lineages.DecideOptions{Policy: evolution.Anneal{T0: 3, G: 0.97}})
	if child, parent := ids(r.Record.Evidence.Child), ids(r.Record.Evidence.Parent); !strings.HasPrefix(child, "7:") || strings.Contains(child, " ") || parent != "7:100 8:100" {
		t.Errorf("child %s, parent %s", child, parent)
	}
	// A new spec judges nothing by itself: what it has not judged is left out until a rescore.
	l.Simulate(`{"theta":12.5}`, "new", map[track.SeedNumber]map[string]float64{1: good})
	other := l.Propose(`{"theta":12.5}`, lineages.ProposeOptions{Parents: []string{"v002"}})
	lineagetest.AddSpec(t, l.Store, [2]float64{0, 1}, [2]float64{0, 100})
	r = l.Decide(other.Key, lineages.DecideOptions{})
	if r.Record.Decision.State != evolution.Continue || !warned(r, lineages.WarnLeftOut, "never judged under the active spec") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	// What is planned are seeds that neither side has; nothing is recorded.
	before := len(l.Entries())
	plan, err := lineages.PlanDecision(t.Context(), l.Store.Reader, answer.PlanQuestion{Lineage: "theta", Mutation: other.Key, Policy: evolution.POI{Tau: 3, C: 0.9, NMin: 4}})
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

// A child that must not be tried is recorded as refused, with the reasons, and is never decided.
func TestProposeRefused(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	for child, code := range map[string]string{" \n": "empty", "x": "too_short", strings.Repeat("Be brief. ", 30): "too_long", lineagetest.Text("French; rm  -rf the rest"): "forbidden"} {
		r := l.Propose(child, lineages.ProposeOptions{})
		if len(r.Refusals) != 1 || r.Refusals[0].Code != code || r.State != evolution.MutationRefused || r.Entry.Kind != evolution.KindRefusal {
			t.Errorf("%s: %+v", code, r)
		}
		if again := l.Propose(child, lineages.ProposeOptions{}); !again.Known || again.Key != r.Key || again.State != evolution.MutationRefused {
			t.Errorf("%s again: %+v", code, again)
		}
		if _, err := lineages.Decide(t.Context(), l.Store, "l", r.Key, lineages.DecideOptions{}); err == nil {
			t.Errorf("%s was decided", code)
		} else {
			wantHint(t, err, track.ErrConflict, "is refused", "mutation show")
		}
		if story, err := lineages.LoadMutation(t.Context(), l.Store.Reader, "l", r.Key); err != nil || len(story.Refusals) != 1 {
			t.Errorf("%s: %v %+v", code, err, story)
		}
	}
	if got := l.Kinds(); got != "creation refusal refusal refusal refusal" {
		t.Error(got)
	}
	if r, err := l.Try(lineagetest.Text("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"), lineages.ProposeOptions{}); err == nil {
		t.Errorf("a secret was recorded: %+v", r)
	} else {
		wantHint(t, err, track.ErrInvalid, "looks like a secret", "keep-secrets")
	}
	l.CheckReplay()
}

// Proposing again finds the same mutation, whatever happened to it since; what is another is refused under the same
// name.
func TestProposeAgain(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.Run("v001", 60)
	drawn := l.Next()
	if drawn.Action != answer.ActionMutate {
		t.Fatalf("%+v", drawn)
	}
	first := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Note: "n", CostUSD: pointer(1.0)})
	if first.Operator != drawn.Operator.Name || first.Risk != drawn.Operator.Risk || first.Known || !first.NewChild {
		t.Errorf("drawn %+v, proposed %+v", drawn.Operator, first)
	}
	if again := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}); !again.Known || again.Key != first.Key || again.Number != 1 {
		t.Errorf("again, without a word on the operator: %+v", again)
	}
	named := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{ID: "mine", Operator: "step_reorder"})
	if again := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{ID: "mine"}); !again.Known || again.Key != "mine" || again.Number != named.Number {
		t.Errorf("again by name: %+v", again)
	}
	l.Run("v003", 70)
	if r := l.Decide("mine", lineages.DecideOptions{}); r.HeadAfter != "v003" {
		t.Fatalf("%+v", r)
	}
	if again := l.Propose(lineagetest.Text("German"), lineages.ProposeOptions{ID: "mine"}); !again.Known || again.State != evolution.MutationAccepted {
		t.Errorf("again by name, after it was accepted: %+v", again)
	}
	for name, o := range map[string]lineages.ProposeOptions{
		"another child":    {ID: "mine"},
		"another parent":   {ID: "mine", Parents: []string{"v002"}},
		"another operator": {ID: "mine", Operator: "by_hand"},
	} {
		child := lineagetest.Text("German")
		if name == "another child" {
			child = lineagetest.Text("Dutch")
		}
		if _, err := l.Try(child, o); err == nil {
			t.Errorf("%s under the same name", name)
		} else {
			wantHint(t, err, track.ErrConflict, "mutation mine is recorded with other content", "another id")
		}
	}
	if _, err := l.Try(lineagetest.Text("German"), lineages.ProposeOptions{}); err == nil {
		t.Error("a child of itself")
	} else {
		wantError(t, err, track.ErrInvalid)
	}
	if versions, err := l.Store.VersionStates(t.Context(), "l"); err != nil || len(versions) != 3 {
		t.Errorf("%v, %d versions", err, len(versions))
	}
	l.CheckReplay()
}

// What is withdrawn stays, and is not decided; what is accepted is left by a rollback.
func TestWithdraw(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	for range 2 {
		if w, err := lineages.Withdraw(t.Context(), l.Store, "l", m, "why not", time.Time{}); err != nil || w.State != evolution.MutationWithdrawn {
			t.Errorf("%+v %v", w, err)
		}
	}
	if got := l.Kinds(); got != "creation proposal withdrawal" {
		t.Error(got)
	}
	_, err := lineages.Decide(t.Context(), l.Store, "l", m, lineages.DecideOptions{})
	wantHint(t, err, track.ErrConflict, "is withdrawn", "another id")
	r := l.Evolve("German", 90)
	_, err = lineages.Withdraw(t.Context(), l.Store, "l", r.Mutation.Key, "why not", time.Time{})
	wantHint(t, err, track.ErrConflict, "is accepted", "rollback l")
	_, err = lineages.Withdraw(t.Context(), l.Store, "l", "nosuch", "why not", time.Time{})
	wantError(t, err, track.ErrNotFound)
	if story, err := lineages.LoadMutation(t.Context(), l.Store.Reader, "l", m); err != nil || story.Withdrawn != "why not" {
		t.Errorf("%v %+v", err, story)
	}
	l.CheckReplay()
}

// Lineages that were only recorded go on with the versions that they have.
func TestAdoptLineage(t *testing.T) {
	options := func(head string) lineages.NewOptions {
		return lineages.NewOptions{Name: "l", Seed: pointer(uint64(1)), Subject: lineages.SubjectAgent, Head: head, Settings: evolution.DefaultSettings()}
	}
	begin := func(st *store.Store, o lineages.NewOptions) (lineages.Lineage, bool, error) {
		return lineages.New(t.Context(), st, o, cryptorand.Reader)
	}
	add := func(st *store.Store, name, status, content string) {
		t.Helper()
		v := track.Version{Lineage: "l", Name: name, Status: status}
		if content != "" {
			v.Content = &content
		}
		if err := st.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddVersion(v, true)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	// One that its source calls active is active.
	st := newStore(t)
	add(st, "first", "archived", "")
	add(st, "second", "active", lineagetest.Text("French"))
	l, created, err := begin(st, options(""))
	if err != nil || !created || l.Head != "second" {
		t.Fatalf("%v %v %+v", err, created, l)
	}
	if again, created, err := begin(st, options("")); err != nil || created || again.End != l.End {
		t.Errorf("again: %v %v %+v", err, created, again)
	}
	if _, _, err := begin(st, options("first")); err == nil {
		t.Error("with another root")
	} else {
		wantHint(t, err, track.ErrConflict, "with another root", "lineage show l")
	}
	other := options("")
	other.Seed = pointer(uint64(2))
	if _, _, err := begin(st, other); err == nil || !strings.Contains(err.Error(), "another seed") {
		t.Error(err)
	}
	loop := &loop{&lineagetest.Loop{T: t, Store: st, Name: "l"}}
	child := loop.Propose(lineagetest.Text("German"), lineages.ProposeOptions{Parents: []string{"second", "first"}})
	if child.Child != "v003" || len(child.Refusals) > 0 {
		t.Errorf("%+v", child)
	}
	loop.Run("second", 60)
	loop.Run("v003", 70)
	if r := loop.Decide(child.Key, lineages.DecideOptions{}); r.HeadAfter != "v003" {
		t.Errorf("%+v", r)
	}
	loop.CheckReplay()
	// Among several, somebody has to say.
	st = newStore(t)
	add(st, "a", "", "")
	add(st, "b", "", "")
	if _, _, err := begin(st, options("")); err == nil {
		t.Error("one of two was taken")
	} else {
		wantHint(t, err, track.ErrInvalid, "2 versions: a, b", "head=VERSION")
	}
	if names, err := st.EvolvingNames(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("%v %v", names, err)
	}
	if l, _, err := begin(st, options("b")); err != nil || l.Head != "b" {
		t.Errorf("%v %+v", err, l)
	}
	// With no version at all, none is active until one is made so.
	st = newStore(t)
	if l, _, err := begin(st, options("")); err != nil || l.Head != "" {
		t.Errorf("%v %+v", err, l)
	}
	if s, err := lineages.Next(t.Context(), st, "l", false, time.Time{}); err != nil || s.Action != answer.ActionStop || !strings.Contains(s.Reason, "no version is active") {
		t.Errorf("%v %+v", err, s)
	}
}

// No way of asking draws again from the same evidence unseen: policies in turn get what they decided before, and
// another operator for the same child is said.
func TestNoDrawsInTurns(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	l.Run("v001", 60)
	p := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Operator: "a"})
	l.Run(p.Child, 58)
	threshold, err := evolution.DefaultPolicy("threshold")
	if err != nil {
		t.Fatal(err)
	}
	first := l.Decide(p.Key, lineages.DecideOptions{Policy: threshold})
	l.Decide(p.Key, lineages.DecideOptions{Policy: evolution.Strict{Eps: 3}})
	if again := l.Decide(p.Key, lineages.DecideOptions{Policy: threshold}); !again.Repeated || again.Number != first.Number || again.Record.Draw.U != first.Record.Draw.U {
		t.Errorf("%+v, first %+v", again.Record.Draw, first.Record.Draw)
	}
	if _, err := l.Try(lineagetest.Text("French"), lineages.ProposeOptions{Operator: "b"}); err == nil {
		t.Error("a draw for each operator")
	} else {
		wantHint(t, err, track.ErrConflict, "mutation "+p.Key+", the same child of v001 by a, is rejected already", "under a name")
	}
	if _, err := l.Try(lineagetest.Text("French"), lineages.ProposeOptions{Operator: "b", Parents: []string{"v001", "v003"}}); err == nil {
		t.Error("a draw for each second parent")
	}
	twin := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Operator: "b", ID: "twin"})
	if twin.Key == p.Key || twin.Child != p.Child {
		t.Fatalf("%+v", twin)
	}
	r := l.Decide(twin.Key, lineages.DecideOptions{Policy: threshold})
	if !warned(r, lineages.WarnAttempts, "decided before, once") {
		t.Errorf("%v", r.Warnings)
	}
	again := l.Decide(twin.Key, lineages.DecideOptions{Policy: threshold})
	if diff := cmp.Diff(r.Warnings, again.Warnings); !again.Repeated || diff != "" {
		t.Errorf("the same question, repeated %v: %s", again.Repeated, diff)
	}
	if before := l.Decide(p.Key, lineages.DecideOptions{Policy: threshold}); warned(before, lineages.WarnAttempts, "") {
		t.Errorf("a warning of what came after: %v", before.Warnings)
	}
	story, err := lineages.LoadMutation(t.Context(), l.Store.Reader, "l", twin.Key)
	if err != nil || len(story.Decisions) != 1 || !warned(story.Decisions[0], lineages.WarnAttempts, "once") {
		t.Errorf("%v, %+v", err, story.Decisions)
	}
	l.CheckReplay()
}

// What was taken back before it was decided, or refused, had no draw: another operator may try it.
func TestProposeUntried(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	first := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Operator: "a"})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", first.Key, "", clock()); err != nil {
		t.Fatal(err)
	}
	if m := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Operator: "b"}); m.Known || m.Child != first.Child {
		t.Errorf("%+v", m)
	}
	for _, operator := range []string{"a", "b"} {
		if m := l.Propose("x", lineages.ProposeOptions{Operator: operator}); m.Known || m.State != evolution.MutationRefused {
			t.Errorf("%+v", m)
		}
	}
}

// What looks like a secret does not come into the ledger, from which nothing can be taken away.
func TestNoSecretsInLedger(t *testing.T) {
	l := newLoop(t, newStore(t), lineagetest.Calm)
	const secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMn"
	p := l.Propose(lineagetest.Text("French"), lineages.ProposeOptions{Note: "key " + secret})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", p.Key, "leaks "+secret, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lineages.ChangeSettings(t.Context(), l.Store, "l", func(s *evolution.Settings) error { s.Loop.Keep++; return nil }, "with "+secret, time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Rollback(lineages.RollbackOptions{To: p.Child, Reason: "for " + secret})
	x, err := lineages.Export(t.Context(), l.Store.Reader, "l")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.Entries {
		if strings.Contains(string(e.Body), secret) {
			t.Errorf("entry %d, %s: %s", e.Number, e.Kind, e.Body)
		}
	}
	l.CheckReplay()
}
