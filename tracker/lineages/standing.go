package lineages

import (
	"context"
	"slices"

	"track/evolution"
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
