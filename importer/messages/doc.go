// Package messages reads conversations as lists of messages with a role, as OpenAI's API has them and most tools log
// them:
//
//	{"messages": [{"role": "user", "content": "…"}, …], …}   a record on each line, as for fine-tuning, or as a document
//	[{"role": "user", "content": "…"}, …]                    a conversation on each line, or as a document
//	{"role": "user", "content": "…"}                         a message on each line: one conversation, which may grow
//	[{"messages": […]}, …]                                   an array of records
//
// and conversations of ShareGPT ({"conversations": [{"from": "human", "value": "…"}, …]}). Package chat says which
// calls and results are known.
//
// A conversation is one execution. A record may name it (id, conversation_id, session_id, thread_id, trace_id), its
// task (task_id, task, instance_id, problem_id), version of the prompt (prompt_version), trial, model, usage, cost
// (cost, cost_usd, total_cost), beginning and end (created_at, created, start_time, timestamp; completed_at, end_time),
// error, and outcome: reward, score, resolved, success and the like, also in its metadata or info, become truths. A
// response with choices is the last message.
//
// A record without a name is identified by what it says. A conversation without an answer is left out.
package messages
