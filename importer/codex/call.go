package codex

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// call makes a tool call of an item; ok is false of an item that is none.
func (i item) call() (call track.ToolCall, ok bool) {
	switch i.Type {
	case "function_call":
		return track.ToolCall{Key: i.CallID, Tool: i.Name, Input: importer.CanonicalText(i.Arguments), Command: command([]byte(i.Arguments))}, true
	case "custom_tool_call":
		return track.ToolCall{Key: i.CallID, Tool: i.Name, Input: strings.ToValidUTF8(i.Input, "\uFFFD")}, true
	case "local_shell_call":
		key := i.CallID
		if key == "" {
			key = i.ID
		}
		return track.ToolCall{Key: key, Tool: "local_shell", Input: importer.Canonical(i.Action), Command: command(i.Action)}, true
	case "web_search_call": // its result is not in the rollout; that it was completed is
		return track.ToolCall{Key: i.ID, Tool: "web_search", Input: importer.Canonical(i.Action), Answered: i.Status == "completed"}, true
	}
	return track.ToolCall{}, false
}

// command returns what a shell was asked to run: a text, or a list of words, of which bash -lc TEXT is the text.
func command(arguments jsontext.Value) string {
	if arguments.Kind() != '{' {
		return ""
	}
	var a struct {
		Cmd     jsontext.Value `json:"cmd"`
		Command jsontext.Value `json:"command"`
	}
	if importer.Unmarshal(arguments, &a) != nil {
		return ""
	}
	for _, value := range []jsontext.Value{a.Cmd, a.Command} {
		if value.Kind() == '"' {
			return importer.String(value)
		}
		var words []string
		if value.Kind() != '[' || importer.Unmarshal(value, &words) != nil {
			continue
		}
		if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
			return words[2]
		}
		return strings.Join(words, " ")
	}
	return ""
}

// polled returns the session of the command that a call of write_stdin looks at; ok is false of other calls.
func (i item) polled() (session string, ok bool) {
	if i.Type != "function_call" || i.Name != "write_stdin" {
		return "", false
	}
	var a struct {
		Session jsontext.Value `json:"session_id"`
	}
	if importer.Unmarshal([]byte(i.Arguments), &a) != nil {
		return "", true
	}
	if a.Session.Kind() == '"' {
		return importer.String(a.Session), true
	}
	if n, err := strconv.ParseInt(string(a.Session), 10, 64); err == nil {
		return strconv.FormatInt(n, 10), true
	}
	return "", true
}

// addedFiles returns the files that a patch adds: only of those does it hold the whole.
func addedFiles(patch string) []track.WrittenFile {
	var files []track.WrittenFile
	var content *strings.Builder
	end := func() {
		if content != nil {
			files[len(files)-1].Content = content.String()
		}
		content = nil
	}
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "*** ") {
			end()
		}
		if name, ok := strings.CutPrefix(line, "*** Add File: "); ok && strings.TrimSpace(name) != "" {
			files = append(files, track.WrittenFile{Name: strings.TrimSpace(name)})
			content = &strings.Builder{}
		} else if text, ok := strings.CutPrefix(line, "+"); ok && content != nil {
			content.WriteString(text)
		}
	}
	end()
	return files
}
