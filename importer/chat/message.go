// Package chat knows conversations as the APIs of models have them: messages with a role, calls of tools and results.
// It reads the messages of OpenAI, also with the older function_call, and the content blocks of Anthropic. Several
// formats consist of them.
package chat

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// Message is a message of a conversation.
type Message struct {
	Role     string         `json:"role"`
	Content  jsontext.Value `json:"content"`
	CallID   string         `json:"tool_call_id"`
	Name     string         `json:"name"`
	Calls    []Call         `json:"tool_calls"`
	Function *Function      `json:"function_call"`
	IsError  bool           `json:"is_error"`
	Model    string         `json:"model"`
	At       jsontext.Value `json:"timestamp"`
	Usage    jsontext.Value `json:"usage"` // of the request that the message answers
	Tokens   *track.Tokens  `json:"-"`     // of that request, if Usage does not say them
}

// usage are counts of tokens in the words of OpenAI or of Anthropic. Prompts include what came from a cache; input
// tokens do not if the counts of the cache stand beside them.
type usage struct {
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	In         struct {
		Cached *int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// tokens returns what the request used that the message answers; nil if no token was counted.
func (m Message) tokens() *track.Tokens {
	var u usage
	if m.Tokens != nil || m.Usage.Kind() != '{' || importer.Unmarshal(m.Usage, &u) != nil {
		return m.Tokens
	}
	counts := importer.Usage{Prompt: u.Prompt, Completion: u.Completion, CacheRead: u.In.Cached, CacheWrite: u.CacheWrite, Reasoning: u.Out.Reasoning}
	if u.Prompt == nil && u.Input != nil {
		importer.AddCount(&counts.Prompt, u.Input)
		importer.AddCount(&counts.Prompt, u.CacheRead)
		importer.AddCount(&counts.Prompt, u.CacheWrite)
	}
	if u.CacheRead != nil {
		counts.CacheRead = u.CacheRead
	}
	if u.Completion == nil {
		counts.Completion = u.Output
	}
	return counts.Tokens()
}

// Call is a call of a tool.
type Call struct {
	ID       string   `json:"id"`
	Function Function `json:"function"`
}

// Function is what a call calls. Arguments are JSON, or a string that holds JSON.
type Function struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// block is a part of a content that is a list.
type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	CallID  string         `json:"tool_use_id"`
	Content jsontext.Value `json:"content"`
	IsError bool           `json:"is_error"`
}

// blocks returns the parts of a content; a string is one of text.
func blocks(content jsontext.Value) (list []block) {
	switch content.Kind() {
	case '"':
		return []block{{Type: "text", Text: importer.String(content)}}
	case '[':
		var parts []jsontext.Value
		if importer.Unmarshal(content, &parts) != nil {
			return nil
		}
		for _, part := range parts {
			var b block
			if part.Kind() == '"' {
				b = block{Type: "text", Text: importer.String(part)}
			} else if part.Kind() != '{' || importer.Unmarshal(part, &b) != nil {
				continue
			}
			list = append(list, b)
		}
	}
	return list
}

// Text returns the text of a content: a string, or parts with text.
func Text(content jsontext.Value) string {
	var texts []string
	for _, b := range blocks(content) {
		if b.Text != "" && (b.Type == "" || strings.HasSuffix(b.Type, "text")) {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// input returns the arguments in one form for all ways to write them, and as JSON.
func (f Function) input() (canonical string, raw jsontext.Value) {
	switch raw = f.Arguments; {
	case len(raw) == 0:
		return "", nil
	case raw.Kind() == '"':
		raw = jsontext.Value(importer.String(raw))
	}
	return importer.Canonical(raw), raw
}
