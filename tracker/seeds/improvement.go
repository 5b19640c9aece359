package seeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/answer/param"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// Compared is a comparison with what it was made of.
type Compared struct {
	answer.Improvement
	Look store.Look // to be recorded

	candidate, baseline           Choice
	spec                          specInUse
	candidateSeeds, baselineSeeds []verdict.JudgedSeed // by number; for anytime methods in the order in which they were recorded
}

// JudgeImprovement compares a candidate with its baseline, and records that as an interim analysis.
func JudgeImprovement(ctx context.Context, st *store.Store, q answer.ImprovementQuestion) (answer.Improvement, error) {
	c, err := Compare(ctx, st.Reader, q.PairedQuestion, "")
	if err != nil {
		return answer.Improvement{}, err
	}
	if err := c.showMetrics(q); err != nil {
		return answer.Improvement{}, err
	}
	c.Unrecorded, err = tryRecordLooks(ctx, st, []store.Look{c.Look})
	return c.Improvement, err
}

// showMetrics leaves out the metrics that were not asked for. A name that the spec does not have is an error.
func (c *Compared) showMetrics(q answer.ImprovementQuestion) error {
	has := func(name func(scoring.Metric) string, wanted string) bool {
		return slices.ContainsFunc(c.spec.decoded.Metrics, func(m scoring.Metric) bool { return name(m) == wanted })
	}
	for _, name := range q.Metrics {
		if !has(func(m scoring.Metric) string { return m.Name }, name) {
			return &param.Error{Param: "metric", Message: fmt.Sprintf("%s: the spec of %s has no such metric", name, c.Spec.Scenario)}
		}
	}
	for _, name := range q.Groups {
		if !has(func(m scoring.Metric) string { return m.Group }, name) {
			return &param.Error{Param: "group", Message: fmt.Sprintf("%s: the spec of %s has no such group", name, c.Spec.Scenario)}
		}
	}
	all := c.Metrics
	c.Metrics = slices.DeleteFunc(slices.Clone(all), func(m verdict.MetricDelta) bool { return !q.Shows(m, m.IsDecided) })
	c.NHidden = len(all) - len(c.Metrics)
	c.Values = slices.DeleteFunc(c.Values, func(v verdict.ValueDelta) bool {
		k := slices.IndexFunc(all, func(m verdict.MetricDelta) bool { return m.Name == v.Metric })
		return k >= 0 && !q.Shows(all[k], v.Moved)
	})
	return nil
}

// Compare compares the seeds of a candidate with those of its baseline, under the spec of the baseline's scenario.
// specOf is the scenario whose spec has the version that q asks for; empty for the baseline's.
func Compare(ctx context.Context, r *store.Reader, q answer.PairedQuestion, specOf string) (c Compared, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		choice, err := Choose(ctx, r, q.Candidate, false)
		if err == nil {
			c, err = compare(ctx, r, choice, q, specOf)
		}
		return err
	})
	return c, err
}

