package evolution_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

// A ledger to which nothing was done replays without a difference: as it is, after a way through JSON, and in any
// order.
func TestReplayLedger(t *testing.T) {
	entries, end := wholeLedger(t)
	var back []evolution.Entry
	if err := json.Unmarshal([]byte(asJSON(t, entries)), &back); err != nil {
		t.Fatal(err)
	}
	reversed := slices.Clone(entries)
	slices.Reverse(reversed)
	for name, list := range map[string][]evolution.Entry{"as it is": entries, "through JSON": back, "reversed": reversed} {
		r := evolution.ReplayLedger(list, end)
		if len(r.Differences) > 0 {
			t.Errorf("%s: %v", name, r.Differences)
		}
		if r.Entries != len(entries) || r.Decisions != 9 || r.Verified != 9 || r.Head != "v008" || r.Settings.Number != 5 || !r.Settings.Loop.Frozen || len(r.Mutations) != 7 {
			t.Errorf("%s: %d entries, %d of %d decisions, %s active, settings %d, %d mutations", name, r.Entries, r.Verified, r.Decisions, r.Head, r.Settings.Number, len(r.Mutations))
		}
		var states []string
		for _, m := range r.Mutations {
			states = append(states, fmt.Sprint(m.Number, m.State, m.Attempts, m.Delta != nil))
		}
		want := "1 accepted 1 true, 2 refused 0 false, 3 accepted 2 true, 4 accepted 1 true, 5 rejected 3 true, 6 withdrawn 1 true, 7 accepted 1 true"
		if got := strings.NewReplacer("accepted", " accepted ", "refused", " refused ", "rejected", " rejected ", "withdrawn", " withdrawn ").Replace(strings.Join(states, ", ")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if r := evolution.ReplayLedger(entries, evolution.Head{}); len(r.Differences) > 0 {
		t.Errorf("with an end that is not known: %v", r.Differences)
	}
	if r := evolution.ReplayLedger(nil, end); fields(r.Differences) != "end" {
		t.Errorf("nothing where there was something: %v", r.Differences)
	}
	for _, e := range entries {
		if e.Kind == evolution.KindDecision {
			if d := evolution.ReplayEntry(e); len(d) > 0 || e.ID() != "d-"+e.Hash[:16] {
				t.Errorf("entry %d on its own: %v", e.Number, d)
			}
		}
	}
}

// The stored form of an entry must not change: a ledger that was exported is read for as long as there is anybody who
// has one. The hash is that of
//
//	printf 'track/ledger/1\0%s' '{"at":…}' | sha256sum
func TestContentHash(t *testing.T) {
	attempt := 2
	e := evolution.Entry{
		Lineage: "agents/sepa", Number: 3, Kind: evolution.KindDecision, Mutation: "m-1", Attempt: &attempt, At: time.Date(2026, 1, 2, 10, 4, 5, 678901234, time.FixedZone("ICT", 7*3600)),
		HeadBefore: "v001", HeadAfter: "v002", Body: []byte("{\"z\": [1.0, 1e2, \"<&>\"],\n \"ä\": null}"), Prev: "ab",
	}
	text := `{"at":"2026-01-02T03:04:05.678901Z","attempt":2,"body":{"z":[1,100,"<&>"],"ä":null},"hash":"","head_after":"v002","head_before":"v001","kind":"decision",` +
		`"lineage":"agents/sepa","mutation":"m-1","number":3,"prev":"ab"}`
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("track/ledger/1\x00"+text)))
	if got, err := e.ContentHash(); err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
	const pinned = "002a5a12391f6a382e08dcb4212b2857586f2516b7390580b2a04a2718c3fd62"
	first := newBook(t, "l").entries[0]
	if first.Hash != pinned {
		t.Errorf("the first entry of a lineage has the hash %s, want %s", first.Hash, pinned)
	}
	for _, broken := range []evolution.Entry{{Mutation: "\xff", Body: []byte("{}")}, {Lineage: "\xff", Body: []byte("{}")}, {Body: []byte(`{"a":1,"a":1}`)}, {Body: []byte("{")}, {Body: []byte("\"\xff\"")}} {
		if hash, err := broken.ContentHash(); !errors.Is(err, evolution.ErrLedger) {
			t.Errorf("%+v: %s %v", broken, hash, err)
		}
	}
	if _, err := evolution.NewEntry(evolution.Entry{}, "l", evolution.KindWithdrawal, evolution.Withdrawal{Reason: "\xff"}, "", epoch); err != nil {
		t.Error(err) // as JSON has it
	}
	if _, err := evolution.NewEntry(evolution.Entry{}, "l", evolution.KindDecision, evolution.Record{Evidence: evolution.Evidence{Child: []evolution.Trial{{Score: ptr(math.NaN())}}}}, "", epoch); !errors.Is(err, evolution.ErrLedger) {
		t.Errorf("a score that is not a number: %v", err)
	}
}

// Whatever is done to a ledger, what is found does not depend on the order in which its entries are handed over.
func TestReplayLedgerInAnyOrder(t *testing.T) {
	b := newBook(t, "l")
	b.decide(b.propose("", "v002", "v001"), policy(t, "greedy", ""), pairs(1))
	b.propose("", "v003", "v002")
	b.set(func(s *evolution.Settings) { s.Loop.Frozen = true })
	property.Check(t, func(t *rapid.T) {
		list := slices.Clone(b.entries)
		for range rapid.IntRange(0, 3).Draw(t, "forgeries") {
			e := rapid.SampledFrom(b.entries).Draw(t, "entry")
			e.Number = rapid.IntRange(1, len(list)).Draw(t, "number")
			if rapid.Bool().Draw(t, "hash") {
				e.Hash, _ = e.ContentHash()
			}
			list = append(list, e)
		}
		before := asJSON(t, list)
		a := evolution.ReplayLedger(list, b.end())
		c := evolution.ReplayLedger(rapid.Permutation(list).Draw(t, "another order"), b.end())
		if asJSON(t, a) != asJSON(t, c) {
			t.Fatalf("%s\n%s", asJSON(t, a), asJSON(t, c))
		}
		if (len(a.Differences) == 0) != (len(list) == len(b.entries)) || asJSON(t, list) != before {
			t.Fatalf("%v", a.Differences)
		}
	})
}

