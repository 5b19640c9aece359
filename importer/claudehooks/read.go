package claudehooks

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"time"

	"track"
	"track/importer"
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
