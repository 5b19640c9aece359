package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"track"
)

const (
	mostError   = 4 << 10 // bytes of one error
	mostCommand = 64 << 10
	mostFiles   = 10_000
	mostOutput  = 1 << 20 // bytes of the final text of one execution; beyond the budget, since nothing else matters as much
)

// Budget is what the executions that one reader has open may hold together. A day of work of an agent has some
// thousand calls and some megabytes of text.
type Budget struct {
	text  int // bytes of inputs, outputs and files
	calls int
}

// NewBudget returns the budget of a reader: 64 MiB of text, 100 000 calls.
func NewBudget() *Budget { return &Budget{text: 64 << 20, calls: 100_000} }

// Draft is an execution that is being read. Its methods keep it within bounds: inputs beyond them become digests,
// outputs unknown, calls are left out.
type Draft struct {
	track.Execution
	Line     int       // where it begins
	Subagent bool      // see [Item]
	LastAt   time.Time // of what was last read of it
	Mute     bool      // the source does not hold what the assistant said: no output means unknown
	Untimed  bool      // the source does not hold when it ended: what was read last is not its end

	budget  *Budget
	calls   map[string]int // by key
	text    []string       // what the assistant said since the last call or result
	said    int            // bytes of it
	spoke   bool           // whether the assistant did anything
	used    int            // bytes of the budget
	leftOut int            // calls beyond the budget
	request int            // number of the request that asks for the calls that follow; 0 if unknown
}

// NewDraft begins an execution at a line of the source. What it holds is taken from the budget until it ends.
func NewDraft(budget *Budget, line int, execution track.Execution) *Draft {
	execution.Status = track.ExecutionOK
	return &Draft{Execution: execution, Line: line, budget: budget, LastAt: execution.StartedAt, calls: map[string]int{}}
}

// Touch notes when something happened.
func (d *Draft) Touch(at time.Time) {
	if d.StartedAt.IsZero() {
		d.StartedAt = at
	}
	if at.After(d.LastAt) {
		d.LastAt = at
	}
}

// Acted says whether the assistant has done anything.
func (d *Draft) Acted() bool { return d.spoke || len(d.Calls) > 0 }

// Ask notes what the assistant was asked. The first text counts; one that is too long is unknown.
func (d *Draft) Ask(text string) {
	if d.Prompt == nil && len(text) <= mostOutput && strings.TrimSpace(text) != "" {
		text = strings.ToValidUTF8(text, "\uFFFD")
		d.Prompt = &text
	}
}

// Speak notes what the assistant said: the end of the output, until a call or a result follows.
func (d *Draft) Speak(text string) {
	d.spoke = true
	if strings.TrimSpace(text) == "" {
		return
	}
	if d.said += len(text); d.said <= mostOutput {
		d.text = append(d.text, text)
	}
}

// Call begins a tool call. A second one with the same key is the same call, and ignored; so is one without a tool.
func (d *Draft) Call(call track.ToolCall) {
	d.spoke = true
	d.hush()
	call.Tool, call.Key = Name(call.Tool), callKey(call.Key)
	if call.Tool == "" {
		call.Tool = "unknown"
	}
	if _, known := d.calls[call.Key]; known && call.Key != "" {
		return
	}
	if d.budget.calls == 0 {
		d.leftOut++
		return
	}
	d.budget.calls--
	if call.Request == 0 {
		call.Request = d.request
	}
	call.Command = abbreviate(call.Command, mostCommand)
	if !d.take(len(call.Input)) {
		call.Input = LeftOut(call.Input)
	}
	call.Error = abbreviate(call.Error, mostError)
	if call.Output != nil && !d.take(len(*call.Output)) {
		call.Output = nil
	}
	if call.Key != "" {
		d.calls[call.Key] = len(d.Calls)
	}
	d.Calls = append(d.Calls, call)
}

// Find returns the call of a key, valid until the next call begins; nil where there is none.
func (d *Draft) Find(key string) *track.ToolCall {
	if i, known := d.calls[callKey(key)]; known && key != "" {
		return &d.Calls[i]
	}
	return nil
}

// Answer notes the result of a call.
func (d *Draft) Answer(call *track.ToolCall, output string, at time.Time) {
	d.hush()
	call.Answered = true
	if call.Output != nil {
		d.give(len(*call.Output))
		call.Output = nil
	}
	if d.take(len(output)) {
		call.Output = &output
	}
	if call.Duration == nil {
		call.Duration = Between(call.StartedAt, at)
	}
}

// Fail notes what went wrong with a call.
func (d *Draft) Fail(call *track.ToolCall, message string) {
	if message = strings.TrimSpace(message); message == "" {
		message = "failed, without a word why"
	}
	call.Error = abbreviate(message, mostError)
}

// Wrote notes that the agent wrote a whole file; the last content of a name counts.
func (d *Draft) Wrote(name, content string) {
	if name == "" || !d.take(len(content)) {
		return
	}
	name = strings.ToValidUTF8(name, "\uFFFD")
	if i := slices.IndexFunc(d.Files, func(f track.WrittenFile) bool { return f.Name == name }); i >= 0 {
		d.give(len(d.Files[i].Content))
		d.Files[i].Content = content
		return
	}
	if len(d.Files) < mostFiles {
		d.Files = append(d.Files, track.WrittenFile{Name: name, Content: content})
	}
}

