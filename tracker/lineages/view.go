package lineages

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring/rubric"
	"track/store"
)

// recentTrials is how many of the newest trials say how a version does now: as many as weigh in a fitness.
const recentTrials = 5

// standing is where a lineage stands: the versions that were ever active, compared with the active one.
type standing struct {
	reader   *store.Reader
	lineage  Lineage
	heads    headHistory
	trials   recorded             // of these versions, and of others that were asked for
	versions []evolution.Standing // in the order in which they were first active
	head     VersionTrials        // of the active version
	signals  evolution.Signals    // of the active version
	contents *contents
}

// loadStanding reads where a lineage stands, for a decision. That the trials of a version cannot be aggregated is an
// error.
func loadStanding(ctx context.Context, r *store.Reader, l Lineage) (s standing, err error) {
	if s, err = compareStanding(ctx, r, l, fitnessValue); err != nil {
		return s, err
	}
	s.signals, err = loadSignals(ctx, r, l, s.head)
	return s, err
}

// compareStanding compares the versions that were ever active with the active one, by their fitness, and reads the
// trials of more versions.
func compareStanding(ctx context.Context, r *store.Reader, l Lineage, fitness func(Lineage, VersionTrials) (*float64, error), more ...string) (s standing, err error) {
	s = standing{reader: r, lineage: l, contents: &contents{reader: r, lineage: l.Name}}
	if s.heads, err = r.HeadChanges(ctx, l.Evolving); err != nil {
		return s, err
	}
	names := s.heads.versions()
	if len(names)+len(more) == 0 {
		return s, nil
	}
	if s.trials, err = loadTrials(ctx, r, l, slices.Compact(slices.Sorted(slices.Values(slices.Concat(names, more))))...); err != nil {
		return s, err
	}
	if s.head, err = s.trials.of(l.Head); err != nil {
		return s, err
	}
	for i, name := range names {
		v, err := compareVersion(l, s.trials, name, i+1, fitness)
		if err != nil {
			return s, err
		}
		s.versions = append(s.versions, v)
	}
	return s, nil
}

// compareVersion returns the standing of a version.
func compareVersion(l Lineage, trials recorded, version string, number int, fitness func(Lineage, VersionTrials) (*float64, error)) (evolution.Standing, error) {
	v := evolution.Standing{Version: version, Number: number}
	own, err := trials.of(version)
	if err != nil {
		return v, err
	}
	if v.Score, err = fitness(l, own); err != nil || l.Head == "" || v.Score == nil {
		return v, err
	}
	if version == l.Head {
		v.Against = &evolution.Comparison{Score: *v.Score, Other: *v.Score}
		return v, nil
	}
	sides, err := trials.sides(version, l.Head)
	if err != nil {
		return v, err
	}
	v.Against, err = compareTrials(l, sides)
	return v, err
}

// compareTrials compares the trials of two versions; nil if they have nothing in common.
func compareTrials(l Lineage, sides [2]VersionTrials) (*evolution.Comparison, error) {
	c, err := evolution.Compare(sides[0].Trials, sides[1].Trials, l.Settings.Scale, l.Settings.Failures)
	return c, explainEvidence(l, err)
}

// find returns the standing of a version; nil if it was never active.
func (s standing) find(version string) *evolution.Standing {
	i := slices.IndexFunc(s.versions, func(v evolution.Standing) bool { return v.Version == version })
	if i < 0 {
		return nil
	}
	return &s.versions[i]
}

// findBefore returns the standing of the version that was active before another one first was; nil for none.
func (s standing) findBefore(version string) *evolution.Standing {
	i := slices.IndexFunc(s.heads, func(c store.HeadChange) bool { return c.After == version })
	if i < 0 {
		return nil
	}
	return s.find(s.heads[i].Before)
}

