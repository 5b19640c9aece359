package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"track"
	"track/evolution"
	"track/store"
)

// OperatorByHand is the operator of a mutation of which nobody said how it was made.
const OperatorByHand = "by_hand"

// ProposeOptions describe a mutation.
type ProposeOptions struct {
	Child       string   // content
	Parents     []string // names of versions, the one to compare with first; none for the version in force
	Operator    string   // empty for the one that was drawn last, else by_hand
	Risk        evolution.Risk
	Note        string
	CostUSD     *float64
	ID          string // empty for the one that follows from parents, child and operator
	KeepSecrets bool
	At          time.Time
}

// ProposeResult is a mutation as it was proposed.
type ProposeResult struct {
	store.Mutation
	Lineage  string
	Refusals []evolution.Refusal // why the child is not tried
	Known    bool                // it had been proposed before
	NewChild bool                // its content was new
	Entry    evolution.Entry     // of the proposal; of one that was known, the zero Entry
	Warnings []ProposeWarning
}

// ProposeWarning is something about a proposal that whoever made it may not have meant.
type ProposeWarning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Warnings of proposals.
const (
	WarnMaxPerDay       = "max_per_day"
	WarnMaxHighPerDay   = "max_high_per_day"
	WarnUnknownOperator = "unknown_operator"
	WarnNotRecorded     = "not_recorded"
)

// Propose records a mutation. A child that must not be tried is recorded as refused, with the reasons.
func Propose(ctx context.Context, st *store.Store, lineage string, o ProposeOptions) (r ProposeResult, err error) {
	err = change(ctx, st, lineage, func(w *Writer) error {
		r, err = w.propose(ctx, o)
		return err
	})
	return r, err
}

func (w *Writer) propose(ctx context.Context, o ProposeOptions) (r ProposeResult, err error) {
	r.Lineage = w.Name
	if err := o.check(w.Lineage); err != nil {
		return r, err
	}
	if o, err = w.asBefore(ctx, o); err != nil {
		return r, err
	}
	p := evolution.Proposal{Mutation: o.ID, Named: o.ID != "", Note: withoutSecrets(o.Note), CostUSD: o.CostUSD}
	if err := w.parents(ctx, &p, o.Parents); err != nil {
		return r, err
	}
	child := ""
	if child, r.NewChild, err = w.Tx.AddContent(w.ID, storedContent(o.Child, w.Subject)); err != nil {
		return r, err
	}
	if err := w.operator(ctx, &p, o, child); err != nil {
		return r, err
	}
	for _, parent := range p.Parents {
		if parent.Label == child {
			return r, track.WithHint(fmt.Errorf("%w: the child is %s itself, to the byte", track.ErrInvalid, child), track.Hint{Text: "nothing was recorded: change something"})
		}
	}
	if p.Child, err = w.Ref(ctx, child); err != nil {
		return r, err
	}
	if p.Mutation == "" {
		p.Mutation = p.ID()
	}
	known, err := w.FindProposed(ctx, p)
	if err == nil && known != nil {
		err = w.another(ctx, *known)
	}
	if err != nil || known != nil {
		if r.Mutation, r.Known = *cmp.Or(known, &store.Mutation{}), err == nil; r.Known {
			r.warnNotRecorded(o)
		}
		return r, err
	}
	if err := w.tried(ctx, p); err != nil {
		return r, err
	}
	if w.Settings.Loop.Frozen {
		return r, track.WithHint(fmt.Errorf("%w: lineage %s is frozen", track.ErrConflict, w.Name), track.Hint{Text: "track lineage unfreeze " + w.Name})
	}
	if p.Refusals, err = w.refusals(ctx, p, o.Child); err != nil {
		return r, err
	}
	r.Refusals = p.Refusals
	at := orNow(o.At, w.Store)
	if err := w.warn(ctx, &r, p, o, at); err != nil {
		return r, err
	}
	r.Entry, r.Mutation, err = w.AddMutation(ctx, p, at)
	if err == nil && r.NewChild && len(p.Parents) > 0 {
		_, err = w.Tx.AddVersion(track.Version{Lineage: w.Name, Name: child, Parent: p.Parents[0].Label, Operator: p.Operator}, true)
	}
	return r, err
}

