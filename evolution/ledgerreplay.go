package evolution

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Replayed is the result of replaying a ledger.
type Replayed struct {
	Differences []Difference
	Entries     int
	Decisions   int // replayed
	Verified    int // of them, without a difference
	Head        string
	Settings    Settings
	Mutations   []ReplayedMutation // in the order of their proposals
	Events      []Event            // the entries in their order
	Labels      map[string]string  // identities of the versions that entries name, by label; empty if the content is unknown
}

// Event is an entry with its decoded body.
type Event struct {
	Entry
	Body any // a value of the type that belongs to the kind; nil if the entry cannot be read
}

// ReplayedMutation is where a mutation stands after its ledger.
type ReplayedMutation struct {
	Proposal
	At       time.Time // of the proposal
	State    MutationState
	Attempts int
	Delta    *float64 // of the last decision
}

// MutationState is where a mutation stands.
type MutationState string

// The states of mutations.
const (
	MutationProposed  MutationState = "proposed"
	MutationContinued MutationState = "continue" // decided, and more evidence is needed
	MutationAccepted  MutationState = "accepted"
	MutationRejected  MutationState = "rejected"
	MutationRefused   MutationState = "refused" // never tried
	MutationWithdrawn MutationState = "withdrawn"
)

// Open reports whether a decision is still to be made.
func (s MutationState) Open() bool { return s == MutationProposed || s == MutationContinued }

// StateAfter returns the state of a mutation after a decision. A decision that asks for more evidence does not reopen a
// mutation that was accepted or rejected before.
func StateAfter(d Decision, before MutationState) MutationState {
	switch {
	case d.Accepted:
		return MutationAccepted
	case d.State != Continue:
		return MutationRejected
	case before == MutationAccepted || before == MutationRejected:
		return before
	}
	return MutationContinued
}

// DeltaAfter returns the recorded difference of a mutation after a decision: the one of the decision, unless it asks
// for more evidence on a mutation that was accepted or rejected before.
func DeltaAfter(d Decision, before MutationState, delta *float64) *float64 {
	if d.State == Continue && (before == MutationAccepted || before == MutationRejected) {
		return delta
	}
	return d.Delta
}

// HeadAfter returns the head after a decision on a mutation of parent to child: the child of an accepted mutation takes
// the place of its parent, and of no other version. A child accepted against a version that is no longer active was not
// compared with the head.
func HeadAfter(d Decision, head, parent, child string) string {
	if d.Accepted && head == parent {
		return child
	}
	return head
}

// ReplayLedger replays a lineage from its ledger: every draw, decision, consideration, rollback and head is computed
// again and compared. It reports entries that are missing, duplicated, moved or edited. Entries missing at the end are
// found only if end is known.
func ReplayLedger(entries []Entry, end Head) Replayed {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, inOrder)
	w := walk{mutations: map[string]int{}, Replayed: Replayed{Events: make([]Event, 0, len(sorted)), Labels: map[string]string{}}}
	for _, e := range sorted {
		w.entry(e)
	}
	if end != (Head{}) && (end.Number != w.last.Number || end.Hash != w.last.Hash) {
		w.at = Difference{Number: w.last.Number, Kind: w.last.Kind}
		w.differs("end", strconv.Itoa(w.last.Number)+" "+w.last.Hash, strconv.Itoa(end.Number)+" "+end.Hash)
	}
	w.Entries, w.Differences, w.Head = len(sorted), w.list, w.last.HeadAfter
	return w.Replayed
}

// inOrder sorts entries by their number, and duplicated ones by their content, so that the given order never matters.
func inOrder(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Hash, b.Hash), strings.Compare(text(a), text(b)), bytes.Compare(a.Body, b.Body))
}

// walk is a replay in progress.
type walk struct {
	replay
	Replayed
	last           Entry
	seed           uint64
	mutations      map[string]int // places in Mutations
	considerations int
}

