package sweagent

import (
	"cmp"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/chat"
)

// Read reads a trajectory. file stands in items and errors, and names the instance if the trajectory does not.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		read := func(d *importer.Document) error { return readDocument(d, file) }
		importer.ReadDocuments(importer.SWEAgent, file, r, read)(yield)
	}
}

func readDocument(d *importer.Document, file string) error {
	t := newTrajectory(d.Line, file)
	next, err := d.Next()
	if err != nil {
		return err
	}
	if next == '[' {
		err = t.list(d, &t.nMessages, t.message)
	} else {
		err = d.Members(func(name string) error { return t.member(d, name) })
	}
	if t.nSteps+t.nMessages > 0 {
		if stopped := d.Pass(t.close(err != nil)...); stopped != nil {
			return stopped
		}
	} else if err == nil {
		return d.Pass(importer.Skipf(t.draft.Line, "a trajectory without steps or messages"))
	}
	return err
}

func (t *trajectory) member(d *importer.Document, name string) error {
	switch name {
	case "trajectory":
		return t.list(d, &t.nSteps, t.step)
	case "messages":
		return t.list(d, &t.nMessages, t.message)
	case "info", "instance_id", "replay_config", "trajectory_format":
		return d.Member(name, t)
	case "resolved", "reward", "score", "report":
		return d.Member(name, &t.outcome)
	}
	return d.Skip() // history, which the steps repeat
}

func (t *trajectory) list(d *importer.Document, n *int, use func(raw []byte) error) error {
	return d.Array(func(raw []byte, _ int) error {
		err := use(raw)
		if err == nil {
			*n++
		}
		return err
	})
}

// trajectory is an execution that is being read, with the members of its document.
type trajectory struct {
	Info     info         `json:"info"`
	Instance string       `json:"instance_id"`
	Format   string       `json:"trajectory_format"`
	Replay   replayConfig `json:"replay_config"`

	outcome           map[string]jsontext.Value
	draft             *importer.Draft
	chat              chat.Replay
	file              string
	nSteps, nMessages int
	first, begin, all string // shapes of the first step with a time, of all through the first of the model, and of all
	command           string // of the last message, whose result has not come
	usage             importer.Usage
}

type info struct {
	ExitStatus string     `json:"exit_status"`
	Submission string     `json:"submission"`
	Stats      modelStats `json:"model_stats"`
	Instance   string     `json:"instance_id"`
	Version    string     `json:"swe_agent_version"`
	Mini       string     `json:"mini_version"`
	Config     struct {
		Model struct {
			Name string `json:"model_name"`
		} `json:"model"`
	} `json:"config"`
	raw jsontext.Value
}

// UnmarshalJSON also keeps the whole, which may say more of the outcome.
func (i *info) UnmarshalJSON(raw []byte) error {
	type plain info
	i.raw = slices.Clone(raw)
	return importer.Unmarshal(raw, (*plain)(i))
}

type modelStats struct {
	Cost     *float64 `json:"instance_cost"`
	Sent     *int64   `json:"tokens_sent"`
	Received *int64   `json:"tokens_received"`
}

type replayConfig struct {
	Problem struct {
		ID string `json:"id"`
	} `json:"problem_statement"`
	Agent struct {
		Model struct {
			Name string `json:"name"`
		} `json:"model"`
	} `json:"agent"`
}

func newTrajectory(line int, file string) *trajectory {
	draft := importer.NewDraft(importer.NewBudget(), line, track.Execution{Source: importer.SWEAgent})
	return &trajectory{draft: draft, chat: chat.Replay{Draft: draft}, file: file}
}

// note takes a step or message into the identity. isModel says that the model wrote it, isTimed that it also holds a
// time, which no other run has.
func (t *trajectory) note(raw []byte, isModel, isTimed bool) {
	shape := importer.Shape(raw)
	t.all = importer.Digest(t.all + shape)
	if isModel && t.begin == "" {
		t.begin = t.all
	}
	if isModel && isTimed && t.first == "" {
		t.first = shape
	}
}

// key identifies a trajectory by its first step with a time; by its beginning through the first step of the model if
// none has one; and by all only if the model wrote nothing. So it stays the same when the trajectory grows.
func (t *trajectory) key() string {
	if t.first != "" {
		return importer.Key(importer.SWEAgent, t.first)
	}
	return importer.Key(importer.SWEAgent, strings.TrimPrefix(cmp.Or(t.begin, t.all), "sha256:")[:16])
}

