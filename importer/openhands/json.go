package openhands

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track/importer"
)

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
