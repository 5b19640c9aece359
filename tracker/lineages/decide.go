package lineages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/store"
)

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
func Decide(ctx context.Context, st *store.Store, lineage, mutation string, o answer.DecideQuestion) (d DecideResult, err error) {
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
func decide(ctx context.Context, r *store.Reader, l Lineage, mutation string, o answer.DecideQuestion) (d DecideResult, err error) {
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

func decideMutation(ctx context.Context, r *store.Reader, l Lineage, m store.Mutation, o answer.DecideQuestion) (d DecideResult, err error) {
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

// decided is a recorded decision.
type decided struct {
	evolution.Entry
	record evolution.Record
}

// attempts are the decisions on a mutation, and on others of the same parent to the same child, which are draws from
// the same evidence.
type attempts struct {
	own      []decided
	siblings map[string][]decided // by the key of the mutation
}

// loadDecisions reads the decisions on a mutation and on its siblings.
func loadDecisions(ctx context.Context, r *store.Reader, l Lineage, m store.Mutation) (a attempts, err error) {
	keys := []string{m.Key}
	if len(m.Parents) > 0 {
		siblings, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: m.Child})
		if err != nil {
			return a, err
		}
		for _, s := range siblings {
			if s.Key != m.Key && len(s.Parents) > 0 && s.Parents[0] == m.Parents[0] {
				keys = append(keys, s.Key)
			}
		}
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutations: keys})
	if err != nil {
		return a, err
	}
	a.siblings = map[string][]decided{}
	for _, e := range entries {
		d := decided{Entry: e}
		if err := e.Decode(&d.record); err != nil {
			return a, err
		}
		if e.Mutation == m.Key {
			a.own = append(a.own, d)
		} else {
			a.siblings[e.Mutation] = append(a.siblings[e.Mutation], d)
		}
	}
	return a, nil
}

// endedSiblings counts the siblings that a decision accepted or rejected, before the entry of a number; 0 for any.
func (a attempts) endedSiblings(before int) (n int) {
	for _, list := range a.siblings {
		for _, d := range list {
			if before > 0 && d.Number > before {
				break
			}
			if d.record.Decision.State != evolution.Continue {
				n++
				break
			}
		}
	}
	return n
}

// lastEnded returns the number of the entry that accepted or rejected the mutation last; 0 if none did.
func (a attempts) lastEnded() int {
	for _, d := range slices.Backward(a.own) {
		if d.record.Decision.State != evolution.Continue {
			return d.Number
		}
	}
	return 0
}

// repeatDecision takes over the earlier decision that answers the same question, and counts those before it that came
// to an end. A policy that was asked in between makes no difference: asking two policies in turn would be another draw
// each time.
func repeatDecision(l Lineage, d *DecideResult, earlier attempts, repeats func(decided) (bool, error)) error {
	for _, before := range earlier.own {
		same, err := repeats(before)
		if err != nil {
			return explainEvidence(l, err)
		}
		if same {
			d.Entry, d.Record, d.Repeated = before.Entry, before.record, true
			break
		}
		countAttempt(d, before.record)
	}
	d.ended += earlier.endedSiblings(d.Number)
	return nil
}

// countAttempt notes an earlier decision on the mutation. One that asked for more evidence was no chance to be
// accepted, or its policy allows for it.
func countAttempt(d *DecideResult, earlier evolution.Record) {
	if earlier.Decision.State != evolution.Continue {
		d.ended++
	}
	d.was = evolution.StateAfter(earlier.Decision, d.was)
}