func (w *walk) entry(e Entry) {
	w.at = Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation}
	before := len(w.list)
	w.Events = append(w.Events, Event{Entry: e})
	w.link(e)
	head := w.last.HeadAfter
	if e.HeadBefore != head {
		w.differs("head_before", e.HeadBefore, head)
	}
	after, err := w.body(e, head)
	switch {
	case err != nil:
		w.differs("body", "", err.Error())
	case e.HeadAfter != after:
		w.differs("head_after", e.HeadAfter, after)
	}
	if hash, err := e.contentHash(); err != nil {
		w.differs("hash", e.Hash, err.Error())
	} else if hash != e.Hash {
		w.differs("hash", e.Hash, hash)
	}
	if e.Kind == KindDecision {
		w.Decisions++
		if len(w.list) == before {
			w.Verified++
		}
	}
	w.last = e
}

// link compares the number and hash of an entry with the one before.
func (w *walk) link(e Entry) {
	first := w.last.Hash == "" && w.last.Number == 0
	if !first && e.Lineage != w.last.Lineage {
		w.differs("lineage", e.Lineage, w.last.Lineage)
	}
	if e.Number != w.last.Number+1 {
		w.differs("number", strconv.Itoa(e.Number), strconv.Itoa(w.last.Number+1))
	}
	if e.Prev != w.last.Hash {
		w.differs("prev", e.Prev, w.last.Hash)
	}
	if first != (e.Kind == KindCreation) {
		w.differs("kind", string(e.Kind), "a creation, which is the first entry and no other")
	}
}

// body replays the body of an entry and returns the head after it.
func (w *walk) body(e Entry, head string) (after string, err error) {
	switch e.Kind {
	case KindCreation:
		return w.creation(e)
	case KindSettings:
		return head, w.settings(e)
	case KindProposal, KindRefusal:
		return head, w.proposal(e)
	case KindConsideration:
		return head, w.consideration(e)
	case KindDecision:
		return w.decision(e, head)
	case KindWithdrawal:
		return head, w.withdrawal(e)
	case KindRollback:
		return w.rollback(e, head)
	}
	return head, fmt.Errorf("kind %q is unknown", e.Kind)
}

func (w *walk) creation(e Entry) (after string, err error) {
	var c Creation
	if err := e.Decode(&c); err != nil {
		return e.HeadAfter, err
	}
	w.about(e, c)
	w.seed, w.Settings = c.Seed, c.Settings
	if c.Settings.Number != 1 {
		w.differs("settings.number", strconv.Itoa(c.Settings.Number), "1")
	}
	if c.Root != nil {
		after = c.Root.Label
		w.version("root", *c.Root)
	}
	return after, c.Settings.Validate()
}

// version records a version that an entry names, and compares its identity with the one recorded before.
func (w *walk) version(field string, v VersionRef) {
	if id := w.Labels[v.Label]; id != "" && v.ID != "" && id != v.ID {
		w.differs(field+".id", v.ID, id)
	}
	w.Labels[v.Label] = cmp.Or(w.Labels[v.Label], v.ID)
}

func (w *walk) settings(e Entry) error {
	var c SettingsChange
	if err := e.Decode(&c); err != nil {
		return err
	}
	w.about(e, c)
	if c.Settings.Number != w.Settings.Number+1 {
		w.differs("settings.number", strconv.Itoa(c.Settings.Number), strconv.Itoa(w.Settings.Number+1))
	}
	w.Settings = c.Settings
	return c.Settings.Validate()
}

