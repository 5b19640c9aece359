package inspect

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// header is what is used of the part of a log that tells of all samples.
type header struct {
	EvalID  string `json:"eval_id"`
	RunID   string `json:"run_id"`
	Task    string `json:"task"`
	TaskID  string `json:"task_id"`
	Model   string `json:"model"`
	Created string `json:"created"`
}

type sample struct {
	ID          jsontext.Value            `json:"id"`
	Epoch       int                       `json:"epoch"`
	UUID        string                    `json:"uuid"`
	Messages    []message                 `json:"messages"`
	Output      *output                   `json:"output"`
	Scores      map[string]score          `json:"scores"`
	Usage       map[string]modelUsage     `json:"model_usage"`
	TotalTime   *float64                  `json:"total_time"` // seconds
	StartedAt   string                    `json:"started_at"`
	Error       jsontext.Value            `json:"error"`
	Limit       jsontext.Value            `json:"limit"`
	Events      []event                   `json:"events"`
	Attachments map[string]jsontext.Value `json:"attachments"`
}

type message struct {
	Role     string         `json:"role"`
	Content  jsontext.Value `json:"content"`
	CallID   string         `json:"tool_call_id"`
	Function string         `json:"function"`
	Error    *problem       `json:"error"`
	Model    string         `json:"model"`
	Calls    []toolCall     `json:"tool_calls"`
}

type toolCall struct {
	ID        string         `json:"id"`
	Function  string         `json:"function"`
	Arguments jsontext.Value `json:"arguments"`
}

type problem struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type output struct {
	Model   string `json:"model"`
	Choices []struct {
		Message message `json:"message"`
		Stop    string  `json:"stop_reason"`
	} `json:"choices"`
	Error string      `json:"error"`
	Usage *modelUsage `json:"usage"`
}

type modelUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	Total      *int64 `json:"total_tokens"`
	CacheRead  *int64 `json:"input_tokens_cache_read"`
	CacheWrite *int64 `json:"input_tokens_cache_write"`
	Reasoning  *int64 `json:"reasoning_tokens"`
}

type event struct {
	Event     string         `json:"event"`
	ID        string         `json:"id"`
	Timestamp string         `json:"timestamp"`
	Completed string         `json:"completed"`
	Working   *float64       `json:"working_time"` // seconds
	Error     *problem       `json:"error"`
	Output    jsontext.Value `json:"output"`
}

// decodeSample makes an execution of a sample.
func decodeSample(h header, raw []byte, line int) ([]importer.Item, error) {
	var s sample
	if err := importer.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	id := strings.Trim(string(s.ID), `"`)
	if id == "" || id == "null" {
		return nil, errors.New("a sample without id")
	}
	task := importer.Name(id)
	if h.Task != "" {
		task = importer.Name(h.Task + "/" + id)
	}
	draft := importer.NewDraft(importer.NewBudget(), line, track.Execution{
		Key: s.key(h, id), Source: importer.Inspect, Task: task, Trial: max(0, s.Epoch), Session: importer.Name(h.EvalID),
		Model: importer.Name(h.Model), Truths: s.truths(), Tokens: s.tokens(),
	})
	if draft.Session == "" {
		draft.Session = importer.Name(h.RunID)
	}
	s.replay(draft)
	s.times(draft)
	s.requests(draft)
	s.ending(draft)
	return draft.Close(), nil
}

// key identifies a sample: by its own uuid, in older logs by those of the log.
func (s sample) key(h header, id string) string {
	if s.UUID != "" {
		return importer.Key(importer.Inspect, s.UUID)
	}
	run := h.EvalID
	if run == "" {
		run = h.RunID + ":" + h.TaskID
	}
	return importer.Key(importer.Inspect, run, id, strconv.Itoa(s.Epoch))
}

