package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/store"
)

// completeFromEarlier fills in what is not said of a mutation that has the id and was proposed before: the active
// version, and the operator that was drawn last, are others by now.
func completeFromEarlier(ctx context.Context, r *store.Reader, l Lineage, o ProposeOptions) (ProposeOptions, error) {
	if o.ID == "" {
		return o, nil
	}
	m, err := r.Mutation(ctx, l.Evolving, o.ID)
	if errors.Is(err, track.ErrNotFound) {
		return o, nil
	}
	if len(o.Parents) == 0 {
		o.Parents = m.Parents
	}
	o.Operator = cmp.Or(o.Operator, m.Operator)
	return o, err
}

// AddMutation writes a proposal, or a refusal, to the ledger and to the mutations, at the time given or, if it is zero,
// now.
func AddMutation(ctx context.Context, tx *store.Tx, l *Lineage, p evolution.Proposal, at time.Time) (e evolution.Entry, m store.Mutation, err error) {
	n, err := tx.NMutations(ctx, l.Evolving)
	if err != nil {
		return e, m, err
	}
	p.Number = n + 1
	at = orNow(at, tx.Reader)
	if p.Executions, err = countTrials(ctx, tx.Reader, *l); err != nil {
		return e, m, err
	}
	if p.Tasks, err = orderTasks(ctx, tx.Reader, *l, p.Mutation); err != nil {
		return e, m, err
	}
	kind, state := evolution.KindProposal, evolution.MutationProposed
	if len(p.Refusals) > 0 {
		kind, state = evolution.KindRefusal, evolution.MutationRefused
	}
	if e, err = appendEntry(tx, l, kind, p, l.Head, at); err != nil {
		return e, m, err
	}
	m = mutationOf(p, state, at)
	return e, m, tx.AddMutation(l.Evolving, m)
}

// orderTasks draws the order of the tasks of a mutation; nil if the tasks are unknown.
func orderTasks(ctx context.Context, r *store.Reader, l Lineage, mutation string) (*evolution.TaskOrder, error) {
	tasks := l.Settings.Deciding()
	if len(tasks) == 0 {
		return nil, nil
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}})
	if err != nil {
		return nil, err
	}
	used := evolution.TaskCounts{}
	for _, e := range entries {
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			return nil, err
		}
		used.Add(record)
	}
	draw := evolution.NewDraw(evolution.DrawKey{Seed: uint64(l.Seed), Lineage: l.Name, Mutation: mutation, Label: evolution.LabelTasks})
	order := evolution.NewTaskOrder(tasks, used, draw)
	return &order, nil
}

// mutationOf returns the row of a proposal.
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

// parentRefs returns the named parents, or the active version.
func parentRefs(ctx context.Context, r *store.Reader, l Lineage, names []string) (refs []evolution.VersionRef, err error) {
	if len(names) == 0 {
		if l.Head == "" {
			err := fmt.Errorf("%w: lineage %s has no active version to mutate", track.ErrInvalid, l.Name)
			return nil, track.WithHint(err, track.NewHint("name the parent", "mutation propose").With("lineage", l.Name).With("parent", "VERSION"))
		}
		names = []string{l.Head}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, &track.FieldError{Field: "parent", Message: name + " is duplicated"}
		}
		ref, err := VersionRef(ctx, r, l, name)
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// chooseOperator returns the operator and the risk of a proposal: those given, or the likeliest operator and the risk
// in the settings.
func chooseOperator(ctx context.Context, r *store.Reader, l Lineage, o ProposeOptions, parents []evolution.VersionRef, child string) (operator string, risk evolution.Risk, err error) {
	operator, risk = o.Operator, o.Risk
	if operator == "" {
		if operator, err = likelyOperator(ctx, r, l, parents, child); err != nil {
			return "", "", err
		}
	}
	if risk == "" {
		risk = evolution.Medium
		if i := slices.IndexFunc(l.Settings.Operators, func(op evolution.Operator) bool { return op.Name == operator }); i >= 0 {
			risk = l.Settings.Operators[i].Risk
		}
	}
	switch risk {
	case evolution.Low, evolution.Medium, evolution.High:
		return operator, risk, nil
	}
	return "", "", &track.FieldError{Field: "risk", Message: fmt.Sprintf("%q is not LOW, MEDIUM or HIGH", risk)}
}

// likelyOperator returns the operator that was drawn last. If it has been used, it is the one by which the same child
// of the same parents was proposed: who proposes it again means that mutation.
func likelyOperator(ctx context.Context, r *store.Reader, l Lineage, parents []evolution.VersionRef, child string) (string, error) {
	pending, err := pendingChoice(l)
	if err != nil {
		return "", err
	}
	if pending != nil {
		return pending.Choice.Operator.Name, nil
	}
	before, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: child})
	for _, m := range before {
		if slices.EqualFunc(m.Parents, parents, func(name string, v evolution.VersionRef) bool { return name == v.Label }) {
			return m.Operator, err
		}
	}
	return answer.OperatorByHand, err
}

