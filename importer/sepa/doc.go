// Package sepa reads what a Self-Evolving Prompt Agent leaves behind: a folder with logs of tool calls, versions of
// its prompt, their scores, and what it did with them.
//
//	executions*.jsonl              tool calls: {"ts","tool","exit","success","version","session"}
//	observations*.jsonl            what a hook saw: {"ts","type":"prompt|pre|post","tool","params","output","exit","session"}
//	versions/NAME.md               versions of the prompt; versions-NAME.md is understood too
//	scores.yaml                    score, parent and operator of versions
//	evolution-log.md               evolutions and rollbacks
//	context.md                     which version is in force
//
// The logs are streams of objects, on one line or on many, in the wild interleaved by concurrent writers. A record
// begins where a line begins with a brace. What of a record is not whole, is mixed with another (a name is
// duplicated), or follows its end is skipped, with its line, and reading goes on at the next.
//
// The calls that one session made with one version are one execution; with observations, those between two prompts of
// a session. The exit of an observation whose output is "" twice quoted is unknown: the hook that wrote it looked for
// fields that do not exist, and wrote 0 for each. Texts of the assistant and durations of executions are in none of
// these files.
//
// Shell scripts that append to scores.yaml put versions under whatever key is last: they are found wherever they
// stand.
package sepa