func (w *walk) proposal(e Entry) error {
	var p Proposal
	if err := e.Decode(&p); err != nil {
		return err
	}
	w.about(e, p)
	if want := len(w.Mutations) + 1; p.Number != want {
		w.differs("number", strconv.Itoa(p.Number), strconv.Itoa(want))
	}
	if id := p.ID(); !p.Named && p.Mutation != id {
		w.differs("mutation", p.Mutation, id)
	}
	if _, known := w.mutations[p.Mutation]; known {
		w.differs("mutation", p.Mutation, "proposed before")
	}
	if refused := e.Kind == KindRefusal; refused != (len(p.Refusals) > 0) {
		w.differs("refusals", strconv.Itoa(len(p.Refusals)), "a reason for a refusal, and none for a proposal")
	}
	state := MutationProposed
	if e.Kind == KindRefusal {
		state = MutationRefused
	}
	w.mutations[p.Mutation] = len(w.Mutations)
	w.Mutations = append(w.Mutations, ReplayedMutation{Proposal: p, At: e.At, State: state})
	for i, parent := range p.Parents {
		w.version(fmt.Sprintf("parents[%d]", i), parent)
	}
	w.version("child", p.Child)
	return nil
}

// about keeps the body of an entry, and compares the mutation and attempt of the entry with it.
func (w *walk) about(e Entry, body any) {
	w.Events[len(w.Events)-1].Body = body
	mutation, attempt := about(body)
	w.at.Mutation = mutation
	if attempt != nil {
		w.at.Attempt = *attempt
	}
	if e.Mutation != mutation {
		w.differs("mutation", e.Mutation, mutation)
	}
	if (e.Attempt == nil) != (attempt == nil) || attempt != nil && *e.Attempt != *attempt {
		w.differs("attempt", text(e.Attempt), text(attempt))
	}
}

// mutation returns the mutation of an entry. It returns nil, and records a difference, if it was never proposed or is
// no longer open.
func (w *walk) mutation(id string) *ReplayedMutation {
	i, known := w.mutations[id]
	if !known {
		w.differs("mutation", id, "never proposed")
		return nil
	}
	m := &w.Mutations[i]
	if m.State == MutationRefused || m.State == MutationWithdrawn {
		w.differs("mutation", id, "is "+string(m.State))
	}
	return m
}

func (w *walk) decision(e Entry, head string) (after string, err error) {
	var r Record
	if err := e.Decode(&r); err != nil {
		return head, err
	}
	w.about(e, r)
	m := w.mutation(r.Mutation)
	if r.Draw.Lineage != e.Lineage {
		w.differs("draw.lineage", r.Draw.Lineage, e.Lineage)
	}
	if r.Draw.Seed != w.seed {
		w.differs("draw.seed", strconv.FormatUint(r.Draw.Seed, 10), strconv.FormatUint(w.seed, 10))
	}
	if r.Settings != w.Settings.Number {
		w.differs("settings", strconv.Itoa(r.Settings), strconv.Itoa(w.Settings.Number))
	}
	s := w.Settings
	switch other := r.Policy != s.Policy || string(r.Params) != string(s.Params); {
	case other && !r.Override:
		w.differs("policy", r.Policy+" "+string(r.Params), s.Policy+" "+string(s.Params))
	case r.Override && !other:
		w.differs("override", "true", "false")
	}
	for _, d := range replayRecord(r) {
		w.differs(d.Field, d.Stored, d.Replayed)
	}
	if m == nil {
		return head, nil
	}
	if r.Attempt != m.Attempts {
		w.differs("attempt", strconv.Itoa(r.Attempt), strconv.Itoa(m.Attempts))
	}
	if r.Evidence.Step != m.Number-1 {
		w.differs("evidence.step", strconv.Itoa(r.Evidence.Step), strconv.Itoa(m.Number-1))
	}
	m.Delta = DeltaAfter(r.Decision, m.State, m.Delta)
	m.Attempts, m.State = r.Attempt+1, StateAfter(r.Decision, m.State)
	return HeadAfter(r.Decision, head, m.parent(), m.Child.Label), nil
}

// parent returns the label of the parent that a child is compared with; empty for none.
func (p Proposal) parent() string {
	if len(p.Parents) == 0 {
		return ""
	}
	return p.Parents[0].Label
}

