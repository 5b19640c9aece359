package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"track"
	"track/evolution"
	"track/store"
)

// DecideOptions say how a mutation is decided.
type DecideOptions struct {
	Policy     evolution.Policy // nil for that of the settings
	ExpectHead string           // refuse where another version is in force; empty for no matter which
	PCGState   []byte           // of the caller's own generator, to draw with; nil for the keyed draw
	DryRun     bool             // decide and record nothing
	At         time.Time
}

// DecideResult is a decision on a mutation.
type DecideResult struct {
	evolution.Entry
	Record   evolution.Record
	Mutation store.Mutation // after it
	DryRun   bool           // nothing was recorded, and nothing else is in force
	Repeated bool           // there is no new evidence: it is the decision made before
	Parent   string         // that the child was compared with
	Sides    [2]VersionTrials
	Warnings []DecisionWarning
	Now      string                  // the version in force now, which others may have changed since
	seeds    bool                    // the trials are seeds
	ended    int                     // decisions before this one that accepted or rejected
	was      evolution.MutationState // accepted or rejected by these; empty for neither
}

// DecisionWarning is a reason to trust a decision less.
type DecisionWarning struct {
	Code    evolution.Warning `json:"code"`
	Message string            `json:"message"`
}

// Warnings about what a decision does not see of itself.
const (
	WarnStaleParent evolution.Warning = "stale_parent"
	WarnOverridden  evolution.Warning = "policy_overridden"
	WarnAttempts    evolution.Warning = "several_attempts"
	WarnLeftOut     evolution.Warning = "left_out"
	WarnWasAccepted evolution.Warning = "was_accepted"
)

// Decide decides on a mutation from the evidence that there is, and records the decision with its evidence and its draw. Without new evidence it
// returns the decision made before.
func Decide(ctx context.Context, st *store.Store, lineage, mutation string, o DecideOptions) (r DecideResult, err error) {
	if o.DryRun {
		err = st.Snapshot(ctx, func(st *store.Reader) error {
			l, err := Load(ctx, st, lineage)
			if err == nil {
				r, err = l.decide(ctx, st, mutation, o)
			}
			return err
		})
		r.DryRun = !r.Repeated
		return r, err
	}
	err = change(ctx, st, lineage, func(w *Writer) error {
		if r, err = w.decide(ctx, w.Store, mutation, o); err != nil || r.Repeated {
			return err
		}
		if r.Entry, err = w.append(evolution.KindDecision, r.Record, r.HeadAfter, r.At); err != nil {
			return err
		}
		r.Now = w.Head
		return w.Tx.SetMutationState(r.Mutation)
	})
	return r, err
}

// decide makes a decision and the entry that records it, and writes nothing.
func (l Lineage) decide(ctx context.Context, st *store.Reader, mutation string, o DecideOptions) (r DecideResult, err error) {
	if o.ExpectHead != "" && o.ExpectHead != l.Head {
		return r, track.WithHint(fmt.Errorf("%w: %s is in force in lineage %s, not %s", track.ErrConflict, orDash(l.Head), l.Name, o.ExpectHead), track.Hint{Text: "somebody decided or rolled back meanwhile: look at track lineage show " + l.Name})

	}
	r.Now = l.Head
	if r.Mutation, err = st.Mutation(ctx, l.Evolving, mutation); err != nil {
		return r, err
	}
	if err := decidable(l, r.Mutation); err != nil {
		return r, err
	}
	r.Parent, r.seeds = r.Mutation.Parents[0], l.Scenario() != ""
	policy, override, err := l.policy(o.Policy)
	if err != nil {
		return r, err
	}
	var e evolution.Evidence
	if e, r.Sides, err = l.evidence(ctx, st, r.Mutation.Child, r.Parent, r.Mutation.Number-1); err != nil {
		return r, err
	}
	if err = r.repeat(ctx, st, l, policy, e); err != nil || r.Repeated {
		r.warn(l)
		return r, err
	}
	draw, err := l.draw(mutation, r.Mutation.NAttempts, o.PCGState)
	if err != nil {
		return r, err
	}
	if r.Record, err = evolution.NewRecord(policy, e, draw); err != nil {
		return r, l.explainEvidence(err)
	}
	if err := l.canWait(ctx, st, r); err != nil {
		return r, err
	}
	r.Record.Settings, r.Record.Override = l.Settings.Number, override
	after := evolution.HeadAfter(r.Record.Decision, l.Head, r.Parent, r.Mutation.Child)
	if r.Entry, err = l.next(evolution.KindDecision, r.Record, after, orNow(o.At, st)); err != nil {
		return r, err
	}
	was := r.Mutation.State
	r.Mutation.State, r.Mutation.NAttempts = evolution.StateAfter(r.Record.Decision, was), draw.Attempt+1
	r.Mutation.Delta = evolution.DeltaAfter(r.Record.Decision, was, r.Mutation.Delta)
	r.warn(l)
	return r, nil
}

