package claudehooks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/claudetools"
)

// Read reads a log of payloads. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		importer.ReadLines(importer.ClaudeHooks, file, r, &decoder{open: map[thread]*turn{}, budget: importer.NewBudget()})(yield)
	}
}

// thread is the main thread of a session, or that of one of its subagents.
type thread struct{ session, agent string }

// turn is an execution that is going on.
type turn struct {
	*importer.Draft
	thread  thread
	stopped bool
}

// mostOpen bounds the executions that go on at once; of more, the one that was silent longest is taken as ended.
const mostOpen = 256

// longestReply bounds the output of an execution that is open, in bytes. A longer one is unknown.
const longestReply = 1 << 20

type decoder struct {
	open   map[thread]*turn
	budget *importer.Budget
}

// DecodeLine implements [importer.LineDecoder].
func (d *decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	e, err := Decode(text, time.Time{})
	if err != nil {
		return nil, err
	}
	thread := thread{e.Session, e.Agent}
	switch e.Name {
	case UserPromptSubmit:
		items := d.close(thread)
		d.open[thread] = begin(d.budget, number, thread, e)
		return append(items, d.makeRoom()...), nil
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionDenied:
		t := d.open[thread]
		if t == nil {
			t = begin(d.budget, number, thread, e)
			d.open[thread] = t
		}
		t.tool(e)
		return d.makeRoom(), nil
	case Stop, StopFailure:
		if t := d.open[thread]; t != nil {
			t.stop(e)
		}
	case SubagentStop:
		if t := d.open[thread]; t != nil && e.Agent != "" {
			t.stop(e)
			return d.close(thread), nil
		}
	case SessionEnd:
		return d.close(thread), nil
	}
	return nil, nil
}

// begin opens an execution.
func begin(budget *importer.Budget, number int, thread thread, e Event) *turn {
	parts := []string{importer.ClaudeHooks, thread.session, e.Identity}
	if thread.agent != "" {
		parts = []string{importer.ClaudeHooks, thread.session, thread.agent, e.Identity}
	}
	draft := importer.NewDraft(budget, number, track.Execution{
		Key: importer.Key(parts...), Source: importer.ClaudeHooks, Session: thread.session, StartedAt: e.At,
	})
	draft.Ask(e.Prompt)
	draft.Subagent, draft.Mute = thread.agent != "", true
	return &turn{Draft: draft, thread: thread}
}

// tool takes an event of a tool call.
func (t *turn) tool(e Event) {
	t.Touch(e.At)
	t.stopped = false
	if e.Name == PreToolUse {
		t.Call(e.Call)
		return
	}
	call := t.find(e.Call)
	if call == nil { // its PreToolUse was not logged
		before := e.Call
		before.Answered, before.Exit, before.Error, before.Rejected, before.Output, before.WholeOutput, before.Duration = false, nil, "", false, nil, 0, nil
		before.StartedAt = time.Time{}
		n := len(t.Calls)
		if t.Call(before); len(t.Calls) == n {
			return
		}
		call = &t.Calls[n]
	}
	t.answer(call, e)
}

func (t *turn) answer(call *track.ToolCall, e Event) {
	output := ""
	if e.Call.Output != nil {
		output = *e.Call.Output
	}
	call.Duration = e.Call.Duration
	t.Answer(call, output, e.At)
	if e.Call.Output == nil {
		call.Output = nil
	}
	call.Exit, call.Rejected, call.WholeOutput = e.Call.Exit, e.Call.Rejected, e.Call.WholeOutput
	if e.Call.Error != "" {
		t.Fail(call, e.Call.Error)
	}
	if e.Call.Rejected || e.Interrupted {
		t.Corrections++
	}
	if e.Wrote != nil {
		t.Wrote(e.Wrote.Name, e.Wrote.Content)
	}
}

