package ask

import (
	"context"

	"track/answer"
	"track/reports"
	"track/reports/document"
	"track/store"
	"track/tracker"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// Reports returns every question that a document answers.
func Reports() []Question {
	return []Question{
		StabilityReport().Question(), ImprovementReport().Question(), ScenarioReport().Question(), ParamsReport().Question(), LineageReport().Question(),
		IndexReport().Question(),
	}
}

// StabilityReport asks for the report of one configuration.
func StabilityReport() Report[answer.StabilityReportQuestion] {
	return Report[answer.StabilityReportQuestion]{
		Name: "report stability", Help: "report on one configuration: verdict, gate, metrics, seeds", Judges: true,
		About: `Shows the verdict with its reasons, the rules of the gate with what each needs, the metrics by group with the worst first, and the status of
each metric in each seed. Shows the scores, the failing seeds, and what changed since the previous configuration. Ends with warnings,
provenance, and the commands that reproduce it. The same database gives the same bytes.`,
		Params: (*answer.StabilityReportQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.StabilityReportQuestion) (c Composed, err error) {
			report, err := seeds.LoadStabilityReport(ctx, r, q.Of, seeds.StabilityOptions{SpecVersion: q.Spec, Seeds: q.Seeds})
			if err != nil {
				return c, err
			}
			return Composed{
				Document: reports.Stability(report.Report), Looks: report.Looks,
				Preview: func() document.Document { return reports.StabilityPreview(report.Report) },
			}, nil
		},
	}
}

// ImprovementReport asks for the report of a comparison.
func ImprovementReport() Report[answer.PairedQuestion] {
	return Report[answer.PairedQuestion]{
		Name: "report improvement", Help: "compare a candidate with its baseline in a report, seed by seed", Judges: true,
		About: `Shows the verdict with its reasons, the degraded metrics, and the change of each metric with its interval and threshold. Shows the total
scores of each pair, unmatched and failed seeds, and what differs between the sides. Ends with warnings, provenance, and the commands that
reproduce it. The comparison is the one that improvement makes, and a report on new seeds is recorded as an interim analysis too.`,
		Params: (*answer.PairedQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.PairedQuestion) (c Composed, err error) {
			report, err := seeds.LoadImprovementReport(ctx, r, q)
			if err != nil {
				return c, err
			}
			a := report.Report
			return Composed{
				Document: reports.Improvement(a), Looks: []store.Look{report.Look},
				Preview: func() document.Document { return reports.ImprovementPreview(a) },
			}, nil
		},
	}
}

// ScenarioReport asks for the report of a scenario.
func ScenarioReport() Report[answer.ScenarioReportQuestion] {
	return Report[answer.ScenarioReportQuestion]{
		Name: "report scenario", Help: "report on one scenario: spec, history, stability, improvement", Judges: true,
		About: `Shows the spec, the history of the configurations, the stability and failing seeds of the named one, and its improvement over the
baseline that the spec names or that is pinned. Ends with warnings, provenance, and the commands that reproduce it.`,
		Params: (*answer.ScenarioReportQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.ScenarioReportQuestion) (c Composed, err error) {
			report, err := seeds.LoadScenarioReport(ctx, r, q.Of, seeds.ScenarioOptions{SpecVersion: q.Spec, Limit: q.Limit})
			if err != nil {
				return c, err
			}
			return Composed{
				Document: reports.Scenario(report.Report), Looks: report.Looks,
				Preview: func() document.Document { return reports.ScenarioPreview(report.Report) },
			}, nil
		},
	}
}

// ParamsReport asks for the report on the parameters of a scenario.
func ParamsReport() Report[answer.ParamsReportQuestion] {
	return Report[answer.ParamsReportQuestion]{
		Name: "report params", Help: "report on the effects of parameters after a grid or design",
		About: `Ranks the configurations, shows the effect of each parameter with a picture and intervals, and a heat map of the two with the largest
effects. What was not compared is named. The same database gives the same bytes.`,
		Params: (*answer.ParamsReportQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.ParamsReportQuestion) (Composed, error) {
			report, err := seeds.LoadParamsReport(ctx, r, q.ParamsQuestion)
			if err != nil {
				return Composed{}, err
			}
			return Composed{Document: reports.Params(report)}, nil
		},
	}
}

// LineageReport asks for the report of a lineage.
func LineageReport() Report[answer.LineageReportQuestion] {
	return Report[answer.LineageReportQuestion]{
		Name: "report lineage", Help: "report on a lineage: its active version, every decision, and alerts",
		About: `Shows the active version with its score, n and interval, its gain over the root, the path to it, and the result of the replay. Shows the scores
of all candidates, the decisions with their draws, operators, the change of each step, rollbacks, noise and cost. Ends with the commands
that reproduce it. The same database gives the same bytes.`,
		Params: (*answer.LineageReportQuestion).Params, Compose: composeLineage,
	}
}

func composeLineage(ctx context.Context, r *store.Reader, q answer.LineageReportQuestion) (c Composed, err error) {
	name, err := lineages.Resolve(ctx, r, q.Lineage)
	if err != nil {
		return c, err
	}
	data, _, err := lineages.LoadReport(ctx, r, name)
	if err != nil {
		return c, err
	}
	c.Document, err = reports.Lineage(data)
	return c, err
}

// IndexReport asks for the index of all reports, without the reports themselves.
func IndexReport() Report[answer.IndexQuestion] {
	return Report[answer.IndexQuestion]{
		Name: "report index", Help: "list everything in the database in a report", Judges: true,
		About: `Lists each scenario with its configurations and its baseline, each lineage with its active version and alerts, and the agents that
do not evolve.`,
		Params: (*answer.IndexQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.IndexQuestion) (Composed, error) {
			b := reports.IndexBuilder{IndexData: reports.IndexData{Limit: q.Limit, Schema: store.SchemaVersion}}
			looks, err := tracker.VisitReports(ctx, r, tracker.VisitReportsOptions{Limit: q.Limit}, &b)
			return Composed{Document: reports.Index(b.IndexData), Looks: looks, Preview: func() document.Document { return reports.IndexPreview(b.IndexData) }}, err
		},
	}
}
