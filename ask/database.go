package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/seeds"
)

// Query asks for the rows of a reading SQL statement.
func Query() Def[answer.QueryQuestion, answer.Query] {
	return Def[answer.QueryQuestion, answer.Query]{
		Name: "query", Scope: access.Read, Help: "run SQL that reads",
		About: `The documentation describes the views, such as v_seed, v_result and v_stability. They are stable across versions. A BLOB is printed in
hexadecimal.`,
		Params: (*answer.QueryQuestion).Params, Read: seeds.Query, Stream: seeds.QueryPages,
	}
}

// PruneArtifacts asks to delete the contents of the files of old seeds.
func PruneArtifacts() Def[answer.PruneArtifactsQuestion, answer.PrunedArtifacts] {
	return Def[answer.PruneArtifactsQuestion, answer.PrunedArtifacts]{
		Name: "prune artifacts", Scope: access.Admin, Help: "delete the contents of files of old seeds; values and results stay",
		About: `The name, the size and the hash of a file stay as well. A content that another kept seed has too is kept. With an age and a number of
seeds, a content is deleted only if both allow it.`,
		Params: (*answer.PruneArtifactsQuestion).Params, Write: seeds.PruneArtifacts,
		Trial: func(q answer.PruneArtifactsQuestion) bool { return q.DryRun },
	}
}

// PruneSeries asks to delete the numbers of old series.
func PruneSeries() Def[answer.PruneSeriesQuestion, answer.PrunedSeries] {
	return Def[answer.PruneSeriesQuestion, answer.PrunedSeries]{
		Name: "prune series", Scope: access.Admin, Help: "delete the numbers of old series; values and results stay",
		About: `The length and the hash of a series stay as well. A series that another kept seed has too is kept. With an age and a number of seeds, a
series is deleted only if both allow it.`,
		Params: (*answer.PruneSeriesQuestion).Params, Write: seeds.PruneSeries,
		Trial: func(q answer.PruneSeriesQuestion) bool { return q.DryRun },
	}
}
