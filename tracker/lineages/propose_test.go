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
	"track/internal/trackertest"
	"track/tracker/lineages"
)

// A child that must not be tried is recorded as refused, with the reasons, and is never decided.
func TestProposeRefused(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	for child, code := range map[string]string{" \n": "empty", "x": "too_short", strings.Repeat("Be brief. ", 801): "too_long", lineagetest.Text("French; rm  -rf the rest"): "forbidden"} {
		r := l.Propose(child, answer.ProposeQuestion{})
		if len(r.Refusals) != 1 || r.Refusals[0].Code != code || r.State != evolution.MutationRefused || r.Entry.Kind != evolution.KindRefusal {
			t.Errorf("%s: %+v", code, r)
		}
		if again := l.Propose(child, answer.ProposeQuestion{}); !again.Known || again.Key != r.Key || again.State != evolution.MutationRefused {
			t.Errorf("%s again: %+v", code, again)
		}
		if _, err := lineages.Decide(t.Context(), l.Store, "l", r.Key, answer.DecideQuestion{}); err == nil {
			t.Errorf("%s was decided", code)
		} else {
			wantHint(t, err, track.ErrConflict, "is refused", "mutation show")
		}
		if history, err := lineages.ShowMutation(t.Context(), l.Store.Reader, answer.MutationQuestion{Lineage: "l", Mutation: r.Key}); err != nil || len(history.Refusals) != 1 {
			t.Errorf("%s: %v %+v", code, err, history)
		}
	}
	if got := l.Kinds(); got != "creation refusal refusal refusal refusal" {
		t.Error(got)
	}
	if r, err := l.Try(lineagetest.Text("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"), answer.ProposeQuestion{}); err == nil {
		t.Errorf("a secret was recorded: %+v", r)
	} else {
		wantHint(t, err, track.ErrInvalid, "looks like a secret", "keep-secrets")
	}
	l.CheckReplay()
}

// Proposing again finds the same mutation, whatever happened to it since; what is another is refused under the same
// name.
func TestProposeAgain(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 60)
	drawn := l.Next()
	if drawn.Action != answer.ActionMutate {
		t.Fatalf("%+v", drawn)
	}
	first := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Note: "n", CostUSD: pointer(1.0)})
	if first.Operator != drawn.Operator || first.Risk != drawn.Risk || first.Known || !first.NewChild {
		t.Errorf("drawn %+v, proposed %+v", drawn.Operator, first)
	}
	if again := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}); !again.Known || again.Key != first.Key || again.Number != 1 {
		t.Errorf("again, without a word on the operator: %+v", again)
	}
	named := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{ID: "mine", Operator: "step_reorder"})
	if again := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{ID: "mine"}); !again.Known || again.Key != "mine" || again.Number != named.Number {
		t.Errorf("again by name: %+v", again)
	}
	l.Run("v003", 70)
	if r := l.Decide("mine", answer.DecideQuestion{}); r.HeadAfter != "v003" {
		t.Fatalf("%+v", r)
	}
	if again := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{ID: "mine"}); !again.Known || again.State != evolution.MutationAccepted {
		t.Errorf("again by name, after it was accepted: %+v", again)
	}
	for name, o := range map[string]answer.ProposeQuestion{
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
	if _, err := l.Try(lineagetest.Text("German"), answer.ProposeQuestion{}); err == nil {
		t.Error("a child of itself")
	} else {
		trackertest.WantError(t, err, track.ErrInvalid)
	}
	if versions, err := l.Store.VersionStates(t.Context(), "l"); err != nil || len(versions) != 3 {
		t.Errorf("%v, %d versions", err, len(versions))
	}
	l.CheckReplay()
}

// What is withdrawn stays, and is not decided; what is accepted is left by a rollback.
func TestWithdraw(t *testing.T) {
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 60)
	m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	for range 2 {
		if w, err := lineages.Withdraw(t.Context(), l.Store, "l", m, "why not", time.Time{}); err != nil || w.State != evolution.MutationWithdrawn {
			t.Errorf("%+v %v", w, err)
		}
	}
	if got := l.Kinds(); got != "creation proposal withdrawal" {
		t.Error(got)
	}
	_, err := lineages.Decide(t.Context(), l.Store, "l", m, answer.DecideQuestion{})
	wantHint(t, err, track.ErrConflict, "is withdrawn", "another id")
	r := l.Evolve("German", 90)
	_, err = lineages.Withdraw(t.Context(), l.Store, "l", r.Mutation.Key, "why not", time.Time{})
	wantHint(t, err, track.ErrConflict, "is accepted", "rollback l")
	_, err = lineages.Withdraw(t.Context(), l.Store, "l", "nosuch", "why not", time.Time{})
	trackertest.WantError(t, err, track.ErrNotFound)
	if history, err := lineages.ShowMutation(t.Context(), l.Store.Reader, answer.MutationQuestion{Lineage: "l", Mutation: m}); err != nil || history.Withdrawn != "why not" {
		t.Errorf("%v %+v", err, history)
	}
	l.CheckReplay()
}

