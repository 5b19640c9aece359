package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"track"
	"track/importer"
	"track/importer/claudecode"
	"track/importer/claudehooks"
	"track/store"
	"track/tracker/agents"
	"track/tracker/names"
)

const (
	keepSettled = 10 * time.Minute   // how long events of a final execution wait for late events
	mostSilence = 7 * 24 * time.Hour // after which a thread is taken as ended
	mostSilent  = 5                  // threads that are ended so at once
)

// hookRecorder records events.
type hookRecorder struct {
	store      *store.Store
	names      *names.Checker
	executions *agents.Recorder
	final      func(track.Execution) error // hears each execution once it is final; nil for none
}

// recording is one transaction of a recorder.
type recording struct {
	*hookRecorder
	*store.Tx
	ctx      context.Context // bounds the time to read transcripts
	warnings []error
}

// newRecorder returns a recorder into st. entropy makes the ids of records unique.
func newRecorder(st *store.Store, entropy io.Reader) *hookRecorder {
	checker := names.New(names.Warn)
	return &hookRecorder{store: st, names: checker, executions: agents.NewRecorder(st, agents.Options{Once: true, Names: checker}, entropy)}
}

// record stores events in one durable transaction, with the executions that end with them. The time to read
// transcripts is bounded. warnings are of events that became no execution, and are stored all the same.
func (r *hookRecorder) record(ctx context.Context, events ...store.HookEvent) (warnings []error, err error) {
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		reading, cancel := context.WithTimeout(ctx, transcriptTime)
		defer cancel()
		rec := recording{hookRecorder: r, Tx: tx, ctx: reading}
		for _, e := range events {
			if err := rec.take(e); err != nil {
				return fmt.Errorf("%s of session %s: %w", e.Name, e.Session, err)
			}
		}
		warnings = rec.warnings
		return nil
	})
	for _, n := range r.names.Found() {
		warnings = append(warnings, errors.New("recorded under a new name: "+n.Message()))
	}
	return warnings, err
}

func (r *recording) take(e store.HookEvent) error {
	if !isStored(e.Name) {
		return r.CountHookArrival(e.Name, e.ReceivedAt)
	}
	added, err := r.AddHookEvent(e)
	if err != nil || !added {
		return err
	}
	thread := store.HookThread{Session: e.Session, Agent: e.Agent}
	switch e.Name {
	case claudehooks.UserPromptSubmit:
		if err := r.assembleAround(thread, e.At.Add(-time.Microsecond), e.At); err != nil {
			return err
		}
		return r.settle(e, false)
	case claudehooks.SessionEnd:
		if err := r.assembleAround(thread, e.At, e.At); err != nil {
			return err
		}
		return r.settle(e, true)
	case claudehooks.Stop, claudehooks.StopFailure, claudehooks.SubagentStop:
		return r.assembleAround(thread, e.At, e.At)
	}
	late, err := r.HookBoundaryFrom(r.ctx, thread, e.At)
	if err != nil || !late {
		return err
	}
	return r.assembleAround(thread, e.At, e.At)
}

// assembleAround makes the executions of a thread from the last prompt that is not later than before, to the first
// after.
func (r *recording) assembleAround(thread store.HookThread, before, after time.Time) error {
	from, err := r.HookPromptBefore(r.ctx, thread, before)
	if err != nil {
		return err
	}
	to, err := r.HookPromptAfter(r.ctx, thread, after)
	if err != nil {
		return err
	}
	final := !to.IsZero()
	if final {
		to = to.Add(-time.Microsecond)
	}
	return r.assemble(thread, from, to, func(claudehooks.Turn) bool { return final })
}

