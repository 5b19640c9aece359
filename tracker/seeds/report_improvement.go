package seeds

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

// ReportedImprovement is the report of a comparison, with what it was made of.
type ReportedImprovement struct {
	Report answer.ImprovementReport
	Look   store.Look // to be recorded
}

// LoadImprovementReport returns the report of a candidate and its baseline.
func LoadImprovementReport(ctx context.Context, r *store.Reader, q answer.PairedQuestion) (report ReportedImprovement, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		choice, err := Choose(ctx, r, q.Candidate, false)
		if err == nil {
			report, err = reportedImprovement(ctx, r, choice, q, "")
		}
		return err
	})
	return report, err
}

func reportedImprovement(ctx context.Context, r *store.Reader, candidate Choice, q answer.PairedQuestion, specOf string) (report ReportedImprovement, err error) {
	c, err := compare(ctx, r, candidate, q, specOf)
	if err != nil {
		return report, err
	}
	report.Look = c.Look
	if report.Report, err = c.report(q.Seeds); err != nil {
		return report, err
	}
	if report.Report.CandidateRuns, err = runsOf(ctx, r, selectionOf(c.candidate, q.Seeds)); err == nil {
		report.Report.BaselineRuns, err = runsOf(ctx, r, selectionOf(c.baseline, q.Seeds))
	}
	return report, err
}

func selectionOf(c Choice, ranges []track.SeedRange) store.Selection {
	return store.Selection{Scenario: c.Scenario, Configurations: []int64{c.Configurations[0].ID}, Seeds: ranges}
}

// report returns the report of a comparison, without the runs of its sides.
func (c Compared) report(ranges []track.SeedRange) (answer.ImprovementReport, error) {
	parameters, err := parameterChanges(c.Baseline.Configuration.Params, c.Candidate.Configuration.Params)
	return answer.ImprovementReport{
		Improvement: c.Improvement, Declared: c.spec.Metrics, Ranges: track.SeedRanges(ranges).String(), CandidateSeeds: c.candidateSeeds, BaselineSeeds: c.baselineSeeds,
		Parameters: parameters, CandidateSHA256: c.candidateHash, BaselineSHA256: c.baselineHash,
	}, err
}
