package tracker_test

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
	"track/evolution"
	"track/store"
	"track/tracker"
)

// Without new evidence a decision is returned as it was; with more it is the next attempt, which says so.
func TestDecideAgain(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.run("v001", 60, 60)
	m := l.propose(text("French"), tracker.ProposeOptions{}).Key
	if r := l.decide(m, tracker.DecideOptions{}); r.Record.Decision.State != evolution.Continue || r.Record.Attempt != 0 || r.Mutation.State != evolution.MutationContinued {
		t.Errorf("without a trial of the child: %+v", r.Record.Decision)
	}
	l.run("v002", 50)
	first := l.decide(m, tracker.DecideOptions{})
	if d := first.Record; d.Attempt != 1 || d.Decision.State != evolution.Reject || first.Repeated || first.Mutation.NAttempts != 2 || len(first.Warnings) == 0 || warned(first, tracker.WarnAttempts, "") {
		t.Errorf("%+v %v", first.Record, first.Warnings)
	}
	again := l.decide(m, tracker.DecideOptions{})
	if !again.Repeated || again.Hash != first.Hash || again.Number != first.Number || again.Mutation.NAttempts != 2 {
		t.Errorf("again: %+v", again)
	}
	dry := l.decide(m, tracker.DecideOptions{DryRun: true})
	if !dry.Repeated || dry.Hash != first.Hash {
		t.Errorf("dry: %+v", dry)
	}
	n := len(l.entries())
	l.run("v002", 90, 95, 99)
	if r := l.decide(m, tracker.DecideOptions{DryRun: true}); r.Repeated || r.Record.Attempt != 2 || !r.Record.Decision.Accepted || r.HeadAfter != "v002" || r.Now != "v001" || len(l.entries()) != n || l.head() != "v001" {
		t.Errorf("a dry run: %+v", r)
	}
	r := l.decide(m, tracker.DecideOptions{})
	if r.Record.Attempt != 2 || !r.Record.Decision.Accepted || r.HeadBefore != "v001" || r.HeadAfter != "v002" || r.Now != "v002" || l.head() != "v002" {
		t.Errorf("%+v", r)
	}
	if !warned(r, tracker.WarnAttempts, "decided before, once") { // the one that asked for more does not count
		t.Errorf("%v", r.Warnings)
	}
	if r.Record.Draw.Attempt != 2 || r.Record.Draw.U == first.Record.Draw.U {
		t.Errorf("draws %+v and %+v", first.Record.Draw, r.Record.Draw)
	}
	// What was accepted and is worse now stays in force, and says so.
	l.run("v002", 1, 2, 3, 4, 5)
	if r := l.decide(m, tracker.DecideOptions{}); r.Record.Decision.Accepted || l.head() != "v002" || r.Mutation.State != evolution.MutationRejected || !warned(r, tracker.WarnWasAccepted, "v002 stays in force until track rollback l") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
		if r := l.decide(m, tracker.DecideOptions{}); !r.Repeated || !warned(r, tracker.WarnWasAccepted, "v002 stays in force") {
			t.Errorf("asked again: %+v", r)
		}
	}
	l.sound()
}

// Another policy is another question, and visible as such; that of the settings, named, is none.
func TestDecideOverride(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.run("v001", 60)
	m := l.propose(text("French"), tracker.ProposeOptions{}).Key
	l.run("v002", 70)
	threshold, err := evolution.DefaultPolicy("threshold")
	if err != nil {
		t.Fatal(err)
	}
	first := l.decide(m, tracker.DecideOptions{Policy: evolution.Strict{Eps: 20}})
	if !first.Record.Override || first.Record.Policy != "strict" || string(first.Record.Params) != `{"eps":20}` || !warned(first, tracker.WarnOverridden, "decided by strict, where threshold is the policy") {
		t.Errorf("%+v %v", first.Record, first.Warnings)
	}
	if r := l.decide(m, tracker.DecideOptions{Policy: evolution.Strict{Eps: 20}}); !r.Repeated || !warned(r, tracker.WarnOverridden, "") {
		t.Errorf("the same again: %+v", r)
	}
	second := l.decide(m, tracker.DecideOptions{Policy: threshold})
	if second.Record.Override || second.Record.Attempt != 1 || !second.Record.Decision.Accepted || warned(second, tracker.WarnOverridden, "") || !warned(second, tracker.WarnAttempts, "once") {
		t.Errorf("%+v %v", second.Record, second.Warnings)
	}
	if r := l.decide(m, tracker.DecideOptions{}); !r.Repeated || r.Number != second.Number {
		t.Errorf("without a policy: %+v", r)
	}
	l.sound()
	story, err := tracker.TellMutation(t.Context(), l.st, "l", m)
	if err != nil || len(story.Decisions) != 2 || !warned(story.Decisions[0], tracker.WarnOverridden, "") || !warned(story.Decisions[1], tracker.WarnAttempts, "") {
		t.Errorf("%v %+v", err, story.Decisions)
	}
}