func (r *ProposeResult) warn(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, ProposeWarning{code, fmt.Sprintf(format, args...)})
}

// warn says what speaks against a proposal that is recorded all the same: the limits of a day bind the loop, not people.
func (w *Writer) warn(ctx context.Context, r *ProposeResult, p evolution.Proposal, o ProposeOptions, at time.Time) error {
	known := slices.ContainsFunc(w.Settings.Operators, func(op evolution.Operator) bool { return op.Name == p.Operator })
	if !known && p.Operator != OperatorByHand {
		text := "the settings know no operator " + p.Operator
		if o.Risk == "" {
			text += fmt.Sprintf(": risk %s is assumed; --risk says another", p.Risk)
		}
		r.warn(WarnUnknownOperator, "%s", text)
	}
	if len(p.Refusals) > 0 {
		return nil
	}
	recent, err := w.lastDay(ctx, w.Store, at)
	if err != nil {
		return err
	}
	for _, limit := range w.Settings.Loop.DayLimits(recent, p.Risk, at) {
		code, what := WarnMaxPerDay, "mutations"
		if limit.High {
			code, what = WarnMaxHighPerDay, "mutations of high risk"
		}
		text := fmt.Sprintf("%d %s in 24 hours with this one, where %s is %d: track mutation next would have ", limit.N+1, what, code, limit.Limit)
		switch {
		case limit.Until.IsZero():
			text += "made none"
		case limit.High:
			text += "made none before " + limit.Until.Format(time.RFC3339)
		default:
			text += "waited until " + limit.Until.Format(time.RFC3339)
		}
		r.warn(code, "%s", text)
	}
	return nil
}

// warnNotRecorded says what of a mutation that was proposed before is other than what is said of it now.
func (r *ProposeResult) warnNotRecorded(o ProposeOptions) {
	const format = "%s is recorded with the %s %s: %s is not recorded"
	if note := withoutSecrets(o.Note); note != "" && note != r.Note {
		r.warn(WarnNotRecorded, format, r.Key, "note", fmt.Sprintf("%q", r.Note), fmt.Sprintf("%q", note))
	}
	if o.Risk != "" && o.Risk != r.Risk {
		r.warn(WarnNotRecorded, format, r.Key, "risk", r.Risk, o.Risk)
	}
	if o.CostUSD != nil && numberText(o.CostUSD) != numberText(r.CostUSD) {
		r.warn(WarnNotRecorded, format, r.Key, "cost", numberText(r.CostUSD), numberText(o.CostUSD))
	}
}

// asBefore fills in what is not said of a mutation that has the id and was proposed before: the version in force, and the operator that was drawn last, are others
// by now.
func (w *Writer) asBefore(ctx context.Context, o ProposeOptions) (ProposeOptions, error) {
	if o.ID == "" {
		return o, nil
	}
	m, err := w.Store.Mutation(ctx, w.Evolving, o.ID)
	if errors.Is(err, track.ErrNotFound) {
		return o, nil
	}
	if len(o.Parents) == 0 {
		o.Parents = m.Parents
	}
	o.Operator = cmp.Or(o.Operator, m.Operator)
	return o, err
}

// AddMutation writes a proposal, or a refusal, to the ledger and to the mutations, at the time given or, if it is zero, now.
func (w *Writer) AddMutation(ctx context.Context, p evolution.Proposal, at time.Time) (e evolution.Entry, m store.Mutation, err error) {
	n, err := w.Store.NMutations(ctx, w.Evolving)
	if err != nil {
		return e, m, err
	}
	p.Number = n + 1
	at = orNow(at, w.Store)
	if p.Executions, err = w.countTrials(ctx, w.Store); err != nil {
		return e, m, err
	}
	kind, state := evolution.KindProposal, evolution.MutationProposed
	if len(p.Refusals) > 0 {
		kind, state = evolution.KindRefusal, evolution.MutationRefused
	}
	if e, err = w.append(kind, p, w.Head, at); err != nil {
		return e, m, err
	}
	m = mutationOf(p, state, at)
	return e, m, w.Tx.AddMutation(w.Evolving, m)
}

