package evolution_test

import (
	"slices"
	"testing"
	"time"

	"track/evolution"
)

// book writes a ledger as its lineage goes on.
type book struct {
	t              testing.TB
	lineage        string
	seed           uint64
	settings       evolution.Settings
	entries        []evolution.Entry
	proposals      []evolution.Proposal
	attempts       map[string]int
	considerations int
}

func (b *book) last() evolution.Entry {
	if len(b.entries) == 0 {
		return evolution.Entry{}
	}
	return b.entries[len(b.entries)-1]
}

func (b *book) add(kind evolution.Kind, body any, head string) {
	b.t.Helper()
	at := epoch.Add(time.Duration(len(b.entries)) * 17 * time.Minute)
	e, err := evolution.NewEntry(b.last(), b.lineage, kind, body, head, at)
	if err != nil {
		b.t.Fatal(err)
	}
	b.entries = append(b.entries, e)
}

func version(label string) evolution.VersionRef {
	return evolution.VersionRef{Label: label, ID: evolution.VersionID([]byte("content of " + label))}
}

// sourceBands are the parameters of the rule of the source.
const sourceBands = `{"explore":-3,"explore_p":0.2,"marginal":0,"significant":5}`

func newBook(t testing.TB, lineage string) *book {
	b := &book{t: t, lineage: lineage, seed: 7, settings: evolution.DefaultSettings(), attempts: map[string]int{}}
	b.settings.Policy, b.settings.Params = "threshold", []byte(sourceBands)
	root := version("v001")
	b.add(evolution.KindCreation, evolution.Creation{Seed: b.seed, Subject: "agent", Root: &root, Settings: b.settings}, root.Label)
	return b
}

func (b *book) set(edit func(*evolution.Settings)) {
	b.t.Helper()
	s := b.settings.Clone()
	edit(&s)
	s.Number++
	b.settings = s
	b.add(evolution.KindSettings, evolution.SettingsChange{Settings: s, Reason: "of the <test> & co"}, b.last().HeadAfter)
}

// propose proposes a child of parents, under a name of its own where id says so.
func (b *book) propose(id, child string, parents ...string) string {
	return b.proposal(evolution.Proposal{Mutation: id, Named: id != "", Child: version(child), Operator: "step_reorder", Risk: evolution.Medium}, parents)
}

func (b *book) proposal(p evolution.Proposal, parents []string) string {
	b.t.Helper()
	for _, parent := range parents {
		p.Parents = append(p.Parents, version(parent))
	}
	p.Number, p.Executions = len(b.proposals)+1, 3*len(b.proposals)
	if p.Mutation == "" {
		p.Mutation = p.ID()
	}
	kind := evolution.KindProposal
	if len(p.Refusals) > 0 {
		kind = evolution.KindRefusal
	}
	b.proposals = append(b.proposals, p)
	b.add(kind, p, b.last().HeadAfter)
	return p.Mutation
}

// proposedAt returns when a mutation was proposed.
func (b *book) proposedAt(mutation string) time.Time {
	i := slices.IndexFunc(b.entries, func(e evolution.Entry) bool { return e.Kind == evolution.KindProposal && e.Mutation == mutation })
	return b.entries[i].At
}

// decide decides on a mutation, by the policy of the settings unless another is named.
func (b *book) decide(mutation string, named evolution.Policy, e evolution.Evidence) evolution.Decision {
	b.t.Helper()
	i := slices.IndexFunc(b.proposals, func(p evolution.Proposal) bool { return p.Mutation == mutation })
	p := b.proposals[i]
	policy, err := evolution.ParsePolicy(b.settings.Policy, b.settings.Params)
	if err != nil {
		b.t.Fatal(err)
	}
	if named != nil {
		policy = named
	}
	e.Since = b.proposedAt(mutation)
	for i, list := range [][]evolution.Trial{e.Child, e.Parent} {
		for k := range list { // side by side, after the proposal
			list[k].At = e.Since.Add(time.Duration(2*k+i+1) * time.Second)
		}
	}
	draw := evolution.NewDraw(evolution.DrawKey{Seed: b.seed, Lineage: b.lineage, Mutation: mutation, Attempt: b.attempts[mutation], Label: evolution.LabelExplore})
	r, err := evolution.NewRecord(policy, e, draw)
	if err != nil {
		b.t.Fatal(err)
	}
	b.attempts[mutation]++
	r.Settings, r.Override = b.settings.Number, named != nil
	head := b.last().HeadAfter
	b.add(evolution.KindDecision, r, evolution.HeadAfter(r.Decision, head, p.Parents[0].Label, p.Child.Label))
	return r.Decision
}

// consider draws whether to mutate.
func (b *book) consider(state evolution.LoopState, signals evolution.Signals) evolution.Consideration {
	b.t.Helper()
	b.considerations++
	c := evolution.Consideration{Number: b.considerations, Executions: 3 * len(b.proposals), Settings: b.settings.Number, State: state, Signals: signals, Histories: evolution.Histories{}}
	key := evolution.DrawKey{Seed: b.seed, Lineage: b.lineage, Mutation: evolution.ConsiderationKey(c.Number), Label: evolution.LabelMutate}
	c.Draw = evolution.NewDraw(key)
	at := epoch.Add(time.Duration(len(b.entries)) * 17 * time.Minute)
	var err error
	if c.Permission, err = b.settings.Loop.MayMutate(c.State, at, c.Draw); err != nil {
		b.t.Fatal(err)
	}
	if c.Permission.Mutate {
		key.Label = evolution.LabelOperator
		draw := evolution.NewDraw(key)
		c.Histories.Add("step_reorder", ptr(2.5), true)
		choice, err := evolution.ChooseOperator(b.settings.OperatorChoice, c.Permission.Operators(b.settings.Operators), c.Signals, c.Histories, draw)
		if err != nil {
			b.t.Fatal(err)
		}
		c.Operator, c.Choice = &draw, &choice
	}
	b.add(evolution.KindConsideration, c, b.last().HeadAfter)
	return c
}

