package codex

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// event takes a line that tells the user's screen what happens.
func (d *decoder) event(number int, at time.Time, i item) []importer.Item {
	switch i.Type {
	case "user_message":
		d.events = true
		return d.prompt(number, at, i.Message)
	case "token_count":
		if i.Info != nil && i.Info.Total != nil {
			d.count(*i.Info.Total, i.Info.Last)
		}
	case "exec_command_end":
		d.commandEnd(i)
	case "patch_apply_end":
		d.patchEnd(i)
	case "mcp_tool_call_end":
		d.serverEnd(i)
	case "agent_message":
		d.reply = i.Message
	case "task_complete":
		d.complete(at, i)
	case "turn_aborted":
		if d.open != nil {
			if !d.refused {
				d.open.Corrections++
			}
			d.open.Touch(at)
			d.refused = false
		}
	case "error":
		if d.open != nil {
			d.open.Status, d.open.Message = track.ExecutionError, i.Message
		}
	}
	return nil
}

// count takes the totals of the session, and with them a request. Newer versions write them after the calls of its
// answer, older ones before. Totals that do not grow repeat earlier ones.
func (d *decoder) count(total tokenUsage, last *tokenUsage) {
	grown, isRequest := d.tokens.add(total, last)
	if !isRequest || d.open == nil {
		return
	}
	if last != nil && last.sane() {
		grown = *last
	}
	if !d.requests.began {
		d.requests = requests{began: true, ahead: !d.began}
	}
	request := d.open.Request(d.model, grown.tokens())
	if d.turn != "" {
		d.open.Identify(request, "", fmt.Sprintf("%s:%d+%d", d.turn, total.Input, total.Output))
	}
	if d.requests.ahead {
		return
	}
	for i := d.requests.calls; i < len(d.open.Calls); i++ {
		d.open.Calls[i].Request = request
	}
	d.requests.calls = len(d.open.Calls)
	d.open.Continue(0, nil) // the next calls belong to a later one
}

func (d *decoder) commandEnd(i item) {
	if d.open == nil {
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil || i.ExitCode == nil {
		return
	}
	call.Answered, call.Exit = true, i.ExitCode
	if i.Duration != nil {
		if took := importer.Seconds(float64(i.Duration.Secs) + float64(i.Duration.Nanos)/1e9); took != nil {
			call.Duration = took
		}
	}
	d.judge(call, result{})
}

func (d *decoder) patchEnd(i item) {
	if d.open == nil || i.Success == nil {
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil {
		return
	}
	call.Answered = true
	if !*i.Success {
		d.open.Fail(call, i.Stderr)
		return
	}
	for _, file := range addedFiles(call.Input) {
		d.open.Wrote(file.Name, file.Content)
	}
}

// serverEnd takes how a call of another server's tool ended.
func (d *decoder) serverEnd(i item) {
	var r struct {
		Err string `json:"Err"`
		OK  struct {
			IsError bool           `json:"isError"`
			Content jsontext.Value `json:"content"`
		} `json:"Ok"`
	}
	if d.open == nil || i.Result.Kind() != '{' || importer.Unmarshal(i.Result, &r) != nil {
		return
	}
	call := d.open.Find(i.CallID)
	switch {
	case call == nil:
	case r.Err != "":
		d.open.Fail(call, r.Err)
	case r.OK.IsError:
		d.open.Fail(call, contentText(r.OK.Content))
	}
}

// complete takes the end of a turn, which repeats what the assistant said last.
func (d *decoder) complete(at time.Time, i item) {
	if i.LastReply != nil {
		d.reply = *i.LastReply
	}
	if d.open != nil {
		d.open.Touch(at)
		d.open.Status, d.open.Message = track.ExecutionOK, ""
	}
}
