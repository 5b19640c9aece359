package sepa

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
)

// Read reads a log of tool calls or of observations. file stands in items and errors. For a whole folder, use
// [ReadDir].
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		importer.ReadLines(importer.SEPA, file, r, &decoder{open: map[group]*importer.Draft{}, budget: importer.NewBudget()})(yield)
	}
}

// decoder puts lines together to records, and records to executions.
type decoder struct {
	text []byte // of the record that is being read
	line int    // where it begins; 0 where none is
	long bool   // it is too long

	open   map[group]*importer.Draft
	budget *importer.Budget
}

// group is what the calls of one execution have in common. Observations know no version.
type group struct {
	session, version string
	observed         bool
}

// silence is how long after its last call an execution may still go on.
const silence = 24 * time.Hour

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// mostOpen bounds the executions that go on at once; of more, the one that was silent longest is taken as ended.
const mostOpen = 1024

// DecodeLine implements [importer.LineDecoder].
func (d *decoder) DecodeLine(number int, text []byte) ([]importer.Item, error) {
	var items []importer.Item
	if text[0] == '{' {
		items = d.flush()
	}
	if d.line == 0 {
		d.line = number
	}
	if d.long = d.long || len(d.text)+len(text) > importer.LongestRecord; !d.long {
		d.text = append(d.text, text...)
	}
	return items, nil
}

// End implements [importer.LineDecoder].
func (d *decoder) End() []importer.Item {
	items := d.flush()
	var ended []importer.Item
	newest := time.Time{}
	for _, draft := range d.open {
		newest = later(newest, draft.LastAt)
	}
	for _, draft := range d.open {
		if !draft.Acted() {
			continue
		}
		last := draft.End()
		// Sessions have no end in these logs. One that others outlived by a day has ended.
		last[0].Open = draft.LastAt.IsZero() || newest.Sub(draft.LastAt) < silence
		ended = append(ended, last...)
	}
	slices.SortStableFunc(ended, func(a, b importer.Item) int { return a.Line - b.Line })
	return append(items, ended...)
}

// flush takes the record that was put together.
func (d *decoder) flush() []importer.Item {
	text, line, long := d.text, d.line, d.long
	d.text, d.line, d.long = d.text[:0], 0, false
	switch {
	case line == 0:
		return nil
	case long:
		return []importer.Item{importer.Skipf(line, "the record is longer than %d MiB", importer.LongestRecord>>20)}
	}
	r, rest, err := parseRecord(text)
	var items []importer.Item
	if err != nil {
		items = append(items, importer.Skipf(line, "%s", why(err)))
	} else {
		items = d.take(line, r)
	}
	if rest >= 0 {
		at := line + bytes.Count(text[:rest], []byte("\n"))
		items = append(items, importer.Skipf(at, "a fragment that belongs to no record: concurrent writers mixed their output"))
	}
	return items
}

func why(err error) string {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "two records that concurrent writers mixed"
	case errors.As(err, &syntactic):
		return "a fragment, not a whole record: " + strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
	case errors.As(err, &semantic):
		return strings.Trim(string(semantic.JSONPointer), "/") + " is not what this format has there"
	}
	return err.Error()
}

// take puts a record into its execution.
func (d *decoder) take(line int, r record) []importer.Item {
	g := group{session: importer.Name(r.Session), version: importer.Name(r.Version), observed: r.Type != ""}
	if r.Type == "prompt" {
		items := d.close(g)
		d.open[g] = d.begin(line, g, r)
		return append(items, d.makeRoom()...)
	}
	draft := d.open[g]
	if draft == nil {
		draft = d.begin(line, g, r)
		d.open[g] = draft
	}
	at := importer.Time(r.TS)
	draft.Touch(at)
	draft.LastAt = at
	switch r.Type {
	case "pre":
		call := track.ToolCall{Tool: r.Tool, Input: importer.Canonical(r.Params), Command: command(r), StartedAt: at}
		draft.Call(call)
	case "post":
		d.post(draft, r)
	default:
		n := len(draft.Calls)
		if draft.Call(track.ToolCall{Tool: r.Tool}); len(draft.Calls) > n {
			judge(draft, &draft.Calls[n], r)
			draft.Calls[n].Output = nil // this log has none
		}
	}
	return d.makeRoom()
}

