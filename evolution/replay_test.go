package evolution_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

// newRecord is the decision of p on a mutation of the lineage "l".
func newRecord(t testing.TB, p evolution.Policy, e evolution.Evidence, mutation string, attempt int) evolution.Record {
	t.Helper()
	key := evolution.DrawKey{Seed: 7, Lineage: "l", Mutation: mutation, Attempt: attempt, Label: evolution.LabelExplore}
	r, err := evolution.NewRecord(p, e, evolution.NewDraw(key))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// records are n decisions: one mutation each, under every policy in turn; the last two on the same.
func records(t testing.TB, n int) (list []evolution.Record) {
	t.Helper()
	for i := range n {
		mutation, attempt := i, 0
		if i == n-1 {
			mutation, attempt = i-1, 1
		}
		e := pairs(alternating(float64(i)-2, 3, 12)...)
		list = append(list, newRecord(t, policy(t, []string{"threshold", "greedy", "confirm"}[i%3], ""), e, fmt.Sprintf("m-%d", mutation), attempt))
	}
	return list
}

func fields(list []evolution.Difference) string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Field
	}
	return strings.Join(names, " ")
}

// Records prove themselves, also after a way through JSON.
func TestReplayAgrees(t *testing.T) {
	for _, r := range records(t, 9) {
		var back evolution.Record
		if err := json.Unmarshal([]byte(asJSON(t, r)), &back); err != nil {
			t.Fatal(err)
		}
		for _, r := range []evolution.Record{r, back} {
			if d := evolution.Replay(r); len(d) != 0 {
				t.Errorf("%s: %v", r.Policy, d)
			}
		}
	}
}

