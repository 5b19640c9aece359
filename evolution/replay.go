package evolution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Difference is a field of a record that does not follow from the rest of it.
type Difference struct {
	Number   int    `json:"number"` // of the entry; 0 for a record on its own
	Kind     Kind   `json:"kind"`
	Mutation string `json:"mutation,omitempty"` // that it is about
	Attempt  int    `json:"attempt,omitempty"`
	Field    string `json:"field"` // path such as decision.noise.sd
	Stored   string `json:"stored"`
	Replayed string `json:"replayed"`
	// Missing says that the evidence of a decision is not recorded here: it is elsewhere, or it was deleted.
	Missing bool `json:"missing,omitempty"`
}

func (d Difference) String() string {
	about := ""
	if d.Mutation != "" {
		about = " (mutation " + d.Mutation + ")"
	}
	if d.Attempt > 0 {
		about = fmt.Sprintf(" (mutation %s, attempt %d)", d.Mutation, d.Attempt)
	}
	return fmt.Sprintf("entry %d, %s%s: %s: stored %s, replayed %s", d.Number, d.Kind, about, d.Field, d.Stored, d.Replayed)
}

// replayTolerance is how far, relative to the larger, a replayed number may be from the stored one: processors differ
// in the last digits of exp and log. Smaller edits show in the hash.
const replayTolerance = 1e-9

// replayRecord draws and decides again from a record and returns each field that differs; none if the record proves
// itself.
func replayRecord(r Record, policies policyReader) []Difference {
	p := replay{record: r, at: Difference{Kind: KindDecision, Mutation: r.Mutation, Attempt: r.Attempt}}
	p.draw()
	policy := policies.read(r.Policy, r.Params)
	if policy.err != nil {
		p.differs("params", string(r.Params), policy.err.Error())
	} else {
		if policy.params != string(r.Params) {
			p.differs("params", string(r.Params), policy.params)
		}
		p.decide(policy.Policy)
	}
	return p.list
}

// policyReader remembers the policies that were read: the decisions of a lineage have few, by name and parameters.
type policyReader map[[2]string]readPolicy

// readPolicy is a policy, with its parameters as they are stored.
type readPolicy struct {
	Policy
	params string
	err    error
}

func (known policyReader) read(name string, params []byte) readPolicy {
	key := [2]string{name, string(params)}
	p, found := known[key]
	if !found {
		p.params = string(params)
		if p.Policy, p.err = ParsePolicy(name, params); p.err == nil {
			if text, err := Params(p.Policy); err == nil {
				p.params = string(text)
			}
		}
		known[key] = p
	}
	return p
}

type replay struct {
	record Record
	at     Difference // where the differences are
	list   []Difference
}

func (p *replay) differs(field, stored, replayed string) {
	d := p.at
	d.Field, d.Stored, d.Replayed = field, stored, replayed
	p.list = append(p.list, d)
}

// draw compares the draw with what its key gives, and its key with the record.
func (p *replay) draw() {
	r := p.record
	if r.Draw.Mutation != r.Mutation {
		p.differs("draw.mutation", r.Draw.Mutation, r.Mutation)
	}
	if r.Draw.Attempt != r.Attempt {
		p.differs("draw.attempt", strconv.Itoa(r.Draw.Attempt), strconv.Itoa(r.Attempt))
	}
	if r.Draw.Label != LabelExplore {
		p.differs("draw.label", r.Draw.Label, LabelExplore)
	}
	p.redraw("draw", r.Draw)
}

// redraw compares a draw with what its key gives.
func (p *replay) redraw(path string, d Draw) {
	again, err := d.again()
	if err != nil {
		p.differs(path, d.Algorithm, err.Error())
		return
	}
	p.compare(path, d, again)
}

// decide decides again, with the draw that the key gives.
func (p *replay) decide(policy Policy) {
	draw, err := p.record.Draw.again()
	if err != nil {
		return // reported already
	}
	draw.Label = LabelExplore
	if draw.Label != p.record.Draw.Label {
		return // reported already: there is no draw of a decision
	}
	d, err := Decide(policy, p.record.Evidence, draw)
	if err != nil {
		p.differs("evidence", "", err.Error())
		return
	}
	p.compare("decision", p.record.Decision, d)
}

// compare names the fields of JSON in which two values differ.
func (p *replay) compare(path string, stored, replayed any) {
	if reflect.DeepEqual(stored, replayed) { // as nearly always
		return
	}
	textA, errA := json.Marshal(stored)
	textB, errB := json.Marshal(replayed)
	if err := cmp.Or(errA, errB); err != nil {
		p.differs(path, "", err.Error())
		return
	}
	if bytes.Equal(textA, textB) {
		return
	}
	var a, b any
	if err := cmp.Or(json.Unmarshal(textA, &a), json.Unmarshal(textB, &b)); err != nil {
		p.differs(path, "", err.Error())
		return
	}
	p.walk(path, a, b)
}

