package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/seeds"
)

// Params asks what the parameters of configurations do.
func Params() Def[answer.ParamsQuestion, answer.ParamsAnalysis] {
	return Def[answer.ParamsQuestion, answer.ParamsAnalysis]{
		Name: "params", Scope: access.Read, Help: "rank the configurations of a grid or design, and show the effect of each parameter",
		About: `Ranks configurations by their score, or by a metric, with intervals. For each parameter it shows the mean of each level (or of ranges of
numbers), how it differs from the mean of all, and the rank correlation. If all configurations ran the same seeds, differences are taken
seed by seed. What was not compared is named.`,
		Params: (*answer.ParamsQuestion).Params, Read: seeds.AnalyseParams, Draw: drawParams,
	}
}
