package codex

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track/importer"
)

// result is what the output of a call says.
type result struct {
	text     string
	exit     *int
	duration *time.Duration
	failed   bool   // the output says so, without an exit status
	rejected bool   // the user refused
	session  string // of a command that goes on running
}

// readOutput reads the output of a call, in any generation.
func readOutput(raw jsontext.Value) result {
	switch raw.Kind() {
	case '"':
		return readText(importer.String(raw))
	case '{':
		var object struct {
			Content jsontext.Value `json:"content"`
			Success *bool          `json:"success"`
		}
		if importer.Unmarshal(raw, &object) == nil && len(object.Content) > 0 {
			r := readText(contentText(object.Content))
			r.failed = r.failed || object.Success != nil && !*object.Success
			return r
		}
	case '[':
		return readText(contentText(raw))
	case 'n', 0:
		return result{}
	}
	return result{text: importer.Canonical(raw)}
}

func readText(text string) result {
	if strings.HasPrefix(text, "{") {
		var wrapped struct {
			Output   *string `json:"output"`
			Metadata *struct {
				ExitCode *int     `json:"exit_code"`
				Seconds  *float64 `json:"duration_seconds"`
			} `json:"metadata"`
		}
		if importer.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil && wrapped.Metadata != nil {
			r := result{text: *wrapped.Output, exit: wrapped.Metadata.ExitCode, rejected: isRejection(*wrapped.Output)}
			if wrapped.Metadata.Seconds != nil {
				r.duration = importer.Seconds(*wrapped.Metadata.Seconds)
			}
			return r
		}
	}
	r := result{text: text, rejected: isRejection(text)}
	head, body, framed := cutHead(text)
	r.exit = number(exitLine, head)
	if match := sessionLine.FindStringSubmatch(head); match != nil {
		r.session = match[1]
	}
	if match := wallLine.FindStringSubmatch(head); match != nil {
		if seconds, err := strconv.ParseFloat(match[1], 64); err == nil {
			r.duration = importer.Seconds(seconds)
		}
	}
	if framed {
		r.text = body
	}
	r.failed = !framed && anyPrefix(text, failures)
	if r.failed {
		r.exit = number(sandboxExit, text)
	}
	return r
}

var (
	exitLine    = regexp.MustCompile(`(?m)^(?:Exit code:|Process exited with code) (-?\d{1,9})$`)
	sessionLine = regexp.MustCompile(`(?m)^Process running with session ID (\d{1,18})$`)
	// sandboxExit is in the first line of what a sandbox failed with: "failed in sandbox MacosSeatbelt with execution
	// error: sandbox denied exec error, exit code: 2, stdout: , stderr: ...".
	sandboxExit = regexp.MustCompile(`^failed in sandbox .{0,200}?\bexit code: (-?\d{1,9})\b`)
	wallLine    = regexp.MustCompile(`(?m)^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds$`)
)

// failures begin the output of a call that could not be made.
var failures = []string{
	"failed to parse function arguments", "unsupported call", "unsupported custom tool call", "exec_command failed", "write_stdin failed",
	"apply_patch verification failed", "tool call error", "err: ", "execution error:", "failed in sandbox",
}

func isRejection(text string) bool {
	return anyPrefix(text, []string{"patch rejected by user", "exec command rejected by user", "rejected by user"}) || strings.TrimSpace(text) == "aborted by user"
}

func anyPrefix(text string, beginnings []string) bool {
	for _, beginning := range beginnings {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return false
}

// cutHead cuts a text at the line "Output:", which must be among the first ten; before it stands what is known of the
// command.
func cutHead(text string) (head, body string, found bool) {
	rest := text
	for range 10 {
		line, after, more := strings.Cut(rest, "\n")
		if line == "Output:" {
			return text[:len(text)-len(rest)], after, true
		}
		if !more {
			break
		}
		rest = after
	}
	return "", text, false
}

func number(pattern *regexp.Regexp, text string) *int {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return nil
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return nil
	}
	return &n
}

// contentText returns the text of the content of a message, or of an output.
func contentText(content jsontext.Value) string {
	if content.Kind() == '"' {
		return importer.String(content)
	}
	var parts []jsontext.Value
	if content.Kind() != '[' || importer.Unmarshal(content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, part := range parts {
		var p struct {
			Text string `json:"text"`
		}
		if part.Kind() == '{' && importer.Unmarshal(part, &p) == nil && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
