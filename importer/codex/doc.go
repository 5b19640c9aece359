// Package codex reads rollouts of the Codex CLI: JSON lines, one file for a session.
//
// An execution is one message of the user and all that follows until the next. Its calls are functions, custom tools,
// shells and web searches. A call of write_stdin is none: it polls a command that exec_command started, and its
// output may hold that command's exit status.
//
// Three generations write the exit status differently, all are understood: JSON with metadata.exit_code in the output
// (to 0.40), a line "Exit code: N" or "Process exited with code N" in its head, and an event exec_command_end, which
// wins.
//
// Tokens are the growth of token_count's totals within the execution, each of which is a request. A refusal in the
// output of a call, and turn_aborted, are corrections; a turn that is aborted by the refusal before it is the same
// act, and not counted again.
//
// A fork and a subagent (forked_from_id, thread_spawn) may begin with what the session did that they came from. It is
// left out: until the first turn whose id is later than the session's; without such ids, until a pause of half a second
// in what follows the beginning of the session. A prompt before it that nothing answered is the first of its own.
package codex
