package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"track"
	"track/importer"
	"track/importer/claudehooks"
	"track/internal/admission"
	"track/store"
)

// What is stored of one event. Texts beyond it are left out, as unknown.
const (
	mostOutput = 1 << 20 // bytes
	mostInput  = 1 << 20
	mostFile   = 4 << 20
)

// hookEvent is a payload as it is stored.
type hookEvent struct {
	store.HookEvent
	Folder string // working directory of the session; empty if the payload has none
}

// body is the part of a stored event that has no columns. Bodies live for hours, so their shape may change with the
// program.
type body struct {
	claudehooks.Event
	TranscriptSize int64  // when the prompt came
	Task           string // that the session was started for; empty if unknown
}

// isName reports whether a text can be the name of a hook.
func isName(text string) bool {
	const longest = 40
	for _, c := range text {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(text) > 0 && len(text) <= longest
}

// payload is what a hook of Claude Code sent, without what is too long.
type payload struct {
	text []byte
	cuts claudehooks.Cuts
}

func readPayload(r io.Reader, rules *admission.Rules) (p payload, err error) {
	p.text, p.cuts, err = claudehooks.ReadPayload(r, func(text string) string {
		masked, _ := rules.Text(text)
		return masked
	})
	return p, err
}

// receive makes an event of a payload, without its secrets, its lineage and its version. task is what the session was
// started for, so that executions of several versions pair by it; empty if unknown.
func (p payload) receive(task string, received time.Time, rules *admission.Rules) (hookEvent, error) {
	e, err := claudehooks.Decode(p.text, received)
	switch {
	case err != nil:
		return hookEvent{}, fmt.Errorf("%w: %w", track.ErrInvalid, err)
	case e.Session == "":
		return hookEvent{}, fmt.Errorf("%w: session_id: not a valid name", track.ErrInvalid)
	}
	folder := e.Folder
	if e.Call.Output != nil {
		e.Call.WholeOutput = p.cuts.Whole(*e.Call.Output)
	}
	if e = reduced(e); len(p.cuts) > 0 {
		e.Wrote, e.Reply, e.Call.Command = nil, nil, "" // parts of them would be judged as if they were whole
	}
	_, problem := rules.Admit(&e)
	if problem = cmp.Or(problem, rules.Name("task", task)); problem != nil {
		return hookEvent{}, problem
	}
	event := hookEvent{Folder: folder, HookEvent: store.HookEvent{
		Session: e.Session, Agent: e.Agent, Name: e.Name, Key: e.Identity, At: e.At, ReceivedAt: received,
	}}
	if !isName(e.Name) {
		event.Name = "other"
	}
	if track.CheckName(event.Key) != nil {
		event.Key = importer.Digest(event.Key)
	}
	b := body{Event: e, Task: task}
	if e.Name == claudehooks.UserPromptSubmit {
		if info, err := os.Stat(e.Transcript); err == nil {
			b.TranscriptSize = info.Size()
		}
	}
	if event.Body, err = json.Marshal(b); err != nil {
		return hookEvent{}, fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	return event, nil
}

// isStored reports whether events of a name become part of an execution.
func isStored(name string) bool {
	switch name {
	case claudehooks.UserPromptSubmit, claudehooks.PreToolUse, claudehooks.PostToolUse, claudehooks.PostToolUseFailure, claudehooks.PermissionDenied,
		claudehooks.Stop, claudehooks.StopFailure, claudehooks.SubagentStop, claudehooks.SessionEnd:
		return true
	}
	return false
}

// reduced leaves out what executions do not use, and what is too long.
func reduced(e claudehooks.Event) claudehooks.Event {
	if e.Folder = ""; len(e.Prompt) > mostInput {
		e.Prompt = importer.LeftOut(e.Prompt)
	}
	if e.Call.Output != nil && len(*e.Call.Output) > mostOutput {
		e.Call.WholeOutput = max(e.Call.WholeOutput, len(*e.Call.Output))
		leftOut := importer.LeftOut(*e.Call.Output) // there was one, which says how the call ended
		e.Call.Output = &leftOut
	}
	if len(e.Call.Input) > mostInput {
		e.Call.Input = importer.LeftOut(e.Call.Input)
	}
	if len(e.Call.Command) > mostInput {
		e.Call.Command = ""
	}
	if e.Wrote != nil && len(e.Wrote.Content) > mostFile {
		e.Wrote = nil
	}
	if e.Reply != nil && len(*e.Reply) > mostFile {
		e.Reply = nil
	}
	return e
}

// decode reads the body of an event. Its columns count.
func decode(stored store.HookEvent) (body, error) {
	var b body
	if err := json.Unmarshal(stored.Body, &b); err != nil {
		return b, fmt.Errorf("event %d: %w", stored.ID, err)
	}
	if b.Identity == "" {
		return b, errors.New("an event without identity")
	}
	b.Name, b.Session, b.Agent, b.At = stored.Name, stored.Session, stored.Agent, stored.At
	return b, nil
}
