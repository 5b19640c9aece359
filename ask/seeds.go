package ask

import (
	"track/access"
	"track/answer"
	"track/reports"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

func Seeds() Def[answer.SeedsQuestion, answer.Seeds] {
	return Def[answer.SeedsQuestion, answer.Seeds]{
		Name: "seeds", Scope: access.Read, Help: "list recorded seeds, the newest first",
		About:  "Status and score are those under the newest version of the spec that the seed was assessed under.",
		Params: (*answer.SeedsQuestion).Params, Read: seeds.ListSeeds,
	}
}

func Seed() Def[answer.SeedQuestion, answer.Seed] {
	return Def[answer.SeedQuestion, answer.Seed]{
		Name: "show seed", Scope: access.Read, Help: "show a seed with every metric, its target, value, status and score",
		About:  "If several configurations have the seed, the most recent record is shown and the others are named.",
		Params: (*answer.SeedQuestion).Params, Read: seeds.ShowSeed,
	}
}

func AddSpec() Def[answer.AddSpecQuestion, answer.SpecAdded] {
	return Def[answer.AddSpecQuestion, answer.SpecAdded]{
		Name: "spec add", Scope: access.Spec, Help: "add a spec; a changed one becomes the next version",
		About: `A version never changes and is identified by its content. Adding the same spec again does nothing. Seeds that were recorded before their
scenario had a spec are scored now.`,
		Params: (*answer.AddSpecQuestion).Params, Write: seeds.AddSpecDocument,
		Creates: func(answer.AddSpecQuestion) bool { return true },
	}
}

func Rescore() Def[answer.RescoreQuestion, answer.Rescored] {
	return Def[answer.RescoreQuestion, answer.Rescored]{
		Name: "rescore", Scope: access.Spec, Help: "score the stored values of a scenario under another version of its spec",
		About: "Earlier results are kept. The answer lists every status that differs from the one under the version that the seed was last " +
			"scored under.",
		Params: (*answer.RescoreQuestion).Params, Write: seeds.Rescore, Trial: func(q answer.RescoreQuestion) bool { return q.DryRun },
	}
}

func SeriesList() Def[answer.SeriesListQuestion, answer.SeriesList] {
	return Def[answer.SeriesListQuestion, answer.SeriesList]{
		Name: "series list", Scope: access.Read, Help: "list the series of a seed",
		Params: (*answer.SeriesListQuestion).Params, Read: seeds.ListSeries,
	}
}

func Artifacts() Def[answer.ArtifactsQuestion, answer.Artifacts] {
	return Def[answer.ArtifactsQuestion, answer.Artifacts]{
		Name: "artifact list", Scope: access.Read, Help: "list the files that were kept of the seeds of a configuration",
		Params: (*answer.ArtifactsQuestion).Params, Read: seeds.ListArtifacts,
	}
}

func SeriesShow() Def[answer.SeriesQuestion, answer.SeriesSummaries] {
	return Def[answer.SeriesQuestion, answer.SeriesSummaries]{
		Name: "series show", Scope: access.Read, Help: "show the series of a seed at a glance, or draw them",
		Params: (*answer.SeriesQuestion).Params, Read: seeds.SummarizeSeries, Draw: drawn(seeds.LoadSeriesValues, reports.SeriesChart),
	}
}

func Scenarios() Def[answer.ScenariosQuestion, answer.Scenarios] {
	return Def[answer.ScenariosQuestion, answer.Scenarios]{
		Name: "scenario list", Scope: access.Read, Help: "list the scenarios with how they stand",
		About: `Judges the newest configuration of each scenario under the newest version of its spec, as stability does. The means are those of the
newest configurations, the oldest first.`,
		Params: (*answer.ScenariosQuestion).Params, Read: seeds.ListScenarios,
	}
}

func Matrix() Def[answer.MatrixQuestion, answer.Matrix] {
	return Def[answer.MatrixQuestion, answer.Matrix]{
		Name: "matrix", Scope: access.Read, Help: "show the status of many seeds at a glance, a character each",
		About: `Rows are the metrics of a configuration, the configurations of a scenario, or the scenarios that have a label. Columns are seeds.
No verdict follows, so it is not an interim analysis.`,
		Params: (*answer.MatrixQuestion).Params, Read: seeds.ShowMatrix, Draw: drawn(seeds.ShowMatrix, reports.MatrixChart),
	}
}

func SeriesBands() Def[answer.SeriesBandsQuestion, answer.SeriesBands] {
	return Def[answer.SeriesBandsQuestion, answer.SeriesBands]{
		Name: "series bands", Scope: access.Read, Help: "show a series over all seeds of a configuration: median, quartiles, range",
		About:  "The values are those at some points of the series, evenly spaced. Nothing is averaged between them.",
		Params: (*answer.SeriesBandsQuestion).Params, Read: seeds.ShowSeriesBands, Draw: drawn(seeds.ShowSeriesBands, reports.BandChart),
	}
}

func SetBaseline() Def[answer.SetBaselineQuestion, answer.BaselineChange] {
	return Def[answer.SetBaselineQuestion, answer.BaselineChange]{
		Name: "baseline set", Scope: access.Decide, Help: "pin a configuration of a scenario",
		About:  "Without a configuration, pins the most recent one. The pin is recorded with who, when, why, and what it replaced.",
		Params: (*answer.SetBaselineQuestion).Params, Write: seeds.SetBaseline,
	}
}

func UnsetBaseline() Def[answer.UnsetBaselineQuestion, answer.BaselineChange] {
	return Def[answer.UnsetBaselineQuestion, answer.BaselineChange]{
		Name: "baseline unset", Scope: access.Decide, Help: "remove the pin of a scenario",
		About:  "Earlier pins stay recorded.",
		Params: (*answer.UnsetBaselineQuestion).Params, Write: seeds.UnsetBaseline,
	}
}

func Baseline() Def[answer.BaselineQuestion, answer.Baselines] {
	return Def[answer.BaselineQuestion, answer.Baselines]{
		Name: "baseline show", Scope: access.Read, Help: "show the baseline of a scenario, and earlier ones",
		About:  "The newest comes first: it is the active one.",
		Params: (*answer.BaselineQuestion).Params, Read: seeds.ShowBaseline,
	}
}

func Baselines() Def[answer.BaselinesQuestion, answer.Baselines] {
	return Def[answer.BaselinesQuestion, answer.Baselines]{
		Name: "baseline list", Scope: access.Read, Help: "list the active baselines of all scenarios",
		Params: (*answer.BaselinesQuestion).Params, Read: seeds.ListBaselines,
	}
}

func Specs() Def[answer.SpecsQuestion, answer.Specs] {
	return Def[answer.SpecsQuestion, answer.Specs]{
		Name: "spec list", Scope: access.Read, Help: "list the specs and their versions",
		Params: (*answer.SpecsQuestion).Params, Read: seeds.ListSpecs,
	}
}

func LintSpec() Def[answer.LintSpecQuestion, answer.SpecLint] {
	return Def[answer.LintSpecQuestion, answer.SpecLint]{
		Name: "spec lint", Scope: access.Read, Help: "check a spec without adding it", Posted: true,
		About: `Names what makes the document unusable, and warns about what is unusual. If the database has seeds of the scenario, it also tests
whether the skip of each mean over a series is long enough, and warns of values in percent.`,
		Params: (*answer.LintSpecQuestion).Params, Read: seeds.LintSpec,
	}
}

func Spec() Def[answer.SpecQuestion, answer.Spec] {
	return Def[answer.SpecQuestion, answer.Spec]{
		Name: "spec show", Scope: access.Read, Help: "show the metrics and targets of a spec",
		About:  "The canonical document is part of the answer in JSON; its SHA-256 is the hash of the version.",
		Params: (*answer.SpecQuestion).Params, Read: seeds.ShowSpec,
	}
}

func Sweeps() Def[answer.SweepsQuestion, answer.Sweeps] {
	return Def[answer.SweepsQuestion, answer.Sweeps]{
		Name: "sweep list", Scope: access.Read, Help: "list sweeps, the newest first",
		About:  "Shows for each sweep what was planned, what ran, and how it ended.",
		Params: (*answer.SweepsQuestion).Params, Read: sweeps.List, Live: true,
	}
}

func Sweep() Def[answer.SweepQuestion, answer.Sweep] {
	return Def[answer.SweepQuestion, answer.Sweep]{
		Name: "sweep show", Scope: access.Read, Help: "show a sweep with its provenance: command, environment, changes of the code, libraries",
		About:  "SWEEP is its id, or the end of its id. Recognized secrets in the command, the changes and the libraries are masked.",
		Params: (*answer.SweepQuestion).Params, Read: sweeps.Show, Live: true,
	}
}

func PlanSweep() Def[answer.SweepPlanQuestion, answer.SweepPlan] {
	return Def[answer.SweepPlanQuestion, answer.SweepPlan]{
		Name: "sweep plan", Scope: access.Read, Help: "write a sweep as a plan, in shards that other machines can run",
		About: `The plan holds the command, the configurations, the seeds, the revision of the code and the newest spec of the scenario, as JSON. Each
shard is a range of seeds of all configurations. Nothing is recorded.`,
		Params: (*answer.SweepPlanQuestion).Params, Read: sweeps.PlanFor,
	}
}
