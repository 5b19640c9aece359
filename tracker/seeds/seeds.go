package seeds

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

// ListSeeds lists recorded seeds, the newest first.
func ListSeeds(ctx context.Context, r *store.Reader, q answer.SeedsQuestion) (a answer.Seeds, err error) {
	limit := q.Page.PageLimit()
	filter := store.SeedFilter{
		Scenario: q.Of.Scenario, Label: q.Label, Outcome: q.Outcome, Status: q.Status, MinScore: q.MinScore, MaxScore: q.MaxScore,
		Since: q.Since.From(r.Now()), Withdrawn: q.Withdrawn, After: q.Page.After, Limit: limit + 1, // one more says whether there is another page
	}
	if q.Page.After != "" { // an unknown position must not look like the end of the list
		known, err := r.HasSeed(ctx, q.Page.After)
		if err != nil {
			return a, err
		}
		if !known {
			return a, q.Page.UnknownCursor()
		}
	}
	if q.Of.Configuration != "" {
		found, err := allNamed(ctx, r, q.Of)
		if err != nil {
			return a, err
		}
		for _, c := range found {
			filter.Configurations = append(filter.Configurations, c.ID)
		}
	}
	seeds, err := r.Seeds(ctx, filter)
	if err != nil {
		return a, err
	}
	if len(seeds) == 0 && !q.Withdrawn && filter.Scenario != "" && filter.After == "" {
		if _, err := r.NewestConfiguration(ctx, filter.Scenario); err != nil {
			return a, err
		}
	}
	a.Items = seeds[:min(limit, len(seeds))]
	if len(seeds) > limit {
		a.Next = seeds[limit-1].ID
	}
	a.Annotated, err = annotatedOf(ctx, r, a.Items)
	return a, err
}

// annotatedOf returns the configurations of seeds that have tags or notes, in the order of the seeds.
func annotatedOf(ctx context.Context, r *store.Reader, list []track.RecordedSeed) (found []answer.AnnotatedConfiguration, err error) {
	of := map[string]map[string]answer.Annotations{} // by scenario and hash
	for _, seed := range list {
		known, has := of[seed.Scenario]
		if !has {
			if known, err = annotationsByHash(ctx, r, seed.Scenario); err != nil {
				return nil, err
			}
			of[seed.Scenario] = known
		}
		hash := seed.Configuration.Hash
		if annotations, has := known[hash]; has {
			found = append(found, answer.AnnotatedConfiguration{Scenario: seed.Scenario, Configuration: hash, Annotations: annotations})
			delete(known, hash)
		}
	}
	return found, nil
}