func (b *book) end() evolution.Head {
	return evolution.Head{Number: b.last().Number, Hash: b.last().Hash}
}

// wholeLedger is a lineage to which everything happens that can.
func wholeLedger(t testing.TB) ([]evolution.Entry, evolution.Head) {
	t.Helper()
	want := func(d evolution.Decision, state evolution.State) {
		t.Helper()
		if d.State != state {
			t.Fatalf("%s, want %s: %s", d.State, state, asJSON(t, d))
		}
	}
	b := newBook(t, "l")
	fresh := evolution.LoopState{SinceConsidered: -1, SinceMutation: -1, SinceRollback: -1, Scores: []float64{50, 51.5}, Mutations: []evolution.PastMutation{}}
	b.set(func(s *evolution.Settings) { s.Loop.MutationRate = 1 })
	if c := b.consider(fresh, evolution.Signals{}); c.Choice == nil || !c.Choice.DrawUsed {
		t.Fatal("no operator was drawn")
	}
	// Accepted by the policy of the settings: the head moves.
	first := b.proposal(evolution.Proposal{Child: version("v002"), Operator: "step_reorder", Risk: evolution.Medium, Note: "a note <&>", CostUSD: ptr(0.25)}, []string{"v001"})
	want(b.decide(first, nil, pairs(8, 9)), evolution.Accept)
	// Refused; of an operator that a signal calls for.
	if c := b.consider(fresh, evolution.Signals{ErrorRate: ptr(0.5)}); c.Choice == nil || c.Choice.DrawUsed {
		t.Fatal("no operator was called for")
	}
	b.proposal(evolution.Proposal{Child: version("v003"), Operator: "constraint_add", Risk: evolution.Low, Refusals: []evolution.Refusal{{Code: "too_short", Reason: "4 characters, less than half of 10"}}}, []string{"v002"})
	// Considered, and the draw says no.
	b.set(func(s *evolution.Settings) {
		s.Loop.MutationRate, s.Policy, s.Params = 0, "confirm", []byte(`{"alpha":0.05,"beta":0.2,"effect":2,"pairs":12}`)
	})
	if c := b.consider(fresh, evolution.Signals{}); c.Choice != nil {
		t.Fatal("a choice without a mutation")
	}
	// A crossover that needs more evidence, then is accepted; a failed trial, and one without a partner.
	crossover := b.propose("", "v004", "v002", "v001")
	few := pairs(3, 4)
	few.Child = append(few.Child, evolution.Trial{ID: "c9", Key: "k9", At: epoch, Failed: "timeout"})
	want(b.decide(crossover, nil, few), evolution.Continue)
	want(b.decide(crossover, nil, pairs(6, 5, 7, 6, 8, 5, 6, 7, 9)), evolution.Accept)
	// Of a parent that is no longer active: accepted, and the head stays.
	stale := b.propose("by-name", "v005", "v001")
	want(b.decide(stale, policy(t, "greedy", ""), pairs(2, 1)), evolution.Accept)
	// Other policies, and the draw of an exploration.
	b.set(func(s *evolution.Settings) {
		s.Policy, s.Params = "threshold", []byte(sourceBands)
	})
	many := b.propose("", "v006", "v004")
	want(b.decide(many, policy(t, "confirm", `{"pairs":12}`), pairs(9, 1, -8)), evolution.Reject)
	b.decide(many, policy(t, "greedy", ""), pairs(-1, -2))
	if d := b.decide(many, nil, pairs(-1, -2)); !d.DrawUsed {
		t.Fatal("no draw of an exploration")
	}
	withdrawn := b.propose("", "v007", "v004")
	want(b.decide(withdrawn, policy(t, "greedy", ""), pairs(-1, -2)), evolution.Reject)
	b.add(evolution.KindWithdrawal, evolution.Withdrawal{Mutation: withdrawn, Reason: "asks for a tool that is gone"}, b.last().HeadAfter)
	// Back, by hand and by a trigger.
	head := b.last().HeadAfter
	back, err := evolution.RollbackByHand(evolution.Standing{Version: head, Score: ptr(50.0)}, evolution.Standing{Version: "v002", Score: ptr(60.0)}, "forgets the tests")
	if err != nil {
		t.Fatal(err)
	}
	b.add(evolution.KindRollback, evolution.RollbackEvent{Rollback: *back, Settings: b.settings.Number, Executions: 40}, "v002")
	state := evolution.RollbackState{
		InForce: evolution.Standing{Version: "v002", Number: 2, Score: ptr(30.0)}, Previous: &evolution.Standing{Version: "v001", Number: 1, Score: ptr(62.0)},
		Versions: []evolution.Standing{{Version: "v002", Number: 2, Score: ptr(30.0)}, {Version: "v001", Number: 1, Score: ptr(62.0)}}, Steps: steps(31.5, 30), ErrorRate: ptr(0.25),
	}
	against(&state)
	triggered := b.settings.Rollback.Check(state)
	if triggered == nil || triggered.To != "v001" {
		t.Fatalf("no trigger: %+v", triggered)
	}
	b.add(evolution.KindRollback, evolution.RollbackEvent{Rollback: *triggered, Settings: b.settings.Number, Executions: 44, State: &state}, "v001")
	// From the root again, now with a generator of the loop's own.
	b.propose("m-last", "v008", "v001")
	want(b.decide("m-last", nil, pairs(7, 8)), evolution.Accept)
	b.set(func(s *evolution.Settings) { s.Loop.Frozen = true })
	return b.entries, b.end()
}
