package claudecode

import (
	"cmp"
	"strings"

	"track"
	"track/importer"
	"track/importer/claudetools"
)

// thread is the main thread or that of a subagent.
type thread struct {
	budget   *importer.Budget
	agent    string
	subagent bool
	open     *importer.Draft // the execution that is going on
	asked    *importer.Draft // the prompt that has no answer yet
	tokens   tokenCount
	requests map[string]int // numbers of the requests of the open execution, by the id of the message
	rejected bool           // the last thing that happened is that the user refused a call
	stopped  bool           // the last thing that happened is that the user stopped the assistant
}

// user takes a line that stands in the user's name.
func (t *thread) user(number int, l line, m message) []importer.Item {
	blocks := m.blocks()
	if l.isPrompt(blocks) {
		items := t.close()
		t.asked = t.begin(number, l)
		t.asked.Ask(textOf(blocks))
		return items
	}
	for _, b := range blocks {
		switch {
		case b.Type == "tool_result":
			t.result(l, b)
		case claudetools.IsInterrupt(b.Text):
			t.interrupt(l, strings.Contains(b.Text, "for tool use"))
		}
	}
	return nil
}

// textOf returns the text of the blocks of a message.
func textOf(blocks []block) string {
	var texts []string
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (t *thread) begin(number int, l line) *importer.Draft {
	key := l.UUID
	if key == "" {
		key = l.Timestamp
	}
	parts := []string{importer.ClaudeCode, l.Session, key}
	if t.subagent && t.agent != "" {
		parts = []string{importer.ClaudeCode, l.Session, t.agent, key}
	}
	draft := importer.NewDraft(t.budget, number, track.Execution{
		Key: importer.Key(parts...), Source: importer.ClaudeCode, Session: importer.Name(l.Session), StartedAt: importer.Time(l.Timestamp),
	})
	draft.Subagent = t.subagent
	return draft
}

// current returns the execution that a line of the assistant, or a result, belongs to. A transcript that begins in
// the midst of one has no prompt of it.
func (t *thread) current(number int, l line) *importer.Draft {
	if t.asked != nil {
		t.open, t.asked = t.asked, nil
	}
	if t.open == nil {
		t.open = t.begin(number, l)
	}
	t.open.Touch(importer.Time(l.Timestamp))
	return t.open
}

func (t *thread) assistant(number int, l line, m message) {
	draft := t.current(number, l)
	t.rejected, t.stopped = false, false
	if m.Model == "<synthetic>" { // Claude Code itself speaks
		if l.APIError {
			draft.Status, draft.Message = track.ExecutionError, claudetools.Text(m.Content)
			draft.Speak("")
		}
		return
	}
	draft.Status, draft.Message = track.ExecutionOK, "" // it went on after an error
	if name := importer.Name(m.Model); name != "" {
		draft.Model = name
	}
	if m.Usage != nil {
		t.tokens.add(cmp.Or(m.ID, l.Request), *m.Usage)
	}
	t.request(l, m)
	if m.Stop != "" {
		draft.Truncated = m.Stop == "max_tokens" || m.Stop == "model_context_window_exceeded"
	}
	for _, b := range m.blocks() {
		switch b.Type {
		case "tool_use", "server_tool_use", "mcp_tool_use":
			draft.Call(b.call(l))
		case "text":
			draft.Speak(b.Text)
		default:
			draft.Speak("")
		}
	}
}

// request notes the request that a line of the assistant is an answer to. Each line of an answer repeats what it used.
func (t *thread) request(l line, m message) {
	var tokens *track.Tokens
	if u := m.Usage; u != nil {
		tokens = &track.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	}
	id := cmp.Or(m.ID, l.Request)
	if number := t.requests[id]; number > 0 {
		t.open.Continue(number, tokens)
		return
	}
	number := t.open.Request(m.Model, tokens)
	if id == "" {
		return
	}
	t.open.Identify(number, m.ID, l.Request)
	if t.requests == nil {
		t.requests = map[string]int{}
	}
	t.requests[id] = number
}

// result takes the result of a call. One whose call was not seen answers nothing: its line was damaged, or stands in
// another file.
func (t *thread) result(l line, b block) {
	if t.open == nil {
		return
	}
	call := t.open.Find(b.ToolUseID)
	if call == nil {
		return
	}
	t.open.Touch(importer.Time(l.Timestamp))
	text := claudetools.Text(b.Content)
	call.Duration = claudetools.Duration(l.Result)
	t.open.Answer(call, text, importer.Time(l.Timestamp))
	switch {
	case b.IsError && claudetools.IsRejection(text):
		call.Rejected = true
		t.open.Fail(call, "the user refused it")
		t.open.Corrections++
		t.rejected = true
		return
	case b.IsError:
		call.Exit = claudetools.Exit(text)
		t.open.Fail(call, claudetools.Message(text))
	default:
		if name, content, ok := claudetools.Written(call.Tool, []byte(call.Input), l.Result); ok {
			t.open.Wrote(name, content)
		}
	}
	t.rejected = false
}

func (t *thread) interrupt(l line, forToolUse bool) {
	t.stopped = true
	draft := t.open
	if t.asked != nil { // before the assistant did anything
		draft = t.asked
		t.open, t.asked = draft, nil
	}
	if draft == nil || forToolUse && t.rejected {
		return
	}
	draft.Touch(importer.Time(l.Timestamp))
	draft.Corrections++
	t.rejected = false
}

// system takes a line of Claude Code's own: it measures how long a turn took.
func (t *thread) system(l line) {
	if t.open != nil && t.asked == nil && l.Subtype == "turn_duration" && l.DurationMS != nil {
		t.open.Duration = importer.Seconds(*l.DurationMS / 1000)
	}
}

// close ends the execution where the next prompt begins.
func (t *thread) close() []importer.Item {
	if t.open == nil {
		return nil
	}
	return t.finish().Close()
}

// end ends the execution where the transcript ends.
func (t *thread) end() []importer.Item {
	if t.open == nil {
		return nil
	}
	if t.asked != nil || t.stopped {
		return t.close()
	}
	return t.finish().End()
}

func (t *thread) finish() *importer.Draft {
	draft := t.open
	draft.Tokens = t.tokens.total()
	t.open, t.tokens, t.requests, t.rejected, t.stopped = nil, tokenCount{}, nil, false, false
	return draft
}