// Unanswered says whether a call has no result yet.
func (d *Draft) Unanswered() bool {
	return slices.ContainsFunc(d.Calls, func(c track.ToolCall) bool { return !c.Answered })
}

// Close ends the execution where the source goes on: whatever has no result by now has none, and the output is what
// was said last; unknown where that is longer than 1 MiB.
func (d *Draft) Close() []Item {
	if d.Output == nil && d.spoke && !d.Mute && d.said <= mostOutput {
		output := strings.Join(d.text, "\n\n")
		d.Output = &output
	}
	return d.items(false)
}

// End ends the execution where the source ends: if the assistant has not said anything since the last result, its
// output is unknown.
func (d *Draft) End() []Item {
	if d.Output == nil && len(d.text) == 0 && !d.Mute {
		return d.items(true)
	}
	items := d.Close()
	items[0].Open = d.Unanswered()
	return items
}

func (d *Draft) items(open bool) []Item {
	if d.Duration == nil && !d.Untimed && d.LastAt.After(d.StartedAt) {
		d.Duration = Between(d.StartedAt, d.LastAt)
	}
	d.Message = abbreviate(d.Message, mostError)
	d.settleRequests()
	d.give(d.used)
	d.budget.calls += len(d.Calls)
	items := []Item{{Line: d.Line, Execution: &d.Execution, Open: open, Subagent: d.Subagent}}
	if d.leftOut > 0 {
		items = append(items, Skipf(d.Line, "the execution has too many tool calls: %d after the first %d were left out", d.leftOut, len(d.Calls)))
	}
	return items
}

func (d *Draft) take(size int) bool {
	if size > d.budget.text {
		return false
	}
	d.budget.text -= size
	d.used += size
	return true
}

func (d *Draft) give(size int) {
	d.budget.text += size
	d.used -= size
}

// hush forgets what the assistant said, since it was not the last.
func (d *Draft) hush() { d.text, d.said = nil, 0 }

func callKey(key string) string {
	if key == "" || track.CheckName(key) == nil {
		return key
	}
	return Digest(key)
}

// Spoken says whether the assistant said anything since the last call or result.
func (d *Draft) Spoken() bool { return len(d.text) > 0 }

// Document is where in a source of JSON documents a reader is.
type Document struct {
	*Scanner
	file    string
	yield   func(Item, error) bool
	stopped bool
	begin   int64 // offset of the document that is read
	element int64 // offset of the element that is in use; 0 outside of one
}

// errStopped ends reading where nobody wants more items.
var errStopped = errors.New("nobody reads on")

// ReadDocuments reads the JSON documents of r, one behind the other, with a function that reads the next. Nothing is
// read behind damage.
func ReadDocuments(format, file string, r io.Reader, read func(*Document) error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		reader, err := Open(format, file, r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		d := &Document{Scanner: NewScanner(reader), file: file, yield: yield}
		if err := d.all(read); err != nil && !errors.Is(err, errStopped) {
			yield(Item{File: file}, fmt.Errorf("read %s: %w", file, err))
		}
	}
}

// ReadDocument reads one document that is in memory, and that begins on a line.
func ReadDocument(raw []byte, line int, read func(*Document) error) (items []Item, err error) {
	d := &Document{Scanner: NewScanner(bufio.NewReader(bytes.NewReader(raw))), yield: func(item Item, _ error) bool {
		items = append(items, item)
		return true
	}}
	d.Line = line
	return items, d.orSkip(read(d))
}

func (d *Document) all(read func(*Document) error) error {
	for {
		_, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			d.begin = d.offset
			err = d.orSkip(read(d))
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrNoObject) {
			return err
		}
		d.damaged = d.offset
		return d.Pass(d.Damage(d.Line, "damaged: no document continues here"))
	}
}

// orSkip makes a skip of a document that is cut off.
func (d *Document) orSkip(err error) error {
	if IsCutOff(err) {
		return d.Pass(Skipf(d.Line, "the document is cut off"))
	}
	return err
}

// Pass hands items on. Its error ends reading.
func (d *Document) Pass(items ...Item) error {
	for _, item := range items {
		d.place(item.Skip)
		if d.stopped = d.stopped || !d.yield(item.In(d.file), nil); d.stopped {
			return errStopped
		}
	}
	return nil
}

// place says where in the source damage is that an element or a whole document has.
func (d *Document) place(damage *Skip) {
	if damage == nil {
		return
	}
	if damage.Offset += d.element; damage.Offset == 0 {
		damage.Offset = d.begin
	}
}

// Array calls use for each object of an array. It passes any other value.
func (d *Document) Array(use func(raw []byte, line int) error) error {
	if isArray, err := d.Take('['); err != nil {
		return err
	} else if !isArray {
		return d.Skip()
	}
	err := d.Elements(func(raw []byte, line int) (bool, error) {
		d.element = d.offset - int64(len(raw))
		err := use(raw, line)
		if d.element = 0; d.stopped {
			return false, nil
		}
		return true, err
	}, func(line int, reason string) bool { return d.Pass(d.Damage(line, reason)) == nil })
	if err == nil && d.stopped {
		err = errStopped
	}
	return err
}

// HasLines reports whether a source has JSON on each line, and is no document on many lines, or on one long line.
func HasLines(reader *bufio.Reader) bool {
	head, err := reader.Peek(headSize)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	line, _, found := bytes.Cut(head, []byte("\n"))
	return (found || err != nil) && len(bytes.TrimSpace(line)) > 1
}