// times takes from the tool events when calls ran, and what the sample says of the whole.
func (s sample) times(draft *importer.Draft) {
	for _, e := range s.Events {
		if draft.StartedAt.IsZero() {
			draft.StartedAt = importer.Time(e.Timestamp)
		}
		if e.Event != "tool" {
			continue
		}
		call := draft.Find(e.ID)
		if call == nil {
			continue
		}
		call.StartedAt = importer.Time(e.Timestamp)
		if call.Duration = importer.Between(call.StartedAt, importer.Time(e.Completed)); call.Duration == nil && e.Working != nil {
			call.Duration = importer.Seconds(*e.Working)
		}
		if e.Error != nil && call.Error == "" {
			fail(draft, call, *e.Error)
		}
	}
	if at := importer.Time(s.StartedAt); !at.IsZero() {
		draft.StartedAt = at
	}
	if s.TotalTime != nil {
		draft.Duration = importer.Seconds(*s.TotalTime)
	}
}

// requests takes from the model events what each request used, and which calls it asked for.
func (s sample) requests(draft *importer.Draft) {
	for _, e := range s.Events {
		var answer output
		if e.Event != "model" || e.Output.Kind() != '{' || importer.Unmarshal(e.Output, &answer) != nil {
			continue
		}
		request := draft.Request(answer.Model, answer.Usage.tokens())
		for _, choice := range answer.Choices {
			for _, c := range choice.Message.Calls {
				if call := draft.Find(c.ID); call != nil && call.Request == 0 {
					call.Request = request
				}
			}
		}
	}
}

// ending takes how the sample ended.
func (s sample) ending(draft *importer.Draft) {
	if s.Output != nil {
		if name := importer.Name(s.Output.Model); name != "" {
			draft.Model = name
		}
		if len(s.Output.Choices) > 0 {
			choice := s.Output.Choices[0]
			draft.Truncated = choice.Stop == "max_tokens" || choice.Stop == "model_length"
			if text := s.text(choice.Message.Content); !draft.Spoken() && text != "" && len(choice.Message.Calls) == 0 {
				draft.Output = &text
			}
		}
		if s.Output.Error != "" {
			draft.Status, draft.Message = track.ExecutionError, s.Output.Error
		}
	}
	if message := named(s.Error, "message"); s.Error.Kind() == '{' {
		draft.Status, draft.Message = track.ExecutionError, message
	}
	if limit := named(s.Limit, "type"); limit == "time" || limit == "working" {
		draft.Status, draft.Message = track.ExecutionTimeout, "limit: "+limit
	} else if limit != "" && draft.Status == track.ExecutionOK {
		draft.Message = "limit: " + limit
	}
}

// named returns the text of a member of an object.
func named(object jsontext.Value, name string) string {
	var members map[string]jsontext.Value
	if object.Kind() != '{' || importer.Unmarshal(object, &members) != nil {
		return ""
	}
	return importer.String(members[name])
}

type score struct {
	Value jsontext.Value `json:"value"`
}

// truths returns the scores as numbers; nil where there are none.
func (s sample) truths() map[string]float64 {
	truths := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(s.Scores)) {
		value := s.Scores[name].Value
		if name = importer.Name(name); name == "" {
			continue
		}
		if x, ok := number(value); ok {
			truths[name] = x
		}
		for part, x := range parts(value) {
			if key := importer.Name(name + "." + part); key != "" {
				truths[key] = x
			}
		}
	}
	if len(truths) == 0 {
		return nil
	}
	return truths
}

// parts returns the values of a score that has several: by name, or by place.
func parts(value jsontext.Value) map[string]float64 {
	named := map[string]jsontext.Value{}
	switch value.Kind() {
	case '{':
		if importer.Unmarshal(value, &named) != nil {
			return nil
		}
	case '[':
		var list []jsontext.Value
		if importer.Unmarshal(value, &list) != nil {
			return nil
		}
		for i, element := range list {
			named[strconv.Itoa(i)] = element
		}
	}
	numbers := map[string]float64{}
	for name, element := range named {
		if x, ok := number(element); ok {
			numbers[name] = x
		}
	}
	return numbers
}

// number reads a value of a score. The letters are those of Inspect: correct, incorrect, partial, no answer.
func number(value jsontext.Value) (x float64, ok bool) {
	switch value.Kind() {
	case '0':
		x, err := strconv.ParseFloat(string(value), 64)
		return x, err == nil && !math.IsInf(x, 0)
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '"':
		switch text := importer.String(value); text {
		case "C":
			return 1, true
		case "I", "N":
			return 0, true
		case "P":
			return 0.5, true
		default:
			x, err := strconv.ParseFloat(text, 64)
			return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
		}
	}
	return 0, false
}

