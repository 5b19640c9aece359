package lineages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"track"
	"track/evolution"
	"track/scoring/rubric"
	"track/store"
)

// VersionTrials are the trials of a version that are evidence, and the numbers of those left out.
type VersionTrials struct {
	Trials   []evolution.Trial // oldest first
	Open     int               // executions that may still go on
	Unscored int               // successful executions without a score of the kind that decides
	Unjudged int               // successful seeds that were never judged under the active spec
	Others   int               // seeds of the same parameters under another revision of the code
	Held     []evolution.Trial // of holdout tasks, which are no evidence; oldest first
	// Measured are the trials of runs on all tasks, which measure a gain and decide nothing, by what they are for: see
	// [measuredSide]. Those of tasks that decide are among Trials as well, and those of holdout tasks among Held.
	Measured map[string][]evolution.Trial
}

// The sides of a mutation.
const (
	SideChild  = "child"
	SideParent = "parent"
)

// MeasuredPrefix begins the names of the sides whose trials measure the gain of a mutation that was accepted.
const MeasuredPrefix = "measured-"

// measuredSide returns what the key of a trial begins with that measures the gain of a mutation.
func measuredSide(mutation, side string) string { return mutation + "/" + MeasuredPrefix + side + "/" }

// measures returns what a trial measures the gain of, by its key; empty for none.
func measures(key string) string {
	i := strings.Index(key, "/"+MeasuredPrefix)
	if i < 0 {
		return ""
	}
	side, _, found := strings.Cut(key[i+1:], "/")
	if !found {
		return ""
	}
	return key[:i+1] + side + "/"
}