// steps compares the versions that were made active since the last rollback, each with the one before, oldest first.
func (s standing) steps() ([]evolution.Step, error) {
	first := 0
	for i, c := range s.heads {
		if c.Kind == evolution.KindRollback {
			first = i
		}
	}
	steps := []evolution.Step{}
	for i := first + 1; i < len(s.heads); i++ {
		step := evolution.Step{From: s.heads[i].Before, To: s.heads[i].After}
		if step.From == "" || step.To == "" {
			continue
		}
		sides, err := s.trials.sides(step.To, step.From)
		if err != nil {
			return nil, err
		}
		if step.Against, err = compareTrials(s.lineage, sides); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// best returns the best version to go back to: none that is to be skipped, and no forbidden one unless it is active
// anyway.
func (s standing) best(ctx context.Context, skip map[string]bool) (best evolution.Standing, ok bool, err error) {
	list := slices.DeleteFunc(slices.Clone(s.versions), func(v evolution.Standing) bool { return skip[v.Version] })
	for {
		if best, ok = evolution.Best(list); !ok || best.Version == s.lineage.Head {
			return best, ok, nil
		}
		if allowed, err := s.unlessForbidden(ctx, &best); err != nil || allowed != nil {
			return best, err == nil, err
		}
		list = slices.DeleteFunc(list, func(v evolution.Standing) bool { return v.Version == best.Version })
	}
}

// unlessForbidden returns nil for a version whose content matches a forbidden pattern of the settings.
func (s standing) unlessForbidden(ctx context.Context, v *evolution.Standing) (*evolution.Standing, error) {
	if v == nil {
		return nil, nil
	}
	matches, err := forbiddenPatterns(ctx, s.lineage, s.contents, v.Version)
	if err != nil || len(matches) > 0 {
		return nil, err
	}
	return v, nil
}

// forbiddenPatterns returns the patterns of the settings that the content of a version matches.
func forbiddenPatterns(ctx context.Context, l Lineage, c *contents, version string) ([]evolution.Refusal, error) {
	content, err := c.of(ctx, version)
	if err != nil || content == nil {
		return nil, err
	}
	return evolution.CheckForbidden(*content, l.Settings.Loop.Forbidden)
}

// newVersion returns a version with what its trials say.
func newVersion(l Lineage, v store.VersionState, trials VersionTrials) (a answer.Version, err error) {
	a = stateAnswer(v)
	for _, t := range trials.Trials {
		if t.Failed != "" {
			a.NFailed++
		} else {
			a.N++
		}
	}
	f, err := fitness(l, trials)
	if errors.Is(err, evolution.ErrEvidence) {
		a.Problem, err = err.Error(), nil
	}
	if f == nil {
		return a, err
	}
	a.Fitness, a.Measure = applied(l.Settings.Scale.Score, &f.Value), f.Measure
	if f.Measure == rubric.ByTask {
		a.NTasks = f.NTasks
	}
	return a, err
}

// stateAnswer returns what is recorded of a version.
func stateAnswer(v store.VersionState) answer.Version {
	return answer.Version{
		Version: v.Name, Parent: v.Parent, Operator: v.Operator, ContentSHA256: v.ContentID, Status: v.Status, SourceScore: v.SourceScore, CreatedAt: v.CreatedAt,
	}
}

// applied returns what a function makes of a number; nil of none.
func applied(f func(float64) float64, x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := f(*x)
	return &y
}

// pageGrowth is how much larger each page of a long history is than the one before.
const pageGrowth = 8

// mostVersions is how many versions that were ever active are listed with a lineage. If there are more, only those that
// are kept are.
const mostVersions = 20

// places says which versions of a lineage are kept: the newest, the best, and the active one. The others are archived:
// they stay in the history with their parents and scores.
type places struct {
	standing
	best   string // empty if no version has a fitness
	kept   map[string]bool
	newest []string       // those that are kept or, of few, all, the one that was first active last first
	all    map[string]int // positions of the versions that were ever active
}

// loadPlaces reads which versions are kept, and the trials of more versions. A version whose trials cannot be
// aggregated has no fitness.
func loadPlaces(ctx context.Context, r *store.Reader, l Lineage, more ...string) (p places, err error) {
	p.standing, err = compareStanding(ctx, r, l, func(l Lineage, v VersionTrials) (*float64, error) {
		f, err := fitnessValue(l, v)
		if errors.Is(err, evolution.ErrEvidence) {
			err = nil
		}
		return f, err
	}, more...)
	p.kept, p.all, p.newest = map[string]bool{}, p.heads.positions(), p.heads.versions()
	slices.Reverse(p.newest)
	keep := min(l.Settings.Loop.Keep, len(p.newest))
	for _, version := range p.newest[:keep] {
		p.kept[version] = true
	}
	if len(p.newest) > mostVersions {
		p.newest = p.newest[:keep]
	}
	if best, ok := evolution.Best(p.versions); ok {
		p.best, p.kept[best.Version] = best.Version, true
	}
	return p, err
}

// entries returns versions, the newest first, with their places and with what their trials say.
func (p places) entries(versions []store.VersionState) ([]answer.Version, error) {
	list := make([]answer.Version, len(versions))
	for i, v := range versions {
		own, err := p.trials.of(v.Name)
		if err != nil {
			return nil, err
		}
		entry, err := newVersion(p.lineage, v, own)
		if err != nil {
			return nil, err
		}
		p.set(&entry)
		list[len(list)-1-i] = entry
	}
	return list, nil
}

// listed returns the names of the versions that are listed with the lineage.
func (p places) listed() (names []string) {
	listed := map[string]bool{"": true}
	add := func(name string) {
		if !listed[name] {
			listed[name], names = true, append(names, name)
		}
	}
	for _, version := range p.newest {
		add(version)
	}
	add(p.best)
	add(p.lineage.Head)
	return names
}

// set sets the place of a version.
func (p places) set(v *answer.Version) {
	switch {
	case v.Version == p.lineage.Head:
		v.Place = answer.VersionActive
	case p.kept[v.Version]:
		v.Place = answer.VersionKept
	case p.all[v.Version] > 0:
		v.Place = answer.VersionArchived
	default:
		v.Place = answer.VersionCandidate
	}
	v.Best = v.Version == p.best
}

// loadSignals returns means over the newest executions of the active version. A failed execution counts as errors only,
// and says nothing of the rest. Among failed ones, a successful execution without calls counts as one without errors,
// so that a single timeout is not a rate of 1. Of a simulation only the share of failed seeds is known.
func loadSignals(ctx context.Context, r *store.Reader, l Lineage, head VersionTrials) (s evolution.Signals, err error) {
	if l.Head == "" {
		return s, nil
	}
	if l.scenario() != "" {
		s.ErrorRate = failedShare(head.Trials)
		return s, nil
	}
	recent, err := recentExecutions(ctx, r, l)
	return signalsOf(recent), err
}

// recentExecutions returns the newest executions of the active version that are not held out.
func recentExecutions(ctx context.Context, r *store.Reader, l Lineage) (list []store.Trial, err error) {
	f := store.TrialFilter{Versions: []string{l.Head}, Rubric: string(l.Settings.ScoreFrom.Measured()), Components: true, Ended: true}
	for f.Newest = recentTrials; ; f.Newest *= pageGrowth {
		page, err := r.Trials(ctx, l.Name, f)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(slices.Clone(page), func(e store.Trial) bool { return e.Holdout || l.holds(e.Task) })
		if len(list) >= recentTrials || len(page) < f.Newest {
			return list[:min(len(list), recentTrials)], nil
		}
	}
}

func signalsOf(recent []store.Trial) (s evolution.Signals) {
	values := map[string][]float64{}
	failed, uncounted := false, 0
	for _, e := range recent {
		if e.Status != track.ExecutionOK {
			values[rubric.OneMinusErrorRate], failed = append(values[rubric.OneMinusErrorRate], 0), true
			continue
		}
		counted := false
		for _, c := range e.Components {
			if c.Value != nil {
				values[c.Name] = append(values[c.Name], *c.Value)
				counted = counted || c.Name == rubric.OneMinusErrorRate
			}
		}
		if !counted {
			uncounted++
		}
	}
	for range uncounted {
		if failed {
			values[rubric.OneMinusErrorRate] = append(values[rubric.OneMinusErrorRate], 1)
		}
	}
	if good := mean(values[rubric.OneMinusErrorRate]); good != nil {
		rate := 1 - *good
		s.ErrorRate = &rate
	}
	s.Efficiency, s.OutputQuality, s.StructureScore = mean(values[rubric.Efficiency]), mean(values[rubric.OutputQuality]), mean(values[rubric.StructureScore])
	return s
}

func mean(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	sum /= float64(len(list))
	return &sum
}

// failedShare returns the share of failures among the newest trials; nil for none.
func failedShare(trials []evolution.Trial) *float64 {
	var failed []float64
	for _, t := range trials[max(0, len(trials)-recentTrials):] {
		x := 0.0
		if t.Failed != "" {
			x = 1
		}
		failed = append(failed, x)
	}
	return mean(failed)
}

// newestOfList names the lineages with a ledger of which a list says how they stand.
func newestOfList(list []store.LineageSummary) map[string]bool {
	withLedger := slices.DeleteFunc(slices.Clone(list), func(l store.LineageSummary) bool { return l.Subject == "" })
	slices.SortStableFunc(withLedger, func(a, b store.LineageSummary) int { return b.Last.Compare(a.Last) })
	names := map[string]bool{}
	for _, l := range withLedger[:min(len(withLedger), answer.MostStanding)] {
		names[l.Lineage] = true
	}
	return names
}

// listStanding returns how far a lineage has come, and whether its ledger replays. A ledger that is damaged is a
// problem of this lineage alone.
func listStanding(ctx context.Context, r *store.Reader, name string) (*answer.LineageStanding, error) {
	l, err := Load(ctx, r, name)
	if errors.Is(err, track.ErrDamaged) || errors.Is(err, track.ErrInvalid) {
		return &answer.LineageStanding{Problem: "damaged"}, nil
	}
	if err != nil {
		return nil, err
	}
	s := answer.LineageStanding{Scale: l.Settings.Scale}
	if l.End.Number <= answer.MostReplayed {
		report, err := Replay(ctx, r, name, answer.ReplayQuestion{})
		if err != nil {
			return nil, err
		}
		s.Replayed, s.Decisions, s.Verified, s.Differences = true, report.Decisions, report.Verified, len(report.Differences)
	}
	err = addGain(ctx, r, l, &s)
	if errors.Is(err, evolution.ErrEvidence) || errors.Is(err, track.ErrInvalid) || errors.Is(err, track.ErrNotFound) {
		err = nil // the page of the lineage says why its trials cannot be compared
	}
	return &s, err
}

// addGain compares the trials of the active version with those of the root, as the report of the lineage does.
func addGain(ctx context.Context, r *store.Reader, l Lineage, s *answer.LineageStanding) error {
	creations, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindCreation}})
	if err != nil || len(creations) == 0 || l.Head == "" {
		return err
	}
	var creation evolution.Creation
	if err := creations[0].Decode(&creation); err != nil || creation.Root == nil {
		return err
	}
	s.Root = creation.Root.Label
	if s.Root == l.Head {
		return nil
	}
	looked, err := lookedAt(ctx, r, l)
	if err != nil {
		return err
	}
	trials, err := loadTrials(ctx, r, l, l.Head, s.Root)
	if err != nil {
		return err
	}
	head, err := trials.of(l.Head)
	if err != nil {
		return err
	}
	root, err := trials.of(s.Root)
	if err != nil {
		return err
	}
	worst := l.Settings.Failures.Worst(l.Settings.Scale, head.Trials, root.Trials)
	counted := func(v VersionTrials, looked map[string]bool) []evolution.Trial {
		return evolution.Count(evolution.WithFailures(v.Trials, worst), looked).Trials
	}
	return compareGain(s, counted(head, looked), counted(root, nil))
}

