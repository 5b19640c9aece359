package codex

import (
	"github.com/go-json-experiment/json/jsontext"
)

// line is a line of a rollout. The oldest rollouts have the item itself on it, without type and payload around it.
type line struct {
	Timestamp string         `json:"timestamp"`
	Type      string         `json:"type"`
	Payload   jsontext.Value `json:"payload"`
}

// item is what is used of a payload, of whatever type.
type item struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Role      string         `json:"role"`
	Name      string         `json:"name"`
	CallID    string         `json:"call_id"`
	Arguments string         `json:"arguments"` // JSON in a string
	Input     string         `json:"input"`     // of a custom tool
	Action    jsontext.Value `json:"action"`    // of a local shell, or a web search
	Status    string         `json:"status"`
	Output    jsontext.Value `json:"output"`
	Content   jsontext.Value `json:"content"`
	Message   string         `json:"message"`
	Reason    string         `json:"reason"`
	LastReply *string        `json:"last_agent_message"`
	Model     string         `json:"model"`
	Info      *tokenInfo     `json:"info"`
	Success   *bool          `json:"success"`
	Stderr    string         `json:"stderr"`
	Result    jsontext.Value `json:"result"`
	Forked    string         `json:"forked_from_id"`
	Source    jsontext.Value `json:"source"` // of a session: an object if another agent spawned it
	Turn      jsontext.Value `json:"turn_id"`

	ExitCode *int      `json:"exit_code"`
	Duration *duration `json:"duration"`
}

type duration struct {
	Secs  int64 `json:"secs"`
	Nanos int64 `json:"nanos"`
}

type tokenInfo struct {
	Total *tokenUsage `json:"total_token_usage"`
	Last  *tokenUsage `json:"last_token_usage"` // of the last request
}

type tokenUsage struct {
	Input     int64 `json:"input_tokens"` // those of the cache included
	Cached    int64 `json:"cached_input_tokens"`
	Output    int64 `json:"output_tokens"` // reasoning included
	Reasoning int64 `json:"reasoning_output_tokens"`
}
