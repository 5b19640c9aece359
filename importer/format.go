package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
)

// Format is a kind of log that track knows.
type Format struct {
	Name   string // as in track import NAME
	Title  string // for people, with its article
	detect func(first object) bool
}

// The formats.
const (
	ClaudeCode  = "claude-code"
	ClaudeHooks = "claude-hooks"
	Codex       = "codex"
	TauBench    = "tau-bench"
	Inspect     = "inspect"
	SEPA        = "sepa"
	JSONL       = "jsonl"
	ATIF        = "atif"
	SWEAgent    = "swe-agent"
	OpenHands   = "openhands"
	Messages    = "messages"
	OTLP        = "otlp"
)

var formats = []Format{
	{ClaudeCode, "a Claude Code transcript", func(o object) bool {
		return o.has("sessionId", "uuid") || o.has("parentUuid", "type") || o.has("leafUuid", "summary") || o.has("messageId", "snapshot") || o.has("sessionId", "operation")
	}},
	{ClaudeHooks, "a log of Claude Code hooks", func(o object) bool {
		return o.has("hook_event_name", "session_id") || o.has("event", "session_id")
	}},
	{Codex, "a Codex rollout", func(o object) bool {
		return o.has("payload", "type") || o.text["record_type"] == "state" || o.has("instructions", "id", "timestamp") && !o.array
	}},
	{TauBench, "a file of tau-bench results", func(o object) bool {
		return o.array && o.has("task_id") && (o.has("traj") || o.has("reward") && !o.has("messages"))
	}},
	{Inspect, "an Inspect log", func(o object) bool { return o.has("eval", "version") || o.has("eval", "status") }},
	{SEPA, "a log of SEPA", func(o object) bool {
		kind := o.text["type"]
		return o.has("ts", "tool", "exit") || o.has("ts", "tool", "success") || o.has("ts", "session") && (kind == "pre" || kind == "post" || kind == "prompt")
	}},
	{JSONL, "a batch of track", func(o object) bool {
		return o.text["kind"] == "execution" || o.text["kind"] == "seed" || o.has("kind", "lineage", "version")
	}},
	{ATIF, "an ATIF trajectory", func(o object) bool {
		return strings.HasPrefix(o.text["schema_version"], "ATIF") || o.has("step_id", "source", "message")
	}},
	{SWEAgent, "a trajectory of SWE-agent", func(o object) bool {
		return o.has("trajectory", "history") || o.has("environment", "trajectory") || o.has("trajectory_format") || o.has("info", "messages") ||
			o.first["trajectory"]["action"] || o.array && o.has("role", "content") && bytes.Contains(o.head, []byte("<returncode>"))
	}},

	{OpenHands, "a history of OpenHands", func(o object) bool {
		return o.has("instance_id", "history") || o.has("issue", "history") || o.has("instance_id", "test_result") || o.array && o.has("id", "source") && (o.has("action") || o.has("observation"))
	}},
	{OTLP, "a file of OpenTelemetry", func(o object) bool {
		return o.has("resourceSpans") || o.has("resourceLogs") || o.has("resourceMetrics") || o.has("_type", "attrs")
	}},
	// The least particular comes last.
	{Messages, "a list of messages", func(o object) bool {
		isMessage := o.has("role", "content") || o.has("role", "tool_calls")
		return o.first["messages"]["role"] || o.first["conversations"]["from"] || isMessage && !o.has("type") && (o.array || o.line == 0)
	}},
}

// Formats returns the formats.
func Formats() []Format { return slices.Clone(formats) }

// Detect returns the name of the format of which a source begins with head; the empty string where it is not clear.
// The name of the source helps where the head does not.
func Detect(name string, head []byte) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) && (strings.HasSuffix(name, ".eval") || bytes.Contains(head, []byte("_journal/")) || bytes.Contains(head, []byte("_epoch_"))) {
		return Inspect
	}
	head, _ = jsonio.NullNonFiniteIn(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	for line := range 50 { // lines that may be damaged, or say nothing
		first := readObject(head)
		first.line = line
		for _, format := range formats {
			if format.detect(first) {
				return format.Name
			}
		}
		end := bytes.IndexByte(head, '\n')
		if end < 0 {
			break
		}
		head = head[end+1:]
	}
	return ""
}

// Refuse returns an error where head is clearly not of the format that is named.
func Refuse(format, file string, head []byte) error {
	found := Detect(file, head)
	if found == "" || found == format {
		return nil
	}
	return RefuseFormat(format, found, file)
}

// RefuseFormat is the error of a source that is not of the format that is named, but of the one that was found.
func RefuseFormat(format, found, file string) error {
	err := &track.FieldError{File: file, Message: fmt.Sprintf("this is %s, not %s", formatNamed(found).Title, formatNamed(format).Title)}
	return track.WithHint(err, track.NewHint("import it in its own format", "import "+found))
}

func formatNamed(name string) Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{Name: name, Title: name}
	}
	return formats[i]
}

// object is what can be seen of the first object of a head: its names, and those of its values that are strings.
type object struct {
	array bool // it is an element
	names map[string]bool
	text  map[string]string
	first map[string]map[string]bool // by the name of an array: the names in its first element
	head  []byte
	line  int // lines before it
}

func (o object) has(names ...string) bool {
	for _, name := range names {
		if !o.names[name] {
			return false
		}
	}
	return true
}

// readObject reads as far as the text is JSON.
func readObject(text []byte) object {
	o := object{names: map[string]bool{}, text: map[string]string{}, first: map[string]map[string]bool{}, head: text}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), lenient)
	if decoder.PeekKind() == '[' {
		o.array = true
		if _, err := decoder.ReadToken(); err != nil {
			return o
		}
	}
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return o
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return o
		}
		key := name.String()
		o.names[key] = true
		if decoder.PeekKind() == '[' {
			o.first[key] = firstElement(decoder)
			continue
		}
		if decoder.PeekKind() != '"' {
			if decoder.SkipValue() != nil {
				return o
			}
			continue
		}
		value, err := decoder.ReadToken()
		if err != nil {
			return o
		}
		o.text[key] = value.String()
	}
	return o
}

// firstElement reads an array, as far as the text goes, and returns the names in its first element.
func firstElement(decoder *jsontext.Decoder) map[string]bool {
	names := map[string]bool{}
	_, _ = decoder.ReadToken() // the bracket
	if decoder.PeekKind() == '{' {
		depth := decoder.StackDepth()
		_, _ = decoder.ReadToken()
		for decoder.PeekKind() == '"' && decoder.StackDepth() > depth {
			name, err := decoder.ReadToken()
			if err != nil {
				return names
			}
			names[name.String()] = true
			if decoder.SkipValue() != nil {
				return names
			}
		}
		if _, err := decoder.ReadToken(); err != nil {
			return names
		}
	}
	for decoder.PeekKind() != ']' {
		if decoder.SkipValue() != nil {
			return names
		}
	}
	_, _ = decoder.ReadToken()
	return names
}