// FindProposed returns the mutation that has the id of a proposal, nil if there is none. It is a conflict if the rest
// differs.
func FindProposed(ctx context.Context, r *store.Reader, l Lineage, p evolution.Proposal) (*store.Mutation, error) {
	m, err := r.Mutation(ctx, l.Evolving, p.Mutation)
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
	err = fmt.Errorf("%w: mutation %s is recorded with other content: %s of %s by %s", track.ErrConflict, m.Key, m.Child, strings.Join(m.Parents, " and "), m.Operator)
	return &m, track.WithHint(err, track.NewHint("give this one another id, or none", "mutation propose").With("lineage", l.Name).With("id", "ID"))
}

// checkNotDrawn returns a conflict if the operator of an existing mutation is drawn: it wants a new child. Answering as
// if nothing had happened would let a loop ask for the same child for ever, because the operator stays drawn.
func checkNotDrawn(l Lineage, existing store.Mutation) error {
	pending, err := pendingChoice(l)
	if err != nil || pending == nil || pending.Choice.Operator.Name != existing.Operator {
		return err
	}
	err = fmt.Errorf("%w: mutation %s, the same child by the same operator, is %s already", track.ErrConflict, existing.Key, existing.State)
	err = track.WithHint(err, track.Hint{Text: existing.Operator + " is drawn: propose another child by it"})
	return track.WithHint(err, track.NewHint("propose one by another operator", "mutation propose").With("lineage", l.Name).With("operator", "OPERATOR"))
}

// checkUntried returns a conflict if the child was tried against the same parent before. Under another operator it
// would be another mutation, with a draw of its own from the same evidence; a caller who wants that names it.
func checkUntried(ctx context.Context, r *store.Reader, l Lineage, p evolution.Proposal) error {
	if p.Named {
		return nil
	}
	before, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: p.Child.Label})
	for _, m := range before {
		untried := m.State == evolution.MutationWithdrawn || m.State == evolution.MutationRefused
		if untried || len(m.Parents) == 0 || m.Parents[0] != p.Parents[0].Label {
			continue
		}
		err := fmt.Errorf("%w: mutation %s, the same child of %s by %s, is %s already", track.ErrConflict, m.Key, m.Parents[0], m.Operator, m.State)
		err = track.WithHint(err, track.Hint{Text: "propose another child"})
		return track.WithHint(err, track.NewHint("try this one again under a name; it is decided with a warning", "mutation propose").With("lineage", l.Name).With("id", "ID"))
	}
	return err
}

// refusals returns the reasons not to try a child. The parameters of a simulation have no length to compare.
func refusals(ctx context.Context, r *store.Reader, l Lineage, p evolution.Proposal, child string) ([]evolution.Refusal, error) {
	parent := ""
	if l.scenario() == "" {
		content, err := r.Content(ctx, l.Name, p.Parents[0].Label)
		if err != nil {
			return nil, err
		}
		parent = *cmp.Or(content, new(string))
	}
	return l.Settings.Loop.CheckChild(parent, child)
}
