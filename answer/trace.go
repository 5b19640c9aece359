package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/scoring/format"
)

// TracePart is a text of an execution, in the order of the conversation.
type TracePart struct {
	Part      string           `json:"part"` // prompt, input, output, error or answer
	Call      int              `json:"call"` // number from 1; 0 for the prompt and the answer
	Tool      string           `json:"tool"`
	Result    string           `json:"result"` // how the call ended, in words
	StartedAt time.Time        `json:"started_at,omitzero"`
	Duration  *time.Duration   `json:"duration_s"` // in JSON, seconds
	Kept      bool             `json:"kept"`       // else only the digest and the size are known
	Digest    track.TextDigest `json:"sha256"`
	Text      string           `json:"text"`
	Bytes     int              `json:"bytes"`
	Request   int              `json:"request,omitempty"`     // number of the request to the model that asked for the call; 0 if unknown
	Whole     int              `json:"whole_bytes,omitempty"` // of the text that was cut before it was recorded; 0 if it is whole
	Lines     int              `json:"lines"`
	LeftOut   int              `json:"lines_left_out"` // of the text, to fold it
	Cut       bool             `json:"cut"`            // a line of the text is cut
}

// Trace is the conversation of an execution.
type Trace struct {
	Parts  []TracePart `json:"parts"`
	Of     int         `json:"of"` // parts that the execution has; more than there are if something was searched for
	NKept  int         `json:"n_kept"`
	Search string      `json:"search"`
	Folded bool        `json:"folded"`         // something is left out of a text
	Uses   []traceUse  `json:"uses,omitempty"` // what the requests to the model used, each once
}

// traceTable returns the conversation: a table for programs, and sentences for people.
func (a Execution) traceTable() Table {
	t := Table{
		Name: "trace", Main: true, ForPrograms: true,
		Columns: columns("part", "call", "tool", "result", "started_at", "duration_s", "kept", "text", "bytes", "lines", "lines_left_out", "sha256",
			"request", "tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write", "tokens_reasoning"),
	}
	t.Notes = append(t.Notes, Sentence{Kind: Note, Text: a.tokens()})
	t.Notes = append(t.Notes, a.traceNotes()...)
	call, uses := 0, a.Trace.UseIndex()
	for _, p := range a.Trace.Parts {
		use := uses.Of(p)
		if p.Call > 0 && p.Call == call {
			use = nil // it stands at the first text of the call
		}
		t.Rows = append(t.Rows, []any{p.Part, p.Call, p.Tool, p.Result, timeCell(p.StartedAt), duration(p.Duration, time.Nanosecond), p.Kept, p.Text, p.Bytes, p.Lines, p.LeftOut, p.Digest.String(), nil})
		row := &t.Rows[len(t.Rows)-1]
		if p.Request > 0 {
			(*row)[len(*row)-1] = p.Request
		}
		*row = append(*row, use.cells()...)
		if p.Call != call && p.Call > 0 {
			t.Notes = append(t.Notes, Sentence{Kind: Heading, Text: a.callHeading(p, uses.Words(p))})
			call = p.Call
		}
		text := p.heading()
		if p.Part == "answer" && use != nil {
			text = use.words() + "\n" + text
		}
		if p.Text != "" {
			text += "\n" + indented(p.Text)
		}
		t.Notes = append(t.Notes, Sentence{Kind: Note, Joined: p.Call > 0, Text: text})
	}
	return t
}

// tokens says what the execution used.
func (a Execution) tokens() string {
	parts, name, known := []string{}, "tokens: ", a.Tokens
	if known == nil {
		if known = track.SumOfRequests(a.Requests); known != nil {
			name = "tokens of all requests: "
		}
	}
	if known != nil {
		for _, t := range tokenCounts(known, known) {
			if t.a != nil {
				parts = append(parts, fmt.Sprintf("%d %s", *t.a, t.name))
			}
		}
	}
	text := name + cmp.Or(strings.Join(parts, ", "), "not known")
	if a.CostUSD != nil {
		text += fmt.Sprintf("; cost %s USD", format.Four(*a.CostUSD))
		if a.Priced != "" {
			text += ", computed by the prices of " + a.Priced
		}
	}
	return text
}

