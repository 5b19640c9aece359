package codex

import (
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// Read reads a rollout. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		importer.ReadLines(importer.Codex, file, r, &decoder{budget: importer.NewBudget(), running: map[string]string{}, polls: map[string]string{}})(yield)
	}
}

// decoder follows one session.
type decoder struct {
	budget   *importer.Budget
	session  string
	model    string
	prompts  int             // that were seen
	last     time.Time       // when the last execution began
	events   bool            // the rollout has an event for each prompt
	open     *importer.Draft // the execution that is going on
	began    bool            // and the assistant has done something
	reply    string          // what agent_message said last
	tokens   tokenCount
	requests requests
	refused  bool // the last thing that happened is that the user refused a call
	prefix   prefix
	turn     string // id of the turn that is going on; empty in older versions

	running map[string]string // key of the call that started a command, by its session
	polls   map[string]string // session of the command that a call of write_stdin looks at, by its key
}

// requests is what was counted of the requests of the execution that is going on.
type requests struct {
	began bool
	ahead bool // what a request used stands before the calls that it asked for
	calls int  // whose request is known, if it stands behind them
}

// mostRunning bounds the commands that are remembered as running.
const mostRunning = 10_000

// DecodeLine implements [importer.LineDecoder].
func (d *decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	var l line
	if err := importer.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	payload, kind := l.Payload, l.Type
	if len(payload) == 0 {
		payload, kind = jsontext.Value(text), "response_item"
	}
	var i item
	if err := importer.Unmarshal(payload, &i); err != nil {
		if isUnused(payload) {
			return nil, nil
		}
		return nil, err
	}
	at := importer.Time(l.Timestamp)
	if kind == "session_meta" {
		d.meta(at, i)
		return nil, nil
	}
	if d.prefix.active && d.isOwn(at, i) {
		d.leavePrefix()
	}
	items, err := d.line(number, at, kind, i, len(l.Payload) == 0)
	if d.prefix.active {
		items = nil
	}
	return items, err
}

// line takes a line that is not about the session.
func (d *decoder) line(number int, at time.Time, kind string, i item, bare bool) ([]importer.Item, error) {
	if turn := importer.String(i.Turn); turn != "" {
		d.turn = turn
	}
	switch kind {
	case "turn_context":
		d.useModel(i.Model)
	case "event_msg":
		return d.event(number, at, i), nil
	case "response_item":
		return d.item(number, at, i, bare)
	case "":
		return nil, errors.New("no line of a rollout: it has no type")
	}
	return nil, nil
}

// isUnused says whether a payload that is not as expected is of a type that says nothing here anyway.
func isUnused(payload jsontext.Value) bool {
	var kind struct {
		Type string `json:"type"`
	}
	if importer.Unmarshal(payload, &kind) != nil {
		return false
	}
	switch kind.Type {
	case "", "message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call",
		"web_search_call", "user_message", "token_count", "exec_command_end", "turn_aborted", "task_complete":
		return false
	}
	return true
}

func (d *decoder) useModel(model string) {
	if model = importer.Name(model); model == "" {
		return
	}
	d.model = model
	if d.open != nil {
		d.open.Model = model
	}
}

// item takes a line of the conversation.
func (d *decoder) item(number int, at time.Time, i item, bare bool) ([]importer.Item, error) {
	switch i.Type {
	case "message":
		if text := contentText(i.Content); i.Role == "user" && !d.events && isPrompt(text) {
			return d.prompt(number, at, text), nil // which the first event, if there are any, will replace
		}
		if i.Role == "assistant" {
			d.current(number, at).Speak(contentText(i.Content))
		}
	case "function_call_output", "custom_tool_call_output":
		d.output(at, i)
	case "reasoning":
		d.current(number, at)
	case "":
		if i.ID == "" { // the first line of the oldest rollouts has one, and so is theirs
			if bare {
				return nil, nil // a state record
			}
			return nil, errors.New("an item without a type")
		}
		d.meta(at, i)
	default:
		d.call(number, at, i)
	}
	return nil, nil
}

// isPrompt tells what the user wrote from what Codex writes in the user's name.
func isPrompt(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && text[0] != '<' && !strings.HasPrefix(text, "# AGENTS.md instructions")
}

func (d *decoder) prompt(number int, at time.Time, text string) []importer.Item {
	items := d.close()
	d.open = d.begin(number, at)
	d.open.Ask(text)
	return items
}