// decidable says why a mutation cannot be decided.
func decidable(l Lineage, m store.Mutation) error {
	switch {
	case m.State == evolution.MutationRefused, m.State == evolution.MutationWithdrawn:
		return track.WithHint(fmt.Errorf("%w: mutation %s is %s", track.ErrConflict, m.Key, m.State), track.Hint{Text: "track mutation show " + m.Key + " says why; propose the child again under another --id"})
	case len(m.Parents) == 0:
		return l.parentLost(m, "has no parent to be compared with")
	}
	return nil
}

// parentLost says how a mutation whose source has lost its parent can be decided all the same.
func (l Lineage) parentLost(m store.Mutation, what string) error {
	err := fmt.Errorf("%w: mutation %s of lineage %s %s: its source has lost it", track.ErrInvalid, m.Key, l.Name, what)
	err = track.WithHint(err, track.Hint{Text: "track import " + cmp.Or(m.Source, "FORMAT") + " PATH --lineage OTHER --infer-parents imports the run again, with the likeliest parents, into a lineage of its own"})
	return track.WithHint(err, track.Hint{Text: fmt.Sprintf("here, propose the child again with a parent that you choose: track version export %[1]s@%[2]s | track mutation propose --lineage %[1]s --parent VERSION --child -", l.Name, m.Child)})
}

// canWait says whether the evidence that a decision asks for can be had: trials of a parent that its source has lost cannot.
func (l Lineage) canWait(ctx context.Context, st *store.Reader, r DecideResult) error {
	if r.Record.Decision.State != evolution.Continue || r.Mutation.Source == "" || len(r.Sides[1].Trials)+r.Sides[1].Open+r.Sides[1].Unscored > 0 {
		return nil
	}
	content, err := st.Content(ctx, l.Name, r.Parent)
	if err == nil && content == nil {
		err = l.parentLost(r.Mutation, "was made of "+r.Parent+", of which nothing but the id is known")
	}
	return err
}

// policy is the one named, or that of the settings. One that is named and the same is no override.
func (l Lineage) policy(named evolution.Policy) (p evolution.Policy, override bool, err error) {
	if p, err = evolution.ParsePolicy(l.Settings.Policy, l.Settings.Params); err != nil || named == nil {
		return p, false, err
	}
	params, err := evolution.Params(named)
	same := named.Name() == l.Settings.Policy && string(params) == string(l.Settings.Params)
	return named, !same, err
}