func command(r record) string {
	var params struct {
		Command string `json:"command"`
	}
	if r.Tool != "Bash" || r.Params.Kind() != '{' || importer.Unmarshal(r.Params, &params) != nil {
		return ""
	}
	return params.Command
}

// begin opens an execution. Prompts have no id: their time and their length tell them apart.
func (d *decoder) begin(line int, g group, r record) *importer.Draft {
	identity := g.version
	if g.observed {
		identity = r.TS + "-" + strconv.Itoa(len(r.Prompt))
	}
	draft := importer.NewDraft(d.budget, line, track.Execution{
		Key: importer.Key(importer.SEPA, g.session, identity), Source: importer.SEPA, Session: g.session, Version: g.version,
		StartedAt: importer.Time(r.TS),
	})
	draft.Mute, draft.Untimed = true, true
	return draft
}

// post answers the earliest open call of the tool. One whose pre was lost is a call all the same.
func (d *decoder) post(draft *importer.Draft, r record) {
	const recent = 1000
	tool := importer.Name(r.Tool)
	for i := max(0, len(draft.Calls)-recent); i < len(draft.Calls); i++ {
		if call := &draft.Calls[i]; call.Tool == tool && !call.Answered {
			judge(draft, call, r)
			return
		}
	}
	n := len(draft.Calls)
	if draft.Call(track.ToolCall{Tool: tool}); len(draft.Calls) > n {
		judge(draft, &draft.Calls[n], r)
	}
}

// judge notes how a call ended.
func judge(draft *importer.Draft, call *track.ToolCall, r record) {
	text := importer.String(r.Output)
	known := len(r.Output) > 0 && text != `""`
	draft.Answer(call, text, importer.Time(r.TS))
	if !known {
		call.Output = nil
	}
	call.Exit = r.exit()
	switch {
	case call.Exit != nil && *call.Exit != 0:
		draft.Fail(call, "exit status "+strconv.Itoa(*call.Exit))
	case r.failed():
		draft.Fail(call, "the log says that it did not succeed")
	}
}

// close ends an execution. A prompt that no call followed says nothing of what the agent did, and makes none.
func (d *decoder) close(g group) []importer.Item {
	draft := d.open[g]
	delete(d.open, g)
	if draft == nil || !draft.Acted() {
		return nil
	}
	return draft.Close()
}

// makeRoom ends the execution that was silent longest, if there are too many.
func (d *decoder) makeRoom() []importer.Item {
	if len(d.open) <= mostOpen {
		return nil
	}
	var silent group
	var its *importer.Draft
	for g, draft := range d.open {
		if its == nil || cmp.Or(draft.LastAt.Compare(its.LastAt), draft.Line-its.Line) < 0 {
			silent, its = g, draft
		}
	}
	return d.close(silent)
}

// record is a tool call, or what a hook saw.
type record struct {
	TS      string         `json:"ts"`
	Type    string         `json:"type"`
	Tool    string         `json:"tool"`
	Params  jsontext.Value `json:"params"`
	Output  jsontext.Value `json:"output"`
	Exit    jsontext.Value `json:"exit"`
	Success jsontext.Value `json:"success"`
	Version string         `json:"version"`
	Session string         `json:"session"`
	Prompt  string         `json:"prompt"`
}

var errNoRecord = errors.New("a fragment: it has neither tool nor prompt")

