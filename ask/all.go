package ask

// All returns every question.
func All() []Question {
	return []Question{
		Stability().Question(), History().Question(), Compare().Question(), CompareVersions().Question(), CompareExecutions().Question(), Improvement().Question(), Gate().Question(), GatePreview().Question(),
		SetBaseline().Question(), UnsetBaseline().Question(), Baseline().Question(), Baselines().Question(),
		AddNote().Question(), RemoveNote().Question(), Notes().Question(), AddTags().Question(), RemoveTags().Question(), Tags().Question(),
		Matrix().Question(), Params().Question(), Noise().Question(), SeedsNeeded().Question(),
		Scenarios().Question(), Seeds().Question(), Seed().Question(), Rescore().Question(), SeriesList().Question(), SeriesShow().Question(), SeriesBands().Question(), Artifacts().Question(),
		Specs().Question(), Spec().Question(), LintSpec().Question(), AddSpec().Question(),
		Lineages().Question(), Lineage().Question(), LineageTree().Question(), LineageFront().Question(), LineageHistory().Question(), LineageHead().Question(), NewLineage().Question(), SetLineage().Question(),
		FreezeLineage().Question(), UnfreezeLineage().Question(), Rollback().Question(), Replay().Question(), Draws().Question(), Operators().Question(),
		Versions().Question(), Version().Question(), VersionDiff().Question(), VersionContent().Question(),
		Propose().Question(), Next().Question(), Plan().Question(), Decide().Question(), Mutations().Question(), Mutation().Question(),
		MutationDiff().Question(), Withdraw().Question(),
		Query().Question(), Check().Question(), Prune().Question(), PruneSeries().Question(), PruneArtifacts().Question(),
		Sweeps().Question(), Sweep().Question(), PlanSweep().Question(),
		WithdrawSeed().Question(), WithdrawConfiguration().Question(), WithdrawSweep().Question(),
		RestoreSeed().Question(), RestoreConfiguration().Question(), RestoreSweep().Question(),
		Executions().Question(), ShowExecution().Question(), Search().Question(), ForgetExecution().Question(),
		Fitness().Question(), Rubrics().Question(), CheckRubric().Question(), CompareRubrics().Question(),
		AddToken().Question(), SetToken().Question(), Tokens().Question(), RevokeToken().Question(),
	}
}
