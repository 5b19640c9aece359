package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/integrity"
	"track/tracker/retention"
	"track/tracker/seeds"
	"track/tracker/sweeps"
	"track/tracker/tokens"
)

func Query() Def[answer.QueryQuestion, answer.Query] {
	return Def[answer.QueryQuestion, answer.Query]{
		Name: "query", Scope: access.Read, Help: "run SQL that reads",
		About: `The documentation describes the views, such as v_seed, v_result and v_stability. They are stable across versions. A BLOB is printed in
hexadecimal.`,
		Params: (*answer.QueryQuestion).Params, Read: seeds.Query, Stream: seeds.QueryPages,
	}
}

func Check() Def[answer.CheckQuestion, answer.DatabaseCheck] {
	return Def[answer.CheckQuestion, answer.DatabaseCheck]{
		Name: "check", Scope: access.Admin, Help: "find out whether a database is damaged",
		About: `Compares every seed with the digest of its values, every assessment with its results, every text, configuration and series with its
hash, and every ledger with its replay. Looks for rows that refer to nothing, and lets SQLite check its pages and compare its indexes with
their tables. Says which records are damaged and what can be saved. Lists the tables and views of others. Only reads. A server does one check at a time.`,
		Params: (*answer.CheckQuestion).Params, Concludes: []answer.Conclusion{answer.Done, answer.FoundDamage}, Read: integrity.Answer, Live: true, Long: true,
	}
}

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

func PruneArtifacts() Def[answer.PruneArtifactsQuestion, answer.PrunedArtifacts] {
	return Def[answer.PruneArtifactsQuestion, answer.PrunedArtifacts]{
		Name: "prune artifacts", Scope: access.Admin, Help: "delete the contents of files of old seeds; values and results stay",
		About: `The name, the size and the hash of a file stay as well. A content that another kept seed has too is kept. With an age and a number of
seeds, a content is deleted only if both allow it.`,
		Params: (*answer.PruneArtifactsQuestion).Params, Write: seeds.PruneArtifacts,
		Trial: func(q answer.PruneArtifactsQuestion) bool { return q.DryRun },
	}
}

func PruneSeries() Def[answer.PruneSeriesQuestion, answer.PrunedSeries] {
	return Def[answer.PruneSeriesQuestion, answer.PrunedSeries]{
		Name: "prune series", Scope: access.Admin, Help: "delete the numbers of old series; values and results stay",
		About: `The length and the hash of a series stay as well. A series that another kept seed has too is kept. With an age and a number of seeds, a
series is deleted only if both allow it.`,
		Params: (*answer.PruneSeriesQuestion).Params, Write: seeds.PruneSeries,
		Trial: func(q answer.PruneSeriesQuestion) bool { return q.DryRun },
	}
}

const aboutWithdrawn = `What is withdrawn is kept, with the reason, and is left out of every aggregate, count and interim analysis. Recording or merging it again
does not bring it back; restoring it does. A merge carries both: of two that are about the same, the later one counts.`

func WithdrawSeed() Def[answer.WithdrawSeedQuestion, answer.WithdrawalReceipt] {
	return Def[answer.WithdrawSeedQuestion, answer.WithdrawalReceipt]{
		Name: "withdraw seed", Scope: access.Decide, Help: "withdraw what a seed measured",
		About:  aboutWithdrawn + " Another measurement of the seed can be recorded in its place.",
		Params: (*answer.WithdrawSeedQuestion).Params, Write: seeds.WithdrawSeed,
	}
}

func RestoreSeed() Def[answer.RestoreSeedQuestion, answer.WithdrawalReceipt] {
	return Def[answer.RestoreSeedQuestion, answer.WithdrawalReceipt]{
		Name: "restore seed", Scope: access.Decide, Help: "restore a withdrawn seed",
		About:  "The seed counts again, unless another measurement has its place.",
		Params: (*answer.RestoreSeedQuestion).Params, Write: seeds.RestoreSeed,
	}
}

func WithdrawConfiguration() Def[answer.WithdrawConfigurationQuestion, answer.WithdrawalReceipt] {
	return Def[answer.WithdrawConfigurationQuestion, answer.WithdrawalReceipt]{
		Name: "withdraw configuration", Scope: access.Decide, Help: "withdraw all seeds of a scenario under a configuration",
		About:  aboutWithdrawn + " No seed can be recorded under a withdrawn configuration.",
		Params: (*answer.WithdrawConfigurationQuestion).Params, Write: seeds.WithdrawConfiguration,
	}
}

func RestoreConfiguration() Def[answer.RestoreConfigurationQuestion, answer.WithdrawalReceipt] {
	return Def[answer.RestoreConfigurationQuestion, answer.WithdrawalReceipt]{
		Name: "restore configuration", Scope: access.Decide, Help: "restore a withdrawn configuration",
		About:  "Its seeds count again, except those that were withdrawn alone.",
		Params: (*answer.RestoreConfigurationQuestion).Params, Write: seeds.RestoreConfiguration,
	}
}

