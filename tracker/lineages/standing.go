package lineages

import (
	"context"
	"slices"

	"track/evolution"
	"track/store"
)

// recentTrials is how many of the newest trials say how a version does now: as many as weigh in a fitness.
const recentTrials = 5

// headHistory are the changes of the active version, oldest first.
type headHistory []store.HeadChange

// versions returns the versions that were ever active, in the order of their first time.
func (h headHistory) versions() (names []string) {
	seen := map[string]bool{"": true}
	for _, e := range h {
		if !seen[e.After] {
			seen[e.After] = true
			names = append(names, e.After)
		}
	}
	return names
}

// wasActive holds the versions that were ever active.
func (h headHistory) wasActive() map[string]bool {
	active := map[string]bool{}
	for _, e := range h {
		active[e.After] = e.After != ""
	}
	return active
}

// sinceRollback returns the active versions since the last rollback, which is an entry of the given number, in their
// order.
func (h headHistory) sinceRollback(number int) (names []string) {
	for _, e := range h {
		if e.Number >= number {
			names = append(names, e.After)
		}
	}
	return names
}

// before returns the version that was active before another one first was; empty for none.
func (h headHistory) before(version string) string {
	i := slices.IndexFunc(h, func(e store.HeadChange) bool { return e.After == version })
	if i < 0 {
		return ""
	}
	return h[i].Before
}

// distrusted returns the versions that triggers left since a mutation was accepted, or somebody went back by hand. To
// go back to one of them without a new reason to trust it could go on for ever.
func (h headHistory) distrusted() map[string]bool {
	left := map[string]bool{}
	for _, e := range slices.Backward(h) {
		if e.Kind != evolution.KindRollback || e.Trigger == string(evolution.TriggerHand) {
			break
		}
		left[e.Before] = true
	}
	return left
}

// standing is where a lineage stands: its head history, and the trials and the fitness of the versions that were ever
// active.
type standing struct {
	heads     headHistory
	trials    recorded
	standings []evolution.Standing // in the order of heads.versions
	byName    map[string]int       // the places of versions in standings
	signals   evolution.Signals    // of the active version
	contents  *contents
}

// loadStanding reads where a lineage stands.
func loadStanding(ctx context.Context, r *store.Reader, l Lineage) (s standing, err error) {
	s.contents = &contents{reader: r, lineage: l.Name}
	heads, err := r.HeadChanges(ctx, l.Evolving)
	if err != nil {
		return s, err
	}
	s.heads = heads
	versions := s.heads.versions()
	if len(versions) == 0 {
		return s, nil
	}
	if l.scenario() == "" {
		s.trials, err = loadTrials(ctx, r, l)
	} else {
		s.trials, err = loadTrials(ctx, r, l, versions...)
	}
	if err != nil {
		return s, err
	}
	s.byName = make(map[string]int, len(versions))
	for i, name := range versions {
		s.byName[name] = i
		trials, err := s.trials.of(name)
		if err != nil {
			return s, err
		}
		score, err := fitness(l, trials)
		if err != nil {
			return s, err
		}
		s.standings = append(s.standings, evolution.Standing{Version: name, Number: i + 1, Score: score})
	}
	s.signals, err = loadSignals(ctx, r, l, s.trials)
	return s, err
}

// find returns the standing of a version; nil if it was never active.
func (s standing) find(version string) *evolution.Standing {
	if i, found := s.byName[version]; found {
		return &s.standings[i]
	}
	return nil
}

// rollbackState returns what the triggers see. Of the versions it has the best, the active one and the one before:
// triggers go back to no other.
func rollbackState(ctx context.Context, l Lineage, s standing) (state evolution.RollbackState, err error) {
	state.InForce = evolution.Standing{Version: l.Head}
	if now := s.find(l.Head); now != nil {
		state.InForce = *now
	}
	left := s.heads.distrusted()
	if before := s.heads.before(l.Head); !left[before] {
		if state.Previous, err = unlessForbidden(ctx, l, s, s.find(before)); err != nil {
			return state, err
		}
	}
	state.Versions = []evolution.Standing{state.InForce}
	trusted := slices.DeleteFunc(slices.Clone(s.standings), func(v evolution.Standing) bool { return left[v.Version] })
	best, ok, err := bestAllowed(ctx, l, s, trusted)
	if err != nil {
		return state, err
	}
	if ok && best.Version != l.Head {
		state.Versions = append(state.Versions, best)
	}
	state.Scores = []float64{}
	for _, name := range s.heads.sinceRollback(l.newest[evolution.KindRollback].Number) {
		if v := s.find(name); v != nil && v.Score != nil {
			state.Scores = append(state.Scores, *v.Score)
		}
	}
	state.ErrorRate = s.signals.ErrorRate
	return state, nil
}

// bestAllowed returns the best version to go back to: no forbidden one, unless it is active anyway.
func bestAllowed(ctx context.Context, l Lineage, s standing, list []evolution.Standing) (best evolution.Standing, ok bool, err error) {
	for list = slices.Clone(list); ; {
		if best, ok = evolution.Best(list); !ok || best.Version == l.Head {
			return best, ok, nil
		}
		if allowed, err := unlessForbidden(ctx, l, s, &best); err != nil || allowed != nil {
			return best, err == nil, err
		}
		list = slices.DeleteFunc(list, func(v evolution.Standing) bool { return v.Version == best.Version })
	}
}

// unlessForbidden returns nil for a version whose content matches a forbidden pattern of the settings.
func unlessForbidden(ctx context.Context, l Lineage, s standing, v *evolution.Standing) (*evolution.Standing, error) {
	if v == nil {
		return nil, nil
	}
	matches, err := forbiddenPatterns(ctx, l, s.contents, v.Version)
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

// contents reads contents of versions in at most three statements: mostly one or two are asked for, and sometimes all.
type contents struct {
	reader  *store.Reader
	lineage string
	single  map[string]*string
	all     map[string]*string // nil until more than two were asked for
}

func (c *contents) of(ctx context.Context, version string) (*string, error) {
	if content, found := c.single[version]; found {
		return content, nil
	}
	if content, found := c.all[version]; found {
		return content, nil
	}
	if len(c.single) < 2 || c.all != nil { // one that is missing among all is an error
		content, err := c.reader.Content(ctx, c.lineage, version)
		if c.single == nil {
			c.single = map[string]*string{}
		}
		c.single[version] = content
		return content, err
	}
	versions, err := c.reader.VersionContents(ctx, c.lineage)
	if err != nil {
		return nil, err
	}
	c.all = map[string]*string{}
	for _, v := range versions {
		c.all[v.Name] = v.Content
	}
	return c.of(ctx, version)
}