// No way of asking draws again from the same evidence unseen: policies in turn get what they decided before, and
// another operator for the same child is said.
func TestNoDrawsInTurns(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	l.Run("v001", 60)
	p := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "a"})
	l.Run(p.Child, 58)
	threshold, err := evolution.DefaultPolicy("threshold")
	if err != nil {
		t.Fatal(err)
	}
	first := l.Decide(p.Key, answer.DecideQuestion{Policy: threshold})
	l.Decide(p.Key, answer.DecideQuestion{Policy: evolution.Greedy{Eps: 3}})
	if again := l.Decide(p.Key, answer.DecideQuestion{Policy: threshold}); !again.Repeated || again.Number != first.Number || again.Record.Draw.U != first.Record.Draw.U {
		t.Errorf("%+v, first %+v", again.Record.Draw, first.Record.Draw)
	}
	if _, err := l.Try(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "b"}); err == nil {
		t.Error("a draw for each operator")
	} else {
		wantHint(t, err, track.ErrConflict, "mutation "+p.Key+", the same child of v001 by a, is rejected already", "under a name")
	}
	if _, err := l.Try(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "b", Parents: []string{"v001", "v003"}}); err == nil {
		t.Error("a draw for each second parent")
	}
	sibling := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "b", ID: "twin"})
	if sibling.Key == p.Key || sibling.Child != p.Child {
		t.Fatalf("%+v", sibling)
	}
	r := l.Decide(sibling.Key, answer.DecideQuestion{Policy: threshold})
	if !warned(r.Warnings, lineages.WarnAttempts, "decided before, once") {
		t.Errorf("%v", r.Warnings)
	}
	again := l.Decide(sibling.Key, answer.DecideQuestion{Policy: threshold})
	if diff := cmp.Diff(r.Warnings, again.Warnings); !again.Repeated || diff != "" {
		t.Errorf("the same question, repeated %v: %s", again.Repeated, diff)
	}
	if before := l.Decide(p.Key, answer.DecideQuestion{Policy: threshold}); warned(before.Warnings, lineages.WarnAttempts, "") {
		t.Errorf("a warning of what came after: %v", before.Warnings)
	}
	history, err := lineages.ShowMutation(t.Context(), l.Store.Reader, answer.MutationQuestion{Lineage: "l", Mutation: sibling.Key})
	if err != nil || len(history.Decisions) != 1 || !warned(history.Decisions[0].Warnings, lineages.WarnAttempts, "once") {
		t.Errorf("%v, %+v", err, history.Decisions)
	}
	l.CheckReplay()
}

// What was taken back before it was decided, or refused, had no draw: another operator may try it.
func TestProposeUntried(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	first := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "a"})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", first.Key, "", testdb.Clock()); err != nil {
		t.Fatal(err)
	}
	if m := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Operator: "b"}); m.Known || m.Child != first.Child {
		t.Errorf("%+v", m)
	}
	for _, operator := range []string{"a", "b"} {
		if m := l.Propose("x", answer.ProposeQuestion{Operator: operator}); m.Known || m.State != evolution.MutationRefused {
			t.Errorf("%+v", m)
		}
	}
}

// What looks like a secret does not come into the ledger, from which nothing can be taken away.
func TestNoSecretsInLedger(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	const secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMn"
	p := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Note: "key " + secret})
	if _, err := lineages.Withdraw(t.Context(), l.Store, "l", p.Key, "leaks "+secret, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lineages.ChangeSettings(t.Context(), l.Store, "l", func(s *evolution.Settings) error { s.Loop.Keep++; return nil }, "with "+secret, time.Time{}); err != nil {
		t.Fatal(err)
	}
	l.Rollback(answer.RollbackQuestion{To: p.Child, Untested: true, Reason: "for " + secret})
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
