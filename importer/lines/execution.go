package lines

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/jsonio"
)

// executionLine is a line of kind execution.
type executionLine struct {
	Kind        string             `json:"kind"`
	V           int                `json:"v"`
	Key         string             `json:"key"`
	Source      string             `json:"source"`
	Lineage     string             `json:"lineage"`
	Version     string             `json:"version"`
	Task        string             `json:"task"`
	TaskType    string             `json:"task_type"`
	Complexity  string             `json:"complexity"`
	Trial       int                `json:"trial"`
	Session     string             `json:"session"`
	Status      string             `json:"status"`
	Message     string             `json:"message"`
	Calls       []call             `json:"calls"`
	Requests    []request          `json:"requests"`
	Prompt      *string            `json:"prompt"`
	Output      *string            `json:"output"`
	Truncated   bool               `json:"truncated"`
	Corrections int                `json:"corrections"`
	Model       string             `json:"model"`
	Tokens      *tokens            `json:"tokens"`
	CostUSD     *float64           `json:"cost_usd"`
	Priced      string             `json:"priced"`
	StartedAt   string             `json:"started_at"`
	Duration    *float64           `json:"duration_s"`
	Score       *float64           `json:"score"`
	Judge       *judge             `json:"judge"`
	Holdout     bool               `json:"holdout"`
	Truths      map[string]float64 `json:"truths"`
	Files       []file             `json:"files"`
}

// judge is who gave a score.
type judge struct {
	Model  string           `json:"model"`
	Prompt track.TextDigest `json:"prompt_sha256"`
}

type call struct {
	Key       string         `json:"key"`
	Tool      string         `json:"tool"`
	Input     jsontext.Value `json:"input"`
	Command   string         `json:"command"`
	Exit      *int           `json:"exit"`
	Error     string         `json:"error"`
	Answered  *bool          `json:"answered"`
	Rejected  bool           `json:"rejected"`
	Output    *string        `json:"output"`
	Whole     int            `json:"output_whole_bytes"`
	StartedAt string         `json:"started_at"`
	Duration  *float64       `json:"duration_s"`
	Request   int            `json:"request"`
}

// request is a request to a model.
type request struct {
	Message string  `json:"message_id"`
	ID      string  `json:"request_id"`
	Model   string  `json:"model"`
	Tokens  *tokens `json:"tokens"`
}

type tokens struct {
	Input      *int64 `json:"input"`
	Output     *int64 `json:"output"`
	CacheRead  *int64 `json:"cache_read"`
	CacheWrite *int64 `json:"cache_write"`
	Reasoning  *int64 `json:"reasoning"`
}

type file struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// ParseResult reads the execution that a command prints of itself: a line of kind execution, whose kind may be missing.
// Its error names the field.
func ParseResult(text []byte) (track.Execution, *track.FieldError) {
	return parseLine(text, executionLine{Kind: kindExecution})
}

// parseExecution reads a line of kind execution. Its error names the field.
func parseExecution(text []byte) (track.Execution, *track.FieldError) {
	return parseLine(text, executionLine{})
}

// parseLine reads a line over what it says where it says nothing.
func parseLine(text []byte, l executionLine) (track.Execution, *track.FieldError) {
	err := unmarshal(text, func(text []byte) error {
		return json.Unmarshal(text, &l, json.RejectUnknownMembers(true), json.WithUnmarshalers(jsonio.Numbers()))
	})
	if err != nil {
		if newer := versionError(text); newer != nil {
			return track.Execution{}, newer
		}
		if kind := kindOf(text); kind != "" && kind != "execution" {
			_, failure := executionLine{Kind: kind}.execution()
			return track.Execution{}, failure.Shorten()
		}
		return track.Execution{}, jsonio.FieldError(err).Shorten()
	}
	execution, failure := l.execution()
	if failure == nil {
		failure = execution.Validate()
	}
	return execution, failure.Shorten()
}