// draw is that of an attempt at a decision.
func (l Lineage) draw(mutation string, attempt int, pcgState []byte) (evolution.Draw, error) {
	key := evolution.DrawKey{Seed: uint64(l.Seed), Lineage: l.Name, Mutation: mutation, Attempt: attempt, Label: evolution.LabelExplore}
	if pcgState == nil {
		return evolution.NewDraw(key), nil
	}
	draw, err := evolution.NewPCGDraw(pcgState, key)
	if errors.Is(err, evolution.ErrDraw) {
		err = fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	return draw, err
}

// repeat takes over the last decision on the mutation where it answers the same question, and counts those before that came to an end.
func (r *DecideResult) repeat(ctx context.Context, st *store.Reader, l Lineage, policy evolution.Policy, e evolution.Evidence) error {
	before, err := st.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutation: r.Mutation.Key})
	if err != nil {
		return err
	}
	for _, entry := range before {
		var record evolution.Record
		if err := entry.Decode(&record); err != nil {
			return err
		}
		same, err := record.SameQuestion(policy, e)
		if err != nil {
			return l.explainEvidence(err)
		}
		if same { // also where another policy was asked in between: asking in turns would be another draw each time
			r.Entry, r.Record, r.Repeated = entry, record, true
			break
		}
		r.count(record)
	}
	return r.countTwins(ctx, st, l)
}

// countTwins counts decisions on other mutations of the same parent to the same child, which are draws from the same evidence too: those before this one.
func (r *DecideResult) countTwins(ctx context.Context, st *store.Reader, l Lineage) error {
	twins, err := st.Mutations(ctx, l.Evolving, store.MutationFilter{Child: r.Mutation.Child})
	if err != nil {
		return err
	}
	for _, m := range twins {
		if m.Key == r.Mutation.Key || len(m.Parents) == 0 || m.Parents[0] != r.Parent {
			continue
		}
		ended, err := l.endedBefore(ctx, st, m.Key, r.Number)
		if err != nil {
			return err
		}
		if ended {
			r.ended++
		}
	}
	return nil
}

// endedBefore says whether a decision accepted or rejected a mutation before the entry of a number; 0 for any.
func (l Lineage) endedBefore(ctx context.Context, st *store.Reader, mutation string, number int) (bool, error) {
	entries, err := st.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutation: mutation})
	for _, e := range entries {
		if number > 0 && e.Number > number {
			break
		}
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			return false, err
		}
		if record.Decision.State != evolution.Continue {
			return true, nil
		}
	}
	return false, err
}

// count notes an earlier decision on the mutation. One that asked for more evidence was no chance to be accepted, or the policy reckons with it.
func (r *DecideResult) count(earlier evolution.Record) {
	if earlier.Decision.State != evolution.Continue {
		r.ended++
	}
	r.was = evolution.StateAfter(earlier.Decision, r.was)
}

func (r *DecideResult) addWarning(code evolution.Warning, message string) {
	r.Warnings = append(r.Warnings, DecisionWarning{code, message})
}

// warn says the warnings of the decision, and those that it cannot know.
func (r *DecideResult) warn(l Lineage) {
	d := r.Record.Decision
	for _, w := range d.Warnings {
		r.addWarning(w, w.Message())
	}
	if d.Accepted && r.HeadAfter != r.Mutation.Child {
		r.addWarning(WarnStaleParent, fmt.Sprintf("accepted against %s, but %s is in force: propose it again with --parent %s, and decide that", r.Parent, orDash(r.HeadBefore), orDash(r.HeadBefore)))
	}
	if r.Record.Override {
		r.addWarning(WarnOverridden, fmt.Sprintf("decided by %s, where %s is the policy of the lineage", r.Record.Policy, l.Settings.Policy))
	}
	if r.ended > 0 {
		times := "once"
		if r.ended > 1 {
			times = fmt.Sprintf("%d times", r.ended)
		}
		r.addWarning(WarnAttempts, "decided before, "+times+": deciding again until it passes lets more through than the rate says")
	}
	if r.was == evolution.MutationAccepted && !d.Accepted && r.HeadBefore == r.Mutation.Child {
		r.addWarning(WarnWasAccepted, fmt.Sprintf("it was accepted before: %s stays in force until track rollback %s", r.HeadBefore, l.Name))
	}
	for i, side := range [...]string{"child", "parent"} {
		if text := r.Sides[i].leftOut(); text != "" {
			r.addWarning(WarnLeftOut, fmt.Sprintf("left out of the %s: %s", side, text))
		}
	}
}