// compareGain fills in the gain of the active version over the root.
func compareGain(s *answer.LineageStanding, head, root []evolution.Trial) error {
	s.NHead, s.NRoot = len(head), len(root)
	gain, err := evolution.NewVersionGain(head, root, s.Scale)
	if err != nil || gain == nil {
		return err
	}
	s.Gain, s.CI = &gain.Mean, gain.Interval
	return nil
}

// lookedAt returns the IDs of the trials of the active version that the decisions that accepted it looked at.
func lookedAt(ctx context.Context, r *store.Reader, l Lineage) (map[string]bool, error) {
	mutations, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: l.Head})
	if err != nil || len(mutations) == 0 {
		return nil, err
	}
	keys := make([]string, len(mutations))
	for i, m := range mutations {
		keys[i] = m.Key
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutations: keys})
	looked := map[string]bool{}
	for _, e := range entries {
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			return nil, err
		}
		if record.Decision.Accepted {
			for _, t := range record.Evidence.Child {
				looked[t.ID] = true
			}
		}
	}
	return looked, err
}

// Outlook says what a loop needs to know before it has a child of the active version proposed.
type Outlook struct {
	Policy        string
	Scale         *evolution.Scale
	Missing       int      // trials of the active version that are still to be scored before that
	Child, Parent int      // trials of each side that a decision can take at most if none fails
	Score         *float64 // fitness of the active version; nil if it has fewer trials than a child needs
	NAccepted     int      // mutations
}

