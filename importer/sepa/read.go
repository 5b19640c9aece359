package sepa

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
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
