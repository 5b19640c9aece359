// Package otlp reads files of OpenTelemetry about agents: OTLP in JSON, as documents or one on each line, and the flat
// lines that plugins of collectors write ({"_type":"log","ts":…,"name":…,"attrs":{…}}).
//
// Spans and logs with the semantic conventions of generative AI (gen_ai.*): a trace is one execution. Its calls are
// spans of execute_tool, its tokens those of the inference spans, or if there are none of the agent's; input tokens
// include the cache. The conversation is the session. gen_ai.evaluation.result becomes a truth, gen_ai.prompt.version
// the version, gen_ai.agent.version the version if nothing else names one. A trace without a root span may continue.
//
// Events of Claude Code: a prompt is one execution, named by its session and prompt.id, or its time. Its calls come
// from tool_result, tokens, cost and model from api_request. The events do not hold what the agent said, so the output
// is unknown. The last prompt of a session may continue.
//
// Events come in any order. At most 1,024 executions are held open; the oldest is complete when another one begins.
package otlp
