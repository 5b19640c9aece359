package evolution_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
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

func newBook(t testing.TB, lineage string) *book {
	b := &book{t: t, lineage: lineage, seed: 7, settings: evolution.DefaultSettings(), attempts: map[string]int{}}
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
	e.Step = p.Number - 1
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
		c.Histories.Add("step_reorder", ptr(2.5))
		choice, err := evolution.ChooseOperator(c.Permission.Operators(b.settings.Operators), c.Signals, c.Histories, draw)
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
		s.Loop.MutationRate, s.Policy, s.Params = 0, "poi", []byte(`{"c":0.9,"n_min":3,"tau":3}`)
	})
	if c := b.consider(fresh, evolution.Signals{}); c.Choice != nil {
		t.Fatal("a choice without a mutation")
	}
	// A crossover that needs more evidence, then is accepted; a failed trial, and one without a partner.
	crossover := b.propose("", "v004", "v002", "v001")
	few := pairs(3, 4)
	few.Child = append(few.Child, evolution.Trial{ID: "c9", Key: "k9", At: epoch, Failed: "timeout"})
	want(b.decide(crossover, nil, few), evolution.Continue)
	want(b.decide(crossover, nil, pairs(6, 5, 7)), evolution.Accept)
	// Of a parent that is no longer in force: accepted, and the head stays.
	stale := b.propose("by-name", "v005", "v001")
	want(b.decide(stale, policy(t, "strict", ""), pairs(2, 1)), evolution.Accept)
	// Other policies, and the draw of an exploration. Those that look after every pair measure their noise by
	// simulation, which takes too long here.
	b.set(func(s *evolution.Settings) { s.Policy, s.Params = "threshold", evolution.DefaultSettings().Params })
	many := b.propose("", "v006", "v004")
	want(b.decide(many, policy(t, "confirm", `{"n1":1,"n2":2}`), pairs(9, 1, -2)), evolution.Reject)
	b.decide(many, policy(t, "anneal", ""), pairs(-1, -2))
	if d := b.decide(many, nil, pairs(-1, -2)); !d.DrawUsed {
		t.Fatal("no draw of an exploration")
	}
	withdrawn := b.propose("", "v007", "v004")
	want(b.decide(withdrawn, policy(t, "strict", ""), pairs(-1, -2)), evolution.Reject)
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
		Versions: []evolution.Standing{{Version: "v002", Number: 2, Score: ptr(30.0)}, {Version: "v001", Number: 1, Score: ptr(62.0)}}, Scores: []float64{31.5, 30}, ErrorRate: ptr(0.25),
	}
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
			t.Errorf("%s: %d entries, %d of %d decisions, %s in force, settings %d, %d mutations", name, r.Entries, r.Verified, r.Decisions, r.Head, r.Settings.Number, len(r.Mutations))
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

// leaf is one value of a JSON text, by its path.
type leaf struct {
	path string
	edit func() // of the tree that it is part of
}

// leaves are the values of a tree that are no objects and no lists, empty ones apart. To edit one gives another value
// of its own type, where it has one.
func leaves(path string, value any, set func(any)) (list []leaf) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, leaves(path+"."+name, v[name], func(x any) { v[name] = x })...)
		}
		return list
	case []any:
		for i := range v {
			list = append(list, leaves(path+"["+strconv.Itoa(i)+"]", v[i], func(x any) { v[i] = x })...)
		}
		if len(v) == 0 {
			list = append(list, leaf{path, func() { set([]any{"x"}) }})
		}
		return list
	case string:
		return []leaf{{path, func() { set(otherText(v)) }}}
	case float64:
		return []leaf{{path, func() { set(v + 1) }}}
	case bool:
		return []leaf{{path, func() { set(!v) }}}
	}
	return []leaf{{path, func() { set(1) }}}
}

