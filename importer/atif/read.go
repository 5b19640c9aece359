package atif

import (
	"errors"
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

// Read reads trajectories. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.ATIF, file, r)
		switch {
		case err != nil:
			yield(importer.Item{}, err)
		case importer.HasLines(reader):
			importer.ReadLines(importer.ATIF, file, reader, &lines{})(yield)
		default:
			importer.ReadDocuments(importer.ATIF, file, reader, readDocument)(yield)
		}
	}
}

// readDocument reads the next document.
func readDocument(d *importer.Document) error {
	t, hasSteps := newTrajectory(d.Line), false
	err := d.Members(func(name string) error {
		switch name {
		case "steps":
			hasSteps = true
			return d.Array(func(raw []byte, _ int) error { return t.decode(raw) })
		case "subagent_trajectories":
			return d.Array(func(raw []byte, line int) error {
				items, err := importer.ReadDocument(raw, line, readDocument)
				for i := range items {
					items[i].Subagent = items[i].Execution != nil
				}
				if err != nil {
					return err
				}
				return d.Pass(items...)
			})
		case "schema_version", "session_id", "trajectory_id", "agent", "final_metrics", "extra":
			return d.Member(name, &t.header)
		}
		return d.Skip()
	})
	if hasSteps {
		if stopped := d.Pass(t.close(err != nil || t.Final == nil)...); stopped != nil {
			return stopped
		}
	} else if err == nil {
		return d.Pass(importer.Skipf(t.draft.Line, "a trajectory without steps"))
	}
	return err
}

// lines decodes a source with a document, a step or the header of the steps that follow on each line.
type lines struct {
	t *trajectory // the steps so far; nil for none
}

// DecodeLine implements [importer.LineDecoder].
func (l *lines) DecodeLine(number int, text []byte) (items []importer.Item, err error) {
	var is struct {
		header
		ID     *int           `json:"step_id"`
		Source string         `json:"source"`
		Steps  jsontext.Value `json:"steps"`
	}
	if err := importer.Unmarshal(text, &is); err != nil {
		return nil, err
	}
	switch {
	case len(is.Steps) > 0:
		items, err = importer.ReadDocument(text, number, readDocument)
		return append(l.close(false), items...), err
	case is.Source != "":
		if is.ID != nil && *is.ID == 1 && l.t != nil && l.t.shape != "" {
			items = l.close(false)
		}
		if l.t == nil {
			l.t = newTrajectory(number)
		}
		return items, l.t.decode(text)
	case is.Version != "" || is.Session != "" || is.Trajectory != "":
		items, l.t = l.close(false), newTrajectory(number)
		l.t.header = is.header
		return items, nil
	}
	return nil, errors.New("neither a trajectory nor a step of one")
}

// close ends the trajectory whose steps were read.
func (l *lines) close(open bool) (items []importer.Item) {
	switch {
	case l.t == nil:
	case l.t.shape == "":
		items = []importer.Item{importer.Skipf(l.t.draft.Line, "a trajectory without steps")}
	default:
		items = l.t.close(open)
	}
	l.t = nil
	return items
}

// End implements [importer.LineDecoder].
func (l *lines) End() []importer.Item { return l.close(true) }

// header is what a document says beside its steps.
type header struct {
	Version    string         `json:"schema_version"`
	Session    string         `json:"session_id"`
	Trajectory string         `json:"trajectory_id"`
	Agent      agent          `json:"agent"`
	Final      *final         `json:"final_metrics"`
	Extra      jsontext.Value `json:"extra"`
}

type agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Model   string `json:"model_name"`
}

type final struct {
	Prompt     *int64         `json:"total_prompt_tokens"` // those of the cache included
	Completion *int64         `json:"total_completion_tokens"`
	Cached     *int64         `json:"total_cached_tokens"`
	Cost       *float64       `json:"total_cost_usd"`
	Extra      jsontext.Value `json:"extra"`
}

type step struct {
	ID          *int           `json:"step_id"`
	Timestamp   string         `json:"timestamp"`
	Source      string         `json:"source"`
	Model       string         `json:"model_name"`
	Message     jsontext.Value `json:"message"`
	Calls       []call         `json:"tool_calls"`
	Observation *observation   `json:"observation"`
	Metrics     *metrics       `json:"metrics"`
	Copied      bool           `json:"is_copied_context"`
	Extra       jsontext.Value `json:"extra"`
}

type call struct {
	ID        string         `json:"tool_call_id"`
	Function  string         `json:"function_name"`
	Arguments jsontext.Value `json:"arguments"`
}

type observation struct {
	Results []result `json:"results"`
}