// leftOut describes the trials of a version that are not evidence; empty for none.
func (v VersionTrials) leftOut() string {
	var parts []string
	for _, p := range []struct {
		n          int
		noun, what string
	}{
		{v.Open, "execution", "that may not have ended"}, {v.Unscored, "execution", "without a score"},
		{v.Unjudged, "seed", "never judged under the active spec"}, {v.Others, "seed", "under another revision of the code"},
	} {
		if p.n > 0 {
			parts = append(parts, format.Counted(p.n, p.noun)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}

// warnUnpairable says why trials that there are form no pairs, if a policy waits for pairs.
func (d *DecideResult) warnUnpairable(l Lineage) {
	e, need := d.Record.Evidence, d.Record.Decision.Need
	if need == nil || need.Pairs == 0 || len(e.Child)+len(e.Parent) == 0 {
		return
	}
	if !slices.ContainsFunc(slices.Concat(e.Child, e.Parent), func(t evolution.Trial) bool { return t.Key != "" }) {
		hint := track.NewHint("record each with its task, or decide by a policy without pairs", "lineage set", l.Name, "policy="+evolution.Threshold{}.Name())
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: warnNoTasks, Message: "no trial names a task, so none can be compared with one of the other side", Hint: &hint})
		return
	}
	old := 0
	for _, t := range e.Parent {
		if t.At.Before(e.Since) {
			old++
		}
	}
	if old > 0 {
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: warnOldControls,
			Message: fmt.Sprintf("%s of %s from before the proposal form no pair, since conditions may have changed: run them again beside the child", format.Counted(old, "trial"), d.Parent)})
	}
}

// addWarnings adds the warnings of the decision, and the ones about what happened around it, the one that matters most
// first.
func addWarnings(l Lineage, d *DecideResult) {
	hinted := func(code evolution.Warning, message string, hint *track.Hint) {
		d.Warnings = append(d.Warnings, answer.DecisionWarning{Code: code, Message: message, Hint: hint})
	}
	add := func(code evolution.Warning, message string) { hinted(code, message, nil) }
	decision := d.Record.Decision
	if decision.Accepted && d.HeadAfter != d.Mutation.Child {
		hint := track.NewHint("propose it again as its child", "mutation propose").With("lineage", l.Name).With("parent", orDash(d.HeadBefore))
		hinted(warnStaleParent, fmt.Sprintf("accepted against %s, but %s is active", d.Parent, orDash(d.HeadBefore)), &hint)
	}
	if d.was == evolution.MutationAccepted && !decision.Accepted && d.HeadBefore == d.Mutation.Child {
		hint := track.NewHint("leave it", "rollback", l.Name)
		hinted(warnWasAccepted, fmt.Sprintf("it was accepted before: %s stays active", d.HeadBefore), &hint)
	}
	d.warnUnpairable(l)
	for _, w := range decision.Warnings {
		add(w, w.Message())
	}
	if d.Record.Override {
		add(warnOverridden, fmt.Sprintf("decided by %s; the policy of the lineage is %s", d.Record.Policy, l.Settings.Policy))
	}
	if d.ended > 0 {
		times := "once"
		if d.ended > 1 {
			times = fmt.Sprintf("%d times", d.ended)
		}
		add(warnAttempts, "decided before, "+times+": deciding again until it passes accepts more often than the stated rate")
	}
	for i, side := range [...]string{"child", "parent"} {
		if text := d.Sides[i].leftOut(); text != "" {
			var hint *track.Hint
			if scenario := l.scenario(); d.Sides[i].Unjudged > 0 {
				rescore := track.NewHint("judge them", "rescore", scenario)
				hint = &rescore
			}
			hinted(warnLeftOut, fmt.Sprintf("left out of the %s: %s", side, text), hint)
		}
	}
}

// checkScoreSource refuses a kind of score for a simulation, whose seeds are scored under the spec.
func checkScoreSource(subject string, s evolution.Settings) error {
	if s.ScoreFrom != "" && subject != SubjectAgent {
		return fmt.Errorf("%w: score_from: %s is a kind of score of executions, and the trials of %s are seeds, scored under its spec", track.ErrInvalid, s.ScoreFrom, subject)
	}
	return nil
}

// describeScores notes in a decision which scores it was made from, and what was left out.
func (d *DecideResult) describeScores(ctx context.Context, r *store.Reader) (err error) {
	use, child, parent := &d.Record.Score, d.Sides[0], d.Sides[1]
	use.Times = d.lineage.Settings.Times()
	use.WithoutChild, use.WithoutParent = child.Unscored, parent.Unscored
	use.HoldoutChild, use.HoldoutParent = len(child.Held), len(parent.Held)
	if !d.seeds && use.From != "" {
		use.Agreement, err = agreements(ctx, r, d.lineage, use.From)
	}
	return err
}

// Agreement with ground-truth labels is that of the newest executions, by at most so many labels.
const (
	labelledTrials = 1000
	mostLabels     = 5
)