// find returns the call that a result belongs to.
func (t *turn) find(result track.ToolCall) *track.ToolCall {
	if result.Key != "" {
		return t.Find(result.Key)
	}
	const recent = 1000
	for i := max(0, len(t.Calls)-recent); i < len(t.Calls); i++ {
		if call := &t.Calls[i]; !call.Answered && call.Key == "" && call.Tool == result.Tool && call.Input == result.Input {
			return call
		}
	}
	return nil
}

// stop takes the end of a turn. A hook may make the agent go on, and a second stop follow.
func (t *turn) stop(e Event) {
	t.Touch(e.At)
	t.stopped = true
	t.Output = nil
	if e.Reply != nil && len(*e.Reply) <= longestReply {
		t.Output = e.Reply
	}
	if e.Name == StopFailure {
		t.Status, t.Message = track.ExecutionError, e.Message
	}
}

func (d *decoder) close(thread thread) []importer.Item {
	t := d.open[thread]
	delete(d.open, thread)
	if t == nil || !t.stopped && !t.Acted() {
		return nil
	}
	return t.finish()
}

// finish ends the execution. A call that had no result when the agent stopped has failed: that is all that older hooks
// tell of failures.
func (t *turn) finish() []importer.Item {
	for i := range t.Calls {
		if call := &t.Calls[i]; t.stopped && call.Unknown() {
			t.Fail(call, "no result when the agent stopped")
		}
	}
	return t.Close()
}

// makeRoom ends the execution that was silent longest, if there are too many.
func (d *decoder) makeRoom() []importer.Item {
	if len(d.open) <= mostOpen {
		return nil
	}
	var silent *turn
	for _, t := range d.open {
		if silent == nil || cmp.Or(t.LastAt.Compare(silent.LastAt), t.Line-silent.Line) < 0 {
			silent = t
		}
	}
	return d.close(silent.thread)
}

// End implements [importer.LineDecoder].
func (d *decoder) End() []importer.Item {
	var items []importer.Item
	for _, t := range d.open {
		switch {
		case t.stopped:
			items = append(items, t.finish()...)
		case t.Acted():
			ended := t.End()
			ended[0].Open = true
			items = append(items, ended...)
		}
	}
	slices.SortStableFunc(items, func(a, b importer.Item) int { return a.Line - b.Line })
	return items
}

// The events that matter here, as hook_event_name has them. There are others.
const (
	sessionStart       = "SessionStart"
	SessionEnd         = "SessionEnd"
	UserPromptSubmit   = "UserPromptSubmit"
	PreToolUse         = "PreToolUse"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	PermissionDenied   = "PermissionDenied"
	Stop               = "Stop"
	StopFailure        = "StopFailure"
	SubagentStop       = "SubagentStop"
)

// Event is one payload of a hook.
type Event struct {
	Name       string // hook_event_name
	Session    string
	Agent      string    // of a subagent; empty for the main one
	At         time.Time // when it was received, or what the log says
	Transcript string    // path of the session's transcript, as the payload has it; nothing here opens it
	Prompt     string    // of UserPromptSubmit
	Identity   string    // tells it from others of its session: the key of its call, else its time with the lengths of its texts
	Reply      *string   // last_assistant_message of Stop and SubagentStop; nil where the payload has none
	Message    string    // why a turn ended in an error

	// Call is the tool call of a tool's event. Before the tool ran, its key, tool, input and command are set; after it,
	// also what is known of the result.
	Call track.ToolCall
	// Interrupted says that the user stopped the tool.
	Interrupted bool
	// AgentTranscript is the path of the transcript of a subagent; empty where the payload has none.
	AgentTranscript string
	// Folder is the working directory of the session.
	Folder string
	// Wrote is the file that the call wrote, whole; nil where it wrote none, or the payload does not tell.
	Wrote *track.WrittenFile
}