type result struct {
	Call    string         `json:"source_call_id"`
	CallID  string         `json:"tool_call_id"` // of producers that do not follow the RFC
	Content jsontext.Value `json:"content"`
	outcome
	Extra jsontext.Value `json:"extra"`
}

// outcome is how a call ended, as producers add it to results and steps.
type outcome struct {
	IsError     bool `json:"is_error"`
	ResultError bool `json:"tool_result_is_error"`
	Exit        *int `json:"exit_code"`
}

type metrics struct {
	Prompt     *int64         `json:"prompt_tokens"`
	Completion *int64         `json:"completion_tokens"`
	Cached     *int64         `json:"cached_tokens"`
	Cost       *float64       `json:"cost_usd"`
	Extra      jsontext.Value `json:"extra"`
}

// usage returns the tokens of a step. Those of reasoning are an extra of some producers.
func (m metrics) usage() importer.Usage {
	var extra struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	}
	if m.Extra.Kind() == '{' {
		_ = importer.Unmarshal(m.Extra, &extra) // which leaves it unknown
	}
	return importer.Usage{Prompt: m.Prompt, Completion: m.Completion, CacheRead: m.Cached, Reasoning: extra.Reasoning}
}

// text returns a message or a result: a string, or parts with text. Of anything else it returns the JSON.
func text(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		return importer.String(value)
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if importer.Unmarshal(value, &parts) != nil {
			break
		}
		var texts []string
		for _, p := range parts {
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
		}
		return strings.Join(texts, "\n\n")
	case '{':
	default:
		return ""
	}
	return importer.Canonical(value)
}

// trajectory is an execution that is being read.
type trajectory struct {
	header
	draft  *importer.Draft
	usage  importer.Usage
	cost   *float64
	model  string
	shape  string            // of the first step, which identifies a trajectory without an id
	last   jsontext.Value    // the extra of the last step
	spoken string            // what the agent said last
	keys   map[string]string // of the last call with an id
	open   []openCall        // calls without a result, in their order
}

// openCall is a call without a result, by its id in the trajectory and its key in the execution.
type openCall struct{ id, key string }

func newTrajectory(line int) *trajectory {
	return &trajectory{draft: importer.NewDraft(importer.NewBudget(), line, track.Execution{Source: importer.ATIF}), keys: map[string]string{}}
}

var errNoStep = errors.New("no step of a trajectory: it has no source")

// decode adds a step that is JSON.
func (t *trajectory) decode(raw []byte) error {
	var s step
	if err := importer.Unmarshal(raw, &s); err != nil {
		return err
	}
	if s.Source == "" {
		return errNoStep
	}
	if t.shape == "" {
		t.shape = importer.Shape(raw)
	}
	t.add(s)
	return nil
}

func (t *trajectory) add(s step) {
	if s.Copied {
		return
	}
	t.last = s.Extra
	t.draft.Touch(importer.TimeOrUTC(s.Timestamp))
	if s.Source == "agent" {
		t.speak(s)
		t.request(s)
	}
	for _, c := range s.Calls {
		t.call(s, c)
	}
	if s.Observation != nil {
		t.observe(s, s.Observation.Results)
	}
	if s.Metrics != nil {
		t.usage.Add(s.Metrics.usage())
		if cost := importer.Dollars(s.Metrics.Cost); cost != nil {
			total := *cost
			if t.cost != nil {
				total += *t.cost
			}
			t.cost = importer.Dollars(&total)
		}
	}
}

func (t *trajectory) speak(s step) {
	said := text(s.Message)
	t.draft.Speak(said)
	t.spoken = said
	if model := importer.Name(s.Model); model != "" {
		t.model = model
	}
}

// request notes the request that a step of the agent is the answer to.
func (t *trajectory) request(s step) {
	var tokens *track.Tokens
	if s.Metrics != nil {
		tokens = s.Metrics.usage().Tokens()
	}
	t.draft.Request(s.Model, tokens)
}

// call begins a call. Some producers repeat a call in the step that has its result; others use an id twice.
func (t *trajectory) call(s step, c call) {
	key := c.ID
	if earlier := t.draft.Find(key); earlier != nil && earlier.Answered {
		key += "#" + strconv.Itoa(len(t.draft.Calls))
	}
	if t.keys[c.ID] != key || key == "" {
		if key == "" { // so that a result can name it
			key = "#" + strconv.Itoa(len(t.draft.Calls))
		}
		t.keys[c.ID] = key
		t.open = append(t.open, openCall{c.ID, key})
	}
	call := track.ToolCall{Key: key, Tool: c.Function, Command: importer.ShellCommand(c.Function, c.Arguments), StartedAt: importer.TimeOrUTC(s.Timestamp)}
	if len(c.Arguments) > 0 {
		call.Input = importer.Canonical(c.Arguments)
	}
	t.draft.Call(call)
}

