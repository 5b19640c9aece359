package openhands

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// Read reads records by line, or an array of events. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.OpenHands, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		if next, err := importer.NewScanner(reader).Next(); err == nil && next == '[' {
			importer.ReadDocuments(importer.OpenHands, file, reader, readEvents)(yield)
			return
		}
		importer.ReadLines(importer.OpenHands, file, reader, decoder{})(yield)
	}
}

// readEvents reads the events of an exported trajectory. One without finish may continue.
func readEvents(d *importer.Document) error {
	h, n := newHistory(d.Line), 0
	err := d.Array(func(raw []byte, _ int) error {
		n++
		return h.decode(raw)
	})
	if n == 0 {
		return err
	}
	if stopped := d.Pass(h.close(record{}, h.first, err != nil || !h.ended)...); stopped != nil {
		return stopped
	}
	return err
}

type decoder struct{}

// DecodeLine implements [importer.LineDecoder].
func (decoder) DecodeLine(number int, text []byte) (items []importer.Item, err error) {
	var r record
	if err := importer.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	if r.History == nil {
		return nil, errors.New("a record without history")
	}
	h := newHistory(number)
	for i, raw := range r.History {
		if h.decode(raw) != nil {
			items = append(items, importer.Skipf(number, "event %d of the history is not as expected", i+1))
		}
	}
	return append(h.close(r, importer.Shape(text), false), items...), nil
}

// End implements [importer.LineDecoder].
func (decoder) End() []importer.Item { return nil }

// request is what a request to a model used, in the metrics.
type request struct {
	Response   string `json:"response_id"`
	Model      string `json:"model"`
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	CacheRead  *int64 `json:"cache_read_tokens"`
	CacheWrite *int64 `json:"cache_write_tokens"`
}

func (r request) tokens() *track.Tokens {
	return importer.Usage{Prompt: r.Prompt, Completion: r.Completion, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite}.Tokens()
}

// request notes the request that an action is the answer to. Several actions can come from one answer.
func (h *history) request(e event) {
	if e.Meta == nil {
		h.draft.Request("", nil)
		return
	}
	var u request
	if raw := e.Meta.Response.Usage; raw.Kind() == '{' && importer.Unmarshal(raw, &u) != nil {
		u = request{}
	}
	id := importer.String(e.Meta.Response.ID)
	if number := h.requests[id]; number > 0 {
		h.draft.Continue(number, u.tokens())
		return
	}
	number := h.draft.Request(e.Meta.Response.Model, u.tokens())
	if id == "" {
		return
	}
	if h.requests == nil {
		h.requests = map[string]int{}
	}
	h.requests[id] = number
}

// settleRequests takes the list of requests in the metrics in the place of what actions say, if it has all of their
// answers. It also has requests without an action, and counts the cache.
func (h *history) settleRequests(list []jsontext.Value) {
	var requests []request
	numbers := map[int]int{} // there, by the number here
	for _, raw := range list {
		var r request
		if raw.Kind() != '{' || importer.Unmarshal(raw, &r) != nil {
			return
		}
		requests = append(requests, r)
		if number := h.requests[r.Response]; number > 0 && numbers[number] == 0 {
			numbers[number] = len(requests)
		}
	}
	if len(numbers) < max(1, len(h.requests)) {
		return
	}
	h.draft.Requests = nil
	for _, r := range requests {
		h.draft.Request(r.Model, r.tokens())
	}
	for i := range h.draft.Calls {
		h.draft.Calls[i].Request = numbers[h.draft.Calls[i].Request]
	}
}

// record is a line of an output.jsonl.
type record struct {
	Instance string           `json:"instance_id"`
	Issue    *issue           `json:"issue"`
	Result   jsontext.Value   `json:"test_result"`
	Report   jsontext.Value   `json:"report"`
	Resolved jsontext.Value   `json:"resolved"`
	Success  *bool            `json:"success"`
	Error    jsontext.Value   `json:"error"`
	History  []jsontext.Value `json:"history"` // events, or pairs of an action and its observation
	Metrics  *metrics         `json:"metrics"`
	Metadata struct {
		Model struct {
			Name string `json:"model"`
		} `json:"llm_config"`
		Folder string `json:"eval_output_dir"`
	} `json:"metadata"`
}

type issue struct {
	Owner  string `json:"owner"`
	Repo   string `json:"repo"`
	Number int    `json:"number"`
}