type payload struct {
	Name        string         `json:"hook_event_name"`
	Event       string         `json:"event"`
	Session     string         `json:"session_id"`
	Agent       string         `json:"agent_id"`
	TS          string         `json:"ts"`
	Timestamp   string         `json:"timestamp"`
	Transcript  string         `json:"transcript_path"`
	AgentFile   string         `json:"agent_transcript_path"`
	Folder      string         `json:"cwd"`
	Prompt      string         `json:"prompt"`
	Reply       *string        `json:"last_assistant_message"`
	Tool        string         `json:"tool_name"`
	Input       jsontext.Value `json:"tool_input"`
	ToolUseID   string         `json:"tool_use_id"`
	Response    jsontext.Value `json:"tool_response"`
	DurationMS  *float64       `json:"duration_ms"`
	Error       jsontext.Value `json:"error"`
	IsInterrupt bool           `json:"is_interrupt"`
}

// Decode reads one payload. received is when it came; a time in the payload itself wins, since a logger wrote it then.
func Decode(text []byte, received time.Time) (Event, error) {
	var p payload
	if err := importer.Unmarshal(text, &p); err != nil {
		return Event{}, err
	}
	e := Event{
		Name: p.Name, Session: importer.Name(p.Session), Agent: importer.Name(p.Agent), At: received, Transcript: p.Transcript,
		AgentTranscript: p.AgentFile, Folder: p.Folder, Prompt: p.Prompt, Reply: p.Reply, Message: importer.String(p.Error), Interrupted: p.IsInterrupt,
	}
	if e.Name == "" {
		e.Name = p.Event
	}
	if e.Name == "" || p.Session == "" {
		return Event{}, errors.New("no payload of a hook: it has no hook_event_name or no session_id")
	}
	for _, text := range []string{p.Timestamp, p.TS} {
		if at := importer.Time(text); !at.IsZero() {
			e.At = at
		}
	}
	switch e.Name {
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionDenied:
		e.decodeCall(p)
	}
	e.Identity = e.identity()
	return e, nil
}

// identity is that of the call, which an event of a prompt lacks: its time and the lengths of its texts tell it from
// others. It holds no digest of them, from which a short secret could be guessed.
func (e Event) identity() string {
	if e.Call.Key != "" {
		return e.Call.Key
	}
	return fmt.Sprintf("%s-%d-%d", strconv.FormatInt(e.At.UnixMicro(), 36), len(e.Prompt), len(e.Call.Input))
}

// EachText implements [track.Fact].
func (e *Event) EachText(v track.TextVisitor) {
	for _, name := range [...]string{e.Session, e.Agent, e.Name, e.Identity, e.Transcript, e.AgentTranscript} {
		v.Name("event", name)
	}
	v.Free("message", &e.Message)
	v.Free("prompt", &e.Prompt)
	e.Reply = eachPointer(v, "reply", e.Reply)
	e.Call.EachText(v)
	if e.Wrote != nil {
		wrote := *e.Wrote
		v.Free("files", &wrote.Name)
		v.Free("files", &wrote.Content)
		e.Wrote = &wrote
	}
}

func eachPointer(v track.TextVisitor, field string, text *string) *string {
	if text == nil {
		return nil
	}
	changed := *text
	v.Free(field, &changed)
	return &changed
}

func (e *Event) decodeCall(p payload) {
	e.Call = track.ToolCall{Key: p.ToolUseID, Tool: cmp.Or(importer.Name(p.Tool), "unknown"), Input: importer.Canonical(p.Input), Command: claudetools.Command(p.Tool, p.Input)}
	if e.Name == PreToolUse {
		e.Call.StartedAt = e.At
		return
	}
	e.Call.Answered = true
	if p.DurationMS != nil {
		e.Call.Duration = importer.Seconds(*p.DurationMS / 1000)
	} else {
		e.Call.Duration = claudetools.Duration(p.Response)
	}
	if e.Name == PostToolUse {
		output := responseText(p.Response)
		e.Call.Output = &output
		if name, content, ok := claudetools.Written(p.Tool, p.Input, p.Response); ok {
			e.Wrote = &track.WrittenFile{Name: name, Content: content}
		}
		return
	}
	text := importer.String(p.Error)
	e.Call.Exit, e.Call.Error = claudetools.Exit(text), claudetools.Message(text)
	e.Call.Rejected = e.Name == PermissionDenied || claudetools.IsRejection(text)
	if e.Call.Error == "" {
		e.Call.Error = "failed, without a word why"
	}
}