// traceNotes says what is not shown.
func (a Execution) traceNotes() (list []Sentence) {
	for _, note := range a.RequestNotes() {
		list = append(list, Sentence{Kind: Note, Joined: true, Text: note})
	}
	if a.Trace.Search != "" {
		list = append(list, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("%s with %q", format.CountedOf(len(a.Trace.Parts), a.Trace.Of, "text"), a.Trace.Search)})
	}
	if missing := a.Trace.Of - a.Trace.NKept; missing > 0 {
		list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf("%s not kept: only digests and sizes are known", format.CountedOf(missing, a.Trace.Of, "text")+" "+format.Verb(missing, "is", "are"))})
		if a.ForgottenAt.IsZero() {
			hint := track.NewHint("keep the texts of executions from now on", "lineage set", a.Lineage, "keep_text=on")
			list[len(list)-1].Hint = &hint
		}
	}
	if a.Trace.Folded {
		hint := track.NewHint("show the texts as a whole", "show execution", a.ID).With("trace", "").With("all", "")
		list = append(list, Sentence{Kind: Note, Text: "long texts are folded", Hint: &hint})
	}
	return list
}

func (a Execution) callHeading(p TracePart, used string) string {
	text := fmt.Sprintf("call %d of %d: %s, %s", p.Call, a.NCalls, p.Tool, p.Result)
	if !p.StartedAt.IsZero() && !a.StartedAt.IsZero() {
		text += ", after " + p.StartedAt.Sub(a.StartedAt).Round(time.Millisecond).String()
	}
	if p.Duration != nil {
		text += ", took " + p.Duration.Round(time.Millisecond).String()
	}
	if used != "" {
		text += "; " + used
	}
	return text
}

func (p TracePart) heading() string {
	switch {
	case !p.Kept:
		return fmt.Sprintf("%s: not kept, %s, sha256 %s", p.Part, p.size(), track.ShortHash(p.Digest.String()))
	case p.Bytes == 0:
		return p.Part + ": empty"
	case p.LeftOut > 0:
		return fmt.Sprintf("%s (%s, %s; %s left out):", p.Part, p.size(), format.Counted(p.Lines, "line"), format.Counted(p.LeftOut, "line"))
	case p.Cut:
		return fmt.Sprintf("%s (%s, long lines are cut):", p.Part, p.size())
	case p.Whole > 0:
		return fmt.Sprintf("%s (%s):", p.Part, p.size())
	}
	return p.Part + ":"
}

// size is the size of a text, and of the whole that it was cut from.
func (p TracePart) size() string { return byteSize(p.Bytes, p.Whole) }

// byteSize is the size of a text as people read it; whole is the size before it was cut, or 0.
func byteSize(bytes, whole int) string {
	if whole == 0 {
		return format.Counted(bytes, "byte")
	}
	return format.Counted(whole, "byte") + ", cut to " + strconv.Itoa(bytes)
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\n", "\n  ")
}

// traceOptions say how a trace is shown.
type traceOptions struct {
	all    bool   // texts are not folded
	search string // only texts with this in them, in whatever case; empty for all
}

// newTrace returns the conversation of an execution.
func newTrace(e track.RecordedExecution, o traceOptions) *Trace {
	t := &Trace{Parts: []TracePart{}, Search: o.search, Uses: newTraceUses(e)}
	if o.search == "" {
		t.Parts = make([]TracePart, 0, 2*len(e.Calls)+2)
	}
	t.add(TracePart{Part: "prompt"}, e.Prompt, o)
	for i, c := range e.Calls {
		p := TracePart{Call: i + 1, Tool: c.Tool, Result: callResult(c), StartedAt: c.StartedAt, Duration: c.Duration, Request: c.Request}
		p.Part = "input"
		t.add(p, &c.Input, o)
		if c.Error != "" {
			p.Part = "error"
			t.add(p, track.NewRecordedText(c.Error, true), o)
		}
		p.Part = "output"
		t.add(p, c.Output, o)
	}
	t.add(TracePart{Part: "answer"}, e.Output, o)
	return t
}

func (t *Trace) add(p TracePart, text *track.RecordedText, o traceOptions) {
	if text == nil {
		return
	}
	t.Of++
	p.Bytes, p.Whole, p.Digest = text.Bytes, text.WholeBytes, text.Digest
	if p.Kept = text.Text != nil; p.Kept {
		t.NKept++
		p.fold(*text.Text, o)
	}
	if o.search != "" && !p.Kept || o.search != "" && !holds(*text.Text, o.search) {
		return
	}
	t.Folded = t.Folded || p.LeftOut > 0 || p.Cut
	t.Parts = append(t.Parts, p)
}