// A child that was compared with a version that is no longer in force does not take the place of another one.
func TestDecideStaleParent(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.run("v001", 60)
	a, b := l.propose(text("French"), tracker.ProposeOptions{}).Key, l.propose(text("German"), tracker.ProposeOptions{}).Key
	l.run("v002", 70)
	l.run("v003", 80)
	if _, err := tracker.Decide(t.Context(), l.st, "l", a, tracker.DecideOptions{ExpectHead: "v003"}); err == nil {
		t.Error("another head than was expected")
	} else {
		wantHint(t, err, track.ErrConflict, "v001 is in force in lineage l, not v003", "track lineage show l")
	}
	l.decide(a, tracker.DecideOptions{ExpectHead: "v001"})
	r := l.decide(b, tracker.DecideOptions{})
	if !r.Record.Decision.Accepted || r.HeadBefore != "v002" || r.HeadAfter != "v002" || l.head() != "v002" || !warned(r, tracker.WarnStaleParent, "propose it again with --parent v002") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	again := l.propose(text("German"), tracker.ProposeOptions{Parents: []string{"v002"}})
	if again.Key == b || again.Child != "v003" || again.NewChild {
		t.Errorf("%+v", again)
	}
	if r := l.decide(again.Key, tracker.DecideOptions{}); r.HeadAfter != "v003" || warned(r, tracker.WarnStaleParent, "") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	l.sound()
}

// A failed trial never scores, however much it had; what is open, or was not measured, is left out, and that is said.
func TestDecideLeavesOut(t *testing.T) {
	st := newStore(t)
	l := newLoop(t, st, func(s *evolution.Settings) { s.Rubric = "" })
	l.run("v001", 60, 60)
	m := l.propose(text("French"), tracker.ProposeOptions{}).Key
	l.run("v002", 70)
	recordExecution(t, st, l.execution("v002", func(e *track.Execution) { e.Status, e.Score = track.ExecutionTimeout, pointer(100.0) }), false)
	recordExecution(t, st, l.execution("v002", func(e *track.Execution) { e.Score, e.Source = pointer(100.0), "codex" }), true)
	recordExecution(t, st, l.execution("v002", func(e *track.Execution) { e.Score = nil }), false)
	recordExecution(t, st, l.execution("v002", func(e *track.Execution) { e.Score = nil }), false)
	r := l.decide(m, tracker.DecideOptions{})
	d := r.Record.Decision
	if *d.NewScore != 70 || d.NChild != 1 || d.FailedChild != 1 || len(r.Record.Evidence.Child) != 2 {
		t.Errorf("%+v", d)
	}
	if !warned(r, tracker.WarnLeftOut, "left out of the child: 1 executions that may still go on, 2 executions without a score") || warned(r, tracker.WarnLeftOut, "of the parent") {
		t.Errorf("%v", r.Warnings)
	}
	for _, trial := range r.Record.Evidence.Child {
		if trial.Failed != "" && (trial.Score != nil || trial.Failed != "timeout") {
			t.Errorf("%+v", trial)
		}
	}
	// Three failures, and no score at all: given up.
	given := l.propose(text("Dutch"), tracker.ProposeOptions{Parents: []string{"v001"}})
	l.fails(given.Child, track.ExecutionInvalid, 2)
	if r := l.decide(given.Key, tracker.DecideOptions{}); r.Record.Decision.State != evolution.Continue {
		t.Errorf("%+v", r.Record.Decision)
	}
	l.fails(given.Child, track.ExecutionError, 1)
	if r := l.decide(given.Key, tracker.DecideOptions{}); r.Record.Decision.Label != evolution.ChildFailed || r.Record.Decision.State != evolution.Reject || r.Mutation.Delta != nil {
		t.Errorf("%+v", r.Record.Decision)
	}
	l.sound()
}

