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

// manyVersions is from how many versions on the trials of all are read without naming them.
const manyVersions = 1000

// standing is where a lineage stands: the versions that were ever active, compared with the active one.
type standing struct {
	reader   *store.Reader
	lineage  Lineage
	heads    headHistory
	trials   recorded             // of these versions
	versions []evolution.Standing // in the order in which they were first active
	head     VersionTrials        // of the active version
	signals  evolution.Signals    // of the active version
	contents *contents
}

// loadStanding reads where a lineage stands. That the trials of a version cannot be aggregated is an error.
func loadStanding(ctx context.Context, r *store.Reader, l Lineage) (standing, error) {
	s, err := compareStanding(ctx, r, l)
	if err != nil {
		return s, err
	}
	s.signals, err = loadSignals(ctx, r, l, s.head)
	return s, err
}

// compareStanding compares the versions that were ever active with the active one.
func compareStanding(ctx context.Context, r *store.Reader, l Lineage) (s standing, err error) {
	s = standing{reader: r, lineage: l, contents: &contents{reader: r, lineage: l.Name}}
	if s.heads, err = r.HeadChanges(ctx, l.Evolving); err != nil {
		return s, err
	}
	names := s.heads.versions()
	if len(names) == 0 {
		return s, nil
	}
	wanted := names
	if len(names) > manyVersions && l.scenario() == "" {
		wanted = nil
	}
	if s.trials, err = loadTrials(ctx, r, l, wanted...); err != nil {
		return s, err
	}
	if s.head, err = s.trials.of(l.Head); err != nil {
		return s, err
	}
	for i, name := range names {
		v, err := s.compare(name, i+1)
		if err != nil {
			return s, err
		}
		s.versions = append(s.versions, v)
	}
	return s, nil
}

// compare returns the standing of a version.
func (s standing) compare(version string, number int) (evolution.Standing, error) {
	own, err := s.trials.of(version)
	if err != nil {
		return evolution.Standing{}, err
	}
	score, err := fitnessValue(s.lineage, own)
	if err != nil {
		return evolution.Standing{}, err
	}
	return newStanding(s.lineage, s.trials, version, number, score)
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

// newStanding returns the standing of a version whose fitness is known.
func newStanding(l Lineage, trials recorded, version string, number int, score *float64) (evolution.Standing, error) {
	v := evolution.Standing{Version: version, Number: number, Score: score}
	switch {
	case l.Head == "", score == nil:
		return v, nil
	case version == l.Head:
		v.Against = &evolution.Comparison{Score: *score, Other: *score}
		return v, nil
	}
	sides, err := trials.sides(version, l.Head)
	if err != nil {
		return v, err
	}
	v.Against, err = compareTrials(l, sides)
	return v, err
}

// VersionEntry is a version with its fitness.
type VersionEntry struct {
	store.VersionState
	State   answer.VersionPlace
	Best    bool     // the best fitness of the versions that were ever active
	Fitness *float64 // today; nil if no trial has a score, or there is a Problem
	Measure rubric.Measure
	NTasks  int    // with a score, over which the fitness is a mean; else 0
	Problem string // why its trials cannot be aggregated, such as scores under several rubrics
	N       int    // trials with a score
	NFailed int
}

// overview is where a lineage stands.
type overview struct {
	Lineage   Lineage
	Mutations map[evolution.MutationState]int
	Versions  []VersionEntry // that were ever active, the newest first: those that are kept and, if these are few, all
	NArchived int            // that are left out
}

// loadOverview returns where a lineage stands, with its versions that are kept.
func loadOverview(ctx context.Context, r *store.Reader, name string) (o overview, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		if o.Lineage, err = Load(ctx, r, name); err != nil {
			return err
		}
		if o.Mutations, err = r.CountOutcomes(ctx, o.Lineage.Evolving); err != nil {
			return err
		}
		o.Versions, o.NArchived, err = loadListed(ctx, r, o.Lineage)
		return err
	})
	return o, err
}

// listVersions lists all versions of a lineage with a ledger, candidates too, the newest first, with its settings.
func listVersions(ctx context.Context, r *store.Reader, name string) (list []VersionEntry, s evolution.Settings, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := Load(ctx, r, name)
		if err == nil {
			s = l.Settings
			list, err = loadVersions(ctx, r, l)
		}
		return err
	})
	return list, s, err
}

// loadVersions returns all versions of a lineage, the newest first.
func loadVersions(ctx context.Context, r *store.Reader, l Lineage) ([]VersionEntry, error) {
	versions, err := r.VersionStates(ctx, l.Name)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	heads, err := r.HeadChanges(ctx, l.Evolving)
	if err != nil {
		return nil, err
	}
	trials, err := loadTrialsOf(ctx, r, l, versions)
	if err != nil {
		return nil, err
	}
	return versionEntries(l, versions, heads, trials)
}

// loadTrialsOf reads the trials of many versions.
func loadTrialsOf(ctx context.Context, r *store.Reader, l Lineage, versions []store.VersionState) (recorded, error) {
	if l.scenario() == "" {
		return loadTrials(ctx, r, l)
	}
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Name
	}
	return loadTrials(ctx, r, l, names...)
}

// versionEntries returns versions, the newest first, with what their trials say.
func versionEntries(l Lineage, versions []store.VersionState, heads headHistory, trials recorded) ([]VersionEntry, error) {
	positions := heads.positions()
	list := make([]VersionEntry, len(versions))
	var standings []evolution.Standing
	for i, v := range versions {
		own, err := trials.of(v.Name)
		if err != nil {
			return nil, err
		}
		if list[i], err = newVersionEntry(l, v, own); err != nil {
			return nil, err
		}
		if list[i].State = answer.VersionCandidate; positions[v.Name] > 0 {
			standing, err := newStanding(l, trials, v.Name, positions[v.Name], applied(l.Settings.Scale.Gain, list[i].Fitness))
			if err != nil {
				return nil, err
			}
			standings = append(standings, standing)
		}
	}
	setPlaces(l, list, standings)
	slices.Reverse(list)
	return list, nil
}