// otherText is a plausible other text: of a number another number, of a hexadecimal one another of its length.
func otherText(s string) string {
	if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return at.Add(time.Microsecond).Format(time.RFC3339Nano)
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return strconv.FormatUint(n+1, 10)
	}
	if s == "" || len(s) >= 16 && !strings.ContainsAny(s, "ghijklmnopqrstuvwxyz ") {
		return strings.Map(func(r rune) rune {
			if r == 'a' {
				return 'b'
			}
			return 'a'
		}, s+strings.Repeat("b", max(0, 1-len(s))))
	}
	return s + "1"
}

// edits calls visit with a body for each leaf, in which that leaf is another, and with bodies that have a member more
// or less.
func edits(t testing.TB, body []byte, visit func(path string, edited []byte)) {
	t.Helper()
	tree := func() (v map[string]any) {
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i := range leaves("", tree(), nil) {
		v := tree()
		l := leaves("", v, nil)[i]
		l.edit()
		visit(strings.TrimPrefix(l.path, "."), []byte(asJSON(t, v)))
	}
	for _, name := range slices.Sorted(maps.Keys(tree())) {
		v := tree()
		delete(v, name)
		visit("without "+name, []byte(asJSON(t, v)))
	}
	v := tree()
	v["another"] = 1
	visit("another member", []byte(asJSON(t, v)))
}

// naming says whether a difference names an entry, by one of the fields if any are given.
func naming(list []evolution.Difference, number int, fields ...string) bool {
	return slices.ContainsFunc(list, func(d evolution.Difference) bool {
		return d.Number == number && (len(fields) == 0 || slices.Contains(fields, d.Field))
	})
}

// with is a ledger in which one entry is another.
func with(entries []evolution.Entry, i int, e evolution.Entry) []evolution.Entry {
	list := slices.Clone(entries)
	list[i] = e
	return list
}

// Any edit of any value of any body is found and named by the number of its entry. Where the forger computes the hash
// of the entry anew, the next one, or the end, shows it. Each is looked at next to the entry after it alone, since
// decisions take their time.
func TestReplayLedgerFindsEditedBodies(t *testing.T) {
	entries, end := wholeLedger(t)
	n := 0
	for i, e := range entries {
		var after []evolution.Entry
		if i < len(entries)-1 {
			after = entries[i+1 : i+2]
		}
		replay := func(e evolution.Entry) []evolution.Difference {
			return evolution.ReplayLedger(append([]evolution.Entry{e}, after...), end).Differences
		}
		chained := func(list []evolution.Difference) bool {
			if after == nil {
				return !naming(list, e.Number, "end")
			}
			return !naming(list, e.Number+1, "prev")
		}
		if list := replay(e); naming(list, e.Number, "hash") || !chained(list) {
			t.Errorf("entry %d (%s) as it is: %v", e.Number, e.Kind, list)
		}
		edits(t, e.Body, func(path string, edited []byte) {
			n++
			what := fmt.Sprintf("entry %d (%s): %s", e.Number, e.Kind, path)
			forged := e
			forged.Body = edited
			if list := replay(forged); !naming(list, e.Number, "hash") {
				t.Errorf("%s: %v", what, list)
			}
			hash, err := forged.ContentHash()
			if err != nil {
				t.Fatal(err)
			}
			forged.Hash = hash
			if list := replay(forged); naming(list, e.Number, "hash") || chained(list) {
				t.Errorf("%s, with its hash: %v", what, list)
			}
		})
	}
	if n < 1000 {
		t.Errorf("only %d edits", n)
	}
}

// So is any edit of the other fields.
func TestReplayLedgerFindsEditedFields(t *testing.T) {
	entries, end := wholeLedger(t)
	for i, e := range entries {
		replay := func(e evolution.Entry) []evolution.Difference { // next to the entries before and after it
			return evolution.ReplayLedger(with(entries, i, e)[max(0, i-1):min(len(entries), i+2)], end).Differences
		}
		base, attempt := replay(e), 7
		if e.Attempt != nil {
			attempt = *e.Attempt + 1
		}
		for field, edit := range map[string]func(e *evolution.Entry){
			"lineage": func(e *evolution.Entry) { e.Lineage = "other" },
			"number":  func(e *evolution.Entry) { e.Number += 100 },
			"kind": func(e *evolution.Entry) {
				e.Kind = map[evolution.Kind]evolution.Kind{evolution.KindProposal: evolution.KindRefusal, evolution.KindRefusal: evolution.KindProposal}[e.Kind]
			},
			"mutation":    func(e *evolution.Entry) { e.Mutation += "x" },
			"attempt":     func(e *evolution.Entry) { e.Attempt = &attempt },
			"no attempt":  func(e *evolution.Entry) { e.Attempt = nil },
			"at":          func(e *evolution.Entry) { e.At = e.At.Add(time.Microsecond) },
			"head_before": func(e *evolution.Entry) { e.HeadBefore = "v009" },
			"head_after":  func(e *evolution.Entry) { e.HeadAfter = "v009" },
			"body":        func(e *evolution.Entry) { e.Body = []byte(`{`) },
			"empty body":  func(e *evolution.Entry) { e.Body = nil },
			"two bodies":  func(e *evolution.Entry) { e.Body = []byte(string(e.Body) + "{}") },
			"twice": func(e *evolution.Entry) {
				e.Body = []byte(strings.Replace(string(e.Body), "{", `{"mutation":"x","mutation":"y",`, 1))
			},
			"prev":      func(e *evolution.Entry) { e.Prev = strings.Repeat("0", 64) },
			"no prev":   func(e *evolution.Entry) { e.Prev = "" },
			"hash":      func(e *evolution.Entry) { e.Hash = strings.Repeat("0", 64) },
			"no hash":   func(e *evolution.Entry) { e.Hash = "" },
			"not UTF-8": func(e *evolution.Entry) { e.Mutation += "\xff" },
		} {
			if field == "no attempt" && e.Attempt == nil || field == "no prev" && i == 0 {
				continue
			}
			forged := e
			edit(&forged)
			list := replay(forged)
			if !slices.ContainsFunc(list, func(d evolution.Difference) bool { return d.Number == forged.Number && !slices.Contains(base, d) }) {
				t.Errorf("entry %d (%s): %s: %v", e.Number, e.Kind, field, list)
			}
			var err error
			if forged.Hash, err = forged.ContentHash(); err != nil || forged.Hash == e.Hash {
				continue // the hash cannot be made good, or was all that was edited
			}
			if slices.Equal(replay(forged), base) {
				t.Errorf("entry %d (%s): %s, with its hash: %v", e.Number, e.Kind, field, list)
			}
		}
	}
}

// Entries that are missing, doubled, swapped, from elsewhere or invented.
func TestReplayLedgerFindsMovedEntries(t *testing.T) {
	entries, end := wholeLedger(t)
	n := len(entries)
	for i := range n {
		without := slices.Delete(slices.Clone(entries), i, i+1)
		r := evolution.ReplayLedger(without, end)
		if i < n-1 && !naming(r.Differences, i+2, "number", "prev") || i == n-1 && !naming(r.Differences, n-1, "end") {
			t.Errorf("without entry %d: %v", i+1, r.Differences)
		}
		if r := evolution.ReplayLedger(slices.Insert(slices.Clone(entries), i, entries[i]), end); !naming(r.Differences, i+1, "number") {
			t.Errorf("entry %d twice: %v", i+1, r.Differences)
		}
		if i == n-1 {
			continue
		}
		swapped := slices.Clone(entries)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		swapped[i].Number, swapped[i+1].Number = i+1, i+2
		if r := evolution.ReplayLedger(swapped, end); !naming(r.Differences, i+1) || !naming(r.Differences, i+2) {
			t.Errorf("entries %d and %d swapped: %v", i+1, i+2, r.Differences)
		}
	}
	last := entries[n-1]
	if r := evolution.ReplayLedger(entries[:n-1], evolution.Head{}); len(r.Differences) > 0 {
		t.Errorf("only the end can tell that the last entry is missing: %v", r.Differences)
	}
	other := newBook(t, "another")
	other.propose("", "v002", "v001")
	foreign := with(entries, 1, other.entries[1])
	if r := evolution.ReplayLedger(foreign, end); !naming(r.Differences, 2, "lineage") {
		t.Errorf("an entry of another lineage: %v", r.Differences)
	}
	forged := evolution.Entry{Lineage: "l", Number: n + 1, Kind: last.Kind, At: last.At, HeadBefore: last.HeadAfter, HeadAfter: last.HeadAfter, Body: last.Body, Prev: last.Hash}
	forged.Hash, _ = forged.ContentHash()
	if r := evolution.ReplayLedger(append(slices.Clone(entries), forged), end); !naming(r.Differences, n+1, "end") {
		t.Errorf("an entry more: %v", r.Differences)
	}
}

// rehash computes every hash anew, as a forger does who goes all the way.
func rehash(t testing.TB, entries []evolution.Entry) (list []evolution.Entry, end evolution.Head) {
	t.Helper()
	list = slices.Clone(entries)
	for i := range list {
		if list[i].Prev = ""; i > 0 {
			list[i].Prev = list[i-1].Hash
		}
		var err error
		if list[i].Hash, err = list[i].ContentHash(); err != nil {
			t.Fatal(err)
		}
		end = evolution.Head{Number: list[i].Number, Hash: list[i].Hash}
	}
	return list, end
}

// unproven are the values that nothing else in a ledger follows from or leads to, so that only the hash, and the end
// that somebody wrote down, vouch for them: what was measured, said or set, and not computed. Of evidence these are
// times, and all of a trial that failed.
var unproven = map[evolution.Kind]string{
	evolution.KindCreation:      `subject|root\.id|settings\..*`, // no decision was made under the first settings
	evolution.KindSettings:      `reason|settings\.(rubric|operators.*|loop\..*|rollback\..*|policy|params.*)`,
	evolution.KindProposal:      `note|cost_usd|executions|risk|named|child\.label|parents\[\d\]\.label`,
	evolution.KindRefusal:       `executions|risk|named|child\.label|parents\[\d\]\.label|refusals\[\d\]\.(code|reason)`,
	evolution.KindWithdrawal:    `reason`,
	evolution.KindConsideration: `executions|state\..*|signals\..*|histories\..*`,
	evolution.KindRollback:      `executions|reason|from_score|to_score|state\..*`,
	evolution.KindDecision:      `evidence\.(child|parent)\[\d\]\.at|evidence\.child\[1\]\.(id|failed|key)|evidence\.(child|parent)\[0\].id`,
}

// Even with all hashes computed anew, a decision that does not follow from its evidence, its policy and its draw is
// found, and so is whatever else follows from another entry.
func TestReplayLedgerProvesItself(t *testing.T) {
	t.Parallel()
	entries, _ := wholeLedger(t)
	for i, e := range entries {
		free := regexp.MustCompile("^(" + unproven[e.Kind] + ")$")
		if e.Mutation == "by-name" || e.Mutation == "m-last" { // else the id follows from them
			free = regexp.MustCompile("^(" + unproven[e.Kind] + `|operator|child\.id)$`)
		}
		replay := func(forged evolution.Entry) string {
			list := with(entries, i, forged)
			if e.Kind != evolution.KindProposal { // other decisions take their time, and change nothing but states and heads
				list = slices.DeleteFunc(list, func(other evolution.Entry) bool {
					return other.Kind == evolution.KindDecision && other.Number != e.Number
				})
			}
			list, end := rehash(t, list)
			var found strings.Builder
			for _, d := range evolution.ReplayLedger(list, end).Differences {
				fmt.Fprintln(&found, d.Number, d.Field)
			}
			return found.String()
		}
		base := replay(e)
		edits(t, e.Body, func(path string, edited []byte) {
			if strings.HasPrefix(path, "without ") { // which reads as the zero value
				return
			}
			forged := e
			forged.Body = edited
			if replay(forged) == base && !free.MatchString(path) {
				t.Errorf("entry %d (%s): %s", e.Number, e.Kind, path)
			}
		})
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
	const pinned = "dcd68edd765453562f4a09fe58dc96494b131d8ca8f11ead44df8897b6934541"
	first := newBook(t, "l").entries[0]
	if first.Hash != pinned {
		t.Errorf("the first entry of a lineage with the default settings has the hash %s, want %s", first.Hash, pinned)
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
	b.decide(b.propose("", "v002", "v001"), policy(t, "strict", ""), pairs(1))
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

// What comes of a decision: the state of its mutation, and the version in force.
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
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "other", "p", "other"}, // compared with a version that is no longer in force
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "c", "p", "c"},
		{accept, evolution.MutationProposed, evolution.MutationAccepted, false, "", "p", ""},
		{reject, evolution.MutationContinued, evolution.MutationRejected, false, "p", "p", "p"},
		{reject, evolution.MutationContinued, evolution.MutationRejected, false, "c", "p", "c"}, // decided again: what is in force stays until a rollback
		{more, evolution.MutationProposed, evolution.MutationContinued, true, "p", "p", "p"},
		{more, evolution.MutationRejected, evolution.MutationRejected, false, "p", "p", "p"}, // by another policy: it stays rejected
		{more, evolution.MutationAccepted, evolution.MutationAccepted, false, "c", "p", "c"},
	} {
		state, head := evolution.StateAfter(c.d, c.before), evolution.HeadAfter(c.d, c.head, c.parent, "c")
		if state != c.state || state.Open() != c.open || head != c.result {
			t.Errorf("%s with %q in force, of %q: %s, %q in force; want %s, %q", c.d.State, c.head, c.parent, state, head, c.state, c.result)
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

// Settings are checked, compared but for their number, and copied whole.
func TestSettings(t *testing.T) {
	s := evolution.DefaultSettings()
	if err := s.Validate(); err != nil || s.Number != 1 || s.Policy != "threshold" {
		t.Fatalf("%v %+v", err, s)
	}
	other := s.Clone()
	if other.Number = 9; !s.Equal(other) {
		t.Error("the number makes a difference")
	}
	for name, c := range map[string]struct {
		edit  func(*evolution.Settings)
		wrong string // what Validate says; empty for nothing
	}{
		"policy":       {func(s *evolution.Settings) { s.Policy = "coin" }, `unknown policy "coin"`},
		"params":       {func(s *evolution.Settings) { s.Params = []byte(`{"marginal":9}`) }, "marginal"},
		"no operator":  {func(s *evolution.Settings) { s.Operators = nil }, "no operator"},
		"operators":    {func(s *evolution.Settings) { s.Operators[1].Name = s.Operators[0].Name }, "is duplicated"},
		"risk":         {func(s *evolution.Settings) { s.Operators[0].Risk = "low" }, "LOW, MEDIUM or HIGH"},
		"loop":         {func(s *evolution.Settings) { s.Loop.Interval = 0 }, "interval"},
		"pattern":      {func(s *evolution.Settings) { s.Loop.Forbidden[0] = "(" }, "forbidden_patterns[0]"},
		"rollback":     {func(s *evolution.Settings) { s.Rollback.BestShare = 2 }, "best_share"},
		"other policy": {func(s *evolution.Settings) { s.Policy, s.Params = "strict", []byte(`{"eps":0}`) }, ""},
		"rubric":       {func(s *evolution.Settings) { s.Rubric = "own" }, ""},
		"frozen":       {func(s *evolution.Settings) { s.Loop.Frozen = true }, ""},
		"other risk":   {func(s *evolution.Settings) { s.Operators[0].Risk = evolution.High }, ""},
		"no pattern":   {func(s *evolution.Settings) { s.Loop.Forbidden = s.Loop.Forbidden[:0] }, ""},
		"params byte":  {func(s *evolution.Settings) { s.Params[len(s.Params)-2] = '6' }, ""},
	} {
		edited := s.Clone()
		c.edit(&edited)
		if err := edited.Validate(); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", name, err, c.wrong)
		}
		if s.Equal(edited) || edited.Equal(s) {
			t.Errorf("%s makes no difference", name)
		}
		if asJSON(t, s) != asJSON(t, evolution.DefaultSettings()) {
			t.Fatalf("%s: the copy shares something", name)
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