func (w *walk) withdrawal(e Entry) error {
	var v Withdrawal
	if err := e.Decode(&v); err != nil {
		return err
	}
	w.about(e, v)
	if m := w.mutation(v.Mutation); m != nil {
		if m.State == MutationAccepted {
			w.differs("mutation", v.Mutation, "is "+string(m.State))
		}
		m.State = MutationWithdrawn
	}
	return nil
}

func (w *walk) consideration(e Entry) error {
	var c Consideration
	if err := e.Decode(&c); err != nil {
		return err
	}
	w.about(e, c)
	w.considerations++
	if c.Number != w.considerations {
		w.differs("number", strconv.Itoa(c.Number), strconv.Itoa(w.considerations))
	}
	if c.Settings != w.Settings.Number {
		w.differs("settings", strconv.Itoa(c.Settings), strconv.Itoa(w.Settings.Number))
	}
	key := DrawKey{Seed: w.seed, Lineage: e.Lineage, Mutation: ConsiderationKey(c.Number)}
	w.considered("draw", &c.Draw, key, LabelMutate)
	w.considered("operator_draw", c.Operator, key, LabelOperator)
	return w.reconsider(e, c)
}

// considered compares a draw of a consideration with its key and draws it again.
func (w *walk) considered(path string, draw *Draw, key DrawKey, label string) {
	if draw == nil {
		return
	}
	key.Label = label
	if draw.DrawKey != key {
		w.compare(path, draw.DrawKey, key)
	}
	w.redraw(path, *draw)
}

// reconsider computes the permission and the choice of a consideration again.
func (w *walk) reconsider(e Entry, c Consideration) error {
	permission, err := w.Settings.Loop.MayMutate(c.State, e.At, c.Draw)
	if err != nil {
		return err
	}
	w.compare("permission", c.Permission, permission)
	if !permission.Mutate {
		if c.Operator != nil || c.Choice != nil {
			w.differs("choice", "an operator", "none")
		}
		return nil
	}
	if c.Operator == nil || c.Choice == nil {
		w.differs("choice", "none", "an operator")
		return nil
	}
	choice, err := ChooseOperator(permission.Operators(w.Settings.Operators), c.Signals, c.Histories, *c.Operator)
	if err != nil {
		return err
	}
	w.compare("choice", *c.Choice, choice)
	return nil
}

func (w *walk) rollback(e Entry, head string) (after string, err error) {
	var r RollbackEvent
	if err := e.Decode(&r); err != nil {
		return head, err
	}
	w.about(e, r)
	if r.Settings != w.Settings.Number {
		w.differs("settings", strconv.Itoa(r.Settings), strconv.Itoa(w.Settings.Number))
	}
	if r.From != head {
		w.differs("from", r.From, head)
	}
	if r.Version != nil && r.Version.Label == r.To {
		w.version("version", *r.Version)
	}
	if _, known := w.Labels[r.To]; !known {
		w.differs("to", r.To, "a version of the lineage")
	}
	if byHand := r.Trigger == TriggerHand; byHand != (r.State == nil) {
		w.differs("state", "", "given for a trigger, and not by hand")
	} else if !byHand {
		w.compare("rollback", &r.Rollback, w.Settings.Rollback.Check(*r.State))
	}
	return r.To, nil
}

// replayEntry replays one decision on its own: its record, and its hash. Its place in the ledger is a matter of
// [ReplayLedger].
func replayEntry(e Entry) []Difference {
	p := replay{at: Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation}}
	var r Record
	if err := e.Decode(&r); err != nil {
		p.differs("body", "", err.Error())
		return p.list
	}
	p.at.Attempt = r.Attempt
	for _, d := range replayRecord(r) {
		p.differs(d.Field, d.Stored, d.Replayed)
	}
	if hash, err := e.contentHash(); err != nil || hash != e.Hash {
		p.differs("hash", e.Hash, hash)
	}
	return p.list
}