func (l executionLine) execution() (track.Execution, *track.FieldError) {
	if newer := checkVersion(l.V); newer != nil {
		return track.Execution{}, newer
	}
	switch l.Kind {
	case "execution":
	case "":
		return track.Execution{}, &track.FieldError{Field: "kind", Message: `missing: an execution says "kind":"execution"`}
	default:
		return track.Execution{}, &track.FieldError{Field: "kind", Message: fmt.Sprintf(`%q is not an execution: use "execution"; seeds are recorded as a batch`, l.Kind)}
	}
	e := track.Execution{
		Key: l.Key, Source: cmp.Or(l.Source, importer.JSONL), Lineage: l.Lineage, Version: l.Version, Task: l.Task, TaskType: l.TaskType, Trial: l.Trial,
		Session: l.Session, Message: l.Message, Prompt: l.Prompt, Output: l.Output, Truncated: l.Truncated, Corrections: l.Corrections, Model: l.Model,
		Tokens: (*track.Tokens)(l.Tokens), CostUSD: l.CostUSD, Priced: l.Priced, Score: l.Score, Judge: (*track.Judge)(l.Judge), Holdout: l.Holdout, Truths: l.Truths,
	}
	if !CarriesSource(e.Source) {
		return e, &track.FieldError{Field: "source", Message: fmt.Sprintf("%q is not a format of logs that track import reads", l.Source)}
	}
	var err error
	if e.Status, err = track.ParseExecutionStatus(l.Status); err != nil {
		return e, &track.FieldError{Field: "status", Message: err.Error()}
	}
	if e.Complexity, err = track.ParseComplexity(l.Complexity); err != nil {
		return e, &track.FieldError{Field: "complexity", Message: err.Error()}
	}
	var failure *track.FieldError
	if e.StartedAt, e.Duration, failure = times("", l.StartedAt, l.Duration); failure != nil {
		return e, failure
	}
	for i, c := range l.Calls {
		call, failure := c.call("calls."+strconv.Itoa(i)+".", l.Source != "")
		if failure != nil {
			return e, failure
		}
		e.Calls = append(e.Calls, call)
	}
	for _, r := range l.Requests {
		e.Requests = append(e.Requests, track.ModelRequest{Message: r.Message, ID: r.ID, Model: r.Model, Tokens: (*track.Tokens)(r.Tokens)})
	}
	if l.Source == "" && e.Tokens == nil { // logs say their totals
		e.Tokens = track.SumOfRequests(e.Requests)
	}
	for _, f := range l.Files {
		e.Files = append(e.Files, track.WrittenFile(f))
	}
	return e, nil
}

// CarriesSource reports whether a line can say that an execution has a source: a format of logs.
func CarriesSource(source string) bool {
	return slices.ContainsFunc(importer.Formats(), func(f importer.Format) bool { return f.Name == source })
}

// call returns the tool call. In a line that names a source, an input that is a string is the text itself: logs may
// have inputs that are not JSON.
func (c call) call(field string, isLog bool) (track.ToolCall, *track.FieldError) {
	if c.Tool == "" {
		return track.ToolCall{}, &track.FieldError{Field: field + "tool", Message: "missing"}
	}
	t := track.ToolCall{
		Key: c.Key, Tool: c.Tool, Command: c.Command, Exit: c.Exit, Error: c.Error, Answered: c.Answered == nil || *c.Answered,
		Rejected: c.Rejected, Output: c.Output, WholeOutput: c.Whole, Request: c.Request,
	}
	switch {
	case isLog && c.Input.Kind() == '"':
		if err := json.Unmarshal(c.Input, &t.Input, jsontext.AllowInvalidUTF8(true)); err != nil {
			return t, &track.FieldError{Field: field + "input", Message: err.Error()}
		}
	case len(c.Input) > 0:
		t.Input = importer.Canonical(c.Input)
	}
	var failure *track.FieldError
	t.StartedAt, t.Duration, failure = times(field, c.StartedAt, c.Duration)
	return t, failure
}

