package seeds

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

// ReportedImprovement is all that a report tells of a comparison.
type ReportedImprovement struct {
	ImprovementReport
	CandidateRuns, BaselineRuns store.Runs
}

// LoadImprovementReport collects what a report tells of a candidate and its baseline.
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

func reportedImprovement(ctx context.Context, st *store.Reader, candidate Choice, options ImprovementOptions) (report ReportedImprovement, err error) {
	if report.ImprovementReport, err = compare(ctx, st, candidate, options); err != nil {
		return report, err
	}
	if report.CandidateRuns, err = runsOf(ctx, st, report.Candidate, options.Seeds); err == nil {
		report.BaselineRuns, err = runsOf(ctx, st, report.Baseline, options.Seeds)
	}
	return report, err
}

func runsOf(ctx context.Context, st *store.Reader, c Choice, ranges []track.SeedRange) (store.Runs, error) {
	return st.Runs(ctx, store.Selection{Scenario: c.Scenario, Configurations: []int64{c.Configurations[0].ID}, Seeds: ranges})
}
