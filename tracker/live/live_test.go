package live

import (
	"bytes"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
	"track/importer"
	"track/importer/claudecode"
	"track/importer/importertest"
	"track/internal/admission"
	"track/internal/testdb"
	"track/store"
	"track/tracker/agents"
)

// world is a database and a clock.
type world struct {
	*store.Store
	t     *testing.T
	clock time.Time
	task  string // of TRACK_TASK
}

func newWorld(t *testing.T) *world {
	t.Helper()
	testdb.OnlySQLite(t, "its database is a file")
	path := testdb.NewFile(t)
	w := &world{t: t, clock: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	var err error
	if w.Store, err = store.OpenForUpdate(t.Context(), path, func() time.Time { return w.clock }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// receive makes an event of a payload that comes so many seconds after ten o'clock.
func (w *world) receive(second int, payload string) store.HookEvent {
	w.t.Helper()
	w.clock = time.Date(2026, 3, 1, 10, 0, second, 0, time.UTC)
	e, err := received(payload, w.task, w.clock)
	if err != nil {
		w.t.Fatal(err)
	}
	e.Lineage, e.Version = "l", "v1"
	return e.HookEvent
}

func received(text, task string, at time.Time) (hookEvent, error) {
	rules := admission.New(false)
	p, err := readPayload(strings.NewReader(text), rules)
	if err != nil {
		return hookEvent{}, err
	}
	return p.receive(task, at, rules)
}

func (w *world) record(events ...store.HookEvent) {
	w.t.Helper()
	for _, e := range events {
		warnings, err := newRecorder(w.Store, cryptorand.Reader).record(w.t.Context(), e)
		if err != nil || len(warnings) > 0 {
			w.t.Fatalf("%s: %v, %v", e.Name, err, warnings)
		}
	}
}

func (w *world) executions() []track.RecordedExecution {
	w.t.Helper()
	list, err := w.Executions(w.t.Context(), store.ExecutionFilter{})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Reverse(list)
	return list
}

// told is what is compared of executions: all but times of recording and ULIDs.
func (w *world) told() string {
	w.t.Helper()
	var b strings.Builder
	for _, s := range w.executions() {
		e, err := w.Execution(w.t.Context(), s.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s %s@%s corrections %d open %v at %s score %v", e.Source, e.Key, e.Lineage, e.Version, e.Corrections, e.Open, e.StartedAt.Format(time.TimeOnly), e.Score != nil)
		for _, c := range e.Calls {
			fmt.Fprintf(&b, "; %s %s answered %v error %q", c.Tool, c.Key, c.Answered, c.Error)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func prompt(text string) string {
	return `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"` + text + `"}`
}

func tool(name, id, rest string) string {
	return fmt.Sprintf(`{"session_id":"s","hook_event_name":"%s","tool_name":"Bash","tool_input":{"command":"ls %s"},"tool_use_id":"%s"%s}`, name, id, id, rest)
}

func pre(id string) string { return tool("PreToolUse", id, "") }
func post(id string) string {
	return tool("PostToolUse", id, `,"tool_response":{"stdout":"a","stderr":""},"duration_ms":12`)
}
func failure(id string) string {
	return tool("PostToolUseFailure", id, `,"error":"Exit code 2\nno such file"`)
}

const (
	stop = `{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"I listed the files of the folder for you, because you asked."}`
	end  = `{"session_id":"s","hook_event_name":"SessionEnd","reason":"exit"}`
)

// session is two prompts; the second has an open call when it stops.
func session(w *world) []store.HookEvent {
	return []store.HookEvent{
		w.receive(0, prompt("one")), w.receive(1, pre("t1")), w.receive(2, post("t1")), w.receive(3, pre("t2")), w.receive(4, failure("t2")), w.receive(5, stop),
		w.receive(10, prompt("two")), w.receive(11, pre("t3")), w.receive(12, stop), w.receive(20, end),
	}
}

const sessionTold = `claude-hooks claude-hooks:s:%s l@v1 corrections 0 open false at 10:00:00 score true; Bash t1 answered true error ""; Bash t2 answered true error "Exit code 2\nno such file"
claude-hooks claude-hooks:s:%s l@v1 corrections 0 open false at 10:00:10 score true; Bash t3 answered false error "no result when the agent stopped"
`

func TestSession(t *testing.T) {
	w := newWorld(t)
	events := session(w)
	want := fmt.Sprintf(sessionTold, events[0].Key, events[6].Key)
	w.record(events...)
	if got := w.told(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	id := w.executions()[0].ID
	w.record(events...) // again: nothing changes
	if got := w.told(); got != want || w.executions()[0].ID != id {
		t.Errorf("the second time\n%s", got)
	}
	arrivals, err := w.HookArrivals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, a := range arrivals {
		n += a.N
	}
	if n != len(events) {
		t.Errorf("%d events were counted, of %d", n, len(events))
	}
}

// In whatever order the events come, the executions are the same.
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(t)
		events := session(w)
		want := fmt.Sprintf(sessionTold, events[0].Key, events[6].Key)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		w.record(events...)
		if got := w.told(); got != want {
			var order []string
			for _, e := range events {
				order = append(order, e.Name+" "+e.Key)
			}
			t.Fatalf("seed %d: %q\ngot\n%swant\n%s", seed, order, got, want)
		}
	}
}

func TestOpenUntilTheNextPrompt(t *testing.T) {
	w := newWorld(t)
	events := session(w)
	w.record(events[:6]...)
	first := w.executions()
	if len(first) != 1 || !first[0].Open || first[0].Score == nil || *first[0].Duration != 5*time.Second {
		t.Fatalf("at Stop: %+v", first)
	}
	w.record(w.receive(7, stop)) // a hook made the agent go on
	w.record(events[6])
	second := w.executions()
	if len(second) != 1 || second[0].Open || second[0].ID != first[0].ID || *second[0].Duration != 7*time.Second {
		t.Errorf("at the next prompt: %+v", second)
	}
}

func TestInterrupted(t *testing.T) {
	w := newWorld(t)
	w.record(w.receive(0, prompt("one")), w.receive(1, pre("t1")), w.receive(2, prompt("two")), w.receive(3, prompt("three")), w.receive(4, end))
	list := w.executions()
	if len(list) != 1 || list[0].Corrections != 1 || list[0].NCalls != 1 || list[0].NFailed != 0 || list[0].NUnknown != 1 || list[0].Open || !strings.Contains(list[0].Message, "interrupted") {
		t.Errorf("%+v", list)
	}
	w = newWorld(t)
	w.record(w.receive(0, prompt("one")), w.receive(1, pre("t1")), w.receive(4, end))
	if list := w.executions(); len(list) != 1 || list[0].Corrections != 1 {
		t.Errorf("at the end of the session: %+v", list)
	}
}

func TestPartsAlone(t *testing.T) {
	w := newWorld(t)
	w.record(w.receive(0, stop), w.receive(1, end), w.receive(2, `{"session_id":"s","hook_event_name":"SubagentStop","agent_id":"a"}`), w.receive(3, `{"session_id":"s","hook_event_name":"Notification"}`))
	if list := w.executions(); len(list) != 0 {
		t.Errorf("a Stop without a prompt made %+v", list)
	}
	w = newWorld(t)
	w.record(w.receive(0, prompt("one")), w.receive(1, post("t1")), w.receive(2, stop)) // without PreToolUse
	if list := w.executions(); len(list) != 1 || list[0].NCalls != 1 || list[0].NFailed != 0 {
		t.Errorf("%+v", list)
	}
	w = newWorld(t)
	w.record(w.receive(1, pre("t1")), w.receive(2, stop)) // without a prompt
	if list := w.executions(); len(list) != 1 || list[0].NCalls != 1 {
		t.Errorf("%+v", list)
	}
}

func TestSubagent(t *testing.T) {
	w := newWorld(t)
	of := func(payload string) string {
		return strings.Replace(payload, `"session_id"`, `"agent_id":"a1","session_id"`, 1)
	}
	w.record(w.receive(0, prompt("one")), w.receive(1, pre("task")), w.receive(2, of(pre("t1"))), w.receive(3, of(post("t1"))),
		w.receive(4, of(`{"session_id":"s","hook_event_name":"SubagentStop","last_assistant_message":"done"}`)), w.receive(5, post("task")), w.receive(6, stop))
	list := w.executions()
	if len(list) != 2 || list[0].NCalls != 1 || list[1].NCalls != 1 || list[1].Key != "claude-hooks:s:a1:t1" || !list[1].Open {
		t.Fatalf("%+v", list)
	}
	w.record(w.receive(8, prompt("two")))
	if list := w.executions(); len(list) != 2 || list[0].Open || list[1].Open {
		t.Errorf("at the next prompt: %+v", list)
	}
}

// A result of any size is an event of its call, with its outcome and in bounded memory, and counts once.
func TestLongResults(t *testing.T) {
	w := newWorld(t)
	w.record(w.receive(0, prompt("one")))
	line := strings.Repeat("a line of a long file ", 3)
	copies := 65 << 20 / int64(len(line)+2)
	whole := int(copies) * (len(line) + 1)
	for id, payload := range map[string]func(text string) string{
		"t1": func(text string) string {
			return tool("PostToolUse", "t1", `,"tool_response":{"stdout":"`+text+`","stderr":""}`)
		},
		"t2": func(text string) string { return tool("PostToolUseFailure", "t2", `,"error":"Exit code 2\n`+text+`"`) },
	} {
		before, after, _ := strings.Cut(payload("|"), "|")
		long := io.MultiReader(strings.NewReader(before), io.LimitReader(&repeated{text: line + `\n`}, copies*int64(len(line)+2)), strings.NewReader(after))
		p, err := readPayload(long, admission.New(false))
		if err != nil || len(p.cuts) == 0 || len(p.text) > 2<<20 {
			t.Fatalf("%s: %d bytes, %v", id, len(p.text), err)
		}
		w.clock = time.Date(2026, 3, 1, 10, 0, 2, 0, time.UTC)
		e, err := p.receive("", w.clock, admission.New(false))
		if err != nil {
			t.Fatal(err)
		}
		e.Lineage, e.Version = "l", "v1"
		w.record(w.receive(1, pre(id)), e.HookEvent, e.HookEvent)
	}
	w.record(w.receive(5, stop), w.receive(6, end))
	list := w.executions()
	if len(list) != 1 || list[0].NCalls != 2 || list[0].NFailed != 1 {
		t.Fatalf("%+v", list)
	}
	e, err := w.Execution(t.Context(), list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Calls {
		if !c.Answered || c.Key == "t1" && (c.Error != "" || c.Output == nil || c.Output.Bytes < 1<<18 || c.Output.WholeBytes != whole) || c.Key == "t2" && (c.Exit == nil || *c.Exit != 2) {
			t.Errorf("%+v", c)
		}
	}
}

// repeated is a text without end.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], r.text[r.at:])
		n, r.at = n+c, (r.at+c)%len(r.text)
	}
	return n, nil
}

func TestSecretsAreMasked(t *testing.T) {
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	w := newWorld(t)
	for _, payload := range []string{prompt("my key is " + secret), strings.ReplaceAll(pre("t1"), "ls t1", "curl -H 'x-api-key: "+secret+"'"),
		strings.ReplaceAll(post("t2"), `"stdout":"a"`, `"stdout":"ANTHROPIC_API_KEY=`+secret+`"`), strings.ReplaceAll(stop, "I listed", secret)} {
		if e := w.receive(0, payload); bytes.Contains(e.Body, []byte(secret)) {
			t.Errorf("%s", e.Body)
		}
	}
}

func TestEventsAreRemoved(t *testing.T) {
	w := newWorld(t)
	w.record(session(w)...)
	count := func() (n int) {
		err := w.Update(t.Context(), func(tx *store.Tx) error {
			events, err := tx.HookEvents(t.Context(), store.HookThread{Session: "s"}, time.Time{}, time.Time{})
			n = len(events)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 10 {
		t.Errorf("%d events wait for late ones", n)
	}
	w.record(w.receive(20+15*60, strings.ReplaceAll(prompt("x"), `"s"`, `"other"`)))
	if n := count(); n != 0 {
		t.Errorf("%d events are left", n)
	}
	// a session that was killed ends when nothing came for a week
	w.record(w.receive(3000, pre("t9")), w.receive(3000+8*24*3600, strings.ReplaceAll(prompt("x"), `"s"`, `"third"`)))
	if list := w.executions(); len(list) != 3 || list[2].Open || list[2].Corrections != 1 {
		t.Errorf("%+v", list)
	}
}

// The README beside the real log: 4 prompts, 4 PreToolUse, 3 PostToolUse, 4 Stop; the fourth call failed, which this
// version does not tell.
func TestRealLog(t *testing.T) {
	var lines []string
	text := new(bytes.Buffer)
	if _, err := text.ReadFrom(importertest.Real(t, "claude-code-hooks/fasthooks-hook_logs-first-20.jsonl")); err != nil {
		t.Fatal(err)
	}
	lines = slices.Collect(strings.Lines(text.String()))
	for seed := range uint64(4) {
		w := newWorld(t)
		order := slices.Clone(lines)
		if seed > 0 {
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for _, line := range append(order, order...) {
			w.record(w.receive(0, line))
		}
		list := w.executions()
		failed := 0
		for _, e := range list {
			failed += e.NFailed
			if e.NCalls != 1 || e.Score == nil {
				t.Errorf("seed %d: %+v", seed, e)
			}
		}
		if len(list) != 4 || failed != 1 || list[3].NFailed != 1 {
			t.Errorf("seed %d: %d executions, %d failed calls", seed, len(list), failed)
		}
	}
}

// transcript is that of the first prompt of session, as it stands when the agent stops, and at the next prompt.
const (
	transcriptBefore = `{"type":"user","uuid":"u0","sessionId":"s","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"zero"}}
{"type":"assistant","uuid":"a0","sessionId":"s","timestamp":"2026-03-01T09:00:05Z","message":{"id":"m0","model":"claude-x","role":"assistant","content":[{"type":"text","text":"Nothing."}],"usage":{"input_tokens":1000,"output_tokens":1000}}}
`
	transcriptAtStop = `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-03-01T10:00:00.1Z","message":{"role":"user","content":"one"}}
{"type":"assistant","uuid":"a1","sessionId":"s","timestamp":"2026-03-01T10:00:01Z","message":{"id":"m1","model":"claude-x","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls t1"}}],"usage":{"input_tokens":10,"output_tokens":5}}}
{"type":"user","uuid":"r1","sessionId":"s","timestamp":"2026-03-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}
{"type":"assistant","uuid":"a2","sessionId":"s","timestamp":"2026-03-01T10:00:03Z","message":{"id":"m2","model":"claude-x","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"ls t2"}}],"usage":{"input_tokens":12,"output_tokens":6}}}
{"type":"user","uuid":"r2","sessionId":"s","timestamp":"2026-03-01T10:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"Exit code 2\nno such file"}]}}
`
	transcriptLate = `{"type":"assistant","uuid":"a3","sessionId":"s","timestamp":"2026-03-01T10:00:05Z","message":{"id":"m3","model":"claude-x","role":"assistant","content":[{"type":"text","text":"I listed the files of the folder for you, because you asked."}],"usage":{"input_tokens":13,"output_tokens":7}}}
{"type":"system","subtype":"turn_duration","uuid":"y1","sessionId":"s","timestamp":"2026-03-01T10:00:05.5Z","durationMs":5400}
`
)

// With a transcript the execution is the transcript's, before and after all of it is written; importing it adds
// nothing.
func TestTranscript(t *testing.T) {
	long := strings.Repeat(`a line of a long file\n`, 100_000)
	for name, result := range map[string]string{"short": post("t1"), "long": tool("PostToolUse", "t1", `,"tool_response":{"stdout":"`+long+`","stderr":""}`)} {
		t.Run(name, func(t *testing.T) { testTranscript(t, result) })
	}
}

func testTranscript(t *testing.T, result string) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write := func(text string) {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	with := func(payload string) string {
		return strings.Replace(payload, `"session_id"`, fmt.Sprintf(`"transcript_path":%q,"session_id"`, path), 1)
	}
	write(transcriptBefore)
	w.record(w.receive(0, with(prompt("one"))), w.receive(1, with(pre("t1"))), w.receive(2, with(result)), w.receive(3, with(pre("t2"))))
	write(transcriptAtStop)
	w.record(w.receive(5, with(stop)))
	atStop := w.executions()
	if len(atStop) != 1 || atStop[0].Key != "claude-code:s:u1" || !atStop[0].Open || atStop[0].Model != "claude-x" || *atStop[0].Tokens.Input != 22 || atStop[0].NCalls != 2 {
		t.Fatalf("%+v", atStop)
	}
	detail, err := w.Execution(t.Context(), atStop[0].ID)
	if err != nil || detail.Calls[1].Exit == nil || *detail.Calls[1].Exit != 2 || detail.Output == nil || !strings.HasPrefix(*detail.Output.Text, "I listed") {
		t.Errorf("%+v, %v", detail, err)
	}
	write(transcriptLate)
	w.record(w.receive(10, with(prompt("two"))))
	final := w.executions()
	if len(final) != 1 || final[0].ID != atStop[0].ID || final[0].Open || *final[0].Tokens.Input != 35 || *final[0].Duration != 5400*time.Millisecond {
		t.Fatalf("%+v", final)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	items, err := importertest.Collect(t, claudecode.Read(path, file))
	if err != nil {
		t.Fatal(err)
	}
	if got := w.importAll(items); fmt.Sprint(got) != fmt.Sprint([]track.Disposition{track.Recorded, track.Duplicate}) {
		t.Errorf("importing the transcript: %v", got)
	}
	// importing first, and then a late event
	w.record(w.receive(11, with(failure("t2"))), w.receive(12, with(stop)))
	if list := w.executions(); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

func (w *world) importAll(items []importer.Item) (dispositions []track.Disposition) {
	w.t.Helper()
	for _, item := range items {
		if item.Execution == nil {
			continue
		}
		e := *item.Execution
		e.Lineage, e.Version = "l", "v1"
		recorder := agents.NewRecorder(w.Store, agents.Options{}, cryptorand.Reader)
		results, err := recorder.Record(w.t.Context(), []track.Execution{e}, item.Open)
		if err != nil {
			w.t.Fatal(err)
		}
		dispositions = append(dispositions, results[0].Disposition)
	}
	return dispositions
}

func TestReceiveRefuses(t *testing.T) {
	for _, bad := range []string{"", "null", "[]", `{"session_id":"s"}`, `{"hook_event_name":"Stop"}`, `{"session_id":"\u0000","hook_event_name":"Stop"}`} {
		if e, err := received(bad, "", time.Now()); err == nil {
			t.Errorf("%q became %+v", bad, e)
		}
	}
}

func TestSpoolAndLog(t *testing.T) {
	dir := t.TempDir()
	spool := eventSpool(filepath.Join(dir, "spool"))
	if events, forget, err := spool.events(); err != nil || len(events) != 0 || forget() != nil || spool.Len() != 0 {
		t.Errorf("of no folder: %v, %v", events, err)
	}
	w := newWorld(t)
	for _, e := range session(w) {
		if err := spool.put(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(string(spool), "0-x.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	events, forget, err := spool.events()
	if err != nil || len(events) != 10 || spool.Len() != 10 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	w.record(events...)
	if err := forget(); err != nil || spool.Len() != 0 || len(w.executions()) != 2 {
		t.Errorf("%v, %d left", err, spool.Len())
	}
	log := Log(filepath.Join(dir, "hook.log"))
	for range 600 {
		if err := log.Add(w.clock, strings.Repeat("x\n", 900)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"hook.log", "hook.log.1"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Size() > 300<<10 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if tail, err := log.tail(3); err != nil || len(tail) != 3 {
		t.Errorf("%d lines, %v", len(tail), err)
	}
}

// The hooks of a real session, told from its transcript: importing the transcript afterwards adds nothing.
func TestRealTranscripts(t *testing.T) {
	for _, name := range []string{"fasthooks-sample_main_transcript", "codemie-session-196820da", "spotter-tool_heavy", "spotter-8463c716-first", "spotter-subagent"} {
		file := importertest.Real(t, "claude-code-transcript/"+name+".jsonl")
		items, err := importertest.Collect(t, claudecode.Read(name, file))
		if err != nil {
			t.Fatal(err)
		}
		items = slices.DeleteFunc(items, func(i importer.Item) bool { return i.Execution == nil || i.Subagent })
		w := newWorld(t)
		for _, item := range items {
			for _, payload := range hooksOf(*item.Execution, file.Name()) {
				w.record(w.receive(0, payload))
			}
		}
		w.record(w.receive(1, fmt.Sprintf(`{"session_id":%q,"hook_event_name":"SessionEnd","ts":"2099-01-01T00:00:00Z","transcript_path":%q}`, items[len(items)-1].Execution.Session, file.Name())))
		list := w.executions()
		if len(list) != len(items) {
			t.Errorf("%s: %d executions, want %d", name, len(list), len(items))
		}
		for i, d := range w.importAll(items) {
			if d != track.Duplicate && d != track.Replaced {
				t.Errorf("%s: import of execution %d: disposition %v", name, i, d)
			}
		}
		if again := w.executions(); len(again) != len(list) {
			t.Errorf("%s: %d executions after the import, %d before", name, len(again), len(list))
		}
	}
}

// hooksOf are the payloads that Claude Code would have sent.
func hooksOf(e track.Execution, transcript string) (payloads []string) {
	at := e.StartedAt
	add := func(name, rest string) {
		payloads = append(payloads, fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,"ts":%q,"transcript_path":%q%s}`,
			e.Session, name, at.Format(time.RFC3339Nano), transcript, rest))
	}
	add("UserPromptSubmit", `,"prompt":"x"`)
	for _, c := range e.Calls {
		call := fmt.Sprintf(`,"tool_name":%q,"tool_use_id":%q,"tool_input":%s`, c.Tool, c.Key, c.Input)
		if at = c.StartedAt; at.IsZero() {
			at = e.StartedAt
		}
		add("PreToolUse", call)
		switch {
		case c.Answered && c.Error == "":
			add("PostToolUse", call+`,"tool_response":{}`)
		case c.Answered:
			add("PostToolUseFailure", call+`,"error":"Exit code 1"`)
		}
	}
	if e.Duration != nil {
		at = e.StartedAt.Add(*e.Duration)
	}
	add("Stop", "")
	return payloads
}

// The task that a session was started for is that of its executions.
func TestTask(t *testing.T) {
	w := newWorld(t)
	w.task = "fix-login"
	w.record(w.receive(0, prompt("one")), w.receive(1, pre("a")), w.receive(2, post("a")))
	w.task = ""
	w.record(w.receive(10, prompt("two")), w.receive(11, pre("b")), w.receive(12, post("b")), w.receive(13, prompt("three")))
	list := w.executions()
	if len(list) != 2 || list[0].Task != "fix-login" || list[1].Task != "" {
		t.Errorf("%+v", list)
	}
}

// What was forgotten is not kept in the events of hooks either, and a late event does not bring it back. An execution
// that is not complete cannot be forgotten yet.
func TestForgottenEvents(t *testing.T) {
	w := newWorld(t)
	events := session(w)
	w.record(events[:6]...)
	if err := w.Forget(t.Context(), w.executions()[0].ID); !errors.Is(err, track.ErrConflict) || len(track.Hints(err)) == 0 {
		t.Errorf("an open execution: %v", err)
	}
	w.record(events[6:]...)
	for _, e := range w.executions() {
		if err := w.Forget(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	w.record(w.receive(6, tool("PostToolUse", "t9", `,"tool_response":{"stdout":"a","stderr":""}`)))
	w.record(w.receive(13, post("t3")))
	for _, e := range w.executions() {
		detail, err := w.Execution(t.Context(), e.ID)
		if err != nil || detail.Output != nil && detail.Output.Text != nil {
			t.Errorf("%+v, %v", detail, err)
		}
	}
	var kept int
	_, err := w.Query(t.Context(), "SELECT count(*) FROM hook_event WHERE body LIKE '%listed the files%' OR body LIKE '%ls t1%'", func(_ []string, row []any) error {
		kept = int(row[0].(int64))
		return nil
	})
	if err != nil || kept != 0 {
		t.Errorf("%d events keep texts, %v", kept, err)
	}
}
