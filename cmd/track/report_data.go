package main

import (
	"maps"
	"slices"

	"track"
	"track/reports"
	"track/scoring"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
)

// Reports know neither the store nor the tracker: here is what these found, as reports take it.

func reportedConfiguration(scenario string, c store.Configuration) reports.Configured {
	return reports.Configured{Scenario: scenario, Hash: c.Hash, Configuration: c.Configuration}
}

func reportedSpec(stored store.Spec, spec scoring.Spec) reports.SpecVersion {
	return reports.SpecVersion{Scenario: stored.Scenario, Version: stored.Version, Hash: stored.Hash, Declared: spec}
}

func reportedRuns(r store.Runs) (reports.Runs, error) {
	runs := reports.Runs{First: r.First, Last: r.Last, NStarted: r.NStarted, Duration: r.Duration, NTimed: r.NTimed}
	for _, use := range r.Environments {
		runs.Environments = append(runs.Environments, reports.EnvironmentUse(use))
	}
	for _, use := range r.Sweeps {
		plan, err := sweep.ReadPlan("plan of sweep "+use.ID, []byte(use.Plan))
		if err != nil {
			return runs, err
		}
		runs.Sweeps = append(runs.Sweeps, reports.SweepUse{ID: shortID(use.ID), Command: commandText(plan.Command), NSeeds: use.NSeeds})
	}
	return runs, nil
}

func reportedFailing(f store.FailingSeed) reports.FailingSeed {
	seed := reports.FailingSeed{Number: f.Number, Outcome: f.Outcome, Message: f.Message}
	for _, m := range f.Metrics {
		seed.Metrics = append(seed.Metrics, reports.FailingMetric(m))
	}
	return seed
}

// stabilityData is what the report of a configuration tells; ranges are the seeds that were asked for.
func stabilityData(r seeds.ReportedStability, ranges string) (d reports.StabilityData, err error) {
	d = reports.StabilityData{
		Configuration: reportedConfiguration(r.Scenario, r.Configurations[0]), Spec: reportedSpec(r.Stored, r.Spec), Ranges: ranges,
		Stability: r.Stability, Judgement: r.Judgement, Gate: r.Gate, SHA256: r.SHA256,
	}
	if d.Runs, err = reportedRuns(r.Runs); err != nil {
		return d, err
	}
	for _, s := range r.Seeds {
		d.Seeds = append(d.Seeds, reports.Seed(s))
	}
	for _, f := range r.Failing {
		d.Failing = append(d.Failing, reportedFailing(f))
	}
	if r.Previous != nil {
		previous, err := improvementData(seeds.ReportedImprovement{ImprovementReport: *r.Previous}, ranges)
		if err != nil {
			return d, err
		}
		d.Previous = &previous
	}
	return d, nil
}

// improvementData is what the report of a comparison tells.
func improvementData(r seeds.ReportedImprovement, ranges string) (d reports.ImprovementData, err error) {
	candidate, baseline := r.Candidate.Configurations[0], r.Baseline.Configurations[0]
	d = reports.ImprovementData{
		Candidate: reportedConfiguration(r.Candidate.Scenario, candidate), Baseline: reportedConfiguration(r.Baseline.Scenario, baseline),
		Spec: reportedSpec(r.Stored, r.Spec), Ranges: ranges, Improvement: r.Improvement, CandidateSeeds: r.CandidateSeeds, BaselineSeeds: r.BaselineSeeds,
		CandidateSHA256: r.CandidateSHA256, BaselineSHA256: r.BaselineSHA256,
	}
	if d.CandidateRuns, err = reportedRuns(r.CandidateRuns); err != nil {
		return d, err
	}
	if d.BaselineRuns, err = reportedRuns(r.BaselineRuns); err != nil {
		return d, err
	}
	d.Parameters, err = parameterChanges(baseline.Params, candidate.Params)
	return d, err
}

func parameterChanges(before, after track.Params) (list []reports.ParameterChange, err error) {
	differing, err := differingParameters([]track.Params{before, after})
	for _, name := range slices.Sorted(maps.Keys(differing)) {
		values := differing[name]
		list = append(list, reports.ParameterChange{Name: name, Before: parameterText(values[0]), After: parameterText(values[1])})
	}
	return list, err
}

// scenarioData is what the report of a scenario tells.
func scenarioData(r seeds.ReportedScenario, limit int) (d reports.ScenarioData, err error) {
	d = reports.ScenarioData{
		Limit: limit,
		Spec:  reportedSpec(r.Stored, r.Spec), NSpecs: r.NSpecs, NoBaseline: r.NoBaseline, NPinsBefore: r.NPinsBefore, SchemaVersion: store.SchemaVersion,
	}
	if d.History, err = historyData(r.History); err != nil {
		return d, err
	}
	for i, step := range r.Steps {
		if step.NPairs > 0 {
			d.History.Entries[i].Step = &reports.Step{NPairs: step.NPairs, Mean: step.Mean, Interval: step.Interval}
		}
	}
	if d.Stability, err = stabilityData(r.Stability, ""); err != nil {
		return d, err
	}
	if b := r.Baseline; b != nil {
		d.Pinned = &reports.Pin{Configured: reportedConfiguration(b.Scenario, *b.Configuration), Reason: b.Reason, Actor: b.Actor}
	}
	if r.Improvement != nil {
		improvement, err := improvementData(*r.Improvement, "")
		if err != nil {
			return d, err
		}
		d.Improvement = &improvement
	}
	return d, nil
}

func historyData(h seeds.History) (d reports.HistoryData, err error) {
	lines := historyLines(h)
	d = reports.HistoryData{NOlder: h.NOlder, Analysis: analyse(lines), Chart: historyChart(h)}
	var all []track.Params
	for _, e := range h.Entries {
		all = append(all, e.Params)
	}
	params, err := parameterLines(all)
	if err != nil {
		return d, err
	}
	for i, l := range lines {
		e := h.Entries[i]
		d.Entries = append(d.Entries, reports.HistoryEntry{
			Configured: reportedConfiguration(h.Scenario, e.Configuration), Params: params[i], NUnassessed: e.NUnassessed,
			Estimates: l.estimates, Verdict: l.entry.Verdict,
		})
	}
	return d, nil
}
