package reports

import (
	"strings"

	"track"
	"track/answer"
	"track/reports/document"
)

// IndexBuilder collects the content of an index, one report after the other.
type IndexBuilder struct {
	IndexData
	// AddPage makes a page of a report and returns its name; nil if there are no pages.
	AddPage func(kind, name, rest string, d document.Document) (page string, err error)
}

func (b *IndexBuilder) addPage(kind, name, rest string, d document.Document) (page string, err error) {
	if b.AddPage == nil {
		return "", nil
	}
	return b.AddPage(kind, name, rest, d)
}

// Scenario adds a scenario, with its baseline.
func (b *IndexBuilder) Scenario(r answer.ScenarioReport) (err error) {
	s := indexScenario(r)
	if s.Page, err = b.addPage("scenario", s.Name, "", Scenario(r)); err != nil {
		return err
	}
	if r.Improvement != nil {
		if s.Against.Page, err = b.addPage("improvement", s.Name, "", Improvement(*r.Improvement)); err != nil {
			return err
		}
	}
	b.Scenarios = append(b.Scenarios, s)
	return nil
}

// Configuration adds the report of a configuration of the scenario that was added before.
func (b *IndexBuilder) Configuration(r answer.StabilityReport) (err error) {
	c := b.configuration(r.Side)
	c.Page, err = b.addPage("stability", r.Scenario, "-"+track.ShortHash(r.Configuration.Hash), Stability(r))
	return err
}

// configuration returns the configuration of the scenario that was added before.
func (b *IndexBuilder) configuration(of answer.Side) *IndexedConfiguration {
	list := b.Scenarios[len(b.Scenarios)-1].Configurations
	for i := range list {
		if list[i].Configuration.Hash == of.Configuration.Hash {
			return &list[i]
		}
	}
	return new(IndexedConfiguration)
}

// Lineage adds a lineage with a ledger.
func (b *IndexBuilder) Lineage(r answer.LineageReport) error {
	d, l, err := indexedLineageReport(r)
	if err != nil {
		return err
	}
	l.Page, err = b.addPage("lineage", l.Name, "", d)
	b.Lineages = append(b.Lineages, l)
	return err
}

// Agent adds a lineage without a ledger.
func (b *IndexBuilder) Agent(r answer.AgentReport) error {
	b.Agents = append(b.Agents, r)
	return nil
}

// ScenarioProblem adds a scenario that has no report.
func (b *IndexBuilder) ScenarioProblem(name string, cause error) {
	b.Scenarios = append(b.Scenarios, IndexedScenario{Name: name, Problem: b.reason(cause)})
}

// AmbiguousScenario adds a scenario of which no configuration is meant, with those of its history.
func (b *IndexBuilder) AmbiguousScenario(h answer.History, cause error) {
	problem, _, _ := strings.Cut(cause.Error(), "\n") // the lines after it list the configurations
	x := IndexedScenario{Name: h.Scenario, Problem: b.withHints(problem+" (listed below)", cause), NOlder: h.NOlder}
	x.addHistory(h)
	b.Scenarios = append(b.Scenarios, x)
}

// ConfigurationProblem notes why a configuration of the scenario that was added before has no report.
func (b *IndexBuilder) ConfigurationProblem(c answer.Side, cause error) {
	b.configuration(c).Problem = b.reason(cause)
}

// LineageProblem adds a lineage that has no report.
func (b *IndexBuilder) LineageProblem(name string, cause error) {
	b.Lineages = append(b.Lineages, IndexedLineage{Name: name, Problem: b.reason(cause)})
}

func (b *IndexBuilder) reason(cause error) string { return b.withHints(cause.Error(), cause) }

func (b *IndexBuilder) withHints(reason string, cause error) string {
	for _, hint := range track.Hints(cause) {
		reason += "; " + ShellHint(hint)
	}
	return reason
}