// begin opens an execution. Its time identifies it within the session, so that a damaged line before does not make it
// another one; where there are no times, its place does.
func (d *decoder) begin(number int, at time.Time) *importer.Draft {
	d.prompts++
	name := "prompt-" + strconv.Itoa(d.prompts)
	if !at.IsZero() {
		name = at.Format(time.RFC3339Nano)
		if at.Equal(d.last) {
			name += "-" + strconv.Itoa(d.prompts)
		}
		d.last = at
	}
	return importer.NewDraft(d.budget, number, track.Execution{
		Key: importer.Key(importer.Codex, d.session, name), Source: importer.Codex, Session: d.session, Model: d.model, StartedAt: at,
	})
}

// current returns the execution that something belongs to. A rollout that begins in the midst of one has no prompt of
// it.
func (d *decoder) current(number int, at time.Time) *importer.Draft {
	if d.open == nil {
		d.open = d.begin(number, at)
	}
	d.open.Touch(at)
	d.began, d.refused = true, false
	return d.open
}

func (d *decoder) call(number int, at time.Time, i item) {
	if session, ok := i.polled(); ok {
		if len(d.polls) < mostRunning {
			d.polls[i.CallID] = session
		}
		d.current(number, at)
		return
	}
	if call, ok := i.call(); ok {
		call.StartedAt = at
		d.current(number, at).Call(call)
	}
}

func (d *decoder) close() []importer.Item {
	if draft := d.finish(); draft != nil {
		return draft.Close()
	}
	return nil
}

// End implements [importer.LineDecoder].
func (d *decoder) End() []importer.Item {
	if draft := d.finish(); draft != nil && !d.prefix.active {
		return draft.End()
	}
	return nil
}

// finish returns the execution that ends; nil where a prompt had no answer.
func (d *decoder) finish() *importer.Draft {
	draft, began := d.open, d.began || d.open != nil && (d.open.Corrections > 0 || d.open.Status != track.ExecutionOK)
	d.open, d.began, d.refused, d.requests = nil, false, false, requests{}
	clear(d.running)
	clear(d.polls)
	reply := d.reply
	d.reply = ""
	if !began || draft == nil {
		return nil
	}
	draft.Tokens = d.tokens.take()
	if reply != "" && !draft.Unanswered() && !draft.Spoken() {
		draft.Output = &reply
	}
	return draft
}

// line is a line of a rollout. The oldest rollouts have the item itself on it, without type and payload around it.
type line struct {
	Timestamp string         `json:"timestamp"`
	Type      string         `json:"type"`
	Payload   jsontext.Value `json:"payload"`
}

// item is what is used of a payload, of whatever type.
type item struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Role      string         `json:"role"`
	Name      string         `json:"name"`
	CallID    string         `json:"call_id"`
	Arguments string         `json:"arguments"` // JSON in a string
	Input     string         `json:"input"`     // of a custom tool
	Action    jsontext.Value `json:"action"`    // of a local shell, or a web search
	Status    string         `json:"status"`
	Output    jsontext.Value `json:"output"`
	Content   jsontext.Value `json:"content"`
	Message   string         `json:"message"`
	Reason    string         `json:"reason"`
	LastReply *string        `json:"last_agent_message"`
	Model     string         `json:"model"`
	Info      *tokenInfo     `json:"info"`
	Success   *bool          `json:"success"`
	Stderr    string         `json:"stderr"`
	Result    jsontext.Value `json:"result"`
	Forked    string         `json:"forked_from_id"`
	Source    jsontext.Value `json:"source"` // of a session: an object if another agent spawned it
	Turn      jsontext.Value `json:"turn_id"`

	ExitCode *int      `json:"exit_code"`
	Duration *duration `json:"duration"`
}

type duration struct {
	Secs  int64 `json:"secs"`
	Nanos int64 `json:"nanos"`
}

type tokenInfo struct {
	Total *tokenUsage `json:"total_token_usage"`
	Last  *tokenUsage `json:"last_token_usage"` // of the last request
}

type tokenUsage struct {
	Input     int64 `json:"input_tokens"` // those of the cache included
	Cached    int64 `json:"cached_input_tokens"`
	Output    int64 `json:"output_tokens"` // reasoning included
	Reasoning int64 `json:"reasoning_output_tokens"`
}

// prefix is the beginning of a rollout that repeats the session which it was forked from: with the times of then, or
// written at once with new ones. Its tokens and calls belong to that session.
type prefix struct {
	active  bool
	session time.Time // when the own session began, as its id tells; zero if unknown
	last    time.Time // of the last line that was repeated; at first, when the rollout began
	turns   bool      // ids tell when its turns began, so that pauses say nothing
}

