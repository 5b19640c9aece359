package otlp

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// claudeEvents are the events of Claude Code that say what an execution did.
var claudeEvents = []string{"user_prompt", "api_request", "api_error", "tool_result", "tool_decision"}

// mostSessions bounds the sessions whose last prompt is remembered.
const mostSessions = 10_000

// claude takes an event of Claude Code.
func (c *collector) claude(line int, name, session string, e event) []importer.Item {
	a := e.attributes
	prompt := importer.Name(a.text("prompt.id"))
	if prompt == "" && name == "user_prompt" {
		prompt = e.at.Format(time.RFC3339Nano)
	}
	if len(c.prompts) > mostSessions {
		clear(c.prompts)
	}
	if name == "user_prompt" || c.prompts[session] == "" {
		c.prompts[session] = prompt
	}
	if prompt == "" { // of older versions, which tell the prompt from its place only
		prompt = c.prompts[session]
	}
	x, items := c.at(line, importer.Key(importer.OTLP, session, prompt))
	x.session, x.prompt, x.Session = session, prompt, session
	x.span(e.at, e.at)
	switch name {
	case "api_request":
		x.request(a, e.at)
	case "api_error":
		x.worked, x.problem = true, "request to the model: "+a.text("error", "error_message", "status_code")
	case "tool_result":
		x.toolResult(a, e.at)
	case "tool_decision":
		if a.text("decision") == "reject" && strings.HasPrefix(a.text("source"), "user") {
			x.Corrections++
		}
	}
	return items
}

// request takes a request to the model. Its input tokens are those that came from no cache.
func (x *execution) request(a attributes, at time.Time) {
	x.worked, x.problem = true, ""
	u := importer.Usage{Completion: a.count("output_tokens"), CacheRead: a.count("cache_read_tokens"), CacheWrite: a.count("cache_creation_tokens")}
	if input := a.count("input_tokens"); input != nil {
		importer.AddCount(&u.Prompt, input)
		importer.AddCount(&u.Prompt, u.CacheRead)
		importer.AddCount(&u.Prompt, u.CacheWrite)
	}
	x.usage.Add(u)
	if id := a.text("request_id"); id != "" {
		x.Identify(x.Request(a.text("model"), u.Tokens()), "", id)
		x.Continue(0, nil) // events do not say which request asked for a call
	}
	if cost := importer.Dollars(a.number("cost_usd")); cost != nil {
		total := *cost
		if x.cost != nil {
			total += *x.cost
		}
		x.cost = &total
	}
	x.useModel(a.text("model"), at)
}

func (x *execution) toolResult(a attributes, at time.Time) {
	x.worked = true
	call := track.ToolCall{Key: a.text("tool_use_id"), Tool: a.text("tool_name"), Answered: true, StartedAt: at}
	if millis := a.number("duration_ms"); millis != nil {
		if call.Duration = importer.Seconds(*millis / 1000); call.Duration != nil && !at.IsZero() {
			call.StartedAt = at.Add(-*call.Duration)
		}
	}
	if raw := jsontext.Value(a.text("tool_input", "tool_parameters")); len(raw) > 0 {
		call.Input = importer.Canonical(raw)
	}
	parameters := attributes(importer.Members(jsontext.Value(a.text("tool_parameters"))))
	call.Command = parameters.text("full_command", "bash_command")
	if a.text("success") == "false" {
		if call.Error = a.text("error", "error_type"); call.Error == "" {
			call.Error = "failed, without a word why"
		}
	}
	x.Call(call)
}