// close ends the trajectory. cut says that the source ended within it.
func (t *trajectory) close(cut bool) []importer.Item {
	e := &t.draft.Execution
	e.Task, e.Key = t.task(), t.key()
	e.Model = importer.Name(t.Info.Config.Model.Name)
	if e.Model == "" {
		e.Model = importer.Name(t.Replay.Agent.Model.Name)
	}
	if e.Model == "" {
		e.Model = t.draft.Model
	}
	t.spent(e)
	for _, members := range []map[string]jsontext.Value{importer.Members(t.Info.raw), importer.Members(t.outcome["report"]), t.outcome} {
		importer.AddOutcomes(&e.Truths, members)
	}
	t.ending(e)
	open := cut || t.Info.ExitStatus == "" && t.Info.Submission == ""
	if !open {
		e.Output = &t.Info.Submission
	}
	end := t.draft.Close
	if open {
		end = t.draft.End
	}
	items := end()
	items[0].Open = open && !t.isBareList()
	return items
}

// isBareList reports whether nothing but messages is known, as in files of the oldest mini-SWE-agent, which are whole.
func (t *trajectory) isBareList() bool { return t.nSteps == 0 && t.Info.raw == nil && t.Format == "" }

// extra is what mini-SWE-agent adds to messages.
type extra struct {
	Timestamp  float64 `json:"timestamp"` // seconds since 1970
	ReturnCode *int    `json:"returncode"`
	Exit       string  `json:"exit_status"`
	Submission string  `json:"submission"`
	Response   struct {
		Model string `json:"model"`
		Usage *struct {
			Prompt     *int64 `json:"prompt_tokens"`
			Completion *int64 `json:"completion_tokens"`
			Details    struct {
				Cached *int64 `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	} `json:"response"`
}

var (
	codeBlock  = regexp.MustCompile("(?s)```(?:bash|mswea_bash_command)[ \\t]*\\n(.*?)\\n?```")
	returnCode = regexp.MustCompile(`^\s{0,20}<returncode>(-?\d{1,9})</returncode>\s{0,20}`)
)

// message adds a message of mini-SWE-agent.
func (t *trajectory) message(raw []byte) error {
	var m struct {
		chat.Message
		Extra extra `json:"extra"`
	}
	if err := importer.Unmarshal(raw, &m); err != nil {
		return err
	}
	at := importer.UnixSeconds(m.Extra.Timestamp)
	t.note(raw, m.Role == "assistant", !at.IsZero())
	t.draft.Touch(at)
	switch m.Role {
	case "assistant":
		t.assistant(m.Message, m.Extra, at)
	case "user", "tool":
		t.result(m.CallID, chat.Text(m.Content), m.Extra, at)
	case "exit":
		if t.Info.ExitStatus == "" {
			t.Info.ExitStatus, t.Info.Submission = m.Extra.Exit, m.Extra.Submission
		}
		if n := len(t.draft.Calls); n > 0 && !t.draft.Calls[n-1].Answered && isSubmission(t.draft.Calls[n-1].Command) {
			t.draft.Answer(&t.draft.Calls[n-1], m.Extra.Submission, at)
		}
	}
	return nil
}

func (t *trajectory) assistant(m chat.Message, x extra, at time.Time) {
	if model := importer.Name(x.Response.Model); model != "" {
		t.draft.Model = model
	}
	if u := x.Response.Usage; u != nil {
		used := importer.Usage{Prompt: u.Prompt, Completion: u.Completion, CacheRead: u.Details.Cached}
		t.usage.Add(used)
		m.Tokens = used.Tokens()
	}
	m.Model, m.At = "", timeValue(at)
	t.chat.Add(m)
	if t.command = ""; len(m.Calls) > 0 {
		return
	}
	found := codeBlock.FindAllStringSubmatch(chat.Text(m.Content), 2)
	if len(found) != 1 {
		return // the agent takes exactly one
	}
	t.command = found[0][1]
	arguments, err := json.Marshal(map[string]string{"command": t.command})
	if err == nil {
		t.chat.Call(chat.Call{Function: chat.Function{Name: "bash", Arguments: arguments}}, at)
	}
}

func timeValue(at time.Time) jsontext.Value {
	if at.IsZero() {
		return nil
	}
	return jsontext.Value(strconv.Quote(at.Format(time.RFC3339Nano)))
}

// result notes the result of a command.
func (t *trajectory) result(id, text string, x extra, at time.Time) {
	if id == "" && t.command == "" {
		return // the task, or a complaint about an answer without a command
	}
	command := t.command
	call := t.chat.Answer(id, text, at)
	if t.command = ""; call == nil {
		return
	}
	call.Exit = x.ReturnCode
	if match := returnCode.FindStringSubmatch(text); match != nil {
		if code, err := strconv.Atoi(match[1]); err == nil {
			call.Exit = &code
		}
	}
	switch {
	case call.Exit != nil && *call.Exit != 0:
		t.draft.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	case call.Exit == nil && isSubmission(command):
		if t.Info.ExitStatus == "" {
			t.Info.ExitStatus, t.Info.Submission = "Submitted", text
		}
	case call.Exit == nil && id == "":
		t.draft.Fail(call, text) // such as a time limit
	}
}

func isSubmission(command string) bool {
	return strings.Contains(command, "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT") || strings.Contains(command, "MINI_SWE_AGENT_FINAL_OUTPUT")
}

// spent takes tokens and cost. A run that counted no token was a replay, or its counts are unknown.
func (t *trajectory) spent(e *track.Execution) {
	t.usage.Add(importer.Usage{Prompt: t.Info.Stats.Sent, Completion: t.Info.Stats.Received})
	e.Tokens = t.usage.Tokens()
	if cost := importer.Dollars(t.Info.Stats.Cost); cost != nil && (*cost > 0 || e.Tokens != nil) {
		e.CostUSD = cost
	}
}

// commands are those that SWE-agent itself brings; every other one is the shell's.
var commands = []string{
	"create", "edit", "insert", "append", "open", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file", "submit", "view_image",
	"str_replace_editor", "exit_forfeit", "exit_cost", "filemap", "undo_edit", "view", "str_replace", "decompile", "disassemble", "debug_start", "debug_stop",
	"debug_continue", "debug_step", "debug_exec", "debug_add_breakpoint", "connect_start", "connect_stop", "connect_sendline", "connect_exec",
	"open_site", "close_site", "screenshot_site", "click_mouse", "type_text", "image_read", "review_on_submit_m",
}

// step adds a step of SWE-agent.
func (t *trajectory) step(raw []byte) error {
	var s struct {
		Action      string   `json:"action"`
		Observation *string  `json:"observation"`
		Thought     string   `json:"thought"`
		Response    string   `json:"response"`
		Time        *float64 `json:"execution_time"` // seconds
	}
	if err := importer.Unmarshal(raw, &s); err != nil {
		return err
	}
	t.note(raw, true, s.Time != nil && *s.Time > 0)
	if s.Thought == "" {
		s.Thought = s.Response
	}
	t.draft.Speak(s.Thought)
	if strings.TrimSpace(s.Action) == "" {
		return nil
	}
	key := strconv.Itoa(len(t.draft.Calls))
	call := track.ToolCall{Key: key, Tool: strings.Fields(s.Action)[0], Input: strings.ToValidUTF8(s.Action, "\uFFFD")}
	if !slices.Contains(commands, call.Tool) {
		call.Tool, call.Command = "bash", strings.TrimSpace(s.Action)
	}
	if s.Time != nil {
		call.Duration = importer.Seconds(*s.Time)
	}
	t.draft.Call(call)
	if found := t.draft.Find(key); found != nil && s.Observation != nil {
		t.draft.Answer(found, *s.Observation, time.Time{})
	}
	return nil
}

// ending takes how the run ended.
func (t *trajectory) ending(e *track.Execution) {
	status := t.Info.ExitStatus
	switch low := strings.ToLower(status); {
	case low == "" || low == "submitted":
		return
	case strings.HasPrefix(low, "submitted"): // at a limit, without the agent's doing
	case slices.Contains([]string{"exit_cost", "exit_context", "exit_forfeit", "early_exit", "limitsexceeded", "userinterruption"}, low):
	case slices.ContainsFunc([]string{"timeout", "timed", "timeexceeded", "execution_time"}, func(word string) bool { return strings.Contains(low, word) }):
		e.Status = track.ExecutionTimeout
	default:
		e.Status = track.ExecutionError
	}
	e.Message = "exit status: " + status
}

// task returns the instance: as the document names it, else the name of its file, which agents make of it.
func (t *trajectory) task() string {
	for _, id := range []string{t.Instance, t.Info.Instance, t.Replay.Problem.ID} {
		if name := importer.Name(id); name != "" {
			return name
		}
	}
	name := strings.TrimSuffix(filepath.Base(t.file), ".gz")
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".traj")
	if stem+".traj" != name && stem+".traj.json" != name || slices.Contains([]string{"", "trajectory", "last_mini_run", "output"}, stem) {
		return ""
	}
	return importer.Name(stem)
}
