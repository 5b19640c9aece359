package tracker

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// ReportVisitor takes the reports of everything in a database, one by one, so that no two need to be in memory.
type ReportVisitor interface {
	Scenario(answer.ScenarioReport) error
	Configuration(answer.StabilityReport) error // of the scenario before it
	Lineage(answer.LineageReport) error
	Agent(answer.AgentReport) error

	// These say why there is no report: something is not recorded, or cannot be judged.
	ScenarioProblem(name string, cause error)
	// AmbiguousScenario has no report, since nothing says which configuration is meant; those of its history may have.
	AmbiguousScenario(h answer.History, cause error)
	ConfigurationProblem(c answer.Side, cause error)
	LineageProblem(name string, cause error)
}

// VisitReportsOptions narrow the reports that are visited.
type VisitReportsOptions struct {
	Limit          int  // the newest so many configurations of each scenario
	Configurations bool // visit the report of each of them too
}

// VisitReports visits the reports of everything in a database, by name, and returns the interim analyses that they are.
func VisitReports(ctx context.Context, r *store.Reader, options VisitReportsOptions, visitor ReportVisitor) (looks []store.Look, err error) {
	v := reportVisit{r, options, visitor, nil}
	scenarios, err := r.Scenarios(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range scenarios {
		if err := v.scenario(ctx, name); err != nil {
			return nil, err
		}
	}
	return v.looks, v.lineages(ctx)
}

type reportVisit struct {
	*store.Reader
	options VisitReportsOptions
	visitor ReportVisitor
	looks   []store.Look
}

// hasNoReport reports whether there is no report because of what is recorded.
func hasNoReport(err error) bool {
	return errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) || errors.Is(err, track.ErrAmbiguous)
}

func (v *reportVisit) scenario(ctx context.Context, name string) error {
	report, err := seeds.LoadScenarioReport(ctx, v.Reader, answer.Selector{Scenario: name}, seeds.ScenarioOptions{Limit: v.options.Limit})
	switch {
	case errors.Is(err, track.ErrAmbiguous):
		return v.ambiguous(ctx, name, err)
	case hasNoReport(err):
		v.visitor.ScenarioProblem(name, err)
		return nil
	case err != nil:
		return err
	}
	v.looks = append(v.looks, report.Looks...)
	if err := v.visitor.Scenario(report.Report); err != nil {
		return err
	}
	return v.configurations(ctx, report.Report.History, &report.Stability.Report)
}

// ambiguous visits a scenario of which no configuration is meant, with those of its history.
func (v *reportVisit) ambiguous(ctx context.Context, name string, cause error) error {
	history, err := seeds.ShowHistory(ctx, v.Reader, answer.HistoryQuestion{Scenario: name, Limit: v.options.Limit})
	switch {
	case hasNoReport(err):
		v.visitor.ScenarioProblem(name, cause)
		return nil
	case err != nil:
		return err
	}
	v.visitor.AmbiguousScenario(history, cause)
	return v.configurations(ctx, history, nil)
}

// configurations visits the configurations of a history, the newest first. made is the report of one of them that is
// there already; nil if there is none.
func (v *reportVisit) configurations(ctx context.Context, history answer.History, made *answer.StabilityReport) (err error) {
	if !v.options.Configurations {
		return nil
	}
	for _, e := range slices.Backward(history.Entries) {
		if made != nil && e.Configuration.Hash == made.Configuration.Hash {
			err = v.visitor.Configuration(*made)
		} else {
			err = v.configuration(ctx, answer.Side{Scenario: history.Scenario, Configuration: e.Configuration})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *reportVisit) configuration(ctx context.Context, c answer.Side) error {
	report, err := seeds.LoadStabilityReport(ctx, v.Reader, answer.Selector{Scenario: c.Scenario, Configuration: c.Configuration.Hash}, seeds.StabilityOptions{})
	switch {
	case hasNoReport(err):
		v.visitor.ConfigurationProblem(c, err)
		return nil
	case err != nil:
		return err
	}
	v.looks = append(v.looks, report.Looks...)
	return v.visitor.Configuration(report.Report)
}

func (v *reportVisit) lineages(ctx context.Context) error {
	names, err := v.Lineages(ctx)
	if err != nil {
		return err
	}
	evolving, err := v.EvolvingNames(ctx)
	if err != nil {
		return err
	}
	hasLedger := map[string]bool{}
	for _, name := range evolving {
		hasLedger[name] = true
	}
	for _, name := range names {
		visit := v.agent
		if hasLedger[name] {
			visit = v.lineage
		}
		if err := visit(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (v *reportVisit) lineage(ctx context.Context, name string) error {
	report, _, err := lineages.LoadReport(ctx, v.Reader, name)
	switch {
	case hasNoReport(err):
		v.visitor.LineageProblem(name, err)
		return nil
	case err != nil:
		return err
	}
	return v.visitor.Lineage(report)
}

func (v *reportVisit) agent(ctx context.Context, name string) error {
	report, err := loadAgentReport(ctx, v.Reader, name)
	if err != nil {
		return err
	}
	return v.visitor.Agent(report)
}
