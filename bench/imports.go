package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// imports measures track import: a synthetic log of each format, then a large transcript, whose peak memory is what
// matters.
func (b bench) imports() error {
	heading("track import, whole process", "format", "input", "executions", "took", "MB/s", "again", "peak resident memory")
	for _, format := range logFormats {
		if err := b.importLog(format, 64<<20); err != nil {
			return err
		}
	}
	fmt.Println("\nSynthetic logs: 10 calls with 3 kB of output for each execution, Markdown at the end; \"again\" is the same import a second time.")
	heading("A large transcript", "format", "input", "executions", "took", "MB/s", "again", "peak resident memory")
	return b.importLog(logFormats[0], b.transcript<<20)
}

// importLog imports a log of about so many bytes, twice.
func (b bench) importLog(format logFormat, size int) error {
	path := filepath.Join(b.dir, "log."+format.extension)
	executions, err := writeLog(path, format, size)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	db, err := b.newDatabase("import-" + format.name + ".db")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(db) }()
	run := func() (time.Duration, int64, error) {
		command := exec.CommandContext(b.ctx, b.track, "import", format.name, path, "--lineage", "bench", "--version", "v1", "--db", db)
		command.Stderr = os.Stderr
		started := time.Now()
		out, err := command.Output()
		took := time.Since(started)
		if err != nil {
			return took, 0, fmt.Errorf("import %s: %w", format.name, err)
		}
		if !strings.Contains(string(out), fmt.Sprintf(" %d execution", executions)) && !strings.Contains(string(out), fmt.Sprintf(" %d duplicate", executions)) {
			return took, 0, fmt.Errorf("import %s of %d executions: %s", format.name, executions, out)
		}
		peak := int64(0)
		if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = usage.Maxrss
		}
		return took, peak, nil
	}
	first, peak, err := run()
	if err != nil {
		return err
	}
	again, peakAgain, err := run()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	megabytes := float64(info.Size()) / 1e6
	row(format.name, fmt.Sprintf("%.0f MB", megabytes), executions, fmt.Sprintf("%.1f s", first.Seconds()), fmt.Sprintf("%.1f", megabytes/first.Seconds()),
		fmt.Sprintf("%.1f s", again.Seconds()), fmt.Sprintf("%d MB", max(peak, peakAgain)/1024))
	return nil
}

// logFormat writes executions as a format has them.
type logFormat struct {
	name, extension     string
	begin, end, between string
	execution           func(w *bufio.Writer, n int, calls []loggedCall, answer string)
}

type loggedCall struct{ id, command, output string }

const callsPerExecution = 10

func writeLog(path string, format logFormat, size int) (executions int, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w, written := bufio.NewWriterSize(file, 1<<20), &countedFile{File: file}
	w.Reset(written)
	random := rand.New(rand.NewPCG(1, 2))
	_, _ = w.WriteString(format.begin) // an error of the buffer comes again with Flush
	for ; written.n < size; executions++ {
		if executions > 0 {
			_, _ = w.WriteString(format.between)
		}
		format.execution(w, executions, someCalls(random, executions), someAnswer(random))
	}
	_, _ = w.WriteString(format.end)
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return executions, file.Close()
}

type countedFile struct {
	*os.File
	n int
}

func (f *countedFile) Write(p []byte) (int, error) {
	f.n += len(p)
	return f.File.Write(p)
}

var words = strings.Fields("the test of package store failed because value was not found in line error return func track record import token=$TOKEN path /usr/lib go build ok")

func prose(random *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[random.IntN(len(words))])
		b.WriteByte(" \n"[min(1, random.IntN(12)/11)])
	}
	return b.String()
}

func someCalls(random *rand.Rand, n int) []loggedCall {
	calls := make([]loggedCall, callsPerExecution)
	for i := range calls {
		calls[i] = loggedCall{fmt.Sprintf("toolu_%d_%d", n, i), "go test ./" + prose(random, 60), prose(random, 3000)}
	}
	return calls
}

func someAnswer(random *rand.Rand) string {
	return "## Done\n\n" + prose(random, 400) + "\n\n- " + prose(random, 50) + "\n\n```go\nfunc f() int { return 1 }\n```\n\nNext steps: " + prose(random, 60)
}

func quoted(text string) string {
	raw, _ := jsontext.AppendQuote(nil, text) // it is valid UTF-8
	return string(raw)
}

// when is when the n-th execution did something.
func when(n, second int) string {
	return time.Unix(1_700_000_000+int64(n)*100+int64(second), 0).UTC().Format(time.RFC3339)
}