// times reads when something began and how long it took. field is the prefix of the names of fields.
func times(field, startedAt string, seconds *float64) (start time.Time, duration *time.Duration, failure *track.FieldError) {
	if startedAt != "" {
		var err error
		if start, err = time.Parse(time.RFC3339Nano, startedAt); err != nil {
			return start, nil, &track.FieldError{Field: field + "started_at", Message: fmt.Sprintf("%q is not a time such as 2026-01-02T15:04:05Z", startedAt)}
		}
	}
	if seconds != nil {
		if duration = importer.Seconds(*seconds); duration == nil {
			message := fmt.Sprintf("%v is not a number of seconds from 0 to a hundred years", math.Round(*seconds*1e6)/1e6)
			return start, nil, &track.FieldError{Field: field + "duration_s", Message: message}
		}
	}
	return start, duration, nil
}

// AppendExecution appends an execution as a line, which [parseExecution] reads as the same execution. A
// source that is not a format of logs is left out.
func AppendExecution(b []byte, e track.Execution) ([]byte, error) {
	l := executionLine{
		Kind: "execution", Key: e.Key, Lineage: e.Lineage, Version: e.Version, Task: e.Task, TaskType: e.TaskType, Complexity: string(e.Complexity), Trial: e.Trial,
		Session: e.Session, Status: string(e.Status), Message: e.Message, Prompt: e.Prompt, Output: e.Output, Truncated: e.Truncated, Corrections: e.Corrections, Model: e.Model,
		Tokens: (*tokens)(e.Tokens), CostUSD: e.CostUSD, Priced: e.Priced, StartedAt: timeText(e.StartedAt), Duration: seconds(e.Duration), Score: e.Score, Judge: (*judge)(e.Judge), Holdout: e.Holdout, Truths: e.Truths,
	}
	if e.Source != importer.JSONL && CarriesSource(e.Source) {
		l.Source = e.Source
	}
	for _, c := range e.Calls {
		written := call{
			Key: c.Key, Tool: c.Tool, Command: c.Command, Exit: c.Exit, Error: c.Error, Answered: &c.Answered, Rejected: c.Rejected, Output: c.Output, Whole: c.WholeOutput,
			StartedAt: timeText(c.StartedAt), Duration: seconds(c.Duration), Request: c.Request,
		}
		if c.Input != "" {
			var err error
			if written.Input = jsontext.Value(c.Input); !written.Input.IsValid() || l.Source != "" && written.Input.Kind() == '"' {
				if written.Input, err = json.Marshal(c.Input, jsontext.AllowInvalidUTF8(true)); err != nil {
					return b, err
				}
			}
		}
		l.Calls = append(l.Calls, written)
	}
	for _, r := range e.Requests {
		l.Requests = append(l.Requests, request{r.Message, r.ID, r.Model, (*tokens)(r.Tokens)})
	}
	for _, f := range e.Files {
		l.Files = append(l.Files, file(f))
	}
	text, err := json.Marshal(l, json.OmitZeroStructFields(true), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(append(b, text...), '\n'), err
}

func seconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	s := d.Seconds()
	return &s
}

// ReadExecutions reads lines of kind execution. file names the source. A bad line becomes a Skip with its field.
func ReadExecutions(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return importer.ReadLines(importer.JSONL, file, r, decoder{})
}

type decoder struct{}

// DecodeLine implements [importer.LineDecoder].
func (decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	execution, failure := parseExecution(text)
	if failure != nil {
		return []importer.Item{{Line: number, Skip: &importer.Skip{Line: number, Field: failure.Field, Reason: failure.Message}}}, nil
	}
	return []importer.Item{{Line: number, Execution: &execution}}, nil
}

// End implements [importer.LineDecoder].
func (decoder) End() []importer.Item { return nil }
