package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"track"
	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/store"
)

// DecideOptions say how a mutation is decided.
type DecideOptions struct {
	Policy     evolution.Policy // nil for the policy of the settings
	ExpectHead string           // refuse if another version is active; empty for any
	IfOpen     bool             // repeat the decision that accepted or rejected the mutation, whatever the evidence now
	Scale      *float64         // points that one unit of score counts as; nil for the settings
	PCGState   []byte           // of the caller's own generator; nil for the keyed draw
	DryRun     bool             // decide and record nothing
	At         time.Time
}

// DecideResult is a decision on a mutation.
type DecideResult struct {
	evolution.Entry
	Record   evolution.Record
	Mutation store.Mutation // after it
	DryRun   bool           // nothing was recorded, and the active version is the same
	Repeated bool           // there is no new evidence: it is an earlier decision
	Parent   string         // the version that the child was compared with
	Sides    [2]VersionTrials
	Warnings []answer.DecisionWarning
	Now      string // the version that is active now
	lineage  Lineage
	seeds    bool                    // the trials are seeds
	ended    int                     // earlier decisions that accepted or rejected
	was      evolution.MutationState // accepted or rejected by these; empty for neither
}

// Warnings about what a decision does not know itself.
const (
	warnStaleParent evolution.Warning = "stale_parent"
	warnOverridden  evolution.Warning = "policy_overridden"
	warnAttempts    evolution.Warning = "several_attempts"
	warnLeftOut     evolution.Warning = "left_out"
	warnNoTasks     evolution.Warning = "no_tasks"
	warnOldControls evolution.Warning = "old_controls"
	warnWasAccepted evolution.Warning = "was_accepted"
)

// Decide decides a mutation from its evidence, and records the decision with its evidence and its draw. Without new
// evidence it returns the earlier decision.
func Decide(ctx context.Context, st *store.Store, lineage, mutation string, o DecideOptions) (d DecideResult, err error) {
	if o.DryRun {
		err = st.Snapshot(ctx, func(r *store.Reader) error {
			l, err := Load(ctx, r, lineage)
			if err == nil {
				d, err = decide(ctx, r, l, mutation, o)
			}
			return err
		})
		d.DryRun = !d.Repeated
		return d, err
	}
	err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
		if d, err = decide(ctx, tx.Reader, *l, mutation, o); err != nil || d.Repeated {
			return err
		}
		if d.Entry, err = appendEntry(tx, l, evolution.KindDecision, d.Record, d.HeadAfter, d.At); err != nil {
			return err
		}
		d.Now = l.Head
		return tx.SetMutationState(d.Mutation)
	})
	return d, err
}

// decide makes a decision and the entry that records it, and writes nothing.
func decide(ctx context.Context, r *store.Reader, l Lineage, mutation string, o DecideOptions) (d DecideResult, err error) {
	if o.ExpectHead != "" && o.ExpectHead != l.Head {
		err := fmt.Errorf("%w: %s is active in lineage %s, not %s", track.ErrConflict, orDash(l.Head), l.Name, o.ExpectHead)
		return d, track.WithHint(err, track.NewHint("show what was decided or rolled back meanwhile", "lineage show", l.Name))
	}
	m, err := r.Mutation(ctx, l.Evolving, mutation)
	if err != nil {
		return d, err
	}
	return decideMutation(ctx, r, l, m, o)
}

func decideMutation(ctx context.Context, r *store.Reader, l Lineage, m store.Mutation, o DecideOptions) (d DecideResult, err error) {
	d.Now, d.Mutation, d.lineage, d.seeds = l.Head, m, l, l.scenario() != ""
	if err := checkDecidable(l, m); err != nil {
		return d, err
	}
	if o.Scale != nil && (l.Settings.Scale == nil || !(*o.Scale > 0)) {
		return d, &param.Error{Param: "scale", Message: fmt.Sprintf("%v: give a number above 0, and only if the scores of the lineage are unbounded", *o.Scale)}
	}
	d.Parent = m.Parents[0]
	policy, override, err := choosePolicy(l, o.Policy)
	if err != nil {
		return d, err
	}
	trials, err := loadTrials(ctx, r, l, m.Child, d.Parent)
	if err != nil {
		return d, err
	}
	if d.Sides, err = trials.sides(m.Child, d.Parent); err != nil {
		return d, err
	}
	evidence := newEvidence(l, m, d.Sides, scaleFor(l, o.Scale))
	earlier, err := loadDecisions(ctx, r, l, m)
	if err != nil {
		return d, err
	}
	repeats := func(before decided) (bool, error) { return before.record.SameQuestion(policy, evidence) }
	if o.IfOpen && !m.State.Open() {
		last := earlier.lastEnded()
		repeats = func(before decided) (bool, error) { return before.Number == last, nil }
	}
	if err = repeatDecision(l, &d, earlier, repeats); err != nil || d.Repeated {
		addWarnings(l, &d)
		return d, err
	}
	draw, err := drawFor(l, m.Key, m.NAttempts, o.PCGState)
	if err != nil {
		return d, err
	}
	if d.Record, err = evolution.NewRecord(policy, evidence, draw); err != nil {
		return d, explainEvidence(l, err)
	}
	if err := d.describeScores(ctx, r); err != nil {
		return d, err
	}
	if err := checkObtainable(ctx, r, l, d); err != nil {
		return d, err
	}
	d.Record.Settings, d.Record.Override = l.Settings.Number, override
	after := evolution.HeadAfter(d.Record.Decision, l.Head, d.Parent, m.Child)
	if d.Entry, err = nextEntry(l, evolution.KindDecision, d.Record, after, orNow(o.At, r)); err != nil {
		return d, err
	}
	d.Mutation.State, d.Mutation.NAttempts = evolution.StateAfter(d.Record.Decision, m.State), draw.Attempt+1
	d.Mutation.Delta = evolution.DeltaAfter(d.Record.Decision, m.State, m.Delta)
	addWarnings(l, &d)
	return d, nil
}

