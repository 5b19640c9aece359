// Package gepa reads the state of runs of GEPA: gepa_state.bin, a Python pickle, of which nothing is executed.
//
// The state is a dictionary. Read of it are
//
//	program_candidates                   texts of each candidate, by the name of the component
//	parent_program_for_candidate         a list of indices for each; null for the seed; two for a merge
//	prog_candidate_val_subscores         scores on the validation instances: a dictionary, or a list, for each
//	prog_candidate_objective_scores      more measurements; may be missing
//	num_metric_calls_by_discovery        calls of the metric until it was found; may be missing
//	full_program_trace                   one dictionary an iteration: selected_program_candidate, subsample_ids,
//	                                     subsample_scores, new_subsample_scores, new_program_idx if it was accepted
//
// The id of a candidate is its index. Its score is the mean over the validation instances, each of which is a trial of
// the task val-N. Its content is the text of the only component, or the object of all of them as canonical JSON. The
// best candidate has the highest mean, the first of equals. A proposal that was tested on a minibatch and has no
// new_program_idx was rejected: the state does not keep its text.
package gepa
