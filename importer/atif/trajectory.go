package atif

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

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
