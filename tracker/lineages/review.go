package lineages

import (
	"context"
	"maps"
	"slices"
	"time"

	"track/answer"
	"track/evolution"
	"track/importer/lines"
	"track/scoring/stats"
	"track/store"
)

// Reviewed is what a report says of a lineage, besides the answers to questions.
type Reviewed struct {
	answer.LineageReview
	Decisions answer.Decisions
	Noise     answer.LineageNoise
}

// Review looks at everything that is recorded of a lineage.
func Review(ctx context.Context, r *store.Reader, name string) (a Reviewed, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		v, err := loadReview(ctx, r, name)
		if err != nil {
			return err
		}
		a, err = v.answers()
		return err
	})
	return a, err
}

// review is a lineage as a report looks at it.
type review struct {
	lineage   Lineage
	replay    ReplayReport
	versions  []reviewedVersion // in the order in which they were recorded
	totals    store.LineageTotals
	export    lines.Lineage
	numbers   answer.Numbers
	byName    map[string]reviewedVersion
	mutations map[string]evolution.ReplayedMutation
	decisions []reviewedDecision
	accepting map[string][]reviewedDecision // that accepted a version
	rollbacks []reviewedRollback
	turned    []time.Time // when they were, in the order of time
	root      string
}

type reviewedVersion struct {
	store.VersionState
	VersionTrials // failed ones have the score that they count as
}

type reviewedDecision struct {
	evolution.Record
	entry evolution.Entry
}

type reviewedRollback struct {
	evolution.Entry
	event evolution.RollbackEvent
}

func loadReview(ctx context.Context, r *store.Reader, name string) (v review, err error) {
	s, err := loadStored(ctx, r, name)
	if err != nil {
		return v, err
	}
	v.replay = replayStored(s)
	if v.lineage, err = Load(ctx, r, name); err != nil {
		return v, err
	}
	if err = compareEvidence(ctx, r, s.Evolving, &v.replay); err != nil {
		return v, err
	}
	trials, err := loadTrials(ctx, r, v.lineage, namesOf(s.Versions)...)
	if err != nil {
		return v, err
	}
	for _, version := range s.Versions {
		own, err := trials.of(version.Name)
		if err != nil {
			return v, err
		}
		v.versions = append(v.versions, reviewedVersion{version, own})
	}
	if v.export, err = exportOf(ctx, r, s.Evolving, s.entries, s.Versions, v.replay.Labels); err != nil {
		return v, err
	}
	if scenario := v.lineage.scenario(); scenario != "" {
		v.totals, err = r.ScenarioTotals(ctx, scenario)
	} else {
		v.totals, err = r.ExecutionTotals(ctx, s.Evolving)
	}
	if err != nil {
		return v, err
	}
	return v, v.index()
}

// index finds what is asked for by name. A decision that cannot be read is an error.
func (v *review) index() error {
	v.numbers = answer.Numbers{Scale: v.lineage.Settings.Scale}
	var all [][]evolution.Trial
	for _, own := range v.versions {
		all = append(all, own.Trials, own.Held)
	}
	worst := v.lineage.Settings.Failures.Worst(v.lineage.Settings.Scale, all...)
	v.byName = map[string]reviewedVersion{}
	for i, own := range v.versions {
		own.Trials, own.Held = evolution.WithFailures(own.Trials, worst), evolution.WithFailures(own.Held, worst)
		v.versions[i], v.byName[own.Name] = own, own
	}
	v.mutations, v.accepting = map[string]evolution.ReplayedMutation{}, map[string][]reviewedDecision{}
	for _, m := range v.replay.Mutations {
		v.mutations[m.Mutation] = m
	}
	for _, e := range v.replay.Events {
		switch body := e.Body.(type) {
		case evolution.Creation:
			if body.Root != nil {
				v.root = body.Root.Label
			}
		case evolution.Record:
			d := reviewedDecision{body, e.Entry}
			v.decisions = append(v.decisions, d)
			if child := v.mutations[body.Mutation].Child.Label; body.Decision.Accepted {
				v.accepting[child] = append(v.accepting[child], d)
			}
		case evolution.RollbackEvent:
			v.rollbacks, v.turned = append(v.rollbacks, reviewedRollback{e.Entry, body}), append(v.turned, e.At)
		case nil:
			if e.Kind == evolution.KindDecision {
				return e.Decode(new(evolution.Record))
			}
		}
	}
	slices.SortFunc(v.turned, time.Time.Compare)
	return nil
}