// agreements says how well scores of a kind agree with the ground-truth labels of a lineage. Of labels it takes those
// that are 0 or 1, and know successes and failures. Holdout tasks say nothing here.
func agreements(ctx context.Context, r *store.Reader, l Lineage, from evolution.ScoreSource) (list []evolution.Agreement, err error) {
	list = []evolution.Agreement{}
	labels, err := r.Labels(ctx, l.Evolving, labelledTrials)
	if err != nil || len(labels) == 0 {
		return list, err
	}
	trials, err := r.Trials(ctx, l.Name, store.TrialFilter{Rubric: string(from), Ended: true, Newest: labelledTrials})
	if err != nil {
		return list, err
	}
	scores := map[string]float64{}
	for _, t := range trials {
		if t.Score != nil && t.Status == track.ExecutionOK && t.Rubric == string(from) && !t.Holdout && !l.holds(t.Task) {
			scores[t.ID] = l.Settings.Scale.Gain(*t.Score)
		}
	}
	byName := map[string][]store.Label{}
	for _, label := range labels {
		byName[label.Name] = append(byName[label.Name], label)
	}
	itself, _ := from.Truth()
	delete(byName, itself)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		a, ok, err := agreement(name, byName[name], scores)
		if err != nil {
			return list, err
		}
		if ok && len(list) < mostLabels {
			list = append(list, a)
		}
	}
	return list, nil
}

// agreement compares scores with one label; ok is false if it is not a label of success.
func agreement(name string, labels []store.Label, scores map[string]float64) (a evolution.Agreement, ok bool, err error) {
	var success, failure []float64
	for _, label := range labels {
		score, scored := scores[label.Execution]
		switch {
		case label.Value != 0 && label.Value != 1:
			return a, false, nil
		case !scored:
		case label.Value == 1:
			success = append(success, score)
		default:
			failure = append(failure, score)
		}
	}
	auc, err := stats.NewAUC(success, failure, scoring.DefaultConfidence)
	if errors.Is(err, stats.ErrEmpty) {
		return a, false, nil
	}
	a = evolution.Agreement{Truth: name, NSuccess: len(success), NFailure: len(failure), AUC: auc.Value}
	if auc.Interval.Defined() {
		a.Lo, a.Hi = &auc.Interval.Lo, &auc.Interval.Hi
	}
	return a, true, err
}

