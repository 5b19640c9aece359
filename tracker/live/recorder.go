package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"track"
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
