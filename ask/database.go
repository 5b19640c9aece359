package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/integrity"
	"track/tracker/retention"
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

// Check asks whether the database is damaged.
func Check() Def[answer.CheckQuestion, answer.DatabaseCheck] {
	return Def[answer.CheckQuestion, answer.DatabaseCheck]{
		Name: "check", Scope: access.Admin, Help: "find out whether a database is damaged",
		About: `Compares every seed with the digest of its values, every assessment with its results, every text, configuration and series with its
hash, and every ledger with its replay. Looks for rows that refer to nothing, and lets SQLite check its pages and compare its indexes with
their tables. Says which records are damaged and what can be saved. Lists the tables and views of others. Only reads. A server does one check at a time.`,
		Params: (*answer.CheckQuestion).Params, Concludes: []answer.Conclusion{answer.Done, answer.FoundDamage}, Read: integrity.Answer, Live: true, Long: true,
	}
}

// Prune asks to delete the large contents of old records.
func Prune() Def[answer.PruneQuestion, answer.Pruned] {
	return Def[answer.PruneQuestion, answer.Pruned]{
		Name: "prune", Scope: access.Admin, Help: "delete the large contents of old records; values, scores and ledgers stay",
		About: `Deletes the numbers of series, the contents of files, and the texts of executions. The records stay, with their values, results, scores
and hashes, so no answer counts fewer of them, and ledgers are replayed as before. Contents stay if they are recent; of seeds whose sweep has no end, and
of scenarios that a lineage evolves; of executions of which more may come, and on which a decision rests. The seeds of pinned baselines, and the executions of
active versions and their ancestors, keep them too, unless keep leaves these out. No merge, import or spool brings the texts of executions back.`,
		Params: (*answer.PruneQuestion).Params, Write: retention.Prune,
		Trial: func(q answer.PruneQuestion) bool { return q.DryRun },
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