// tokens returns the sum over models; nil where no usage is known.
func (s sample) tokens() *track.Tokens {
	var t track.Tokens
	for _, name := range slices.Sorted(maps.Keys(s.Usage)) {
		s.Usage[name].addTo(&t)
	}
	if t == (track.Tokens{}) {
		return nil
	}
	return &t
}

// tokens returns the counts apart from each other; nil if there are none.
func (u *modelUsage) tokens() *track.Tokens {
	if u == nil {
		return nil
	}
	var t track.Tokens
	u.addTo(&t)
	return &t
}

func (u modelUsage) addTo(t *track.Tokens) {
	if u.includesCache() {
		input := max(0, *u.Input-*u.CacheRead)
		u.Input = &input
	}
	importer.AddCount(&t.Input, u.Input)
	importer.AddCount(&t.Output, u.Output)
	importer.AddCount(&t.CacheRead, u.CacheRead)
	importer.AddCount(&t.CacheWrite, u.CacheWrite)
	importer.AddCount(&t.Reasoning, u.Reasoning)
}

// includesCache says whether the input counts the cache: then input and output alone make the total.
func (u modelUsage) includesCache() bool {
	return u.Input != nil && u.Output != nil && u.Total != nil && u.CacheRead != nil && *u.CacheRead > 0 && *u.CacheRead <= *u.Input &&
		*u.Total == *u.Input+*u.Output
}

// replay goes through the messages.
func (s sample) replay(draft *importer.Draft) {
	draft.Mute = !slices.ContainsFunc(s.Messages, func(m message) bool { return m.Role == "assistant" })
	for _, m := range s.Messages {
		switch m.Role {
		case "user":
			draft.Ask(s.text(m.Content))
		case "assistant":
			draft.Speak(s.text(m.Content))
			for _, c := range m.Calls {
				draft.Call(s.call(c.ID, c.Function, c.Arguments))
			}
		case "tool":
			s.result(draft, m)
		}
	}
}

func (s sample) call(id, function string, arguments jsontext.Value) track.ToolCall {
	call := track.ToolCall{Key: id, Tool: function}
	if len(arguments) > 0 {
		call.Input = importer.Canonical(arguments)
	}
	call.Command = importer.ShellCommand(function, arguments)
	return call
}

func (s sample) result(draft *importer.Draft, m message) {
	call := draft.Find(m.CallID)
	if call == nil || call.Answered { // only the result is in the log, or the model used an id twice
		n := len(draft.Calls)
		id := m.CallID
		if call != nil || id == "" {
			id = ""
		}
		if draft.Call(s.call(id, m.Function, nil)); len(draft.Calls) == n {
			return
		}
		call = &draft.Calls[n]
	}
	draft.Answer(call, s.text(m.Content), time.Time{})
	if m.Error != nil {
		fail(draft, call, *m.Error)
	}
}

func fail(draft *importer.Draft, call *track.ToolCall, p problem) {
	draft.Fail(call, strings.TrimPrefix(p.Type+": "+p.Message, ": "))
	if p.Type == "approval" {
		call.Rejected = true
		draft.Corrections++
	}
}

// text returns the text of a content; long ones stand among the attachments.
func (s sample) text(content jsontext.Value) string {
	switch content.Kind() {
	case '"':
		return s.attached(importer.String(content))
	case '[':
		var parts []jsontext.Value
		if importer.Unmarshal(content, &parts) != nil {
			return ""
		}
		var texts []string
		for _, raw := range parts {
			var part struct {
				Type string `json:"type"`
				Text string `json:"text"`
			}
			if raw.Kind() == '{' && importer.Unmarshal(raw, &part) == nil && part.Type == "text" {
				texts = append(texts, s.attached(part.Text))
			}
		}
		return strings.Join(texts, "\n\n")
	}
	return ""
}

func (s sample) attached(text string) string {
	if name, ok := strings.CutPrefix(text, "attachment://"); ok {
		if attachment, known := s.Attachments[name]; known {
			return importer.String(attachment)
		}
	}
	return text
}
