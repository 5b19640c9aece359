package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/admission"
	"track/store"
)

// ProposeResult is a mutation as it was proposed.
type ProposeResult struct {
	store.Mutation
	Lineage  string
	Refusals []evolution.Refusal // why the child is not tried
	Known    bool                // it had been proposed before
	NewChild bool                // its content was new
	Entry    evolution.Entry     // of the proposal; of one that was known, the zero Entry
	Warnings []answer.ProposeWarning
}

// Warnings of proposals.
const (
	warnMaxPerDay       = "max_per_day"
	warnMaxHighPerDay   = "max_high_per_day"
	warnUnknownOperator = "unknown_operator"
	warnNotRecorded     = "not_recorded"
)

// Propose records a mutation. A child that must not be tried is recorded as refused, with the reasons.
func Propose(ctx context.Context, st *store.Store, lineage string, o answer.ProposeQuestion) (r ProposeResult, err error) {
	err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
		r, err = propose(ctx, tx, l, o)
		return err
	})
	return r, err
}

func propose(ctx context.Context, tx *store.Tx, l *Lineage, o answer.ProposeQuestion) (r ProposeResult, err error) {
	r.Lineage = l.Name
	if err := checkProposal(o, tx.Texts(), *l); err != nil {
		return r, err
	}
	if o, err = completeFromEarlier(ctx, tx.Reader, *l, o); err != nil {
		return r, err
	}
	p, err := newProposal(ctx, tx, *l, o, &r)
	if err != nil {
		return r, err
	}
	existing, err := FindProposed(ctx, tx.Reader, *l, p)
	if err == nil && existing != nil {
		err = checkNotDrawn(*l, *existing)
	}
	if err != nil || existing != nil {
		if r.Mutation, r.Known = *cmp.Or(existing, &store.Mutation{}), err == nil; r.Known {
			r.warnNotRecorded(tx.Reader, o)
		}
		return r, err
	}
	if err := checkUntried(ctx, tx.Reader, *l, p); err != nil {
		return r, err
	}
	if l.Settings.Loop.Frozen {
		err := fmt.Errorf("%w: lineage %s is frozen", track.ErrConflict, l.Name)
		return r, track.WithHint(err, track.NewHint("let it mutate again", "lineage unfreeze", l.Name))
	}
	if p.Refusals, err = refusals(ctx, tx.Reader, *l, p, *o.Child); err != nil {
		return r, err
	}
	r.Refusals = p.Refusals
	at := orNow(o.At, tx.Reader)
	if err := warnProposal(ctx, tx.Reader, *l, &r, p, o, at); err != nil {
		return r, err
	}
	r.Entry, r.Mutation, err = AddMutation(ctx, tx, l, p, at)
	if err == nil && r.NewChild && len(p.Parents) > 0 {
		_, err = tx.AddVersion(track.Version{Lineage: l.Name, Name: p.Child.Label, Parent: p.Parents[0].Label, Operator: p.Operator}, true)
	}
	return r, err
}

// newProposal stores the content of the child and returns the proposal of it.
func newProposal(ctx context.Context, tx *store.Tx, l Lineage, o answer.ProposeQuestion, r *ProposeResult) (p evolution.Proposal, err error) {
	p = evolution.Proposal{Mutation: o.ID, Named: o.ID != "", Note: withoutSecrets(tx.Reader, o.Note), CostUSD: o.CostUSD}
	if p.Parents, err = parentRefs(ctx, tx.Reader, l, o.Parents); err != nil {
		return p, err
	}
	child := ""
	if child, r.NewChild, err = tx.AddContent(l.ID, storedContent(*o.Child, l.Subject)); err != nil {
		return p, err
	}
	if p.Operator, p.Risk, err = chooseOperator(ctx, tx.Reader, l, o, p.Parents, child); err != nil {
		return p, err
	}
	for _, parent := range p.Parents {
		if parent.Label == child {
			err := fmt.Errorf("%w: the child is identical to %s", track.ErrInvalid, child)
			return p, track.WithHint(err, track.Hint{Text: "change something; nothing was recorded"})
		}
	}
	if p.Child, err = VersionRef(ctx, tx.Reader, l, child); err == nil && p.Mutation == "" {
		p.Mutation = p.ID()
	}
	return p, err
}

