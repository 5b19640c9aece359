// Package atif reads trajectories in the Agent Trajectory Interchange Format (ATIF), versions 1.0 to 1.7: a JSON
// document for each trajectory, one document a line, or one step a line.
//
// A trajectory is one execution; each of subagent_trajectories is one of a subagent. trajectory_id or session_id is its
// key. Steps that were copied from another trajectory (is_copied_context) are left out.
//
// Calls are tool_calls, answered by the results that name them; a result that names none answers the only call of its
// step. A call has failed where its result or its step says so (is_error, exit_code). Results of system steps answer
// nothing.
//
// Tokens and cost are those of final_metrics, else the sums over steps; counts that are all 0 are unknown. What
// final_metrics.extra, the document's extra and that of the last step say of the outcome becomes truths. The output is
// what the agent said last, even beside a call. A trajectory without final_metrics may continue.
package atif