// settle makes final what nothing more is to come of: subagents of a session that stopped, or all of one that ended;
// and what has been silent for long.
func (r *recording) settle(e store.HookEvent, all bool) error {
	threads, err := r.HookThreads(r.ctx, e.Session)
	if err != nil {
		return err
	}
	for _, thread := range threads {
		if thread.Agent == "" {
			continue
		}
		if err := r.assemble(thread, time.Time{}, time.Time{}, func(t claudehooks.Turn) bool { return all || t.Stopped }); err != nil {
			return err
		}
	}
	now := r.store.Now()
	silent, err := r.SilentHookThreads(r.ctx, now.Add(-mostSilence), mostSilent)
	if err != nil {
		return err
	}
	for _, thread := range silent {
		if err := r.assemble(thread, time.Time{}, time.Time{}, func(claudehooks.Turn) bool { return true }); err != nil {
			return err
		}
	}
	return r.PruneHookEvents(now.Add(-keepSettled))
}

// assemble makes the executions of a thread between two times. final says that the last one is complete.
func (r *recording) assemble(thread store.HookThread, from, to time.Time, final func(claudehooks.Turn) bool) error {
	stored, err := r.HookEvents(r.ctx, thread, from, to)
	if err != nil {
		return err
	}
	rows, bodies := map[string]store.HookEvent{}, map[string]body{}
	var events []claudehooks.Event
	for _, s := range stored {
		b, err := decode(s)
		if err != nil { // of another version of the program
			r.warnings = append(r.warnings, err)
			continue
		}
		rows[identity(b.Event)], bodies[identity(b.Event)] = s, b
		events = append(events, b.Event)
	}
	turns := claudehooks.Assemble(events)
	claimed := map[string]bool{}
	for i, t := range turns {
		if i == len(turns)-1 && !t.Final && final(t) {
			t.End()
		}
		if !t.Stopped {
			continue
		}
		part := make([]store.HookEvent, len(t.Events))
		var earlier []string
		for j, e := range t.Events {
			part[j] = rows[identity(e)]
			if ulid := part[j].Execution; ulid != "" && !claimed[ulid] {
				claimed[ulid] = true
				earlier = append(earlier, ulid)
			}
		}
		ulid, err := r.recordTurn(t, part[0], earlier, bodies)
		if err != nil {
			return err
		}
		if err := r.AssignHookEvents(part, ulid, t.Final); err != nil {
			return err
		}
	}
	return nil
}

// identity distinguishes an event from others of its thread.
func identity(e claudehooks.Event) string { return e.Name + " " + e.Identity }

// record stores the execution of a turn in place of earlier ones and returns its ULID, which is empty if it has none of
// its own.
func (r *recording) recordTurn(t claudehooks.Turn, first store.HookEvent, earlier []string, bodies map[string]body) (string, error) {
	e, open := t.Execution, !t.Final
	if e != nil || first.Agent == "" { // a subagent that did nothing is one of those that Claude Code keeps for itself
		if item := fromTranscript(r.ctx, t, bodies); item != nil {
			merged, complete := *item.Execution, item.Execution.Output != nil
			if e != nil {
				merged, complete = claudehooks.Merge(*item.Execution, *e)
			}
			e, open = &merged, open || item.Open || !complete
		}
	}
	if e == nil {
		for _, ulid := range earlier {
			if err := r.DeleteExecution(ulid); err != nil {
				return "", err
			}
		}
		return "", nil
	}
	e.Lineage, e.Version = first.Lineage, first.Version
	if first.Agent == "" && len(t.Events) > 0 { // a subagent has a task of its own
		e.Task = cmp.Or(e.Task, bodies[identity(t.Events[0])].Task)
	}
	result, err := r.executions.RecordLive(r.ctx, r.Tx, *e, open, earlier)
	var field *track.FieldError
	switch {
	case errors.As(err, &field):
		r.warnings = append(r.warnings, fmt.Errorf("session %s: no execution: %w", first.Session, err))
		return "", nil
	case err != nil:
		return "", err
	case result.Disposition == track.Recorded || result.Disposition == track.Replaced || slices.Contains(earlier, result.ID):
		if r.final != nil && t.Final && !first.Settled {
			err = r.final(*e)
		}
		return result.ID, err
	}
	return "", nil
}