// What is shown of a text that is folded.
const (
	foldedLines = 8
	foldedLine  = 240 // bytes
)

// fold sets the text, and leaves out what is too long. If something is searched for, the lines with it are shown.
func (p *TracePart) fold(text string, o traceOptions) {
	if p.Text = text; text == "" {
		return
	}
	if p.Lines = strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; o.all {
		return
	}
	var shown []string
	for line := range strings.Lines(text) {
		if len(shown) == foldedLines {
			break
		}
		if o.search != "" && p.Lines > foldedLines && !holds(line, o.search) {
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		if len(line) > foldedLine {
			line, p.Cut = cutLine(line, o.search), true
		}
		shown = append(shown, line)
	}
	if p.LeftOut = p.Lines - len(shown); p.LeftOut > 0 || p.Cut {
		p.Text = strings.Join(shown, "\n")
	}
}

// cutLine returns a part of a long line, with what was searched for in it.
func cutLine(line, search string) string {
	start := 0
	if at := strings.Index(strings.ToLower(line), strings.ToLower(search)); search != "" && at > foldedLine/2 {
		start = min(at-foldedLine/2, len(line))
	}
	part := strings.ToValidUTF8(line[start:min(len(line), start+foldedLine)], "")
	if start > 0 {
		part = "…" + part
	}
	return part + "…"
}

func holds(text, search string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(search))
}

// ShowTrace puts the conversation in the place of the calls.
func (a *Execution) ShowTrace(q ExecutionQuestion) {
	a.Trace = newTrace(a.RecordedExecution, traceOptions{q.All, q.Grep})
	a.Calls, a.Prompt, a.Output = nil, nil, nil
}

// traceUse is what requests to a model used. It stands at the first call that a request asked for, with the requests
// before that asked for none. What stands at the answer are the requests after the last call.
type traceUse struct {
	Call   int           `json:"call"`            // number from 1; 0 for the answer
	First  int           `json:"first"`           // number of the first request, from 1
	Last   int           `json:"last"`            // number of the last request
	Model  string        `json:"model,omitempty"` // of the last request; empty if it is the model of the execution
	Tokens *track.Tokens `json:"tokens"`          // of these requests together; null if unknown
}

// newTraceUses returns what the requests of an execution used, each once, in their order.
func newTraceUses(e track.RecordedExecution) []traceUse {
	if len(e.Requests) == 0 {
		return nil
	}
	calls := make([]int, len(e.Requests)+1) // the first of each request
	for i, c := range e.Calls {
		if c.Request > 0 && c.Request < len(calls) && calls[c.Request] == 0 {
			calls[c.Request] = i + 1
		}
	}
	uses := make([]traceUse, 0, len(e.Requests))
	first := 1
	for number := 1; number <= len(e.Requests); number++ {
		if calls[number] == 0 && number < len(e.Requests) {
			continue
		}
		use := traceUse{Call: calls[number], First: first, Last: number, Model: e.Requests[number-1].Model}
		if use.Tokens = e.Requests[first-1].Tokens; first < number {
			use.Tokens = track.SumOfRequests(e.Requests[first-1 : number])
		}
		uses, first = append(uses, use), number+1
	}
	return uses
}

// UseIndex finds what requests used by the steps of a trace. It is of maps, as a server may send any numbers.
type UseIndex struct {
	ofCall  map[int]*traceUse // by the call at which the use stands
	callsOf map[int]int       // the first call of a request
}

// UseIndex returns the index of what the requests of a trace used.
func (t Trace) UseIndex() UseIndex {
	x := UseIndex{make(map[int]*traceUse, len(t.Uses)), make(map[int]int, len(t.Uses))}
	for i, u := range t.Uses {
		x.ofCall[u.Call], x.callsOf[u.Last] = &t.Uses[i], u.Call
	}
	return x
}

// Of returns what stands at the step of a part; nil if there is nothing.
func (x UseIndex) Of(p TracePart) *traceUse {
	if p.Part == "prompt" {
		return nil
	}
	return x.ofCall[p.Call]
}

