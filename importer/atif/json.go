package atif

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track/importer"
)

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