func (p *replay) walk(path string, a, b any) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			p.walkObject(path, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				p.walk(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])
			}
			return
		}
	case float64:
		if b, ok := b.(float64); ok && math.Abs(a-b) <= replayTolerance*max(math.Abs(a), math.Abs(b)) {
			return
		}
	default:
		if a == b {
			return
		}
	}
	p.differs(path, text(a), text(b))
}

func (p *replay) walkObject(path string, a, b map[string]any) {
	names := append(sortedKeys(a), sortedKeys(b)...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p.walk(path+"."+name, a[name], b[name])
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

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

// ReplayLedger replays a lineage from its ledger: every draw, decision, consideration, rollback and head is computed
// again and compared. It reports entries that are missing, duplicated, moved or edited. Entries missing at the end are
// found only if end is known.
func ReplayLedger(entries []Entry, end Head) Replayed {
	w := newWalk(entries)
	for _, e := range w.sorted {
		w.entry(e)
	}
	if end != (Head{}) && (end.Number != w.last.Number || end.Hash != w.last.Hash) {
		w.at = Difference{Number: w.last.Number, Kind: w.last.Kind}
		w.differs("end", strconv.Itoa(w.last.Number)+" "+w.last.Hash, strconv.Itoa(end.Number)+" "+end.Hash)
	}
	return w.replayed()
}

// inOrder sorts entries by their number, and duplicated ones by their content, so that the given order never matters.
func inOrder(a, b Entry) int {
	if order := cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Hash, b.Hash)); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(text(a), text(b)), bytes.Compare(a.Body, b.Body))
}

// walk is a replay in progress.
type walk struct {
	replay
	sorted []Entry
	Replayed
	last           Entry
	seed           uint64
	subject        string
	policies       policyReader
	mutations      map[string]int // places in Mutations
	considerations int
	used           TaskCounts // by the decisions until now
}

func newWalk(entries []Entry) *walk {
	w := walk{sorted: slices.Clone(entries), policies: policyReader{}, mutations: map[string]int{}, used: TaskCounts{}, Replayed: Replayed{Events: make([]Event, 0, len(entries)), Labels: map[string]string{}}}
	slices.SortFunc(w.sorted, inOrder)
	return &w
}

// replayed returns what was replayed until now.
func (w *walk) replayed() Replayed {
	w.Entries, w.Differences, w.Head = len(w.Events), w.list, w.last.HeadAfter
	return w.Replayed
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

// adoption replays an [Adoption]: it makes another version active, which the mutation that it names made.
func (w *walk) adoption(e Entry, head string) (after string, err error) {
	var a Adoption
	if err := e.Decode(&a); err != nil {
		return head, err
	}
	w.about(e, a)
	w.version("version", a.Version)
	if a.Version.Label == head {
		w.differs("version", a.Version.Label, "another version than the active one")
	}
	if key := a.VersionMutation; key != "" {
		made, exists := w.mutations[key]
		switch {
		case !exists:
			w.differs("version_mutation", key, "never proposed")
		case w.Mutations[made].Child.Label != a.Version.Label:
			w.differs("version_mutation", key, "made "+w.Mutations[made].Child.Label)
		}
	}
	return a.Version.Label, nil
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
	w.score(r)
	for _, d := range replayRecord(r, w.policies) {
		w.differs(d.Field, d.Stored, d.Replayed)
	}
	w.used.Add(r)
	if m == nil {
		return head, nil
	}
	if r.Attempt != m.Attempts {
		w.differs("attempt", strconv.Itoa(r.Attempt), strconv.Itoa(m.Attempts))
	}
	if since := w.controlsSince(m); !r.Evidence.Since.Equal(since) {
		w.differs("evidence.since", text(r.Evidence.Since), text(since))
	}
	w.tasks(r.Evidence)
	if r.Evidence.Failures != w.Settings.Failures {
		w.differs("evidence.failures", string(r.Evidence.Failures), string(w.Settings.Failures))
	}
	m.Delta = DeltaAfter(r.Decision, m.State, m.Delta)
	m.Attempts, m.State = r.Attempt+1, StateAfter(r.Decision, m.State)
	return HeadAfter(r.Decision, head, m.parent(), m.Child.Label), nil
}

// controlsSince returns from when on trials of the parent are controls of a mutation: of an agent since its proposal,
// of a simulation always, because a seed gives the same whenever it runs.
func (w *walk) controlsSince(m *ReplayedMutation) time.Time {
	if w.subject != SubjectAgent {
		return time.Time{}
	}
	return m.At
}

// score compares what a decision says of its scores with its evidence and with the settings.
func (w *walk) score(r Record) {
	if under := r.Evidence.scored(); under != string(r.Score.From) {
		w.differs("score.from", string(r.Score.From), under)
	} else if from := w.Settings.ScoreFrom; from != "" && under != "" && under != string(from) {
		w.differs("score.from", under, string(from))
	}
	if times := w.Settings.Times(); r.Score.Times != times {
		w.differs("score.times", text(r.Score.Times), text(times))
	}
	for _, t := range slices.Concat(r.Evidence.Child, r.Evidence.Parent) {
		if w.Settings.Holdout.Has(t.Key) {
			w.differs("evidence["+t.ID+"]", t.Key, "a holdout task, which is never used")
		}
	}
}

// tasks compares the tasks of a decision with those of the settings.
func (w *walk) tasks(e Evidence) {
	if n := len(w.Settings.Deciding()); e.Tasks != n {
		w.differs("evidence.tasks", strconv.Itoa(e.Tasks), strconv.Itoa(n))
	}
	var stored, want [2][]string
	if m := e.Measurement; m != nil {
		stored = [2][]string{m.Tasks, m.Held}
	}
	if m := w.Settings.Measurement(); m != nil {
		want = [2][]string{m.Tasks, m.Held}
	}
	w.compare("evidence.measurement", stored, want)
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
	for _, d := range replayRecord(r, policyReader{}) {
		p.differs(d.Field, d.Stored, d.Replayed)
	}
	if hash, err := e.contentHash(); err != nil || hash != e.Hash {
		p.differs("hash", e.Hash, hash)
	}
	return p.list
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
	case KindAdoption:
		return w.adoption(e, head)
	}
	return head, fmt.Errorf("kind %q is unknown", e.Kind)
}

