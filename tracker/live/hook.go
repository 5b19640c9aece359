package live

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"track"
	"track/importer"
	"track/importer/claudehooks"
	"track/internal/admission"
	"track/store"
)

// Files beside a database.
const (
	LogFile     = "hook.log"   // what went wrong
	spoolFolder = "hook.spool" // events that could not be recorded yet
)

const (
	patience       = 2 * time.Second // after which the agent goes on, and the event waits in a file
	transcriptTime = time.Second     // for reading transcripts
)

// Hook takes the payloads of an agent's hooks.
type Hook struct {
	Lineage  string // empty for the name of the project folder
	Version  string // empty for none
	Task     string // that the session was started for; empty if unknown
	Project  string // top folder of the agent's project; empty if unknown
	Database string // empty to look for it from the working directory of the session upward
	Now      func() time.Time
	Texts    *admission.Rules
	// Final hears each execution once, when it is final and before that is stored. A crash in between repeats it. Nil
	// for none.
	Final func(track.Execution) error
	// Problem hears what went wrong: in which folder of a database, which is empty if that is unknown, and with which
	// event.
	Problem func(folder, event string, err error)
}

// call is one call of a hook. Another goroutine may have to end it.
type call struct {
	sync.Mutex
	event  *store.HookEvent // nil until it is known
	folder string           // of the database; empty until it is known

	payload io.Reader
	n       atomic.Int64  // bytes of the payload that were read
	whole   chan struct{} // closed when all of it was read
}

// Read implements [io.Reader].
func (c *call) Read(p []byte) (int, error) {
	n, err := c.payload.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func (c *call) set(folder string, event *store.HookEvent) {
	c.Lock()
	defer c.Unlock()
	c.folder, c.event = folder, event
}

// Take records the payload of one event within the time that an agent can wait, from when it has written the payload.
// An event that cannot be recorded is kept as a file for the next call.
func (h *Hook) Take(ctx context.Context, payload io.Reader) {
	c := &call{payload: payload, whole: make(chan struct{})}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				done <- fmt.Errorf("a defect of track: %v", problem)
			}
		}()
		done <- h.take(ctx, c)
	}()
	if err := c.wait(done); err != nil {
		h.keep(c, err)
	}
}

// wait returns what comes of a call, or an error if nothing happened for as long as an agent can wait.
func (c *call) wait(done <-chan error) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	whole, seen := c.whole, int64(0)
	for {
		select {
		case err := <-done:
			return err
		case <-whole:
			whole = nil
			timer.Reset(patience)
		case <-timer.C:
			if n := c.n.Load(); whole == nil || n == seen {
				return fmt.Errorf("not done after %v", patience)
			} else {
				seen = n
			}
			timer.Reset(patience)
		}
	}
}

// keep saves the event of a call that failed, and reports why it failed.
func (h *Hook) keep(c *call, err error) {
	c.Lock()
	defer c.Unlock()
	if c.event == nil {
		h.Problem(c.folder, "payload", err)
		return
	}
	if spoolErr := eventSpool(filepath.Join(c.folder, spoolFolder)).put(*c.event); spoolErr != nil {
		err = fmt.Errorf("%w; the event is lost: %w", err, spoolErr)
	} else {
		err = fmt.Errorf("%w; the event waits for the next call", err)
	}
	h.Problem(c.folder, c.event.Name, err)
}

// take reads a payload and records it, after the events that wait.
func (h *Hook) take(ctx context.Context, c *call) error {
	received := h.Now().UTC().Truncate(time.Microsecond)
	payload, err := readPayload(c, h.Texts)
	close(c.whole)
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	event, err := payload.receive(importer.Name(h.Task), received, h.Texts)
	if err != nil {
		return err
	}
	event.Lineage, event.Version = h.lineage(event.Folder), importer.Name(h.Version)
	if problem := cmp.Or(h.Texts.Name("lineage", event.Lineage), h.Texts.Name("version", event.Version)); problem != nil {
		return problem
	}
	path, err := h.FindDatabase(event.Folder)
	missing := errors.Is(err, track.ErrNotFound)
	if missing {
		path, err = filepath.Join(h.projectFolder(event.Folder), store.DefaultDir, store.DefaultFile), nil
	}
	if err != nil {
		return err
	}
	folder, err := store.Folder(path)
	if err != nil {
		return err
	}
	c.set(folder, &event.HookEvent)
	return h.record(ctx, path, folder, missing, event.HookEvent)
}

// record records an event in the database at path, beside which a folder keeps what waits for it.
func (h *Hook) record(ctx context.Context, path, folder string, missing bool, event store.HookEvent) error {
	st, err := h.open(ctx, path, missing)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	st.Admit(h.Texts)
	events, forget, err := eventSpool(filepath.Join(folder, spoolFolder)).events()
	if err != nil {
		return err
	}
	recorder := newRecorder(st, bufio.NewReader(rand.Reader))
	recorder.final = h.Final
	warnings, err := recorder.record(ctx, append(events, event)...)
	if err != nil {
		return err
	}
	if err := forget(); err != nil { // recording them again would change nothing
		warnings = append(warnings, err)
	}
	for _, warning := range warnings {
		h.Problem(folder, event.Name, warning)
	}
	return nil
}

// open opens the database at path. If it is missing, it is created first.
func (h *Hook) open(ctx context.Context, path string, missing bool) (*store.Store, error) {
	if !missing {
		st, err := store.OpenForUpdate(ctx, path, h.Now)
		if !errors.Is(err, track.ErrNotFound) {
			return st, err
		}
	}
	if _, err := store.Init(ctx, path); err != nil {
		return nil, err
	}
	return store.OpenForUpdate(ctx, path, h.Now)
}

// projectFolder returns the top folder of the agent's project, else its working directory, else that of this process.
func (h *Hook) projectFolder(folder string) string {
	for _, candidate := range []string{h.Project, folder} {
		if info, err := os.Stat(candidate); candidate != "" && err == nil && info.IsDir() {
			return candidate
		}
	}
	return "."
}

// FindDatabase returns the path of the database of a working directory.
func (h *Hook) FindDatabase(folder string) (string, error) {
	if h.Database != "" {
		return h.Database, nil
	}
	if info, err := os.Stat(folder); folder == "" || err != nil || !info.IsDir() {
		folder = h.projectFolder("")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return store.Find(folder)
}

// lineage returns the lineage of an event: the given name, else that of the project folder.
func (h *Hook) lineage(folder string) string {
	if name := importer.Name(h.Lineage); name != "" {
		return name
	}
	name := filepath.Base(filepath.Clean(cmp.Or(h.Project, folder)))
	if name = importer.Name(strings.ReplaceAll(name, "@", "-")); name == "" || name == "." || name == string(filepath.Separator) {
		return importer.ClaudeCode
	}
	return name
}

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
