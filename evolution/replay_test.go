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
)

// chain are n records of a lineage: one mutation each, the last two on the same.
func chain(t testing.TB, n int) (list []evolution.Record) {
	t.Helper()
	last := evolution.Record{}
	for i := range n {
		key := evolution.DrawKey{Seed: 7, Lineage: "l", Mutation: fmt.Sprintf("m-%d", i), Label: evolution.LabelExplore}
		if i == n-1 {
			key.Mutation, key.Attempt = last.Mutation, last.Attempt+1
		}
		p := policy(t, evolution.Policies()[i%7], "")
		e := pairs(alternating(float64(i)-2, 3, 10)...)
		r, err := evolution.NewRecord(last, key.Mutation, p, e, evolution.NewDraw(key), epoch.Add(time.Duration(i)*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		list, last = append(list, r), r
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
	records := chain(t, 9)
	text := asJSON(t, records)
	var back []evolution.Record
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]evolution.Record{"made": records, "read": back} {
		head := evolution.Head{Number: 9, Hash: records[8].Hash}
		if d := evolution.ReplayChain(list, head); len(d) != 0 {
			t.Errorf("%s: %v", name, d)
		}
	}
	slices.Reverse(back)
	if d := evolution.ReplayChain(back, evolution.Head{}); len(d) != 0 {
		t.Errorf("in another order: %v", d)
	}
}

// Each edit of a stored field is named: by the field that no longer follows, and by the hash.
func TestReplayNamesEdits(t *testing.T) {
	original := chain(t, 2)[0] // threshold, -2: exploration
	for want, edit := range map[string]func(r *evolution.Record){
		"decision.delta hash":              func(r *evolution.Record) { r.Decision.Delta = ptr(6.0) },
		"decision.label hash":              func(r *evolution.Record) { r.Decision.Label = evolution.Significant },
		"decision.accepted hash":           func(r *evolution.Record) { r.Decision.Accepted = !r.Decision.Accepted },
		"decision.state hash":              func(r *evolution.Record) { r.Decision.State = evolution.Continue },
		"decision.noise.false_accept hash": func(r *evolution.Record) { n := *r.Decision.Noise; n.FalseAccept = ptr(0.01); r.Decision.Noise = &n },
		"decision.used_child[0].weight hash": func(r *evolution.Record) {
			r.Decision.UsedChild = slices.Clone(r.Decision.UsedChild)
			r.Decision.UsedChild[0].Weight = 2
		},
		"decision.warnings hash":          func(r *evolution.Record) { r.Decision.Warnings = nil },
		"draw.u hash":                     func(r *evolution.Record) { r.Draw.U = 0.1 },
		"draw.raw hash":                   func(r *evolution.Record) { r.Draw.Raw ^= 1 },
		"draw.raw draw.u hash":            func(r *evolution.Record) { r.Draw.Seed++ },
		"draw.attempt hash":               func(r *evolution.Record) { r.Attempt = 1 },
		"draw.mutation hash":              func(r *evolution.Record) { r.Mutation = "m-x" },
		"draw.lineage hash":               func(r *evolution.Record) { r.Lineage = "k" },
		"draw.label draw.raw draw.u hash": func(r *evolution.Record) { r.Draw.Label = "mutate" },
		"draw hash":                       func(r *evolution.Record) { r.Draw.Algorithm = "xkcd221/1" },
		"params hash":                     func(r *evolution.Record) { r.Params = json.RawMessage(`{"eps":0}`) },
		"decision.rule[0].reject decision.label decision.p decision.draw_used hash": func(r *evolution.Record) {},
		"hash": func(r *evolution.Record) { r.Prev = "0" },
		"evidence hash": func(r *evolution.Record) {
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
			for _, field := range []string{"decision.rule[0].reject", "decision.label", "decision.p", "hash"} {
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

// A score of the evidence that is changed by a hundredth is found by what follows from it, in any trial that counts, and by the hash.
func TestReplayFindsEditedEvidence(t *testing.T) {
	records := chain(t, 9)
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(records).Draw(t, "record")
		r.Evidence.Child = slices.Clone(r.Evidence.Child)
		i := rapid.IntRange(0, len(r.Evidence.Child)-1).Draw(t, "trial")
		score := *r.Evidence.Child[i].Score + 0.01
		r.Evidence.Child[i].Score = &score
		d := evolution.Replay(r)
		if len(d) == 0 || d[len(d)-1].Field != "hash" {
			t.Fatalf("%v", d)
		}
		counts := slices.ContainsFunc(r.Decision.UsedChild, func(u evolution.Use) bool { return u.ID == r.Evidence.Child[i].ID })
		if counts && len(d) < 2 {
			t.Fatalf("only the hash: %v", d)
		}
	})
}

// The chain finds what is deleted, doubled, moved or replaced by a record with a hash of its own.
func TestChainFindsDeletions(t *testing.T) {
	records := chain(t, 6)
	head := evolution.Head{Number: 6, Hash: records[5].Hash}
	without := func(i int) []evolution.Record { return slices.Delete(slices.Clone(records), i, i+1) }
	renumbered := without(2)
	for i := range renumbered {
		renumbered[i].Number = i + 1
		renumbered[i].Hash, _ = renumbered[i].ContentHash()
	}
	for name, c := range map[string]struct {
		list []evolution.Record
		want string
	}{
		"first":             {without(0), "number prev"},
		"third":             {without(2), "number prev"},
		"an attempt":        {without(4), "number prev attempt"},
		"last":              {without(5), "head"},
		"all":               {nil, "head"},
		"third, renumbered": {renumbered, "prev prev prev head"},
		"doubled":           {append(slices.Clone(records), records[2]), "number prev attempt prev"},
	} {
		got := fields(evolution.ReplayChain(c.list, head))
		if name == "doubled" {
			if !strings.Contains(got, "number prev attempt") {
				t.Errorf("%s: %s", name, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if d := evolution.ReplayChain(without(5), evolution.Head{}); len(d) != 0 {
		t.Errorf("without a head the end is not known: %v", d)
	}
	other := slices.Clone(records)
	other[3].Lineage = "k"
	if got := fields(evolution.ReplayChain(other, head)); !strings.HasPrefix(got, "lineage draw.lineage hash") {
		t.Error(got)
	}
}

// The hash is that of the content, whatever the order of the trials and the zone of the times; it is pinned, since it is stored.
func TestContentHash(t *testing.T) {
	r := chain(t, 2)[0]
	slices.Reverse(r.Evidence.Child)
	for i := range r.Evidence.Child {
		r.Evidence.Child[i].At = r.Evidence.Child[i].At.In(time.FixedZone("x", 3600)).Add(999)
	}
	hash, err := r.ContentHash()
	if err != nil || hash != r.Hash {
		t.Errorf("%v %s, want %s", err, hash, r.Hash)
	}
	if r.Hash[:16] != pinned {
		t.Errorf("the form of records has changed: %s", r.Hash[:16])
	}
	r.Mutation = "\xff"
	if _, err := r.ContentHash(); err == nil {
		t.Error("two mutations can have one hash")
	}
}

const pinned = "90aa1cf78afe8e6e"

func TestNewRecordChecksTheKey(t *testing.T) {
	first := chain(t, 2)[0]
	e, p := pairs(1), policy(t, "strict", "")
	for name, key := range map[string]evolution.DrawKey{
		"mutation": {Lineage: "l", Mutation: "other", Label: evolution.LabelExplore}, "lineage": {Lineage: "k", Mutation: "m", Label: evolution.LabelExplore},
	} {
		if _, err := evolution.NewRecord(first, "m", p, e, evolution.NewDraw(key), epoch); err == nil {
			t.Errorf("another %s", name)
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
	r, err := evolution.NewRecord(evolution.Record{}, "m", policy(t, "anneal", ""), pairs(-1), draw, epoch)
	if err != nil || len(evolution.Replay(r)) != 0 {
		t.Fatalf("%v %v", err, evolution.Replay(r))
	}
	r.Draw.StateAfter = r.Draw.StateBefore
	if got := fields(evolution.Replay(r)); got != "draw.state_after hash" {
		t.Error(got)
	}
}

// What another policy would have done: strict refuses what threshold let through by exploration, confirm asks for more.
func TestCounterfactual(t *testing.T) {
	records := chain(t, 9)
	for name, check := range map[string]func(a evolution.Alternative) bool{
		"strict":  func(a evolution.Alternative) bool { return a.Decision.State != evolution.Continue },
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
			t.Errorf("the policy in force decides otherwise: %+v", a)
		}
	}
}