// responseText is what a tool answered: the streams of a shell, the text of a list of blocks, else the JSON.
func responseText(response jsontext.Value) string {
	var shell struct {
		Stdout *string `json:"stdout"`
		Stderr string  `json:"stderr"`
	}
	switch response.Kind() {
	case '{':
		if importer.Unmarshal(response, &shell) == nil && shell.Stdout != nil {
			if shell.Stderr == "" {
				return *shell.Stdout
			}
			return *shell.Stdout + "\n" + shell.Stderr
		}
	case '"', '[':
		if text := claudetools.Text(response); text != "" {
			return text
		}
	case 0, 'n':
		return ""
	}
	return importer.Canonical(response)
}

// Bounds of a payload, in bytes.
const (
	mostPayload = 256 << 20 // that are read
	longString  = 1 << 20   // a longer string is cut: its beginning and its end are kept
	keptOfLong  = 1 << 20   // of all long strings together
	longValue   = 4 << 20   // a longer object or array is left out, its long strings not counted
	longPayload = 16 << 20  // without what is left out
)

// besideCut is how much of a long text is masked on each side of a cut and then left out. A secret that the cut splits
// lies in it, and what a mask depends on lies next to its secret: a private key has at most 16 KiB. Masks can be longer
// than the secrets they replace, so it is a multiple of that.
const besideCut = 64 << 10

// ReadPayload returns a payload without what is too long to be kept. Of a string above 1 MiB, the masked beginning and
// the masked end are kept, of an object or array of much else nothing, and what is left out is named with its size and
// a digest of its lines' lengths. cuts say what is left out; none if nothing is. mask takes secrets out of a text.
func ReadPayload(r io.Reader, mask func(text string) string) (payload []byte, cuts Cuts, err error) {
	payload, err = io.ReadAll(io.LimitReader(r, mostPayload+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(payload) > mostPayload:
		return nil, nil, fmt.Errorf("the payload is longer than %d MiB", mostPayload>>20)
	case len(payload) <= longString:
		return payload, nil, nil
	}
	s := shortener{mask: mask, kept: keptOfLong}
	if out, ok := s.payload(payload); ok && len(s.cuts) > 0 {
		payload = out
	}
	if len(payload) > longPayload {
		return nil, s.cuts, fmt.Errorf("the payload is longer than %d MiB without its long texts", longPayload>>20)
	}
	return payload, s.cuts, nil
}

// shortener copies JSON and leaves out what is long.
type shortener struct {
	mask func(string) string
	kept int // bytes that long strings may still take
	cuts Cuts
}

// payload copies an object, and reports whether it is one. What is not is for whoever decodes it.
func (s *shortener) payload(text []byte) (out []byte, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return nil, false
	}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadValue()
		if err != nil {
			return nil, false
		}
		out = append(append(append(out, ','), name...), ':')
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, false
		}
		short, long := s.value(value)
		if len(short)-long > longValue {
			short, s.cuts = s.leftOut(string(value), outline(string(value)))
		}
		out = append(out, short...)
	}
	if _, err := decoder.ReadToken(); err != nil || len(out) == 0 {
		return nil, false
	}
	out[0] = '{'
	return append(out, '}'), true
}