// pause ends lines that were written at once. No model answers within it.
const pause = 500 * time.Millisecond

// parent returns the session that a session was forked from or spawned by; the empty string if there is none.
func (i item) parent() string {
	var source struct {
		Subagent struct {
			Spawn struct {
				Parent string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if i.Forked == "" && i.Source.Kind() == '{' && importer.Unmarshal(i.Source, &source) == nil {
		return source.Subagent.Spawn.Parent
	}
	return i.Forked
}

// meta takes a line about a session. The first is that of the rollout; one that follows belongs to a session that it
// repeats.
func (d *decoder) meta(at time.Time, i item) {
	own := d.session == ""
	if own {
		d.session = importer.Name(i.ID)
	}
	if own && i.parent() != "" || !own && d.prompts == 0 && importer.Name(i.ID) != d.session {
		d.prefix.active = true
	}
	if own {
		d.prefix.session, d.prefix.last = timeOfID(i.ID), at
	}
}

// isOwn reports whether a line follows the prefix: it names a turn that began after the session, or it was not written
// at once with those before.
func (d *decoder) isOwn(at time.Time, i item) bool {
	p := &d.prefix
	if turn := timeOfID(importer.String(i.Turn)); !turn.IsZero() && !p.session.IsZero() {
		p.turns = true
		return !turn.Before(p.session)
	}
	if p.turns {
		return false
	}
	if at.IsZero() || p.last.IsZero() {
		return p.last.IsZero()
	}
	if at.Sub(p.last) > pause {
		return true
	}
	if at.After(p.last) {
		p.last = at
	}
	return false
}

// leavePrefix forgets what was repeated. A prompt that nothing answered is the first of the rollout's own.
func (d *decoder) leavePrefix() {
	d.prefix.active = false
	if d.began {
		d.close()
	}
	_ = d.tokens.take() // the totals go on from here
	d.requests, d.reply = requests{}, ""
}

// timeOfID returns the time in an id that is a UUID of version 7; the zero time of any other.
func timeOfID(id string) time.Time {
	raw, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(raw) != 16 || raw[6]>>4 != 7 {
		return time.Time{}
	}
	var ms int64
	for _, b := range raw[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms)
}

// tokenCount adds up how totals grow.
type tokenCount struct {
	last  tokenUsage // of the session
	sum   tokenUsage // of the execution
	any   bool
	begun bool // last is known
}

// add takes the totals of the session and the usage of the last request, and returns how the totals have grown. Totals
// that are smaller than before began anew, in a session that was resumed. The first may include those of the session
// that this one was forked from.
func (t *tokenCount) add(total tokenUsage, last *tokenUsage) (grown tokenUsage, isMore bool) {
	if !total.sane() {
		return grown, false
	}
	before := t.last
	if !t.begun && last != nil && last.sane() {
		before = total.minus(*last)
	}
	if total.Input < before.Input || total.Output < before.Output {
		before = tokenUsage{}
	}
	grown = total.minus(before)
	t.sum.Input += grown.Input
	t.sum.Cached += grown.Cached
	t.sum.Output += grown.Output
	t.sum.Reasoning += grown.Reasoning
	t.last, t.any, t.begun = total, true, true
	return grown, grown != (tokenUsage{})
}

// minus returns the difference, at least 0.
func (u tokenUsage) minus(v tokenUsage) tokenUsage {
	return tokenUsage{
		Input: max(0, u.Input-v.Input), Cached: max(0, u.Cached-v.Cached), Output: max(0, u.Output-v.Output), Reasoning: max(0, u.Reasoning-v.Reasoning),
	}
}

func (u tokenUsage) sane() bool {
	const most = 1 << 50
	for _, n := range [...]int64{u.Input, u.Cached, u.Output, u.Reasoning} {
		if n < 0 || n > most {
			return false
		}
	}
	return true
}

// take returns the tokens of the execution that ends, and begins the next.
func (t *tokenCount) take() *track.Tokens {
	sum, known := t.sum, t.any
	t.sum, t.any = tokenUsage{}, false
	if !known {
		return nil
	}
	return sum.tokens()
}

func (u tokenUsage) tokens() *track.Tokens {
	input := max(0, u.Input-u.Cached)
	return &track.Tokens{Input: &input, Output: &u.Output, CacheRead: &u.Cached, Reasoning: &u.Reasoning}
}
