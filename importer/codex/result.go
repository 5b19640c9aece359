package codex

import (
	"strconv"
	"time"

	"track"
	"track/importer"
)

// output takes the output of a call. One whose call was not seen answers nothing.
func (d *decoder) output(at time.Time, i item) {
	if d.open == nil {
		return
	}
	r := readOutput(i.Output)
	if session, ok := d.polls[i.CallID]; ok {
		delete(d.polls, i.CallID)
		d.poll(at, session, r)
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil {
		return
	}
	d.open.Touch(at)
	if r.duration != nil && r.session == "" && call.Duration == nil {
		call.Duration = r.duration
	}
	d.open.Answer(call, r.text, at)
	if r.session != "" {
		call.Duration = nil // it goes on running
		if len(d.running) < mostRunning {
			d.running[r.session] = i.CallID
		}
	}
	d.judge(call, r)
}

// poll takes the output of a call of write_stdin, which is that of the command it looks at.
func (d *decoder) poll(at time.Time, session string, r result) {
	d.open.Touch(at)
	call := d.open.Find(d.running[session])
	if call == nil || r.exit == nil {
		return
	}
	delete(d.running, session)
	if call.Duration == nil {
		call.Duration = importer.Between(call.StartedAt, at)
	}
	d.open.Answer(call, outputOf(call)+r.text, at)
	d.judge(call, r)
}

func outputOf(call *track.ToolCall) string {
	if call.Output == nil {
		return ""
	}
	return *call.Output
}

// judge notes how a call ended. What exec_command_end said before stands.
func (d *decoder) judge(call *track.ToolCall, r result) {
	if call.Exit == nil {
		call.Exit = r.exit
	}
	switch {
	case r.rejected && !call.Rejected:
		call.Rejected = true
		d.open.Fail(call, "the user refused it")
		d.open.Corrections++
		d.refused = true
	case r.failed:
		d.open.Fail(call, r.text)
	case call.Exit != nil && *call.Exit != 0 && call.Error == "":
		d.open.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	}
}
