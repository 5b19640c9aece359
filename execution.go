package track

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// Validate returns the first error in an execution, or nil if it can be recorded.
func (e Execution) Validate() *FieldError {
	for _, check := range [...]func() *FieldError{e.checkNames, e.checkKinds, e.checkTexts, e.checkNumbers, e.checkRequests, e.checkCalls, e.checkFiles} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (e Execution) checkNames() *FieldError {
	if strings.Contains(e.Lineage, "@") {
		return &FieldError{Field: "lineage", Message: "contains @, which separates a lineage from its version"}
	}
	return checkOptionalNames(
		namedText{"key", e.Key}, namedText{"source", e.Source}, namedText{"lineage", e.Lineage}, namedText{"version", e.Version},
		namedText{"task", e.Task}, namedText{"task_type", e.TaskType}, namedText{"session", e.Session}, namedText{"model", e.Model}, namedText{"priced", e.Priced},
	)
}

type namedText struct{ field, text string }

func checkOptionalNames(names ...namedText) *FieldError {
	for _, n := range names {
		if n.text == "" {
			continue
		}
		if err := CheckName(n.text); err != nil {
			return &FieldError{Field: n.field, Message: err.Error()}
		}
	}
	return nil
}

func (e Execution) checkKinds() *FieldError {
	if e.Status == "" {
		return &FieldError{Field: "status", Message: "is empty: use ok, timeout, error or invalid"}
	}
	if _, err := ParseExecutionStatus(string(e.Status)); err != nil {
		return &FieldError{Field: "status", Message: err.Error()}
	}
	if _, err := ParseComplexity(string(e.Complexity)); err != nil {
		return &FieldError{Field: "complexity", Message: err.Error()}
	}
	return nil
}

func (e Execution) checkTexts() *FieldError {
	if !utf8.ValidString(e.Message) {
		return &FieldError{Field: "message", Message: "is not valid UTF-8"}
	}
	if e.Prompt != nil && !utf8.ValidString(*e.Prompt) {
		return &FieldError{Field: "prompt", Message: "is not valid UTF-8"}
	}
	if e.Output != nil && !utf8.ValidString(*e.Output) {
		return &FieldError{Field: "output", Message: "is not valid UTF-8"}
	}
	return nil
}

func (e Execution) checkNumbers() *FieldError {
	for _, n := range [...]struct {
		field string
		count int
	}{{"trial", e.Trial}, {"corrections", e.Corrections}} {
		if n.count < 0 {
			return &FieldError{Field: n.field, Message: fmt.Sprintf("%d is negative", n.count)}
		}
	}
	if err := checkDuration(e.Duration); err != nil {
		return &FieldError{Field: "duration_s", Message: err.Error()}
	}
	if e.CostUSD != nil && !(*e.CostUSD >= 0 && *e.CostUSD <= math.MaxFloat64) {
		return &FieldError{Field: "cost_usd", Message: fmt.Sprintf("%v must not be negative or infinite", *e.CostUSD)}
	}
	if e.Score != nil && !isFinite(*e.Score) {
		return &FieldError{Field: "score", Message: fmt.Sprintf("%v is not a score: leave it out and set the status", *e.Score)}
	}
	if e.Judge != nil {
		if err := CheckName(e.Judge.Model); err != nil {
			return &FieldError{Field: "judge.model", Message: err.Error()}
		}
		if e.Judge.Prompt == (TextDigest{}) {
			return &FieldError{Field: "judge.prompt_sha256", Message: "is missing: another prompt is another judge"}
		}
		if e.Score == nil && e.Status == ExecutionOK {
			return &FieldError{Field: "judge", Message: "gave no score: give the score, or leave the judge out"}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Truths)) {
		if err := CheckName(name); err != nil {
			return &FieldError{Field: "truths", Message: "the name of a truth " + err.Error()}
		}
		if !isFinite(e.Truths[name]) {
			return &FieldError{Field: "truths." + name, Message: fmt.Sprintf("%v is not finite: leave it out", e.Truths[name])}
		}
	}
	return e.Tokens.check()
}

func (t *Tokens) check() *FieldError {
	if t == nil {
		return nil
	}
	for _, n := range [...]struct {
		field string
		count *int64
	}{{"input", t.Input}, {"output", t.Output}, {"cache_read", t.CacheRead}, {"cache_write", t.CacheWrite}, {"reasoning", t.Reasoning}} {
		if n.count != nil && *n.count < 0 {
			return &FieldError{Field: "tokens." + n.field, Message: fmt.Sprintf("%d is negative", *n.count)}
		}
	}
	return nil
}

func (e Execution) checkRequests() *FieldError {
	for i, r := range e.Requests {
		err := checkOptionalNames(namedText{"model", r.Model}, namedText{"message_id", r.Message}, namedText{"request_id", r.ID})
		if err == nil {
			err = r.Tokens.check()
		}
		if err != nil {
			return &FieldError{Field: "requests." + strconv.Itoa(i) + "." + err.Field, Message: err.Message}
		}
	}
	return nil
}

func (e Execution) checkCalls() *FieldError {
	seen := make(map[string]bool, len(e.Calls))
	for i, call := range e.Calls {
		field := "calls." + strconv.Itoa(i) + "."
		err := call.check()
		if err == nil && call.Key != "" && seen[call.Key] {
			err = &FieldError{Field: "key", Message: fmt.Sprintf("%q is that of an earlier call", call.Key)}
		}
		if err == nil && (call.Request < 0 || call.Request > len(e.Requests)) {
			err = &FieldError{Field: "request", Message: fmt.Sprintf("%d is not the number of a request: there are %d, counted from 1", call.Request, len(e.Requests))}
		}
		if err != nil {
			return &FieldError{Field: field + err.Field, Message: err.Message}
		}
		seen[call.Key] = true
	}
	return nil
}

func (c ToolCall) check() *FieldError {
	if err := CheckName(c.Tool); err != nil {
		return &FieldError{Field: "tool", Message: err.Error()}
	}
	if err := checkOptionalNames(namedText{"key", c.Key}); err != nil {
		return err
	}
	if c.WholeOutput < 0 || c.WholeOutput > 0 && c.Output == nil {
		return &FieldError{Field: "output_whole_bytes", Message: "must be the size of the output that output is a part of"}
	}
	output := ""
	if c.Output != nil {
		output = *c.Output
	}
	for _, t := range [...]namedText{{"input", c.Input}, {"command", c.Command}, {"error", c.Error}, {"output", output}} {
		if !utf8.ValidString(t.text) {
			return &FieldError{Field: t.field, Message: "is not valid UTF-8"}
		}
	}
	if err := checkDuration(c.Duration); err != nil {
		return &FieldError{Field: "duration_s", Message: err.Error()}
	}
	if !c.Answered && c.Exit != nil {
		return &FieldError{Field: "exit", Message: "a call without a result has no exit status"}
	}
	return nil
}

func (e Execution) checkFiles() *FieldError {
	seen := map[string]bool{}
	for _, file := range e.Files {
		switch {
		case file.Name == "" || !utf8.ValidString(file.Name):
			return &FieldError{Field: "files", Message: fmt.Sprintf("%q is not a valid file name", file.Name)}
		case !utf8.ValidString(file.Content):
			return &FieldError{Field: "files." + file.Name, Message: "is not valid UTF-8"}
		case seen[file.Name]:
			return &FieldError{Field: "files." + file.Name, Message: "is duplicated"}
		}
		seen[file.Name] = true
	}
	return nil
}

func checkDuration(d *time.Duration) error {
	if d != nil && *d < 0 {
		return errors.New(d.String() + " is negative")
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// RecordedExecution is an execution as it is read back, with its active score. What a list does not need is left out
// there.
type RecordedExecution struct {
	ID          string          `json:"id"` // ULID
	Lineage     string          `json:"lineage"`
	Version     string          `json:"version"`
	Task        string          `json:"task"`
	TaskType    string          `json:"task_type"`
	Complexity  Complexity      `json:"complexity"`
	Trial       int             `json:"trial"`
	Session     string          `json:"session"`
	Status      ExecutionStatus `json:"status"`
	Message     string          `json:"message"`
	Rubric      string          `json:"rubric"` // of the active score; empty if there is none
	Score       *float64        `json:"score"`  // 0 to 100
	Grade       string          `json:"grade"`
	NCalls      int             `json:"n_calls"`
	NFailed     int             `json:"n_failed"`  // as the active rubric counts them, else as the source does
	NUnknown    int             `json:"n_unknown"` // calls of unknown outcome, counted alike
	Corrections int             `json:"corrections"`
	Truncated   bool            `json:"truncated"`
	Holdout     bool            `json:"holdout,omitempty"` // never used to decide
	Model       string          `json:"model"`
	Tokens      *Tokens         `json:"tokens"`
	CostUSD     *float64        `json:"cost_usd"`
	Priced      string          `json:"priced,omitzero"` // date of the table of prices that the cost was computed by; empty if the source gave it
	StartedAt   time.Time       `json:"started_at,omitzero"`
	Duration    *time.Duration  `json:"duration_s"` // in JSON, seconds
	RecordedAt  time.Time       `json:"recorded_at"`
	Source      string          `json:"source"`
	Key         string          `json:"key"`
	Open        bool            `json:"open"` // the source ended within it
	ForgottenAt time.Time       `json:"forgotten_at,omitzero"`

	Truths   map[string]float64 `json:"truths,omitempty"` // ground-truth labels
	Prompt   *RecordedText      `json:"prompt,omitempty"`
	Output   *RecordedText      `json:"output,omitempty"`
	Calls    []RecordedCall     `json:"calls,omitempty"`
	Requests []ModelRequest     `json:"requests,omitempty"` // to the model, by number from 1
	Scores   []RecordedScore    `json:"scores,omitempty"`   // under every rubric, by name
}

// At returns when the execution started; when it was recorded if the start is unknown.
func (e RecordedExecution) At() time.Time {
	if e.StartedAt.IsZero() {
		return e.RecordedAt
	}
	return e.StartedAt
}

// RecordedCall is a tool call as it is read back.
type RecordedCall struct {
	Key       string         `json:"key,omitempty"`
	Tool      string         `json:"tool"`
	Exit      *int           `json:"exit"`
	Error     string         `json:"error"`
	Answered  bool           `json:"answered"`
	Rejected  bool           `json:"rejected"`
	Input     RecordedText   `json:"input"`
	Output    *RecordedText  `json:"output"` // nil if unknown
	StartedAt time.Time      `json:"started_at,omitzero"`
	Duration  *time.Duration `json:"duration_s"`        // in JSON, seconds
	Request   int            `json:"request,omitempty"` // number of the request that asked for it, from 1; 0 if unknown
}

// RecordedText is a masked text: its digest, its size, and the text itself only if it is kept.
type RecordedText struct {
	Digest     TextDigest `json:"sha256"`
	Bytes      int        `json:"bytes"`
	WholeBytes int        `json:"whole_bytes,omitempty"` // of the text that this one is a part of; 0 if it is whole
	Text       *string    `json:"text"`                  // nil if it is not kept
}

// NewRecordedText returns a masked text as it is recorded; the text itself only if it is to be kept.
func NewRecordedText(text string, keep bool) *RecordedText {
	r := &RecordedText{Digest: sha256.Sum256([]byte(text)), Bytes: len(text)}
	if keep {
		r.Text = &text
	}
	return r
}

// TextDigest is the SHA-256 of a masked text, in hexadecimal in JSON.
type TextDigest [sha256.Size]byte

func (d TextDigest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest in hexadecimal.
func (d TextDigest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a digest in hexadecimal.
func (d *TextDigest) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(d[:], text[:min(len(text), 2*len(d))]); err != nil || n != len(d) || len(text) != 2*len(d) {
		return fmt.Errorf("%q is not a SHA-256 in hexadecimal", text)
	}
	return nil
}

// RecordedScore is the score of an execution under a rubric.
type RecordedScore struct {
	Rubric     string           `json:"rubric"`
	Active     bool             `json:"active"` // it counts: the caller's own score, else that of the default rubric
	Score      *float64         `json:"score"`  // 0 to 100; nil if it has none
	Grade      string           `json:"grade"`
	NFailed    int              `json:"n_failed"`
	NUnknown   int              `json:"n_unknown"`
	Components []ComponentValue `json:"components,omitempty"`
	Detail     jsontext.Value   `json:"detail"` // the components with reasons and counts
	ScoredAt   time.Time        `json:"scored_at"`
}

// ComponentValue is the value of a component of a score; nil if it could not be measured.
type ComponentValue struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
}

// AnnotationKind says what is attached to a configuration.
type AnnotationKind string

// The kinds.
const (
	AnnotationNote AnnotationKind = "note" // a text; a configuration can have several
	AnnotationTag  AnnotationKind = "tag"  // a name
)

// Annotation adds a note or a tag to a configuration of a scenario, or removes one. Of several that are about the same
// note or tag, the one with the latest time counts; of equal times, the one with the larger ID. So databases that hold
// the same annotations agree, in whatever order they were merged.
type Annotation struct {
	ID            string // ULID
	Kind          AnnotationKind
	Removed       bool
	Scenario      string
	Configuration Configuration
	Subject       string // the tag, or the ID that the note was added with
	Text          string // of a note that is added, or why something was removed
	Actor         string
	At            time.Time
}

// EachText implements [Fact].
func (a *Annotation) EachText(v TextVisitor) {
	v.Name("scenario", a.Scenario)
	a.Configuration.EachText(v)
	v.Name(string(a.Kind), a.Subject)
	v.Free("text", &a.Text)
	v.Name("actor", a.Actor)
}

// maxNote is the largest number of bytes of a note.
const maxNote = 16 << 10

// Check returns why the annotation cannot be recorded; nil if it can.
func (a *Annotation) Check() *FieldError {
	wrong := func(field, format string, args ...any) *FieldError {
		return (&FieldError{Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
	}
	if err := CheckScenarioName(a.Scenario); err != nil {
		return wrong("scenario", "%v", err)
	}
	if err := CheckName(a.Subject); err != nil {
		return wrong(string(a.Kind), "%v", err)
	}
	switch {
	case a.Kind != AnnotationNote && a.Kind != AnnotationTag:
		return wrong("kind", "unknown kind %q", a.Kind)
	case a.Kind == AnnotationNote && !a.Removed && strings.TrimSpace(a.Text) == "":
		return wrong("text", "is empty")
	case len(a.Text) > maxNote:
		return wrong("text", "is %d bytes long; at most %d are allowed", len(a.Text), maxNote)
	}
	return nil
}