// LookAhead returns the outlook of a lineage. That its policy cannot decide on its scores is an error.
func LookAhead(ctx context.Context, r *store.Reader, lineage string) (o Outlook, err error) {
	l, err := Load(ctx, r, lineage)
	if err != nil {
		return o, err
	}
	policy, _, err := choosePolicy(l, nil)
	if err != nil {
		return o, err
	}
	trials, err := loadTrials(ctx, r, l, l.Head)
	if err != nil {
		return o, err
	}
	head, err := trials.of(l.Head)
	if err != nil {
		return o, err
	}
	measured := 0
	if m := l.Settings.Measurement(); m != nil {
		measured = len(m.Tasks)
	}
	plan, err := evolution.PlanDecision(policy, newEvidence(l, store.Mutation{}, [2]VersionTrials{1: head}, l.Settings.Scale), len(l.Settings.Deciding()), measured)
	if err != nil {
		return o, explainEvidence(l, err)
	}
	scored := len(lastScores(head.Trials, l.Settings.Loop.Interval))
	missing := max(plan.ParentFirst, l.Settings.Loop.Interval-scored)
	o = Outlook{Policy: l.Settings.Policy, Scale: l.Settings.Scale, Missing: missing, Child: max(plan.Child, l.Settings.Loop.Interval), Parent: plan.Parent}
	if missing == 0 {
		gain, err := fitnessValue(l, head)
		if err != nil {
			return o, err
		}
		o.Score = applied(l.Settings.Scale.Score, gain)
	}
	counts, err := r.CountOutcomes(ctx, l.Evolving)
	o.NAccepted = counts[evolution.MutationAccepted]
	return o, err
}