func WithdrawSweep() Def[answer.WithdrawSweepQuestion, answer.WithdrawalReceipt] {
	return Def[answer.WithdrawSweepQuestion, answer.WithdrawalReceipt]{
		Name: "withdraw sweep", Scope: access.Decide, Help: "withdraw a sweep that was a mistake: its plan and its seeds",
		About:  "Seeds that the sweep planned and did not run are no longer missing. " + aboutWithdrawn,
		Params: (*answer.WithdrawSweepQuestion).Params, Write: sweeps.Withdraw,
	}
}

func RestoreSweep() Def[answer.RestoreSweepQuestion, answer.WithdrawalReceipt] {
	return Def[answer.RestoreSweepQuestion, answer.WithdrawalReceipt]{
		Name: "restore sweep", Scope: access.Decide, Help: "restore a withdrawn sweep",
		About:  "Its plan counts again, and so do the seeds that were withdrawn with it.",
		Params: (*answer.RestoreSweepQuestion).Params, Write: sweeps.Restore,
	}
}

func AddNote() Def[answer.AddNoteQuestion, answer.NoteChange] {
	return Def[answer.AddNoteQuestion, answer.NoteChange]{
		Name: "note add", Scope: access.Record, Help: "attach a note to a configuration",
		About:  "The note is recorded with who wrote it and when. Recognized secrets in it are masked. History, comparisons and reports show it.",
		Params: (*answer.AddNoteQuestion).Params, Write: seeds.AddNote,
	}
}

func RemoveNote() Def[answer.RemoveNoteQuestion, answer.NoteChange] {
	return Def[answer.RemoveNoteQuestion, answer.NoteChange]{
		Name: "note remove", Scope: access.Record, Help: "remove a note from a configuration",
		About:  "The note is not shown any more. It stays recorded, with who removed it, when and why.",
		Params: (*answer.RemoveNoteQuestion).Params, Write: seeds.RemoveNote,
	}
}

func Notes() Def[answer.NotesQuestion, answer.Notes] {
	return Def[answer.NotesQuestion, answer.Notes]{
		Name: "note list", Scope: access.Read, Help: "list the notes on configurations",
		About:  "The oldest comes first.",
		Params: (*answer.NotesQuestion).Params, Read: seeds.ListNotes,
	}
}

func AddTags() Def[answer.TagQuestion, answer.TagChange] {
	return Def[answer.TagQuestion, answer.TagChange]{
		Name: "tag add", Scope: access.Record, Help: "add tags to a configuration",
		About:  "A tag is a name, and is no part of the identity of the configuration. Adding a tag again changes nothing.",
		Params: (*answer.TagQuestion).AddParams, Write: seeds.AddTags,
	}
}

func RemoveTags() Def[answer.TagQuestion, answer.TagChange] {
	return Def[answer.TagQuestion, answer.TagChange]{
		Name: "tag remove", Scope: access.Record, Help: "remove tags from a configuration",
		Params: (*answer.TagQuestion).RemoveParams, Write: seeds.RemoveTags,
	}
}

func Tags() Def[answer.TagsQuestion, answer.Tags] {
	return Def[answer.TagsQuestion, answer.Tags]{
		Name: "tag list", Scope: access.Read, Help: "list configurations with their tags",
		Params: (*answer.TagsQuestion).Params, Read: seeds.ListTags,
	}
}

func AddToken() Def[answer.AddTokenQuestion, answer.AddedToken] {
	return Def[answer.AddTokenQuestion, answer.AddedToken]{
		Name: "token add", Scope: access.Admin, Help: "add a token for a server",
		About: `Whoever has the token may ask a server on this database. The scopes say for what. read: answers. record: add facts. spec: declare
specs. decide: decide on mutations, pin baselines, withdraw. admin: everything, tokens too. A token for some scenarios or lineages answers only questions that
name them. The token is shown once; the database keeps a hash of it.`,
		Params: (*answer.AddTokenQuestion).Params, Write: tokens.Add,
	}
}

func Tokens() Def[answer.TokensQuestion, answer.Tokens] {
	return Def[answer.TokensQuestion, answer.Tokens]{
		Name: "token list", Scope: access.Admin, Help: "list the tokens, without their secrets",
		Params: (*answer.TokensQuestion).Params, Read: tokens.List, Live: true,
	}
}

func SetToken() Def[answer.SetTokenQuestion, answer.ChangedToken] {
	return Def[answer.SetTokenQuestion, answer.ChangedToken]{
		Name: "token set", Scope: access.Admin, Help: "change when a token ends",
		About: `What is not named stays as it is. The word none takes a bound away. A server heeds it from the next request on; what was recorded today counts. What a
token allows cannot be changed: add another one.`,
		Params: (*answer.SetTokenQuestion).Params, Write: tokens.Set,
	}
}

func RevokeToken() Def[answer.RevokeTokenQuestion, answer.RevokedToken] {
	return Def[answer.RevokeTokenQuestion, answer.RevokedToken]{
		Name: "token revoke", Scope: access.Admin, Help: "end a token for good",
		About:  `A server refuses it from the next request on.`,
		Params: (*answer.RevokeTokenQuestion).Params, Write: tokens.Revoke,
	}
}