// usedBefore returns the holdout tasks that earlier decisions used as evidence.
func usedBefore(ctx context.Context, r *store.Reader, l Lineage) ([]string, error) {
	if l.Settings.Holdout == nil {
		return nil, nil
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}})
	if err != nil {
		return nil, err
	}
	tasks := map[string]bool{}
	for _, e := range entries {
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			return nil, err
		}
		for _, t := range slices.Concat(record.Evidence.Child, record.Evidence.Parent) {
			if l.holds(t.Key) {
				tasks[t.Key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(tasks)), nil
}

// planned returns the trials that a decision to continue asks for: first those whose partner was run.
func (r DecideResult) planned() []answer.PlannedTrial {
	need := r.Record.Decision.Need
	if need == nil {
		return nil
	}
	prefix := ""
	if need.Measure {
		prefix = MeasuredPrefix
	}
	free := r.freeKeys(max(need.Child-len(need.ChildKeys), need.Parent-len(need.ParentKeys), 0))
	var list []answer.PlannedTrial
	for _, side := range [...]struct {
		name, version string
		n             int
		keys          []string
	}{{SideChild, r.Mutation.Child, need.Child, need.ChildKeys}, {SideParent, r.Parent, need.Parent, need.ParentKeys}} {
		keys := append(side.keys[:min(side.n, len(side.keys)):min(side.n, len(side.keys))], free...)
		for _, key := range keys[:min(side.n, len(keys))] {
			list = append(list, answer.PlannedTrial{Side: prefix + side.name, Version: side.version, Key: key})
		}
	}
	return list
}

// wanted returns in words how many trials a decision to continue asks for.
func (r DecideResult) wanted() string {
	need, text := r.Record.Decision.Need, ""
	if need.Child > 0 {
		text = fmt.Sprintf("%d more of %s", need.Child, r.Mutation.Child)
	}
	if need.Parent > 0 && text != "" {
		return text + fmt.Sprintf(" and %d of %s", need.Parent, r.Parent)
	}
	if need.Parent > 0 {
		return fmt.Sprintf("%d more of %s", need.Parent, r.Parent)
	}
	return text
}

// freeKeys returns n keys for trials of any task: empty for an agent, and seeds that neither side has for a simulation.
func (r DecideResult) freeKeys(n int) []string {
	keys := make([]string, n)
	next, numbers := uint64(0), true
	for _, side := range r.Sides {
		for _, t := range side.Trials {
			seed, err := strconv.ParseUint(t.Key, 10, 64)
			numbers = numbers && err == nil
			next = max(next, seed+1) // beyond the last seed it begins at 0 again
		}
	}
	if !r.seeds || !numbers {
		return keys
	}
	for i := range keys {
		for next++; r.lineage.holds(strconv.FormatUint(next-1, 10)); next++ {
		}
		keys[i] = strconv.FormatUint(next-1, 10)
	}
	return keys
}

// DecideMutation decides a mutation by the policy of its lineage, or by another one.
func DecideMutation(ctx context.Context, st *store.Store, q answer.DecideQuestion) (a answer.Decision, err error) {
	lineage, err := resolveMutation(ctx, st.Reader, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	d, err := Decide(ctx, st, lineage, q.Mutation, q)
	if err != nil {
		return a, err
	}
	a = decisionAnswer(d)
	a.DryRun = q.DryRun
	return a, nil
}

func PlanDecision(ctx context.Context, r *store.Reader, q answer.PlanQuestion) (a answer.Plan, err error) {
	if a.Lineage, err = resolveMutation(ctx, r, q.Lineage, q.Mutation); err != nil {
		return a, err
	}
	l, err := Load(ctx, r, a.Lineage)
	if err != nil {
		return a, err
	}
	d, err := decide(ctx, r, l, q.Mutation, answer.DecideQuestion{Policy: q.Policy})
	if err != nil {
		return a, err
	}
	a.Mutation, a.Decision = q.Mutation, decisionAnswer(d)
	a.Decision.DryRun = true
	a.State, a.Need = a.Decision.State, a.Decision.Need
	return a, nil
}

// decisionAnswer returns a decision as an answer.
func decisionAnswer(r DecideResult) answer.Decision {
	d := r.Record.Decision
	a := answer.Decision{
		ID: r.Entry.ID(), Number: r.Number, Lineage: r.Entry.Lineage, Mutation: r.Record.Mutation, Child: r.Mutation.Child, Parent: r.Parent,
		Operator: r.Mutation.Operator, Attempt: r.Record.Attempt, Repeated: r.Repeated, DryRun: r.DryRun, State: d.State, Accepted: d.Accepted, Label: d.Label,
		Policy: r.Record.Policy, PolicyParams: json.RawMessage(r.Record.Params), Overridden: r.Record.Override, Score: r.Record.Score, Scale: r.Record.Evidence.Scale, OldScore: d.OldScore, NewScore: d.NewScore,
		Delta: d.Delta, CI: d.Interval, PImprove: d.PImprove, Fitness: d.Fitness, Rule: d.Rule, NChild: d.NChild, NParent: d.NParent, NPairs: d.NPairs,
		Measured: d.Measured, Failures: r.Record.Evidence.Failures, FailedChild: d.FailedChild, FailedParent: d.FailedParent, UsedChild: d.UsedChild, UsedParent: d.UsedParent,
		Draw: drawAnswer(r.Record.Draw, &d.P, d.DrawUsed), HeadBefore: r.HeadBefore, HeadAfter: r.HeadAfter, HeadNow: r.Now, Noise: d.Noise,
		Warnings: r.Warnings, DecidedAt: r.At, Hash: r.Hash,
	}
	if need := d.Need; need != nil {
		a.Need = &answer.MissingEvidence{
			N: need.Child + need.Parent, Child: need.Child, Parent: need.Parent, Pairs: need.Pairs, Measure: need.Measure, Trials: r.planned(),
		}
	}
	return a
}

func drawAnswer(d evolution.Draw, p *float64, used bool) answer.Draw {
	return answer.Draw{
		Algorithm: d.Algorithm, Seed: fmt.Sprint(d.Seed), Key: answer.DrawKey{Lineage: d.Lineage, Mutation: d.Mutation, Attempt: d.Attempt, Label: d.Label},
		Raw: d.Raw, U: d.U, P: p, Used: used, StateBefore: d.StateBefore, StateAfter: d.StateAfter,
	}
}
