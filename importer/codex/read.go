package codex

import (
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
	budget  *importer.Budget
	session string
	model   string
	prompts int             // that were seen
	last    time.Time       // when the last execution began
	events  bool            // the rollout has events, so prompts are events too
	open    *importer.Draft // the execution that is going on
	began   bool            // and the assistant has done something
	reply   string          // what agent_message said last
	tokens  tokenCount
	refused bool // the last thing that happened is that the user refused a call

	running map[string]string // key of the call that started a command, by its session
	polls   map[string]string // session of the command that a call of write_stdin looks at, by its key
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
	switch kind {
	case "session_meta":
		d.meta(i)
	case "turn_context":
		d.useModel(i.Model)
	case "event_msg":
		d.events = true
		return d.event(number, at, i), nil
	case "response_item":
		return d.item(number, at, i, len(l.Payload) == 0)
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

// meta takes the first line. One that stands later is that of the session which this one continues.
func (d *decoder) meta(i item) {
	if d.session == "" {
		d.session = importer.Name(i.ID)
	}
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
		if i.Role == "user" && bare && !d.events && isPrompt(contentText(i.Content)) {
			return d.prompt(number, at), nil
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
		d.meta(i)
	default:
		d.call(number, at, i)
	}
	return nil, nil
}

// isPrompt tells what the user wrote from what Codex writes in the user's name.
func isPrompt(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && !anyPrefix(text, []string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>"})
}

func (d *decoder) prompt(number int, at time.Time) []importer.Item {
	items := d.close()
	d.open = d.begin(number, at)
	return items
}

// begin opens an execution. Its time identifies it within the session, so that a damaged line before does not make it another one; where
// there are no times, its place does.
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

// current returns the execution that something belongs to. A rollout that begins in the midst of one has no prompt of it.
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

// output takes the output of a call. One whose call was not seen answers nothing.
func (d *decoder) output(at time.Time, i item) {
	if d.open == nil {
		return
	}
	r := readOutput(i.Output)
	if session, ok := d.polls[i.CallID]; ok {
		delete(d.polls, i.CallID)
		d.poll(at, session, r)
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil {
		return
	}
	d.open.Touch(at)
	if r.duration != nil && r.session == "" && call.Duration == nil {
		call.Duration = r.duration
	}
	d.open.Answer(call, r.text, at)
	if r.session != "" {
		call.Duration = nil // it goes on running
		if len(d.running) < mostRunning {
			d.running[r.session] = i.CallID
		}
	}
	d.judge(call, r)
}

// poll takes the output of a call of write_stdin, which is that of the command it looks at.
func (d *decoder) poll(at time.Time, session string, r result) {
	d.open.Touch(at)
	call := d.open.Find(d.running[session])
	if call == nil || r.exit == nil {
		return
	}
	delete(d.running, session)
	if call.Duration == nil {
		call.Duration = importer.Between(call.StartedAt, at)
	}
	d.open.Answer(call, outputOf(call)+r.text, at)
	d.judge(call, r)
}

func outputOf(call *track.ToolCall) string {
	if call.Output == nil {
		return ""
	}
	return *call.Output
}

// judge notes how a call ended. What exec_command_end said before stands.
func (d *decoder) judge(call *track.ToolCall, r result) {
	if call.Exit == nil {
		call.Exit = r.exit
	}
	switch {
	case r.rejected && !call.Rejected:
		call.Rejected = true
		d.open.Fail(call, "the user refused it")
		d.open.Corrections++
		d.refused = true
	case r.failed:
		d.open.Fail(call, r.text)
	case call.Exit != nil && *call.Exit != 0 && call.Error == "":
		d.open.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	}
}

// event takes a line that tells the user's screen what happens.
func (d *decoder) event(number int, at time.Time, i item) []importer.Item {
	switch i.Type {
	case "user_message":
		return d.prompt(number, at)
	case "token_count":
		if i.Info != nil && i.Info.Total != nil {
			d.tokens.add(*i.Info.Total)
		}
	case "exec_command_end":
		d.commandEnd(i)
	case "patch_apply_end":
		d.patchEnd(i)
	case "mcp_tool_call_end":
		d.serverEnd(i)
	case "agent_message":
		d.reply = i.Message
	case "task_complete":
		d.complete(at, i)
	case "turn_aborted":
		if d.open != nil {
			if !d.refused {
				d.open.Corrections++
			}
			d.open.Touch(at)
			d.refused = false
		}
	case "error":
		if d.open != nil {
			d.open.Status, d.open.Message = track.ExecutionError, i.Message
		}
	}
	return nil
}

func (d *decoder) commandEnd(i item) {
	if d.open == nil {
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil || i.ExitCode == nil {
		return
	}
	call.Answered, call.Exit = true, i.ExitCode
	if i.Duration != nil {
		if took := importer.Seconds(float64(i.Duration.Secs) + float64(i.Duration.Nanos)/1e9); took != nil {
			call.Duration = took
		}
	}
	d.judge(call, result{})
}

func (d *decoder) patchEnd(i item) {
	if d.open == nil || i.Success == nil {
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil {
		return
	}
	call.Answered = true
	if !*i.Success {
		d.open.Fail(call, i.Stderr)
		return
	}
	for _, file := range addedFiles(call.Input) {
		d.open.Wrote(file.Name, file.Content)
	}
}

// serverEnd takes how a call of another server's tool ended.
func (d *decoder) serverEnd(i item) {
	var r struct {
		Err string `json:"Err"`
		OK  struct {
			IsError bool           `json:"isError"`
			Content jsontext.Value `json:"content"`
		} `json:"Ok"`
	}
	if d.open == nil || i.Result.Kind() != '{' || importer.Unmarshal(i.Result, &r) != nil {
		return
	}
	call := d.open.Find(i.CallID)
	switch {
	case call == nil:
	case r.Err != "":
		d.open.Fail(call, r.Err)
	case r.OK.IsError:
		d.open.Fail(call, contentText(r.OK.Content))
	}
}

// complete takes the end of a turn, which repeats what the assistant said last.
func (d *decoder) complete(at time.Time, i item) {
	if i.LastReply != nil {
		d.reply = *i.LastReply
	}
	if d.open != nil {
		d.open.Touch(at)
		d.open.Status, d.open.Message = track.ExecutionOK, ""
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
	if draft := d.finish(); draft != nil {
		return draft.End()
	}
	return nil
}

// finish returns the execution that ends; nil where a prompt had no answer.
func (d *decoder) finish() *importer.Draft {
	draft, began := d.open, d.began || d.open != nil && (d.open.Corrections > 0 || d.open.Status != track.ExecutionOK)
	d.open, d.began, d.refused = nil, false, false
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
