package track

import (
	"fmt"
	"math"
	"time"
)

// ExecutionStatus is how an execution ended.
type ExecutionStatus string

// The statuses. Everything but ExecutionOK makes a failed trial: kept with whatever is known of it, counted, and never
// scored.
const (
	ExecutionOK      ExecutionStatus = "ok"
	ExecutionTimeout ExecutionStatus = "timeout"
	ExecutionError   ExecutionStatus = "error"
	ExecutionInvalid ExecutionStatus = "invalid" // it ran, but what it did cannot be judged
)

// ParseExecutionStatus returns the status named s; the empty string is ExecutionOK.
func ParseExecutionStatus(s string) (ExecutionStatus, error) {
	switch status := ExecutionStatus(s); status {
	case "":
		return ExecutionOK, nil
	case ExecutionOK, ExecutionTimeout, ExecutionError, ExecutionInvalid:
		return status, nil
	}
	return "", fmt.Errorf("unknown status %q: use ok, timeout, error or invalid", s)
}

// RubricOwn is the name under which the caller's own score is recorded, unless a judge model gave it: see [Judge].
const RubricOwn = "own"

// Judge is a model that scored an execution, with the prompt that it was given.
type Judge struct {
	Model  string
	Prompt TextDigest // SHA-256 of the prompt
}

// Rubric returns the name under which scores of the judge are recorded. Another model or prompt is another judge.
func (j Judge) Rubric() string { return "judge:" + j.Model + "@" + j.Prompt.String()[:16] }

// ScoredBy returns the name under which the caller's own score of an execution is recorded.
func (e Execution) ScoredBy() string {
	if e.Judge == nil {
		return RubricOwn
	}
	return e.Judge.Rubric()
}

// Complexity is how demanding a task is. The time and tools that an execution is expected to need depend on it.
type Complexity string

// The complexities. complexityUnknown is the zero value.
const (
	complexityUnknown Complexity = ""
	complexitySimple  Complexity = "simple"
	ComplexityMedium  Complexity = "medium"
	complexityComplex Complexity = "complex"
)

// ParseComplexity returns the complexity named s; the empty string is complexityUnknown.
func ParseComplexity(s string) (Complexity, error) {
	switch c := Complexity(s); c {
	case complexityUnknown, complexitySimple, ComplexityMedium, complexityComplex:
		return c, nil
	}
	return "", fmt.Errorf("unknown complexity %q: use simple, medium or complex", s)
}

// Execution is one task that an agent did with one version of its prompt. Source and Key identify it.
//
// An unknown field is the zero value, or nil if zero means something else. Texts are as the source had them: whoever
// stores or shows them masks secrets first (package masking).
type Execution struct {
	ID          string // ULID, given when it is recorded
	Key         string // identity within the source, so that importing again adds only new executions; may be empty
	Source      string // name of the format that it was read from
	Lineage     string
	Version     string
	Task        string
	TaskType    string
	Complexity  Complexity
	Trial       int // which repetition of the task it is, as the source numbers them; 0 the first or the only one
	Session     string
	Status      ExecutionStatus
	Message     string             // why it failed, for people
	Calls       []ToolCall         // in the order of their start
	Requests    []ModelRequest     `json:",omitempty"` // in their order; none if the source does not say what each of them used
	Prompt      *string            `json:",omitempty"` // what was asked; nil if unknown
	Output      *string            // the assistant's text after the last tool result; empty: it wrote none; nil if unknown
	Truncated   bool               // the output was cut off at a limit of tokens
	Corrections int                // rejections, interrupts and explicit marks of the user; never guessed from the text of prompts
	Model       string             // the one that wrote the output
	Tokens      *Tokens            // nil if none is known
	CostUSD     *float64           // US dollars
	Priced      string             `json:",omitempty"` // date of the table of prices that CostUSD was computed by; empty if the source gave it
	StartedAt   time.Time          // zero if unknown
	Duration    *time.Duration     // from the prompt to the end of the output
	Score       *float64           // the caller's own, in the caller's own units; no score of a rubric
	Judge       *Judge             `json:",omitempty"` // who gave Score; nil for the caller
	Holdout     bool               `json:",omitempty"` // it is never used to decide, and always reported
	Truths      map[string]float64 // ground-truth labels of the outcome by name, such as reward: 1
	Files       []WrittenFile      // names are unique
}

