package seeds

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

// ReportedImprovement is the report of a comparison, with what it was made of.
type ReportedImprovement struct {
	ImprovementReport
	Report answer.ImprovementReport
}

// LoadImprovementReport returns the report of a candidate and its baseline.
func LoadImprovementReport(ctx context.Context, st *store.Reader, candidate answer.Selector, options ImprovementOptions) (report ReportedImprovement, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		choice, err := Choose(ctx, st, candidate, false)
		if err == nil {
			report, err = reportedImprovement(ctx, st, choice, options)
		}
		return err
	})
	return report, err
}

func reportedImprovement(ctx context.Context, st *store.Reader, candidate Choice, options ImprovementOptions) (r ReportedImprovement, err error) {
	if r.ImprovementReport, err = compare(ctx, st, candidate, options); err != nil {
		return r, err
	}
	report, err := improvementReportOf(r.ImprovementReport, options.Seeds)
	if err != nil {
		return r, err
	}
	if report.CandidateRuns, err = runsOf(ctx, st, selectionOf(r.Candidate, options.Seeds)); err == nil {
		report.BaselineRuns, err = runsOf(ctx, st, selectionOf(r.Baseline, options.Seeds))
	}
	r.Report = *report
	return r, err
}

func selectionOf(c Choice, ranges []track.SeedRange) store.Selection {
	return store.Selection{Scenario: c.Scenario, Configurations: []int64{c.Configurations[0].ID}, Seeds: ranges}
}

// improvementReportOf returns the report of a comparison, without the runs of its sides.
func improvementReportOf(r ImprovementReport, ranges []track.SeedRange) (*answer.ImprovementReport, error) {
	candidate, baseline := r.Candidate.Configurations[0], r.Baseline.Configurations[0]
	parameters, err := parameterChanges(baseline.Params, candidate.Params)
	return &answer.ImprovementReport{
		Candidate: configurationOf(r.Candidate.Scenario, candidate), Baseline: configurationOf(r.Baseline.Scenario, baseline),
		Spec: specVersionOf(r.Stored, r.Spec), Ranges: track.SeedRanges(ranges).String(), Improvement: r.Improvement, CandidateSeeds: r.CandidateSeeds, BaselineSeeds: r.BaselineSeeds,
		Parameters: parameters, CandidateSHA256: r.CandidateSHA256, BaselineSHA256: r.BaselineSHA256,
	}, err
}