func (r *ProposeResult) warn(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, answer.ProposeWarning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// warnProposal adds what speaks against a proposal that is recorded all the same: daily limits bind the loop, not
// people.
func warnProposal(ctx context.Context, reads *store.Reader, l Lineage, r *ProposeResult, p evolution.Proposal, o answer.ProposeQuestion, at time.Time) error {
	listed := slices.ContainsFunc(l.Settings.Operators, func(op evolution.Operator) bool { return op.Name == p.Operator })
	if !listed && p.Operator != answer.OperatorByHand {
		text := fmt.Sprintf("operator %s is not in the settings", p.Operator)
		if o.Risk == "" {
			text += fmt.Sprintf(": its risk is assumed to be %s", p.Risk)
		}
		r.warn(warnUnknownOperator, "%s", text)
	}
	if len(p.Refusals) > 0 {
		return nil
	}
	recent, err := lastDay(ctx, reads, l, at)
	if err != nil {
		return err
	}
	for _, limit := range l.Settings.Loop.DayLimits(recent, p.Risk, at) {
		code, what := warnMaxPerDay, "mutations"
		if limit.High {
			code, what = warnMaxHighPerDay, "mutations of high risk"
		}
		text := fmt.Sprintf("%d %s in 24 hours with this one, where %s is %d; the loop would have ", limit.N+1, what, code, limit.Limit)
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
func (r *ProposeResult) warnNotRecorded(reads *store.Reader, o answer.ProposeQuestion) {
	const format = "%s is recorded with the %s %s: %s is not recorded"
	if note := withoutSecrets(reads, o.Note); note != "" && note != r.Note {
		r.warn(warnNotRecorded, format, r.Key, "note", fmt.Sprintf("%q", r.Note), fmt.Sprintf("%q", note))
	}
	if o.Risk != "" && o.Risk != r.Risk {
		r.warn(warnNotRecorded, format, r.Key, "risk", r.Risk, o.Risk)
	}
	if o.CostUSD != nil && numberText(o.CostUSD) != numberText(r.CostUSD) {
		r.warn(warnNotRecorded, format, r.Key, "cost", numberText(r.CostUSD), numberText(o.CostUSD))
	}
}

func checkProposal(o answer.ProposeQuestion, rules *admission.Rules, l Lineage) error {
	for _, name := range [...]struct{ field, text string }{{"id", o.ID}, {"operator", o.Operator}} {
		if name.text == "" {
			continue
		}
		if err := track.CheckName(name.text); err != nil {
			return &track.FieldError{Field: name.field, Message: err.Error()}
		}
		if problem := rules.Name(name.field, name.text); problem != nil {
			return problem
		}
	}
	if o.KeepSecrets {
		rules = nil
	}
	switch {
	case o.CostUSD != nil && !(*o.CostUSD >= 0 && *o.CostUSD <= math.MaxFloat64):
		return &track.FieldError{Field: "cost", Message: fmt.Sprintf("%v is not a finite number of at least 0", *o.CostUSD)}
	case strings.ContainsFunc(o.Note, func(r rune) bool { return r == 0 || r == '\uFFFD' }):
		return &track.FieldError{Field: "note", Message: "is not valid UTF-8"}
	case strings.TrimSpace(*o.Child) == "":
		return nil // is refused, and recorded so
	}
	return checkContent("child", *o.Child, l.Subject, rules)
}

// completeFromEarlier fills in what is not said of a mutation that has the id and was proposed before: the active
// version, and the operator that was drawn last, are others by now.
func completeFromEarlier(ctx context.Context, r *store.Reader, l Lineage, o answer.ProposeQuestion) (answer.ProposeQuestion, error) {
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
func chooseOperator(ctx context.Context, r *store.Reader, l Lineage, o answer.ProposeQuestion, parents []evolution.VersionRef, child string) (operator string, risk evolution.Risk, err error) {
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

// withdraw takes back a mutation that is not accepted.
func withdraw(ctx context.Context, st *store.Store, lineage, mutation, reason string, at time.Time) (m store.Mutation, err error) {
	err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
		if m, err = tx.Mutation(ctx, l.Evolving, mutation); err != nil {
			return err
		}
		switch m.State {
		case evolution.MutationWithdrawn:
			return nil
		case evolution.MutationAccepted, evolution.MutationRefused:
			err := fmt.Errorf("%w: mutation %s is %s", track.ErrConflict, m.Key, m.State)
			return track.WithHint(err, track.NewHint("leave an accepted version", "rollback", l.Name))
		}
		m, err = TakeBack(tx, l, m, reason, at)
		return err
	})
	return m, err
}

// TakeBack records that an open mutation is withdrawn.
func TakeBack(tx *store.Tx, l *Lineage, m store.Mutation, reason string, at time.Time) (store.Mutation, error) {
	m.State = evolution.MutationWithdrawn
	body := evolution.Withdrawal{Mutation: m.Key, Reason: withoutSecrets(tx.Reader, reason)}
	if _, err := appendEntry(tx, l, evolution.KindWithdrawal, body, l.Head, orNow(at, tx.Reader)); err != nil {
		return m, err
	}
	return m, tx.SetMutationState(m)
}

// loadMutation returns a mutation with all entries of the ledger about it, and the decisions on it.
func loadMutation(ctx context.Context, r *store.Reader, l Lineage, mutation string) (a answer.MutationDetail, list []DecideResult, err error) {
	m, err := r.Mutation(ctx, l.Evolving, mutation)
	if err != nil {
		return a, nil, err
	}
	a = answer.MutationDetail{Mutation: mutationAnswer(l.Name, m), Scale: l.Settings.Scale}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{
		Kinds: []evolution.Kind{evolution.KindProposal, evolution.KindRefusal, evolution.KindWithdrawal}, Mutations: []string{mutation},
	})
	for _, e := range entries {
		if e.Kind == evolution.KindWithdrawal {
			var w evolution.Withdrawal
			err = cmp.Or(err, e.Decode(&w))
			a.Withdrawn = w.Reason
			continue
		}
		var p evolution.Proposal
		err = cmp.Or(err, e.Decode(&p))
		a.Refusals, a.Origin, a.Tasks = p.Refusals, p.Origin, p.Tasks
	}
	if err != nil {
		return a, nil, err
	}
	decisions, err := loadDecisions(ctx, r, l, m)
	if err != nil {
		return a, nil, err
	}
	for i, recorded := range decisions.own {
		d := DecideResult{Entry: recorded.Entry, Record: recorded.record, Mutation: m, Now: l.Head, seeds: l.scenario() != ""}
		if len(m.Parents) > 0 {
			d.Parent = m.Parents[0]
		}
		for _, before := range decisions.own[:i] {
			countAttempt(&d, before.record)
		}
		d.ended += decisions.endedSiblings(d.Number)
		addWarnings(l, &d)
		list = append(list, d)
		a.Decisions = append(a.Decisions, decisionAnswer(d))
	}
	return a, list, nil
}

func ListMutations(ctx context.Context, r *store.Reader, q answer.MutationsQuestion) (a answer.Mutations, err error) {
	l, err := loadOnly(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	a.Lineage, a.Scale = l.Name, l.Settings.Scale
	before := 0
	if q.Page.After != "" {
		if before, err = strconv.Atoi(q.Page.After); err != nil {
			return a, q.Page.UnknownCursor()
		}
	}
	limit := q.Page.PageLimit()
	list, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{State: q.State, Before: before, Newest: limit + 1})
	if err != nil {
		return a, err
	}
	if len(list) > limit {
		list = list[:limit]
		a.Next = strconv.Itoa(list[limit-1].Number)
	}
	a.Items = make([]answer.Mutation, len(list))
	for i, m := range list {
		a.Items[i] = mutationAnswer(a.Lineage, m)
	}
	return a, nil
}

func mutationAnswer(lineage string, m store.Mutation) answer.Mutation {
	return answer.Mutation{
		Lineage: lineage, ID: m.Key, Number: m.Number, State: m.State, Parents: m.Parents, Child: m.Child, Operator: m.Operator, Risk: m.Risk,
		NDecisions: m.NAttempts, Delta: m.Delta, CostUSD: m.CostUSD, Note: m.Note, Source: m.Source, ProposedAt: m.ProposedAt,
	}
}

// ShowMutation shows a mutation with everything in the ledger about it.
func ShowMutation(ctx context.Context, r *store.Reader, q answer.MutationQuestion) (a answer.MutationDetail, err error) {
	lineage, err := resolveMutation(ctx, r, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	l, err := Load(ctx, r, lineage)
	if err != nil {
		return a, err
	}
	a, _, err = loadMutation(ctx, r, l, q.Mutation)
	return a, err
}

// DiffMutation answers a [answer.MutationQuestion] with what the mutation changes.
func DiffMutation(ctx context.Context, r *store.Reader, q answer.MutationQuestion) (a answer.VersionDiff, err error) {
	lineage, err := resolveMutation(ctx, r, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	l, err := r.Evolving(ctx, lineage)
	if err != nil {
		return a, err
	}
	m, err := r.Mutation(ctx, l, q.Mutation)
	if err != nil {
		return a, err
	}
	parent := ""
	if len(m.Parents) > 0 {
		parent = m.Parents[0]
	}
	return diffVersions(ctx, r, lineage, parent, m.Child)
}

// ProposeMutation records a mutation.
func ProposeMutation(ctx context.Context, st *store.Store, q answer.ProposeQuestion) (a answer.Proposed, err error) {
	lineage, err := Resolve(ctx, st.Reader, q.Lineage)
	if err != nil {
		return a, err
	}
	r, err := Propose(ctx, st, lineage, q)
	if err != nil {
		return a, err
	}
	return answer.Proposed{Mutation: mutationAnswer(lineage, r.Mutation), Known: r.Known, Refusals: r.Refusals, Warnings: r.Warnings}, nil
}

func WithdrawMutation(ctx context.Context, st *store.Store, q answer.WithdrawQuestion) (a answer.Withdrawn, err error) {
	lineage, err := resolveMutation(ctx, st.Reader, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	m, err := withdraw(ctx, st, lineage, q.Mutation, q.Reason, q.At)
	return answer.Withdrawn{Mutation: mutationAnswer(lineage, m)}, err
}
