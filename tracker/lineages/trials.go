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
	t := recorded{lineage: l}
	var err error
	if l.scenario() != "" {
		t.seeds, err = loadSeeds(ctx, r, l, versions)
		return t, err
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
		err = track.WithHint(err, track.NewHint("say how many points one unit of score is", "lineage set", l.Name, "points=NUMBER"))
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
