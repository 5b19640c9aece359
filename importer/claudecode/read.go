package claudecode

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/claudetools"
)

// Read reads a transcript. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) { // each reading has a decoder of its own
		importer.ReadLines(importer.ClaudeCode, file, r, newDecoder())(yield)
	}
}

// decoder follows the threads of one transcript.
type decoder struct {
	budget     *importer.Budget
	main       *thread
	sidechains []*thread // those that are open, the one that spoke last at the end
	parents    recent    // thread of a line of a sidechain, by its uuid
}

// mostSidechains bounds the subagents that run at once; of more, the one that was silent longest is taken as ended.
const mostSidechains = 64

func newDecoder() *decoder {
	budget := importer.NewBudget()
	return &decoder{budget: budget, main: &thread{budget: budget}}
}

// DecodeLine implements [importer.LineDecoder].
func (d *decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	var l line
	if err := importer.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	switch l.Type {
	case "user", "assistant":
		var m message
		if err := importer.Unmarshal(l.Message, &m); err != nil || m.Content.Kind() != '"' && m.Content.Kind() != '[' {
			return nil, errors.New("a line of type " + l.Type + " without a message that has content")
		}
		t, items := d.thread(l)
		if l.Type == "user" {
			return append(items, t.user(number, l, m)...), nil
		}
		t.assistant(number, l, m)
		return items, nil
	case "system":
		if !l.Sidechain {
			d.main.system(l)
		}
		return nil, nil
	case "":
		return nil, errors.New("no line of a transcript: it has no type")
	}
	return nil, nil // summaries, snapshots, progress, and what later versions add
}

// End implements [importer.LineDecoder].
func (d *decoder) End() []importer.Item {
	items := d.main.end()
	for _, t := range d.sidechains {
		items = append(items, t.end()...)
	}
	return items
}

// thread returns the thread that a line belongs to, and the executions of one that had to make room.
func (d *decoder) thread(l line) (*thread, []importer.Item) {
	if !l.Sidechain {
		return d.main, nil
	}
	var t *thread
	for i, open := range d.sidechains {
		if l.Agent != "" && open.agent == l.Agent || l.Agent == "" && l.Parent != "" && d.parents.find(l.Parent) == open {
			t = open
			d.sidechains = append(append(d.sidechains[:i:i], d.sidechains[i+1:]...), t)
			break
		}
	}
	var items []importer.Item
	if t == nil {
		t = &thread{budget: d.budget, agent: l.Agent, subagent: true}
		if len(d.sidechains) == mostSidechains {
			items = d.sidechains[0].end()
			d.sidechains = d.sidechains[1:]
		}
		d.sidechains = append(d.sidechains, t)
	}
	if l.Agent == "" && l.UUID != "" {
		d.parents.add(l.UUID, t)
	}
	return t, items
}

// recent remembers the threads of some thousand lines.
type recent struct{ current, before map[string]*thread }

func (r *recent) add(uuid string, t *thread) {
	if r.current == nil || len(r.current) >= 5000 {
		r.before, r.current = r.current, map[string]*thread{}
	}
	r.current[uuid] = t
}

func (r *recent) find(uuid string) *thread {
	if t := r.current[uuid]; t != nil {
		return t
	}
	return r.before[uuid]
}

// line is what is used of a line of a transcript.
type line struct {
	Type       string         `json:"type"`
	Subtype    string         `json:"subtype"`
	UUID       string         `json:"uuid"`
	Parent     string         `json:"parentUuid"`
	Session    string         `json:"sessionId"`
	Agent      string         `json:"agentId"`
	Sidechain  bool           `json:"isSidechain"`
	Meta       bool           `json:"isMeta"`
	Summary    bool           `json:"isCompactSummary"`
	NoPrompt   bool           `json:"isVisibleInTranscriptOnly"`
	APIError   bool           `json:"isApiErrorMessage"`
	Timestamp  string         `json:"timestamp"`
	DurationMS *float64       `json:"durationMs"`
	Request    string         `json:"requestId"`
	Message    jsontext.Value `json:"message"`
	Result     jsontext.Value `json:"toolUseResult"`
}

