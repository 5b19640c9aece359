package seeds

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// ImprovementOptions say how a candidate is compared with its baseline.
type ImprovementOptions struct {
	Baseline    *answer.Selector // nil for the one that the spec or a pin names
	SpecVersion int              // of the baseline's scenario; 0 for the newest
	Seeds       []track.SeedRange
	Confidence  float64
	Margin      float64
	Base        *float64 // of the degradation threshold; nil for that of the candidate's spec
	Look        LookOptions

	SpecOf string // the scenario whose spec SpecVersion is of, where the baseline may be another's; empty for the baseline's
}

// ImprovementReport is a candidate against its baseline, with what both are.
type ImprovementReport struct {
	verdict.Improvement
	Candidate, Baseline Choice
	Source              BaselineSource
	Stored              store.Spec // that both are scored under: the baseline's
	Spec                scoring.Spec
	Look                store.Look // to be recorded

	CandidateSHA256, BaselineSHA256 string // of the seeds: see seedsSHA256

	CandidateSeeds, BaselineSeeds []verdict.JudgedSeed // by number; for looks at any time in the order in which they were recorded
}

// Compare compares the seeds of a candidate with those of its baseline, under the spec of the baseline's scenario.
func Compare(ctx context.Context, st *store.Reader, candidate answer.Selector, options ImprovementOptions) (report ImprovementReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		choice, err := Choose(ctx, st, candidate, false)
		if err != nil {
			return err
		}
		report, err = compare(ctx, st, choice, options)
		return err
	})
	return report, err
}

func compare(ctx context.Context, st *store.Reader, candidate Choice, options ImprovementOptions) (ImprovementReport, error) {
	report := ImprovementReport{Candidate: candidate}
	var err error
	if report.Baseline, report.Source, err = resolveBaseline(ctx, st, candidate, options.Baseline); err != nil {
		return report, err
	}
	version := options.SpecVersion
	if options.SpecOf != "" && options.SpecOf != report.Baseline.Scenario {
		version = 0
	}
	spec, err := loadSpecInUse(ctx, st, report.Baseline.Scenario, version)
	if err != nil {
		return report, err
	}
	report.Stored, report.Spec = spec.stored, spec.decoded
	ours, ourRows, err := judgedSeeds(ctx, st, candidate.Scenario, candidate.Configurations[0].ID, options.Seeds, spec)
	if err != nil {
		return report, fmt.Errorf("candidate: %w", err)
	}
	theirs, theirRows, err := judgedSeeds(ctx, st, report.Baseline.Scenario, report.Baseline.Configurations[0].ID, options.Seeds, spec)
	if err != nil {
		return report, fmt.Errorf("baseline: %w", err)
	}
	base, err := candidateBase(ctx, st, candidate, spec, options.Base)
	if err != nil {
		return report, err
	}
	look, err := prepareLook(ctx, st, store.Look{
		Kind: store.LookImprovement, Evidence: evidence(ourRows, theirRows),
		Question: question(store.LookImprovement, spec.stored.Hash, candidate.Scenario, candidate.Configurations[0].Hash,
			report.Baseline.Scenario, report.Baseline.Configurations[0].Hash),
	}, options.Look)
	if err != nil {
		return report, err
	}
	if !look.rule.Anytime { // else their order counts: that of recording would show in the last digits, and in signs that are drawn
		byNumber(ours)
		byNumber(theirs)
	}
	report.CandidateSeeds, report.BaselineSeeds = ours, theirs
	report.CandidateSHA256, report.BaselineSHA256 = seedsSHA256(ourRows), seedsSHA256(theirRows)
	report.Improvement, err = verdict.Compare(spec.decoded, ours, theirs, verdict.Options{
		Confidence: options.Confidence, Margin: options.Margin, Base: base, Look: look.rule,
		IdenticalCandidate: repeated(ourRows), IdenticalBaseline: repeated(theirRows),
	})
	report.Look = look.decided(report.NPairs, report.Verdict)
	return report, err
}

func byNumber(seeds []verdict.JudgedSeed) {
	slices.SortFunc(seeds, func(a, b verdict.JudgedSeed) int { return cmp.Compare(a.Number, b.Number) })
}

// repeated counts the seeds that ran well and measured exactly what another one did.
func repeated(rows []store.SeedScore) int {
	n, different := 0, map[[sha256.Size]byte]bool{}
	for _, row := range rows {
		if ranWell(row) {
			n++
			different[row.Digest] = true
		}
	}
	return n - len(different)
}

// candidateBase is the base in force for a candidate: what a spec says of improvement is said of the seeds of its own scenario,
// although those of the baseline's scenario are scored under another.
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

// degradationBase is the base in force: the one asked for, else the spec's, else the default.
func degradationBase(spec scoring.Spec, given *float64) float64 {
	switch {
	case given != nil:
		return *given
	case spec.Improvement != nil:
		return spec.Improvement.MaxDegradationBase
	}
	return scoring.DefaultMeanDegradationBase
}