// mutationOf is the row of a proposal.
func mutationOf(p evolution.Proposal, state evolution.MutationState, at time.Time) store.Mutation {
	m := store.Mutation{
		Key: p.Mutation, Number: p.Number, Child: p.Child.Label, Operator: p.Operator, Risk: p.Risk, Note: p.Note, CostUSD: p.CostUSD, Source: p.Source,
		State: state, ProposedAt: at,
	}
	for _, parent := range p.Parents {
		m.Parents = append(m.Parents, parent.Label)
	}
	return m
}

func (o ProposeOptions) check(l Lineage) error {
	for _, name := range [...]struct{ field, text string }{{"id", o.ID}, {"operator", o.Operator}} {
		if name.text == "" {
			continue
		}
		if err := track.CheckName(name.text); err != nil {
			return &track.FieldError{Field: name.field, Message: err.Error()}
		}
	}
	switch {
	case o.CostUSD != nil && !(*o.CostUSD >= 0 && *o.CostUSD <= math.MaxFloat64):
		return &track.FieldError{Field: "cost", Message: fmt.Sprintf("%v is not a finite number of at least 0", *o.CostUSD)}
	case strings.ContainsFunc(o.Note, func(r rune) bool { return r == 0 || r == '\uFFFD' }):
		return &track.FieldError{Field: "note", Message: "is not valid UTF-8"}
	case strings.TrimSpace(o.Child) == "":
		return nil // is refused, and recorded so
	}
	return checkContent("child", o.Child, l.Subject, o.KeepSecrets)
}

// parents fills in the parents: those named, or the version in force.
func (w *Writer) parents(ctx context.Context, p *evolution.Proposal, names []string) error {
	if len(names) == 0 {
		if w.Head == "" {
			return track.WithHint(fmt.Errorf("%w: lineage %s has no version in force to mutate", track.ErrInvalid, w.Name), track.Hint{Text: "name the parent with --parent VERSION"})
		}
		names = []string{w.Head}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return &track.FieldError{Field: "parent", Message: name + " is duplicated"}
		}
		ref, err := w.Ref(ctx, name)
		if err != nil {
			return err
		}
		p.Parents = append(p.Parents, ref)
	}
	return nil
}

// operator fills in operator and risk: that of the operator, where the settings know it.
func (w *Writer) operator(ctx context.Context, p *evolution.Proposal, o ProposeOptions, child string) (err error) {
	p.Operator, p.Risk = o.Operator, o.Risk
	if p.Operator == "" {
		if p.Operator, err = w.likelyOperator(ctx, p.Parents, child); err != nil {
			return err
		}
	}
	if p.Risk == "" {
		p.Risk = evolution.Medium
		if i := slices.IndexFunc(w.Settings.Operators, func(op evolution.Operator) bool { return op.Name == p.Operator }); i >= 0 {
			p.Risk = w.Settings.Operators[i].Risk
		}
	}
	switch p.Risk {
	case evolution.Low, evolution.Medium, evolution.High:
		return nil
	}
	return &track.FieldError{Field: "risk", Message: fmt.Sprintf("%q is not LOW, MEDIUM or HIGH", p.Risk)}
}

// likelyOperator is the one that was drawn last; where it has been used, that by which the same child of the same parents was proposed: who proposes it again
// means that mutation.
func (w *Writer) likelyOperator(ctx context.Context, parents []evolution.VersionRef, child string) (string, error) {
	pending, err := pendingChoice(ctx, w.Store, w.Lineage)
	if err != nil {
		return "", err
	}
	if pending != nil {
		return pending.Choice.Operator.Name, nil
	}
	before, err := w.Store.Mutations(ctx, w.Evolving, store.MutationFilter{Child: child})
	for _, m := range before {
		if slices.EqualFunc(m.Parents, parents, func(name string, v evolution.VersionRef) bool { return name == v.Label }) {
			return m.Operator, err
		}
	}
	return OperatorByHand, err
}