func (v *review) answers() (a Reviewed, err error) {
	a.LineageReview = answer.LineageReview{
		Lineage: v.lineage.Name, Subject: v.lineage.Subject, Head: v.replay.Head, Root: v.root, Scale: v.lineage.Settings.Scale, Policy: v.lineage.Settings.Policy,
		Settings: v.lineage.Settings.Number, States: map[evolution.MutationState]int{}, Seed: v.lineage.Seed.String(), End: v.lineage.End, Schema: store.SchemaVersion,
		Entries: v.replay.Entries, Decided: v.replay.Decisions, Verified: v.replay.Verified, Compared: v.replay.NStrict, Totals: answer.LineageTotals(v.totals), Alerts: v.alerts(),
	}
	for _, d := range v.replay.Differences {
		if d.Missing {
			a.NMissing++
		} else {
			a.NDifferences++
		}
	}
	algorithms := map[string]bool{}
	for _, d := range v.decisions {
		algorithms[d.Draw.Algorithm] = true
	}
	a.Algorithms = slices.Sorted(maps.Keys(algorithms))
	for _, m := range v.replay.Mutations {
		a.States[m.State]++
		if m.CostUSD != nil {
			a.MutationsUSD, a.NPriced = a.MutationsUSD+*m.CostUSD, a.NPriced+1
		}
	}
	if a.SHA256, err = lines.Sum(v.export); err != nil {
		return a, err
	}
	if a.Head != "" {
		a.Score = v.score(a.Head)
		a.Gain = v.gain()
	}
	a.Holdout = v.holdout()
	for _, own := range v.versions {
		a.NHeld += len(own.Held)
	}
	a.Decisions, a.Noise = v.decided(), v.noise()
	return a, nil
}

// counted returns the trials of a version that no decision that accepted it looked at, if there are enough; else all.
func (v *review) counted(version string) evolution.Counted {
	looked := map[string]bool{}
	for _, d := range v.accepting[version] {
		for _, t := range d.Evidence.Child {
			looked[t.ID] = true
		}
	}
	return evolution.Count(v.byName[version].Trials, looked)
}

// score returns the mean score of a version over the trials that count.
func (v *review) score(version string) answer.CountedScore {
	c := v.counted(version)
	s := answer.CountedScore{Chosen: c.Chosen, Fresh: !c.Chosen && len(c.Trials) < len(scoredTrials(v.byName[version].Trials)), Failed: c.Failed, FailuresExcluded: v.lineage.Settings.Failures == evolution.FailuresExclude}
	if m, err := stats.NewMean(c.Scores(), evolution.Confidence); err == nil {
		s.Mean = &m
	}
	return s
}

func scoredTrials(trials []evolution.Trial) []evolution.Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t evolution.Trial) bool { return t.Score == nil })
}

// gain returns how much better the active version is than the root; nil if that is not to be said.
func (v *review) gain() *answer.ReviewedGain {
	head := v.replay.Head
	if head == v.root || v.root == "" {
		return nil
	}
	root, own := scoredTrials(v.byName[v.root].Trials), v.counted(head).Trials
	g := answer.ReviewedGain{}
	gain, err := evolution.NewVersionGain(own, root, v.numbers.Scale)
	if gain == nil && err == nil {
		gain, err = evolution.NewVersionGain(scoredTrials(v.byName[head].Trials), root, v.numbers.Scale)
		g.Chosen = true
	}
	if err != nil || gain == nil {
		return &g
	}
	g.VersionGain, g.Rollbacks = gain, v.rollbacksBetween(root, own)
	return &g
}