const (
	lookBack        = 64 << 10         // bytes before the place where a transcript ended when the prompt came
	mostTranscript  = 16 << 20         // bytes that are read of a transcript; a longer one is read from the place of the prompt only
	clockDifference = 10 * time.Second // between a prompt's hook and its line in the transcript
)

// transcripts returns the files that may hold the transcript of an event's thread, the best first.
func transcripts(e body) []string {
	if e.Agent == "" {
		return []string{e.Transcript}
	}
	list := []string{e.AgentTranscript}
	if e.Transcript != "" && filepath.Base(e.Agent) == e.Agent {
		file := "agent-" + e.Agent + ".jsonl"
		list = append(list, filepath.Join(strings.TrimSuffix(e.Transcript, ".jsonl"), "subagents", file), filepath.Join(filepath.Dir(e.Transcript), file))
	}
	return list
}

// fromTranscript returns the execution as the transcript has it, or nil.
func fromTranscript(ctx context.Context, t claudehooks.Turn, bodies map[string]body) *importer.Item {
	first := bodies[identity(t.Events[0])]
	for i := len(t.Events) - 1; i >= 0; i-- {
		for _, path := range transcripts(bodies[identity(t.Events[i])]) {
			info, err := os.Stat(path)
			if path == "" || err != nil || !info.Mode().IsRegular() {
				continue
			}
			from := max(0, first.TranscriptSize-lookBack)
			if first.TranscriptSize == 0 || from > info.Size() {
				from = max(0, info.Size()-mostTranscript)
			}
			item, sure := findExecution(ctx, path, from, t)
			if !sure && from > 0 && info.Size() <= mostTranscript {
				item, _ = findExecution(ctx, path, 0, t)
			}
			return item
		}
	}
	return nil
}

// findExecution reads a transcript from a place on and looks for the execution of a turn. It is sure of one whose
// prompt it saw.
func findExecution(ctx context.Context, path string, from int64, t claudehooks.Turn) (found *importer.Item, sure bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return nil, false
	}
	closest := time.Duration(0)
	first := 0 // line of the first execution, which may have begun before
	for item, err := range claudecode.Read(path, io.LimitReader(timely{ctx, file}, 4*mostTranscript)) {
		if err != nil {
			return nil, false
		}
		if item.Execution == nil || t.Events[0].Agent == "" && item.Subagent {
			continue
		}
		if first == 0 || item.Line < first {
			first = item.Line
		}
		if far, possible := distance(*item.Execution, t); possible && (found == nil || far <= closest) {
			found, closest = &item, far
		}
	}
	if found == nil || from > 0 && found.Line == first {
		return nil, false
	}
	return found, true
}

// timely is a reader that ends with an error when there is no more time.
type timely struct {
	ctx context.Context
	io.Reader
}

func (r timely) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return r.Reader.Read(p)
}

// distance says how far a transcript's execution is from being that of a turn: not at all where they share a call;
// else, where the turn has none, the time between their beginnings. A turn whose beginning nobody saw may be any, the
// last the most likely.
func distance(e track.Execution, t claudehooks.Turn) (far time.Duration, possible bool) {
	keys := map[string]bool{}
	for _, event := range t.Events {
		if event.Call.Key != "" {
			keys[event.Call.Key] = true
		}
	}
	for _, c := range e.Calls {
		if keys[c.Key] {
			return 0, true
		}
	}
	began, ended := t.Events[0].At, t.Events[len(t.Events)-1].At
	if len(keys) > 0 || e.Session != t.Events[0].Session || e.StartedAt.After(ended.Add(clockDifference)) {
		return 0, false
	}
	if !t.Begun {
		began = ended
	}
	far = began.Sub(e.StartedAt).Abs()
	return far, !t.Begun || far <= clockDifference
}
