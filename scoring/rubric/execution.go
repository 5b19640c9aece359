package rubric

import (
	"strings"
	"time"
)

// Execution is one task that an agent did. Pointers are nil, and strings empty, where something is not known.
type Execution struct {
	TaskType   string     // [taskCoding], or any other word; empty where not known
	Complexity Complexity // empty where not known
	// Calls are the tool calls in their order. None means that there were none, unless CallsUnknown.
	Calls        []Call
	CallsUnknown bool // the calls were not recorded
	// Output is the assistant's final text, after the last tool result, as Markdown; empty where the agent ended without
	// any.
	Output      *string
	Truncated   *bool // the output was cut off at the token limit
	Duration    *time.Duration
	Corrections *int        // by the user: rejections, interrupts, explicit marks
	Format      *FormatSpec // what the task or the version asked for; nil for nothing
	Files       []File      // code that the agent wrote
}

// taskCoding is the type of tasks whose answer needs code. Any other type does not.
const taskCoding = "coding"

// coding says whether the task is a coding task; known is false where nobody said.
func (e Execution) coding() (coding, known bool) {
	taskType := strings.TrimSpace(e.TaskType)
	return strings.EqualFold(taskType, taskCoding), taskType != ""
}

// Complexity says how much a task is expected to need at most.
type Complexity string

// The complexities.
const (
	simple  Complexity = "simple"
	medium  Complexity = "medium"
	complex Complexity = "complex"
)

// limits are the expected maximum of time and of tool calls; ok is false for a complexity that is not known.
func (c Complexity) limits() (longest time.Duration, calls int, ok bool) {
	switch c {
	case simple:
		return 30 * time.Second, 5, true
	case medium:
		return 120 * time.Second, 15, true
	case complex:
		return 300 * time.Second, 30, true
	}
	return 0, 0, false
}

// Call is one tool call.
type Call struct {
	Tool string
	// Exit is the exit code.
	Exit *int
	// IsError is what the tool itself reported where it has no exit code, such as is_error of a tool result.
	IsError *bool
	Error   string // message of a call that failed; empty for none
	// Answered says that there was a result. It needs no setting where there is an exit code, a report, an error or an
	// output.
	Answered bool
	// StatusMissing says that the source writes an exit code, and did not for this call. Then the output can show a
	// failure, and cannot show a success.
	StatusMissing bool
	Output        *string
	// InputDigest identifies the canonical input; equal digests are equal inputs.
	InputDigest string
	// Command is the command line of a shell call; empty for other tools, or where it was not kept.
	Command string
}

// File is code that the agent wrote; its language follows from the name.
type File struct{ Name, Content string }

// Options are what a score may depend on beyond the execution.
type Options struct {
	// Checkers parse languages that this package cannot, or better than it can, by language ("python", "sql", "sqlite",
	// "rust").
	Checkers map[string]Checker
	// Complexity stands in where an execution names none; empty leaves efficiency unmeasured there.
	Complexity Complexity
}

// Checker says whether code is valid.
type Checker struct {
	Name string // what checks, with its version, as in "python 3.13 ast"
	// Check returns nil for valid code; an error that wraps [ErrUnchecked] for code it cannot judge; a [syntaxError]
	// where it knows the line; or any other error.
	Check func(code string) error
}
