package inspect

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// header is what is used of the part of a log that tells of all samples.
type header struct {
	EvalID  string `json:"eval_id"`
	RunID   string `json:"run_id"`
	Task    string `json:"task"`
	TaskID  string `json:"task_id"`
	Model   string `json:"model"`
	Created string `json:"created"`
}

type sample struct {
	ID          jsontext.Value            `json:"id"`
	Epoch       int                       `json:"epoch"`
	UUID        string                    `json:"uuid"`
	Messages    []message                 `json:"messages"`
	Output      *output                   `json:"output"`
	Scores      map[string]score          `json:"scores"`
	Usage       map[string]modelUsage     `json:"model_usage"`
	TotalTime   *float64                  `json:"total_time"` // seconds
	StartedAt   string                    `json:"started_at"`
	Error       jsontext.Value            `json:"error"`
	Limit       jsontext.Value            `json:"limit"`
	Events      []event                   `json:"events"`
	Attachments map[string]jsontext.Value `json:"attachments"`
}

type message struct {
	Role     string         `json:"role"`
	Content  jsontext.Value `json:"content"`
	CallID   string         `json:"tool_call_id"`
	Function string         `json:"function"`
	Error    *problem       `json:"error"`
	Model    string         `json:"model"`
	Calls    []toolCall     `json:"tool_calls"`
}

type toolCall struct {
	ID        string         `json:"id"`
	Function  string         `json:"function"`
	Arguments jsontext.Value `json:"arguments"`
}

type problem struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type output struct {
	Model   string `json:"model"`
	Choices []struct {
		Message message `json:"message"`
		Stop    string  `json:"stop_reason"`
	} `json:"choices"`
	Error string      `json:"error"`
	Usage *modelUsage `json:"usage"`
}

type modelUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	Total      *int64 `json:"total_tokens"`
	CacheRead  *int64 `json:"input_tokens_cache_read"`
	CacheWrite *int64 `json:"input_tokens_cache_write"`
	Reasoning  *int64 `json:"reasoning_tokens"`
}

type event struct {
	Event     string         `json:"event"`
	ID        string         `json:"id"`
	Timestamp string         `json:"timestamp"`
	Completed string         `json:"completed"`
	Working   *float64       `json:"working_time"` // seconds
	Error     *problem       `json:"error"`
	Output    jsontext.Value `json:"output"`
}

// decodeSample makes an execution of a sample.
func decodeSample(h header, raw []byte, line int) ([]importer.Item, error) {
	var s sample
	if err := importer.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	id := strings.Trim(string(s.ID), `"`)
	if id == "" || id == "null" {
		return nil, errors.New("a sample without id")
	}
	task := importer.Name(id)
	if h.Task != "" {
		task = importer.Name(h.Task + "/" + id)
	}
	draft := importer.NewDraft(importer.NewBudget(), line, track.Execution{
		Key: s.key(h, id), Source: importer.Inspect, Task: task, Trial: max(0, s.Epoch), Session: importer.Name(h.EvalID),
		Model: importer.Name(h.Model), Truths: s.truths(), Tokens: s.tokens(),
	})
	if draft.Session == "" {
		draft.Session = importer.Name(h.RunID)
	}
	s.replay(draft)
	s.times(draft)
	s.requests(draft)
	s.ending(draft)
	return draft.Close(), nil
}

// key identifies a sample: by its own uuid, in older logs by those of the log.
func (s sample) key(h header, id string) string {
	if s.UUID != "" {
		return importer.Key(importer.Inspect, s.UUID)
	}
	run := h.EvalID
	if run == "" {
		run = h.RunID + ":" + h.TaskID
	}
	return importer.Key(importer.Inspect, run, id, strconv.Itoa(s.Epoch))
}

// times takes from the tool events when calls ran, and what the sample says of the whole.
func (s sample) times(draft *importer.Draft) {
	for _, e := range s.Events {
		if draft.StartedAt.IsZero() {
			draft.StartedAt = importer.Time(e.Timestamp)
		}
		if e.Event != "tool" {
			continue
		}
		call := draft.Find(e.ID)
		if call == nil {
			continue
		}
		call.StartedAt = importer.Time(e.Timestamp)
		if call.Duration = importer.Between(call.StartedAt, importer.Time(e.Completed)); call.Duration == nil && e.Working != nil {
			call.Duration = importer.Seconds(*e.Working)
		}
		if e.Error != nil && call.Error == "" {
			fail(draft, call, *e.Error)
		}
	}
	if at := importer.Time(s.StartedAt); !at.IsZero() {
		draft.StartedAt = at
	}
	if s.TotalTime != nil {
		draft.Duration = importer.Seconds(*s.TotalTime)
	}
}

// requests takes from the model events what each request used, and which calls it asked for.
func (s sample) requests(draft *importer.Draft) {
	for _, e := range s.Events {
		var answer output
		if e.Event != "model" || e.Output.Kind() != '{' || importer.Unmarshal(e.Output, &answer) != nil {
			continue
		}
		request := draft.Request(answer.Model, answer.Usage.tokens())
		for _, choice := range answer.Choices {
			for _, c := range choice.Message.Calls {
				if call := draft.Find(c.ID); call != nil && call.Request == 0 {
					call.Request = request
				}
			}
		}
	}
}

// ending takes how the sample ended.
func (s sample) ending(draft *importer.Draft) {
	if s.Output != nil {
		if name := importer.Name(s.Output.Model); name != "" {
			draft.Model = name
		}
		if len(s.Output.Choices) > 0 {
			choice := s.Output.Choices[0]
			draft.Truncated = choice.Stop == "max_tokens" || choice.Stop == "model_length"
			if text := s.text(choice.Message.Content); !draft.Spoken() && text != "" && len(choice.Message.Calls) == 0 {
				draft.Output = &text
			}
		}
		if s.Output.Error != "" {
			draft.Status, draft.Message = track.ExecutionError, s.Output.Error
		}
	}
	if message := named(s.Error, "message"); s.Error.Kind() == '{' {
		draft.Status, draft.Message = track.ExecutionError, message
	}
	if limit := named(s.Limit, "type"); limit == "time" || limit == "working" {
		draft.Status, draft.Message = track.ExecutionTimeout, "limit: "+limit
	} else if limit != "" && draft.Status == track.ExecutionOK {
		draft.Message = "limit: " + limit
	}
}

// named returns the text of a member of an object.
func named(object jsontext.Value, name string) string {
	var members map[string]jsontext.Value
	if object.Kind() != '{' || importer.Unmarshal(object, &members) != nil {
		return ""
	}
	return importer.String(members[name])
}