func newVersionEntry(l Lineage, v store.VersionState, trials VersionTrials) (entry VersionEntry, err error) {
	entry.VersionState = v
	for _, t := range trials.Trials {
		if t.Failed != "" {
			entry.NFailed++
		} else {
			entry.N++
		}
	}
	f, err := fitness(l, trials)
	if errors.Is(err, evolution.ErrEvidence) {
		entry.Problem, err = err.Error(), nil
	}
	if f == nil {
		return entry, err
	}
	entry.Fitness, entry.Measure = applied(l.Settings.Scale.Score, &f.Value), f.Measure
	if f.Measure == rubric.ByTask {
		entry.NTasks = f.NTasks
	}
	return entry, err
}

// applied returns what a function makes of a number; nil of none.
func applied(f func(float64) float64, x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := f(*x)
	return &y
}

// setPlaces says which versions stay active, and which is the best.
func setPlaces(l Lineage, list []VersionEntry, standings []evolution.Standing) {
	active, archived := evolution.Retain(standings, l.Head, l.Settings.Loop.Keep)
	places := map[string]answer.VersionPlace{}
	for _, s := range active {
		places[s.Version] = answer.VersionKept
	}
	for _, s := range archived {
		places[s.Version] = answer.VersionArchived
	}
	places[l.Head] = answer.VersionActive
	best, ok := evolution.Best(standings)
	for i, v := range list {
		if place := places[v.Name]; place != "" {
			list[i].State = place
		}
		list[i].Best = ok && v.Name == best.Version
	}
}

// pageGrowth is how much larger each page of a long history is than the one before.
const pageGrowth = 8

// mostVersions is how many versions that were ever active are listed with a lineage. If there are more, only those that
// are kept are.
const mostVersions = 20

// places says which versions of a lineage are kept: the newest, the best, and the active one.
type places struct {
	head   string
	best   string // empty if no version has a fitness
	kept   map[string]bool
	newest []string       // those that are kept or, of few, all, the one that was first active last first
	all    map[string]int // positions of the versions that were ever active
}

func loadPlaces(ctx context.Context, r *store.Reader, l Lineage) (p places, err error) {
	s, err := compareStanding(ctx, r, l)
	p = places{head: l.Head, kept: map[string]bool{}, all: s.heads.positions(), newest: s.heads.versions()}
	if err != nil {
		return p, err
	}
	slices.Reverse(p.newest)
	keep := min(l.Settings.Loop.Keep, len(p.newest))
	for _, version := range p.newest[:keep] {
		p.kept[version] = true
	}
	if len(p.newest) > mostVersions {
		p.newest = p.newest[:keep]
	}
	if best, ok := evolution.Best(s.versions); ok {
		p.best, p.kept[best.Version] = best.Version, true
	}
	return p, nil
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
	add(p.head)
	return names
}

// set sets the place of a version.
func (p places) set(v *VersionEntry) {
	switch {
	case v.Name == p.head:
		v.State = answer.VersionActive
	case p.kept[v.Name]:
		v.State = answer.VersionKept
	case p.all[v.Name] > 0:
		v.State = answer.VersionArchived
	default:
		v.State = answer.VersionCandidate
	}
	v.Best = v.Name == p.best
}

// loadListed returns the versions that are listed with a lineage, the newest first, and how many archived ones are not.
func loadListed(ctx context.Context, r *store.Reader, l Lineage) (list []VersionEntry, archived int, err error) {
	p, err := loadPlaces(ctx, r, l)
	names := p.listed()
	if err != nil || len(names) == 0 {
		return nil, 0, err
	}
	versions, err := r.NamedVersions(ctx, l.Name, names...)
	if err != nil {
		return nil, 0, err
	}
	trials, err := loadTrials(ctx, r, l, names...)
	if err != nil {
		return nil, 0, err
	}
	for i := range versions {
		v := versions[len(versions)-1-i]
		own, err := trials.of(v.Name)
		if err != nil {
			return nil, 0, err
		}
		entry, err := newVersionEntry(l, v, own)
		if err != nil {
			return nil, 0, err
		}
		p.set(&entry)
		list = append(list, entry)
	}
	return list, len(p.all) - len(list), nil
}

// loadVersion returns one version of a lineage. If the lineage has no ledger, it has no place.
func loadVersion(ctx context.Context, r *store.Reader, lineage, version string) (entry VersionEntry, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		state, err := r.VersionState(ctx, lineage, version)
		if err != nil {
			return err
		}
		l, err := Load(ctx, r, lineage)
		if errors.Is(err, track.ErrNotFound) {
			entry = VersionEntry{VersionState: state}
			return nil
		}
		if err == nil {
			entry, err = placedVersion(ctx, r, l, state)
		}
		return err
	})
	return entry, err
}

func placedVersion(ctx context.Context, r *store.Reader, l Lineage, state store.VersionState) (entry VersionEntry, err error) {
	trials, err := loadTrials(ctx, r, l, state.Name)
	if err != nil {
		return entry, err
	}
	own, err := trials.of(state.Name)
	if err == nil {
		entry, err = newVersionEntry(l, state, own)
	}
	if err != nil {
		return entry, err
	}
	p, err := loadPlaces(ctx, r, l)
	p.set(&entry)
	return entry, err
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
		report, err := Replay(ctx, r, name, ReplayOptions{})
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
