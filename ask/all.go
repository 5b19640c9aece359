package ask

// All returns every question.
func All() []Question {
	return []Question{
		Stability().Question(), History().Question(), Compare().Question(),
		Seeds().Question(), Seed().Question(), Rescore().Question(), SeriesList().Question(), SeriesShow().Question(),
		Specs().Question(), Spec().Question(),
		Query().Question(), PruneSeries().Question(),
		Executions().Question(), ShowExecution().Question(), ForgetExecution().Question(),
		Fitness().Question(), Rubrics().Question(), CheckRubric().Question(),
	}
}