// newEvidence returns the evidence of a mutation from the trials of both sides. Trials of an agent are made side by
// side with those of the parent, so older ones of the parent do not count as controls. A seed gives the same whenever
// it runs.
func newEvidence(l Lineage, m store.Mutation, sides [2]VersionTrials, scale *evolution.Scale) evolution.Evidence {
	e := evolution.Evidence{
		Child: sides[0].evidence(), Parent: sides[1].evidence(), Scale: scale, Failures: l.Settings.Failures,
		Tasks: len(l.Settings.Deciding()), Measurement: l.Settings.Measurement(),
	}
	if l.scenario() == "" {
		e.Since = m.ProposedAt
	}
	if e.Measurement != nil {
		e.Measurement.Child = append(e.Measurement.Child, sides[0].Measured[measuredSide(m.Key, SideChild)]...)
		e.Measurement.Parent = append(e.Measurement.Parent, sides[1].Measured[measuredSide(m.Key, SideParent)]...)
	}
	return e
}

// scaleFor returns the scale of the scores of a decision. Points may be given for it alone.
func scaleFor(l Lineage, points *float64) *evolution.Scale {
	if points == nil || l.Settings.Scale == nil {
		return l.Settings.Scale
	}
	scale := *l.Settings.Scale
	scale.Points = *points
	return &scale
}

// checkDecidable reports why a mutation cannot be decided.
func checkDecidable(l Lineage, m store.Mutation) error {
	switch {
	case m.State == evolution.MutationRefused, m.State == evolution.MutationWithdrawn:
		err := fmt.Errorf("%w: mutation %s is %s", track.ErrConflict, m.Key, m.State)
		err = track.WithHint(err, track.NewHint("show why", "mutation show", m.Key))
		return track.WithHint(err, track.NewHint("propose the child again under another id", "mutation propose").With("lineage", l.Name).With("id", "ID"))
	case len(m.Parents) == 0:
		return parentLost(l, m, "has no parent to be compared with")
	}
	return nil
}

// parentLost returns an error that says how a mutation whose source has lost its parent can be decided.
func parentLost(l Lineage, m store.Mutation, what string) error {
	err := fmt.Errorf("%w: mutation %s of lineage %s %s: its source has lost it", track.ErrInvalid, m.Key, l.Name, what)
	again := track.NewHint("import the run again, with the likeliest parents, into another lineage", "import", cmp.Or(m.Source, "FORMAT"), "PATH")
	err = track.WithHint(err, again.With("lineage", "OTHER").With("infer-parents", ""))
	err = track.WithHint(err, track.NewHint("export the child", "version export", l.Name+"@"+m.Child))
	propose := track.NewHint("propose the exported child with a parent that you choose", "mutation propose").With("lineage", l.Name)
	return track.WithHint(err, propose.With("parent", "VERSION").With("child", "FILE"))
}

// checkObtainable reports whether the evidence that a decision asks for can be had: trials of a parent that its source
// has lost cannot.
func checkObtainable(ctx context.Context, r *store.Reader, l Lineage, d DecideResult) error {
	if d.Record.Decision.State != evolution.Continue || d.Mutation.Source == "" || len(d.Sides[1].Trials)+d.Sides[1].Open+d.Sides[1].Unscored > 0 {
		return nil
	}
	content, err := r.Content(ctx, l.Name, d.Parent)
	if err == nil && content == nil {
		err = parentLost(l, d.Mutation, "was made from "+d.Parent+", whose content was never recorded")
	}
	return err
}

// choosePolicy returns the named policy, or the policy of the settings. A named policy that equals it is no override.
func choosePolicy(l Lineage, named evolution.Policy) (p evolution.Policy, override bool, err error) {
	if p, err = evolution.ParsePolicy(l.Settings.Policy, l.Settings.Params); err != nil || named == nil {
		return p, false, err
	}
	params, err := evolution.Params(named)
	same := named.Name() == l.Settings.Policy && string(params) == string(l.Settings.Params)
	return named, !same, err
}

// drawFor returns the draw of an attempt at a decision.
func drawFor(l Lineage, mutation string, attempt int, pcgState []byte) (evolution.Draw, error) {
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
