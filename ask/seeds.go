package ask

import (
	"track/access"
	"track/answer"
	"track/reports"
	"track/tracker/seeds"
)

// Seeds asks which seeds are recorded.
func Seeds() Def[answer.SeedsQuestion, answer.Seeds] {
	return Def[answer.SeedsQuestion, answer.Seeds]{
		Name: "seeds", Scope: access.Read, Help: "list recorded seeds, the newest first",
		About:  "Status and score are those under the newest version of the spec that the seed was assessed under.",
		Params: (*answer.SeedsQuestion).Params, Read: seeds.ListSeeds,
	}
}

// Seed asks for everything that is known of a seed.
func Seed() Def[answer.SeedQuestion, answer.Seed] {
	return Def[answer.SeedQuestion, answer.Seed]{
		Name: "show seed", Scope: access.Read, Help: "show a seed with every metric, its target, value, status and score",
		About:  "If several configurations have the seed, the most recent record is shown and the others are named.",
		Params: (*answer.SeedQuestion).Params, Read: seeds.ShowSeed,
	}
}

// AddSpec asks to add a spec.
func AddSpec() Def[answer.AddSpecQuestion, answer.SpecAdded] {
	return Def[answer.AddSpecQuestion, answer.SpecAdded]{
		Name: "spec add", Scope: access.Spec, Help: "add a spec; a changed one becomes the next version",
		About: `A version never changes and is identified by its content. Adding the same spec again does nothing. Seeds that were recorded before their
scenario had a spec are scored now.`,
		Params: (*answer.AddSpecQuestion).Params, Write: seeds.AddSpecDocument,
		Creates: func(answer.AddSpecQuestion) bool { return true },
	}
}

// Rescore asks to score stored values under another version of a spec.
func Rescore() Def[answer.RescoreQuestion, answer.Rescored] {
	return Def[answer.RescoreQuestion, answer.Rescored]{
		Name: "rescore", Scope: access.Spec, Help: "score the stored values of a scenario under another version of its spec",
		About: "Earlier results are kept. The answer lists every status that differs from the one under the version that the seed was last " +
			"scored under.",
		Params: (*answer.RescoreQuestion).Params, Write: seeds.Rescore, Trial: func(q answer.RescoreQuestion) bool { return q.DryRun },
	}
}

// SeriesList asks which series a seed has.
func SeriesList() Def[answer.SeriesListQuestion, answer.SeriesList] {
	return Def[answer.SeriesListQuestion, answer.SeriesList]{
		Name: "series list", Scope: access.Read, Help: "list the series of a seed",
		Params: (*answer.SeriesListQuestion).Params, Read: seeds.ListSeries,
	}
}

// Artifacts asks which files were kept of seeds.
func Artifacts() Def[answer.ArtifactsQuestion, answer.Artifacts] {
	return Def[answer.ArtifactsQuestion, answer.Artifacts]{
		Name: "artifact list", Scope: access.Read, Help: "list the files that were kept of the seeds of a configuration",
		Params: (*answer.ArtifactsQuestion).Params, Read: seeds.ListArtifacts,
	}
}

// SeriesShow asks for series of a seed at a glance.
func SeriesShow() Def[answer.SeriesQuestion, answer.SeriesSummaries] {
	return Def[answer.SeriesQuestion, answer.SeriesSummaries]{
		Name: "series show", Scope: access.Read, Help: "show the series of a seed at a glance, or draw them",
		Params: (*answer.SeriesQuestion).Params, Read: seeds.SummarizeSeries, Draw: drawn(seeds.LoadSeriesValues, reports.SeriesChart),
	}
}

// Scenarios asks which scenarios there are.
func Scenarios() Def[answer.ScenariosQuestion, answer.Scenarios] {
	return Def[answer.ScenariosQuestion, answer.Scenarios]{
		Name: "scenario list", Scope: access.Read, Help: "list the scenarios with how they stand",
		About: `Judges the newest configuration of each scenario under the newest version of its spec, as stability does. The means are those of the
newest configurations, the oldest first.`,
		Params: (*answer.ScenariosQuestion).Params, Read: seeds.ListScenarios,
	}
}

// Matrix asks for the status of many seeds at a glance.
func Matrix() Def[answer.MatrixQuestion, answer.Matrix] {
	return Def[answer.MatrixQuestion, answer.Matrix]{
		Name: "matrix", Scope: access.Read, Help: "show the status of many seeds at a glance, a character each",
		About: `Rows are the metrics of a configuration, the configurations of a scenario, or the scenarios that have a label. Columns are seeds.
No verdict follows, so it is not an interim analysis.`,
		Params: (*answer.MatrixQuestion).Params, Read: seeds.ShowMatrix, Draw: drawn(seeds.ShowMatrix, reports.MatrixChart),
	}
}

// SeriesBands asks how a series runs over the seeds of a configuration.
func SeriesBands() Def[answer.SeriesBandsQuestion, answer.SeriesBands] {
	return Def[answer.SeriesBandsQuestion, answer.SeriesBands]{
		Name: "series bands", Scope: access.Read, Help: "show a series over all seeds of a configuration: median, quartiles, range",
		About:  "The values are those at some points of the series, evenly spaced. Nothing is averaged between them.",
		Params: (*answer.SeriesBandsQuestion).Params, Read: seeds.ShowSeriesBands,
	}
}