// Each edit of a stored field is named: by the field that no longer follows, and by the hash.
func TestReplayNamesEdits(t *testing.T) {
	original := records(t, 2)[0] // threshold, -2: exploration
	for want, edit := range map[string]func(r *evolution.Record){
		"decision.delta":              func(r *evolution.Record) { r.Decision.Delta = ptr(6.0) },
		"decision.label":              func(r *evolution.Record) { r.Decision.Label = evolution.Significant },
		"decision.accepted":           func(r *evolution.Record) { r.Decision.Accepted = !r.Decision.Accepted },
		"decision.state":              func(r *evolution.Record) { r.Decision.State = evolution.Continue },
		"decision.noise.false_accept": func(r *evolution.Record) { n := *r.Decision.Noise; n.FalseAccept = ptr(0.01); r.Decision.Noise = &n },
		"decision.used_child[0].weight": func(r *evolution.Record) {
			r.Decision.UsedChild = slices.Clone(r.Decision.UsedChild)
			r.Decision.UsedChild[0].Weight = 2
		},
		"decision.warnings":          func(r *evolution.Record) { r.Decision.Warnings = nil },
		"draw.u":                     func(r *evolution.Record) { r.Draw.U = 0.1 },
		"draw.raw":                   func(r *evolution.Record) { r.Draw.Raw ^= 1 },
		"draw.raw draw.u":            func(r *evolution.Record) { r.Draw.Seed++ },
		"draw.attempt":               func(r *evolution.Record) { r.Attempt = 1 },
		"draw.mutation":              func(r *evolution.Record) { r.Mutation = "m-x" },
		"draw.label draw.raw draw.u": func(r *evolution.Record) { r.Draw.Label = "mutate" },
		"draw":                       func(r *evolution.Record) { r.Draw.Algorithm = "xkcd221/1" },
		"params":                     func(r *evolution.Record) { r.Params = json.RawMessage(`{"eps":0}`) },
		"decision.rule[0].reject decision.label decision.p decision.draw_used": func(r *evolution.Record) {},
		"evidence": func(r *evolution.Record) {
			r.Evidence.Child = slices.Clone(r.Evidence.Child)
			r.Evidence.Child[0].Failed = "x"
		},
	} {
		r := original
		edit(&r)
		got := fields(evolution.Replay(r))
		if strings.Contains(want, "rule[0]") {
			r.Params = json.RawMessage(strings.Replace(string(r.Params), "-3", "-1", 1))
			got = fields(evolution.Replay(r))
			for _, field := range []string{"decision.rule[0].reject", "decision.label", "decision.p"} {
				if !strings.Contains(got, field) {
					t.Errorf("another limit: %s, want %s", got, field)
				}
			}
			continue
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A score of the evidence that is changed by a hundredth is found by what follows from it, in any trial that counts.
func TestReplayFindsEditedEvidence(t *testing.T) {
	list := records(t, 9)
	property.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(list).Draw(t, "record")
		i := rapid.IntRange(0, len(r.Decision.UsedChild)-1).Draw(t, "use")
		r.Evidence.Child = slices.Clone(r.Evidence.Child)
		k := slices.IndexFunc(r.Evidence.Child, func(trial evolution.Trial) bool { return trial.ID == r.Decision.UsedChild[i].ID })
		score := *r.Evidence.Child[k].Score + 0.01
		r.Evidence.Child[k].Score = &score
		if d := evolution.Replay(r); len(d) == 0 {
			t.Fatal("not found")
		}
	})
}

// Other evidence, policies and parameters are another question; the order of the trials is not.
func TestSameQuestion(t *testing.T) {
	e, p := pairs(alternating(1, 3, 10)...), policy(t, "confirm", "")
	r := newRecord(t, p, e, "m", 0)
	reversed := evolution.Evidence{Child: slices.Clone(e.Child), Parent: e.Parent}
	slices.Reverse(reversed.Child)
	more := pairs(alternating(1, 3, 11)...)
	for _, c := range []struct {
		p    evolution.Policy
		e    evolution.Evidence
		want bool
	}{{p, e, true}, {p, reversed, true}, {p, more, false}, {policy(t, "greedy", ""), e, false}, {policy(t, "confirm", `{"beta":0.1}`), e, false}} {
		if same, err := r.SameQuestion(c.p, c.e); err != nil || same != c.want {
			t.Errorf("%s %d: %v %v", c.p.Name(), len(c.e.Child), same, err)
		}
	}
}

// A decision with a generator of the loop's own replays too.
func TestReplayPCG(t *testing.T) {
	state, _ := rand.NewPCG(1, 2).MarshalBinary()
	draw, err := evolution.NewPCGDraw(state, evolution.DrawKey{Lineage: "l", Mutation: "m", Label: evolution.LabelExplore})
	if err != nil {
		t.Fatal(err)
	}
	r, err := evolution.NewRecord(policy(t, "threshold", ""), pairs(-1), draw)
	if err != nil || len(evolution.Replay(r)) != 0 {
		t.Fatalf("%v %v", err, evolution.Replay(r))
	}
	r.Draw.StateAfter = r.Draw.StateBefore
	if got := fields(evolution.Replay(r)); got != "draw.state_after" {
		t.Error(got)
	}
}

// What another policy would have done: greedy refuses what threshold let through by exploration, confirm asks for more.
func TestCounterfactual(t *testing.T) {
	records := records(t, 9)
	for name, check := range map[string]func(a evolution.Alternative) bool{
		"greedy":  func(a evolution.Alternative) bool { return a.Decision.State != evolution.Continue },
		"confirm": func(a evolution.Alternative) bool { return a.Decision.State != evolution.Accept },
	} {
		for _, a := range evolution.Counterfactual(records, policy(t, name, "")) {
			if a.Err != nil || !check(a) || a.Same != (a.Decision.State == a.Record.Decision.State) || a.Decision.Policy != name {
				t.Errorf("%s: %+v", name, a)
			}
		}
	}
	for i, a := range evolution.Counterfactual(records[:1], policy(t, "threshold", "")) {
		if !a.Same || asJSON(t, a.Decision) != asJSON(t, records[i].Decision) {
			t.Errorf("the active policy decides otherwise: %+v", a)
		}
	}
}

// A replay finds an adoption that changes nothing, or whose mutation made another version.
func TestReplayAdoption(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	score := 0.75
	for _, tt := range []struct {
		adoption evolution.Adoption
		differs  string
	}{
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v002"}, VersionMutation: "p2", Source: "gepa", Score: &score}, ""},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v003"}, Source: "gepa"}, ""},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v001"}, Source: "gepa"}, "version"},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v002"}, VersionMutation: "p9", Source: "gepa"}, "version_mutation"},
		{evolution.Adoption{Version: evolution.VersionRef{Label: "v003"}, VersionMutation: "p2", Source: "gepa"}, "version_mutation"},
	} {
		var entries []evolution.Entry
		add := func(kind evolution.Kind, body any, head string) {
			var prev evolution.Entry
			if n := len(entries); n > 0 {
				prev = entries[n-1]
			}
			e, err := evolution.NewEntry(prev, "l", kind, body, head, at)
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, e)
		}
		root, child := evolution.VersionRef{Label: "v001"}, evolution.VersionRef{Label: "v002"}
		add(evolution.KindCreation, evolution.Creation{Seed: 1, Subject: "agent", Root: &root, Source: "gepa", Settings: evolution.DefaultSettings()}, "v001")
		add(evolution.KindProposal, evolution.Proposal{
			Mutation: "p2", Number: 1, Named: true, Parents: []evolution.VersionRef{root}, Child: child, Operator: "o", Risk: evolution.Medium, Source: "gepa",
		}, "v001")
		add(evolution.KindAdoption, tt.adoption, tt.adoption.Version.Label)
		last := entries[len(entries)-1]
		replayed := evolution.ReplayLedger(entries, evolution.Head{Number: last.Number, Hash: last.Hash})
		got := ""
		for _, d := range replayed.Differences {
			got += d.Field
		}
		if got != tt.differs || replayed.Head != tt.adoption.Version.Label {
			t.Errorf("%+v: differs in %q, want %q; active: %s", tt.adoption, got, tt.differs, replayed.Head)
		}
	}
}
