// Package claudetools knows what the inputs and results of Claude Code's own tools say; its transcripts and its hooks
// share them.
package claudetools

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"regexp"
	"track/importer"
)

// Command returns what a shell was asked to run.
func Command(tool string, input jsontext.Value) string {
	if tool != "Bash" && tool != "PowerShell" {
		return ""
	}
	var bash struct {
		Command jsontext.Value `json:"command"`
	}
	if importer.Unmarshal(input, &bash) != nil {
		return ""
	}
	return importer.String(bash.Command)
}

var exitCode = regexp.MustCompile(`^(?:Error: )?Exit code (-?\d{1,9})\b`)

// Exit reads the exit status that stands at the beginning of the text of a failed command; nil where none does.
func Exit(text string) *int {
	match := exitCode.FindStringSubmatch(text)
	if match == nil {
		return nil
	}
	code, err := strconv.Atoi(match[1])
	if err != nil {
		return nil
	}
	return &code
}

// Message takes the tags off an error.
func Message(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(text, "<tool_use_error>")
	return strings.TrimSpace(strings.TrimSuffix(text, "</tool_use_error>"))
}

// IsRejection says whether a result tells that the user refused the call.
func IsRejection(text string) bool {
	return strings.HasPrefix(text, "The user doesn't want to proceed with this tool use") ||
		strings.HasPrefix(text, "The user doesn't want to take this action right now")
}

// IsInterrupt says whether a text is the mark that Claude Code leaves where the user stopped it.
func IsInterrupt(text string) bool { return strings.HasPrefix(text, "[Request interrupted by user") }

// Duration returns how long a tool ran, by its own account; nil where the result has none.
func Duration(result jsontext.Value) *time.Duration {
	if result.Kind() != '{' {
		return nil
	}
	var measured struct {
		Total   *float64 `json:"totalDurationMs"`
		Millis  *float64 `json:"durationMs"`
		Seconds *float64 `json:"durationSeconds"`
	}
	if importer.Unmarshal(result, &measured) != nil {
		return nil
	}
	switch {
	case measured.Total != nil:
		return importer.Seconds(*measured.Total / 1000)
	case measured.Millis != nil:
		return importer.Seconds(*measured.Millis / 1000)
	case measured.Seconds != nil:
		return importer.Seconds(*measured.Seconds)
	}
	return nil
}

// Text returns the text of the content of a result: a string, or the blocks of text of a list.
func Text(content jsontext.Value) string {
	switch content.Kind() {
	case '"':
		return importer.String(content)
	case '[':
		var blocks []jsontext.Value
		if importer.Unmarshal(content, &blocks) != nil {
			return ""
		}
		var texts []string
		for _, raw := range blocks {
			var block struct {
				Text string `json:"text"`
			}
			if raw.Kind() == '{' && importer.Unmarshal(raw, &block) == nil && block.Text != "" {
				texts = append(texts, block.Text)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// Written returns the file that a call wrote, whole; ok is false where the result does not tell. Of an edit that is
// what the file was before, with the replacement made.
func Written(tool string, input, result jsontext.Value) (name, content string, ok bool) {
	var in struct {
		FilePath string  `json:"file_path"`
		Content  *string `json:"content"`
		edit     `json:",inline"`
		Edits    []edit `json:"edits"`
	}
	switch tool {
	case "Write", "Edit", "MultiEdit":
	default:
		return "", "", false
	}
	if importer.Unmarshal(input, &in) != nil || in.FilePath == "" {
		return "", "", false
	}
	if tool == "Write" {
		if in.Content == nil {
			return "", "", false
		}
		return in.FilePath, *in.Content, true
	}
	var out struct {
		Original *string `json:"originalFile"`
	}
	if result.Kind() != '{' || importer.Unmarshal(result, &out) != nil || out.Original == nil {
		return "", "", false
	}
	edits := in.Edits
	if tool == "Edit" {
		edits = []edit{in.edit}
	}
	content = *out.Original
	for _, e := range edits {
		if content, ok = e.apply(content); !ok {
			return "", "", false
		}
	}
	return in.FilePath, content, len(edits) > 0
}

type edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

const largestFile = 16 << 20 // bytes; replacing all can grow a file without end

func (e edit) apply(content string) (string, bool) {
	times := 1
	if e.All {
		times = strings.Count(content, e.Old)
	}
	if e.Old == "" || !strings.Contains(content, e.Old) || len(content)+times*len(e.New) > largestFile {
		return "", false
	}
	return strings.Replace(content, e.Old, e.New, times), true
}