func (w *walk) creation(e Entry) (after string, err error) {
	var c Creation
	if err := e.Decode(&c); err != nil {
		return e.HeadAfter, err
	}
	w.about(e, c)
	w.seed, w.subject, w.Settings = c.Seed, c.Subject, c.Settings
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
	if _, exists := w.mutations[p.Mutation]; exists {
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
	w.births(p)
	for i, parent := range p.Parents {
		w.version(fmt.Sprintf("parents[%d]", i), parent)
	}
	w.version("child", p.Child)
	w.taskOrder(e, p)
	return nil
}

// taskOrder draws the order of the tasks of a proposal again.
func (w *walk) taskOrder(e Entry, p Proposal) {
	if p.Tasks == nil {
		return
	}
	w.considered("tasks.draw", &p.Tasks.Draw, DrawKey{Seed: w.seed, Lineage: e.Lineage, Mutation: p.Mutation}, LabelTasks)
	w.compare("tasks.tasks", p.Tasks.Tasks, NewTaskOrder(w.Settings.Deciding(), w.used, p.Tasks.Draw).Tasks)
}

// births compares the mutations that made the parents of a proposal with the mutations before it.
func (w *walk) births(p Proposal) {
	if n := len(p.ParentMutations); n > 0 && n != len(p.Parents) {
		w.differs("parent_mutations", strconv.Itoa(n), strconv.Itoa(len(p.Parents)))
		return
	}
	for i, key := range p.ParentMutations {
		made, exists := w.mutations[key]
		switch {
		case key == "":
		case !exists || key == p.Mutation:
			w.differs(fmt.Sprintf("parent_mutations[%d]", i), key, "never proposed")
		case w.Mutations[made].Child.Label != p.Parents[i].Label:
			w.differs(fmt.Sprintf("parent_mutations[%d]", i), key, "made "+w.Mutations[made].Child.Label)
		}
	}
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
	i, exists := w.mutations[id]
	if !exists {
		w.differs("mutation", id, "never proposed")
		return nil
	}
	m := &w.Mutations[i]
	if m.State == MutationRefused || m.State == MutationWithdrawn {
		w.differs("mutation", id, "is "+string(m.State))
	}
	return m
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
	choice, err := ChooseOperator(w.Settings.OperatorChoice, permission.Operators(w.Settings.Operators), c.Signals, c.Histories, *c.Operator)
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
	if _, exists := w.Labels[r.To]; !exists {
		w.differs("to", r.To, "a version of the lineage")
	}
	if byHand := r.Trigger == TriggerHand; byHand != (r.State == nil) {
		w.differs("state", "", "given for a trigger, and not by hand")
	} else if !byHand {
		w.compare("rollback", &r.Rollback, w.Settings.Rollback.Check(*r.State))
	}
	return r.To, nil
}

// Alternative is what another policy would have decided on the evidence and with the draw of a record.
type Alternative struct {
	Record   Record
	Decision Decision
	Err      error // if the policy could not decide at all
	Same     bool  // the state is the same
}

// Counterfactual asks another policy about the evidence of each record. It answers for each decision alone: under that
// policy, later versions would have differed, and more or less evidence would have been gathered. It often needs more
// evidence than is recorded, and then says how much.
func Counterfactual(records []Record, p Policy) []Alternative {
	list := make([]Alternative, len(records))
	for i, r := range records {
		d, err := Decide(p, r.Evidence, r.Draw)
		list[i] = Alternative{Record: r, Decision: d, Err: err, Same: err == nil && d.State == r.Decision.State}
	}
	return list
}
