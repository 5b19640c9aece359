// Package claudehooks reads what Claude Code tells its hooks: logs of payloads, one JSON object a line, and one live
// payload.
//
// An execution goes from UserPromptSubmit to the next, or to the end of the session; Stop gives its output and
// duration. A payload holds no time, so a log is expected to add one as "ts" or "timestamp", and whoever decodes a
// live one hands over when it came. Some loggers rename hook_event_name to event, which is understood.
//
// A call has a result with PostToolUse, a failure with PostToolUseFailure; with neither by the end of its execution
// it has no result. Older payloads have no tool_use_id: a result then belongs to the earliest open call of the same
// tool with the same input. Hooks of a subagent (agent_id) make its own execution, which ends with SubagentStop.
package claudehooks
