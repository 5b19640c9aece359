package pages

import "strings"

// SQLView is a view of the database that queries can read.
type SQLView struct {
	Name    string
	Columns []string
}

// SQLViews returns the views with their columns, as docs/reference/sql.md describes them.
func SQLViews() []SQLView {
	return []SQLView{
		{"v_seed", strings.Fields("scenario seed label configuration commit_id dirty params outcome message spec_version" +
			" status total_score n_pass n_warn n_fail started_at duration_s recorded_at environment actor id")},
		{"v_assessment", strings.Fields("scenario seed label configuration spec_version newest status total_score n_pass n_warn n_fail assessed_at id")},
		{"v_result", strings.Fields("scenario seed label configuration spec_version newest metric metric_group type weight value status score reason id")},
		{"v_param", strings.Fields("configuration label param value number")},
		{"v_stability", strings.Fields("scenario spec_version label configuration commit_id params n_seeds n_scored" +
			" n_failed n_unassessed pass_rate score score_of_seeds_that_ran std_score min_score max_score combined_score stable")},
		{"v_sweep", strings.Fields("id scenario label configuration params seeds n_planned n_recorded command shard n_shards ending code_changed started_at ended_at withdrawn_at")},
		{"v_run", strings.Fields("scenario seed label configuration outcome attempts exit_code signal duration_s cpu_s rss_bytes sweep id")},
		{"v_artifact", strings.Fields("scenario seed label configuration outcome name n_bytes hash left_out pruned_at id")},
		{"v_execution", strings.Fields("lineage version task task_type complexity trial session status message open rubric score grade n_calls n_failed n_unknown" +
			" corrections holdout model tokens_input tokens_output tokens_cache_read tokens_cache_write tokens_reasoning cost_usd priced started_at duration_s recorded_at source key actor id")},
		{"v_score", strings.Fields("lineage version task rubric active score grade n_failed n_unknown scored_at id")},
		{"v_call", strings.Fields("execution call tool exit error answered rejected input_bytes output_bytes output_whole_bytes input_digest duration_s request")},
		{"v_request", strings.Fields("lineage version task execution request message_id request_id model tokens_input tokens_output tokens_cache_read tokens_cache_write tokens_reasoning")},
		{"v_version", strings.Fields("lineage version parent operator status note content content_digest source source_score source_parent_score source_created_at created_at")},
		{"v_mutation", strings.Fields("lineage number mutation parents child operator risk state n_attempts delta cost_usd note source proposed_at generation iteration island cell")},
		{"v_decision", strings.Fields("lineage number mutation attempt decision state accepted label policy params overridden old_score new_score" +
			" delta delta_lo delta_hi p_improve n_child n_parent noise_sd false_accept u p head_before head_after decided_at")},
		{"v_ledger", strings.Fields("lineage number kind mutation attempt head_before head_after at body prev hash")},
	}
}
