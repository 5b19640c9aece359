package evolution

import (
	"cmp"
	"fmt"
	"strconv"
)

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
