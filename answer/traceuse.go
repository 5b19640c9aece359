package answer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"track"
)

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
