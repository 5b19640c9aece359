package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	hookAtOnce   = 20 // hooks that run together
	callsToAStop = 20 // calls of the execution that a hook ends
)

// hookBench calls hooks into a database, and sqlite3 for the same row in a database beside it.
type hookBench struct {
	bench
	database, rival string
}

// hook measures one call of a hook from a cold process, alone and twenty at once, against the sqlite3 program doing
// one insert of the same row with synchronous=FULL; and the hook that ends an execution of 20 calls, which is scored.
func (b bench) hook() error {
	const alone = 60
	h := hookBench{bench: b}
	var err error
	if h.database, err = b.newDatabase("hook.db"); err != nil {
		return err
	}
	if h.rival, err = b.newDatabase("hook-sqlite3.db"); err != nil {
		return err
	}
	one, insert, err := h.alone(alone)
	if err != nil {
		return err
	}
	many, manyInserts, err := h.together()
	if err != nil {
		return err
	}
	stop, err := h.stops()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(h.database), "hook.log")); err == nil {
		return errors.New("hook.log tells of errors")
	}
	heading("One call of a hook from a cold process", "what", "median", "processor time", "against sqlite3", "aim")
	row("sqlite3, one insert", insert.wall, insert.cpu, "1.00", "")
	row("track hook claude-code", one.wall, one.cpu, ratio(one.wall, insert.wall), "1.50")
	row(fmt.Sprintf("track hook claude-code at Stop: %d calls become an execution, and are scored", callsToAStop), stop.wall, stop.cpu, ratio(stop.wall, insert.wall), "")
	row(fmt.Sprintf("sqlite3, %d at once, each", hookAtOnce), manyInserts, "", "1.00", "")
	row(fmt.Sprintf("track hook claude-code, %d at once, each", hookAtOnce), many, "", ratio(many, manyInserts), "")
	fmt.Printf("\n%d processes alone, %d rounds of %d at once; synchronous=FULL.\n", alone, b.rounds, hookAtOnce)
	return nil
}

func (h hookBench) call(payload string) *exec.Cmd {
	command := exec.CommandContext(h.ctx, h.track, "hook", "claude-code", "--lineage", "bench")
	command.Env = append(os.Environ(), "TRACK_DB="+h.database)
	command.Stdin = strings.NewReader(payload)
	return command
}

func (h hookBench) insert(key string) *exec.Cmd {
	command := exec.CommandContext(h.ctx, "sqlite3", h.rival)
	command.Stdin = strings.NewReader(fmt.Sprintf(`PRAGMA busy_timeout=10000; PRAGMA synchronous=FULL;
INSERT INTO hook_event (session, agent, name, key, at, received_at, lineage, version, execution, body)
VALUES ('s', '', 'PreToolUse', '%s', 1, 1, 'bench', NULL, NULL, '%s');`, key, strings.Repeat("x", 300)))
	return command
}

// alone runs processes one after the other.
func (h hookBench) alone(n int) (hooks, inserts processes, err error) {
	for i := range n {
		key := fmt.Sprint("one-", i)
		if err := errors.Join(hooks.run(h.call(toolPayload("PreToolUse", key))), inserts.run(h.insert(key))); err != nil {
			return hooks, inserts, err
		}
	}
	return hooks, inserts, nil
}

// together runs rounds of processes that start at once.
func (h hookBench) together() (hooks, inserts timings, err error) {
	for i := range h.rounds {
		took, err := timedAtOnce(hookAtOnce, func(n int) *exec.Cmd { return h.call(toolPayload("PreToolUse", fmt.Sprintf("%d-%d", i, n))) })
		if err != nil {
			return nil, nil, err
		}
		hooks = append(hooks, took...)
		if took, err = timedAtOnce(hookAtOnce, func(n int) *exec.Cmd { return h.insert(fmt.Sprintf("%d-%d", i, n)) }); err != nil {
			return nil, nil, err
		}
		inserts = append(inserts, took...)
	}
	return hooks, inserts, nil
}

// stops times the hooks that end executions.
func (h hookBench) stops() (stops processes, err error) {
	for i := range h.rounds {
		payloads := []string{fmt.Sprintf(`{"session_id":"stop-%d","hook_event_name":"UserPromptSubmit","prompt":"go"}`, i)}
		for n := range callsToAStop {
			for _, name := range []string{"PreToolUse", "PostToolUse"} {
				payloads = append(payloads, strings.Replace(toolPayload(name, fmt.Sprint("t", n)), `"s"`, fmt.Sprintf(`"stop-%d"`, i), 1))
			}
		}
		for _, payload := range payloads {
			if _, err := timedCommand(h.call(payload)); err != nil {
				return stops, err
			}
		}
		stop := fmt.Sprintf(`{"session_id":"stop-%d","hook_event_name":"Stop","last_assistant_message":"Done, because it was asked for."}`, i)
		if err := stops.run(h.call(stop)); err != nil {
			return stops, err
		}
	}
	return stops, nil
}

func toolPayload(name, id string) string {
	return fmt.Sprintf(`{"session_id":"s","transcript_path":"/nosuch/s.jsonl","cwd":"/nosuch","permission_mode":"default","hook_event_name":"%s","tool_name":"Bash",`+
		`"tool_input":{"command":"ls -la","description":"List files"},"tool_use_id":"%s","tool_response":{"stdout":"total 0","stderr":"","interrupted":false}}`, name, id)
}

// timedAtOnce starts commands together and returns how long each took.
func timedAtOnce(n int, command func(int) *exec.Cmd) (timings, error) {
	took, errs := make([]time.Duration, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { took[i], errs[i] = timedCommand(command(i)) })
	}
	all.Wait()
	return took, errors.Join(errs...)
}
