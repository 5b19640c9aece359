package lineages

import (
	"context"
	"slices"

	"track/evolution"
)

// ranking walks the versions that were ever active from the best on. The first pages are of versions whose fitness is
// stored.
type ranking struct {
	standing standing
	list     []evolution.Standing // of which the best is the next
	stored   map[string]bool      // versions of list that were read from the database
	offset   int                  // of the next page
	size     int                  // of the next page
	ended    bool
}

func (s standing) ranking() *ranking {
	return &ranking{standing: s, list: slices.Clone(s.unrated), stored: map[string]bool{}, size: firstPage}
}

// next returns the best version that is left; ok is false if none has a fitness.
func (k *ranking) next(ctx context.Context) (best evolution.Standing, ok bool, err error) {
	if len(k.stored) == 0 && !k.ended {
		if err := k.read(ctx); err != nil {
			return best, false, err
		}
	}
	if best, ok = evolution.Best(k.list); ok {
		delete(k.stored, best.Version)
		k.list = slices.DeleteFunc(k.list, func(v evolution.Standing) bool { return v.Version == best.Version })
	}
	return best, ok, nil
}

// read reads the next page.
func (k *ranking) read(ctx context.Context) error {
	s := k.standing
	page, err := s.reader.BestActivations(ctx, s.lineage.Evolving, s.lineage.measure(), k.offset, k.size)
	for _, a := range page {
		k.list, k.stored[a.Version] = append(k.list, s.of(a)), true
	}
	k.ended = len(page) < k.size
	k.offset, k.size = k.offset+k.size, k.size*pageGrowth
	return err
}

// bestAllowed returns the best version to go back to: none that is to be skipped, and no forbidden one unless it is
// active anyway.
func (s standing) bestAllowed(ctx context.Context, skip map[string]bool) (best evolution.Standing, ok bool, err error) {
	for ranking := s.ranking(); ; {
		if best, ok, err = ranking.next(ctx); err != nil || !ok {
			return best, ok, err
		}
		if skip[best.Version] {
			continue
		}
		if best.Version == s.lineage.Head {
			return best, true, nil
		}
		if allowed, err := s.unlessForbidden(ctx, &best); err != nil || allowed != nil {
			return best, err == nil, err
		}
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
