// Package chat knows conversations as the APIs of models have them: messages with a role, calls of tools and results.
// It reads the messages of OpenAI, also with the older function_call, and the content blocks of Anthropic. Several
// formats consist of them.
package chat

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// Message is a message of a conversation.
type Message struct {
	Role     string         `json:"role"`
	Content  jsontext.Value `json:"content"`
	CallID   string         `json:"tool_call_id"`
	Name     string         `json:"name"`
	Calls    []Call         `json:"tool_calls"`
	Function *Function      `json:"function_call"`
	IsError  bool           `json:"is_error"`
	Model    string         `json:"model"`
	At       jsontext.Value `json:"timestamp"`
	Usage    jsontext.Value `json:"usage"` // of the request that the message answers
	Tokens   *track.Tokens  `json:"-"`     // of that request, if Usage does not say them
}

// usage are counts of tokens in the words of OpenAI or of Anthropic. Prompts include what came from a cache; input
// tokens do not if the counts of the cache stand beside them.
type usage struct {
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	In         struct {
		Cached *int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// tokens returns what the request used that the message answers; nil if no token was counted.
func (m Message) tokens() *track.Tokens {
	var u usage
	if m.Tokens != nil || m.Usage.Kind() != '{' || importer.Unmarshal(m.Usage, &u) != nil {
		return m.Tokens
	}
	counts := importer.Usage{Prompt: u.Prompt, Completion: u.Completion, CacheRead: u.In.Cached, CacheWrite: u.CacheWrite, Reasoning: u.Out.Reasoning}
	if u.Prompt == nil && u.Input != nil {
		importer.AddCount(&counts.Prompt, u.Input)
		importer.AddCount(&counts.Prompt, u.CacheRead)
		importer.AddCount(&counts.Prompt, u.CacheWrite)
	}
	if u.CacheRead != nil {
		counts.CacheRead = u.CacheRead
	}
	if u.Completion == nil {
		counts.Completion = u.Output
	}
	return counts.Tokens()
}

// Call is a call of a tool.
type Call struct {
	ID       string   `json:"id"`
	Function Function `json:"function"`
}

// Function is what a call calls. Arguments are JSON, or a string that holds JSON.
type Function struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// block is a part of a content that is a list.
type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	CallID  string         `json:"tool_use_id"`
	Content jsontext.Value `json:"content"`
	IsError bool           `json:"is_error"`
}

// blocks returns the parts of a content; a string is one of text.
func blocks(content jsontext.Value) (list []block) {
	switch content.Kind() {
	case '"':
		return []block{{Type: "text", Text: importer.String(content)}}
	case '[':
		var parts []jsontext.Value
		if importer.Unmarshal(content, &parts) != nil {
			return nil
		}
		for _, part := range parts {
			var b block
			if part.Kind() == '"' {
				b = block{Type: "text", Text: importer.String(part)}
			} else if part.Kind() != '{' || importer.Unmarshal(part, &b) != nil {
				continue
			}
			list = append(list, b)
		}
	}
	return list
}

// Text returns the text of a content: a string, or parts with text.
func Text(content jsontext.Value) string {
	var texts []string
	for _, b := range blocks(content) {
		if b.Text != "" && (b.Type == "" || strings.HasSuffix(b.Type, "text")) {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// input returns the arguments in one form for all ways to write them, and as JSON.
func (f Function) input() (canonical string, raw jsontext.Value) {
	switch raw = f.Arguments; {
	case len(raw) == 0:
		return "", nil
	case raw.Kind() == '"':
		raw = jsontext.Value(importer.String(raw))
	}
	return importer.Canonical(raw), raw
}

// Replay adds messages to an execution. Calls are numbered: their ids are the model's, and some models use one twice.
type Replay struct {
	Draft *importer.Draft
	// Judge says how a call ended, as far as its result shows; nil for what package chat itself knows.
	Judge func(call *track.ToolCall, text string)

	open map[string][]string // keys of calls without a result, by id
	last []string            // ids of the calls of the last message with any
}

// Add adds the next message.
func (r *Replay) Add(m Message) {
	at := Time(m.At)
	r.Draft.Touch(at)
	switch m.Role {
	case "assistant", "model", "ai":
		r.assistant(m, at)
	case "tool", "function":
		id := m.CallID
		if id == "" && len(r.last) == 1 { // the older function has no ids
			id = r.last[0]
		}
		r.result(id, Text(m.Content), m.IsError, at)
	case "user":
		r.Draft.Ask(Text(m.Content))
		for _, b := range blocks(m.Content) {
			if b.Type == "tool_result" {
				r.result(b.CallID, Text(b.Content), b.IsError, at)
			}
		}
	}
}

func (r *Replay) assistant(m Message, at time.Time) {
	if model := importer.Name(m.Model); model != "" {
		r.Draft.Model = model
	}
	r.Draft.Speak(Text(m.Content))
	r.Draft.Request(m.Model, m.tokens())
	calls := m.Calls
	if m.Function != nil {
		calls = append(calls, Call{ID: m.Function.Name, Function: *m.Function})
	}
	for _, b := range blocks(m.Content) {
		if b.Type == "tool_use" {
			calls = append(calls, Call{b.ID, Function{b.Name, b.Input}})
		}
	}
	if len(calls) > 0 {
		r.last = nil
	}
	for _, c := range calls {
		r.Call(c, at)
	}
}

// Call begins a call.
func (r *Replay) Call(c Call, at time.Time) {
	key := strconv.Itoa(len(r.Draft.Calls)) + ":" + c.ID
	if r.open == nil {
		r.open = map[string][]string{}
	}
	r.open[c.ID] = append(r.open[c.ID], key)
	r.last = append(r.last, c.ID)
	canonical, raw := c.Function.input()
	r.Draft.Call(track.ToolCall{Key: key, Tool: c.Function.Name, Input: canonical, Command: importer.ShellCommand(c.Function.Name, raw), StartedAt: at})
}

// result notes the result of a call. One whose call was not seen answers nothing.
func (r *Replay) result(id, text string, isError bool, at time.Time) {
	call := r.Answer(id, text, at)
	switch {
	case call == nil:
	case isError:
		r.Draft.Fail(call, text)
	case r.Judge != nil:
		r.Judge(call, text)
	default:
		r.judge(call, text)
	}
}

// Answer notes the result of the oldest call with an id that has none; nil if there is no such call.
func (r *Replay) Answer(id, text string, at time.Time) *track.ToolCall {
	keys := r.open[id]
	if len(keys) == 0 {
		return nil
	}
	r.open[id] = keys[1:]
	call := r.Draft.Find(keys[0])
	if call != nil {
		r.Draft.Answer(call, text, at)
	}
	return call
}

// judge takes the exit status out of a result that is a JSON object with one.
func (r *Replay) judge(call *track.ToolCall, text string) {
	var o struct {
		Exit       *int `json:"exit_code"`
		ReturnCode *int `json:"returncode"`
	}
	if value := jsontext.Value(text); value.Kind() != '{' || importer.Unmarshal(value, &o) != nil {
		return
	}
	if call.Exit = o.Exit; call.Exit == nil {
		call.Exit = o.ReturnCode
	}
	if call.Exit != nil && *call.Exit != 0 {
		r.Draft.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	}
}

// Time reads a time: a text, or seconds since 1970.
func Time(value jsontext.Value) time.Time {
	switch value.Kind() {
	case '"':
		return importer.TimeOrUTC(importer.String(value))
	case '0':
		seconds, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return time.Time{}
		}
		return importer.UnixSeconds(seconds)
	}
	return time.Time{}
}
