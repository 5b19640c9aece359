package otlp

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// span takes a span with the conventions of generative AI. Others say nothing of an agent.
func (c *collector) span(line int, s span) []importer.Item {
	a := plain(s.Attributes)
	if s.Trace == "" || !a.hasPrefix("gen_ai.") {
		return nil
	}
	x, items := c.at(line, importer.Key(importer.OTLP, s.Trace))
	start, end := nanoTime(s.Start), nanoTime(s.End)
	x.span(start, end)
	x.rooted = x.rooted || s.Parent == ""
	x.describe(a)
	switch a.text("gen_ai.operation.name") {
	case "execute_tool":
		x.tool(s, a, start, end)
	case "invoke_agent", "create_agent", "invoke_workflow":
		x.worked = true
		x.total.Add(usage(a))
		x.say(a, end)
		x.useModel(a.text("gen_ai.response.model", "gen_ai.request.model"), time.Time{})
	default:
		x.inference(a, end)
	}
	if s.failed() && s.Parent == "" {
		x.Status, x.Message = track.ExecutionError, s.message(a)
	}
	for _, e := range s.Events {
		x.genAI(event{name: e.Name, attributes: plain(e.Attributes)})
	}
	return items
}

func (s span) message(a attributes) string {
	if s.Status.Message != "" {
		return s.Status.Message
	}
	return a.text("error.type")
}

// describe takes what any span of a trace may say of the whole.
func (x *execution) describe(a attributes) {
	for into, names := range map[*string][]string{
		&x.Session: {"gen_ai.conversation.id", "session.id"}, &x.Task: {"gen_ai.task.id", "task.id"}, &x.Version: {"gen_ai.prompt.version"}, &x.agent: {"gen_ai.agent.version"},
	} {
		if name := importer.Name(a.text(names...)); name != "" {
			*into = name
		}
	}
}

// inference takes a request to a model.
func (x *execution) inference(a attributes, end time.Time) {
	u := usage(a)
	if u.IsZero() && a.text("gen_ai.request.model", "gen_ai.response.model") == "" {
		return
	}
	x.worked = true
	x.usage.Add(u)
	x.useModel(a.text("gen_ai.response.model", "gen_ai.request.model"), end)
	if x.say(a, end) {
		x.Truncated = strings.Contains(string(a["gen_ai.response.finish_reasons"]), `"length"`)
	}
}

// usage returns the tokens of a span; older conventions name them otherwise.
func usage(a attributes) importer.Usage {
	return importer.Usage{
		Prompt: a.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"), Completion: a.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
		CacheRead:  a.count("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
		CacheWrite: a.count("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens"),
		Reasoning:  a.count("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens"),
	}
}

// say takes the text of an answer, if it is the latest.
func (x *execution) say(a attributes, end time.Time) bool {
	text := outputText(a["gen_ai.output.messages"])
	if text == "" {
		text = a.text("gen_ai.completion", "gen_ai.completion.0.content")
	}
	const longest = 1 << 20
	if text == "" || len(text) > longest || end.Before(x.said) {
		return false
	}
	x.Output, x.said = &text, end
	return true
}

// outputText returns the text of messages: JSON, or a string that holds it.
func outputText(value jsontext.Value) string {
	if value.Kind() == '"' {
		value = jsontext.Value(importer.String(value))
	}
	var messages []struct {
		Parts []struct {
			Type    string         `json:"type"`
			Content jsontext.Value `json:"content"`
		} `json:"parts"`
		Content jsontext.Value `json:"content"`
	}
	if value.Kind() != '[' || importer.Unmarshal(value, &messages) != nil {
		return ""
	}
	var texts []string
	for _, m := range messages {
		texts = append(texts, importer.String(m.Content))
		for _, part := range m.Parts {
			if part.Type == "text" {
				texts = append(texts, importer.String(part.Content))
			}
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n\n"))
}

func (x *execution) tool(s span, a attributes, start, end time.Time) {
	x.worked = true
	key := a.text("gen_ai.tool.call.id")
	if key == "" || x.Find(key) != nil {
		key = s.ID
	}
	raw := a["gen_ai.tool.call.arguments"]
	if raw.Kind() == '"' {
		raw = jsontext.Value(importer.String(raw))
	}
	call := track.ToolCall{Key: key, Tool: a.text("gen_ai.tool.name"), Answered: true, StartedAt: start, Duration: importer.Between(start, end)}
	if call.Tool == "" {
		call.Tool = strings.TrimPrefix(s.Name, "execute_tool ")
	}
	if len(raw) > 0 {
		call.Input, call.Command = importer.Canonical(raw), importer.ShellCommand(call.Tool, raw)
	}
	if result := a["gen_ai.tool.call.result"]; len(result) > 0 {
		text := importer.String(result)
		if result.Kind() != '"' {
			text = importer.Canonical(result)
		}
		call.Output = &text
	}
	if s.failed() {
		if call.Error = s.message(a); call.Error == "" {
			call.Error = "failed, without a word why"
		}
	}
	x.Call(call)
}

// genAI takes an event of a span, or a log record that belongs to a trace.
func (x *execution) genAI(e event) {
	a := e.attributes
	if name := a.text("gen_ai.evaluation.name"); name != "" {
		if score := a.number("gen_ai.evaluation.score.value"); score != nil {
			importer.AddTruth(&x.Truths, name, *score)
		}
		return
	}
	x.say(a, e.at)
}

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