func compare(ctx context.Context, r *store.Reader, candidate Choice, q answer.PairedQuestion, specOf string) (c Compared, err error) {
	c.candidate = candidate
	if c.baseline, c.BaselineSource, err = resolveBaseline(ctx, r, candidate, q.Baseline); err != nil {
		return c, err
	}
	version := q.Spec
	if specOf != "" && specOf != c.baseline.Scenario {
		version = 0
	}
	spec, err := loadSpecInUse(ctx, r, c.baseline.Scenario, version)
	if err != nil {
		return c, err
	}
	c.Candidate, c.Baseline, c.Spec, c.spec = candidate.side(), c.baseline.side(), scenarioSpec(spec.stored), spec
	if c.Candidate.Annotations, err = annotationsOf(ctx, r, candidate); err != nil {
		return c, err
	}
	if c.Baseline.Annotations, err = annotationsOf(ctx, r, c.baseline); err != nil {
		return c, err
	}
	ours, theirs, err := c.loadSeeds(ctx, r, q.Seeds, spec)
	if err != nil {
		return c, err
	}
	options := verdict.Options{
		Confidence: answer.ConfidenceOr(q.Confidence), Margin: q.Margin,
	}
	if options.WithdrawnCandidate, err = withdrawnOf(ctx, r, candidate.selection(q.Seeds)); err != nil {
		return c, err
	}
	if options.WithdrawnBaseline, err = withdrawnOf(ctx, r, c.baseline.selection(q.Seeds)); err != nil {
		return c, err
	}
	if options.Base, err = candidateBase(ctx, r, candidate, spec, q.Base); err != nil {
		return c, err
	}
	look, err := prepareLook(ctx, r, store.Look{
		Kind: store.LookImprovement, Evidence: evidence(ours, theirs),
		Question: question(store.LookImprovement, spec.stored.Hash, c.Candidate.Scenario, c.Candidate.Configuration.Hash, c.Baseline.Scenario, c.Baseline.Configuration.Hash),
	}, q.Judging)
	if err != nil {
		return c, err
	}
	if options.Look = look.rule; !look.rule.Anytime { // else their order counts: that of recording would show in the last digits, and in signs that are drawn
		byNumber(c.candidateSeeds)
		byNumber(c.baselineSeeds)
	}
	if c.Improvement.Improvement, err = verdict.Compare(spec.decoded, c.candidateSeeds, c.baselineSeeds, options); err != nil {
		return c, err
	}
	c.Look = look.decided(c.NPairs, c.Verdict)
	return c, c.warnOddBaseline(ctx, r, spec)
}

// selection returns the seeds of the configurations of a choice.
func (c Choice) selection(seeds []track.SeedRange) store.Selection {
	sel := store.Selection{Scenario: c.Scenario, Seeds: seeds}
	for _, configuration := range c.Configurations {
		sel.Configurations = append(sel.Configurations, configuration.ID)
	}
	return sel
}

// loadSeeds reads and judges the seeds of both sides, and returns them as they are stored.
func (c *Compared) loadSeeds(ctx context.Context, r *store.Reader, ranges []track.SeedRange, spec specInUse) (candidate, baseline []store.Seed, err error) {
	c.candidateSeeds, candidate, err = judgedSeeds(ctx, r, c.candidate.Scenario, c.candidate.Configurations[0].ID, ranges, spec)
	if err != nil {
		return nil, nil, fmt.Errorf("candidate: %w", err)
	}
	c.baselineSeeds, baseline, err = judgedSeeds(ctx, r, c.baseline.Scenario, c.baseline.Configurations[0].ID, ranges, spec)
	if err != nil {
		return nil, nil, fmt.Errorf("baseline: %w", err)
	}
	return candidate, baseline, nil
}

func byNumber(seeds []verdict.JudgedSeed) {
	slices.SortFunc(seeds, func(a, b verdict.JudgedSeed) int { return cmp.Compare(a.Number, b.Number) })
}

// candidateBase returns the active degradation base of a candidate. The base of a spec is for the seeds of its own
// scenario, although a candidate of another scenario is scored under the spec of its baseline.
func candidateBase(ctx context.Context, st *store.Reader, candidate Choice, inUse specInUse, given *float64) (float64, error) {
	if given != nil || candidate.Scenario == inUse.stored.Scenario {
		return degradationBase(inUse.decoded, given), nil
	}
	_, own, err := LoadSpec(ctx, st, candidate.Scenario, 0)
	if errors.Is(err, track.ErrNotFound) { // a candidate needs no spec of its own
		err = nil
	}
	return degradationBase(own, nil), err
}

// degradationBase returns the active degradation base: the one asked for, else the spec's, else the default.
func degradationBase(spec scoring.Spec, given *float64) float64 {
	switch {
	case given != nil:
		return *given
	case spec.Improvement != nil:
		return spec.Improvement.MaxDegradationBase
	}
	return scoring.DefaultMeanDegradationBase
}