// FindProposed returns the mutation that has the id of a proposal; a conflict where it is another.
func (w *Writer) FindProposed(ctx context.Context, p evolution.Proposal) (*store.Mutation, error) {
	m, err := w.Store.Mutation(ctx, w.Evolving, p.Mutation)
	if errors.Is(err, track.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parents := make([]string, len(p.Parents))
	for i, v := range p.Parents {
		parents[i] = v.Label
	}
	if m.Child == p.Child.Label && slices.Equal(m.Parents, parents) && m.Operator == p.Operator {
		return &m, nil
	}
	return &m, track.WithHint(fmt.Errorf("%w: mutation %s is recorded with other content: %s of %s by %s", track.ErrConflict, m.Key, m.Child, strings.Join(m.Parents, " and "), m.Operator), track.Hint{Text: "give this one another --id, or none"})

}

// another says that a drawn operator wants a child that was not tried yet. Answering as if nothing had happened would let a loop ask for the same child
// for ever, since the operator stays drawn.
func (w *Writer) another(ctx context.Context, known store.Mutation) error {
	pending, err := pendingChoice(ctx, w.Store, w.Lineage)
	if err != nil || pending == nil || pending.Choice.Operator.Name != known.Operator {
		return err
	}
	return track.WithHint(fmt.Errorf("%w: mutation %s, the same child by the same operator, is %s already", track.ErrConflict, known.Key, known.State), track.Hint{Text: known.Operator + " is drawn and wants another child; or propose one by another --operator"})

}

// tried says that the child was tried against the same parent before: under another operator it would be another mutation, with a draw of its own from the same
// evidence. Who wants that gives it a name.
func (w *Writer) tried(ctx context.Context, p evolution.Proposal) error {
	if p.Named {
		return nil
	}
	before, err := w.Store.Mutations(ctx, w.Evolving, store.MutationFilter{Child: p.Child.Label})
	for _, m := range before {
		untried := m.State == evolution.MutationWithdrawn || m.State == evolution.MutationRefused
		if untried || len(m.Parents) == 0 || m.Parents[0] != p.Parents[0].Label {
			continue
		}
		return track.WithHint(fmt.Errorf("%w: mutation %s, the same child of %s by %s, is %s already", track.ErrConflict, m.Key, m.Parents[0], m.Operator, m.State), track.Hint{Text: "propose another child; or name this attempt with --id: it is decided with a warning"})

	}
	return err
}

// refusals are the reasons not to try a child. The parameters of a simulation have no length to compare.
func (w *Writer) refusals(ctx context.Context, p evolution.Proposal, child string) ([]evolution.Refusal, error) {
	parent := ""
	if w.Scenario() == "" {
		content, err := w.Store.Content(ctx, w.Name, p.Parents[0].Label)
		if err != nil {
			return nil, err
		}
		parent = *cmp.Or(content, new(string))
	}
	return evolution.CheckChild(parent, child, w.Settings.Loop.Forbidden)
}

// Withdraw takes a mutation back that is not accepted.
func Withdraw(ctx context.Context, st *store.Store, lineage, mutation, reason string, at time.Time) (m store.Mutation, err error) {
	err = change(ctx, st, lineage, func(w *Writer) error {
		if m, err = w.Store.Mutation(ctx, w.Evolving, mutation); err != nil {
			return err
		}
		switch m.State {
		case evolution.MutationWithdrawn:
			return nil
		case evolution.MutationAccepted, evolution.MutationRefused:
			return track.WithHint(fmt.Errorf("%w: mutation %s is %s", track.ErrConflict, m.Key, m.State), track.Hint{Text: "an accepted version is left by track rollback " + w.Name})
		}
		m.State = evolution.MutationWithdrawn
		if _, err := w.append(evolution.KindWithdrawal, evolution.Withdrawal{Mutation: m.Key, Reason: withoutSecrets(reason)}, w.Head, orNow(at, w.Store)); err != nil {
			return err
		}
		return w.Tx.SetMutationState(m)
	})
	return m, err
}
