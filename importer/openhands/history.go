package openhands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// history is an execution that is being read.
type history struct {
	draft    *importer.Draft
	first    string // shape of the first event with a time
	ahead    time.Duration
	zoned    bool
	last     string // key of the last call, which an observation without a cause answers
	metrics  *metrics
	ended    bool           // the agent called finish
	requests map[string]int // numbers by the id of the answer
}

func newHistory(line int) *history {
	return &history{draft: importer.NewDraft(importer.NewBudget(), line, track.Execution{Source: importer.OpenHands})}
}

// decode adds an event, or a pair of events, that is JSON.
func (h *history) decode(raw jsontext.Value) error {
	if raw.Kind() == '[' {
		var pair []jsontext.Value
		if err := importer.Unmarshal(raw, &pair); err != nil {
			return err
		}
		for _, one := range pair {
			if one.Kind() == '{' {
				if err := h.decode(one); err != nil {
					return err
				}
			}
		}
		return nil
	}
	e := event{raw: raw}
	if err := importer.Unmarshal(raw, &e); err != nil {
		return err
	}
	h.add(e)
	return nil
}

func (h *history) add(e event) {
	if !h.zoned {
		if h.ahead, h.zoned = e.zone(); h.zoned && !h.draft.StartedAt.IsZero() { // what was read as UTC
			h.draft.StartedAt, h.draft.LastAt = h.draft.StartedAt.Add(-h.ahead), h.draft.LastAt.Add(-h.ahead)
		}
	}
	at := importer.TimeOrUTC(e.Timestamp)
	if !at.IsZero() && h.zoned {
		at = at.Add(-h.ahead)
	}
	if h.first == "" && !at.IsZero() {
		h.first = importer.Shape(e.raw) + ":" + e.Timestamp
	}
	h.draft.Touch(at)
	if e.Metrics != nil {
		h.metrics = e.Metrics
	}
	if e.Observation != "" {
		h.observe(e, at)
		return
	}
	if e.Action != "" && (e.Source == "agent" || e.Source == "") {
		h.act(e, at)
	}
}

// noCalls are actions that use no tool.
var noCalls = []string{"message", "system", "recall", "finish", "null", "reject", "condensation", "condensation_request", "change_agent_state", "start", "pause", "resume", "stop"}

func (h *history) act(e event, at time.Time) {
	a := e.arguments()
	if e.Meta != nil && importer.Name(e.Meta.Response.Model) != "" {
		h.draft.Model = importer.Name(e.Meta.Response.Model)
	}
	h.request(e)
	switch {
	case e.Action == "finish":
		h.ended = true
		if text := importer.String(a.Final); text != "" {
			h.draft.Speak(text)
		} else {
			h.draft.Speak(importer.String(a.Thought))
		}
	case e.Action == "message" && e.Source == "agent":
		h.draft.Speak(importer.String(a.Content))
	case slices.Contains(noCalls, e.Action):
	default:
		h.draft.Speak(importer.String(a.Thought))
		h.call(e, a, at)
	}
}

func (h *history) call(e event, a arguments, at time.Time) {
	h.last = "#" + strconv.Itoa(len(h.draft.Calls))
	if e.ID != nil {
		h.last = strconv.Itoa(*e.ID)
	}
	call := track.ToolCall{Key: h.last, Tool: e.Action, Input: e.input(), StartedAt: at}
	if e.Meta != nil && e.Meta.Function != "" {
		call.Tool = e.Meta.Function
	}
	if e.Action == "run" {
		call.Command = importer.String(a.Command)
	}
	if e.Action == "write" && a.Path != "" {
		h.draft.Wrote(a.Path, importer.String(a.Content))
	}
	h.draft.Call(call)
}

// observe notes the result of a call. One that no call caused answers nothing.
func (h *history) observe(e event, at time.Time) {
	key := h.last
	if e.Cause != nil {
		key = strconv.Itoa(*e.Cause)
	} else if e.ID != nil {
		return
	}
	call := h.draft.Find(key)
	if call == nil || call.Answered {
		return
	}
	content := importer.String(e.Content)
	h.draft.Answer(call, content, at)
	call.Exit = e.exit()
	switch {
	case e.Observation == "user_rejected":
		call.Rejected = true
		h.draft.Corrections++
		h.draft.Fail(call, "the user refused it")
	case e.Observation == "error", strings.HasPrefix(content, "ERROR:"):
		h.draft.Fail(call, content)
	case call.Exit != nil && *call.Exit != 0:
		h.draft.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	}
}

// close ends the execution with what its record says of it.
func (h *history) close(r record, shape string, open bool) []importer.Item {
	e := &h.draft.Execution
	e.Task, e.Session = r.task(), importer.Name(r.Metadata.Folder)
	e.Key = importer.Key(importer.OpenHands, e.Task, shape)
	if h.first != "" {
		e.Key = importer.Key(importer.OpenHands, e.Session, e.Task, h.first)
	}
	if model := importer.Name(r.Metadata.Model.Name); model != "" {
		e.Model = model
	}
	if r.Metrics != nil {
		h.metrics = r.Metrics
	}
	h.spent(e)
	importer.AddOutcomes(&e.Truths, importer.Members(r.Result))
	importer.AddOutcomes(&e.Truths, importer.Members(importer.Members(r.Result)["report"]))
	importer.AddOutcomes(&e.Truths, importer.Members(r.Report))
	if len(r.Resolved) > 0 {
		importer.AddOutcomes(&e.Truths, map[string]jsontext.Value{"resolved": r.Resolved})
	}
	if r.Success != nil {
		guessed := 0.0
		if *r.Success {
			guessed = 1
		}
		importer.AddTruth(&e.Truths, "success_guessed", guessed)
	}
	h.fail(e, importer.String(r.Error))
	if open {
		items := h.draft.End()
		items[0].Open = true
		return items
	}
	return h.draft.Close()
}

func (h *history) fail(e *track.Execution, message string) {
	if message == "" {
		return
	}
	e.Status, e.Message = track.ExecutionError, message
	switch low := strings.ToLower(message); {
	case strings.Contains(low, "maximum iteration"), strings.Contains(low, "maximum budget"):
		e.Status = track.ExecutionOK
	case strings.Contains(low, "timeout"), strings.Contains(low, "timed out"):
		e.Status = track.ExecutionTimeout
	}
}

func (h *history) spent(e *track.Execution) {
	if h.metrics == nil {
		return
	}
	h.settleRequests(h.metrics.Requests)
	if u := h.metrics.Usage; u != nil {
		e.Tokens = importer.Usage{Prompt: u.Prompt, Completion: u.Completion, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}.Tokens()
	}
	if cost := importer.Dollars(h.metrics.Cost); cost != nil && (*cost > 0 || len(h.metrics.Costs) > 0) {
		e.CostUSD = cost
	}
}