var logFormats = []logFormat{
	{name: "claude-code", extension: "jsonl", execution: func(w *bufio.Writer, n int, calls []loggedCall, answer string) {
		line := func(kind, id, content, more string) {
			fmt.Fprintf(w, `{"type":%q,"uuid":"u-%d-%s","sessionId":"s","timestamp":%q,"message":{"role":%q,"content":%s%s}}`+"\n", kind, n, id, when(n, 0), kind, content, more)
		}
		line("user", "p", quoted("go on"), "")
		for _, c := range calls {
			line("assistant", c.id, fmt.Sprintf(`[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%s}}]`, c.id, quoted(c.command)),
				fmt.Sprintf(`,"id":"m-%s","model":"m","usage":{"input_tokens":10,"output_tokens":20}`, c.id))
			line("user", c.id+"r", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":%q,"content":%s}]`, c.id, quoted(c.output)), "")
		}
		line("assistant", "a", fmt.Sprintf(`[{"type":"text","text":%s}]`, quoted(answer)), fmt.Sprintf(`,"id":"m-%d","model":"m","usage":{"input_tokens":10}`, n))
	}},
	{name: "claude-hooks", extension: "jsonl", execution: func(w *bufio.Writer, n int, calls []loggedCall, answer string) {
		line := func(second int, event, more string) {
			fmt.Fprintf(w, `{"ts":%q,"session_id":"s","hook_event_name":%q%s}`+"\n", when(n, second), event, more)
		}
		line(0, "UserPromptSubmit", fmt.Sprintf(`,"prompt":"go on %d"`, n))
		for _, c := range calls {
			call := fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":%q,"tool_input":{"command":%s}`, c.id, quoted(c.command))
			line(1, "PreToolUse", call)
			line(2, "PostToolUse", call+fmt.Sprintf(`,"tool_response":{"stdout":%s,"stderr":"","interrupted":false}`, quoted(c.output)))
		}
		line(3, "Stop", `,"last_assistant_message":`+quoted(answer))
	}},
	{name: "codex", extension: "jsonl", begin: `{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}` + "\n",
		execution: func(w *bufio.Writer, n int, calls []loggedCall, answer string) {
			line := func(kind, payload string) {
				fmt.Fprintf(w, `{"timestamp":%q,"type":%q,"payload":%s}`+"\n", when(n, 0), kind, payload)
			}
			line("event_msg", fmt.Sprintf(`{"type":"user_message","message":"go on %d"}`, n))
			for _, c := range calls {
				line("response_item", fmt.Sprintf(`{"type":"function_call","name":"exec_command","call_id":%q,"arguments":%s}`, c.id, quoted(`{"cmd":`+quoted(c.command)+`}`)))
				line("response_item", fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, c.id, quoted("Process exited with code 0\nOutput:\n"+c.output)))
			}
			line("response_item", fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}`, quoted(answer)))
		}},
	{name: "tau-bench", extension: "json", begin: "[", between: ",\n", end: "]", execution: func(w *bufio.Writer, n int, calls []loggedCall, answer string) {
		fmt.Fprintf(w, `{"task_id":%d,"reward":1.0,"info":{},"traj":[{"role":"user","content":"hi"}`, n)
		for _, c := range calls {
			fmt.Fprintf(w, `,{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"bash","arguments":%s}}]}`, c.id, quoted(`{"cmd":`+quoted(c.command)+`}`))
			fmt.Fprintf(w, `,{"role":"tool","tool_call_id":%q,"name":"bash","content":%s}`, c.id, quoted(c.output))
		}
		fmt.Fprintf(w, `,{"role":"assistant","content":%s}],"trial":0}`, quoted(answer))
	}},
	{name: "inspect", extension: "json", between: ",\n", end: "]}",
		begin: `{"version":2,"status":"success","eval":{"eval_id":"E","run_id":"R","created":"2026-03-01T10:00:00+00:00","task":"t","task_id":"T","model":"m"},"samples":[`,
		execution: func(w *bufio.Writer, n int, calls []loggedCall, answer string) {
			fmt.Fprintf(w, `{"id":%d,"epoch":1,"input":"q","target":"a","messages":[{"role":"user","content":"q"}`, n)
			for _, c := range calls {
				fmt.Fprintf(w, `,{"role":"assistant","content":"","tool_calls":[{"id":%q,"function":"bash","arguments":{"cmd":%s}}]}`, c.id, quoted(c.command))
				fmt.Fprintf(w, `,{"role":"tool","tool_call_id":%q,"function":"bash","content":%s}`, c.id, quoted(c.output))
			}
			fmt.Fprintf(w, `,{"role":"assistant","content":%[1]s}],"output":{"model":"m","choices":[{"message":{"role":"assistant","content":%[1]s},"stop_reason":"stop"}]},"uuid":"u-%[2]d"}`, quoted(answer), n)
		}},
	{name: "sepa", extension: "jsonl", execution: func(w *bufio.Writer, n int, calls []loggedCall, _ string) {
		for _, c := range calls {
			fmt.Fprintf(w, `{"ts":%q,"type":"pre","tool":"Bash","params":{"command":%s},"session":"s-%d"}`+"\n", when(n, 0), quoted(c.command), n)
			fmt.Fprintf(w, `{"ts":%q,"type":"post","tool":"Bash","output":%s,"exit":"0","session":"s-%d"}`+"\n", when(n, 1), quoted(c.output), n)
		}
	}},
	{name: "jsonl", extension: "jsonl", execution: func(w *bufio.Writer, n int, calls []loggedCall, answer string) {
		fmt.Fprintf(w, `{"kind":"execution","task":"t-%d","started_at":%q,"calls":[`, n, when(n, 0))
		for i, c := range calls {
			if i > 0 {
				_, _ = w.WriteString(",")
			}
			fmt.Fprintf(w, `{"key":%q,"tool":"Bash","input":{"command":%s},"output":%s,"exit":0}`, c.id, quoted(c.command), quoted(c.output))
		}
		fmt.Fprintf(w, `],"output":%s,"duration_s":60}`+"\n", quoted(answer))
	}},
}