// parseRecord reads the record at the beginning of a text. rest is where what follows it begins; -1 where only space
// does. Duplicate names are refused: two records were mixed.
func parseRecord(text []byte) (r record, rest int, err error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowInvalidUTF8(true))
	if err := json.UnmarshalDecode(decoder, &r); err != nil {
		return r, -1, err
	}
	rest = int(decoder.InputOffset())
	if space := len(text[rest:]) - len(bytes.TrimLeft(text[rest:], " \t\r\n")); rest+space == len(text) {
		rest = -1
	} else {
		rest += space
	}
	switch {
	case r.Type == "prompt" && r.Session != "", r.Tool != "" && (r.Type == "pre" || r.Type == "post"):
		return r, rest, nil
	case r.Tool != "" && r.Type == "" && (len(r.Exit) > 0 || len(r.Success) > 0):
		return r, rest, nil
	}
	return r, rest, errNoRecord
}

// exit returns the exit status, which some writers put in quotes; nil where it is none.
func (r record) exit() *int {
	text := strings.Trim(string(r.Exit), `"`)
	n, err := strconv.Atoi(text)
	if err != nil || len(text) > 10 {
		return nil
	}
	if r.Type == "post" && n == 0 && importer.String(r.Output) == `""` {
		return nil // the hook did not see it
	}
	return &n
}

// failed says whether the record itself says that the call went wrong.
func (r record) failed() bool { return strings.Trim(string(r.Success), `"`) == "false" }

var (
	sectionLine = regexp.MustCompile(`(?i)^##\s+(evolution|rollback)\b\s*[-–—:]?\s*(\S*)`)
	fieldLine   = regexp.MustCompile(`^\s*[-*]\s+\**([A-Za-z][\w ]{0,40})\**:\**\s*(.*?)\s*$`)
	scoredName  = regexp.MustCompile(`^(\S+)\s*(?:\(score:\s*([^)]*)\))?`)
)

// parseLog finds evolutions and rollbacks in an evolution-log.md: a heading with the time, and a list of fields below
// it.
func parseLog(text string) []importer.Item {
	var items []importer.Item
	var open *importer.Item
	end := func() {
		if open != nil && open.Event.To == "" {
			items = append(items, importer.Skipf(open.Line, "a section of the log that does not say To: which version"))
		} else if open != nil {
			items = append(items, *open)
		}
		open = nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if match := sectionLine.FindStringSubmatch(line); match != nil {
			end()
			kind := importer.EventEvolution
			if strings.EqualFold(match[1], "rollback") {
				kind = importer.EventRollback
			}
			open = &importer.Item{Line: number, Event: &importer.Event{Kind: kind, At: importer.Time(match[2])}}
		} else if strings.HasPrefix(line, "#") {
			end()
		} else if match := fieldLine.FindStringSubmatch(line); match != nil && open != nil {
			setField(open.Event, strings.ToLower(match[1]), match[2])
		}
	}
	end()
	return items
}

func setField(event *importer.Event, name, value string) {
	switch name {
	case "from":
		if match := scoredName.FindStringSubmatch(value); match != nil {
			event.From, event.FromScore = importer.Name(match[1]), score(strings.TrimSpace(match[2]))
		}
	case "to":
		if match := scoredName.FindStringSubmatch(value); match != nil {
			event.To = importer.Name(match[1])
		}
	case "strategy", "operator", "mutation":
		event.Operator = importer.Name(value)
	case "reason", "trigger":
		event.Reason = value
	}
}

var contextLine = regexp.MustCompile(`^(\w{1,50}):\s*(.*?)\s*$`)

// parseContext reads which version a context.md says to be in force.
func parseContext(text string) []importer.Item {
	fields := map[string]string{}
	at, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		if match := contextLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); match != nil {
			fields[match[1]] = match[2]
			if match[1] == "current_version" {
				at = number
			}
		}
	}
	current := importer.Name(fields["current_version"])
	if current == "" {
		return []importer.Item{importer.Skipf(0, "says no current_version")}
	}
	return []importer.Item{{Line: at, Event: &importer.Event{
		Kind: importer.EventCurrent, At: importer.Time(fields["last_evolution"]), From: importer.Name(fields["parent_version"]), To: current,
		FromScore: score(fields["parent_score"]), Operator: importer.Name(fields["last_strategy"]), Reason: fields["last_action"],
	}}}
}
