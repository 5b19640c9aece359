package store

import (
	"context"
	"time"
)

// HookEvent is an event that a hook reported. It is kept until its execution is complete.
type HookEvent struct {
	ID             int64
	Session, Agent string // Agent is a subagent; empty for the main one
	Name, Key      string // Key distinguishes events of the same session, agent and name
	At, ReceivedAt time.Time
	Lineage        string
	Version        string
	Execution      string // ULID of the execution that it is part of; empty for none yet
	Body           []byte // JSON, masked
	Settled        bool   // its execution is final
}

// HookThread is the main agent of a session, or one of its subagents.
type HookThread struct{ Session, Agent string }

const (
	insertHookEvent = `
	INSERT INTO hook_event (session, agent, name, key, at, received_at, lineage, version, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (session, agent, name, key) DO NOTHING`
	countHookArrival = `
	INSERT INTO hook_arrival (name, n, last_at) VALUES ($1, 1, $2)
	ON CONFLICT (name) DO UPDATE SET n = hook_arrival.n + 1,
	       last_at = CASE WHEN excluded.last_at > hook_arrival.last_at THEN excluded.last_at ELSE hook_arrival.last_at END`
	findHookBoundary = `
	SELECT 1 FROM hook_event WHERE session = $1 AND agent = $2 AND at >= $3
	   AND name IN ('UserPromptSubmit', 'Stop', 'StopFailure', 'SubagentStop', 'SessionEnd')`
	findPromptBefore = `
	SELECT at FROM hook_event WHERE session = $1 AND agent = $2 AND at <= $3 AND name = 'UserPromptSubmit' ORDER BY at DESC LIMIT 1`
	findPromptAfter = `
	SELECT at FROM hook_event WHERE session = $1 AND agent = $2 AND at > $3 AND name = 'UserPromptSubmit' ORDER BY at LIMIT 1`
	listHookEvents = `
	SELECT id, session, agent, name, key, at, received_at, lineage, version, execution, body, settled_at IS NOT NULL
	  FROM hook_event
	 WHERE session = $1 AND agent = $2 AND at >= $3 AND at <= $4 ORDER BY at, id`
	assignHookEvent   = `UPDATE hook_event SET execution = $1, settled_at = $2 WHERE id = $3`
	listHookThreads   = `SELECT DISTINCT session, agent FROM hook_event WHERE settled_at IS NULL AND session = $1 ORDER BY agent`
	listSilentThreads = `
	SELECT session, agent FROM hook_event WHERE settled_at IS NULL GROUP BY session, agent HAVING max(received_at) < $1 LIMIT $2`
	pruneHookEvents = `DELETE FROM hook_event WHERE settled_at < $1`
)

// AddHookEvent stores an event and counts it. It returns false if the event is stored already.
func (t *Tx) AddHookEvent(e HookEvent) (added bool, err error) {
	if err := t.checkNames(fields{{"session", e.Session}, {"agent", e.Agent}, {"event", e.Name}, {"key", e.Key}, {"lineage", e.Lineage}, {"version", e.Version}}); err != nil {
		return false, err
	}
	n, err := t.change(insertHookEvent, e.Session, e.Agent, e.Name, e.Key, micros(e.At), micros(e.ReceivedAt), e.Lineage, nullText(e.Version), string(e.Body))
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.CountHookArrival(e.Name, e.ReceivedAt)
}

// CountHookArrival counts an event that is not stored.
func (t *Tx) CountHookArrival(name string, at time.Time) error {
	if err := t.checkName("event", name); err != nil {
		return err
	}
	_, err := t.exec(countHookArrival, name, micros(at))
	return err
}

// HookBoundaryFrom reports whether a prompt or an end came at a time or later.
func (r *Reader) HookBoundaryFrom(ctx context.Context, thread HookThread, at time.Time) (bool, error) {
	return r.exists(ctx, findHookBoundary, thread.Session, thread.Agent, micros(at))
}

// HookPromptBefore returns the time of the last prompt that is not later than at, or the zero time.
func (r *Reader) HookPromptBefore(ctx context.Context, thread HookThread, at time.Time) (time.Time, error) {
	return r.hookPrompt(ctx, findPromptBefore, thread, at)
}

