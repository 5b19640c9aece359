package lineages

import (
	"context"
	"errors"
	"math"
	"slices"

	"track/evolution"
	"track/store"
)

// recentTrials is how many of the newest trials say how a version does now: as many as weigh in a fitness.
const recentTrials = 5

// Mostly a few rows of a long history are enough. The others are read in pages, each larger than the one before.
const firstPage, pageGrowth = 16, 8

// standing is where a lineage stands: the fitness of the versions that were ever active, and the trials of the active
// one. The fitness of most versions is stored.
type standing struct {
	reader   *store.Reader
	lineage  Lineage
	unrated  []evolution.Standing // whose fitness is not stored, in the order in which they were first active
	ids      []int64              // of these versions
	byName   map[string]int       // the places of versions in unrated
	problem  error                // why the trials of the first of problems cannot be aggregated
	problems map[string]bool      // versions of unrated without a fitness, because of their trials
	head     VersionTrials        // of the active version
	signals  evolution.Signals    // of the active version
	contents *contents
}

// loadStanding reads where a lineage stands. That trials cannot be aggregated is an error.
func loadStanding(ctx context.Context, r *store.Reader, l Lineage) (standing, error) {
	s, err := rateStanding(ctx, r, l)
	if err == nil {
		err = s.problem
	}
	if err != nil {
		return s, err
	}
	s.signals, err = loadSignals(ctx, r, l, s.head)
	return s, err
}

// rateStanding computes the fitness of the versions for which it is not stored.
func rateStanding(ctx context.Context, r *store.Reader, l Lineage) (s standing, err error) {
	s = standing{reader: r, lineage: l, byName: map[string]int{}, problems: map[string]bool{}, contents: &contents{reader: r, lineage: l.Name}}
	unrated, err := r.UnratedActivations(ctx, l.Evolving, l.measure())
	if err != nil {
		return s, err
	}
	trials, err := loadUnratedTrials(ctx, r, l, unrated)
	if err != nil {
		return s, err
	}
	for _, a := range unrated {
		if err := s.rate(a, trials); err != nil {
			return s, err
		}
	}
	s.head, err = trials.of(l.Head)
	return s, err
}

// loadUnratedTrials reads the trials of versions whose fitness is not stored, and those of the active one.
func loadUnratedTrials(ctx context.Context, r *store.Reader, l Lineage, unrated []store.Activation) (recorded, error) {
	const many = 1000
	var names []string
	if l.Head != "" {
		names = []string{l.Head}
	}
	for _, a := range unrated {
		if a.Version != l.Head {
			names = append(names, a.Version)
		}
	}
	if len(names) == 0 {
		return recorded{lineage: l}, nil
	}
	if l.scenario() == "" && len(names) > many {
		names = nil
	}
	return loadTrials(ctx, r, l, names...)
}

// rate computes the fitness of a version.
func (s *standing) rate(a store.Activation, trials recorded) error {
	own, err := trials.of(a.Version)
	if err != nil {
		return err
	}
	score, err := fitnessValue(s.lineage, own)
	if errors.Is(err, evolution.ErrEvidence) {
		if s.problems[a.Version] = true; s.problem == nil {
			s.problem = err
		}
		err = nil
	}
	s.byName[a.Version] = len(s.unrated)
	s.unrated, s.ids = append(s.unrated, evolution.Standing{Version: a.Version, Number: a.Position, Score: score}), append(s.ids, a.ID)
	return err
}

// of returns the standing of a version that was active.
func (s standing) of(a store.Activation) evolution.Standing {
	if i, found := s.byName[a.Version]; found {
		return s.unrated[i]
	}
	return evolution.Standing{Version: a.Version, Number: a.Position, Score: a.Fitness}
}

// find returns the standing of a version; nil if it was never active.
func (s standing) find(ctx context.Context, version string) (*evolution.Standing, error) {
	a, found, err := s.reader.Activation(ctx, s.lineage.Evolving, version)
	if err != nil || !found {
		return nil, err
	}
	standing := s.of(a)
	return &standing, nil
}

// findBefore returns the standing of the version that was active before another one first was; nil for none.
func (s standing) findBefore(ctx context.Context, version string) (*evolution.Standing, error) {
	a, found, err := s.reader.Activation(ctx, s.lineage.Evolving, version)
	if err != nil || !found {
		return nil, err
	}
	changes, err := s.reader.NewestHeadChanges(ctx, s.lineage.Evolving, a.Entry+1, 1)
	if err != nil || len(changes) == 0 || changes[0].Before == "" {
		return nil, err
	}
	return s.find(ctx, changes[0].Before)
}

// scores returns the fitness of the versions that were made active since the last rollback, oldest first: all, or as
// many of the newest as say how many drops in a row there are.
func (s standing) scores(ctx context.Context, all bool) ([]float64, error) {
	scores, first, before := []float64{}, s.lineage.newest[evolution.KindRollback].Number, math.MaxInt
	for n := firstPage; ; n *= pageGrowth {
		page, err := s.reader.HeadActivations(ctx, s.lineage.Evolving, first, before, n)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			before = a.Entry
			score := s.of(a).Score
			if score == nil {
				continue
			}
			scores = append(scores, *score)
			if last := len(scores) - 1; !all && last > 0 && !(scores[last-1] < scores[last]) {
				slices.Reverse(scores)
				return scores, nil
			}
		}
		if len(page) < n {
			slices.Reverse(scores)
			return scores, nil
		}
	}
}