func (r record) task() string {
	if r.Instance == "" && r.Issue != nil {
		return importer.Name(fmt.Sprintf("%s/%s#%d", r.Issue.Owner, r.Issue.Repo, r.Issue.Number))
	}
	return importer.Name(r.Instance)
}

type metrics struct {
	Cost  *float64         `json:"accumulated_cost"`
	Costs []jsontext.Value `json:"costs"`
	Usage *struct {
		Prompt     *int64 `json:"prompt_tokens"`
		Completion *int64 `json:"completion_tokens"`
		CacheRead  *int64 `json:"cache_read_tokens"`
		CacheWrite *int64 `json:"cache_write_tokens"`
	} `json:"accumulated_token_usage"`
	Requests []jsontext.Value `json:"token_usages"`
}

// event is an action or an observation. In the oldest histories what is in Args and Extras stands in the event itself.
type event struct {
	ID          *int           `json:"id"`
	Timestamp   string         `json:"timestamp"`
	Source      string         `json:"source"`
	Action      string         `json:"action"`
	Observation string         `json:"observation"`
	Args        jsontext.Value `json:"args"`
	Content     jsontext.Value `json:"content"`
	Cause       *int           `json:"cause"`
	Extras      struct {
		Exit     *int `json:"exit_code"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	} `json:"extras"`
	Meta    *callMetadata `json:"tool_call_metadata"`
	Metrics *metrics      `json:"llm_metrics"`
	Exit    *int          `json:"exit_code"`
	raw     jsontext.Value
}

// callMetadata is the answer of the model that an action comes from.
type callMetadata struct {
	Function string `json:"function_name"`
	ID       string `json:"tool_call_id"`
	Response struct {
		ID      jsontext.Value `json:"id"`
		Usage   jsontext.Value `json:"usage"`
		Created int64          `json:"created"`
		Model   string         `json:"model"`
		Choices []struct {
			Message struct {
				Calls []struct {
					ID       string `json:"id"`
					Function struct {
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	} `json:"model_response"`
}

// arguments are what is used of the arguments of an action.
type arguments struct {
	Command jsontext.Value `json:"command"`
	Content jsontext.Value `json:"content"`
	Thought jsontext.Value `json:"thought"`
	Final   jsontext.Value `json:"final_thought"`
	Path    string         `json:"path"`
}

func (e event) arguments() (a arguments) {
	raw := e.Args
	if raw.Kind() != '{' {
		raw = e.raw
	}
	_ = importer.Unmarshal(raw, &a) // which leaves it empty
	return a
}

// exit returns the exit status; nil if it is unknown.
func (e event) exit() *int {
	for _, exit := range []*int{e.Extras.Metadata.Exit, e.Extras.Exit, e.Exit} {
		if exit != nil && *exit != -1 {
			return exit
		}
	}
	return nil
}

// input returns what the model asked for, in one form for all ways to write it.
func (e event) input() string {
	if e.Meta != nil {
		for _, choice := range e.Meta.Response.Choices {
			for _, c := range choice.Message.Calls {
				if c.ID == e.Meta.ID {
					return importer.CanonicalText(c.Function.Arguments)
				}
			}
		}
	}
	members := importer.Members(e.Args)
	if members == nil {
		members = importer.Members(e.raw)
	}
	input := "{"
	for _, name := range []string{"agent", "browser_actions", "code", "command", "content", "end", "inputs", "new_str", "old_str", "path", "start", "task", "url"} {
		if value := members[name]; len(value) > 0 && value.Kind() != 'n' {
			if input != "{" {
				input += ","
			}
			input += strconv.Quote(name) + ":" + string(value)
		}
	}
	return importer.CanonicalText(input + "}")
}

// zone returns how far the clock of an event is ahead of UTC, by quarters of an hour, from the clock of the model's
// answer.
func (e event) zone() (ahead time.Duration, known bool) {
	at := importer.TimeOrUTC(e.Timestamp)
	if e.Meta == nil || e.Meta.Response.Created <= 0 || at.IsZero() {
		return 0, false
	}
	const longest = 14 * time.Hour
	ahead = at.Sub(importer.UnixSeconds(float64(e.Meta.Response.Created))).Round(15 * time.Minute)
	return ahead, ahead.Abs() <= longest
}

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
