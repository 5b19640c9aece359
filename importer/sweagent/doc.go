// Package sweagent reads trajectories of SWE-agent (.traj, versions 0.x and 1.x) and of mini-SWE-agent (.traj.json,
// versions 0 to 2, also the oldest, a bare list of messages).
//
// A file is one execution. The instance that it names is the task, else the file's name, which SWE-agent makes of the
// instance. There are no times but those that mini-SWE-agent stores with its messages.
//
// In SWE-agent each step with an action is a call: its tool is the command if SWE-agent has it, else bash. No step has
// an exit status. In mini-SWE-agent a call is a command; its exit status stands in the result.
//
// The output is the submission. exit_status becomes the status: errors and wrong formats are errors, time limits are
// timeouts; limits of cost and context are noted in the message. A file without an exit_status may continue. Tokens and
// cost of runs that counted no token are unknown. resolved and the like, in the document, its info or its report,
// become truths.
package sweagent