// evidence returns the trials that decide: all but those that measure a gain.
func (v VersionTrials) evidence() []evolution.Trial {
	measured := map[string]bool{}
	for _, list := range v.Measured {
		for _, t := range list {
			measured[t.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(v.Trials), func(t evolution.Trial) bool { return measured[t.ID] })
}

// recorded are the trials that are recorded for versions of a lineage.
type recorded struct {
	lineage    Lineage
	executions map[string][]store.Trial // of an agent, by version
	seeds      versionSeeds             // of a simulation
}

// loadTrials reads the trials of versions at once; of all versions if none is named.
func loadTrials(ctx context.Context, r *store.Reader, l Lineage, versions ...string) (recorded, error) {
	const many = 1000 // from so many on, the trials of all versions are read without naming them
	t := recorded{lineage: l}
	var err error
	if l.scenario() != "" {
		t.seeds, err = loadSeeds(ctx, r, l, versions)
		return t, err
	}
	if len(versions) > many {
		versions = nil
	}
	list, err := r.Trials(ctx, l.Name, store.TrialFilter{Versions: versions, Rubric: string(l.Settings.ScoreFrom)})
	t.executions = map[string][]store.Trial{}
	for _, e := range list {
		t.executions[e.Version] = append(t.executions[e.Version], e)
	}
	return t, err
}

// of returns the trials of one version, whatever they are compared with.
func (t recorded) of(version string) (VersionTrials, error) {
	if version == "" {
		return VersionTrials{}, nil
	}
	if t.lineage.scenario() == "" {
		return executionTrials(t.lineage, t.executions[version]), nil
	}
	sides, err := t.seeds.compare(version)
	if err != nil {
		return VersionTrials{}, err
	}
	return sides[0], nil
}

// sides returns the trials of a child and of the parent that it is compared with.
func (t recorded) sides(child, parent string) (sides [2]VersionTrials, err error) {
	if t.lineage.scenario() == "" {
		return [2]VersionTrials{executionTrials(t.lineage, t.executions[child]), executionTrials(t.lineage, t.executions[parent])}, nil
	}
	list, err := t.seeds.compare(child, parent)
	if err != nil {
		return sides, err
	}
	return [2]VersionTrials(list), nil
}

// executionTrials returns executions as evidence. A trial is named as the caller named it, so that equal runs have
// equal evidence.
func executionTrials(l Lineage, list []store.Trial) (v VersionTrials) {
	times := l.Settings.Times()
	for _, e := range list {
		t := evolution.Trial{ID: TrialID(e.Source, e.Key), Key: e.Task, At: e.At, Score: e.Score, Under: e.Rubric}
		switch {
		case e.Open:
			v.Open++
			continue
		case e.Status != track.ExecutionOK:
			t.Failed, t.Score, t.Under = string(e.Status), nil, ""
		case e.Score == nil:
			if !e.Holdout && !l.holds(e.Task) {
				v.Unscored++
			}
			continue
		case times != 1:
			score := *e.Score * times
			t.Score = &score
		}
		if of := measures(e.Key); of != "" {
			if v.Measured == nil {
				v.Measured = map[string][]evolution.Trial{}
			}
			v.Measured[of] = append(v.Measured[of], t)
		}
		if e.Holdout || l.holds(e.Task) {
			v.Held = append(v.Held, t)
			continue
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}

// TrialID returns the id of an execution as a trial, by its source and key.
func TrialID(source, key string) string {
	if source == "" {
		return key
	}
	return source + ":" + key
}

// fitness returns the fitness of a version from all its trials, as a gain; nil if none has a score.
func fitness(l Lineage, v VersionTrials) (*rubric.FitnessResult, error) {
	f, err := evolution.Fitness(v.Trials, l.Settings.Scale, l.Settings.Failures, l.isRun || l.Settings.Tasks != nil)
	return f, explainEvidence(l, err)
}

// fitnessValue is [fitness] without what it was computed from.
func fitnessValue(l Lineage, v VersionTrials) (*float64, error) {
	f, err := fitness(l, v)
	if err != nil || f == nil {
		return nil, err
	}
	return &f.Value, nil
}

// explainEvidence adds the way out to an error in evidence.
func explainEvidence(l Lineage, err error) error {
	if points, found := errors.AsType[*evolution.PointsError](err); found {
		err = fmt.Errorf("%w: %w", track.ErrInvalid, points)
		err = track.WithHint(err, track.NewHint("say how many points one unit of score is", "lineage set", l.Name, "scale=NUMBER"))
		return track.WithHint(err, track.NewHint("or decide by a policy without points", "lineage set", l.Name, "policy=greedy"))
	}
	if !errors.Is(err, evolution.ErrEvidence) {
		return err
	}
	if errors.Is(err, evolution.ErrUnitScores) {
		err = fmt.Errorf("%w: %w", track.ErrInvalid, err)
		return track.WithHint(err, track.NewHint("say that scores are from 0 to 1", "lineage set", l.Name, "scale=0-1"))
	}
	mixed := errors.Is(err, evolution.ErrMixedScores)
	err = fmt.Errorf("%w: %w", track.ErrInvalid, err)
	if l.scenario() == "" && !mixed && l.Settings.Times() != 1 {
		err = track.WithHint(err, track.NewHint("say what a recorded value is multiplied by", "lineage set", l.Name).With("score-times", "FACTOR"))
		return track.WithHint(err, track.NewHint("or let scores be any numbers", "lineage set", l.Name, "scale=unbounded"))
	}
	if l.scenario() != "" || !mixed {
		return err
	}
	err = track.WithHint(err, track.NewHint("choose which scores decide (rubric, own, truth:NAME, …)", "lineage set", l.Name).With("score-from", "KIND"))
	return track.WithHint(err, track.NewHint("score executions under another rubric", "rescore").With("rubric", "RUBRIC"))
}

// countTrials counts the trials of a lineage, here and where the ledger was imported from.
func countTrials(ctx context.Context, r *store.Reader, l Lineage) (int, error) {
	n, err := countTrialsHere(ctx, r, l)
	return n + l.TrialsElsewhere, err
}

func countTrialsHere(ctx context.Context, r *store.Reader, l Lineage) (int, error) {
	if scenario := l.scenario(); scenario != "" {
		return r.CountSeeds(ctx, scenario)
	}
	return r.CountExecutions(ctx, l.Evolving)
}

// versionSeeds are the seeds of a scenario under the parameters of versions.
type versionSeeds struct {
	lineage Lineage
	spec    store.Spec
	noSpec  error                        // why there is no spec
	params  map[string]string            // canonical JSON, by version
	unknown map[string]error             // why a version has no parameters
	seeds   map[string][]store.SeedTrial // by parameters
}

// loadSeeds reads the seeds of versions; of all versions if none is named. That a spec or parameters are missing is an
// error for who asks for them.
func loadSeeds(ctx context.Context, r *store.Reader, l Lineage, versions []string) (s versionSeeds, err error) {
	s = versionSeeds{lineage: l, params: map[string]string{}, unknown: map[string]error{}}
	s.spec, err = r.Spec(ctx, l.scenario(), 0)
	if errors.Is(err, track.ErrNotFound) {
		s.noSpec = err
		return s, nil
	}
	if err != nil {
		return s, err
	}
	stored, err := r.VersionContents(ctx, l.Name, versions...)
	if err != nil {
		return s, err
	}
	var params []string
	for _, v := range stored {
		text, err := paramsOf(l.Name, v)
		if err != nil {
			s.unknown[v.Name] = err
			continue
		}
		s.params[v.Name] = text
		params = append(params, text)
	}
	s.seeds, err = r.SeedTrials(ctx, l.scenario(), s.spec.ID, params...)
	return s, err
}

// paramsOf returns the parameters that are the content of a version, as canonical JSON.
func paramsOf(lineage string, v store.VersionState) (string, error) {
	if v.Content == nil {
		return "", fmt.Errorf("%w: version %s of lineage %s has no content, so its parameters are unknown", track.ErrInvalid, v.Name, lineage)
	}
	params, err := track.NewParams([]byte(*v.Content))
	return string(params.JSON()), err
}

// compare returns the seeds of versions under the newest revision of the code that all of them have in common, because
// results of different code are not compared. If they have none in common, it is the newest revision of each.
func (s versionSeeds) compare(versions ...string) ([]VersionTrials, error) {
	if s.noSpec != nil {
		return nil, s.noSpec
	}
	seeds := make([][]store.SeedTrial, len(versions))
	for i, version := range versions {
		params, found := s.params[version]
		switch err := s.unknown[version]; {
		case err != nil:
			return nil, err
		case !found:
			return nil, fmt.Errorf("version %s of lineage %s: %w", version, s.lineage.Name, track.ErrNotFound)
		}
		seeds[i] = s.seeds[params]
	}
	revision, common := commonRevision(seeds)
	list := make([]VersionTrials, len(versions))
	for i := range versions {
		chosen := revision
		if n := len(seeds[i]); !common && n > 0 {
			chosen = seeds[i][n-1].Configuration.Revision
		}
		list[i] = seedTrials(s.lineage, seeds[i], chosen, s.spec.Hash)
	}
	return list, nil
}

// commonRevision returns the newest revision under which every version that has seeds has some. The seeds are in the
// order of their configurations.
func commonRevision(seeds [][]store.SeedTrial) (revision track.Revision, ok bool) {
	count, position := map[track.Revision]int{}, map[track.Revision]int64{}
	versions := 0
	for _, list := range seeds {
		own := map[track.Revision]bool{}
		for _, s := range list {
			own[s.Configuration.Revision] = true
			position[s.Configuration.Revision] = max(position[s.Configuration.Revision], s.Configuration.ID)
		}
		if len(own) > 0 {
			versions++
		}
		for r := range own {
			count[r]++
		}
	}
	newest := int64(-1)
	for r, n := range count {
		if n == versions && position[r] > newest {
			revision, newest, ok = r, position[r], true
		}
	}
	return revision, ok
}

// seedTrials returns seeds of one revision as evidence.
func seedTrials(l Lineage, seeds []store.SeedTrial, revision track.Revision, spec string) (v VersionTrials) {
	for _, s := range seeds {
		t := evolution.Trial{ID: track.ShortHash(s.Configuration.Hash) + "/" + s.Number.String(), Key: s.Number.String(), At: s.At, Under: track.ShortHash(spec)}
		switch {
		case s.Configuration.Revision != revision:
			v.Others++
			continue
		case s.Outcome != track.OutcomeOK:
			t.Failed, t.Under = string(s.Outcome), ""
		case !s.Assessed:
			v.Unjudged++
			continue
		case s.TotalScore == nil:
			t.Failed, t.Under = "incomplete", ""
		default:
			score := 100 * *s.TotalScore
			t.Score = &score
		}
		if l.holds(t.Key) {
			v.Held = append(v.Held, t)
			continue
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}

// Feedback returns the newest executions of a version, at most n, for whoever makes its children: with the scores that
// decide, and without those that are held out.
func Feedback(ctx context.Context, r *store.Reader, lineage, version string, n int) ([]track.RecordedExecution, error) {
	l, err := Load(ctx, r, lineage)
	if err != nil {
		return nil, err
	}
	trials, err := loadTrials(ctx, r, l, version)
	if err != nil {
		return nil, err
	}
	own, err := trials.of(version)
	if err != nil {
		return nil, err
	}
	scores := map[string]*float64{}
	for _, t := range own.Trials {
		scores[t.ID] = t.Score
	}
	f := store.ExecutionFilter{Lineage: lineage, Version: &version}
	for f.Limit = n; ; f.Limit *= pageGrowth {
		page, err := r.Executions(ctx, f)
		if err != nil {
			return nil, err
		}
		list := slices.DeleteFunc(slices.Clone(page), func(e track.RecordedExecution) bool { return e.Holdout || l.holds(e.Task) })
		if len(list) < n && len(page) == f.Limit {
			continue
		}
		list = list[:min(n, len(list))]
		for i, e := range list {
			list[i].Score = scores[TrialID(e.Source, e.Key)]
		}
		return list, nil
	}
}

// IsEvidence reports whether a recorded execution of an agent has a score that decisions use under the settings of its
// lineage.
func IsEvidence(ctx context.Context, r *store.Reader, e track.Execution) (bool, error) {
	l, err := Load(ctx, r, e.Lineage)
	if err != nil {
		return false, err
	}
	trials, err := loadTrials(ctx, r, l, e.Version)
	if err != nil {
		return false, err
	}
	own, err := trials.of(e.Version)
	id := TrialID(e.Source, e.Key)
	return slices.ContainsFunc(own.Trials, func(t evolution.Trial) bool { return t.ID == id && t.Score != nil }), err
}

// CountTrialsElsewhere notes how many of the trials that the newest entry of a ledger counts are not stored, so that a
// loop that continues it waits for trials made from now on. Unless anew, it only notes more of them than are noted.
func CountTrialsElsewhere(ctx context.Context, tx *store.Tx, name string, anew bool) error {
	l, err := Load(ctx, tx.Reader, name)
	if err != nil {
		return err
	}
	counted, err := trialsCounted(l)
	if err != nil {
		return err
	}
	here, err := countTrialsHere(ctx, tx.Reader, l)
	if n := max(0, counted-here); err == nil && (anew || n > l.TrialsElsewhere) {
		err = tx.SetTrialsElsewhere(l.ID, n)
	}
	return err
}

// trialsCounted returns how many trials the newest entry with a count has.
func trialsCounted(l Lineage) (int, error) {
	e, ok := newestOf(l, evolution.KindConsideration, evolution.KindProposal, evolution.KindRefusal, evolution.KindRollback)
	if !ok {
		return 0, nil
	}
	switch e.Kind {
	case evolution.KindConsideration:
		var c evolution.Consideration
		err := e.Decode(&c)
		return c.Executions, err
	case evolution.KindRollback:
		var r evolution.RollbackEvent
		err := e.Decode(&r)
		return r.Executions, err
	}
	var p evolution.Proposal
	err := e.Decode(&p)
	return p.Executions, err
}
