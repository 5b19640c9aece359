package chat

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

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