// Scores under different rubrics are not compared; the way out is named, and works.
func TestDecideMixedRubrics(t *testing.T) {
	st := newStore(t)
	l := newLoop(t, st, func(s *evolution.Settings) { s.Rubric = "" })
	l.run("v001", 60)
	m := l.propose(text("French"), tracker.ProposeOptions{}).Key
	e := task("k", 3)
	e.Version = "v002"
	recordExecution(t, st, e, false)
	if _, err := tracker.Decide(t.Context(), st, "l", m, tracker.DecideOptions{}); err == nil {
		t.Error("two rubrics were compared")
	} else {
		wantHint(t, err, track.ErrInvalid, "under:", "track lineage set l rubric=")
	}
	if n := len(l.entries()); n != 2 {
		t.Errorf("%d entries", n)
	}
	own := task("k2", 3)
	own.Version, own.Score = "v001", pointer(99.0)
	recordExecution(t, st, own, false)
	l.set(func(s *evolution.Settings) { s.Rubric = "rubric/2" })
	r := l.decide(m, tracker.DecideOptions{})
	if d := r.Record.Decision; d.NChild != 1 || d.NParent != 1 || r.Record.Evidence.Child[0].Under != "rubric/2" || r.Record.Settings != 2 || !warned(r, tracker.WarnLeftOut, "left out of the parent: 1 executions without a score") {
		t.Errorf("%+v %v", r.Record, r.Warnings)
	}
	l.sound()
}

// A generator of the loop's own: the draw is one of its numbers, goes on from state to state, and replays.
func TestDecidePCG(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	state, err := rand.NewPCG(1, 2).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	l.run("v001", 60)
	m := l.propose(text("French"), tracker.ProposeOptions{}).Key
	l.run("v002", 59)
	r := l.decide(m, tracker.DecideOptions{PCGState: state})
	generator := rand.NewPCG(1, 2)
	if d := r.Record.Draw; uint64(d.Raw) != generator.Uint64() || d.Algorithm != evolution.PCGDXSM || d.StateBefore != hex.EncodeToString(state) || !r.Record.Decision.DrawUsed {
		t.Errorf("%+v", d)
	}
	after, err := r.Record.Draw.PCGState()
	if err != nil {
		t.Fatal(err)
	}
	l.run("v002", 59)
	if r := l.decide(m, tracker.DecideOptions{PCGState: after}); uint64(r.Record.Draw.Raw) != generator.Uint64() || r.Record.Attempt != 1 {
		t.Errorf("%+v", r.Record.Draw)
	}
	if _, err := tracker.Decide(t.Context(), l.st, "l", m, tracker.DecideOptions{PCGState: []byte("x"), Policy: evolution.Strict{}}); err == nil {
		t.Error("no state of a generator")
	} else {
		wantError(t, err, track.ErrInvalid)
	}
	l.sound()
	draws, err := tracker.Draws(t.Context(), l.st, "l")
	if err != nil || len(draws) != 2 || *draws[0].P != 0.2 || !draws[0].Used || draws[0].Draw.Algorithm != evolution.PCGDXSM {
		t.Errorf("%v %+v", err, draws)
	}
}

// simulation is a lineage of the parameters of scenario s, whose metrics a and b pass from 0 to 1.
func simulation(t testing.TB) *loop {
	t.Helper()
	st := newStore(t)
	addSpec(t, st, ranges("s", [2]float64{0, 1}, [2]float64{0, 1}))
	settings := evolution.DefaultSettings()
	settings.Policy, settings.Params = "strict", []byte(`{"eps":0}`)
	o := tracker.NewLineageOptions{Name: "theta", Seed: pointer(uint64(7)), Subject: "scenario:s", Root: pointer(`{"theta": 10}`), Settings: settings}
	if _, _, err := tracker.NewLineage(t.Context(), st, o, cryptorand.Reader); err != nil {
		t.Fatal(err)
	}
	return &loop{t: t, st: st, name: "theta"}
}

