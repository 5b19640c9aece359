// Package jsonl reads executions in track's own batch format: JSON lines of kind execution, the one thing that a client in any language
// has to write.
//
//	{"kind":"execution","lineage":"sepa","version":"v002","task":"t-17","task_type":"coding","complexity":"medium",
//	 "calls":[{"tool":"Bash","exit":0,"duration_s":0.2}],"output":"…","duration_s":60,"model":"…","tokens":{"input":1200}}
//
// All fields but kind are optional: key, session, trial, status, message, truncated, corrections, cost_usd, score, truths ({"reward":1}),
// started_at (RFC 3339) and files ([{"name","content"}]) besides those above; of tokens output, cache_read, cache_write and reasoning;
// of a call key, input (any JSON), command, error, answered (true unless it says false), rejected, output and started_at. Unknown and
// duplicate names are refused, with the line and the field.
package jsonl