// HookPromptAfter returns the time of the first prompt after at, or the zero time.
func (r *Reader) HookPromptAfter(ctx context.Context, thread HookThread, at time.Time) (time.Time, error) {
	return r.hookPrompt(ctx, findPromptAfter, thread, at)
}

func (r *Reader) hookPrompt(ctx context.Context, query string, thread HookThread, at time.Time) (time.Time, error) {
	found, err := first(ctx, r, query, []any{thread.Session, thread.Agent, micros(at)}, (*cells).time)
	return orZero(found), err
}

// HookEvents returns the events of a thread between two times, in order. A zero time is no bound.
func (r *Reader) HookEvents(ctx context.Context, thread HookThread, from, to time.Time) ([]HookEvent, error) {
	earliest, latest := int64(-1<<63), int64(1<<63-1)
	if !from.IsZero() {
		earliest = micros(from)
	}
	if !to.IsZero() {
		latest = micros(to)
	}
	return list(ctx, r, listHookEvents, []any{thread.Session, thread.Agent, earliest, latest}, func(c *cells) HookEvent {
		return HookEvent{c.integer(), c.text(), c.text(), c.text(), c.text(), c.time(), c.time(), c.text(), c.text(), c.text(), []byte(c.text()), c.isTrue()}
	})
}

// AssignHookEvents makes events part of an execution, which may be none. Those of one that is final are settled, and go
// in time.
func (t *Tx) AssignHookEvents(events []HookEvent, execution string, settled bool) error {
	var at any
	if settled {
		at = t.now
	}
	for _, e := range events {
		if _, err := t.exec(assignHookEvent, nullText(execution), at, e.ID); err != nil {
			return err
		}
	}
	return nil
}

func (c *cells) hookThread() HookThread { return HookThread{c.text(), c.text()} }

// HookThreads returns the threads of a session that have events of no final execution.
func (r *Reader) HookThreads(ctx context.Context, session string) ([]HookThread, error) {
	return list(ctx, r, listHookThreads, []any{session}, (*cells).hookThread)
}

// SilentHookThreads returns threads without an event since a time.
func (r *Reader) SilentHookThreads(ctx context.Context, since time.Time, limit int) ([]HookThread, error) {
	return list(ctx, r, listSilentThreads, []any{micros(since), limit}, (*cells).hookThread)
}

// PruneHookEvents removes the events of executions that became final before a time.
func (t *Tx) PruneHookEvents(before time.Time) error {
	_, err := t.exec(pruneHookEvents, micros(before))
	return err
}

// HookArrival is how many events of a name came.
type HookArrival struct {
	Name string
	N    int
	Last time.Time
}

// HookTurn is what a thread does that has no final execution yet.
type HookTurn struct {
	Session, Agent, Lineage, Version string
	Began, Last                      time.Time
	NCalls                           int
	Stopped                          bool
}

const (
	listHookArrivals = `SELECT name, n, last_at FROM hook_arrival ORDER BY name`
	listHookTurns    = `
	SELECT session, agent, min(lineage), min(version), min(at), max(at) AS last,
	       count(DISTINCT CASE WHEN name IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionDenied') THEN key END),
	       max(CASE WHEN name IN ('Stop', 'StopFailure', 'SubagentStop') THEN at ELSE 0 END) = max(at)
	  FROM hook_event WHERE settled_at IS NULL
	 GROUP BY session, agent ORDER BY last DESC, session, agent`
)

// HookArrivals returns how many events of each name came.
func (r *Reader) HookArrivals(ctx context.Context) ([]HookArrival, error) {
	return list(ctx, r, listHookArrivals, nil, func(c *cells) HookArrival { return HookArrival{c.text(), c.count(), c.time()} })
}

// HookTurns returns what is going on, the last to speak first.
func (r *Reader) HookTurns(ctx context.Context) ([]HookTurn, error) {
	return list(ctx, r, listHookTurns, nil, func(c *cells) HookTurn {
		return HookTurn{c.text(), c.text(), c.text(), c.text(), c.time(), c.time(), c.count(), c.isTrue()}
	})
}