// simulate records seeds under parameters and a revision of the code. Values outside of 0 to 1 score less.
func (l *loop) simulate(params, commit string, values map[track.SeedNumber]map[string]float64) {
	l.t.Helper()
	p, err := track.NewParams([]byte(params))
	if err != nil {
		l.t.Fatal(err)
	}
	for number, v := range values {
		s := seed("s", number, v)
		s.Configuration.Params, s.Configuration.Revision = p, track.Revision{Commit: commit}
		if v == nil {
			s.Outcome = track.OutcomeCollapsed
		}
		record(l.t, l.st, tracker.Options{}, s)
	}
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

// The trials of a simulation are the seeds under its parameters, of one revision of the code, judged under the spec in force.
func TestDecideSeeds(t *testing.T) {
	l := simulation(t)
	good, bad := map[string]float64{"a": 0.5, "b": 0.5}, map[string]float64{"a": 0.5, "b": 90}
	m := l.propose(`{"theta": 12}`, tracker.ProposeOptions{}).Key
	if p := l.propose(`{"theta":12.5}`, tracker.ProposeOptions{}); len(p.Refusals) > 0 {
		t.Errorf("%+v", p.Refusals)
	}
	if _, err := l.try("theta: 12", tracker.ProposeOptions{}); err == nil {
		t.Error("no JSON object of parameters")
	} else {
		wantError(t, err, track.ErrInvalid)
	}
	l.simulate(`{"theta":10}`, "old", map[track.SeedNumber]map[string]float64{1: bad, 2: bad, 3: bad, 18446744073709551615: good})
	l.simulate(`{"theta":10.0}`, "new", map[track.SeedNumber]map[string]float64{1: bad, 2: good, 3: nil, 4: {"a": 0.5}})
	l.simulate(`{"theta":12}`, "new", map[track.SeedNumber]map[string]float64{1: good, 2: good, 5: good})
	l.simulate(`{"theta":12}`, "newer", map[track.SeedNumber]map[string]float64{7: bad}) // which the parent has not run
	r := l.decide(m, tracker.DecideOptions{})
	if got := ids(r.Record.Evidence.Child); got != "1:100 2:100 5:100" {
		t.Errorf("child %s", got)
	}
	if got := ids(r.Record.Evidence.Parent); !strings.HasPrefix(got, "1:") || !strings.HasSuffix(got, " 2:100 3:collapsed 4:incomplete") {
		t.Errorf("parent %s", got)
	}
	if d := r.Record.Decision; d.NPairs != 2 || !d.Accepted || d.FailedParent != 2 || l.head() != "v002" {
		t.Errorf("%+v", d)
	}
	if !warned(r, tracker.WarnLeftOut, "left out of the child: 1 seeds under another revision") || !warned(r, tracker.WarnLeftOut, "left out of the parent: 4 seeds under another revision") {
		t.Errorf("%v", r.Warnings)
	}
	l.sound()
	// Of several revisions that both sides have, that which was recorded to last.
	l.simulate(`{"theta":10}`, "newer", map[track.SeedNumber]map[string]float64{7: good, 8: good})
	r = l.decide(m, tracker.DecideOptions{Policy: evolution.Anneal{T0: 3, G: 0.97}})
	if child, parent := ids(r.Record.Evidence.Child), ids(r.Record.Evidence.Parent); !strings.HasPrefix(child, "7:") || strings.Contains(child, " ") || parent != "7:100 8:100" {
		t.Errorf("child %s, parent %s", child, parent)
	}
	// A new spec judges nothing by itself: what it has not judged is left out until a rescore.
	l.simulate(`{"theta":12.5}`, "new", map[track.SeedNumber]map[string]float64{1: good})
	other := l.propose(`{"theta":12.5}`, tracker.ProposeOptions{Parents: []string{"v002"}})
	addSpec(t, l.st, ranges("s", [2]float64{0, 1}, [2]float64{0, 100}))
	r = l.decide(other.Key, tracker.DecideOptions{})
	if r.Record.Decision.State != evolution.Continue || !warned(r, tracker.WarnLeftOut, "never judged under the spec in force (track rescore judges them)") {
		t.Errorf("%+v %v", r.Record.Decision, r.Warnings)
	}
	// What is planned are seeds that neither side has; nothing is recorded.
	before := len(l.entries())
	plan, err := tracker.PlanMutation(t.Context(), l.st, "theta", other.Key, evolution.POI{Tau: 3, C: 0.9, NMin: 4})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range plan.Trials {
		if seen[p.Side+p.Key] || p.Key == "" {
			t.Errorf("%+v", plan.Trials)
		}
		seen[p.Side+p.Key] = true
	}
	if len(plan.Trials) == 0 || len(l.entries()) != before {
		t.Errorf("%+v", plan)
	}
}

// A child that must not be tried is recorded as refused, with the reasons, and is never decided.
func TestProposeRefused(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	for child, code := range map[string]string{" \n": "empty", "x": "too_short", strings.Repeat("Be brief. ", 30): "too_long", text("French; rm  -rf the rest"): "forbidden"} {
		r := l.propose(child, tracker.ProposeOptions{})
		if len(r.Refusals) != 1 || r.Refusals[0].Code != code || r.State != evolution.MutationRefused || r.Entry.Kind != evolution.KindRefusal {
			t.Errorf("%s: %+v", code, r)
		}
		if again := l.propose(child, tracker.ProposeOptions{}); !again.Known || again.Key != r.Key || again.State != evolution.MutationRefused {
			t.Errorf("%s again: %+v", code, again)
		}
		if _, err := tracker.Decide(t.Context(), l.st, "l", r.Key, tracker.DecideOptions{}); err == nil {
			t.Errorf("%s was decided", code)
		} else {
			wantHint(t, err, track.ErrConflict, "is refused", "track mutation show")
		}
		if story, err := tracker.TellMutation(t.Context(), l.st, "l", r.Key); err != nil || len(story.Refusals) != 1 {
			t.Errorf("%s: %v %+v", code, err, story)
		}
	}
	if got := l.kinds(); got != "creation refusal refusal refusal refusal" {
		t.Error(got)
	}
	if r, err := l.try(text("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"), tracker.ProposeOptions{}); err == nil {
		t.Errorf("a secret was recorded: %+v", r)
	} else {
		wantHint(t, err, track.ErrInvalid, "looks like a secret", "--keep-secrets")
	}
	l.sound()
}

// Proposing again finds the same mutation, whatever happened to it since; what is another is refused under the same name.
func TestProposeAgain(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.run("v001", 60)
	drawn := l.next()
	if drawn.Action != tracker.ActionMutate {
		t.Fatalf("%+v", drawn)
	}
	first := l.propose(text("French"), tracker.ProposeOptions{Note: "n", CostUSD: pointer(1.0)})
	if first.Operator != drawn.Operator.Name || first.Risk != drawn.Operator.Risk || first.Known || !first.NewChild {
		t.Errorf("drawn %+v, proposed %+v", drawn.Operator, first)
	}
	if again := l.propose(text("French"), tracker.ProposeOptions{}); !again.Known || again.Key != first.Key || again.Number != 1 {
		t.Errorf("again, without a word on the operator: %+v", again)
	}
	named := l.propose(text("German"), tracker.ProposeOptions{ID: "mine", Operator: "step_reorder"})
	if again := l.propose(text("German"), tracker.ProposeOptions{ID: "mine"}); !again.Known || again.Key != "mine" || again.Number != named.Number {
		t.Errorf("again by name: %+v", again)
	}
	l.run("v003", 70)
	if r := l.decide("mine", tracker.DecideOptions{}); r.HeadAfter != "v003" {
		t.Fatalf("%+v", r)
	}
	if again := l.propose(text("German"), tracker.ProposeOptions{ID: "mine"}); !again.Known || again.State != evolution.MutationAccepted {
		t.Errorf("again by name, after it was accepted: %+v", again)
	}
	for name, o := range map[string]tracker.ProposeOptions{
		"another child":    {ID: "mine"},
		"another parent":   {ID: "mine", Parents: []string{"v002"}},
		"another operator": {ID: "mine", Operator: "by_hand"},
	} {
		child := text("German")
		if name == "another child" {
			child = text("Dutch")
		}
		if _, err := l.try(child, o); err == nil {
			t.Errorf("%s under the same name", name)
		} else {
			wantHint(t, err, track.ErrConflict, "mutation mine is recorded with other content", "another --id")
		}
	}
	if _, err := l.try(text("German"), tracker.ProposeOptions{}); err == nil {
		t.Error("a child of itself")
	} else {
		wantError(t, err, track.ErrInvalid)
	}
	if versions, err := l.st.VersionStates(t.Context(), "l"); err != nil || len(versions) != 3 {
		t.Errorf("%v, %d versions", err, len(versions))
	}
	l.sound()
}

// What is withdrawn stays, and is not decided; what is accepted is left by a rollback.
func TestWithdraw(t *testing.T) {
	l := newLoop(t, newStore(t), nil)
	l.run("v001", 60)
	m := l.propose(text("French"), tracker.ProposeOptions{}).Key
	for range 2 {
		if w, err := tracker.Withdraw(t.Context(), l.st, "l", m, "why not", time.Time{}); err != nil || w.State != evolution.MutationWithdrawn {
			t.Errorf("%+v %v", w, err)
		}
	}
	if got := l.kinds(); got != "creation proposal withdrawal" {
		t.Error(got)
	}
	_, err := tracker.Decide(t.Context(), l.st, "l", m, tracker.DecideOptions{})
	wantHint(t, err, track.ErrConflict, "is withdrawn", "another --id")
	r := l.evolve("German", 90)
	_, err = tracker.Withdraw(t.Context(), l.st, "l", r.Mutation.Key, "why not", time.Time{})
	wantHint(t, err, track.ErrConflict, "is accepted", "track rollback l")
	_, err = tracker.Withdraw(t.Context(), l.st, "l", "nosuch", "why not", time.Time{})
	wantError(t, err, track.ErrNotFound)
	if story, err := tracker.TellMutation(t.Context(), l.st, "l", m); err != nil || story.Withdrawn != "why not" {
		t.Errorf("%v %+v", err, story)
	}
	l.sound()
}

// Lineages that were only recorded go on with the versions that they have.
func TestAdoptLineage(t *testing.T) {
	options := func(head string) tracker.NewLineageOptions {
		return tracker.NewLineageOptions{Name: "l", Seed: pointer(uint64(1)), Subject: tracker.SubjectAgent, Head: head, Settings: evolution.DefaultSettings()}
	}
	begin := func(st *store.Store, o tracker.NewLineageOptions) (tracker.Lineage, bool, error) {
		return tracker.NewLineage(t.Context(), st, o, cryptorand.Reader)
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
	// One that its source calls active is in force.
	st := newStore(t)
	add(st, "first", "archived", "")
	add(st, "second", "active", text("French"))
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
		wantHint(t, err, track.ErrConflict, "with another root", "track lineage show l")
	}
	other := options("")
	other.Seed = pointer(uint64(2))
	if _, _, err := begin(st, other); err == nil || !strings.Contains(err.Error(), "another seed") {
		t.Error(err)
	}
	loop := &loop{t: t, st: st, name: "l"}
	child := loop.propose(text("German"), tracker.ProposeOptions{Parents: []string{"second", "first"}})
	if child.Child != "v003" || len(child.Refusals) > 0 {
		t.Errorf("%+v", child)
	}
	loop.run("second", 60)
	loop.run("v003", 70)
	if r := loop.decide(child.Key, tracker.DecideOptions{}); r.HeadAfter != "v003" {
		t.Errorf("%+v", r)
	}
	loop.sound()
	// Among several, somebody has to say.
	st = newStore(t)
	add(st, "a", "", "")
	add(st, "b", "", "")
	if _, _, err := begin(st, options("")); err == nil {
		t.Error("one of two was taken")
	} else {
		wantHint(t, err, track.ErrInvalid, "2 versions: a, b", "--head VERSION")
	}
	if names, err := st.EvolvingNames(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("%v %v", names, err)
	}
	if l, _, err := begin(st, options("b")); err != nil || l.Head != "b" {
		t.Errorf("%v %+v", err, l)
	}
	// With no version at all, none is in force until one is put there.
	st = newStore(t)
	if l, _, err := begin(st, options("")); err != nil || l.Head != "" {
		t.Errorf("%v %+v", err, l)
	}
	if s, err := tracker.Next(t.Context(), st, "l", false, time.Time{}); err != nil || s.Action != tracker.ActionStop || !strings.Contains(s.Reason, "no version is in force") {
		t.Errorf("%v %+v", err, s)
	}
}

// No way of asking draws again from the same evidence unseen: policies in turn get what they decided before, and another operator for the same child is said.
func TestNoDrawsInTurns(t *testing.T) {
	l := newLoop(t, newStore(t), calm)
	l.run("v001", 60)
	p := l.propose(text("French"), tracker.ProposeOptions{Operator: "a"})
	l.run(p.Child, 58)
	threshold, err := evolution.DefaultPolicy("threshold")
	if err != nil {
		t.Fatal(err)
	}
	first := l.decide(p.Key, tracker.DecideOptions{Policy: threshold})
	l.decide(p.Key, tracker.DecideOptions{Policy: evolution.Strict{Eps: 3}})
	if again := l.decide(p.Key, tracker.DecideOptions{Policy: threshold}); !again.Repeated || again.Number != first.Number || again.Record.Draw.U != first.Record.Draw.U {
		t.Errorf("%+v, first %+v", again.Record.Draw, first.Record.Draw)
	}
	if _, err := l.try(text("French"), tracker.ProposeOptions{Operator: "b"}); err == nil {
		t.Error("a draw for each operator")
	} else {
		wantHint(t, err, track.ErrConflict, "mutation "+p.Key+", the same child of v001 by a, is rejected already", "name this attempt with --id")
	}
	if _, err := l.try(text("French"), tracker.ProposeOptions{Operator: "b", Parents: []string{"v001", "v003"}}); err == nil {
		t.Error("a draw for each second parent")
	}
	twin := l.propose(text("French"), tracker.ProposeOptions{Operator: "b", ID: "twin"})
	if twin.Key == p.Key || twin.Child != p.Child {
		t.Fatalf("%+v", twin)
	}
	r := l.decide(twin.Key, tracker.DecideOptions{Policy: threshold})
	if !warned(r, tracker.WarnAttempts, "decided before, once") {
		t.Errorf("%v", r.Warnings)
	}
	again := l.decide(twin.Key, tracker.DecideOptions{Policy: threshold})
	if diff := cmp.Diff(r.Warnings, again.Warnings); !again.Repeated || diff != "" {
		t.Errorf("the same question, repeated %v: %s", again.Repeated, diff)
	}
	if before := l.decide(p.Key, tracker.DecideOptions{Policy: threshold}); warned(before, tracker.WarnAttempts, "") {
		t.Errorf("a warning of what came after: %v", before.Warnings)
	}
	story, err := tracker.TellMutation(t.Context(), l.st, "l", twin.Key)
	if err != nil || len(story.Decisions) != 1 || !warned(story.Decisions[0], tracker.WarnAttempts, "once") {
		t.Errorf("%v, %+v", err, story.Decisions)
	}
	l.sound()
}

// What was taken back before it was decided, or refused, had no draw: another operator may try it.
func TestProposeUntried(t *testing.T) {
	l := newLoop(t, newStore(t), calm)
	first := l.propose(text("French"), tracker.ProposeOptions{Operator: "a"})
	if _, err := tracker.Withdraw(t.Context(), l.st, "l", first.Key, "", clock()); err != nil {
		t.Fatal(err)
	}
	if m := l.propose(text("French"), tracker.ProposeOptions{Operator: "b"}); m.Known || m.Child != first.Child {
		t.Errorf("%+v", m)
	}
	for _, operator := range []string{"a", "b"} {
		if m := l.propose("x", tracker.ProposeOptions{Operator: operator}); m.Known || m.State != evolution.MutationRefused {
			t.Errorf("%+v", m)
		}
	}
}

// What looks like a secret does not come into the ledger, from which nothing can be taken away.
func TestNoSecretsInLedger(t *testing.T) {
	l := newLoop(t, newStore(t), calm)
	const secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMn"
	p := l.propose(text("French"), tracker.ProposeOptions{Note: "key " + secret})
	if _, err := tracker.Withdraw(t.Context(), l.st, "l", p.Key, "leaks "+secret, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tracker.ChangeSettings(t.Context(), l.st, "l", func(s *evolution.Settings) error { s.Loop.Keep++; return nil }, "with "+secret, time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.rollback(tracker.RollbackOptions{To: p.Child, Reason: "for " + secret})
	x, err := tracker.ExportLineage(t.Context(), l.st, "l")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.Entries {
		if strings.Contains(string(e.Body), secret) {
			t.Errorf("entry %d, %s: %s", e.Number, e.Kind, e.Body)
		}
	}
	l.sound()
}
