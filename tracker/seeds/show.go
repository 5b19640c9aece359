package seeds

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"track"
	"track/answer"
	"track/store"
)

// findSeed returns the seed of a scenario with this number, and the hashes of the other configurations that have it. If
// several have it, [Choose] says which is meant.
func findSeed(ctx context.Context, r *store.Reader, of answer.Selector, number track.SeedNumber) (track.RecordedSeed, []string, error) {
	configuration := int64(0)
	if of.Configuration != "" {
		choice, err := Choose(ctx, r, of, false)
		if err != nil {
			return track.RecordedSeed{}, nil, err
		}
		configuration = choice.Configurations[0].ID
	}
	seed, others, err := r.SeedByNumber(ctx, of.Scenario, number, configuration)
	if err == nil && configuration == 0 && len(others) > 0 {
		choice, err := Choose(ctx, r, of, false)
		if err != nil {
			return seed, nil, err
		}
		of.Configuration = choice.Configurations[0].Hash
		if of.Configuration != seed.Configuration.Hash && slices.ContainsFunc(others, func(o track.RecordedSeed) bool { return o.Configuration.Hash == of.Configuration }) {
			return findSeed(ctx, r, of, number)
		}
	}
	var hashes []string
	for _, other := range others {
		hashes = append(hashes, other.Configuration.Hash)
	}
	return seed, hashes, err
}

// ShowSeed returns everything that is known of a seed.
func ShowSeed(ctx context.Context, r *store.Reader, q answer.SeedQuestion) (a answer.Seed, err error) {
	if a.RecordedSeed, a.Others, err = findSeed(ctx, r, q.Of, q.Seed); err != nil {
		return a, err
	}
	a.Unscored = maps.Clone(a.Values)
	if a.Run, err = r.Run(ctx, a.ID); err != nil {
		return a, err
	}
	annotations, err := annotationsByHash(ctx, r, a.Scenario)
	if err != nil {
		return a, err
	}
	a.Annotations = annotations[a.RecordedSeed.Configuration.Hash]
	if a.Artifacts, err = artifactsOf(ctx, r, a.ID); err != nil {
		return a, err
	}
	version := q.Spec
	switch {
	case version == 0:
		version = a.SpecVersion
	case !slices.Contains(a.Assessed, version) && a.Outcome == track.OutcomeOK:
		hint := track.NewHint("score it", "rescore", a.Scenario).With("spec", strconv.Itoa(version))
		return a, track.WithHint(fmt.Errorf("seed %s was not scored under spec version %d: %w", a.Number, version, track.ErrNotFound), hint)
	}
	if version == 0 {
		return a, nil
	}
	return a, addResults(ctx, r, &a, version)
}

// addResults adds the results of the seed under a version of the spec.
func addResults(ctx context.Context, r *store.Reader, a *answer.Seed, version int) error {
	stored, decoded, err := LoadSpec(ctx, r, a.Scenario, version)
	if err != nil {
		return err
	}
	results, err := r.Results(ctx, a.ID, stored.ID)
	if err != nil || len(results) == 0 {
		return err
	}
	a.Spec = &answer.SpecRef{Version: stored.Version, Hash: stored.Hash}
	for _, m := range decoded.Metrics {
		result, judged := results[m.Name]
		if !judged {
			continue
		}
		delete(a.Unscored, m.Name)
		metric := answer.MetricResult{MetricInfo: m.Info(), Status: result.Status, Reason: result.Reason}
		if !result.Missing() {
			metric.Value, metric.Score = (*answer.Measured)(&result.Value), &result.Score
		}
		a.Metrics = append(a.Metrics, metric)
	}
	return nil
}
