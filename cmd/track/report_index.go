package main

import (
	"context"

	"track"
	"track/answer"
	"track/reports"
	"track/store"
	"track/tracker"
	"track/tracker/seeds"
)

// indexer goes through a database and makes a page of everything that there is a report of.
type indexer struct {
	pages *indexPages // nil where none are written
	data  reports.IndexData
	looks []store.Look
}

func (x *indexer) all(ctx context.Context, st *store.Reader) error {
	scenarios, err := st.Scenarios(ctx)
	if err != nil {
		return err
	}
	for _, name := range scenarios {
		if err := x.scenario(ctx, st, name); err != nil {
			return err
		}
	}
	lineages, err := st.Lineages(ctx)
	if err != nil {
		return err
	}
	evolving, err := st.EvolvingNames(ctx)
	if err != nil {
		return err
	}
	ledgers := map[string]bool{}
	for _, name := range evolving {
		ledgers[name] = true
	}
	for _, name := range lineages {
		add := x.agent
		if ledgers[name] {
			add = x.lineage
		}
		if err := add(ctx, st, name); err != nil {
			return err
		}
	}
	return nil
}

// scenario adds a scenario with its configurations and its baseline.
func (x *indexer) scenario(ctx context.Context, st *store.Reader, name string) error {
	report, err := seeds.LoadScenarioReport(ctx, st, name, seeds.ScenarioOptions{Limit: x.data.Limit})
	if err != nil {
		reason, err := unreportable(err)
		x.data.Scenarios = append(x.data.Scenarios, reports.IndexedScenario{Name: name, Problem: reason})
		return err
	}
	x.looks = append(x.looks, report.Looks...)
	data := report.Report
	s := reports.IndexScenario(data)
	if s.Page, err = x.pages.add("scenario", name, "", reports.Scenario(data)); err != nil {
		return err
	}
	if data.Improvement != nil {
		if s.Against.Page, err = x.pages.add("improvement", name, "", reports.Improvement(*data.Improvement)); err != nil {
			return err
		}
	}
	if x.pages != nil { // else nobody sees what they say
		for i := range s.Configurations {
			if err := x.configuration(ctx, st, &s.Configurations[i]); err != nil {
				return err
			}
		}
	}
	x.data.Scenarios = append(x.data.Scenarios, s)
	return nil
}

func (x *indexer) configuration(ctx context.Context, st *store.Reader, c *reports.IndexedConfiguration) error {
	report, err := seeds.LoadStabilityReport(ctx, st, answer.Selector{Scenario: c.Scenario, Configuration: c.Hash}, seeds.StabilityOptions{})
	if err != nil {
		c.Problem, err = unreportable(err)
		return err
	}
	x.looks = append(x.looks, report.Looks...)
	c.Page, err = x.pages.add("stability", c.Scenario, "-"+track.ShortHash(c.Hash), reports.Stability(report.Report))
	return err
}

func (x *indexer) lineage(ctx context.Context, st *store.Reader, name string) error {
	data, _, err := loadLineageData(ctx, st, name)
	if err != nil {
		reason, err := unreportable(err)
		x.data.Lineages = append(x.data.Lineages, reports.IndexedLineage{Name: name, Problem: reason})
		return err
	}
	d, l, err := reports.IndexedLineageReport(data)
	if err != nil {
		return err
	}
	if l.Page, err = x.pages.add("lineage", name, "", d); err == nil {
		x.data.Lineages = append(x.data.Lineages, l)
	}
	return err
}

func (x *indexer) agent(ctx context.Context, st *store.Reader, name string) error {
	report, err := tracker.LoadAgentReport(ctx, st, name)
	if err != nil {
		return err
	}
	x.data.Agents = append(x.data.Agents, report)
	return nil
}