// turnedBy counts the rollbacks until a time.
func (v *review) turnedBy(at time.Time) int {
	n, _ := slices.BinarySearchFunc(v.turned, at, func(turn, at time.Time) int {
		if turn.After(at) {
			return 1
		}
		return -1
	})
	return n
}

// rollbacksBetween counts the rollbacks between the trials of two versions: what differs may be the world.
func (v *review) rollbacksBetween(earlier, later []evolution.Trial) int {
	timed := slices.DeleteFunc(slices.Clone(earlier), func(t evolution.Trial) bool { return t.At.IsZero() })
	if len(timed) == 0 || len(later) == 0 {
		return 0
	}
	byTime := func(a, b evolution.Trial) int { return a.At.Compare(b.At) }
	return max(0, v.turnedBy(slices.MaxFunc(later, byTime).At)-v.turnedBy(slices.MinFunc(timed, byTime).At))
}

// holdout compares what versions gained on the tasks that decide with what they gained on holdout tasks.
func (v *review) holdout() (list []answer.HoldoutGain) {
	root := v.byName[v.root]
	for _, own := range v.versions {
		if own.Name == v.root || len(own.Held) == 0 {
			continue
		}
		decide, onDecide, err := evolution.GainByTask(root.Trials, own.Trials, v.numbers.Scale)
		held, onHeld, heldErr := evolution.GainByTask(root.Held, own.Held, v.numbers.Scale)
		if err != nil || heldErr != nil {
			continue // scores whose squares overflow say nothing
		}
		g := answer.HoldoutGain{Version: own.Name, Active: own.Name == v.replay.Head, Deciding: decide, Held: held}
		if gap, err := stats.WelchT(onDecide, onHeld, evolution.Confidence); err == nil {
			g.Gap = &gap.Interval
		}
		list = append(list, g)
	}
	return list
}

// decided returns all decisions, refusals and rollbacks, the newest first.
func (v *review) decided() answer.Decisions {
	a := answer.Decisions{Lineage: v.lineage.Name, Scale: v.numbers.Scale}
	differing, missing := map[int]bool{}, map[int]bool{}
	for _, d := range v.replay.Differences {
		if d.Missing {
			missing[d.Number] = true
		} else {
			differing[d.Number] = true
		}
	}
	for _, d := range slices.Backward(v.decisions) {
		m := v.mutations[d.Mutation]
		one := answer.ReviewedDecision{Replay: "✓", MutationNumber: m.Number, Decision: decisionAnswer(DecideResult{
			Entry: d.entry, Record: d.Record, Mutation: store.Mutation{Child: m.Child.Label, Operator: m.Operator}, Parent: firstParent(m), Now: v.replay.Head,
		})}
		switch {
		case differing[d.entry.Number]:
			one.Replay = "✗ differs"
		case missing[d.entry.Number]:
			one.Replay = "✓ without evidence"
		}
		for _, p := range m.Parents {
			one.Parents = append(one.Parents, p.Label)
		}
		a.Items = append(a.Items, one)
	}
	for _, m := range slices.Backward(v.replay.Mutations) {
		if m.State == evolution.MutationRefused {
			a.Refused = append(a.Refused, answer.RefusedMutation{Number: m.Number, Mutation: m.Mutation, Child: m.Child.Label, Parent: firstParent(m), Operator: m.Operator, Refusals: m.Refusals})
		}
	}
	for _, r := range v.rollbacks {
		a.Rollbacks = append(a.Rollbacks, answer.LedgerRollback{Number: r.Number, At: r.At, Rollback: r.event.Rollback})
	}
	return a
}

func firstParent(m evolution.ReplayedMutation) string {
	if len(m.Parents) == 0 {
		return ""
	}
	return m.Parents[0].Label
}