// value copies a value; long is how much of it are long strings.
func (s *shortener) value(value jsontext.Value) (short []byte, long int) {
	if len(value) <= longString {
		return value, 0
	}
	copied := 0
	for i := 0; i < len(value); i++ {
		if value[i] != '"' {
			continue
		}
		start := i
		for i++; value[i] != '"'; i++ { // which ends, since it was read
			if value[i] == '\\' {
				i++
			}
		}
		if i+1-start <= longString {
			continue
		}
		var cut []byte
		text := importer.String(value[start : i+1])
		cut, s.cuts = s.leftOut(text, s.shortened(text))
		short, copied, long = append(append(short, value[copied:start]...), cut...), i+1, long+len(cut)
	}
	return append(short, value[copied:]...), long
}

// leftOut returns what stands in the place of a text, and the cuts with this one.
func (s *shortener) leftOut(text, instead string) ([]byte, Cuts) {
	quoted, _ := jsontext.AppendQuote(nil, instead) // valid UTF-8 has a quoted form
	place := cut{outline(text), len(text) - len(instead)}
	if slices.ContainsFunc(s.cuts, func(known cut) bool { return known.outline == place.outline }) { // the same text again
		return quoted, s.cuts
	}
	return quoted, append(s.cuts, place)
}

// shortened returns the masked beginning and end of a text. The beginning ends with a line, or a word, and the end
// begins behind an empty line: no table or list goes on behind it, whose masks depend on what stood before.
func (s *shortener) shortened(text string) string {
	most := s.kept / 2
	head := s.mask(strings.ToValidUTF8(text[:min(len(text), most)], "\uFFFD"))
	tail := s.mask(strings.ToValidUTF8(text[len(text)-min(len(text), most):], "\uFFFD"))
	head = head[:min(most, max(0, len(head)-besideCut))]
	end := strings.LastIndexByte(head, '\n')
	if end < 0 {
		end = max(0, strings.LastIndexAny(head, " \t"))
	}
	tail = afterEmptyLine(tail[min(len(tail), max(besideCut, len(tail)-most)):])
	short := strings.Trim(strings.ToValidUTF8(head[:end]+"\n"+outline(text)+"\n"+tail, "\uFFFD"), "\n")
	s.kept -= min(s.kept, len(short))
	return short
}

// afterEmptyLine returns what follows the first empty line of a text; nothing if it has none.
func afterEmptyLine(text string) string {
	for at := strings.IndexByte(text, '\n'); at >= 0 && at < len(text); {
		line, _, _ := strings.Cut(text[at+1:], "\n")
		if at += 1 + len(line); strings.TrimRight(line, "\r") == "" {
			return text[min(len(text), at+1):]
		}
	}
	return ""
}

// outline says what is known of a text that is left out: its size, and a digest of the lengths of its lines. It is no
// digest of the text, from which a short secret could be guessed.
func outline(text string) string {
	lengths := sha256.New()
	for line := range strings.Lines(text) {
		_, _ = fmt.Fprintln(lengths, len(line)) // never fails
	}
	return fmt.Sprintf("[left out of %d bytes, whose lines have the digest %x]", len(text), lengths.Sum(nil)[:8])
}

// Cuts are the places of a payload where something is left out.
type Cuts []cut

type cut struct {
	outline string // what stands there instead
	bytes   int    // that are left out, less what stands there
}

// Whole returns the size of a text of the payload before anything was left out of it; 0 if it is whole.
func (c Cuts) Whole(text string) int {
	whole, cut := len(text), false
	for _, place := range c {
		if n := strings.Count(text, place.outline); n > 0 {
			whole, cut = whole+n*place.bytes, true
		}
	}
	if !cut {
		return 0
	}
	return max(whole, 1)
}

// Turn is one execution as the events of its hooks tell it.
type Turn struct {
	Execution *track.Execution // nil where nothing was done
	Events    []Event          // what it was made of, in order
	Begun     bool             // its prompt, or a call, was seen
	Stopped   bool             // it came to its end, as far as is known
	Final     bool             // nothing more is to come: another prompt followed, or the session ended
}

