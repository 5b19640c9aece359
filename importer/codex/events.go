package codex

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// event takes a line that tells the user's screen what happens.
func (d *decoder) event(number int, at time.Time, i item) []importer.Item {
	switch i.Type {
	case "user_message":
		d.events = true
		return d.prompt(number, at, i.Message)
	case "token_count":
		if i.Info != nil && i.Info.Total != nil {
			d.count(*i.Info.Total, i.Info.Last)
		}
	case "exec_command_end":
		d.commandEnd(i)
	case "patch_apply_end":
		d.patchEnd(i)
	case "mcp_tool_call_end":
		d.serverEnd(i)
	case "agent_message":
		d.reply = i.Message
	case "task_complete":
		d.complete(at, i)
	case "turn_aborted":
		if d.open != nil {
			if !d.refused {
				d.open.Corrections++
			}
			d.open.Touch(at)
			d.refused = false
		}
	case "error":
		if d.open != nil {
			d.open.Status, d.open.Message = track.ExecutionError, i.Message
		}
	}
	return nil
}

// count takes the totals of the session, and with them a request. Newer versions write them after the calls of its
// answer, older ones before. Totals that do not grow repeat earlier ones.
func (d *decoder) count(total tokenUsage, last *tokenUsage) {
	grown, isRequest := d.tokens.add(total, last)
	if !isRequest || d.open == nil {
		return
	}
	if last != nil && last.sane() {
		grown = *last
	}
	if !d.requests.began {
		d.requests = requests{began: true, ahead: !d.began}
	}
	request := d.open.Request(d.model, grown.tokens())
	if d.turn != "" {
		d.open.Identify(request, "", fmt.Sprintf("%s:%d+%d", d.turn, total.Input, total.Output))
	}
	if d.requests.ahead {
		return
	}
	for i := d.requests.calls; i < len(d.open.Calls); i++ {
		d.open.Calls[i].Request = request
	}
	d.requests.calls = len(d.open.Calls)
	d.open.Continue(0, nil) // the next calls belong to a later one
}

func (d *decoder) commandEnd(i item) {
	if d.open == nil {
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil || i.ExitCode == nil {
		return
	}
	call.Answered, call.Exit = true, i.ExitCode
	if i.Duration != nil {
		if took := importer.Seconds(float64(i.Duration.Secs) + float64(i.Duration.Nanos)/1e9); took != nil {
			call.Duration = took
		}
	}
	d.judge(call, result{})
}

func (d *decoder) patchEnd(i item) {
	if d.open == nil || i.Success == nil {
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil {
		return
	}
	call.Answered = true
	if !*i.Success {
		d.open.Fail(call, i.Stderr)
		return
	}
	for _, file := range addedFiles(call.Input) {
		d.open.Wrote(file.Name, file.Content)
	}
}

// serverEnd takes how a call of another server's tool ended.
func (d *decoder) serverEnd(i item) {
	var r struct {
		Err string `json:"Err"`
		OK  struct {
			IsError bool           `json:"isError"`
			Content jsontext.Value `json:"content"`
		} `json:"Ok"`
	}
	if d.open == nil || i.Result.Kind() != '{' || importer.Unmarshal(i.Result, &r) != nil {
		return
	}
	call := d.open.Find(i.CallID)
	switch {
	case call == nil:
	case r.Err != "":
		d.open.Fail(call, r.Err)
	case r.OK.IsError:
		d.open.Fail(call, contentText(r.OK.Content))
	}
}

// complete takes the end of a turn, which repeats what the assistant said last.
func (d *decoder) complete(at time.Time, i item) {
	if i.LastReply != nil {
		d.reply = *i.LastReply
	}
	if d.open != nil {
		d.open.Touch(at)
		d.open.Status, d.open.Message = track.ExecutionOK, ""
	}
}

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

// output takes the output of a call. One whose call was not seen answers nothing.
func (d *decoder) output(at time.Time, i item) {
	if d.open == nil {
		return
	}
	r := readOutput(i.Output)
	if session, ok := d.polls[i.CallID]; ok {
		delete(d.polls, i.CallID)
		d.poll(at, session, r)
		return
	}
	call := d.open.Find(i.CallID)
	if call == nil {
		return
	}
	d.open.Touch(at)
	if r.duration != nil && r.session == "" && call.Duration == nil {
		call.Duration = r.duration
	}
	d.open.Answer(call, r.text, at)
	if r.session != "" {
		call.Duration = nil // it goes on running
		if len(d.running) < mostRunning {
			d.running[r.session] = i.CallID
		}
	}
	d.judge(call, r)
}

// poll takes the output of a call of write_stdin, which is that of the command it looks at.
func (d *decoder) poll(at time.Time, session string, r result) {
	d.open.Touch(at)
	call := d.open.Find(d.running[session])
	if call == nil || r.exit == nil {
		return
	}
	delete(d.running, session)
	if call.Duration == nil {
		call.Duration = importer.Between(call.StartedAt, at)
	}
	d.open.Answer(call, outputOf(call)+r.text, at)
	d.judge(call, r)
}

func outputOf(call *track.ToolCall) string {
	if call.Output == nil {
		return ""
	}
	return *call.Output
}

// judge notes how a call ended. What exec_command_end said before stands.
func (d *decoder) judge(call *track.ToolCall, r result) {
	if call.Exit == nil {
		call.Exit = r.exit
	}
	switch {
	case r.rejected && !call.Rejected:
		call.Rejected = true
		d.open.Fail(call, "the user refused it")
		d.open.Corrections++
		d.refused = true
	case r.failed:
		d.open.Fail(call, r.text)
	case call.Exit != nil && *call.Exit != 0 && call.Error == "":
		d.open.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	}
}
