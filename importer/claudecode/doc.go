// Package claudecode reads transcripts of Claude Code: JSON lines, one file for a session.
//
// An execution is one prompt of the user and all that follows until the next. What Claude Code writes in the user's
// name is no prompt: results of tools, summaries, hints, the output of local commands. A prompt without an answer
// makes no execution; of several before one answer, the last counts.
//
// A subagent's thread (isSidechain, in a file of its own or between the lines of the main thread) makes its own
// executions, with Subagent set; its calls are not counted again in the main thread, which has the Task call that
// started it. Lines of progress repeat what subagents do, and are left out.
//
// Usage stands on each line of a message: it is counted once for each message.id, the last line of a message counts.
// A call has failed where its result is marked is_error. An exit status is known only where the result says "Exit
// code N". Each refused call and each interrupt is a correction; the mark "for tool use" behind a refusal tells of
// the same act, and is not.
package claudecode
