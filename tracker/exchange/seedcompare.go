package exchange

import (
	"context"
	"fmt"
	"slices"

	"track/store"
)

// seedClass compares a seed elsewhere with the database here.
type seedClass int

const (
	seedNew      seedClass = iota // no seed here has its place
	seedKnown                     // it is here
	seedEarlier                   // the same was recorded here later: the first record counts, in any order of merging
	seedDiffers                   // another seed here has its place
	seedReplaces                  // it takes the place of the one here, as it did there
	seedReplaced                  // the same seed was recorded here, and was replaced since
	seedConflict                  // another seed here has its place, and stays
)

// seedStep is what becomes of a seed.
type seedStep struct {
	class seedClass
	here  *store.SeedHead // the same seed, or the one in its place; nil if there is none
	match store.SeedMatch
	parts *store.SeedParts // of the same seed here
}

// isWanted reports whether a seed elsewhere is needed in full: to be stored, or in a dry run to say how it differs.
func (s seedStep) isWanted(d *Door, head store.SeedHead, there *store.SeedParts) bool {
	if d.dryRun {
		return s.class == seedDiffers || s.class == seedConflict
	}
	return s.class != seedKnown || s.lacks(d, head, there)
}

// lacks reports whether the seed here lacks something that belongs to the same seed elsewhere.
func (s seedStep) lacks(d *Door, head store.SeedHead, there *store.SeedParts) bool {
	for _, hash := range there.Specs {
		if slices.Contains(d.specs[head.Scenario], hash) && !slices.Contains(s.parts.Specs, hash) {
			return true
		}
	}
	if there.HasRun && !s.parts.HasRun {
		return true
	}
	for _, id := range there.Repetitions {
		if !slices.Contains(s.parts.Repetitions, id) {
			return true
		}
	}
	return lacksContents(s.parts.Series, there.Series) || lacksContents(s.parts.Artifacts, there.Artifacts)
}

// countUnpruned counts the contents of a kind that were pruned here and are kept elsewhere, each once.
func (d *Door) countUnpruned(kind string, here, there map[string]store.Content) {
	for name, content := range there {
		if own, isNamed := here[name]; isNamed && content.IsKept && !own.IsKept && d.isFirst(fmt.Sprintf("%s %d", kind, own.Row)) {
			d.counts.Unpruned++
		}
	}
}

// lacksContents reports whether a name or a content that is there lacks here.
func lacksContents(here, there map[string]store.Content) bool {
	for name, content := range there {
		if own, has := here[name]; !has || content.IsKept && !own.IsKept {
			return true
		}
	}
	return false
}

// compare classifies the seeds of a page, but for those that differ, and lists what belongs to those that are here.
func (p *seedPage) compare(ctx context.Context, here *store.SeedPages) ([]seedStep, error) {
	matches, err := here.Match(ctx, p.heads)
	if err != nil {
		return nil, err
	}
	steps := make([]seedStep, len(p.heads))
	var rows []int64
	for i, m := range matches {
		steps[i] = compareSeed(p.heads[i], m)
		if s := steps[i]; s.class == seedKnown || s.class == seedEarlier {
			rows = append(rows, s.here.Row)
		}
	}
	parts, err := here.Parts(ctx, rows)
	for i := range steps {
		if s := &steps[i]; s.class == seedKnown || s.class == seedEarlier {
			s.parts = parts[s.here.Row]
		}
	}
	return steps, err
}

// compareSeed classifies a seed. A seed of the same ID is the same seed; without one, its place decides.
func compareSeed(head store.SeedHead, m store.SeedMatch) seedStep {
	s := seedStep{match: m}
	switch {
	case m.Same != nil && m.Same.Digest == head.Digest:
		s.class, s.here = seedKnown, m.Same
	case m.Same != nil:
		s.class, s.here = seedConflict, m.Same
	case m.InPlace == nil:
		s.class = seedNew // also if it is withdrawn: it is stored as such
	case m.InPlace.Digest != head.Digest:
		s.class, s.here = seedDiffers, m.InPlace
	case head.RecordedAt.Before(m.InPlace.RecordedAt) || head.RecordedAt.Equal(m.InPlace.RecordedAt) && head.ID < m.InPlace.ID:
		s.class, s.here = seedEarlier, m.InPlace
	default:
		s.class, s.here = seedKnown, m.InPlace
	}
	return s
}

// decide settles what becomes of a seed that differs from the one here. What was replaced on one side stays replaced,
// wherever else the same was measured; two seeds that replaced each other are a conflict.
func (d *Door) decide(ctx context.Context, here *store.SeedPages, head store.SeedHead, s *seedStep, record *store.SeedRecord) error {
	if d.superseded == nil {
		var err error
		if d.superseded, err = here.Superseded(ctx); err != nil {
			return err
		}
	}
	replacedHere := hasDigest(d.superseded[head.Place()], head)
	replacedThere := record != nil && hasDigest(record.Predecessors, *s.here)
	switch {
	case replacedHere && !replacedThere:
		s.class = seedReplaced
	case replacedThere && !replacedHere:
		s.class = seedReplaces
	case s.match.Withdrawn:
		s.class, s.here = seedNew, nil // it takes no place
	default:
		s.class = seedConflict
	}
	return nil
}

func hasDigest(list []store.SeedHead, head store.SeedHead) bool {
	return slices.ContainsFunc(list, func(h store.SeedHead) bool { return h.Digest == head.Digest })
}