// Tokens are counts of tokens; nil if unknown.
type Tokens struct {
	Input      *int64 `json:"input"`       // read and not taken from a cache
	Output     *int64 `json:"output"`      // written, reasoning included
	CacheRead  *int64 `json:"cache_read"`  // read from a cache
	CacheWrite *int64 `json:"cache_write"` // read and written to a cache
	Reasoning  *int64 `json:"reasoning"`   // the part of Output that was reasoning
}

// SumOfRequests returns the tokens of all requests. A count that is unknown of one request is unknown of the sum. It
// returns nil if no count is known.
func SumOfRequests(requests []ModelRequest) *Tokens {
	if len(requests) == 0 {
		return nil
	}
	var zero [5]int64
	sum := Tokens{Input: &zero[0], Output: &zero[1], CacheRead: &zero[2], CacheWrite: &zero[3], Reasoning: &zero[4]}
	for _, r := range requests {
		if r.Tokens == nil {
			return nil
		}
		sum = sum.plus(*r.Tokens)
	}
	if sum == (Tokens{}) {
		return nil
	}
	return &sum
}

// plus adds counts. A count that is unknown on one side, or too large, is unknown in the sum.
func (t Tokens) plus(other Tokens) Tokens {
	add := func(a, b *int64) *int64 {
		if a == nil || b == nil || *a > math.MaxInt64-*b {
			return nil
		}
		n := *a + *b
		return &n
	}
	return Tokens{
		Input: add(t.Input, other.Input), Output: add(t.Output, other.Output), CacheRead: add(t.CacheRead, other.CacheRead),
		CacheWrite: add(t.CacheWrite, other.CacheWrite), Reasoning: add(t.Reasoning, other.Reasoning),
	}
}

// Minus returns the counts without others. A count that is unknown on one side stays as it is.
func (t *Tokens) Minus(other *Tokens) *Tokens {
	if t == nil || other == nil {
		return t
	}
	sub := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			return a
		}
		n := max(0, *a-*b)
		return &n
	}
	return &Tokens{
		Input: sub(t.Input, other.Input), Output: sub(t.Output, other.Output), CacheRead: sub(t.CacheRead, other.CacheRead),
		CacheWrite: sub(t.CacheWrite, other.CacheWrite), Reasoning: sub(t.Reasoning, other.Reasoning),
	}
}

// ModelRequest is one request to a model within an execution. The model reads the conversation so far, and answers with
// text, with tool calls, or with both. Requests are numbered from 1.
type ModelRequest struct {
	// Message and ID are what the service calls the answer and the request; empty if unknown. A lineage counts each
	// once.
	Message string  `json:"message_id,omitempty"`
	ID      string  `json:"request_id,omitempty"`
	Model   string  `json:"model,omitempty"` // empty if it is the model of the execution
	Tokens  *Tokens `json:"tokens"`          // nil if unknown
}

// ToolCall is one use of a tool within an execution.
type ToolCall struct {
	Key      string // identity within the source, such as a tool_use_id; empty: there is none
	Tool     string
	Input    string // canonical JSON, or text where the input is none; storage keeps its digest
	Command  string // what a shell was asked to run; empty for other tools
	Exit     *int   // exit status of a command; nil if unknown, and for other tools
	Error    string // what the source says went wrong; empty: nothing
	Answered bool   // false: the execution ended without a result of this call
	Rejected bool   // the user refused it
	Output   *string
	// WholeOutput is the size of the whole output in bytes, if Output is only a part of it; else 0.
	WholeOutput int            `json:",omitempty"`
	StartedAt   time.Time      // zero if unknown
	Duration    *time.Duration // nil if unknown
	Request     int            `json:",omitempty"` // number of the request that asked for it, from 1; 0 if unknown
}

// Failed reports whether the source calls the call a failure: an error, a refusal, or an exit status that is not 0. A
// rubric may see it otherwise.
func (c ToolCall) Failed() bool {
	return c.Rejected || c.Error != "" || c.Exit != nil && *c.Exit != 0
}

// Unknown reports whether the source does not say how the call ended.
func (c ToolCall) Unknown() bool { return !c.Answered && !c.Failed() }

// WrittenFile is a file as the agent last wrote it, whole.
type WrittenFile struct{ Name, Content string }