// observe takes the results of a step, which may stand behind the step of their calls.
func (t *trajectory) observe(s step, results []result) {
	waiting := t.waiting(s, results)
	for _, r := range results {
		id := r.Call
		if id == "" {
			id = r.CallID
		}
		key := t.keys[id]
		switch i := slices.IndexFunc(t.open, func(c openCall) bool { return c.id == id }); {
		case id == "" && len(waiting) > 0:
			key, waiting = waiting[0], waiting[1:]
		case id == "":
			continue
		case i >= 0:
			key = t.open[i].key
		}
		t.answer(s, r, key)
	}
}

// waiting returns the keys of the calls that results without an id answer, in their order: those of the step, if there
// are as many; of a step without calls, those that have no result yet.
func (t *trajectory) waiting(s step, results []result) (keys []string) {
	if n := len(s.Calls); n > 0 && n == len(results) {
		for _, c := range t.open[max(0, len(t.open)-n):] {
			keys = append(keys, c.key)
		}
	} else if n == 0 {
		for _, c := range t.open {
			keys = append(keys, c.key)
		}
	}
	return keys
}

// answer notes the result of a call.
func (t *trajectory) answer(s step, r result, key string) {
	call := t.draft.Find(key)
	if call == nil {
		return
	}
	t.open = slices.DeleteFunc(t.open, func(c openCall) bool { return c.key == key })
	content, at := text(r.Content), time.Time{}
	if len(s.Calls) == 0 {
		at = importer.TimeOrUTC(s.Timestamp)
	}
	t.draft.Answer(call, content, at)
	for _, extra := range []jsontext.Value{r.Extra, s.Extra} {
		var o outcome
		if extra.Kind() == '{' && importer.Unmarshal(extra, &o) == nil && len(s.Calls) <= 1 {
			t.judge(call, o, content)
		}
	}
	t.judge(call, r.outcome, content)
}

func (t *trajectory) judge(call *track.ToolCall, o outcome, content string) {
	if o.Exit != nil {
		call.Exit = o.Exit
	}
	if o.IsError || o.ResultError || o.Exit != nil && *o.Exit != 0 {
		t.draft.Fail(call, content)
	}
}

// close ends the trajectory. open says that its source may go on.
func (t *trajectory) close(open bool) []importer.Item {
	e := &t.draft.Execution
	e.Session = importer.Name(t.Session)
	switch id := importer.Name(t.Trajectory); {
	case id != "":
		e.Key = importer.Key(importer.ATIF, id)
	case e.Session != "":
		e.Key = importer.Key(importer.ATIF, e.Session)
	default:
		e.Key = importer.Key(importer.ATIF, e.StartedAt.UTC().Format("20060102T150405.000000"), t.shape)
	}
	if e.Model = t.model; e.Model == "" {
		e.Model = importer.Name(t.Agent.Model)
	}
	e.Task = t.task()
	e.Tokens, e.CostUSD = t.usage.Tokens(), t.cost
	t.finish(e)
	importer.AddOutcomes(&e.Truths, importer.Members(t.last))
	importer.AddOutcomes(&e.Truths, importer.Members(t.Extra))
	if t.Final != nil {
		importer.AddOutcomes(&e.Truths, importer.Members(t.Final.Extra))
	}
	if t.spoken != "" && !t.draft.Spoken() && !t.draft.Unanswered() && !open {
		e.Output = &t.spoken
	}
	items := t.draft.Close
	if open {
		items = t.draft.End
	}
	return t.mark(items(), open)
}

func (t *trajectory) mark(items []importer.Item, open bool) []importer.Item {
	items[0].Open = open
	if items[0].AgentVersion = importer.Name(t.Agent.Version); items[0].AgentVersion == "unknown" {
		items[0].AgentVersion = ""
	}
	return items
}

// task returns what the document calls the task; most do not.
func (t *trajectory) task() string {
	members := importer.Members(t.Extra)
	for _, name := range []string{"task_id", "task_name", "instance_id", "task"} {
		if task := importer.Name(importer.String(members[name])); task != "" {
			return task
		}
	}
	return ""
}

// finish takes the totals, where the document has them.
func (t *trajectory) finish(e *track.Execution) {
	if t.Final == nil {
		return
	}
	total := importer.Usage{Prompt: t.Final.Prompt, Completion: t.Final.Completion, CacheRead: t.Final.Cached, Reasoning: t.usage.Reasoning}
	if tokens := total.Tokens(); tokens != nil {
		e.Tokens = tokens
	}
	if cost := importer.Dollars(t.Final.Cost); cost != nil {
		e.CostUSD = cost
	}
}