// What comes of a decision: the state of its mutation, and the active version.
func TestAfterDecision(t *testing.T) {
	accept, reject, more := evolution.Decision{State: evolution.Accept, Accepted: true}, evolution.Decision{State: evolution.Reject}, evolution.Decision{State: evolution.Continue}
	for _, c := range []struct {
		d                    evolution.Decision
		before               evolution.MutationState
		state                evolution.MutationState
		open                 bool
		head, parent, result string
	}{
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "p", "p", "c"},
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "other", "p", "other"}, // compared with a version that is no longer active
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "c", "p", "c"},
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "", "p", ""},
		{reject, evolution.MutationContinued, evolution.MutationRejected, false, "p", "p", "p"},
		{reject, evolution.MutationContinued, evolution.MutationRejected, false, "c", "p", "c"}, // decided again: the active version stays until a rollback
		{more, evolution.MutationProposed, evolution.MutationContinued, true, "p", "p", "p"},
		{more, evolution.MutationRejected, evolution.MutationRejected, false, "p", "p", "p"}, // by another policy: it stays rejected
		{more, evolution.MutationAccepted, evolution.MutationAccepted, false, "c", "p", "c"},
	} {
		state, head := evolution.StateAfter(c.d, c.before), evolution.HeadAfter(c.d, c.head, c.parent, "c")
		if state != c.state || state.Open() != c.open || head != c.result {
			t.Errorf("%s with %q active, of %q: %s, %q active; want %s, %q", c.d.State, c.head, c.parent, state, head, c.state, c.result)
		}
		// A difference that decided stays when more is asked for afterwards.
		c.d.Delta = nil
		ended, earlier := c.before == evolution.MutationAccepted || c.before == evolution.MutationRejected, ptr(1.5)
		if delta := evolution.DeltaAfter(c.d, c.before, earlier); (delta == earlier) != (ended && c.d.State == evolution.Continue) {
			t.Errorf("%s after %s: delta %v", c.d.State, c.before, delta)
		}
	}
	for state, open := range map[evolution.MutationState]bool{evolution.MutationProposed: true, evolution.MutationRefused: false, evolution.MutationWithdrawn: false} {
		if state.Open() != open {
			t.Errorf("%s: open %v", state, !open)
		}
	}
}

// What somebody else wrote is read to its end or refused, and never more.
func FuzzReplayLedger(f *testing.F) {
	entries, _ := wholeLedger(f)
	for _, e := range entries {
		f.Add(string(e.Kind), []byte(e.Body))
	}
	for _, kind := range []string{"decision", "consideration", "rollback", "", "x"} {
		f.Add(kind, []byte(`{}`))
		f.Add(kind, []byte(`null`))
	}
	f.Add("creation", []byte(`{"seed":"1","subject":"","root":null,"settings":{"number":1,"policy":"cs","params":null,"operators":[{"name":"x","risk":"HIGH"}],"loop":{},"rollback":{}}}`))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		// After a beginning without decisions, which has a mutation that can be decided; and as the beginning.
		var begin []evolution.Entry
		for _, e := range entries[:10] {
			if e.Kind != evolution.KindDecision {
				begin = append(begin, e)
			}
		}
		e := evolution.Entry{Lineage: "l", Number: 11, Kind: evolution.Kind(kind), Body: body, At: epoch}
		e.Hash, _ = e.ContentHash()
		evolution.ReplayEntry(e)
		for _, list := range [][]evolution.Entry{append(begin, e), append([]evolution.Entry{e}, begin...)} {
			if r := evolution.ReplayLedger(list, evolution.Head{}); len(r.Differences) == 0 || r.Entries != len(list) {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// A decision on an agent that takes trials of the parent from before the proposal for controls is found, though all of
// its hashes are right.
func TestReplayFindsOldControls(t *testing.T) {
	b := newBook(t, "l")
	b.set(func(s *evolution.Settings) { s.Policy, s.Params = "greedy", []byte(`{"eps":0}`) })
	mutation := b.propose("", "v002", "v001")
	draw := evolution.NewDraw(evolution.DrawKey{Seed: b.seed, Lineage: b.lineage, Mutation: mutation, Label: evolution.LabelExplore})
	record := func(since time.Time) evolution.Record {
		e := pairs(8, 9) // made before the proposal
		e.Since = since
		r, err := evolution.NewRecord(policy(t, "greedy", ""), e, draw)
		if err != nil {
			t.Fatal(err)
		}
		r.Settings = b.settings.Number
		return r
	}
	if r := record(b.proposedAt(mutation)); r.Decision.State != evolution.Continue {
		t.Fatalf("old controls decide: %s", r.Decision.State)
	}
	b.add(evolution.KindDecision, record(time.Time{}), "v002")
	list := evolution.ReplayLedger(b.entries, b.end()).Differences
	if len(list) != 1 || list[0].Field != "evidence.since" {
		t.Errorf("%v", list)
	}
}
