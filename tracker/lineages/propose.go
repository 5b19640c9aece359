package lineages

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/admission"
	"track/store"
)

// ProposeOptions describe a mutation.
type ProposeOptions struct {
	Child       string   // content
	Parents     []string // names of versions, the one to compare with first; none for the active version
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
func Propose(ctx context.Context, st *store.Store, lineage string, o ProposeOptions) (r ProposeResult, err error) {
	err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
		r, err = propose(ctx, tx, l, o)
		return err
	})
	return r, err
}

func propose(ctx context.Context, tx *store.Tx, l *Lineage, o ProposeOptions) (r ProposeResult, err error) {
	r.Lineage = l.Name
	if err := o.check(tx.Texts(), *l); err != nil {
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
	if p.Refusals, err = refusals(ctx, tx.Reader, *l, p, o.Child); err != nil {
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
func newProposal(ctx context.Context, tx *store.Tx, l Lineage, o ProposeOptions, r *ProposeResult) (p evolution.Proposal, err error) {
	p = evolution.Proposal{Mutation: o.ID, Named: o.ID != "", Note: withoutSecrets(tx.Reader, o.Note), CostUSD: o.CostUSD}
	if p.Parents, err = parentRefs(ctx, tx.Reader, l, o.Parents); err != nil {
		return p, err
	}
	child := ""
	if child, r.NewChild, err = tx.AddContent(l.ID, storedContent(o.Child, l.Subject)); err != nil {
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
func warnProposal(ctx context.Context, reads *store.Reader, l Lineage, r *ProposeResult, p evolution.Proposal, o ProposeOptions, at time.Time) error {
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
func (r *ProposeResult) warnNotRecorded(reads *store.Reader, o ProposeOptions) {
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

func (o ProposeOptions) check(rules *admission.Rules, l Lineage) error {
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
	case strings.TrimSpace(o.Child) == "":
		return nil // is refused, and recorded so
	}
	return checkContent("child", o.Child, l.Subject, rules)
}
