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

// hook measures one call of a hook from a cold process, alone and twenty at once, against the sqlite3 program doing one insert of the
// same row with synchronous=FULL; and the hook that ends an execution of 20 calls, which is scored.
func (b bench) hook() error {
	const processes, atOnce, calls = 60, 20, 20
	path, err := b.newDatabase("hook.db")
	if err != nil {
		return err
	}
	rival, err := b.newDatabase("hook-sqlite3.db")
	if err != nil {
		return err
	}
	program, err := filepath.Abs(b.track)
	if err != nil {
		return err
	}
	hook := func(payload string) *exec.Cmd {
		command := exec.CommandContext(b.ctx, program, "hook", "claude-code", "--lineage", "bench")
		command.Env = append(os.Environ(), "TRACK_DB="+path)
		command.Stdin = strings.NewReader(payload)
		return command
	}
	sqlite := func(key string) *exec.Cmd {
		command := exec.CommandContext(b.ctx, "sqlite3", rival)
		command.Stdin = strings.NewReader(fmt.Sprintf(`PRAGMA busy_timeout=10000; PRAGMA synchronous=FULL;
INSERT INTO hook_event (session, agent, name, key, at, received_at, lineage, version, execution, body)
VALUES ('s', '', 'PreToolUse', '%s', 1, 1, 'bench', '', '', '%s');`, key, strings.Repeat("x", 300)))
		return command
	}
	var one, stop, insert, many, manyInserts timings
	for i := range processes {
		took, err := timedCommand(hook(toolPayload("PreToolUse", fmt.Sprint("one-", i))))
		if err != nil {
			return err
		}
		one = append(one, took)
		if took, err = timedCommand(sqlite(fmt.Sprint("one-", i))); err != nil {
			return err
		}
		insert = append(insert, took)
	}
	for i := range b.rounds {
		took, err := timedAtOnce(atOnce, func(n int) *exec.Cmd { return hook(toolPayload("PreToolUse", fmt.Sprintf("%d-%d", i, n))) })
		if err != nil {
			return err
		}
		many = append(many, took...)
		if took, err = timedAtOnce(atOnce, func(n int) *exec.Cmd { return sqlite(fmt.Sprintf("%d-%d", i, n)) }); err != nil {
			return err
		}
		manyInserts = append(manyInserts, took...)
	}
	for i := range b.rounds {
		payloads := []string{fmt.Sprintf(`{"session_id":"stop-%d","hook_event_name":"UserPromptSubmit","prompt":"go"}`, i)}
		for n := range calls {
			for _, name := range []string{"PreToolUse", "PostToolUse"} {
				payloads = append(payloads, strings.Replace(toolPayload(name, fmt.Sprint("t", n)), `"s"`, fmt.Sprintf(`"stop-%d"`, i), 1))
			}
		}
		for _, payload := range payloads {
			if _, err := timedCommand(hook(payload)); err != nil {
				return err
			}
		}
		took, err := timedCommand(hook(fmt.Sprintf(`{"session_id":"stop-%d","hook_event_name":"Stop","last_assistant_message":"Done, because it was asked for."}`, i)))
		if err != nil {
			return err
		}
		stop = append(stop, took)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "hook.log")); err == nil {
		return errors.New("hook.log tells of errors")
	}
	heading("One call of a hook from a cold process", "what", "median", "against sqlite3")
	row("sqlite3, one insert", insert, "1.00")
	row("track hook claude-code", one, ratio(one, insert))
	row(fmt.Sprintf("track hook claude-code at Stop: %d calls become an execution, and are scored", calls), stop, ratio(stop, insert))
	row(fmt.Sprintf("sqlite3, %d at once, each", atOnce), manyInserts, "1.00")
	row(fmt.Sprintf("track hook claude-code, %d at once, each", atOnce), many, ratio(many, manyInserts))
	fmt.Printf("\n%d processes alone, %d rounds of %d at once; synchronous=FULL.\n", processes, b.rounds, atOnce)
	return nil
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
