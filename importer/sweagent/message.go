package sweagent

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"regexp"
	"track"
	"track/importer"
	"track/importer/chat"
)

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