// Assemble makes executions of the events of one thread, in order of their time. One whose next prompt comes, or
// whose session ends, before it stopped was interrupted, which is a correction.
func Assemble(events []Event) (turns []Turn) {
	for _, run := range runs(inOrder(events)) {
		turns = append(turns, assemble(run))
	}
	for i := range turns {
		if turns[i].Final = turns[i].Final || i < len(turns)-1; turns[i].Final {
			turns[i].End()
		}
	}
	return turns
}

// inOrder sorts events by time. Of two at one time, as in logs that count whole seconds, the start of a call precedes
// its result.
func inOrder(events []Event) []Event {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	for i, e := range events {
		if e.Call.Key != "" || !e.Call.Answered {
			continue
		}
		for j := i + 1; j < len(events) && events[j].At.Equal(e.At); j++ {
			if before := events[j]; before.Name == PreToolUse && before.Call.Key == "" && before.Call.Tool == e.Call.Tool && before.Call.Input == e.Call.Input {
				copy(events[i+1:j+1], events[i:j])
				events[i] = before
				break
			}
		}
	}
	return events
}

// runs cuts events where an execution begins, and behind the end of one.
func runs(events []Event) (list [][]Event) {
	open := false
	for _, e := range events {
		if !open || e.Name == UserPromptSubmit {
			list = append(list, nil)
		}
		last := &list[len(list)-1]
		*last = append(*last, e)
		open = e.Name != SessionEnd && (e.Name != SubagentStop || e.Agent == "")
	}
	return list
}

func assemble(events []Event) Turn {
	t := Turn{Events: events}
	var open *turn
	budget := importer.NewBudget()
	for i, e := range events {
		switch e.Name {
		case UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, PermissionDenied:
			if open == nil {
				open, t.Begun = begin(budget, i+1, thread{e.Session, e.Agent}, e), true
			}
			if e.Name != UserPromptSubmit {
				open.tool(e)
			}
		case Stop, StopFailure, SubagentStop:
			if e.Name == SubagentStop && e.Agent == "" {
				continue // older payloads do not tell which subagent it was
			}
			if t.Stopped = true; open != nil {
				open.stop(e)
			}
		case SessionEnd:
			t.Final = true
		}
	}
	if open != nil && (t.Stopped || open.Acted()) {
		t.Execution = open.finish()[0].Execution
	}
	return t
}

// End closes an execution that nothing more is to come of.
func (t *Turn) End() {
	t.Final = true
	if t.Execution != nil && !t.Stopped {
		t.Execution.Corrections++
		t.Execution.Message = "interrupted: the next prompt, or the end of the session, came before it stopped"
	}
	t.Stopped = true
}

// Merge returns what a transcript and hooks know together of an execution; complete says that the transcript alone
// knows it all. The transcript has exit statuses, tokens, the model; hooks know what it does not tell yet, since it
// is written with a delay.
func Merge(transcript, hooks track.Execution) (merged track.Execution, complete bool) {
	merged, complete = transcript, transcript.Output != nil
	merged.Calls = slices.Clone(transcript.Calls)
	known := make(map[string]int, len(merged.Calls))
	for i, c := range merged.Calls {
		known[c.Key] = i
	}
	for _, c := range hooks.Calls {
		i, is := known[c.Key]
		switch {
		case c.Key == "":
		case !is:
			merged.Calls = append(merged.Calls, c)
			complete = false
		case c.Answered && !merged.Calls[i].Answered:
			merged.Calls[i] = c
			complete = false
		}
	}
	if merged.Prompt == nil {
		merged.Prompt = hooks.Prompt
	}
	if len(hooks.Files) > len(merged.Files) {
		merged.Files = hooks.Files
	}
	if !complete && hooks.Output != nil {
		merged.Output = hooks.Output
	}
	if merged.Output == nil {
		merged.Output = hooks.Output
	}
	return merged, complete
}