type message struct {
	ID      string         `json:"id"`
	Model   string         `json:"model"`
	Content jsontext.Value `json:"content"`
	Stop    string         `json:"stop_reason"`
	Usage   *usage         `json:"usage"`
}

type usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

// block is an element of the content of a message.
type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	IsError   bool           `json:"is_error"`
	Content   jsontext.Value `json:"content"`
}

// blocks reads the content of a message; a string is one block of text. Elements that are no blocks are left out.
func (m message) blocks() []block {
	switch m.Content.Kind() {
	case '"':
		return []block{{Type: "text", Text: importer.String(m.Content)}}
	case '[':
		var raw []jsontext.Value
		if importer.Unmarshal(m.Content, &raw) != nil {
			return nil
		}
		list := make([]block, 0, len(raw))
		for _, element := range raw {
			var b block
			if element.Kind() == '{' && importer.Unmarshal(element, &b) == nil {
				list = append(list, b)
			}
		}
		return list
	}
	return nil
}

// notPrompts begin what Claude Code, not the user, writes in the user's name.
var notPrompts = []string{
	"<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<system-reminder>", "<task-notification>", "<user-memory-input>",
	"Caveat: The messages below were generated by the user while running local commands",
}

// isPrompt says whether the user asked for something with this line.
func (l line) isPrompt(blocks []block) bool {
	if l.Meta || l.Summary || l.NoPrompt || len(blocks) == 0 {
		return false
	}
	text := ""
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return false
		}
		if text == "" {
			text = strings.TrimSpace(b.Text)
		}
	}
	for _, beginning := range notPrompts {
		if strings.HasPrefix(text, beginning) {
			return false
		}
	}
	return text != "" && !claudetools.IsInterrupt(text) || blocks[0].Type == "image" || blocks[0].Type == "document"
}

// call makes a tool call of a block.
func (b block) call(l line) track.ToolCall {
	return track.ToolCall{
		Key: b.ID, Tool: b.Name, Input: importer.Canonical(b.Input), Command: claudetools.Command(b.Name, b.Input),
		StartedAt: importer.Time(l.Timestamp),
	}
}

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

// recentMessages bounds how many messages a count remembers. The lines of one message stand close together.
const recentMessages = 4096

// tokenCount adds up the usage of messages, each once.
type tokenCount struct {
	sum     usage
	current map[string]usage // of the messages that were seen last, by id
	before  map[string]usage
}

// add notes the usage that stands on a line of a message. That of a message without an id counts as it is.
func (t *tokenCount) add(id string, u usage) {
	if id == "" {
		t.sum = t.sum.plus(u)
		return
	}
	if _, known := t.before[id]; known {
		t.before[id] = u
		return
	}
	if t.current == nil {
		t.current = map[string]usage{}
	}
	t.current[id] = u
	if len(t.current) < recentMessages {
		return
	}
	for _, old := range t.before {
		t.sum = t.sum.plus(old)
	}
	t.before, t.current = t.current, nil
}

// total returns the sum of all messages; nil where none had a usage.
func (t *tokenCount) total() *track.Tokens {
	sum := t.sum
	for _, messages := range []map[string]usage{t.before, t.current} {
		for _, u := range messages {
			sum = sum.plus(u)
		}
	}
	if sum == (usage{}) {
		return nil
	}
	return &track.Tokens{Input: sum.Input, Output: sum.Output, CacheRead: sum.CacheRead, CacheWrite: sum.CacheWrite}
}

func (u usage) plus(v usage) usage {
	return usage{
		Input: plus(u.Input, v.Input), Output: plus(u.Output, v.Output),
		CacheRead: plus(u.CacheRead, v.CacheRead), CacheWrite: plus(u.CacheWrite, v.CacheWrite),
	}
}

// plus adds counts of which one may be unknown. A count that is no count is taken as unknown.
func plus(a, b *int64) *int64 {
	const most = 1 << 50
	if b == nil || *b < 0 || *b > most {
		return a
	}
	sum := *b
	if a != nil {
		sum += *a
	}
	if sum > most {
		return a
	}
	return &sum
}