// Words says what stands at the step of a part, or which earlier call has the same request; empty if that is unknown.
func (x UseIndex) Words(p TracePart) string {
	if use := x.Of(p); use != nil {
		return use.words()
	}
	call := x.callsOf[p.Request]
	if p.Call == 0 || p.Request == 0 || call == 0 {
		return ""
	}
	return "same request as call " + strconv.Itoa(call)
}

// cells are the tokens as columns.
func (u *traceUse) cells() []any {
	cells := make([]any, 5)
	if u == nil || u.Tokens == nil {
		return cells
	}
	t := u.Tokens
	for i, count := range [...]*int64{t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Reasoning} {
		if count != nil {
			cells[i] = *count
		}
	}
	return cells
}

// words names the requests, and says what they used.
func (u traceUse) words() string {
	words := "request " + strconv.Itoa(u.Last)
	if u.First < u.Last {
		words = fmt.Sprintf("requests %d to %d", u.First, u.Last)
	}
	if u.Model != "" {
		words += ", model " + u.Model
	}
	return words + ": " + tokensUsed(u.Tokens)
}

// tokensUsed says how many tokens a model read, how many of them came from a cache, and how many it wrote.
func tokensUsed(t *track.Tokens) string {
	if t == nil {
		return "tokens not known"
	}
	var parts []string
	for _, side := range []struct {
		name, part string
		all, some  *int64
	}{{"in", "cache", readTokens(t), t.CacheRead}, {"out", "reasoning", t.Output, t.Reasoning}} {
		if side.all == nil {
			continue
		}
		text := side.name + " " + thousands(*side.all)
		if side.some != nil && *side.some > 0 {
			text += " (" + side.part + " " + thousands(*side.some) + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "tokens not known"
	}
	return strings.Join(parts, ", ")
}

// readTokens returns all tokens that a model read, whether they came from a cache or not; nil if none is known.
func readTokens(t *track.Tokens) *int64 {
	var read *int64
	for _, n := range []*int64{t.Input, t.CacheRead, t.CacheWrite} {
		if n == nil {
			continue
		}
		sum := *n
		if read != nil {
			sum += *read
		}
		read = &sum
	}
	return read
}

// All returns the tokens that were read and written; 0 if none is known.
func (u traceUse) All() (n int64) {
	if u.Tokens == nil {
		return 0
	}
	for _, count := range [...]*int64{u.Tokens.Input, u.Tokens.CacheRead, u.Tokens.CacheWrite, u.Tokens.Output} {
		if count != nil {
			n += *count
		}
	}
	return n
}

// thousands writes a count with a comma between thousands.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// RequestNotes says what the steps of a trace do not show: requests after the last call if the answer is unknown,
// requests of which no use is known, and a total of the source that is not the sum of its requests.
func (a Execution) RequestNotes() (notes []string) {
	unknown := 0
	for _, r := range a.Requests {
		if r.Tokens == nil {
			unknown++
		}
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("what %d of %d requests used is not known", unknown, len(a.Requests)))
	}
	if a.Trace != nil && a.Trace.Search == "" {
		if use := a.Trace.UseIndex().Of(TracePart{Part: "answer"}); use != nil && !slices.ContainsFunc(a.Trace.Parts, func(p TracePart) bool { return p.Part == "answer" }) {
			notes = append(notes, "after the last call: "+use.words())
		}
	}
	sum := track.SumOfRequests(a.Requests)
	if sum == nil || a.Tokens == nil {
		return notes
	}
	var differences []string
	for _, t := range tokenCounts(a.Tokens, sum) {
		if t.a != nil && t.b != nil && *t.a != *t.b {
			differences = append(differences, fmt.Sprintf("%s %s, by request %s", t.name, thousands(*t.a), thousands(*t.b)))
		}
	}
	if len(differences) > 0 {
		notes = append(notes, "the total of the source is not the sum of its requests: "+strings.Join(differences, "; "))
	}
	return notes
}

type tokenCount struct {
	name string
	a, b *int64
}

// tokenCounts returns the counts of two sides by name.
func tokenCounts(a, b *track.Tokens) []tokenCount {
	return []tokenCount{
		{"input", a.Input, b.Input}, {"output", a.Output, b.Output}, {"from a cache", a.CacheRead, b.CacheRead},
		{"to a cache", a.CacheWrite, b.CacheWrite}, {"of reasoning", a.Reasoning, b.Reasoning},
	}
}
